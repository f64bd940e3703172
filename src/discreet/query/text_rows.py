"""Rows from the parts of a text: `unnest(string_split(x, ',')[1:n])`, written as UNION ALL of the first n parts.

A row becomes at most n rows of its unit: the part at place 1 of all texts, then that at place 2 of those that have one,
and so on. So nothing new is proven: what holds of SPLIT_PART, WHERE and UNION ALL holds of it, and rows per unit add.
How many parts a text may have is data, so the most that are looked at stand in the question.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.query.quoting import quote_sql

MOST_PLACES = 32
"""Each place reads the table once more."""

MOST_NODES = 20_000
"""Pieces of SQL that a question may become: one unnest inside another multiplies, and reading all of it takes time."""

HOW = "write unnest(string_split(x, ',')[1:5]) AS part: a constant text between parts, and how many are looked at"
ONE_TABLE = "unnest takes one table in FROM; put the join into FROM (SELECT ...) AS t"


def list_parts(query: exp.Expression) -> exp.Expression:
    """Rewrite every SELECT that makes rows of texts, inner ones first."""
    for select in reversed(list(query.find_all(exp.Select))):
        _unnest_beside_table(select)
        if _find_item(select) is not None and (select is query or _is_grouped(select)):
            _move_into_source(select)
    for select in reversed(list(query.find_all(exp.Select))):
        if _find_item(select) is not None:
            made = _unite(list(_list_places(select)))
            made.set("with_", select.args.get("with_"))
            select.replace(made)
    return query


def _find_item(select: exp.Select) -> exp.Explode | None:
    """Return the one unnest among the columns of a SELECT."""
    found = [each for column in select.expressions for each in column.find_all(exp.Explode)]
    found = [each for each in found if each.find_ancestor(exp.Select) is select]
    if len(found) > 1:
        raise QueryError(f"{quote_sql(found[1])}: one unnest in a SELECT; put the other into FROM (SELECT ...) AS t")
    return found[0] if found else None


def _is_grouped(select: exp.Select) -> bool:
    return bool(select.args.get("group")) or any(each.find(exp.AggFunc) for each in select.expressions)


def _unnest_beside_table(select: exp.Select) -> None:
    """FROM t, unnest(...) AS u(part): the unnest becomes a column of t."""
    joins = select.args.get("joins") or []
    found = [each for each in joins if isinstance(each.this, exp.Unnest)]
    if not found:
        return
    (join, *others), alias = found, found[0].this.args.get("alias")
    if others or len(joins) > 1 or join.args.get("on") or join.args.get("using") or join.args.get("side"):
        raise QueryError(f"{quote_sql(join.this)}: {ONE_TABLE}")
    names = alias.columns if alias is not None else []
    if len(names) != 1 or len(join.this.expressions) != 1 or join.this.args.get("offset"):
        raise QueryError(f"{quote_sql(join.this)}: name its column, as in unnest(...) AS u(part)")
    select.set("joins", [])
    for column in select.find_all(exp.Column):
        if column.table and column.table.casefold() == alias.name.casefold():
            column.set("table", None)
    _wrap_source(select, exp.Explode(this=join.this.expressions[0]), names[0])


def _move_into_source(select: exp.Select) -> None:
    """SELECT unnest(...) AS part, COUNT(*) FROM t GROUP BY part: rows are made first, then grouped."""
    item = _find_item(select)
    assert item is not None
    column = item.parent
    if not isinstance(column, exp.Alias) or column not in select.expressions:
        raise QueryError(f"{quote_sql(item)}: give it a name by itself, as in unnest(...) AS part")
    name = column.args["alias"]
    _wrap_source(select, item.copy(), name)
    text = item.sql("duckdb")
    for each in [item, *(found for found in select.find_all(exp.Explode) if found.sql("duckdb") == text)]:
        if each.find_ancestor(exp.Select) is select:
            each.replace(exp.column(name.copy()))


def _wrap_source(select: exp.Select, item: exp.Explode, name: exp.Identifier) -> None:
    source = select.args.get("from_")
    if source is None or select.args.get("joins"):
        raise QueryError(f"{quote_sql(item)}: {ONE_TABLE}")
    called = source.this.alias_or_name
    inner = exp.select("*", exp.alias_(item, name.copy())).from_(source.this.copy())
    source.this.replace(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(called))))


def _list_places(select: exp.Select) -> Iterator[exp.Select]:
    """Yield the SELECT of each place: its part, of rows that have one."""
    item = _find_item(select)
    assert item is not None
    text, between, places = _read_slice(item)
    if len(places) * sum(1 for _ in select.walk()) > MOST_NODES:
        raise QueryError(f"{quote_sql(item)}: this question becomes too long; look at fewer parts, or unnest only once")
    if any(each.find(exp.Window) for each in select.expressions):  # rows are numbered before they are made several
        raise QueryError(f"{quote_sql(item)}: number rows in one SELECT and unnest in another around it")
    for place in places:
        one = select.copy()
        one.set("with_", None)
        found = _find_item(one)
        assert found is not None
        found.replace(_call("SPLIT_PART", text, between, exp.Literal.number(place)))
        yield one.where(_has_place(text, between, place), copy=False)


def _has_place(text: exp.Expression, between: exp.Expression, place: int) -> exp.Expression:
    """Say that a text has so many parts: one more than what stands between them fits into it, from left to right."""
    if place == 1:
        return exp.Not(this=exp.Is(this=exp.paren(text.copy()), expression=exp.Null()))
    without = _call("LENGTH", _call("REPLACE", text, between, exp.Literal.string("")))
    taken = exp.Sub(this=_call("LENGTH", text), expression=without)
    return exp.GTE(this=taken, expression=exp.Literal.number((place - 1) * len(between.name)))


def _read_slice(item: exp.Explode) -> tuple[exp.Expression, exp.Expression, range]:
    """Return the text, what stands between its parts, and the places that are looked at."""
    bracket = item.this
    if not isinstance(bracket, exp.Bracket) or not isinstance(bracket.this, exp.Split) or item.expressions:
        raise QueryError(f"{quote_sql(item)}: {HOW}")
    text, between = bracket.this.this, bracket.this.expression
    cut = bracket.expressions[0] if len(bracket.expressions) == 1 else None
    if not isinstance(cut, exp.Slice) or cut.args.get("step"):
        raise QueryError(f"{quote_sql(item)}: {HOW}")
    first, last = (_read_number(each) for each in (cut.this or exp.Literal.number(1), cut.expression))
    if first is None or last is None or not 1 <= first <= last:
        raise QueryError(f"{quote_sql(item)}: {HOW}")
    if last - first >= MOST_PLACES:
        raise QueryError(f"{quote_sql(item)}: at most {MOST_PLACES} parts are looked at; write [1:{MOST_PLACES}]")
    if not isinstance(between, exp.Literal) or not between.is_string or not between.name:
        raise QueryError(f"{quote_sql(item)}: {HOW}")
    return text, between, range(first, last + 1)


def _read_number(node: exp.Expression | None) -> int | None:
    return int(node.name) if isinstance(node, exp.Literal) and node.name.isdecimal() and len(node.name) < 9 else None


def _unite(selects: list[exp.Select]) -> exp.Expression:
    """Return UNION ALL of them, in halves, so that it is not deep."""
    if len(selects) == 1:
        return selects[0]
    half = len(selects) // 2
    return exp.Union(this=_unite(selects[:half]), expression=_unite(selects[half:]), distinct=False)


def _call(name: str, *arguments: exp.Expr) -> exp.Func:
    return exp.func(name, *(each.copy() for each in arguments), dialect="duckdb")
