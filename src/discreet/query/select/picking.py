"""Questions that choose keys: MODE(x), and keys alone with ORDER BY an aggregate and LIMIT."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.expressions import Expression, Reference, Slot
from discreet.plan.question import Aggregate, AggregateKind, Pick, Question
from discreet.plan.windows import Attached, Joined, find_released
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import translate
from discreet.query.select.aggregates import read_aggregate
from discreet.query.select.from_clause import FromClause
from discreet.query.select.per_unit import attach_filter

MODE_ALONE = (
    "MODE(x) is chosen by itself: beside it stand keys of one plain GROUP BY, other than x, and no other aggregate; "
    "ask for the others by themselves"
)

SCORES = (
    AggregateKind.ROWS,
    AggregateKind.VALUES,
    AggregateKind.UNITS,
    AggregateKind.DISTINCT,
    AggregateKind.SUM,
    AggregateKind.SUM_DISTINCT,
)
"""Aggregates by which keys are chosen: those that are one sum."""


def read_mode(node: exp.Expression, rows: FromClause) -> tuple[Expression, Aggregate] | None:
    """Return what MODE chooses among and the count by which it does, or nothing where the node is no MODE."""
    if isinstance(node, exp.Filter) and isinstance(node.this, exp.Mode | exp.WithinGroup):
        refuse_other_parts(node, {"this", "expression"})
        inner = attach_filter(node, rows)
        return read_mode(inner, rows)
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.Mode):
        return read_mode(_ordered_mode(node), rows)
    if not isinstance(node, exp.Mode):
        return None
    refuse_other_parts(node, {"this", "_filter"})
    argument = node.this
    if argument is None or isinstance(argument, exp.Distinct | exp.Star):
        raise QueryError(f"{quote_sql(node)}: MODE takes one column")
    if rows.names.is_unit(argument):
        raise QueryError(f"{quote_sql(node)}: this would name one of the units; choose among another column's values")
    count = exp.Count(this=exp.Star())
    count.set("_filter", node.args.get("_filter"))
    score = read_aggregate(count, rows)
    assert score is not None
    return translate(argument, rows.scope), score


def _ordered_mode(node: exp.Expression) -> exp.Expression:
    """MODE() WITHIN GROUP (ORDER BY x)."""
    refuse_other_parts(node, {"this", "expression", "_filter"})
    order = node.expression
    if node.this.this is not None or not isinstance(order, exp.Order) or len(order.expressions) != 1:
        raise QueryError(f"{quote_sql(node)}: write MODE(x)")
    (term,) = order.expressions
    refuse_other_parts(term, {"this", "desc", "nulls_first"})
    mode = exp.Mode(this=term.this.copy())
    mode.set("_filter", node.args.get("_filter"))
    return mode


def find_pick(question: Question) -> Question:
    """Return the question with its pick, where it shows only keys and leaves some out by an aggregate."""
    finish = question.finish
    if question.pick is not None or finish.having is not None or not finish.limit or finish.offset or not finish.order:
        return question
    if finish.stages or len(question.aggregates) != 1 or question.aggregates[0].kind not in SCORES:
        return question
    if len(question.sets) != 1 or not question.keys or any(is_computed(each) for _, each in finish.outputs):
        return question
    first, *others = finish.order
    if not isinstance(first.by, Reference) or not is_computed(first.by) or any(is_computed(each.by) for each in others):
        return question
    return replace(question, pick=Pick(finish.limit, first.descending, ordered=True))


def is_computed(expression: Expression) -> bool:
    """Say whether an expression is computed from released aggregates."""
    found = find_released(expression)
    return any(
        isinstance(each, Attached | Joined) or (isinstance(each, Reference) and each.slot is Slot.AGGREGATE)
        for each in found
    )
