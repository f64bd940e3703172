"""Conjunctions: how many rows have given values in a few columns. Points are all of them for the same columns."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import CellSource, CellTable, ColumnSet, Domain
from discreet.families.family import COUNT, Family, RowBound, Vector, project_sets
from discreet.families.whole import hold

Terms = tuple[tuple[int, int], ...]
"""Pairs of a column's place and one of its values, by ascending column. Of no pairs: all rows."""


@dataclass(frozen=True, slots=True)
class Conjunctions(Family):
    """Counts of the rows that have all values of some terms: each conjunction is a group of one answer."""

    domain: Domain
    conjunctions: tuple[Terms, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.conjunctions, tuple) or not self.conjunctions:
            raise ParameterError("conjunctions", self.conjunctions, "a tuple of conjunctions, at least one")
        for terms in self.conjunctions:
            _check_terms(self.domain, terms)
        if len(set(self.conjunctions)) < len(self.conjunctions):
            raise ParameterError("conjunctions", self.conjunctions, "different conjunctions")

    @classmethod
    def points(cls, domain: Domain, columns: ColumnSet) -> Conjunctions:
        """Return a conjunction for each cell of these columns, with the last column fastest."""
        domain.check_size(columns)
        cells = product(*(range(size) for size in domain.find_shape(columns)))
        return cls(domain, tuple(tuple(zip(columns, cell, strict=True)) for cell in cells))

    @property
    def groups(self) -> int:
        """How many conjunctions there are."""
        return len(self.conjunctions)

    def find_columns(self, group: int) -> ColumnSet:
        """Return the columns of a conjunction's terms."""
        return tuple(place for place, _ in self.conjunctions[self.check_group(group)])

    def count_answers(self, group: int) -> int:
        """Return 1."""
        self.check_group(group)
        return 1

    def answer(self, group: int, table: CellTable) -> Vector:
        """Return how many rows have all the values."""
        return np.array(self.hold_table(group, table)[self._find_cell(group)]).reshape(1)

    def spread_back(self, group: int, values: Vector) -> CellTable:
        """Return the conjunction's number in its cell, and 0 in all others."""
        held = self.hold_values(group, values)
        table = np.zeros(self.domain.find_shape(self.find_columns(group)), dtype=held.dtype)
        table[self._find_cell(group)] = held[0]
        return table

    def bound_row(self, group: int) -> RowBound:
        """Return the bound of a count."""
        self.check_group(group)
        return COUNT

    def describe(self) -> Json:
        """Return the form: sizes, and the terms of each conjunction."""
        listed = [[list(term) for term in terms] for terms in self.conjunctions]
        return {"conjunctions": {"sizes": list(self.domain.sizes), "terms": listed}}

    def answer_all(self, source: CellSource) -> list[Vector]:
        """Return the answers of all conjunctions, each table looked at once."""
        return list(self.join_answers(source).reshape(-1, 1))

    def join_answers(self, source: CellSource) -> Vector:
        """Return the answers of all conjunctions in one array."""
        places: dict[ColumnSet, list[int]] = defaultdict(list)
        for group, terms in enumerate(self.conjunctions):
            places[tuple(place for place, _ in terms)].append(group)
        found = []
        for columns, table in project_sets(source, places).items():
            cells = np.array([self._find_cell(group) for group in places[columns]], dtype=np.int64)
            found.append((places[columns], hold(table)[tuple(cells.T)].reshape(-1)))
        joined = np.concatenate([answers for _, answers in found])
        answers = np.empty_like(joined)
        answers[[group for groups, _ in found for group in groups]] = joined
        return answers

    def _find_cell(self, group: int) -> tuple[int, ...]:
        return tuple(value for _, value in self.conjunctions[self.check_group(group)])


def _check_terms(domain: Domain, terms: Terms) -> None:
    """Refuse terms of unknown columns or values, and columns that are not in order."""
    wanted = "a tuple of pairs (column, value), by ascending column"
    if not isinstance(terms, tuple) or not all(isinstance(term, tuple) and len(term) == 2 for term in terms):
        raise ParameterError("terms", terms, wanted)
    domain.check_size(tuple(place for place, _ in terms))
    for place, value in terms:
        if type(value) is not int or not 0 <= value < domain.sizes[place]:
            raise ParameterError(
                "value", value, f"a whole number from 0 to {domain.sizes[place] - 1} in column {place}"
            )
