"""Workloads: which questions a synthetic table should answer well, said before its columns have places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.families.domain import Domain
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.synthetic.columns import PlacedColumn

MOST_CELLS = 1 << 26
"""Cells of all marginals of a workload together: as many as are compared with the truth in a round."""


class Workload(ABC):
    """Questions about the columns of a table."""

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

    columns: tuple[str, ...]

    def __init__(self, *columns: str) -> None:
        if not 1 <= len(columns) <= 2 or len(set(columns)) < len(columns):
            raise ParameterError("ranges", columns, "one or two different columns")
        object.__setattr__(self, "columns", tuple(columns))

    def build(self, columns: Sequence[PlacedColumn]) -> Family:
        """Return the boxes that begin at the first value: all others are differences of these."""
        names = [column.name for column in columns]
        for name in self.columns:
            if name not in names:
                raise ParameterError("ranges", name, f"columns of the table: {', '.join(names)}")
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


def find_domain(columns: Sequence[PlacedColumn]) -> Domain:
    """Return how many places each column has."""
    return Domain(tuple(column.size for column in columns))
