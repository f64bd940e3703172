"""Expressions in words: by the columns of tables that they are made from, however many subqueries are between."""

from __future__ import annotations

from discreet.plan.expressions import Column, Expression, Reference, find_columns
from discreet.plan.question import Aggregate, AggregateKind
from discreet.plan.relations import Block, Nested, PerUnit, find_held, list_sources


def describe_expression(expression: Expression, block: Block | None = None) -> str:
    """Return an expression in words.

    >>> from discreet.base.types import Type
    >>> describe_expression(Column("t0", "age", Type.INTEGER))
    'age'
    """
    if isinstance(expression, Column):
        return _column(expression, block)
    names = dict.fromkeys(_column(column, block) for column in find_columns(expression))
    return f"an expression of {', '.join(names)}" if names else "a constant"


def describe_aggregate(asked: Aggregate, block: Block | None = None) -> str:
    """Return an aggregate in words."""
    name = describe_arguments(asked.argument, asked.other, block)
    if asked.kind is AggregateKind.QUANTILE and asked.share is not None:
        return f"quantile {float(asked.share):g} of {name}"
    return f"{asked.kind.value} of {name}" if name else asked.kind.value


def describe_arguments(argument: Expression | None, other: Expression | None, block: Block | None) -> str:
    """Return what an aggregate is of, in words."""
    return " and ".join(describe_expression(each, block) for each in (argument, other) if each is not None)


def _column(column: Column, block: Block | None) -> str:
    if block is None or not isinstance(column, Reference):
        return column.name
    found = next((each for each in list_sources(block) if each.relation == column.relation), None)
    held = find_held(found, column) if found is not None else ()
    if held:
        return describe_expression(held[0], block)
    if isinstance(found, PerUnit):
        inside = found.aggregates[column.index]
        of = "" if inside.argument is None else f" of {describe_expression(inside.argument, block)}"
        return f"the {inside.kind.value}{of} of each unit"
    if isinstance(found, Nested):
        return "the number of a row among its unit's"
    return column.name
