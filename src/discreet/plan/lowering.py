"""Decimals as whole numbers: what engines compute in the place of decimals, exactly and all of them alike.

A decimal with s digits behind the point is held as the whole number of its last places: 0.07 with two digits is 7. So
`price * 0.5 < 3` becomes `price * 5 < 3000` over whole numbers, where `price` is read as cents. Engines have their own
decimals, and round or refuse them by rules of their own; whole numbers of 126 bits they all have, and add alike.

A result of more digits than that has no value: it is NULL, where DuckDB would raise. Forms of + - * hold it where
`plan.functions.may_overflow` says so, and nothing else can be larger than its arguments. Constants are
held here: one that is too large beside a long decimal would make an engine fail, maybe for the rows of one unit only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from discreet.base.types import Digits, Type
from discreet.plan.expressions import COLUMN_BITS, Call, Column, Expression, Literal, Reference, Slot, refer
from discreet.plan.functions import MOST_BITS, count_bits
from discreet.plan.scales import find_scale, read_whole

COMPARED = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "distinct", "in"})
ALIGNED = frozenset({"add", "sub", "mod", "coalesce", "least", "greatest"})
CURVED = frozenset({"div", "pow", "atan2", "width_bucket"})

BEYOND = 1 << MOST_BITS
"""Farther from 0 than every whole number that engines compute here, and one that they all have."""

WIDEST = 38
"""Digits that stand for 126 bits: a column of a subquery may hold any whole number that is computed."""


def lower(expression: Expression) -> Expression:
    """Return the expression over whole numbers and floats alone; a decimal one counts its last places.

    >>> price = Column("t", "price", Type.DECIMAL, digits=(9, 2))
    >>> made = lower(Call("lt", (price, Literal(Fraction(1, 2), Type.DECIMAL)), Type.BOOLEAN))
    >>> made.arguments[1]
    Literal(value=50, type=<Type.INTEGER: 'integer'>)
    """
    if isinstance(expression, Column):
        if expression.type is not Type.DECIMAL:
            return expression
        assert expression.digits is not None
        return replace(expression, type=Type.INTEGER, digits=(expression.digits[0], 0))
    if isinstance(expression, Literal):
        return _scale_literal(expression, find_scale(expression)) if expression.type is Type.DECIMAL else expression
    types = {expression.type, *(argument.type for argument in expression.arguments)}
    if Type.DECIMAL not in types:
        return Call(expression.function, tuple(lower(each) for each in expression.arguments), expression.type)
    return _lower_call(expression)


def find_digits(expression: Expression) -> Digits | None:
    """Return the digits of a decimal expression, in all and behind the point; None for everything else."""
    if expression.type is not Type.DECIMAL:
        return None
    if isinstance(expression, Column):
        return expression.digits
    if isinstance(expression, Call) and expression.function == "as_decimal":
        return read_whole(expression.arguments[1]), read_whole(expression.arguments[2])
    bits, digits = count_bits(lower(expression)), 1
    while digits < WIDEST and 10**digits < 1 << bits:
        digits += 1
    return digits, find_scale(expression)


def refer_to(held: Expression, relation: str, slot: Slot, index: int) -> Reference:
    """Return the column that holds an expression, with its digits and bits."""
    return refer(relation, slot, index, held.type, find_digits(held), bits=count_bits(held) or COLUMN_BITS)


def to_float(expression: Expression) -> Expression:
    """Return a number as one that engines take for a float: the nearest one to a decimal."""
    if expression.type is not Type.DECIMAL:
        return lower(expression)
    if isinstance(expression, Literal):
        return Literal(expression.value, Type.FLOAT)
    return Call("as_float", (lower(expression), _whole(10 ** find_scale(expression))), Type.FLOAT)


def align(expression: Expression, scale: int, beyond: int | None = None) -> Expression:
    """Return a whole number or a decimal as so many of its last places, of which it has at most `scale`.

    A constant that is too large is NULL, or this number `beyond` all others.
    """
    if isinstance(expression, Literal):
        return _scale_literal(expression, scale, beyond)
    factor, value = 10 ** (scale - find_scale(expression)), _widen(lower(expression))
    return value if factor == 1 else Call("mul", (value, _whole(factor)), Type.INTEGER)


def _lower_call(made: Call) -> Expression:
    name, arguments = made.function, made.arguments
    if name in COMPARED or name == "nullif":
        return _compare(made)
    if name == "case":
        values = iter(_alike((*arguments[1:-1:2], arguments[-1]), made.type))
        listed = [next(values) if place % 2 else lower(each) for place, each in enumerate(arguments[:-1])]
        return Call(name, (*listed, next(values)), _whole_type(made.type))
    if name in ALIGNED:
        return Call(name, tuple(_alike(arguments, made.type)), _whole_type(made.type))
    if name == "mul" and made.type is Type.DECIMAL:
        return Call(name, tuple(_widen(lower(each)) for each in arguments), Type.INTEGER)
    if made.type is Type.FLOAT or name in CURVED:
        floats = [to_float(each) for each in arguments]
        return floats[0] if name == "as_float" else Call(name, tuple(floats), made.type)
    if name in CALLS:
        return CALLS[name](made)
    return Call(name, tuple(lower(each) for each in arguments), _whole_type(made.type))


def _compare(made: Call) -> Expression:
    """Whole numbers and decimals are compared exactly, whatever their digits; beside a float, as floats."""
    kinds = {argument.type for argument in made.arguments}
    beyond = BEYOND if made.function in COMPARED else None
    sides = _alike(made.arguments, Type.FLOAT if Type.FLOAT in kinds else Type.DECIMAL, beyond)
    kept = Call(made.function, tuple(sides), _whole_type(made.type))
    if made.function != "nullif" or made.type is Type.FLOAT:
        return kept
    more = max(find_scale(each) for each in made.arguments) - find_scale(made.arguments[0])
    return Call("int_div", (kept, _whole(10**more)), Type.INTEGER) if more else kept


def _alike(values: tuple[Expression, ...], wanted: Type, beyond: int | None = None) -> list[Expression]:
    """Return values as floats, or as whole numbers of one last place."""
    if wanted is Type.FLOAT:
        return [to_float(each) for each in values]
    scale = max(find_scale(each) for each in values)
    return [align(each, scale, beyond) for each in values]


def _step(made: Call) -> Expression:
    """FLOOR, CEIL and TRUNC of so many parts of a unit."""
    scale, value = find_scale(made.arguments[0]), lower(made.arguments[0])
    name = "int_div" if made.function == "trunc" else made.function
    return Call(name, (value, _whole(10**scale)), Type.INTEGER) if scale else value


def _round(made: Call) -> Expression:
    places = read_whole(made.arguments[1]) if len(made.arguments) > 1 else 0
    scale = find_scale(made.arguments[0])
    return _drop_digits(lower(made.arguments[0]), scale - places, scale - max(places, 0))


def _drop_digits(value: Expression, rounded: int, dropped: int) -> Expression:
    """Return a whole number with so many last digits rounded to zeros, halves away from zero, and some of them gone."""
    if rounded <= 0:
        return value
    if rounded >= WIDEST:  # no number is as large as half of that
        return Call("mul", (value, _whole(0)), Type.INTEGER)
    full = Call("round", (value, _whole(-rounded)), Type.INTEGER)
    return Call("int_div", (full, _whole(10**dropped)), Type.INTEGER) if dropped > 0 else full


def _cast(made: Call) -> Expression:
    """A number to a decimal: rounded, halves away from zero, and NULL where it has more digits than are wanted."""
    value, digits, scale = made.arguments[0], read_whole(made.arguments[1]), read_whole(made.arguments[2])
    if value.type is Type.TEXT:
        return _hold(lower(value), 10**digits - 1, 10**scale)
    if value.type is Type.FLOAT:
        scaled = Call("mul", (lower(value), Literal(Fraction(10**scale), Type.FLOAT)), Type.FLOAT)
        whole = Call("as_integer", (Call("round", (scaled,), Type.FLOAT),), Type.INTEGER)
        return _hold(whole, 10**digits - 1)
    if value.type is Type.BOOLEAN:
        value = Call("as_integer", (value,), Type.INTEGER)
    more = scale - find_scale(value)
    if more < 0:
        return _hold(_drop_digits(lower(value), -more, -more), 10**digits - 1)
    held = _hold(lower(value), (10**digits - 1) // 10**more)
    return Call("mul", (held, _whole(10**more)), Type.INTEGER) if more else held


def _hold(value: Expression, most: int, unit: int = 1) -> Expression:
    """Return a whole number, or what a text of a number has of one `unit`-th, NULL where it is beyond `most`."""
    return Call("as_decimal", (value, _whole(most), _whole(unit)), Type.INTEGER)


def _to_integer(made: Call) -> Expression:
    """Halves go away from zero, unlike those of floats."""
    scale = find_scale(made.arguments[0])
    return Call("as_integer", (_drop_digits(lower(made.arguments[0]), scale, scale),), Type.INTEGER)


def _to_boolean(made: Call) -> Expression:
    return Call("ne", (lower(made.arguments[0]), _whole(0)), Type.BOOLEAN)


CALLS: dict[str, Callable[[Call], Expression]] = {
    "floor": _step,
    "ceil": _step,
    "trunc": _step,
    "round": _round,
    "as_decimal": _cast,
    "as_integer": _to_integer,
    "as_boolean": _to_boolean,
}


def _widen(expression: Expression) -> Expression:
    """Return a whole number in which a subquery's columns count as wide as any: `plan.widths` holds them to that."""
    if isinstance(expression, Reference) and expression.type is Type.INTEGER and expression.digits is None:
        return replace(expression, digits=(WIDEST, 0))
    if isinstance(expression, Call) and expression.type is Type.INTEGER:
        return Call(expression.function, tuple(_widen(each) for each in expression.arguments), expression.type)
    return expression


def _scale_literal(literal: Literal, scale: int, beyond: int | None = None) -> Literal:
    if not isinstance(literal.value, int | Fraction):
        return Literal(None, Type.INTEGER)
    number = int(literal.value * 10**scale)
    if abs(number) < BEYOND:
        return _whole(number)
    return Literal(None, Type.INTEGER) if beyond is None else _whole(beyond if number > 0 else -beyond)


def _whole(value: int) -> Literal:
    return Literal(value, Type.INTEGER)


def _whole_type(type_: Type) -> Type:
    return Type.INTEGER if type_ is Type.DECIMAL else type_
