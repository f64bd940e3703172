"""DuckDB's total form of every allowed function: a value or NULL on whatever the data holds, and never an error."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.duck.forms_math import MATH
from discreet.engines.duck.forms_text import TEXTS
from discreet.engines.duck.forms_time import TIMES
from discreet.engines.duck.literals import cast_working, quote_name, write_constant
from discreet.engines.duck.once import compute_once
from discreet.engines.shapes import Form, write_infix
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
    if Type.DATE in types and Type.TIMESTAMP in types:  # a date may lie beyond all points in time
        arguments = [
            f"TRY_CAST({argument} AS TIMESTAMP)" if type_ is Type.DATE else argument
            for argument, type_ in zip(arguments, types, strict=True)
        ]
    return FORMS[expression.function](arguments, expression)


def _case(arguments: list[str], made: Call) -> str:
    branches = " ".join(
        f"WHEN {condition} THEN {cast_working(value, made.type)}"
        for condition, value in zip(arguments[0:-1:2], arguments[1:-1:2], strict=True)
    )
    return f"(CASE {branches} ELSE {cast_working(arguments[-1], made.type)} END)"


def _listed(word: str) -> Form:
    return lambda arguments, made: f"{word}({', '.join(cast_working(each, made.type) for each in arguments)})"


def _null_if(arguments: list[str], made: Call) -> str:
    return compute_once(
        lambda a, b: f"(CASE WHEN {a} = {b} THEN NULL ELSE {cast_working(a, made.type)} END)", *arguments
    )


def _among(arguments: list[str], made: Call) -> str:
    """DuckDB compares with up to four constants one by one, and writes the value out for each; more it looks up."""
    value, *others = arguments
    listed = ", ".join(others)
    return f"({value} IN ({listed}))" if len(others) > 4 else compute_once(lambda x: f"({x} IN ({listed}))", value)


FORMS: dict[str, Form] = {
    "eq": write_infix("="),
    "ne": write_infix("<>"),
    "lt": write_infix("<"),
    "le": write_infix("<="),
    "gt": write_infix(">"),
    "ge": write_infix(">="),
    "distinct": write_infix("IS DISTINCT FROM"),
    "and": write_infix("AND"),
    "or": write_infix("OR"),
    "not": lambda arguments, made: f"(NOT {arguments[0]})",
    "is_true": lambda arguments, made: f"({arguments[0]} IS TRUE)",
    "is_false": lambda arguments, made: f"({arguments[0]} IS FALSE)",
    "is_null": lambda arguments, made: f"({arguments[0]} IS NULL)",
    "in": _among,
    "case": _case,
    "coalesce": _listed("coalesce"),
    "least": _listed("least"),
    "greatest": _listed("greatest"),
    "nullif": _null_if,
    **MATH,
    **TEXTS,
    **TIMES,
}
