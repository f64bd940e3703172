"""Distributions as junction trees: means and covariances of the measured questions in two passes along the tree.

Sums travel from the leaves to the root and back (Lauritzen, Spiegelhalter 1988), in logarithms. Covariances times a
direction are the derivative of the means: the same two passes, with conditional expectations in place of sums. In each
clique all tables that are asked for, those of separators too, are added up together (`families/passes.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet
from discreet.families.passes import project_all, spread_all
from discreet.synthetic.fit.effects import EffectScaling, expand, list_largest, sum_to
from discreet.synthetic.fit.junction import JunctionTree
from discreet.synthetic.fit.objective import Objective
from discreet.synthetic.fit.questions import Questions


class TreeForm:
    """Distributions as junction trees; exponents are the tables of all cliques, one after another."""

    few = False

    def __init__(self, tree: JunctionTree, questions: Questions) -> None:
        self.tree = tree
        self.questions = questions
        self.shapes = [tree.domain.find_shape(clique) for clique in tree.cliques]
        self.ends = np.cumsum([math.prod(shape) for shape in self.shapes])[:-1]
        self.scaling = EffectScaling(questions)
        self.children: list[list[int]] = [[] for _ in tree.cliques]
        for place, parent in enumerate(tree.parents[1:], start=1):
            self.children[parent].append(place)
        largest = list_largest(questions.column_sets)
        self._hosts = {
            columns: next(host for host in largest if set(columns) <= set(host)) for columns in questions.column_sets
        }
        self._housed: list[list[ColumnSet]] = [[] for _ in tree.cliques]
        for columns in largest:
            home = tree.find_clique(columns)
            assert home is not None
            self._housed[home].append(columns)

    def meet(self, objective: Objective, theta: Floats, columns: ColumnSet) -> Floats:
        """Return thetas with which one marginal has about what was measured of it, all others being as they were."""
        table = self.tilt(self.spread(theta)).tables.get(columns)
        return theta if table is None else self.scaling.meet(objective, theta, columns, table)

    def split(self, exponents: Floats) -> list[CellTable]:
        """Return exponents by clique."""
        parts = np.split(exponents, self.ends)
        return [part.reshape(shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def spread(self, theta: Floats) -> Floats:
        """Return the exponents Q^T theta, each measured set's in one clique."""
        return np.concatenate([table.ravel() for table in self.spread_tables(theta)])

    def spread_tables(self, theta: Floats) -> list[CellTable]:
        """Return the exponents by clique: what is part of a larger measured set is added to that first."""
        found: dict[ColumnSet, CellTable] = {
            host: np.zeros(self.tree.domain.find_shape(host)) for housed in self._housed for host in housed
        }
        for columns, table in self.questions.spread_back(theta).items():
            found[self._hosts[columns]] += expand(table, columns, self._hosts[columns])
        return [
            self.spread_over(place, {host: found[host] for host in housed}) for place, housed in enumerate(self._housed)
        ]

    def spread_over(self, place: int, tables: Mapping[ColumnSet, CellTable]) -> CellTable:
        """Return the sum of some tables over the cells of a clique."""
        clique = self.tree.cliques[place]
        return spread_all(self.shapes[place], {_locate(each, clique): table for each, table in tables.items()})

    def add_up(self, place: int, table: CellTable, housed: bool = True) -> dict[ColumnSet, CellTable]:
        """Return the tables of a clique's separators and, if wanted, of the measured sets that live there."""
        clique = self.tree.cliques[place]
        wanted = [self.tree.separators[child] for child in self.children[place]]
        wanted += self._housed[place] if housed else []
        if not wanted:
            return {}
        local = {each: _locate(each, clique) for each in wanted}
        found = project_all(self.shapes[place], table, local.values())
        return {each: found[at] for each, at in local.items()}

    def fill(self, tables: Mapping[ColumnSet, CellTable]) -> dict[ColumnSet, CellTable]:
        """Return the tables of all measured sets, from those of the largest."""
        return {columns: sum_to(tables[host], host, columns) for columns, host in self._hosts.items()}

    def join_messages(self, place: int, messages: Sequence[CellTable]) -> dict[ColumnSet, CellTable]:
        """Return what a clique's children sent it, by separator."""
        found: dict[ColumnSet, CellTable] = {}
        for child in self.children[place]:
            separator = self.tree.separators[child]
            found[separator] = found[separator] + messages[child] if separator in found else messages[child]
        return found

    def tilt(self, exponents: Floats) -> TiltedTree:
        """Return the distribution proportional to exp(exponents)."""
        tree, given = self.tree, self.split(exponents)
        messages: list[CellTable] = [np.zeros(())] * len(given)
        conditional: list[CellTable] = [np.zeros(())] * len(given)
        for place in reversed(range(len(given))):
            sent = self.join_messages(place, messages)
            table = given[place] + self.spread_over(place, sent) if sent else given[place]
            axes = tuple(axis for axis, name in enumerate(tree.cliques[place]) if name not in tree.separators[place])
            top = table.max(axis=axes, keepdims=True)
            table = table - top
            np.exp(table, out=table)
            mass = table.sum(axis=axes, keepdims=True)
            table /= mass
            conditional[place] = table
            messages[place] = np.asarray((np.log(mass) + top).squeeze(axis=axes))
        log_z = float(messages[0]) - sum(map(math.log, tree.domain.sizes))
        return TiltedTree(self, conditional, log_z)


class TiltedTree:
    """A distribution as a junction tree, with means and covariances of the questions."""

    def __init__(self, form: TreeForm, conditional: list[CellTable], log_z: float) -> None:
        self._form = form
        self._conditional = conditional
        """p(clique | separator), beside the separator."""
        self.log_z = log_z
        self.marginals: list[CellTable] = []
        self._shared: dict[int, CellTable] = {}
        tables: dict[ColumnSet, CellTable] = {}
        for place, table in enumerate(conditional):
            if place:
                separator, clique = form.tree.separators[place], form.tree.cliques[place]
                table = table * expand(self._shared[place], separator, clique)
            self.marginals.append(table)
            found = form.add_up(place, table)
            tables |= found
            for child in form.children[place]:
                self._shared[child] = found[form.tree.separators[child]]
        self.tables = form.fill(tables)
        self.means = form.questions.answer(self.tables)

    def multiply(self, values: Floats) -> Floats:
        """Return Cov_p(Q) times values: the change of the means when the exponents change by Q^T values.

        Let f be the whole change of the exponents. What lies below a separator sends E[f | separator] up; what lies
        above sends its own down. A clique then holds E[f | clique], and its table changes by p (E[f | clique] - E[f]).
        """
        form, tree = self._form, self._form.tree
        held = form.spread_tables(values)
        sent: list[CellTable] = [np.zeros(())] * len(held)
        for place in reversed(range(len(held))):
            messages = form.join_messages(place, sent)
            if messages:
                held[place] = held[place] + form.spread_over(place, messages)
            weighed = self._conditional[place] * held[place]
            sent[place] = sum_to(weighed, tree.cliques[place], tree.separators[place])
        tables: dict[ColumnSet, CellTable] = {}
        above: list[CellTable] = [np.zeros(())] * len(held)
        for place in range(len(held)):
            change = above[place] - sent[place]
            table = held[place]
            table += expand(change, tree.separators[place], tree.cliques[place])
            table *= self.marginals[place]
            found = form.add_up(place, table)
            tables |= found
            for child in form.children[place]:
                moved, shared = found[tree.separators[child]], self._shared[child]
                above[child] = np.divide(moved, shared, out=np.zeros_like(moved), where=shared > 0)
        return form.questions.answer(form.fill(tables))

    def find_variances(self) -> Floats:
        """Return the variance of each question, or something near it; of effects, the shares of their cells."""
        squares = self._form.questions.answer_squares(self.tables)
        return np.where(self._form.scaling.is_effect, squares, squares - self.means**2)

    def write_scaling(self, slack: Floats) -> Callable[[Floats], Floats]:
        """Return what is near to the inverse of Cov_p(Q) + slack."""
        scaling = self._form.scaling
        alone = 1 / (self.find_variances().clip(0) + slack)
        divisors = scaling.prepare(self.tables, slack)
        return lambda values: scaling.apply(divisors, alone, values)

    @cached_property
    def covariance(self) -> Floats:
        """Cov_p(Q), a product for each question."""
        return np.stack([self.multiply(line) for line in np.eye(len(self.means))])

    def find_covariance(self) -> Floats:
        """Return Cov_p(Q), a square array."""
        return self.covariance


def _locate(columns: ColumnSet, clique: ColumnSet) -> ColumnSet:
    """Return the places of columns in a clique."""
    return tuple(clique.index(name) for name in columns)
