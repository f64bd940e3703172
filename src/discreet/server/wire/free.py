"""What is answered from public facts though it names private tables: probes without rows, and declared values.

Tools look for the columns of a statement by asking for none of its rows, and fill their lists of filters with the
distinct values of columns. Neither needs a private row; everything else that asks for rows is refused, free.
"""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from discreet.base.types import Type
from discreet.curator.owner.tables import Tables
from discreet.policy.model import Value

SAMPLE_HINT = (
    "rows are never shown. Ask for aggregates, such as SELECT COUNT(*) FROM ...; the columns are in the catalog, and "
    "SELECT DISTINCT of a column with declared values is free. Switch the tool's sampling of tables off"
)


def is_probe(tree: exp.Expr) -> bool:
    """Say whether a SELECT can have no rows: LIMIT 0, FETCH FIRST 0 ROWS, or a condition that is plainly false."""
    if not isinstance(tree, exp.Select):
        return False
    limit = tree.args.get("limit")
    count = limit.args.get("expression" if isinstance(limit, exp.Limit) else "count") if limit is not None else None
    if isinstance(count, exp.Literal) and not count.is_string and count.name == "0":
        return True
    where = tree.args.get("where")
    grouped = tree.args.get("group") or not any(each.find(exp.AggFunc) for each in tree.expressions)
    return where is not None and bool(grouped) and _is_false(where.this)


def _is_false(condition: exp.Expr) -> bool:
    condition = condition.unnest()
    if isinstance(condition, exp.Boolean):
        return not condition.this
    if isinstance(condition, exp.And):
        return _is_false(condition.left) or _is_false(condition.right)
    if isinstance(condition, exp.EQ | exp.NEQ):
        left, right = condition.left.unnest(), condition.right.unnest()
        if isinstance(left, exp.Literal) and isinstance(right, exp.Literal) and left.is_string == right.is_string:
            return (left.name == right.name) is isinstance(condition, exp.NEQ)
    return False


def lists_rows(tree: exp.Expr) -> bool:
    """Say whether a statement has no aggregate anywhere: it would list rows, or values that nobody declared.

    Functions that are not known here may be aggregates; whoever plans the question knows.
    """
    return tree.find(exp.AggFunc, exp.Anonymous, exp.AnonymousAggFunc) is None


def list_declared(tree: exp.Expr, tables: Tables) -> exp.Expr | None:
    """Return a statement over the declared values of one column, where that is all that is asked for.

    That is SELECT DISTINCT c FROM t, or SELECT c FROM t GROUP BY c, with ORDER BY and LIMIT and a condition that only
    leaves NULL out.
    """
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1 or tree.args.get("joins"):
        return None
    source, shown = tree.args.get("from_"), tree.expressions[0]
    column = shown.unalias()
    if source is None or not isinstance(source.this, exp.Table) or not isinstance(column, exp.Column):
        return None
    known = {"kind", "distinct", "from_", "group", "expressions", "order", "limit", "where"}
    if any(value and name not in known for name, value in tree.args.items()):
        return None
    group, where = tree.args.get("group"), tree.args.get("where")
    if not tree.args.get("distinct") and not (group and all(_same(each, column, shown) for each in group.expressions)):
        return None
    if where is not None and not _leaves_null_out(where.this, column):
        return None
    values = _find_values(source.this.name, column.name, tables)
    return None if values is None else _replace_source(tree, column.name, values)


def _same(key: exp.Expr, column: exp.Column, shown: exp.Expr) -> bool:
    one = isinstance(key, exp.Literal) and key.name == "1"
    return one or (isinstance(key, exp.Column) and key.name.lower() in (column.name.lower(), shown.alias.lower()))


def _leaves_null_out(condition: exp.Expr, column: exp.Column) -> bool:
    inner = condition.unnest()
    if isinstance(inner, exp.Not):
        inner = inner.this.unnest()
        is_null = isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null)
        return is_null and isinstance(inner.this, exp.Column) and inner.this.name == column.name
    return False


def _find_values(table: str, column: str, tables: Tables) -> list[tuple[Value, Type]] | None:
    for resolved in tables:
        if resolved.table.name.casefold() == table.casefold():
            declared = resolved.column(column)
            if declared is None or declared.type is None:
                return None
            values = declared.values
            if values is None and declared.type is Type.BOOLEAN:
                values = (False, True)
            return None if values is None else [(value, declared.type) for value in values]
    return None


def _replace_source(tree: exp.Select, column: str, values: list[tuple[Value, Type]]) -> exp.Expr:
    rows = [exp.Tuple(expressions=[_write_value(value, type_)]) for value, type_ in values]
    names = exp.TableAlias(this=exp.to_identifier("declared", quoted=True), columns=[exp.to_identifier(column, True)])
    made = tree.copy()
    made.set("where", None)
    made.set("from_", exp.From(this=exp.Values(expressions=rows, alias=names)))
    for each in made.find_all(exp.Column):
        each.set("this", exp.to_identifier(each.name, quoted=each.this.quoted))
        for part in ("table", "db", "catalog"):
            each.set(part, None)
    return made


def _write_value(value: Value, type_: Type) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value))
    if isinstance(value, str):
        return exp.Literal.string(value)
    kind = "TIMESTAMPTZ" if isinstance(value, datetime) else "DATE"
    return exp.cast(exp.Literal.string(value.isoformat()), kind)
