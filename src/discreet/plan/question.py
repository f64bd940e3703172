"""The plan: what an analyst asked, as relational algebra, before privacy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Expression, Reference, Slot, refer
from discreet.plan.relations import Block, list_expressions
from discreet.plan.scales import find_scale
from discreet.plan.windows import RELEASED, JoinedTable, Order, Stage


class AggregateKind(StrEnum):
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
    LEAST = "minimum"
    GREATEST = "maximum"
    DISTINCT = "count distinct"
    SUM_DISTINCT = "sum of distinct values"
    MEAN_DISTINCT = "mean of distinct values"
    COVARIANCE_POP = "population covariance"
    COVARIANCE = "covariance"
    CORRELATION = "correlation"
    CLAMPED = "count clamped"
    """Rows whose value lies outside the declared bounds."""


COUNTS = (AggregateKind.ROWS, AggregateKind.VALUES, AggregateKind.UNITS, AggregateKind.DISTINCT, AggregateKind.CLAMPED)
SUMS = (AggregateKind.SUM, AggregateKind.SUM_DISTINCT)
MEANS = (AggregateKind.MEAN, AggregateKind.MEAN_DISTINCT)
SPREADS = (AggregateKind.VARIANCE_POP, AggregateKind.VARIANCE, AggregateKind.DEVIATION_POP, AggregateKind.DEVIATION)
PAIRED = (AggregateKind.COVARIANCE_POP, AggregateKind.COVARIANCE, AggregateKind.CORRELATION)
RANKED = (AggregateKind.QUANTILE, AggregateKind.LEAST, AggregateKind.GREATEST)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate; `share` is the fraction of a quantile, and `other` the second argument of a correlation."""

    kind: AggregateKind
    argument: Expression | None = None
    share: Fraction | None = None
    other: Expression | None = None

    @property
    def type(self) -> Type:
        """Counts are whole numbers, sums what they add up, and everything else a float."""
        if self.kind in COUNTS:
            return Type.INTEGER
        if self.kind in SUMS and self.argument is not None:
            return Type.INTEGER if self.argument.type is Type.INTEGER else Type.FLOAT
        return Type.FLOAT


def refer_to_key(index: int, type_: Type) -> Reference:
    """Return the reference to a released key."""
    return refer(RELEASED, Slot.KEY, index, type_)


def find_shown_type(key: Expression) -> Type:
    """Return the type in which a key is shown: whole decimals as whole numbers, and others as floats."""
    if key.type is not Type.DECIMAL:
        return key.type
    return Type.FLOAT if find_scale(key) else Type.INTEGER


def refer_to_set() -> Reference:
    """Return the reference to which of the sets of keys a released row is of: public, like keys."""
    return refer(RELEASED, Slot.SET, 0, Type.INTEGER)


def refer_to_value(index: int, aggregate: Aggregate) -> Reference:
    """Return the reference to a released aggregate."""
    return refer(RELEASED, Slot.AGGREGATE, index, aggregate.type)


@dataclass(frozen=True, slots=True)
class Finish:
    """What is done to the released table: no data is read here, so nothing of it costs anything.

    First the stages, each over what the one before left; then the last SELECT.
    """

    outputs: tuple[tuple[str, Expression], ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    stages: tuple[Stage, ...] = ()
    tables: tuple[JoinedTable, ...] = ()
    """What released rows are joined to."""

    @property
    def selects(self) -> bool:
        """Say whether rows are chosen or ordered, or computed with across rows."""
        return self.cuts or bool(self.order or self.stages)

    @property
    def cuts(self) -> bool:
        """Say whether the last SELECT leaves rows out."""
        return self.having is not None or self.limit is not None or self.offset > 0

    @property
    def grouped(self) -> bool:
        """Say whether rows of the answer stand for several released ones."""
        return any(stage.grouped for stage in self.stages)


@dataclass(frozen=True, slots=True)
class Pick:
    """Keys that are chosen by the one aggregate, where nothing but keys is shown: so many, the best first.

    `each`: the last key is chosen for every combination of the others, as by MODE beside keys. `ordered`: it stands for
    the question's ORDER BY and LIMIT, and where keys are data these are done to released values instead.
    """

    count: int = 1
    largest: bool = True
    each: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """Rows of private tables, grouped by keys and aggregated: once for every set of keys."""

    block: Block
    keys: tuple[Expression, ...]
    aggregates: tuple[Aggregate, ...]
    finish: Finish
    sets: tuple[tuple[int, ...], ...]
    """Which keys are grouped by, by place: one set of all keys but for GROUPING SETS, ROLLUP and CUBE."""
    remarks: tuple[str, ...] = ()
    """What is said about the answer because of how it was asked."""
    pick: Pick | None = None
    beside: tuple[Question, ...] = ()
    """Other answers of the statement, whose values stand in the finish: each reads those before it at most."""

    def expressions(self) -> Iterator[Expression]:
        """Yield every expression that is computed from rows."""
        yield from list_expressions(self.block)
        yield from self.keys
        for aggregate in self.aggregates:
            yield from (each for each in (aggregate.argument, aggregate.other) if each is not None)
