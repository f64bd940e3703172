"""Which aggregate a node is."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.question import Aggregate, Kind
from discreet.query.parse import known, shown
from discreet.query.scalars.expressions import translate
from discreet.query.scalars.refusals import refused_aggregate
from discreet.query.select.from_clause import Rows
from discreet.query.select.per_unit import filtered, kept_where

SIMPLE: dict[type[exp.Expression], Kind] = {
    exp.Sum: Kind.SUM,
    exp.Avg: Kind.MEAN,
    exp.Variance: Kind.VARIANCE,
    exp.VariancePop: Kind.VARIANCE_POP,
    exp.Stddev: Kind.DEVIATION,
    exp.StddevSamp: Kind.DEVIATION,
    exp.StddevPop: Kind.DEVIATION_POP,
    exp.Min: Kind.LEAST,
    exp.Max: Kind.GREATEST,
}

PAIRS: dict[type[exp.Expression], Kind] = {
    exp.Corr: Kind.CORRELATION,
    exp.CovarPop: Kind.COVARIANCE_POP,
    exp.CovarSamp: Kind.COVARIANCE,
}

QUANTILES = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)

SHARE = "the share of a quantile is one number from 0 to 1, as in 0.5; ask for several as several columns"


def aggregate_of(node: exp.Expression, rows: Rows) -> Aggregate | None:
    """Return the aggregate, or nothing where the node is none; refuse aggregates that are not answered."""
    kind = type(node)
    if kind is exp.Filter:
        known(node, {"this", "expression"})
        return aggregate_of(filtered(node, rows), rows)
    if kind is exp.WithinGroup:
        return _within(node, rows)
    if kind is exp.Count:
        return _count(node, rows)
    if kind in SIMPLE:
        known(node, {"this", "_filter"})
        return Aggregate(SIMPLE[kind], _number(node, rows))
    if kind in PAIRS:
        known(node, {"this", "expression", "_filter"}, {"null_on_zero_variance": "leave it out"})
        return Aggregate(PAIRS[kind], _number(node, rows), None, _number(node, rows, "expression"))
    if kind in QUANTILES:
        known(node, ({"this", "quantile"} if kind is exp.Quantile else {"this", "expression"}) | {"_filter"})
        return Aggregate(Kind.QUANTILE, _number(node, rows), _share(node, rows))
    if isinstance(node, exp.AggFunc):
        raise refused_aggregate(node)
    return None


def _within(node: exp.Expression, rows: Rows) -> Aggregate:
    """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)."""
    known(node, {"this", "expression", "_filter"})
    inner, order = node.this, node.expression
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc) or not isinstance(order, exp.Order):
        raise QueryError(f"{shown(node)}: WITHIN GROUP is answered for PERCENTILE_CONT(q) ... (ORDER BY x)")
    known(inner, {"this"})
    known(order, {"expressions"})
    if len(order.expressions) != 1:
        raise QueryError(f"{shown(node)}: ORDER BY takes one column here")
    (term,) = order.expressions
    known(term, {"this", "desc", "nulls_first"})
    quantile = exp.Quantile(this=term.this.copy(), quantile=inner.this.copy())
    quantile.set("_filter", node.args.get("_filter"))
    found = aggregate_of(quantile, rows)
    assert found is not None
    assert found.share is not None
    return Aggregate(found.kind, found.argument, 1 - found.share if term.args.get("desc") else found.share)


def _share(node: exp.Expression, rows: Rows) -> Fraction:
    """Return which quantile is asked for."""
    if isinstance(node, exp.Median):
        return Fraction(1, 2)
    given = node.args.get("expression") or node.args.get("quantile")
    if isinstance(given, exp.Array):
        raise QueryError(f"{shown(node)}: {SHARE}")
    found = translate(given, rows.scope) if given is not None else None
    value = found.value if isinstance(found, Literal) and found.type.numeric else None
    if not isinstance(value, int | Fraction) or not 0 <= value <= 1:
        raise QueryError(f"{shown(node)}: {SHARE}")
    return Fraction(value)


def _count(node: exp.Expression, rows: Rows) -> Aggregate:
    known(node, {"this", "big_int", "_filter"}, {"expressions": "COUNT takes one column, or *"})
    inner, one = node.this, _ONE
    if isinstance(inner, exp.Star):
        known(inner, set())
    if isinstance(inner, exp.Distinct):
        return _distinct(node, inner, rows)
    if inner is None or isinstance(inner, exp.Star) or rows.names.is_unit(inner):  # no row is without a unit
        argument: Expression = one
    else:
        argument = translate(inner, rows.scope)
    if isinstance(argument, Literal) and argument.value is None:
        raise QueryError(f"{shown(node)} is 0 on all data; write COUNT(*) to count rows")
    kept = kept_where(node, one if isinstance(argument, Literal) else argument, rows)
    return Aggregate(Kind.ROWS) if kept is one else Aggregate(Kind.VALUES, kept)


def _distinct(node: exp.Expression, inner: exp.Expression, rows: Rows) -> Aggregate:
    known(inner, {"expressions"})
    if len(inner.expressions) != 1:
        raise QueryError(f"{shown(node)}: COUNT(DISTINCT ...) takes one column")
    if rows.names.is_unit(inner.expressions[0]):
        if node.args.get("_filter") is not None:
            raise QueryError(f"{shown(node.this)} with FILTER is not answered; put the condition into WHERE")
        return Aggregate(Kind.UNITS)
    return Aggregate(Kind.DISTINCT, kept_where(node, translate(inner.expressions[0], rows.scope), rows))


def _number(node: exp.Expression, rows: Rows, name: str = "this") -> Expression:
    inner = node.args[name]
    if isinstance(inner, exp.Distinct):
        raise QueryError(f"{shown(node)}: DISTINCT inside an aggregate is not answered; leave it out")
    argument = translate(inner, rows.scope)
    if not argument.type.numeric:
        wrong = f"{shown(inner)} is {argument.type}, and this needs numbers"
        raise QueryError(f"{shown(node)}: {wrong}; {_INSTEAD[argument.type]}")
    return kept_where(node, argument, rows)


_ONE = Literal(1, Type.INTEGER)
_DAYS = "write the days since one, as in LEAST(GREATEST(DATE_DIFF('day', DATE '2026-01-01', x), 0), 365)"
_INSTEAD = {
    Type.TEXT: "use COUNT",
    Type.BOOLEAN: "write COUNT(*) FILTER (WHERE x), or x::INTEGER",
    Type.DATE: _DAYS,
    Type.TIMESTAMP: _DAYS,
}
