"""The private side of a question: rows that carry their unit, and what may be done to them.

Every operator maps each unit's rows to rows of that unit, independently of all other units. So whatever is built from
them, leaving one unit out takes that unit's rows away and changes no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Reference, Slot
from discreet.plan.grid import ClampedGrid


@dataclass(frozen=True, slots=True)
class Scan:
    """The rows of a private table, those without a unit dropped.

    `rows` is how many of them a unit keeps here, chosen by their content; None leaves that to the end of the plan.
    Before, for each key in `unique` one row of a unit is kept for each of its values, chosen by content too; rows where
    a column of the key is NULL all stay. `through` are the tables by which rows reach their units: a row is there once
    for each unit that it reaches. `content` are columns by which rows are chosen beside those that the question reads:
    questions that read none but these keep the same rows.
    """

    table: str
    relation: str
    rows: int | None = None
    unique: tuple[tuple[str, ...], ...] = ()
    through: tuple[str, ...] = ()
    content: tuple[Column, ...] = ()


class NumberKind(StrEnum):
    """How rows of one unit are numbered; the value is the function's name in SQL."""

    ROW = "row_number"
    """From 1 on, each once; rows that tie are told apart by their content."""
    RANK = "rank"
    DENSE = "dense_rank"


OrderTerm = tuple[Expression, bool, bool]
"""One term of an order: what it is by, whether the largest comes first, and whether NULL does."""


@dataclass(frozen=True, slots=True)
class RowNumber:
    """The number of a row among those of its unit that have the same `partition`, in this order."""

    kind: NumberKind
    partition: tuple[Expression, ...]
    order: tuple[OrderTerm, ...]

    @property
    def read(self) -> tuple[Expression, ...]:
        """What it is computed from."""
        return (*self.partition, *(by for by, _, _ in self.order))


@dataclass(frozen=True, slots=True)
class Nested:
    """The rows of a block under names of their own: columns c0, c1, ..., and a0, a1, ... of their numbers.

    Numbers depend on the rows of their unit alone, as a multiset: rows that tie are told apart by a hash of all that is
    read of them, and equal ones are in one order for all numbers, so that which comes first makes no difference.
    """

    relation: str
    block: Block
    outputs: tuple[Expression, ...]
    numbers: tuple[RowNumber, ...] = ()


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of several blocks one after another (UNION ALL): a unit has the rows that it has in each of them."""

    relation: str
    branches: tuple[tuple[Block, tuple[Expression, ...]], ...]
    types: tuple[Type, ...]


class InnerKind(StrEnum):
    """What is computed over one unit's rows."""

    ROWS = "count rows"
    VALUES = "count values"
    DISTINCT = "count distinct values"
    SUM = "sum"
    MEAN = "mean"
    LEAST = "min"
    GREATEST = "max"
    SUM_DISTINCT = "sum of distinct values"
    MEAN_DISTINCT = "mean of distinct values"


INNER_SUMS = (InnerKind.SUM, InnerKind.SUM_DISTINCT)
INNER_MEANS = (InnerKind.MEAN, InnerKind.MEAN_DISTINCT)
INNER_DISTINCT = (InnerKind.SUM_DISTINCT, InnerKind.MEAN_DISTINCT)
"""Those of grid points, each of which counts once."""


@dataclass(frozen=True, slots=True)
class InnerAggregate:
    """One aggregate over the rows of one unit, and of one group of it; sums and means are of points of a grid."""

    kind: InnerKind
    argument: Expression | None
    type: Type
    grid: ClampedGrid | None = None


@dataclass(frozen=True, slots=True)
class PerUnit:
    """One row for each unit, or for each unit and key, with columns k0, k1, ... of keys and a0, a1, ... of aggregates.

    Sums are of whole numbers, so that no order of rows changes them.
    """

    relation: str
    block: Block
    keys: tuple[Expression, ...]
    aggregates: tuple[InnerAggregate, ...]


Source = Scan | Nested | Union | PerUnit


@dataclass(frozen=True, slots=True)
class Lookup:
    """A public table that rows are joined to on equal columns; each has at most `fan_out` partners.

    `keep` leaves rows without a partner in, with NULL (LEFT JOIN); otherwise they are dropped.
    """

    table: str
    relation: str
    on: tuple[tuple[Expression, str], ...]
    keep: bool
    fan_out: int = 1


@dataclass(frozen=True, slots=True)
class Match:
    """Rows of another private relation, of the same unit and with these expressions equal.

    `plan.keys` says how many partners a row can have.
    """

    source: Source
    on: tuple[tuple[Expression, Expression], ...]
    keep: bool


@dataclass(frozen=True, slots=True)
class UnitCondition:
    """Keep rows of units that have some row in a block, or those that have none there (`anti`)."""

    block: Block
    anti: bool


Join = Lookup | Match | UnitCondition


@dataclass(frozen=True, slots=True)
class Block:
    """FROM, joins and WHERE: the rows of a source, joined and filtered."""

    source: Source
    joins: tuple[Join, ...] = ()
    where: Expression | None = None


def list_sources(block: Block) -> Iterator[Source | Lookup]:
    """Yield everything that a block's columns may come from, itself and inside."""
    yield from _inside(block.source)
    for join in block.joins:
        if isinstance(join, Lookup):
            yield join
        elif isinstance(join, Match):
            yield from _inside(join.source)
        else:
            yield from list_sources(join.block)


def _inside(source: Source) -> Iterator[Source | Lookup]:
    yield source
    if isinstance(source, Nested | PerUnit):
        yield from list_sources(source.block)
    elif isinstance(source, Union):
        for block, _ in source.branches:
            yield from list_sources(block)


def list_placed(block: Block) -> Iterator[tuple[str, Block]]:
    """Yield every relation of a block, itself and inside, with the block that it stands in."""
    sources: list[Source] = [block.source]
    for join in block.joins:
        if isinstance(join, Lookup):
            yield join.relation, block
        elif isinstance(join, Match):
            sources.append(join.source)
        else:
            yield from list_placed(join.block)
    for source in sources:
        yield source.relation, block
        if isinstance(source, Nested | PerUnit):
            yield from list_placed(source.block)
        elif isinstance(source, Union):
            for inner, _ in source.branches:
                yield from list_placed(inner)


def list_scans(block: Block) -> list[Scan]:
    """Return the scans of private tables, each as often as it stands there."""
    return [each for each in list_sources(block) if isinstance(each, Scan)]


def list_expressions(block: Block) -> Iterator[Expression]:
    """Yield every expression that is computed in a block, those inside its sources included."""
    yield from _computed(block.source)
    for join in block.joins:
        if isinstance(join, Lookup):
            yield from (mine for mine, _ in join.on)
        elif isinstance(join, Match):
            yield from (each for pair in join.on for each in pair)
            yield from _computed(join.source)
        else:
            yield from list_expressions(join.block)
    if block.where is not None:
        yield block.where


def _computed(source: Source) -> Iterator[Expression]:
    if isinstance(source, Nested):
        yield from source.outputs
        yield from (each for number in source.numbers for each in number.read)
        yield from list_expressions(source.block)
    elif isinstance(source, PerUnit):
        yield from source.keys
        yield from (each.argument for each in source.aggregates if each.argument is not None)
        yield from list_expressions(source.block)
    elif isinstance(source, Union):
        for block, outputs in source.branches:
            yield from outputs
            yield from list_expressions(block)


def find_held(source: Source | Lookup, reference: Reference) -> tuple[Expression, ...]:
    """Return the expressions whose values a reference holds: one for each side of a union, else one.

    There is none for an aggregate of one unit's rows, nor for a row's number, which are no expressions over a row.
    """
    if isinstance(source, Nested):
        if reference.slot is Slot.AGGREGATE:
            return ()
        return (source.outputs[reference.index],)
    if isinstance(source, Union):
        return tuple(outputs[reference.index] for _, outputs in source.branches)
    if isinstance(source, PerUnit) and reference.slot is Slot.KEY:
        return (source.keys[reference.index],)
    return ()


def is_plain(block: Block) -> bool:
    """Say whether a block has just the rows of one table, and looks things up at most."""
    return isinstance(block.source, Scan) and all(isinstance(join, Lookup) for join in block.joins)
