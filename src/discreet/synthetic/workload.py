"""Workloads: which questions a synthetic table should answer well, said before its columns have places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import Domain
from discreet.families.explicit import TableFamily, WrittenGroup
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.query.placed_columns import Condition, ListedColumn, PlacedColumn, write_value
from discreet.query.placing import choose_places

MOST_CELLS = 1 << 26
"""Cells of all marginals of a workload together: as many as are compared with the truth in a round."""

MOST_WRITTEN = 1 << 24
"""Numbers of all questions of a workload that are written out cell by cell."""


class Workload(ABC):
    """Questions about the columns of a table."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that it is about, where these are the only ones; None for all."""
        return None

    @abstractmethod
    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return the questions as a family over the places of these columns."""

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the workload."""


@dataclass(frozen=True, slots=True)
class MarginalWorkload(Workload):
    """How many rows there are for every combination of values of any `order` columns."""

    order: int

    def __post_init__(self) -> None:
        check.integer("order", self.order, least=1)

    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return all marginals of so many columns, or the whole table where it has fewer."""
        domain = find_domain(columns)
        found = Marginals.of_order(domain, min(self.order, len(columns)))
        cells = sum(found.count_answers(group) for group in range(found.groups))
        if cells > MOST_CELLS:
            raise ParameterError(
                "marginals",
                self.order,
                f"smaller, or give fewer columns or wider bins: {found.groups:,} marginals have {cells:,} cells, "
                f"more than {MOST_CELLS:,}",
            )
        return found

    def describe(self) -> Json:
        """Return the form of the workload."""
        return {"marginals": self.order}


@dataclass(frozen=True, slots=True)
class RangeWorkload(Workload):
    """How many rows lie between any two values of one ordered column, or in any box of two."""

    ranged: tuple[str, ...]

    def __init__(self, *columns: str) -> None:
        if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
            raise ParameterError("ranges", columns, "one or two different columns")
        object.__setattr__(self, "ranged", tuple(columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the ranges."""
        return self.ranged

    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return the boxes that begin at the first value: all others are differences of these."""
        names = [column.name for column in columns]
        for name in self.columns:
            if name not in names:
                raise ParameterError("ranges", name, f"columns of the table: {', '.join(names)}")
            if isinstance(columns[names.index(name)], ListedColumn | Condition):
                raise ParameterError("ranges", name, "numbers or dates: a list of values has no order")
        return Ranges.prefixes(find_domain(columns), tuple(sorted(names.index(name) for name in self.columns)))

    def describe(self) -> Json:
        """Return the form of the workload."""
        return {"ranges": list(self.columns)}


@dataclass(frozen=True, slots=True)
class ParityWorkload(Workload):
    """Parities of at most `order` columns that are conditions: how often an even number of them holds."""

    order: int

    def __post_init__(self) -> None:
        check.integer("order", self.order, least=1)

    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return all parities of at most so many columns."""
        other = [column.name for column in columns if column.size != 2]
        if other:
            raise ParameterError("parities", other[0], "conditions only: give columns as Condition(name, sql)")
        return Parities.up_to(find_domain(columns), min(self.order, len(columns)))

    def describe(self) -> Json:
        """Return the form of the workload."""
        return {"parities": self.order}


@dataclass(frozen=True, slots=True, eq=False)
class QuestionWorkload(Workload):
    """Questions of one's own: how many rows have some values, each as `SyntheticModel.estimate` takes it.

    A question names for each of its columns a value, a list of values, or (of bins) a pair of edges. Conditions in SQL
    are columns too: `Questions({"old and ill": True})` with `columns=[Condition("old and ill", "...")]`.
    """

    questions: tuple[Mapping[str, Any], ...]

    def __init__(self, *questions: Mapping[str, Any]) -> None:
        wanted = 'such as {"ward": "A", "sex": ["f", "d"]}, at least one'
        if not questions or not all(isinstance(each, Mapping) and each for each in questions):
            raise ParameterError("questions", questions, wanted)
        settled = ({name: _settle(wanted) for name, wanted in each.items()} for each in questions)
        object.__setattr__(self, "questions", tuple(settled))

    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return a group for each question: a 1 in each cell that it counts, and 0 in all others."""
        domain = find_domain(columns)
        places = [_place_question(columns, each) for each in self.questions]
        cells = sum(domain.check_size(tuple(each)) for each in places)
        if cells > MOST_WRITTEN:
            allowed = f"fewer, of fewer columns or wider bins: they look at {cells:,} cells, more than {MOST_WRITTEN:,}"
            raise ParameterError("questions", len(places), allowed)
        return TableFamily(domain, tuple(_write_question(domain, each) for each in places))

    def describe(self) -> Json:
        """Return the form of the workload."""
        return {"questions": [_describe_question(each) for each in self.questions]}


def _settle(wanted: Any) -> Any:
    """Return what is wanted of a column as a value, a list of values or a pair, read once."""
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        return _to_plain(wanted)
    listed = [_to_plain(each) for each in wanted]
    return tuple(listed) if isinstance(wanted, tuple) else listed


def _to_plain(value: Any) -> Any:
    """Return a number of numpy's as Python's own."""
    return value.item() if isinstance(value, np.generic) else value


def _place_question(columns: Sequence[PlacedColumn], question: Mapping[str, Any]) -> dict[int, list[int]]:
    """Return the places that a question counts, by the number of their column."""
    numbers = {column.name: number for number, column in enumerate(columns)}
    found: dict[int, list[int]] = {}
    for name, wanted in question.items():
        if name not in numbers:
            raise ParameterError("questions", name, f"columns of the table: {', '.join(numbers)}")
        found[numbers[name]] = choose_places(columns[numbers[name]], wanted)
        if not found[numbers[name]]:
            raise ParameterError("questions", wanted, f"values of {name} that a row can have")
    return dict(sorted(found.items()))


def _write_question(domain: Domain, places: Mapping[int, list[int]]) -> WrittenGroup:
    """Return a question as numbers: the product of what it wants of each column."""
    lines = []
    for column, wanted in places.items():
        line = np.zeros(domain.sizes[column], dtype=np.int64)
        line[wanted] = 1
        lines.append(line)
    return WrittenGroup(tuple(places), reduce(np.multiply.outer, lines).reshape(1, -1))


def _describe_question(question: Mapping[str, Any]) -> Json:
    described: dict[str, Json] = {}
    for name, wanted in sorted(question.items()):
        listed: Json = (
            [_describe_value(each) for each in wanted] if isinstance(wanted, list | tuple) else _describe_value(wanted)
        )
        described[name] = {"between": listed} if isinstance(wanted, tuple) else listed
    return described


def _describe_value(value: Any) -> Json:
    return value if value is None or isinstance(value, bool | int | str) else write_value(value)


def find_domain(columns: Sequence[PlacedColumn]) -> Domain:
    """Return how many places each column has."""
    return Domain(tuple(column.size for column in columns))
