"""DuckDB's total form of every allowed function: a value or NULL on whatever the data holds, and never an error."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from fractions import Fraction

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal

SQL_TYPES = {
    Type.BOOLEAN: "BOOLEAN",
    Type.INTEGER: "BIGINT",
    Type.DECIMAL: "DOUBLE",
    Type.FLOAT: "DOUBLE",
    Type.TEXT: "VARCHAR",
    Type.DATE: "DATE",
    Type.TIMESTAMP: "TIMESTAMP",
}
"""What columns are cast to where they are read; decimals become the nearest floats."""


UNIT = '"__discreet_unit"'
"""The column of a source that says whose row it is."""


def quoted(name: str) -> str:
    """Return a name as an identifier, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a string constant, whatever it holds."""
    return "'" + value.replace("'", "''") + "'"


def constant(value: object, type_: Type) -> str:
    """Return a constant of that type."""
    if value is None:
        return f"CAST(NULL AS {SQL_TYPES[type_]})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"CAST({text(str(value))} AS HUGEINT)" if abs(value) < 1 << 126 else number(Fraction(value))
    if isinstance(value, Fraction):
        return number(value)
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP {text(value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' '))}"
    if isinstance(value, dt.date):
        return f"DATE {text(value.isoformat())}"
    return text(str(value))


def number(value: Fraction) -> str:
    """Return a DOUBLE constant: the nearest float."""
    return f"CAST({text(repr(float(value)))} AS DOUBLE)"


def sql(expression: Expression) -> str:
    """Return the SQL of an expression over one row."""
    if isinstance(expression, Column):
        return f"{quoted(expression.relation)}.{quoted(expression.name)}"
    if isinstance(expression, Literal):
        return constant(expression.value, expression.type)
    arguments = [sql(argument) for argument in expression.arguments]
    types = [argument.type for argument in expression.arguments]
    if Type.DATE in types and Type.TIMESTAMP in types:  # a date may lie beyond all points in time
        arguments = [
            f"TRY_CAST({argument} AS TIMESTAMP)" if type_ is Type.DATE else argument
            for argument, type_ in zip(arguments, types, strict=True)
        ]
    return FORMS[expression.function](arguments, expression.type)


def _infix(word: str) -> Callable[[list[str], Type], str]:
    return lambda arguments, type_: f"({arguments[0]} {word} {arguments[1]})"


def _exact(word: str) -> Callable[[list[str], Type], str]:
    """Whole numbers in 128 bits, which `plan.functions.bits_of` proves to be enough; all others as floats."""

    def form(arguments: list[str], type_: Type) -> str:
        kind = "HUGEINT" if type_ is Type.INTEGER else "DOUBLE"
        return f"(CAST({arguments[0]} AS {kind}) {word} CAST({arguments[1]} AS {kind}))"

    return form


def _divided(arguments: list[str], type_: Type) -> str:
    above, below = (f"CAST({argument} AS DOUBLE)" for argument in arguments)
    return f"(CASE WHEN {below} = 0 THEN NULL ELSE {above} / {below} END)"


def _remainder(arguments: list[str], type_: Type) -> str:
    above, below = (f"CAST({argument} AS HUGEINT)" for argument in arguments)
    return f"(CASE WHEN {below} = 0 THEN NULL ELSE {above} % {below} END)"


def _negative(arguments: list[str], type_: Type) -> str:
    kind = "HUGEINT" if type_ is Type.INTEGER else "DOUBLE"
    return f"(-CAST({arguments[0]} AS {kind}))"


def _size(arguments: list[str], type_: Type) -> str:
    kind = "HUGEINT" if type_ is Type.INTEGER else "DOUBLE"
    return f"abs(CAST({arguments[0]} AS {kind}))"


def _case(arguments: list[str], type_: Type) -> str:
    branches = " ".join(
        f"WHEN {condition} THEN {_as(value, type_)}"
        for condition, value in zip(arguments[0:-1:2], arguments[1:-1:2], strict=True)
    )
    return f"(CASE {branches} ELSE {_as(arguments[-1], type_)} END)"


def _as(argument: str, type_: Type) -> str:
    kind = "HUGEINT" if type_ is Type.INTEGER else SQL_TYPES[type_]
    return f"CAST({argument} AS {kind})"


def _rounded(arguments: list[str], type_: Type) -> str:
    digits = arguments[1] if len(arguments) > 1 else "0"
    kind = "HUGEINT" if type_ is Type.INTEGER else "DOUBLE"
    return f"round(CAST({arguments[0]} AS {kind}), CAST({digits} AS INTEGER))"


FORMS: dict[str, Callable[[list[str], Type], str]] = {
    "eq": _infix("="),
    "ne": _infix("<>"),
    "lt": _infix("<"),
    "le": _infix("<="),
    "gt": _infix(">"),
    "ge": _infix(">="),
    "and": _infix("AND"),
    "or": _infix("OR"),
    "not": lambda arguments, type_: f"(NOT {arguments[0]})",
    "is_null": lambda arguments, type_: f"({arguments[0]} IS NULL)",
    "in": lambda arguments, type_: f"({arguments[0]} IN ({', '.join(arguments[1:])}))",
    "like": _infix("LIKE"),
    "add": _exact("+"),
    "sub": _exact("-"),
    "mul": _exact("*"),
    "neg": _negative,
    "div": _divided,
    "mod": _remainder,
    "abs": _size,
    "case": _case,
    "coalesce": lambda arguments, type_: f"coalesce({', '.join(_as(each, type_) for each in arguments)})",
    "round": _rounded,
}
