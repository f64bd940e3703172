"""Which aggregate a node is."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.functions import call
from discreet.plan.question import Aggregate, AggregateKind
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import translate
from discreet.query.scalars.formats import write_seconds
from discreet.query.scalars.refusals import explain_refused_aggregate
from discreet.query.select.from_clause import FromClause
from discreet.query.select.per_unit import apply_filter, attach_filter, take_distinct

SIMPLE: dict[type[exp.Expression], AggregateKind] = {
    exp.Sum: AggregateKind.SUM,
    exp.Avg: AggregateKind.MEAN,
    exp.Variance: AggregateKind.VARIANCE,
    exp.VariancePop: AggregateKind.VARIANCE_POP,
    exp.Stddev: AggregateKind.DEVIATION,
    exp.StddevSamp: AggregateKind.DEVIATION,
    exp.StddevPop: AggregateKind.DEVIATION_POP,
    exp.Min: AggregateKind.LEAST,
    exp.Max: AggregateKind.GREATEST,
}

DISTINCT: dict[type[exp.Expression], AggregateKind] = {
    exp.Sum: AggregateKind.SUM_DISTINCT,
    exp.Avg: AggregateKind.MEAN_DISTINCT,
    exp.Min: AggregateKind.LEAST,
    exp.Max: AggregateKind.GREATEST,
}
"""Aggregates of values that count once however many rows have them; an extreme is the same."""

PAIRS: dict[type[exp.Expression], AggregateKind] = {
    exp.Corr: AggregateKind.CORRELATION,
    exp.CovarPop: AggregateKind.COVARIANCE_POP,
    exp.CovarSamp: AggregateKind.COVARIANCE,
}

QUANTILES = (exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)

SHARE = "the share of a quantile is one number from 0 to 1, as in 0.5; ask for several as several columns"


def read_aggregate(node: exp.Expression, rows: FromClause) -> Aggregate | None:
    """Return the aggregate, or nothing where the node is none; refuse aggregates that are not answered."""
    kind = type(node)
    if kind is exp.Filter:
        refuse_other_parts(node, {"this", "expression"})
        return read_aggregate(attach_filter(node, rows), rows)
    if kind is exp.WithinGroup:
        return _within(node, rows)
    if kind is exp.Count:
        return _count(node, rows)
    if kind in SIMPLE:
        refuse_other_parts(node, {"this", "_filter"})
        if kind in DISTINCT and isinstance(node.this, exp.Distinct):
            return Aggregate(DISTINCT[kind], _number(_leave_distinct(node), rows))
        return Aggregate(SIMPLE[kind], _number(node, rows))
    if kind in PAIRS:
        refuse_other_parts(node, {"this", "expression", "_filter"}, {"null_on_zero_variance": "leave it out"})
        return Aggregate(PAIRS[kind], _number(node, rows), None, _number(node, rows, "expression"))
    if kind in QUANTILES:
        refuse_other_parts(
            node, ({"this", "quantile"} if kind is exp.Quantile else {"this", "expression"}) | {"_filter"}
        )
        return Aggregate(AggregateKind.QUANTILE, _number(node, rows), _share(node, rows))
    if isinstance(node, exp.AggFunc):
        raise explain_refused_aggregate(node)
    return None


def show_value(node: exp.Expression, value: Expression, rows: FromClause) -> Expression:
    """Return a released value as it is shown: of the least and the largest date or time, that date or time.

    What is released is a number, of days or of seconds since 1970.
    """
    inner = node.this if isinstance(node, exp.Filter) else node
    if not isinstance(inner, exp.Min | exp.Max):
        return value
    shown = take_distinct(inner) if isinstance(inner.this, exp.Distinct) else inner.this
    kind = translate(shown, rows.scope).type
    if kind not in UNITS:
        return value
    number = call("as_integer", value)
    if kind is Type.DATE:
        return call("plus_days", EPOCH, number)
    return write_seconds(EPOCH, number)


def _within(node: exp.Expression, rows: FromClause) -> Aggregate:
    """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)."""
    refuse_other_parts(node, {"this", "expression", "_filter"})
    inner, order = node.this, node.expression
    if not isinstance(inner, exp.PercentileCont | exp.PercentileDisc) or not isinstance(order, exp.Order):
        raise QueryError(f"{quote_sql(node)}: WITHIN GROUP is answered for PERCENTILE_CONT(q) ... (ORDER BY x)")
    refuse_other_parts(inner, {"this"})
    refuse_other_parts(order, {"expressions"})
    if len(order.expressions) != 1:
        raise QueryError(f"{quote_sql(node)}: ORDER BY takes one column here")
    (term,) = order.expressions
    refuse_other_parts(term, {"this", "desc", "nulls_first"})
    quantile = exp.Quantile(this=term.this.copy(), quantile=inner.this.copy())
    quantile.set("_filter", node.args.get("_filter"))
    found = read_aggregate(quantile, rows)
    assert found is not None
    assert found.share is not None
    return Aggregate(found.kind, found.argument, 1 - found.share if term.args.get("desc") else found.share)


def _share(node: exp.Expression, rows: FromClause) -> Fraction:
    """Return which quantile is asked for."""
    if isinstance(node, exp.Median):
        return Fraction(1, 2)
    given = node.args.get("expression") or node.args.get("quantile")
    if isinstance(given, exp.Array):
        raise QueryError(f"{quote_sql(node)}: {SHARE}")
    found = translate(given, rows.scope) if given is not None else None
    value = found.value if isinstance(found, Literal) and found.type.numeric else None
    if not isinstance(value, int | Fraction) or not 0 <= value <= 1:
        raise QueryError(f"{quote_sql(node)}: {SHARE}")
    return Fraction(value)


def _count(node: exp.Expression, rows: FromClause) -> Aggregate:
    refuse_other_parts(node, {"this", "big_int", "_filter"}, {"expressions": "COUNT takes one column, or *"})
    inner, one = node.this, _ONE
    if isinstance(inner, exp.Star):
        refuse_other_parts(inner, set())
    if isinstance(inner, exp.Distinct):
        return _distinct(node, rows)
    if inner is None or isinstance(inner, exp.Star) or rows.names.is_unit(inner):  # no row is without a unit
        argument: Expression = one
    else:
        argument = translate(inner, rows.scope)
    if isinstance(argument, Literal) and argument.value is None:
        raise QueryError(f"{quote_sql(node)} is 0 on all data; write COUNT(*) to count rows")
    kept = apply_filter(node, one if isinstance(argument, Literal) else argument, rows)
    return Aggregate(AggregateKind.ROWS) if kept is one else Aggregate(AggregateKind.VALUES, kept)


def _distinct(node: exp.Expression, rows: FromClause) -> Aggregate:
    column = take_distinct(node)
    if rows.names.is_unit(column):
        kept = apply_filter(node, _ONE, rows)
        return Aggregate(AggregateKind.UNITS) if kept is _ONE else Aggregate(AggregateKind.UNITS, kept)
    return Aggregate(AggregateKind.DISTINCT, apply_filter(node, translate(column, rows.scope), rows))


def _leave_distinct(node: exp.Expression) -> exp.Expression:
    """Return the aggregate without its DISTINCT."""
    plain = node.copy()
    plain.set("this", take_distinct(node).copy())
    return plain


def _number(node: exp.Expression, rows: FromClause, name: str = "this") -> Expression:
    inner = node.args[name]
    if isinstance(inner, exp.Distinct):
        raise QueryError(f"{quote_sql(node)}: DISTINCT is answered in COUNT, SUM, AVG, MIN and MAX; leave it out")
    argument = translate(inner, rows.scope)
    if argument.type in UNITS and isinstance(node, exp.Min | exp.Max):
        argument = call("date_diff", Literal(UNITS[argument.type], Type.TEXT), EPOCH, argument)
    if argument.type is Type.BOOLEAN and isinstance(node, exp.Sum | exp.Avg):  # how many, and which share, hold
        argument = translate(exp.cast(inner.copy(), "INT"), rows.scope)
    if not argument.type.numeric:
        wrong = f"{quote_sql(inner)} is {argument.type}, and this needs numbers"
        raise QueryError(f"{quote_sql(node)}: {wrong}; {_INSTEAD[argument.type]}")
    return apply_filter(node, argument, rows)


EPOCH = Literal(dt.date(1970, 1, 1), Type.DATE)
UNITS = {Type.DATE: "day", Type.TIMESTAMP: "second"}
"""In what the least and the largest date or time are released."""

_ONE = Literal(1, Type.INTEGER)
_DAYS = "write the days since one, as in LEAST(GREATEST(DATE_DIFF('day', DATE '2026-01-01', x), 0), 365)"
_INSTEAD = {
    Type.TEXT: "use COUNT",
    Type.BOOLEAN: "write COUNT(*) FILTER (WHERE x), or x::INTEGER",
    Type.DATE: _DAYS,
    Type.TIMESTAMP: _DAYS,
}
