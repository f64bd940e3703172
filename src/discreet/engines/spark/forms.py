"""Spark's total form of every allowed function: a value or NULL on whatever the data holds, and never an error.

In ANSI mode Spark raises where a value does not fit. It may also work out a part of a CASE before its condition, where
the part stands elsewhere too, so that guards stand around arguments, or a `try_` form does without one.
"""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.shapes import Form, write_infix
from discreet.engines.spark.forms_math import MATH
from discreet.engines.spark.forms_text import TEXTS
from discreet.engines.spark.forms_time import TIMES
from discreet.engines.spark.literals import cast_working, quote_name, write_constant
from discreet.engines.spark.once import compute_once
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.lowering import lower


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
            cast_working(argument, Type.TIMESTAMP) if type_ is Type.DATE else argument
            for argument, type_ in zip(arguments, types, strict=True)
        ]
    return FORMS[expression.function](arguments, expression)


def alike(arguments: list[str], made: Call) -> list[str]:
    """Return arguments that are compared: whole numbers beside floats as floats."""
    types = {argument.type for argument in made.arguments}
    if Type.INTEGER not in types or len(types) == 1:
        return arguments
    return [cast_working(argument, Type.FLOAT) for argument in arguments]


def _compared(word: str) -> Form:
    return lambda arguments, made: write_infix(word)(alike(arguments, made), made)


def _in(arguments: list[str], made: Call) -> str:
    first, *others = alike(arguments, made)
    return f"({first} IN ({', '.join(others)}))"


def _case(arguments: list[str], made: Call) -> str:
    branches = " ".join(
        f"WHEN {condition} THEN {cast_working(value, made.type)}"
        for condition, value in zip(arguments[0:-1:2], arguments[1:-1:2], strict=True)
    )
    return f"(CASE {branches} ELSE {cast_working(arguments[-1], made.type)} END)"


def _listed(word: str) -> Form:
    """Spark's `least` and `greatest` take two arguments or more, and leave NULL out."""

    def form(arguments: list[str], made: Call) -> str:
        listed = [cast_working(each, made.type) for each in arguments]
        return f"{word}({', '.join(listed)})" if len(listed) > 1 else listed[0]

    return form


def _null_if(arguments: list[str], made: Call) -> str:
    def body(first: str, second: str) -> str:
        equal = " = ".join(alike([first, second], made))
        return f"(CASE WHEN {equal} THEN NULL ELSE {cast_working(first, made.type)} END)"

    return compute_once(body, *arguments)


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
    **MATH,
    **TEXTS,
    **TIMES,
}
