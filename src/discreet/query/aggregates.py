"""Which aggregate a node is."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.question import Aggregate, Kind
from discreet.query.expressions import Scope, translate
from discreet.query.parse import known, shown
from discreet.query.relations import Relations

SIMPLE: dict[type[exp.Expression], Kind] = {
    exp.Sum: Kind.SUM,
    exp.Avg: Kind.MEAN,
    exp.Variance: Kind.VARIANCE,
    exp.VariancePop: Kind.VARIANCE_POP,
    exp.Stddev: Kind.DEVIATION,
    exp.StddevSamp: Kind.DEVIATION,
    exp.StddevPop: Kind.DEVIATION_POP,
}

QUANTILES = (exp.Median, exp.PercentileCont, exp.Quantile)

ALLOWED = "COUNT, SUM, AVG, VARIANCE, STDDEV, MEDIAN and QUANTILE_CONT are"


def aggregate_of(node: exp.Expression, rows: Scope, relations: Relations) -> Aggregate | None:
    """Return the aggregate, or nothing where the node is none; refuse aggregates that are not answered."""
    kind = type(node)
    if kind is exp.Count:
        return _count(node, rows, relations)
    if kind in SIMPLE:
        known(node, {"this"})
        return Aggregate(SIMPLE[kind], _number(node, rows))
    if kind in QUANTILES:
        known(node, {"this", "expression"} if kind is not exp.Quantile else {"this", "quantile"})
        return Aggregate(Kind.QUANTILE, _number(node, rows), _share(node, rows))
    if isinstance(node, exp.AggFunc):
        raise QueryError(f"{shown(node)}: this aggregate is not answered; {ALLOWED}")
    return None


def _share(node: exp.Expression, rows: Scope) -> Fraction:
    """Return which quantile is asked for."""
    if isinstance(node, exp.Median):
        return Fraction(1, 2)
    given = node.args.get("expression") or node.args.get("quantile")
    found = translate(given, rows) if given is not None else None
    value = found.value if isinstance(found, Literal) and found.type.numeric else None
    if not isinstance(value, int | Fraction) or not 0 <= value <= 1:
        raise QueryError(f"{shown(node)}: the share of a quantile is a number from 0 to 1, as in 0.5")
    return Fraction(value)


def _count(node: exp.Expression, rows: Scope, relations: Relations) -> Aggregate:
    known(node, {"this", "big_int"})
    inner = node.this
    if isinstance(inner, exp.Star):
        known(inner, set())
    if inner is None or isinstance(inner, exp.Star):
        return Aggregate(Kind.ROWS)
    if isinstance(inner, exp.Distinct):
        known(inner, {"expressions"})
        if len(inner.expressions) == 1 and relations.is_unit(inner.expressions[0]):
            return Aggregate(Kind.UNITS)
        raise QueryError(f"{shown(node)}: only COUNT(DISTINCT {relations.unit_word}) is answered")
    argument = translate(inner, rows)
    if isinstance(argument, Literal) and argument.value is None:
        raise QueryError(f"{shown(node)} is 0 on all data; write COUNT(*) to count rows")
    return Aggregate(Kind.ROWS) if isinstance(argument, Literal) else Aggregate(Kind.VALUES, argument)


def _number(node: exp.Expression, rows: Scope) -> Expression:
    if isinstance(node.this, exp.Distinct):
        raise QueryError(f"{shown(node)}: DISTINCT inside an aggregate is not answered; leave it out")
    argument = translate(node.this, rows)
    if not isinstance(argument, Column):
        raise QueryError(
            f"{shown(node)}: aggregates take a column here; compute with the result instead, as in 2 * SUM(x)"
        )
    if not argument.type.numeric:
        raise QueryError(f"{shown(node)}: {argument.name!r} is {argument.type}, and this needs numbers; use COUNT")
    return argument
