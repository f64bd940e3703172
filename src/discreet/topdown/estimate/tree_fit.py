"""The generalised least squares estimate of every area of a tree, from all noisy counts at once.

`fit_tree` goes up and down once; the theorem and its matrices are in `tree_model`. What is kept in memory are three
histograms for each area that has children. The smallest areas, by far the most, are never held: all of them have the
same matrices, so the sum of their estimates is the estimate from the sums of their readings, and each one's estimate
is computed when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.topdown.estimate.area_matrices import ALL, AreaMatrices, Areas, cut_chunks
from discreet.topdown.estimate.block_basis import QueryTransform, ask_cells
from discreet.topdown.estimate.level_values import LevelValues, add_rows, collect_values, estimate_upward
from discreet.topdown.estimate.tree_model import TreeModel, model_tree
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True, eq=False)
class InnerEstimates:
    """Estimates of all areas of a level that have children, in the coordinates of the basis."""

    upward: Floats
    """From the area's own readings and those below."""
    sums: Floats
    """The sums of the children's `upward`."""
    final: Floats
    """From all readings."""


@dataclass(frozen=True, eq=False)
class TreeFit:
    """Estimates of all areas: unbiased, and of the least variance among all that are linear (Gauss, Markov, Aitken).

    They are real numbers, negative ones among them, and know nothing of impossible cells. Parents are the sums of their
    children, and public numbers hold, but for rounding. `areas` are a slice of a level, or places in it; of the last
    level ask for some at a time, since every answer is computed anew.
    """

    model: TreeModel
    values: tuple[LevelValues, ...]
    inner: tuple[InnerEstimates, ...]
    """For each level but the last."""

    def upward(self, level: int, areas: Areas = ALL) -> Floats:
        """Return the estimate z of each area from its own readings and those below: a row of cells for each.

        With `precision(level)` it holds all that these readings say: -2 times their Gaussian log-likelihood is
        (x - z)' P (x - z) and a constant, for every x that agrees with the public numbers.
        """
        return self._answer(self._cells, lambda some: self._find_upward(level, some), level, areas)

    def precision(self, level: int) -> AreaMatrices:
        """Return the precision matrices P of `upward`. Public numbers are not in them."""
        return self.model.upward[level].precision

    def alone(self, level: int, areas: Areas = ALL) -> Floats:
        """Return the estimate of each area from its own readings only: of all that fit them best, the shortest."""
        return self._answer(self._cells, lambda some: self._find_alone(level, some), level, areas)

    def precision_alone(self, level: int) -> AreaMatrices:
        """Return the precision matrices of `alone`."""
        return self.model.alone[level].precision

    def final(self, level: int, areas: Areas = ALL) -> Floats:
        """Return the estimate of each area from all readings: a row of cells for each."""
        return self._answer(self._cells, lambda some: self._find_final(level, some), level, areas)

    def answer(self, level: int, query: Query, areas: Areas = ALL) -> Floats:
        """Return the estimates of a query's answers from all readings: `final`, added up."""
        transform = self.model.basis.find_transform(query)
        return self._answer(transform, lambda some: self._find_final(level, some), level, areas)

    def covariance(self, level: int) -> AreaMatrices:
        """Return the covariance matrices of `final`, each of one area's cells."""
        return self.model.downward[level].covariance

    def variances(self, level: int, query: Query, areas: Areas = ALL) -> Floats:
        """Return the exact variances of `answer`: infinite where the readings do not determine it."""
        return self.model.variances(level, query, areas)

    @cached_property
    def _cells(self) -> QueryTransform:
        return self.model.basis.find_transform(ask_cells(self.model.basis.schema))

    def _answer(self, transform: QueryTransform, find: Callable[[Areas], Floats], level: int, areas: Areas) -> Floats:
        """Return the answers to estimates that are found in coordinates, some areas at a time."""
        places = np.arange(len(self.model.geography.levels[level]))[areas]
        found = np.empty((len(places), transform.product.width))
        for chunk in cut_chunks(len(places), self.model.basis.schema.cells):
            found[chunk] = transform.answer(find(places[chunk]))
        return found

    def _find_alone(self, level: int, areas: Areas) -> Floats:
        return estimate_upward(self.model.alone[level], self.values[level].lift(areas), areas)

    def _find_upward(self, level: int, areas: Areas) -> Floats:
        if level < len(self.inner):
            return np.asarray(self.inner[level].upward[areas])
        return estimate_upward(self.model.upward[level], self.values[level].lift(areas), areas)

    def _find_final(self, level: int, areas: Areas) -> Floats:
        if level < len(self.inner):
            return np.asarray(self.inner[level].final[areas])
        return _correct(self.model, level, areas, self._find_upward(level, areas), self.inner[:level])


def fit_tree(geography: Geography, schema: CensusSchema, readings: Sequence[LevelReading]) -> TreeFit:
    """Return the estimates of all areas from these readings.

    A reading of variance 0 is public, and holds exactly; it may be of any level. Public numbers that contradict one
    another are refused.
    """
    return fit_readings(model_tree(geography, schema, readings), readings)


def fit_readings(model: TreeModel, readings: Sequence[LevelReading]) -> TreeFit:
    """Return the estimates from readings of the queries and variances that a model was made for."""
    if tuple((each.level, each.query, each.variance) for each in readings) != model.measured:
        raise ParameterError("readings", [each.query.name for each in readings], "those that the model was made for")
    geography, last = model.geography, len(model.geography.levels) - 1
    values = tuple(
        collect_values(model.basis, [each for each in readings if each.level == place], len(level))
        for place, level in enumerate(geography.levels)
    )
    upward: list[Floats] = []
    sums: list[Floats] = []
    for place in reversed(range(last)):
        starts = geography.levels[place + 1].bound_children(len(geography.levels[place]))[:-1]
        if place + 1 == last:
            sums.insert(0, _add_leaves(model, values[last].add_up(starts), len(starts)))
        else:
            sums.insert(0, add_rows(upward[0], starts, np.float64))
        upward.insert(0, _go_up(model, place, values[place], sums[0]))
    inner: tuple[InnerEstimates, ...] = ()
    for place in range(last):
        final = upward[place].copy()
        for chunk in cut_chunks(len(final), final.shape[1]):
            final[chunk] = _correct(model, place, chunk, final[chunk], inner)
        inner += (InnerEstimates(upward[place], sums[place], final),)
    fit = TreeFit(model, values, inner)
    _check_leaves(fit, last)
    return fit


def _add_leaves(model: TreeModel, summed: LevelValues, parents: int) -> Floats:
    """Return the sums of the estimates of the smallest areas of each parent, from the sums of their readings."""
    found = np.empty((parents, summed.cells))
    for chunk in cut_chunks(parents, summed.cells):
        leaves = np.zeros(chunk.stop - chunk.start, dtype=np.int64)
        found[chunk] = estimate_upward(model.upward[-1], summed.lift(chunk), leaves)
    return found


def _go_up(model: TreeModel, level: int, values: LevelValues, sums: Floats) -> Floats:
    """Return the estimates z of a level's areas from their own readings and the sums of their children's."""
    found = np.empty_like(sums)
    for chunk in cut_chunks(len(sums), values.cells):
        found[chunk] = estimate_upward(model.upward[level], values.lift(chunk), chunk, sums[chunk])
        values.check_public(found[chunk], chunk)
    return found


def _correct(model: TreeModel, level: int, areas: Areas, upward: Floats, above: Sequence[InnerEstimates]) -> Floats:
    """Return the estimates from all readings, from those of the areas' own subtrees and the parents' final ones."""
    if level == 0:
        return upward
    parents = model.geography.levels[level].parents[areas]
    missing = above[-1].final[parents] - above[-1].sums[parents]
    return np.asarray(upward + model.downward[level].gain.multiply(missing, areas))


def _check_leaves(fit: TreeFit, last: int) -> None:
    """Refuse public numbers of the smallest areas that contradict one another: several in one area, that is."""
    if sum(each.variance == 0 for each in fit.values[last].readings) > 1:
        areas = len(fit.model.geography.leaves)
        for chunk in cut_chunks(areas, fit.values[last].cells):
            fit.values[last].check_public(fit._find_upward(last, chunk), chunk)
