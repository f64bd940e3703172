"""Marginals rewritten as effects: what each set of columns tells beyond its subsets, so that nothing is said twice.

Let Z_T take, along each column of T, the mean away from a table of the columns T. A marginal of columns A is told by
its *effects*, one for every subset T of A: Z_T of its sums over the columns of A outside T. They are its analysis of
variance, and the contrasts of `contrasts` in other coordinates: orthogonal, so white noise of variance v stays white in
each of them, of variance v times the cells over which was summed. An effect of T is the same in every A that holds T,
so several measurements of it are worth one, with the inverse variances added. No question is left that another tells.

Conditioning. On a marginal A let E add its effects up to a table of A. The Hessian on the thetas of all effects of A is
E^T Cov_p E, nearly E^T diag(p_A) E, whose inverse is E^-1 diag(1 / p_A) E^-T: means of a table, taken effect by effect.
Cells of very different sizes are no obstacle, nor is what marginals have in common. These inverses, added up over the
largest marginals, each with its share of what they have in common, condition the Hessian of all (additive Schwarz;
Dryja, Widlund 1987).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.synthetic.fit.cells import MeasuredCells
from discreet.synthetic.fit.contrasts import list_subsets
from discreet.synthetic.fit.objective import Measured, Objective
from discreet.synthetic.fit.questions import Group, Questions, list_groups

MOST_COLUMNS = 5
"""Marginals of more columns stay as they are: they have 2^columns effects."""


TINY = 1e-300

MOST_MOVE = 50.0
"""How far a cell's exponent goes at most where a new marginal is met: the fit goes on from there."""


@dataclass(frozen=True, eq=False)
class Effect:
    """The effect of one set of columns, with its measured values, and one variance for all of them."""

    columns: ColumnSet
    shape: tuple[int, ...]
    answers: Floats
    variance: float

    @property
    def key(self) -> ColumnSet:
        """What this group is known by when a later fit starts from an earlier one."""
        return self.columns

    @cached_property
    def rank(self) -> float:
        """How many directions an effect has, as a part of its cells."""
        return prod(1 - 1 / size for size in self.shape)

    def answer(self, table: CellTable) -> Floats:
        """Return the effect of the table of these columns."""
        return take_means_away(table).ravel()

    def spread_back(self, values: Floats) -> CellTable:
        """Return the transpose: taking means away is its own."""
        return take_means_away(values.reshape(self.shape))

    def answer_squares(self, table: CellTable) -> Floats:
        """Return the cells, as if each were a question of its own: how far thetas may go is a matter of cells."""
        return table.ravel()

    def list_rows(self) -> Floats:
        """Return the questions by the cells of these columns, written out."""
        return np.stack([self.answer(line.reshape(self.shape)) for line in np.eye(prod(self.shape))])


def take_means_away(table: CellTable) -> CellTable:
    """Return a table less its means along every axis."""
    for axis, size in enumerate(table.shape):
        table = table - np.add.reduce(table, axis=axis, keepdims=True) / size
    return table


def write_effects(domain: Domain, measured: Sequence[Measured]) -> Questions:
    """Return the questions of measurements: marginals as effects, all others as they are."""
    sums: dict[ColumnSet, CellTable] = {}
    weights: dict[ColumnSet, float] = {}
    others = []
    for place, each in enumerate(measured):
        columns = each.columns
        if not 0 < len(columns) <= MOST_COLUMNS or not each.is_marginal():
            others.append(place)
            continue
        shape = domain.find_shape(columns)
        table = np.asarray(each.answers, dtype=np.float64).reshape(shape)
        for chosen in list_subsets(tuple(place for place in columns if domain.sizes[place] > 1)):
            part = sum_to(table, columns, chosen)
            variance = each.variance * (table.size / part.size)
            sums[chosen] = sums.get(chosen, 0.0) + take_means_away(part) / variance
            weights[chosen] = weights.get(chosen, 0.0) + 1 / variance
    effects = [
        Effect(chosen, sums[chosen].shape, sums[chosen].ravel() / weights[chosen], 1 / weights[chosen])
        for chosen in sorted(sums)
    ]
    return Questions(domain, (*effects, *list_groups(domain, measured, others)))


def sum_to(table: CellTable, columns: ColumnSet, kept: ColumnSet) -> CellTable:
    """Return the table of some of its columns."""
    if kept == columns:
        return table
    return np.asarray(np.add.reduce(table, axis=tuple(axis for axis, name in enumerate(columns) if name not in kept)))


def list_largest(sets: Sequence[ColumnSet]) -> list[ColumnSet]:
    """Return the sets that are part of no other."""
    found: list[ColumnSet] = []
    for columns in sorted(set(sets), key=lambda each: (-len(each), each)):
        if not any(set(columns) <= set(other) for other in found):
            found.append(columns)
    return found


class EffectScaling:
    """The conditioning of some questions: effects by marginal, all others each on its own."""

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        effects = {each.key: each for each in questions.groups if isinstance(each, Effect)}
        largest = list_largest([each.columns for each in effects.values()])
        self._parts: dict[ColumnSet, list[ColumnSet]] = {
            columns: [key for key in list_subsets(columns) if key in effects] for columns in largest
        }
        self._shapes = {key: each.shape for key, each in effects.items()}
        parts = [np.full(len(each.answers), isinstance(each, Effect)) for each in questions.groups]
        self.is_effect: NDArray[np.bool_] = np.concatenate(parts) if parts else np.zeros(0, dtype=bool)
        self._alone = [each for each in questions.groups if not isinstance(each, Effect)]

    def meet(self, objective: Objective, theta: Floats, columns: ColumnSet, table: CellTable) -> Floats:
        """Return thetas with which a marginal, now `table`, is about what was measured of it, given all others.

        The shares are solved for cell by cell (`cells`), with the slack of the cells for that of all effects.
        """
        if columns not in self._shapes:
            return theta
        keys = [key for key in list_subsets(columns) if key in self._shapes]
        shares, slack = self._questions.split(objective.shares), self._questions.split(objective.slack)
        wanted = np.full(table.shape, 1 / table.size)
        for key in keys:
            part = shares[key].reshape(self._shapes[key])
            wanted += expand(part / (table.size / part.size), key, columns)
        now = np.log(np.maximum(table, TINY))
        own = take_means_away(self._questions.split(theta)[columns].reshape(table.shape))
        found, _, _ = MeasuredCells(wanted, float(slack[columns][0])).tilt(now - own)
        moves = np.nan_to_num(np.log(np.maximum(found, TINY)) - now).clip(-MOST_MOVE, MOST_MOVE)
        met = theta.copy()
        parts = self._questions.split(met)
        for key in keys:
            means = sum_to(moves, columns, key) * (math.prod(self._shapes[key]) / table.size)
            parts[key] += take_means_away(means).ravel()
        return met

    def prepare(self, tables: Mapping[ColumnSet, CellTable], slack: Floats) -> dict[ColumnSet, CellTable]:
        """Return what each cell of the largest marginals is divided by: its share and its slack."""
        split = self._questions.split(slack)
        found = {}
        for columns, parts in self._parts.items():
            table = np.array(tables[columns], dtype=np.float64)
            for key in parts:
                slacks = split[key].reshape(self._shapes[key])
                table += expand(slacks / (table.size / slacks.size) ** 2, key, columns)
            found[columns] = table
        return found

    def apply(self, divisors: Mapping[ColumnSet, CellTable], alone: Floats, values: Floats) -> Floats:
        """Return values times something near the Hessian's inverse; `alone` scales questions that are no effects."""
        found = np.zeros_like(values)
        given, out = self._questions.split(values), self._questions.split(found)
        shared = {key: take_means_away(given[key].reshape(shape)) for key, shape in self._shapes.items()}
        for columns, parts in self._parts.items():
            table = np.zeros(self._shapes[columns])
            for key in parts:
                table += expand(shared[key] / (table.size / shared[key].size), key, columns)
            table /= divisors[columns]
            for key in parts:
                means = sum_to(table, columns, key) * (shared[key].size / table.size)
                out[key] += take_means_away(means).ravel()
        scales = self._questions.split(alone)
        for each in self._alone:
            out[each.key] += given[each.key] * scales[each.key]
        return found


def expand(table: CellTable, columns: ColumnSet, wanted: ColumnSet) -> CellTable:
    """Return a table with an axis of length 1 for each wanted column that it has not."""
    if columns == wanted:
        return table
    sizes = iter(table.shape)
    return table.reshape(tuple(next(sizes) if name in columns else 1 for name in wanted))


def find_ranks(groups: Sequence[Group]) -> Floats:
    """Return how many directions each answer stands for: 1, or less where answers are effects."""
    parts = [np.full(len(each.answers), each.rank if isinstance(each, Effect) else 1.0) for each in groups]
    return np.concatenate(parts) if parts else np.zeros(0)
