"""The graphical form: a distribution as a junction tree over the measured column sets, for domains of any size.

With a uniform prior p_theta is a product of functions of the measured column sets, so a junction tree over them holds
it whole (`tree_form`). Marginals are fitted as effects (`effects`), which say nothing twice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import MOST_CELLS, CellTable, ColumnSet, Domain
from discreet.synthetic.fit.dealing import deal_cells
from discreet.synthetic.fit.effects import find_ranks, write_effects
from discreet.synthetic.fit.junction import JunctionTree, plant_tree
from discreet.synthetic.fit.kappa import count_determined, settle
from discreet.synthetic.fit.newton import TOLERANCE, FitReport, climb
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.questions import ThetaKey
from discreet.synthetic.fit.tree_form import TreeForm

ROUGH = 0.1
"""The root mean square of residuals, in standard deviations, at which fits end whose kappa is yet to be found."""

MOST_PRODUCTS = 150
"""Products with the Hessian that a rough fit may take: what it leaves, the next one or the last one finishes."""

BETWEEN_WORK, SEARCH_WORK, FINAL_WORK = 1 << 25, 1 << 27, 1 << 30
"""Cells times products that a fit of a large tree may take: one between rounds, one for a kappa, and the last one."""

LARGE = 1 << 18
"""Cells of a tree whose last fit is bounded as well: it says that it has not converged, and how far off it is."""


@dataclass(frozen=True, eq=False)
class GraphicalFit:
    """A fitted junction tree: the shares of each clique's cells."""

    tree: JunctionTree
    marginals: tuple[CellTable, ...]
    theta: dict[ThetaKey, Floats]
    report: FitReport
    determined: float
    distance: float

    @property
    def domain(self) -> Domain:
        """The columns and their sizes."""
        return self.tree.domain

    def project(self, columns: ColumnSet) -> CellTable:
        """Return the expected counts of these columns: of a clique's own, or by adding up along the tree."""
        if columns:
            self.domain.check_size(columns)
        place = self.tree.find_clique(columns)
        if place is not None:
            found = _add_up(self.marginals[place], self.tree.cliques[place], columns)
        else:
            wanted = frozenset(columns)
            top = max(place for place, below in enumerate(self._below) if wanted <= below)
            found = _align(*self._collect(top, wanted, ()), columns)
        return np.asarray(found * self.report.total)

    @cached_property
    def _below(self) -> tuple[frozenset[int], ...]:
        """The columns of each clique and of all cliques below it: children come after their parents."""
        found = [frozenset(clique) for clique in self.tree.cliques]
        for place in reversed(range(1, len(found))):
            parent = self.tree.parents[place]
            found[parent] = found[parent] | found[place]
        return tuple(found)

    def _collect(self, place: int, wanted: frozenset[int], separator: ColumnSet) -> tuple[CellTable, ColumnSet]:
        """Return p(wanted columns of a clique and all below it | separator), beside the separator.

        Columns are added up as soon as nobody below or above needs them, so that no table has more columns than the
        wanted ones and a separator.
        """
        table, columns = self.marginals[place], self.tree.cliques[place]
        if separator:
            above = _expand(_add_up(table, columns, separator), separator, columns, self.domain)
            table = np.divide(table, above, out=np.zeros_like(table), where=above > 0)
        children = [
            child
            for child, parent in enumerate(self.tree.parents)
            if parent == place and wanted & self._below[child] - set(self.tree.separators[child])
        ]
        needed = [
            wanted.union(separator, *(self.tree.separators[each] for each in children[at:]))
            for at in range(len(children) + 1)
        ]
        kept = tuple(name for name in columns if name in needed[0])
        table, columns = _add_up(table, columns, kept), kept
        for at, child in enumerate(children, start=1):
            part, names = self._collect(child, wanted, self.tree.separators[child])
            kept = tuple(name for name in sorted({*columns, *names}) if name in needed[at])
            if (cells := math.prod(self.domain.find_shape(kept))) > MOST_CELLS:
                raise ParameterError("columns", sorted(wanted), f"nearer ones: {cells:,} cells lie between them")
            table, columns = _multiply(table, columns, part, names, kept), kept
        return table, columns

    def sample(self, rows: int, generator: np.random.Generator) -> NDArray[np.int64]:
        """Return rows, a line of values each, whose clique tables are the fitted ones rounded to whole rows.

        Along the tree, rows that agree on a separator are dealt out to the cells of the clique: each cell gets its
        expected number of them rounded down; the rest goes to cells at random, by what rounding took from them.
        """
        found = np.full((rows, len(self.domain.sizes)), -1, dtype=np.int64)
        for place, clique in enumerate(self.tree.cliques):
            separator = self.tree.separators[place]
            new = tuple(name for name in clique if name not in separator)
            sizes = tuple(self.domain.sizes[name] for name in new)
            table = _align(self.marginals[place], clique, (*separator, *new)).reshape(-1, math.prod(sizes))
            groups = np.zeros(rows, dtype=np.int64)
            for name in separator:
                groups = groups * self.domain.sizes[name] + found[:, name]
            dealt = deal_cells(table, groups, generator)
            found[:, new] = np.stack(np.unravel_index(dealt, sizes), axis=1)
        return found[generator.permutation(rows)]


def fit_graphical(
    domain: Domain,
    measured: Sequence[Measured],
    total: float,
    kappa: float | None = None,
    start: Mapping[ThetaKey, Floats] | None = None,
    tolerance: float = TOLERANCE,
    rough: float = 0.0,
) -> GraphicalFit:
    """Return the estimate from these measurements with a uniform prior, for as many columns as a tree can hold.

    `start` holds the thetas of a fit of all measurements but the last. The search for a kappa needs no more than rough
    fits; the one that is returned is as good as was asked for.
    """
    tree = plant_tree(domain, [each.columns for each in measured])
    questions = write_effects(domain, measured)
    ranks = find_ranks(questions.groups)
    form = TreeForm(tree, questions)
    cells = sum(math.prod(domain.find_shape(clique)) for clique in tree.cliques)
    searched = min(max(SEARCH_WORK // cells, 20), MOST_PRODUCTS)
    between = min(max(BETWEEN_WORK // cells, 20), MOST_PRODUCTS)
    final = None if cells <= LARGE else FINAL_WORK // cells

    def attempt(weight: float, earlier: GraphicalFit | None, roughly: bool = False) -> GraphicalFit:
        objective = questions.write_objective(total, weight)
        if earlier is None:
            begin = questions.join(start or {})
            if start:  # a fit of all measurements but the last
                begin = form.meet(objective, begin, measured[-1].columns)
        else:
            begin = questions.join(earlier.theta)
        most = searched if roughly else between if rough else final
        enough = max(rough, ROUGH if roughly else 0.0)
        theta, point, report = climb(form, objective, begin, tolerance, enough, most)
        determined = count_determined(form.few, objective, point, ranks)
        distance = max(float(theta @ point.means) - point.log_z, 0.0)
        return GraphicalFit(tree, tuple(point.marginals), questions.split(theta), report, determined, distance)

    if kappa is not None:
        return attempt(kappa, None)
    found = settle(lambda weight, earlier: attempt(weight, earlier, roughly=True))
    return attempt(found.report.kappa, found)


def _add_up(table: CellTable, columns: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return the table of some of its columns."""
    return np.asarray(table.sum(axis=tuple(axis for axis, name in enumerate(columns) if name not in kept)))


def _multiply(table: CellTable, columns: ColumnSet, part: CellTable, names: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return the product of two tables over the columns that are kept, all others added up on the way."""
    label = {name: place for place, name in enumerate(sorted({*columns, *names}))}
    one, other, out = ([label[name] for name in each] for each in (columns, names, kept))
    return np.asarray(np.einsum(table, one, part, other, out, optimize=True))


def _expand(table: CellTable, columns: ColumnSet, clique: ColumnSet, domain: Domain) -> CellTable:
    """Return a table with an axis of length 1 for each column of the clique that it has not."""
    return table.reshape(tuple(domain.sizes[name] if name in columns else 1 for name in clique))


def _align(table: CellTable, columns: ColumnSet, wanted: ColumnSet) -> CellTable:
    """Return a table with its axes in another order of the same columns."""
    return np.transpose(table, [columns.index(name) for name in wanted])
