"""PostgreSQL's total form of every allowed function: a value or NULL on whatever the data holds, and never an error."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.postgres.forms_casts import CASTS
from discreet.engines.postgres.forms_float import BITS
from discreet.engines.postgres.forms_math import MATH
from discreet.engines.postgres.forms_text import TEXTS
from discreet.engines.postgres.forms_time import TIMES, microseconds
from discreet.engines.postgres.literals import (
    cast_double,
    cast_working,
    collate_bytewise,
    quote_name,
    write_constant,
    write_double,
)
from discreet.engines.postgres.once import compute_once
from discreet.engines.shapes import Form, write_infix
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.lowering import lower

FLOATS = (Type.FLOAT, Type.DECIMAL)


def write_sql(expression: Expression) -> str:
    """Return the SQL of an expression over one row; a decimal is the whole number of its last places."""
    return _write(lower(expression))


def _write(expression: Expression) -> str:
    if isinstance(expression, Column):
        return f"{quote_name(expression.relation)}.{quote_name(expression.name)}"
    if isinstance(expression, Literal):
        return write_constant(expression.value, expression.type)
    arguments = [_write(argument) for argument in expression.arguments]
    types = [argument.type for argument in expression.arguments]
    if Type.DATE in types and Type.TIMESTAMP in types:
        arguments = [
            f"CAST({argument} AS TIMESTAMP)" if type_ is Type.DATE else argument
            for argument, type_ in zip(arguments, types, strict=True)
        ]
    return FORMS[expression.function](arguments, expression)


def write_canonical(value: str, type_: Type) -> str:
    """Return the canonical text of a value, the same letters on every engine; NULL has none.

    Points in time are decimal microseconds since 1970, floats their 64 bits as a whole number, with one NaN.
    """
    if type_ in FLOATS:
        bits = (
            f"CASE WHEN {value} = {write_double(float('nan'))} THEN 9221120237041090560 ELSE {BITS.format(value)} END"
        )
        return collate_bytewise(f"CAST({bits} AS TEXT)")
    if type_ is Type.TIMESTAMP:
        return collate_bytewise(f"CAST({microseconds(value)} AS TEXT)")
    if type_ is Type.BOOLEAN:
        return collate_bytewise(f"CASE WHEN {value} THEN 'true' WHEN NOT {value} THEN 'false' END")
    return value if type_ is Type.TEXT else collate_bytewise(f"CAST({value} AS TEXT)")


def is_nan(value: str) -> str:
    """Return whether a float is NaN, which here equals itself."""
    return f"({value} = {write_double(float('nan'))})"


def _alike(arguments: list[str], made: Call) -> list[str]:
    """Return values to compare: whole numbers beside floats as floats."""
    types = [argument.type for argument in made.arguments]
    if not any(each in FLOATS for each in types):
        return arguments
    return [cast_double(each, given) for each, given in zip(arguments, types, strict=True)]


def _compared(word: str) -> Form:
    inner = write_infix(word)
    return lambda arguments, made: inner(_alike(arguments, made), made)


def _in(arguments: list[str], made: Call) -> str:
    value, *others = _alike(arguments, made)
    return f"({value} IN ({', '.join(others)}))"


def _typed(arguments: list[str], made: Call) -> list[str]:
    return [cast_working(each, of.type, made.type) for each, of in zip(arguments, made.arguments, strict=True)]


def _case(arguments: list[str], made: Call) -> str:
    values = _typed(arguments, made)
    branches = " ".join(
        f"WHEN {condition} THEN {value}" for condition, value in zip(arguments[0:-1:2], values[1:-1:2], strict=True)
    )
    return f"(CASE {branches} ELSE {values[-1]} END)"


def _listed(word: str) -> Form:
    return lambda arguments, made: f"{word}({', '.join(_typed(arguments, made))})"


def _null_if(arguments: list[str], made: Call) -> str:
    def body(a: str, b: str) -> str:
        first, second = _alike([a, b], made)
        value = f"CAST({a} AS DATE)" if made.type is Type.DATE else a  # beside a time, it came here as one
        return f"(CASE WHEN {first} = {second} THEN NULL ELSE {value} END)"

    return compute_once(arguments, made.arguments, body)


FORMS: dict[str, Form] = {
    "eq": _compared("="),
    "ne": _compared("<>"),
    "lt": _compared("<"),
    "le": _compared("<="),
    "gt": _compared(">"),
    "ge": _compared(">="),
    "distinct": _compared("IS DISTINCT FROM"),
    "and": write_infix("AND"),
    "or": write_infix("OR"),
    "not": lambda arguments, made: f"(NOT {arguments[0]})",
    "is_true": lambda arguments, made: f"({arguments[0]} IS TRUE)",
    "is_false": lambda arguments, made: f"({arguments[0]} IS FALSE)",
    "is_null": lambda arguments, made: f"({arguments[0]} IS NULL)",
    "in": _in,
    "case": _case,
    "coalesce": _listed("coalesce"),
    "least": _listed("least"),
    "greatest": _listed("greatest"),
    "nullif": _null_if,
    **CASTS,
    **MATH,
    **TEXTS,
    **TIMES,
}
