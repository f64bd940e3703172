"""Expressions over one row: columns, constants and calls of allowed functions, every one with its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from fractions import Fraction

from discreet.base.types import Digits, Type

COLUMN_BITS = 63
"""Of whole numbers in a table's column."""

Constant = int | Fraction | str | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of one relation of the question; one of a table is named as in its source.

    Every column of decimals has its digits: no value in it has more. Whole numbers of tables have 63 bits, those of a
    column that the question made itself as many as it was made with: that follows from what is in it, and is no part of
    what the column is.
    """

    relation: str
    name: str
    type: Type
    digits: Digits | None = field(default=None, kw_only=True)
    bits: int = field(default=COLUMN_BITS, kw_only=True, compare=False)


class Slot(StrEnum):
    """What a column that the question made itself holds; the value is the first letter of its name in SQL."""

    OUTPUT = "c"
    KEY = "k"
    AGGREGATE = "a"
    SET = "s"


@dataclass(frozen=True, slots=True)
class Reference(Column):
    """A column that the question made itself: an output, a key or an aggregate of one relation, by its index.

    Of released rows also the number of the grouping that a row is of.
    """

    slot: Slot
    index: int


def refer(
    relation: str, slot: Slot, index: int, type_: Type, digits: Digits | None = None, *, bits: int = COLUMN_BITS
) -> Reference:
    """Return the reference to one column that the question made.

    >>> refer("t1", Slot.KEY, 0, Type.TEXT).name
    'k0'
    """
    return Reference(relation, f"{slot.value}{index}", type_, slot, index, digits=digits, bits=bits)


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant that the analyst wrote or bound to a parameter. The type of NULL is that of its surroundings."""

    value: Constant
    type: Type


@dataclass(frozen=True, slots=True)
class Call:
    """A function from `plan.functions` on its arguments."""

    function: str
    arguments: tuple[Expression, ...]
    type: Type


Expression = Column | Literal | Call

GivenRows = tuple[tuple[Column, ...], tuple[tuple[Constant, ...], ...]]
"""Columns, and the rows of constants that they have together."""


def find_columns(expression: Expression) -> Iterator[Column]:
    """Yield the columns that an expression reads, each as often as it does."""
    if isinstance(expression, Column):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from find_columns(argument)


def replace_columns(expression: Expression, change: Callable[[Column], Expression]) -> Expression:
    """Return the expression with every column changed."""
    if isinstance(expression, Column):
        return change(expression)
    if isinstance(expression, Call):
        arguments = tuple(replace_columns(argument, change) for argument in expression.arguments)
        return Call(expression.function, arguments, expression.type)
    return expression


def join_conditions(conditions: list[Expression]) -> Expression | None:
    """Return the conditions joined by AND, or nothing."""
    joined: Expression | None = None
    for condition in conditions:
        joined = condition if joined is None else Call("and", (joined, condition), Type.BOOLEAN)
    return joined
