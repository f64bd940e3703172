"""The plan: what an analyst asked, as relational algebra, before privacy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a table, as a relation of that name in the question."""

    table: str
    relation: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """A public table that rows are joined to on equal columns, which are unique there: no row is multiplied.

    `keep` leaves rows without a partner in, with NULL (LEFT JOIN); otherwise they are dropped.
    """

    table: str
    relation: str
    on: tuple[tuple[Expression, str], ...]
    keep: bool


class Kind(StrEnum):
    """The aggregates."""

    ROWS = "count rows"
    VALUES = "count values"
    UNITS = "count units"
    SUM = "sum"
    MEAN = "mean"
    VARIANCE_POP = "population variance"
    VARIANCE = "variance"
    DEVIATION_POP = "population deviation"
    DEVIATION = "deviation"
    QUANTILE = "quantile"
    CLAMPED = "count clamped"
    """Rows whose value lies outside the declared bounds."""


COUNTS = (Kind.ROWS, Kind.VALUES, Kind.UNITS, Kind.CLAMPED)
SPREADS = (Kind.VARIANCE_POP, Kind.VARIANCE, Kind.DEVIATION_POP, Kind.DEVIATION)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate; `argument` is a column or expression, and `share` the fraction of a quantile."""

    kind: Kind
    argument: Expression | None = None
    share: Fraction | None = None

    @property
    def type(self) -> Type:
        """Counts are whole numbers, sums what they add up, and everything else a float."""
        if self.kind in COUNTS:
            return Type.INTEGER
        if self.kind is Kind.SUM and self.argument is not None:
            return Type.INTEGER if self.argument.type is Type.INTEGER else Type.FLOAT
        return Type.FLOAT


RELEASED = "released"
"""The relation that holds what was released: columns k0, k1, ... of keys and a0, a1, ... of aggregates."""


def released_key(index: int, type_: Type) -> Column:
    """Return the column of a released key."""
    return Column(RELEASED, f"k{index}", type_)


def released_value(index: int, aggregate: Aggregate) -> Column:
    """Return the column of a released aggregate."""
    return Column(RELEASED, f"a{index}", aggregate.type)


@dataclass(frozen=True, slots=True)
class Order:
    """One term of ORDER BY, over released columns."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Finish:
    """What is done to the released table: no data is read here, so nothing of it costs anything."""

    outputs: tuple[tuple[str, Expression], ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None

    @property
    def selects(self) -> bool:
        """Say whether rows are chosen by their noisy values."""
        return self.having is not None or self.limit is not None or bool(self.order)


@dataclass(frozen=True, slots=True)
class Question:
    """Rows of one private table, looked up, filtered, grouped by columns and aggregated."""

    scan: Scan
    lookups: tuple[Lookup, ...]
    where: Expression | None
    keys: tuple[Column, ...]
    aggregates: tuple[Aggregate, ...]
    finish: Finish

    def expressions(self) -> Iterator[Expression]:
        """Yield every expression that is computed from rows."""
        if self.where is not None:
            yield self.where
        yield from self.keys
        for lookup in self.lookups:
            yield from (expression for expression, _ in lookup.on)
        yield from (aggregate.argument for aggregate in self.aggregates if aggregate.argument is not None)
