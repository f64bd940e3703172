"""What one SELECT does to released values: ORDER BY, LIMIT, OFFSET and windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal
from discreet.plan.question import Finish
from discreet.plan.windows import Computed, Order, Stage, find_computed, note_choices
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.from_clause import refuse_aggregate
from discreet.query.select.windows import ReleasedFunctions

OUTSIDE = "HAVING chooses groups before windows are computed; put WHERE around: SELECT * FROM (SELECT ...) WHERE ..."


def read_order(select: exp.Select, outputs: list[Expression], scope: Scope) -> tuple[Order, ...]:
    """Return the terms of ORDER BY, over released values."""
    return _read_order(select.args.get("order"), outputs, scope)


def _read_order(node: exp.Expression | None, outputs: list[Expression], scope: Scope) -> tuple[Order, ...]:
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


def read_terms(node: exp.Expression, scope: Scope) -> tuple[Order, ...]:
    """Return the terms of ORDER BY inside a window: a number there is no place of a column, and is refused."""
    return _read_order(node.args.get("order"), [], scope)


def add_windows(finish: Finish, windows: ReleasedFunctions) -> Finish:
    """Return the finish of one SELECT with its windows: they see rows that HAVING left, and LIMIT cuts after them."""
    if not windows.found:
        return finish
    having, names = finish.having, {each.name for each in windows.found}
    if having is not None and any(each.name in names for each in find_computed([having])):
        raise QueryError(OUTSIDE)
    chosen = () if having is None else (having,)

    def change(expression: Expression) -> Expression:
        return note_choices(expression, names, chosen)

    columns = tuple(each for each in map(change, windows.found) if isinstance(each, Computed))
    outputs = tuple((name, change(each)) for name, each in finish.outputs)
    order = tuple(replace(term, by=change(term.by)) for term in finish.order)
    return replace(finish, outputs=outputs, having=None, order=order, stages=(*finish.stages, Stage(having, columns)))


def _no_column(node: exp.Column) -> Expression:
    raise QueryError(f"{quote_sql(node)}: a constant is expected here")
