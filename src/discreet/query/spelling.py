"""Other spellings of what is answered, written as the one that is: nothing else need know them."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

SCHEMAS = ("main", "public")
"""Names that databases give the schema in which tables are when nobody says more."""


def spell_out(query: exp.Expression) -> exp.Expression:
    """Rewrite a query that was just read, in place where that can be, and return it."""
    for rule in RULES:
        query = query.transform(rule, copy=False)
    return query


def group_distinct(select: exp.Select) -> exp.Select:
    """SELECT DISTINCT a, b means SELECT a, b ... GROUP BY a, b, where the whole question is that.

    Inside a question it would drop rows that are equal to others', and is left to be refused.
    """
    distinct = select.args.get("distinct")
    grouped = select.args.get("group") or any(each.find(exp.AggFunc, exp.Star) for each in select.expressions)
    if distinct is None or distinct.args.get("on") or grouped:
        return select
    select.set("distinct", None)
    select.set("group", exp.Group(expressions=[each.unalias().copy() for each in select.expressions]))
    return select


def _open_joins(node: exp.Expression) -> exp.Expression:
    """FROM (a JOIN b ON ...) JOIN c: the brackets change nothing at the first place."""
    if not isinstance(node, exp.Select) or node.args.get("from_") is None:
        return node
    source = node.args["from_"]
    while isinstance(source.this, exp.Subquery) and _is_bare(source.this) and _holds_table(source.this):
        inner = source.this.this
        joins = inner.args.get("joins") or []
        inner.set("joins", None)
        source.set("this", inner)
        node.set("joins", [*joins, *(node.args.get("joins") or [])])
    return node


def _is_bare(subquery: exp.Expression) -> bool:
    return all(not value for name, value in subquery.args.items() if name != "this")


def _holds_table(subquery: exp.Expression) -> bool:
    while isinstance(subquery, exp.Subquery):
        subquery = subquery.this
    return isinstance(subquery, exp.Table)


def _drop_schema(node: exp.Expression) -> exp.Expression:
    """main.visits, public.visits and visits.visits are visits; other schemas are left to be refused."""
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        table = node.name
    elif isinstance(node, exp.Column):
        table = node.table
    else:
        return node
    schema = node.args.get("db")
    if schema is not None and not node.args.get("catalog") and schema.name.casefold() in (*SCHEMAS, table.casefold()):
        node.set("db", None)
    return node


def _list_keys(node: exp.Expression) -> exp.Expression:
    """GROUP BY ALL means every column of the SELECT that does not aggregate."""
    group = node.args.get("group") if isinstance(node, exp.Select) else None
    if group is not None and group.args.get("all") is True and not group.expressions:
        keys = [each.unalias() for each in node.expressions if not each.find(exp.AggFunc)]
        node.set("group", exp.Group(expressions=[each.copy() for each in keys]) if keys else None)
    return node


def _filter_counts(node: exp.Expression) -> exp.Expression:
    """COUNT_IF(x) is COUNT(*) FILTER (WHERE x)."""
    outer = node.expression.this if isinstance(node, exp.Filter) and isinstance(node.this, exp.CountIf) else None
    count = node.this if outer is not None else node
    if not isinstance(count, exp.CountIf) or isinstance(count.this, exp.Distinct):
        return node
    if outer is None and isinstance(node.parent, exp.Filter):
        return node  # its FILTER is rewritten as a whole
    condition = count.this if outer is None else exp.And(this=exp.paren(count.this), expression=exp.paren(outer))
    return exp.Filter(this=exp.Count(this=exp.Star(), big_int=True), expression=exp.Where(this=condition))


def _list_quantiles(node: exp.Expression) -> exp.Expression:
    """QUANTILE_CONT(x, [a, b]) AS q means one column for each, q_1 and q_2."""
    if isinstance(node, exp.Select):
        node.set("expressions", [each for output in node.expressions for each in _split_quantiles(output)])
    return node


def _split_quantiles(output: exp.Expression) -> list[exp.Expr]:
    inner = output.unalias()
    name = SHARES.get(type(inner))
    shares = inner.args.get(name) if name is not None else None
    if name is None or not isinstance(shares, exp.Array) or not shares.expressions:
        return [output]
    found: list[exp.Expr] = []
    for place, share in enumerate(shares.expressions, 1):
        one = inner.copy()
        one.set(name, share.copy())
        found.append(exp.alias_(one, f"{output.alias}_{place}", quoted=True) if output.alias else one)
    return found


SHARES: dict[type[exp.Expr], str] = {
    exp.PercentileCont: "expression",
    exp.PercentileDisc: "expression",
    exp.Quantile: "quantile",
}
"""Where each kind of quantile says which one it is."""

RULES: tuple[Callable[[exp.Expression], exp.Expression], ...] = (
    _open_joins,
    _drop_schema,
    _list_keys,
    _filter_counts,
    _list_quantiles,
)
