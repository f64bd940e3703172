"""The questions that were measured, side by side: their answers in one array, and their tables by column set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.families.family import Vector
from discreet.synthetic.fit.contrasts import rewrite_marginals
from discreet.synthetic.fit.objective import Measured, Objective, write_objective

ThetaKey = ColumnSet | int
"""What a group of questions is known by in later fits: a contrast's columns, or another measurement's place."""

MOST_LISTED = 1 << 20
"""Entries of one group's questions by the cells of its columns, where they are written out."""


class Group(Protocol):
    """Questions about the same columns, with their measured answers and one variance."""

    @property
    def key(self) -> ThetaKey: ...  # noqa: D102
    @property
    def columns(self) -> ColumnSet: ...  # noqa: D102
    @property
    def answers(self) -> Vector: ...  # noqa: D102
    @property
    def variance(self) -> float: ...  # noqa: D102

    def answer(self, table: CellTable) -> Vector:
        """Return the answers from the table of the columns."""

    def spread_back(self, values: Floats) -> CellTable:
        """Return the transpose."""

    def answer_squares(self, table: CellTable) -> Floats:
        """Return what the squares of the questions would be answered, or something near it."""

    def list_rows(self) -> Vector:
        """Return the questions by the cells of the columns, written out."""


@dataclass(frozen=True, slots=True, eq=False)
class FamilyGroup:
    """A group of a family, as it was measured."""

    key: int
    columns: ColumnSet
    measured: Measured

    @property
    def answers(self) -> Vector:
        """What was measured."""
        return self.measured.answers

    @property
    def variance(self) -> float:
        """The variance of each answer's noise."""
        return self.measured.variance

    def answer(self, table: CellTable) -> Vector:
        """Return the answers from the table of the columns."""
        return self.measured.family.answer(self.measured.group, table)

    def spread_back(self, values: Floats) -> CellTable:
        """Return the transpose."""
        return self.measured.family.spread_back(self.measured.group, values)

    def list_rows(self) -> Vector:
        """Return the questions by the cells of the columns, written out."""
        return self.measured.family.list_rows(self.measured.group)

    def answer_squares(self, table: CellTable) -> Floats:
        """Return what the squares of the questions would be answered, or something near it.

        A row that counts in one answer at most, once, has questions equal to their squares; small groups are written
        out; of others each question is taken for as long as its group's longest row is on average.
        """
        bound, count = self.measured.family.bound_row(self.measured.group), len(self.measured.answers)
        if bound.l1 == 1 and not bound.signed:
            return self.answer(table)
        if count * table.size <= MOST_LISTED:
            return np.asarray(self.list_rows().astype(np.float64) ** 2 @ table.ravel())
        if bound.signed:
            return np.full(count, max(1.0, bound.l2_squared / count))
        return np.asarray(self.answer(table) * (bound.l2_squared / max(bound.l1, 1)))


@dataclass(frozen=True, slots=True, eq=False)
class MarginalGroup:
    """A whole marginal, however often it was measured: answers weighed by their inverse variances are worth as much."""

    key: int
    columns: ColumnSet
    shape: tuple[int, ...]
    answers: Vector
    variance: float

    def answer(self, table: CellTable) -> Vector:
        """Return the cells."""
        return table.ravel()

    def spread_back(self, values: Floats) -> CellTable:
        """Return each cell's own number."""
        return values.reshape(self.shape)

    def answer_squares(self, table: CellTable) -> Floats:
        """Return the cells: every question is its own square."""
        return table.ravel()

    def list_rows(self) -> Vector:
        """Return a line for each cell."""
        return np.eye(len(self.answers), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Questions:
    """The questions of all groups, in their order."""

    domain: Domain
    groups: tuple[Group, ...]

    @cached_property
    def _ends(self) -> list[int]:
        return [0, *np.cumsum([len(each.answers) for each in self.groups], dtype=np.int64).tolist()]

    @property
    def answers(self) -> int:
        """How many answers there are in all."""
        return self._ends[-1]

    @cached_property
    def column_sets(self) -> list[ColumnSet]:
        """The distinct column sets that are looked at."""
        return list(dict.fromkeys(each.columns for each in self.groups))

    def write_objective(self, total: float, kappa: float) -> Objective:
        """Return the objective of the groups' answers."""
        return write_objective(
            [each.answers for each in self.groups], [each.variance for each in self.groups], total, kappa
        )

    def split(self, values: Floats) -> dict[ThetaKey, Floats]:
        """Return values by group."""
        return {each.key: values[low:high] for each, (low, high) in zip(self.groups, pairwise(self._ends), strict=True)}

    def join(self, start: Mapping[ThetaKey, Floats]) -> Floats:
        """Return thetas in one array: those given, and 0 for other groups."""
        theta = np.zeros(self.answers)
        for key, part in self.split(theta).items():
            if key in start and start[key].shape != part.shape:
                raise ParameterError("start", start[key].shape, f"{len(part)} thetas for {key}")
            part[:] = start.get(key, 0.0)
        return theta

    def answer(self, tables: Mapping[ColumnSet, CellTable]) -> Floats:
        """Return all answers, from the tables of all column sets."""
        parts = [each.answer(tables[each.columns]) for each in self.groups]
        return np.concatenate(parts) if parts else np.zeros(0)

    def answer_squares(self, tables: Mapping[ColumnSet, CellTable]) -> Floats:
        """Return what the squares of all questions would be answered, or something near it."""
        parts = [each.answer_squares(tables[each.columns]) for each in self.groups]
        return np.concatenate(parts) if parts else np.zeros(0)

    def spread_back(self, values: Floats) -> dict[ColumnSet, CellTable]:
        """Return the transpose: for each column set the sum of values times questions."""
        tables: dict[ColumnSet, CellTable] = {}
        for each, part in zip(self.groups, self.split(values).values(), strict=True):
            table = each.spread_back(part)
            tables[each.columns] = tables[each.columns] + table if each.columns in tables else table
        return tables

    def write_matrix(self) -> Floats:
        """Return all questions by all cells, written out."""
        lines = []
        for each in self.groups:
            rows = each.list_rows().astype(np.float64)
            shape = tuple(size if place in each.columns else 1 for place, size in enumerate(self.domain.sizes))
            lines.append(np.broadcast_to(rows.reshape(-1, *shape), (len(rows), *self.domain.sizes)))
        if not lines:
            return np.zeros((0, self.domain.cells))
        return np.concatenate(lines).reshape(self.answers, self.domain.cells)


def write_questions(domain: Domain, measured: Sequence[Measured], places: Sequence[int]) -> Questions:
    """Return the questions of the measurements at these places: marginals as contrasts, all others as they are."""
    for each in measured:
        if each.family.domain != domain:
            raise ParameterError("measured", each.family.domain.sizes, f"families of {domain.sizes}")
    contrasts, others = rewrite_marginals(domain, measured, places)
    return Questions(domain, (*contrasts, *list_groups(domain, measured, others)))


def list_groups(domain: Domain, measured: Sequence[Measured], places: Sequence[int]) -> list[Group]:
    """Return the groups of measurements as they are, those of one marginal together."""
    groups: dict[int, Group] = {}
    first: dict[ColumnSet, int] = {}
    for place in places:
        each = measured[place]
        columns, answers = each.columns, each.answers
        if not each.is_marginal():
            groups[place] = FamilyGroup(place, columns, each)
            continue
        known = groups.get(first.setdefault(columns, place))
        variance = each.variance
        if isinstance(known, MarginalGroup):
            variance = 1 / (1 / known.variance + 1 / each.variance)
            weighed = known.answers / known.variance + np.asarray(answers, dtype=np.float64) / each.variance
            answers = weighed * variance
        key = first[columns]
        groups[key] = MarginalGroup(key, columns, domain.find_shape(columns), answers, variance)
    return list(groups.values())
