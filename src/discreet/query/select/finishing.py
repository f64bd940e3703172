"""What is done to released values: ORDER BY, LIMIT, and an outer SELECT around a whole question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal, Reference, Slot, join_conditions
from discreet.plan.question import Finish, Order, Question
from discreet.query.catalog import suggest_name
from discreet.query.parse import check_clauses, quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, is_star, name_apart, split_alias
from discreet.query.select.from_clause import check_condition, refuse_aggregate
from discreet.query.select.names import COLUMN
from discreet.query.select.picking import is_computed

AGAIN = (
    "answers are not aggregated again; ask for what you want to know, or group by the unit inside, so that rows are "
    "aggregated within one unit first"
)


def read_order(select: exp.Select, outputs: list[Expression], scope: Scope) -> tuple[Order, ...]:
    """Return the terms of ORDER BY, over released values."""
    node = select.args.get("order")
    if node is None:
        return ()
    refuse_other_parts(node, {"expressions"})
    terms = []
    for each in node.expressions:
        refuse_other_parts(each, {"this", "desc", "nulls_first"})
        by = _ordered(each.this, outputs, scope)
        terms.append(Order(by, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
    return tuple(terms)


def _ordered(node: exp.Expression, outputs: list[Expression], scope: Scope) -> Expression:
    if isinstance(node, exp.Literal) and not node.is_string:
        text = str(node.this)
        place = int(text) if text.isdecimal() and len(text) < 10 else 0
        if not 1 <= place <= len(outputs):
            raise QueryError(f"ORDER BY {node.this}: there is no such column in the SELECT")
        return outputs[place - 1]
    return translate(node, scope)


def read_limit(select: exp.Select, parameters: Mapping[str, Any]) -> int | None:
    """Return how many rows LIMIT leaves."""
    return _read_count(select.args.get("limit"), "LIMIT", parameters)


def read_offset(select: exp.Select, parameters: Mapping[str, Any]) -> int:
    """Return how many rows OFFSET leaves out before."""
    return _read_count(select.args.get("offset"), "OFFSET", parameters) or 0


def _read_count(node: exp.Expression | None, word: str, parameters: Mapping[str, Any]) -> int | None:
    if node is None:
        return None
    refuse_other_parts(node, {"expression"})
    found = translate(node.expression, Scope(_no_column, refuse_aggregate, parameters))
    value = found.value if isinstance(found, Literal) and found.type is Type.INTEGER else None
    if not isinstance(value, int) or not 0 <= value < 1 << 62:
        raise QueryError(f"{quote_sql(node)}: {word} takes a whole number that is not negative")
    return value


def wrap_question(select: exp.Select, inner: Question, parameters: Mapping[str, Any]) -> Question:
    """Return a question with an outer SELECT around it: it reads released values only, so it costs nothing more."""
    check_clauses(select)
    for clause in ("group", "having"):
        if select.args.get(clause):
            raise QueryError(f"{quote_sql(select.args[clause])}: {AGAIN}")
    cut = inner.finish.limit is not None or inner.finish.offset
    if cut and any(select.args.get(each) for each in ("where", "order")):
        raise QueryError("LIMIT inside, and WHERE or ORDER BY outside, are not answered; put LIMIT at the end")
    columns = dict(inner.finish.outputs)

    def column(node: exp.Column) -> Expression:
        refuse_other_parts(node, COLUMN)
        found = {name.casefold(): each for name, each in columns.items()}.get(node.name.casefold())
        if found is None:
            raise QueryError(
                f"{quote_sql(node)}: the subquery has no such column; {suggest_name(node.name, list(columns))}"
            )
        return found

    best = read_best_key(select, inner, column, parameters)
    if best is not None:
        return best
    scope = Scope(column, _not_again, parameters, finish=True)
    outputs: list[tuple[str, Expression]] = []
    for node in select.expressions:
        if is_star(node):
            refuse_other_parts(node.this if isinstance(node, exp.Column) else node, set(), STARS)
            outputs.extend(columns.items())
        else:
            name, meant = split_alias(node)
            outputs.append((name_apart(name, [each for each, _ in outputs]), translate(meant, scope)))
    check_names([name for name, _ in outputs])
    where = select.args.get("where")
    outer = None if where is None else check_condition("WHERE", translate(where.this, scope))
    having = join_conditions([each for each in (inner.finish.having, outer) if each is not None])
    offset, limit = read_offset(select, parameters), read_limit(select, parameters)
    kept = None if inner.finish.limit is None else max(0, inner.finish.limit - offset)
    limits = [each for each in (kept, limit) if each is not None]
    aliases = {name.casefold(): each for name, each in outputs}

    def ordered(node: exp.Column) -> Expression:
        return column(node) if node.table else aliases.get(node.name.casefold()) or column(node)

    by = Scope(ordered, _not_again, parameters, finish=True)
    order = read_order(select, [each for _, each in outputs], by) or inner.finish.order
    finish = Finish(tuple(outputs), having, order, min(limits) if limits else None, inner.finish.offset + offset)
    return replace(inner, finish=finish)


def read_best_key(
    select: exp.Select,
    inner: Question,
    column: Callable[[exp.Column], Expression],
    parameters: Mapping[str, Any],
) -> Question | None:
    """Return the question of ARG_MAX(key, score) over groups: the one key whose score is the largest, or smallest."""
    found = [split_alias(node) for node in select.expressions if isinstance(node.unalias(), exp.ArgMax | exp.ArgMin)]
    if not found:
        return None
    name, node = found[0]
    refuse_other_parts(node, {"this", "expression"}, {"count": "write ORDER BY score DESC LIMIT n around the subquery"})
    if len(select.expressions) != 1 or any(select.args.get(each) for each in ("where", "order", "limit", "offset")):
        raise QueryError(f"{quote_sql(node)} stands alone in its SELECT, over a subquery; put conditions inside")
    scope = Scope(column, _not_again, parameters, finish=True)
    key, score = translate(node.this, scope), translate(node.expression, scope)
    if not isinstance(score, Reference) or score.slot is not Slot.AGGREGATE or is_computed(key):
        raise QueryError(
            f"{quote_sql(node)}: ARG_MAX(key, score) takes a key and an aggregate of a subquery that groups by the key"
        )
    if inner.finish.limit is not None or inner.finish.offset:
        raise QueryError(f"{quote_sql(node)}: leave LIMIT in the subquery out")
    order = Order(score, isinstance(node, exp.ArgMax), False)
    return replace(inner, finish=Finish(((name, key),), inner.finish.having, (order,), 1))


def _not_again(node: exp.Expression) -> Expression | None:
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup):
        raise QueryError(f"{quote_sql(node)}: {AGAIN}")
    return None


def _no_column(node: exp.Column) -> Expression:
    raise QueryError(f"{quote_sql(node)}: a constant is expected here")
