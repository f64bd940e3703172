"""Expressions over one row: columns, constants and calls of allowed functions, every one with its type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from discreet.base.types import Type

Constant = int | Fraction | str | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of one relation of the question, named as in its source."""

    relation: str
    name: str
    type: Type


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


def columns_of(expression: Expression) -> Iterator[Column]:
    """Yield the columns that an expression reads, each as often as it does."""
    if isinstance(expression, Column):
        yield expression
    elif isinstance(expression, Call):
        for argument in expression.arguments:
            yield from columns_of(argument)


def replaced(expression: Expression, change: Callable[[Column], Expression]) -> Expression:
    """Return the expression with every column changed."""
    if isinstance(expression, Column):
        return change(expression)
    if isinstance(expression, Call):
        arguments = tuple(replaced(argument, change) for argument in expression.arguments)
        return Call(expression.function, arguments, expression.type)
    return expression


def all_of(conditions: list[Expression]) -> Expression | None:
    """Return the conditions joined by AND, or nothing."""
    joined: Expression | None = None
    for condition in conditions:
        joined = condition if joined is None else Call("and", (joined, condition), Type.BOOLEAN)
    return joined
