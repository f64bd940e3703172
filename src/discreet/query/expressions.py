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
from discreet.plan.expressions import Call, Expression, Literal
from discreet.plan.functions import FUNCTIONS, call
from discreet.query.constants import constant, moment
from discreet.query.parse import known, shown

TWO_SIDED: dict[type[exp.Expression], str] = {
    exp.EQ: "eq",
    exp.NEQ: "ne",
    exp.LT: "lt",
    exp.LTE: "le",
    exp.GT: "gt",
    exp.GTE: "ge",
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

REWRITES = {
    exp.ILike: "ILIKE is not answered; use LIKE",
    exp.IntDiv: "// is not answered; use /",
    exp.Cast: "casts are not answered yet; declare the column's type in the policy",
    exp.TryCast: "casts are not answered yet; declare the column's type in the policy",
    exp.Subquery: "subqueries are not answered yet; ask the inner question by itself",
    exp.Exists: "subqueries are not answered yet; ask the inner question by itself",
    exp.Window: "window functions look at other people's rows; use GROUP BY",
    exp.Filter: "FILTER is not answered yet; put the condition into WHERE",
    exp.Star: "rows are not released; name an aggregate such as COUNT(*)",
}


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
    standing = scope.aggregate(node)
    if standing is not None:
        return standing
    kind = type(node)
    if kind in TWO_SIDED:
        known(node, {"this", "expression"} | _IGNORED)
        return combined(TWO_SIDED[kind], _translate(node.this, scope), _translate(node.expression, scope))
    one = _SINGLE.get(kind)
    if one is not None:
        return one(node, scope)
    reason = REWRITES.get(kind)
    if reason is None:
        known_words = ", ".join(sorted({row.word for row in FUNCTIONS.values() if scope.finish or not row.finish_only}))
        reason = f"this is not answered; these are: {known_words}"
    raise QueryError(f"{shown(node)}: {reason}")


def _column(node: exp.Expression, scope: Scope) -> Expression:
    assert isinstance(node, exp.Column)
    known(node, {"this", "table"})
    return scope.column(node)


def _paren(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this"})
    return _translate(node.this, scope)


def _literal(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "is_string"})
    text = str(node.this)
    if node.args.get("is_string"):
        return constant(text)
    try:
        number = Decimal(text)
    except ArithmeticError:
        raise QueryError(f"{shown(node)} is not a number") from None
    return constant(int(number) if text.isdecimal() and len(text) <= 400 else number)


def _boolean(node: exp.Expression, scope: Scope) -> Expression:
    return Literal(bool(node.this), Type.BOOLEAN)


def _null(node: exp.Expression, scope: Scope) -> Expression:
    return Literal(None, Type.BOOLEAN)


def _parameter(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this"})
    inner = node.this
    name = inner if isinstance(inner, str) else getattr(inner, "name", "")
    if not name:
        raise QueryError(f"{shown(node)}: name your parameters, as in $age, and give params={{'age': ...}}")
    if name not in scope.parameters:
        raise QueryError(f"${name} has no value; give params={{{name!r}: ...}}")
    return constant(scope.parameters[name], f"params[{name!r}]")


def _negative(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this"})
    inner = _translate(node.this, scope)
    if isinstance(inner, Literal) and isinstance(inner.value, int | Fraction) and inner.type.numeric:
        return Literal(-inner.value, inner.type)
    return call("neg", inner)


def _not(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this"})
    return combined("not", _translate(node.this, scope))


def _is(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "expression"})
    if not isinstance(node.expression, exp.Null):
        raise QueryError(f"{shown(node)}: only IS NULL and IS NOT NULL are answered; write = TRUE or = FALSE")
    return call("is_null", _translate(node.this, scope))


def _between(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "low", "high"})
    value, low, high = (_translate(node.args[name], scope) for name in ("this", "low", "high"))
    return call("and", combined("ge", value, low), combined("le", value, high))


def _in(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "expressions"}, {"query": "subqueries are not answered yet; list the values"})
    members = [_translate(each, scope) for each in node.expressions]
    if not members or not all(isinstance(member, Literal) for member in members):
        raise QueryError(f"{shown(node)}: IN takes a list of constants")
    return combined("in", _translate(node.this, scope), *members)


def _like(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "expression", "negate"})
    pattern = _translate(node.expression, scope)
    if not isinstance(pattern, Literal) or pattern.value is None:
        raise QueryError(f"{shown(node)}: the pattern of LIKE must be a constant, without ESCAPE")
    made = combined("like", _translate(node.this, scope), pattern)
    return call("not", made) if node.args.get("negate") else made


def _case(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "ifs", "default"})
    subject = node.args.get("this")
    arguments: list[Expression] = []
    for branch in node.args["ifs"]:
        known(branch, {"this", "true"})
        condition = _translate(branch.this, scope)
        if subject is not None:
            condition = combined("eq", _translate(subject, scope), condition)
        arguments += [condition, _translate(branch.args["true"], scope)]
    last = node.args.get("default")
    arguments.append(Literal(None, Type.BOOLEAN) if last is None else _translate(last, scope))
    if all(_is_null(value) for value in (*arguments[1:-1:2], arguments[-1])):
        return Literal(None, Type.BOOLEAN)  # NULL whatever the conditions say, so it takes the type of its surroundings
    return combined("case", *arguments)


def _coalesce(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "expressions"})
    return combined("coalesce", _translate(node.this, scope), *(_translate(each, scope) for each in node.expressions))


def _abs(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this"})
    return call("abs", _translate(node.this, scope))


def _round(node: exp.Expression, scope: Scope) -> Expression:
    known(node, {"this", "decimals"})
    if not scope.finish:
        raise QueryError(f"{shown(node)}: ROUND is for released values, as in ROUND(AVG(x), 2)")
    digits = node.args.get("decimals")
    places = () if digits is None else (_translate(digits, scope),)
    given = [each.value for each in places if isinstance(each, Literal)]
    if places and not (given and isinstance(given[0], int) and -38 <= given[0] <= 38):
        raise QueryError(f"{shown(node)}: the digits of ROUND must be a whole number from -38 to 38")
    return call("round", _translate(node.this, scope), *places)


def _cast(node: exp.Expression, scope: Scope) -> Expression:
    """DATE '2026-03-01' and TIMESTAMP '...' are constants; other casts are refused."""
    known(node, {"this", "to", "_type"})
    inner, wanted = node.this, node.args["to"].sql(dialect="duckdb").upper()
    types = {"DATE": Type.DATE, "TIMESTAMP": Type.TIMESTAMP}
    if isinstance(inner, exp.Literal) and inner.is_string and wanted in types:
        return Literal(moment(str(inner.this), types[wanted]), types[wanted])
    raise QueryError(f"{shown(node)}: {REWRITES[exp.Cast]}")


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
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Abs: _abs,
    exp.Round: _round,
    exp.Cast: _cast,
}


def combined(name: str, *arguments: Expression) -> Call:
    """Return a call with its constants made to fit: NULL takes a type, and text beside dates is read as one."""
    places = [0, 1] if name in ("eq", "ne", "lt", "le", "gt", "ge") else list(range(len(arguments)))
    if name == "case":
        places = [*range(1, len(arguments) - 1, 2), len(arguments) - 1]
    if name in ("and", "or", "not"):
        return call(name, *arguments)
    types = [arguments[i].type for i in places if not _is_null(arguments[i])]
    wanted = next((each for each in types if each in (Type.DATE, Type.TIMESTAMP)), types[0] if types else Type.BOOLEAN)
    fitted = [_fitted(each, wanted) if i in places else each for i, each in enumerate(arguments)]
    return call(name, *fitted)


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _fitted(expression: Expression, wanted: Type) -> Expression:
    if _is_null(expression):
        return Literal(None, wanted)
    if isinstance(expression, Literal) and isinstance(expression.value, str) and wanted in (Type.DATE, Type.TIMESTAMP):
        return Literal(moment(expression.value, wanted), wanted)
    return expression
