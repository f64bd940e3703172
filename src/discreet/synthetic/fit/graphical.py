"""The graphical form: a distribution as a junction tree over the measured column sets, for domains of any size.

With a uniform prior p_theta is a product of functions of the measured column sets. Its sums travel along a junction
tree in two passes (Lauritzen, Spiegelhalter 1988), in logarithms. Covariances times a direction are the derivative of
the means: the same two passes, with conditional expectations in place of sums.
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
from discreet.synthetic.fit.junction import JunctionTree, plant_tree
from discreet.synthetic.fit.kappa import count_determined, settle
from discreet.synthetic.fit.newton import TOLERANCE, FitReport, climb
from discreet.synthetic.fit.objective import Measured
from discreet.synthetic.fit.questions import Questions, ThetaKey, write_questions


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
) -> GraphicalFit:
    """Return the estimate from these measurements with a uniform prior, for as many columns as a tree can hold."""
    tree = plant_tree(domain, [each.columns for each in measured])
    questions = write_questions(domain, measured, range(len(measured)))
    form = TreeForm(tree, questions)

    def attempt(weight: float, earlier: GraphicalFit | None) -> GraphicalFit:
        begin = questions.join((start or {}) if earlier is None else earlier.theta)
        objective = questions.write_objective(total, weight)
        theta, point, report = climb(form, objective, begin, tolerance)
        determined = count_determined(form.few, objective, point)
        distance = max(float(theta @ point.means) - point.log_z, 0.0)
        return GraphicalFit(tree, tuple(point.marginals), questions.split(theta), report, determined, distance)

    return settle(attempt) if kappa is None else attempt(kappa, None)


class TreeForm:
    """Distributions as junction trees; exponents are the tables of all cliques, one after another."""

    few = False

    def __init__(self, tree: JunctionTree, questions: Questions) -> None:
        self.tree = tree
        self.questions = questions
        self.shapes = [tuple(tree.domain.sizes[name] for name in clique) for clique in tree.cliques]
        self.ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        homes = {columns: tree.find_clique(columns) for columns in questions.column_sets}
        self.homes = {columns: home for columns, home in homes.items() if home is not None}

    def split(self, exponents: Floats) -> list[CellTable]:
        """Return exponents by clique."""
        parts = np.split(exponents, self.ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def spread(self, theta: Floats) -> Floats:
        """Return the exponents Q^T theta, each measured set's in one clique."""
        tables = [np.zeros(shape) for shape in self.shapes]
        for columns, table in self.questions.spread_back(theta).items():
            home = self.homes[columns]
            tables[home] += self.expand(table, columns, self.tree.cliques[home])
        return np.concatenate([table.ravel() for table in tables])

    def expand(self, table: CellTable, columns: ColumnSet, clique: ColumnSet) -> CellTable:
        """Return the table of some columns with an axis for each column of a clique."""
        return _expand(table, columns, clique, self.tree.domain)

    def answer(self, tables: Sequence[CellTable]) -> Floats:
        """Return the answers of all questions from cliques' tables."""
        return self.questions.answer(self.project(tables))

    def project(self, tables: Sequence[CellTable]) -> dict[ColumnSet, CellTable]:
        """Return the tables of all measured column sets from cliques' tables."""
        return {each: _add_up(tables[home], self.tree.cliques[home], each) for each, home in self.homes.items()}

    def tilt(self, exponents: Floats) -> TiltedTree:
        """Return the distribution proportional to exp(exponents)."""
        beliefs = self.split(exponents)
        tree = self.tree
        for place in reversed(range(1, len(beliefs))):
            message = _add_exponentials(beliefs[place], tree.cliques[place], tree.separators[place])
            parent = tree.parents[place]
            beliefs[parent] = beliefs[parent] + self.expand(message, tree.separators[place], tree.cliques[parent])
        log_z = float(_add_exponentials(beliefs[0], tree.cliques[0], ()))
        marginals = [np.exp(beliefs[0] - log_z)]
        for place in range(1, len(beliefs)):
            clique, separator, parent = tree.cliques[place], tree.separators[place], tree.parents[place]
            own = self.expand(_add_exponentials(beliefs[place], clique, separator), separator, clique)
            shared = self.expand(_add_up(marginals[parent], tree.cliques[parent], separator), separator, clique)
            marginals.append(np.exp(beliefs[place] - own) * shared)
        return TiltedTree(self, marginals, log_z - sum(map(math.log, tree.domain.sizes)))


class TiltedTree:
    """A distribution as a junction tree, with means and covariances of the questions."""

    def __init__(self, form: TreeForm, marginals: list[CellTable], log_z: float) -> None:
        self._form = form
        self.marginals = marginals
        self.log_z = log_z
        self.means = form.answer(marginals)

    def multiply(self, values: Floats) -> Floats:
        """Return Cov_p(Q) times values: the change of the means when the exponents change by Q^T values.

        Let f be the whole change of the exponents. What lies below a separator sends E[f | separator] up; what lies
        above sends its own down. A clique then holds E[f | clique], and its table changes by p (E[f | clique] - E[f]).
        """
        form, tree = self._form, self._form.tree
        held = form.split(form.spread(values))
        sent: list[CellTable] = [np.zeros(())] * len(held)
        for place in reversed(range(1, len(held))):
            parent = tree.parents[place]
            sent[place] = self._expect(place, held[place])
            held[parent] = held[parent] + form.expand(sent[place], tree.separators[place], tree.cliques[parent])
        mean = float((held[0] * self.marginals[0]).sum())
        for place in range(1, len(held)):
            separator, parent = tree.separators[place], tree.parents[place]
            weight = _add_up(self.marginals[parent], tree.cliques[parent], separator)
            above = _add_up(self.marginals[parent] * held[parent], tree.cliques[parent], separator)
            above = np.divide(above, weight, out=np.zeros_like(above), where=weight > 0) - sent[place]
            held[place] = held[place] + form.expand(above, separator, tree.cliques[place])
        return form.answer([table * (each - mean) for table, each in zip(self.marginals, held, strict=True)])

    def _expect(self, place: int, table: CellTable) -> CellTable:
        """Return the expectation of a clique's table given its separator."""
        tree = self._form.tree
        clique, separator = tree.cliques[place], tree.separators[place]
        weight = _add_up(self.marginals[place], clique, separator)
        found = _add_up(self.marginals[place] * table, clique, separator)
        return np.divide(found, weight, out=np.zeros_like(found), where=weight > 0)

    def find_variances(self) -> Floats:
        """Return the variance of each question, or something near it."""
        form = self._form
        tables = {
            each: _add_up(self.marginals[home], form.tree.cliques[home], each) for each, home in form.homes.items()
        }
        return form.questions.answer_squares(tables) - self.means**2

    def find_covariance(self) -> Floats:
        """Return Cov_p(Q), a product for each question."""
        return np.stack([self.multiply(line) for line in np.eye(len(self.means))])


def _add_up(table: CellTable, columns: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return the table of some of its columns."""
    return np.asarray(table.sum(axis=tuple(axis for axis, name in enumerate(columns) if name not in kept)))


def _multiply(table: CellTable, columns: ColumnSet, part: CellTable, names: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return the product of two tables over the columns that are kept, all others added up on the way."""
    label = {name: place for place, name in enumerate(sorted({*columns, *names}))}
    one, other, out = ([label[name] for name in each] for each in (columns, names, kept))
    return np.asarray(np.einsum(table, one, part, other, out, optimize=True))


def _add_exponentials(table: CellTable, columns: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return log of the sum of exponentials over all columns but some."""
    axes = tuple(axis for axis, name in enumerate(columns) if name not in kept)
    top = table.max(axis=axes, keepdims=True)
    return np.asarray(np.log(np.exp(table - top).sum(axis=axes)) + top.squeeze(axis=axes))


def _expand(table: CellTable, columns: ColumnSet, clique: ColumnSet, domain: Domain) -> CellTable:
    """Return a table with an axis of length 1 for each column of the clique that it has not."""
    return table.reshape(tuple(domain.sizes[name] if name in columns else 1 for name in clique))


def _align(table: CellTable, columns: ColumnSet, wanted: ColumnSet) -> CellTable:
    """Return a table with its axes in another order of the same columns."""
    return np.transpose(table, [columns.index(name) for name in wanted])
