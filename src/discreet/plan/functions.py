"""The table of allowed functions: one row each, with its types, and how many bits its whole numbers take.

Types come from this table alone. Every function is total: an engine's form of it returns a value or NULL on whatever
the data holds, and never raises. Whole numbers are computed exactly; `bits_of` proves that they fit 126 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal

MOST_BITS = 126
"""Whole numbers are held in 128 bits with a sign; one bit is kept spare."""

COLUMN_BITS = 63

Types = tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A row of the table: the word that SQL has for it, and the result's type for given types, None where refused."""

    name: str
    word: str
    result: Callable[[Types], Type | None]
    bits: Callable[[list[int]], int] = max
    finish_only: bool = False


def _comparison(types: Types) -> Type | None:
    a, b = types
    alike = a is b or (a.numeric and b.numeric) or {a, b} == {Type.DATE, Type.TIMESTAMP}
    return Type.BOOLEAN if alike else None


def _arithmetic(types: Types) -> Type | None:
    if not all(each.numeric for each in types):
        return None
    return Type.INTEGER if all(each is Type.INTEGER for each in types) else Type.FLOAT


def _logic(types: Types) -> Type | None:
    return Type.BOOLEAN if all(each is Type.BOOLEAN for each in types) else None


def _same(types: Types) -> Type | None:
    if len(set(types)) == 1:
        return types[0]
    return Type.FLOAT if all(each.numeric for each in types) else None


def _case(types: Types) -> Type | None:
    """condition, value, condition, value, ..., else."""
    conditions, values = types[0:-1:2], (*types[1:-1:2], types[-1])
    return _same(values) if all(each is Type.BOOLEAN for each in conditions) else None


def _membership(types: Types) -> Type | None:
    return Type.BOOLEAN if all(_comparison((types[0], each)) for each in types[1:]) else None


FUNCTIONS = {
    row.name: row
    for row in (
        *(
            Function(name, word, _comparison)
            for name, word in (("eq", "="), ("ne", "<>"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
        ),
        Function("and", "AND", _logic),
        Function("or", "OR", _logic),
        Function("not", "NOT", _logic),
        Function("is_null", "IS NULL", lambda types: Type.BOOLEAN),
        Function("in", "IN", _membership),
        Function("like", "LIKE", lambda types: Type.BOOLEAN if set(types) == {Type.TEXT} else None),
        Function("add", "+", _arithmetic, lambda bits: max(bits) + 1),
        Function("sub", "-", _arithmetic, lambda bits: max(bits) + 1),
        Function("mul", "*", _arithmetic, sum),
        Function("neg", "-", _arithmetic),
        Function("div", "/", lambda types: Type.FLOAT if _arithmetic(types) else None, lambda bits: 0),
        Function("mod", "%", lambda types: Type.INTEGER if set(types) == {Type.INTEGER} else None),
        Function("abs", "ABS", _arithmetic),
        Function("case", "CASE", _case),
        Function("coalesce", "COALESCE", _same),
        Function("round", "ROUND", lambda types: _rounded(types), finish_only=True),
    )
}


def _rounded(types: Types) -> Type | None:
    right = types[0].numeric and types[1:] in ((), (Type.INTEGER,))
    return types[0] if right else None


def call(name: str, *arguments: Expression) -> Call:
    """Return a typed call, or refuse the types it was given.

    >>> one = Literal(1, Type.INTEGER)
    >>> call("add", one, one).type
    <Type.INTEGER: 'integer'>
    """
    row = FUNCTIONS[name]
    types = tuple(argument.type for argument in arguments)
    result = row.result(types)
    if result is None:
        given = " and ".join(dict.fromkeys(str(each) for each in types))
        raise QueryError(f"{row.word} cannot be applied to {given}; compare or combine values of one type")
    made = Call(name, arguments, result)
    if result is Type.INTEGER and bits_of(made) > MOST_BITS:
        raise QueryError(
            f"{row.word} here could need a whole number of more than 38 digits; multiply by 1.0 first to use floats"
        )
    return made


def bits_of(expression: Expression) -> int:
    """Return how many bits, without the sign, the whole numbers of an expression take at most."""
    if expression.type is not Type.INTEGER:
        return 0
    if isinstance(expression, Column):
        return COLUMN_BITS
    if isinstance(expression, Literal):
        return expression.value.bit_length() if isinstance(expression.value, int) else 0
    row = FUNCTIONS[expression.function]
    return row.bits([bits_of(argument) for argument in expression.arguments] or [0])
