"""What conditions say about values: the terms that AND joins, the values that IN lists, and the ends of comparisons.

Only a term that every row fulfils says anything: one of WHERE that AND joins to all others. What stands under OR beside
other columns, in FILTER, or in ON of a LEFT JOIN is fulfilled by some rows only, and none of it comes here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Call, Constant, Expression, find_columns
from discreet.plan.scales import find_scale, has_places

Evaluated = Callable[[Expression], Constant]
"""The value of an expression without columns."""

FLIPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}
"""Comparisons, and what they are with their sides exchanged."""

WIDEST = 1 << 63
"""Whole numbers of columns are nearer to 0 than this."""


def split_terms(condition: Expression | None) -> Iterator[Expression]:
    """Yield the conditions that AND joins."""
    if isinstance(condition, Call) and condition.function == "and":
        for each in condition.arguments:
            yield from split_terms(each)
    elif condition is not None:
        yield condition


def replace_parts(expression: Expression, parts: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with every part that is among `parts` replaced, the largest first."""
    if expression in parts:
        return parts[expression]
    if isinstance(expression, Call):
        arguments = tuple(replace_parts(each, parts) for each in expression.arguments)
        return Call(expression.function, arguments, expression.type)
    return expression


def list_values(condition: Expression, target: Expression, value_of: Evaluated) -> tuple[Constant, ...] | None:
    """Return values of which `target` has one wherever the condition is true; None where it does not say.

    NULL is none of them. Values are in the type of `target`: a whole number is never 1.5, and a date beside a time is
    not said to be either. Floats are not listed at all: they are no keys, and several decimals may equal one float.
    """
    if not isinstance(condition, Call) or target.type is Type.FLOAT:
        return None
    name, arguments = condition.function, condition.arguments
    if name == "or":
        parts = [list_values(each, target, value_of) for each in arguments]
        return None if None in parts else tuple(dict.fromkeys(value for part in parts for value in part or ()))
    if name in ("and", "is_true"):
        found = (list_values(each, target, value_of) for each in arguments)
        return next((each for each in found if each is not None), None)
    if name == "eq" and arguments[1] == target:
        arguments = (arguments[1], arguments[0])
    if name not in ("eq", "in") or arguments[0] != target or any(any(find_columns(each)) for each in arguments[1:]):
        return None
    if target.type is Type.DECIMAL and any(each.type is Type.FLOAT for each in arguments):
        return None
    return _fit_all([value_of(each) for each in arguments[1:]], target)


def _fit_all(values: list[Constant], target: Expression) -> tuple[Constant, ...] | None:
    """Return the values in the type of the target, those left out that none of its values equals."""
    found: list[Constant] = []
    for value in values:
        if value is None:
            continue
        if target.type is Type.INTEGER and isinstance(value, int | Fraction) and not isinstance(value, bool):
            number = Fraction(value)
            if abs(number) >= WIDEST:
                return None
            found += [int(number)] if number.denominator == 1 else []
        elif target.type is Type.DECIMAL and isinstance(value, int | Fraction) and not isinstance(value, bool):
            found += [Fraction(value)] if has_places(Fraction(value), find_scale(target)) else []
        elif _is_of(value, target.type):
            found.append(value)
        else:
            return None
    return tuple(dict.fromkeys(found))


def _is_of(value: Constant, type_: Type) -> bool:
    if type_ is Type.TEXT:
        return isinstance(value, str)
    if type_ is Type.BOOLEAN:
        return isinstance(value, bool)
    if type_ is Type.DATE:
        return isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return type_ is Type.TIMESTAMP and isinstance(value, dt.datetime)


def list_ends(condition: Expression, target: Expression, value_of: Evaluated) -> Iterator[tuple[str, Constant]]:
    """Yield comparisons that the target fulfils wherever the condition is true: lt, le, gt, ge or eq, and with what."""
    for term in split_terms(condition):
        if not isinstance(term, Call) or term.function not in FLIPPED:
            continue
        (one, other), name = term.arguments, term.function
        if other == target:
            one, other, name = other, one, FLIPPED[name]
        if one == target and not any(find_columns(other)):
            yield name, value_of(other)
