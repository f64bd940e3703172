"""What is computed across released rows: window functions, and aggregates over an answer.

All of it reads released columns and nothing else. A column that is computed so knows what it is made from, and by what
the rows that it sees were chosen; so whoever shows it can say whether it is noisy, and whether it has an interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from discreet.base.types import Type
from discreet.plan.expressions import Column, Constant, Expression, find_columns, replace_columns

RELEASED = "released"
"""The relation that holds what was released: columns k0, k1, ... of keys, a0, a1, ... of aggregates, and w0_0, w0_1,
... of what its stages compute across rows. Values s0, s1, ... of other answers stand in place of constants."""

KEY = "key"
"""The function of a column that an answer is grouped by."""


@dataclass(frozen=True, slots=True)
class Order:
    """One term of ORDER BY, over released columns."""

    by: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Across:
    """A function over several released rows: those of a window, or of a group where `grouped`."""

    function: str
    """As DuckDB calls it, in small letters; `key` is the column of a group itself."""
    arguments: tuple[Expression, ...]
    type: Type
    partition: tuple[Expression, ...] = ()
    order: tuple[Order, ...] = ()
    frame: str = ""
    """SQL made from a closed list of words and from whole numbers."""
    where: Expression | None = None
    """Which rows count: FILTER."""
    distinct: bool = False
    grouped: bool = False
    chosen: tuple[Expression, ...] = ()
    """By what the rows that it sees were chosen before: conditions, and the order in which LIMIT cut."""

    def find_choices(self) -> Iterator[Expression]:
        """Yield what decides which rows it sees, and in which order."""
        yield from self.partition
        yield from (term.by for term in self.order)
        yield from self.chosen
        if self.where is not None:
            yield self.where


@dataclass(frozen=True, slots=True)
class Computed(Column):
    """A column that was computed across released rows."""

    made: Across


@dataclass(frozen=True, slots=True)
class Attached(Column):
    """The value of another answer of the same statement, in place of a constant: noisy, whatever is released beside."""

    part: int
    """Which answer, by its place in `Question.beside`."""


@dataclass(frozen=True, slots=True)
class Joined(Column):
    """A column of a table that released rows were joined to: of a public one, or of another answer."""

    table: int
    """Which of `Finish.tables`, by its place."""
    place: int
    noisy: bool
    """Whether it is an answer's: then its keys, too, decide by noise which rows have a partner."""


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """What released rows are joined to: the rows of a public table, or an answer by its place in `Question.beside`."""

    types: tuple[Type, ...]
    rows: tuple[tuple[Constant, ...], ...] = ()
    part: int | None = None


def name_joined(table: int, place: int, type_: Type, noisy: bool) -> Joined:
    """Return a column of a table that released rows are joined to.

    >>> name_joined(0, 2, Type.TEXT, noisy=False).name
    'j0_2'
    """
    return Joined(RELEASED, f"j{table}_{place}", type_, table, place, noisy)


@dataclass(frozen=True, slots=True)
class StageJoin:
    """Which table rows are joined to, on equal columns; `keep` leaves rows without a partner in."""

    table: int
    on: tuple[tuple[Expression, Joined], ...]
    keep: bool


def name_computed(stage: int, place: int, made: Across) -> Computed:
    """Return the column of what a stage computes at some place.

    >>> name_computed(0, 2, Across("rank", (), Type.INTEGER)).name
    'w0_2'
    """
    return Computed(RELEASED, f"w{stage}_{place}", made.type, made)


def find_released(expression: Expression) -> Iterator[Column]:
    """Yield every released column that an expression depends on, also through windows and through choices of rows."""
    for column in find_columns(expression):
        yield column
        if isinstance(column, Computed):
            for part in (*column.made.arguments, *column.made.find_choices()):
                yield from find_released(part)


def find_computed(expressions: Iterable[Expression]) -> tuple[Computed, ...]:
    """Return the columns that expressions read as they are and that were computed across rows, each once."""
    found = [column for each in expressions for column in find_columns(each)]
    return tuple(dict.fromkeys(each for each in found if isinstance(each, Computed)))


def note_choices(expression: Expression, names: set[str], chosen: tuple[Expression, ...]) -> Expression:
    """Return an expression whose computed columns of these names know by what their rows were chosen."""

    def change(column: Column) -> Expression:
        if not isinstance(column, Computed) or column.name not in names:
            return column
        return replace(column, made=replace(column.made, chosen=(*column.made.chosen, *chosen)))

    return replace_columns(expression, change)


@dataclass(frozen=True, slots=True)
class Stage:
    """One SELECT over released rows, inside of the last: some rows, columns beside them, and a cut.

    Rows that fulfil `having` are kept; then `columns` are computed beside what is there, or instead of it where the
    rows are grouped; then `order`, `limit` and `offset` cut.
    """

    having: Expression | None = None
    columns: tuple[Computed, ...] = ()
    grouped: bool = False
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    join: StageJoin | None = None
    """What rows are joined to, before anything else."""

    def find_choices(self) -> tuple[Expression, ...]:
        """Return by what rows are chosen here."""
        if self.join is not None:
            return tuple(each for pair in self.join.on for each in pair)
        cut = self.limit is not None or self.offset > 0
        kept = () if self.having is None else (self.having,)
        return (*kept, *(term.by for term in self.order if cut))
