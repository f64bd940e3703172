"""sqlglot's nodes to expressions of the plan: only what is in the table of functions, every node looked at in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import FUNCTIONS, UnfitError, call
from discreet.plan.scales import MOST_SCALE
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars import calls, times
from discreet.query.scalars.coercion import TIMES, combine, fit_constant, fit_truth, fold_decimals, is_null
from discreet.query.scalars.constants import parse_moment, to_literal
from discreet.query.scalars.refusals import explain_refusal

TWO_SIDED: dict[type[exp.Expression], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.LT: "lt",
    exp.LTE: "le",
    exp.GT: "gt",
    exp.GTE: "ge",
    exp.NullSafeNEQ: "distinct",
    exp.And: "and",
    exp.Or: "or",
    exp.Add: "add",
    exp.Sub: "sub",
    exp.Mul: "mul",
    exp.Div: "div",
    exp.Mod: "mod",
}

_IGNORED = {"typed", "safe", "_type"}
"""What sqlglot notes about its own dialects: division is always DuckDB's here."""

CASTS = {
    **dict.fromkeys(("BOOLEAN",), Type.BOOLEAN),
    **dict.fromkeys(("INT", "BIGINT"), Type.INTEGER),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Type.FLOAT),
    **dict.fromkeys(("DECIMAL",), Type.DECIMAL),
    **dict.fromkeys(("TEXT", "VARCHAR"), Type.TEXT),
    **dict.fromkeys(("DATE",), Type.DATE),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"), Type.TIMESTAMP),
}
"""Types by sqlglot's names: whole numbers have 64 bits here."""

USUAL_DIGITS = (18, 3)
"""Of a DECIMAL that does not say how many digits it has, as in DuckDB; and how many behind the point, if any."""

MOST_FLOAT_DIGITS = 18
"""Digits of a decimal that a float is cast to: it has no more itself."""


WORDS = frozenset(row.word for row in FUNCTIONS.values())
"""With which messages begin that are about a function, and do not quote where it stands."""


@dataclass(frozen=True)
class Scope:
    """Where names lead to: columns, parameters, and what an aggregate stands for, if one may stand here."""

    column: Callable[[exp.Column], Expression]
    aggregate: Callable[[exp.Expression], Expression | None]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    finish: bool = False


def translate(node: exp.Expression, scope: Scope) -> Expression:
    """Return the expression that a node means, or refuse it with its own text."""
    try:
        return _translate(node, scope)
    except RecursionError:
        raise QueryError("the question is nested too deeply; write it flatter") from None


def _translate(node: exp.Expression, scope: Scope) -> Expression:
    try:
        return _meant(node, scope)
    except UnfitError as trouble:
        raise QueryError(f"{quote_sql(node)}: {trouble}") from None
    except QueryError as trouble:
        word, here, _ = str(trouble).partition(" here ")
        if not here or word not in WORDS:
            raise
        raise QueryError(f"{quote_sql(node)}: {trouble}") from None


def _meant(node: exp.Expression, scope: Scope) -> Expression:
    standing = scope.aggregate(node)
    if standing is not None:
        return standing
    kind = type(node)
    if kind in TWO_SIDED:
        return _two_sided(node, scope)
    one = _SINGLE.get(kind)
    if one is not None:
        return one(node, scope)
    reader = calls.READERS.get(kind)
    if reader is None and isinstance(node, exp.Anonymous):
        reader = calls.NAMED.get(node.name.lower())
    if reader is None:
        raise explain_refusal(node)
    return reader(node, lambda inner: _translate(inner, scope))


def _two_sided(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "expression"} | _IGNORED)
    shifts = isinstance(node, exp.Add | exp.Sub)
    found = times.read_shifted(node, lambda inner: _translate(inner, scope)) if shifts else None
    if found is not None:
        return found
    first, second = _translate(node.this, scope), _translate(node.expression, scope)
    found = times.read_shifted_days(node, first, second) if shifts else None
    name = TWO_SIDED[type(node)]
    if name in ("eq", "ne"):
        first, second = fit_truth(first, second)
    return found or fold_decimals(name, first, second) or combine(name, first, second)


def _column(node: exp.Expression, scope: Scope) -> Expression:
    assert isinstance(node, exp.Column)
    refuse_other_parts(node, {"this", "table"})
    return scope.column(node)


def _paren(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this"})
    return _translate(node.this, scope)


def _literal(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "is_string"})
    text = str(node.this)
    if node.args.get("is_string"):
        return to_literal(text)
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise QueryError(f"{quote_sql(node)} is not a number") from None
    found = to_literal(int(number) if text.isdecimal() and len(text) <= 400 else number)
    return _as_float(found) if scope.finish or "e" in text.lower() else found


def _boolean(node: exp.Expression, scope: Scope) -> Expression:
    return Literal(bool(node.this), Type.BOOLEAN)


def _null(node: exp.Expression, scope: Scope) -> Expression:
    return Literal(None, Type.BOOLEAN)


def _parameter(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this"})
    inner = node.this
    name = inner if isinstance(inner, str) else getattr(inner, "name", "")
    if not name:
        raise QueryError(f"{quote_sql(node)}: name your parameters, as in $age, and give params={{'age': ...}}")
    if name not in scope.parameters:
        raise QueryError(f"${name} has no value; give params={{{name!r}: ...}}")
    found = to_literal(scope.parameters[name], f"params[{name!r}]")
    return _as_float(found) if scope.finish else found


def _as_float(literal: Literal) -> Literal:
    """Return a decimal constant as a float: one written with an exponent, or beside what was released."""
    return Literal(literal.value, Type.FLOAT) if literal.type is Type.DECIMAL else literal


def _negative(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this"})
    inner = _translate(node.this, scope)
    if isinstance(inner, Literal) and isinstance(inner.value, int | Fraction) and inner.type.numeric:
        return Literal(-inner.value, inner.type)
    return call("neg", inner)


def _not(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this"})
    return combine("not", _translate(node.this, scope))


def _is(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "expression"})
    value = _translate(node.this, scope)
    if isinstance(node.expression, exp.Null):
        return call("is_null", value)
    if isinstance(node.expression, exp.Boolean):
        return call("is_true" if node.expression.this else "is_false", value)
    raise QueryError(f"{quote_sql(node)}: IS takes NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM")


def _not_distinct(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "expression"})
    return call("not", combine("distinct", _translate(node.this, scope), _translate(node.expression, scope)))


def _between(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "low", "high"})
    value, low, high = (_translate(node.args[name], scope) for name in ("this", "low", "high"))
    return call("and", combine("ge", value, low), combine("le", value, high))


def _in(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(
        node,
        {"this", "expressions"},
        {
            "query": "a subquery is answered as a condition of its own, joined by AND, in WHERE over rows; over an "
            "answer write it inside of that, or JOIN the table; or list the values"
        },
    )
    members = [_translate(each, scope) for each in node.expressions]
    if not members or not all(isinstance(member, Literal) for member in members):
        raise QueryError(f"{quote_sql(node)}: IN takes a list of constants")
    return combine("in", _translate(node.this, scope), *members)


def _case(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "ifs", "default"})
    subject = node.args.get("this")
    arguments: list[Expression] = []
    for branch in node.args["ifs"]:
        refuse_other_parts(branch, {"this", "true"})
        condition = _translate(branch.this, scope)
        if subject is not None:
            condition = combine("eq", _translate(subject, scope), condition)
        arguments += [condition, _translate(branch.args["true"], scope)]
    last = node.args.get("default")
    arguments.append(Literal(None, Type.BOOLEAN) if last is None else _translate(last, scope))
    return _chosen(arguments)


def _if(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "true", "false"})
    last = node.args.get("false")
    values = [_translate(each, scope) for each in (node.this, node.args["true"])]
    return _chosen([*values, Literal(None, Type.BOOLEAN) if last is None else _translate(last, scope)])


def _chosen(arguments: list[Expression]) -> Expression:
    if all(is_null(value) for value in (*arguments[1:-1:2], arguments[-1])):
        return Literal(None, Type.BOOLEAN)  # NULL whatever the conditions say, so it takes the type of its surroundings
    return combine("case", *arguments)


def _coalesce(node: exp.Expression, scope: Scope) -> Expression:
    refuse_other_parts(node, {"this", "expressions"})
    arguments = [_translate(each, scope) for each in (node.this, *node.expressions)]
    return arguments[0] if all(is_null(each) for each in arguments) else combine("coalesce", *arguments)


def _cast(node: exp.Expression, scope: Scope) -> Expression:
    """CAST, TRY_CAST and :: are one: what does not fit is NULL. DATE '2026-03-01' is a constant."""
    refuse_other_parts(node, {"this", "to", "_type", "safe"})
    inner, wanted = node.this, node.args["to"]
    target = CASTS.get(str(getattr(wanted.this, "value", wanted.this)))
    if target is None:
        names = "BOOLEAN, INTEGER, BIGINT, DECIMAL, DOUBLE, TEXT, DATE and TIMESTAMP"
        raise QueryError(f"{quote_sql(node)}: values are cast to {names}")
    parts = {"expressions"} if target in (Type.FLOAT, Type.DECIMAL) else set()
    refuse_other_parts(wanted, {"this", "nested"} | parts)
    if isinstance(inner, exp.Literal) and inner.is_string and target in TIMES:
        return Literal(parse_moment(str(inner.this), target), target)
    value = _translate(inner, scope)
    if is_null(value):
        return fit_constant(value, target)
    return _cast_decimal(node, value, scope) if target is Type.DECIMAL else call(f"as_{target.value}", value)


def _cast_decimal(node: exp.Expression, value: Expression, scope: Scope) -> Expression:
    """CAST AS DECIMAL(digits, behind the point): what was released is a float, and is rounded to as many."""
    given = [each.name for each in node.args["to"].expressions]
    right = len(given) <= 2 and all(each.isdecimal() and len(each) < 4 for each in given)
    sizes = [int(each) for each in given] if right else []
    digits, scale = {0: USUAL_DIGITS, 1: (*sizes, 0)}.get(len(sizes), tuple(sizes))
    if not right or not 1 <= digits <= 38 or not scale <= min(digits, MOST_SCALE):
        raise QueryError(f"{quote_sql(node)}: write DECIMAL(digits, behind the point), at most 38 and {MOST_SCALE}")
    if scope.finish:
        return call("round", call("as_float", value), Literal(scale, Type.INTEGER))
    if value.type is Type.FLOAT and digits > MOST_FLOAT_DIGITS:
        raise QueryError(
            f"{quote_sql(node)}: a float has no more than {MOST_FLOAT_DIGITS} digits; "
            f"write DECIMAL({MOST_FLOAT_DIGITS}, {min(scale, MOST_FLOAT_DIGITS)}) or fewer"
        )
    sizes = [min(digits, MOST_SCALE), scale]
    return call("as_decimal", value, *(Literal(each, Type.INTEGER) for each in sizes))


_SINGLE: dict[type[exp.Expression], Callable[[exp.Expression, Scope], Expression]] = {
    exp.Column: _column,
    exp.Paren: _paren,
    exp.Literal: _literal,
    exp.Boolean: _boolean,
    exp.Null: _null,
    exp.Placeholder: _parameter,
    exp.Parameter: _parameter,
    exp.Neg: _negative,
    exp.Not: _not,
    exp.Is: _is,
    exp.NullSafeEQ: _not_distinct,
    exp.Between: _between,
    exp.In: _in,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
