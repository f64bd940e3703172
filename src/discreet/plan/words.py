"""Expressions in words: by the columns of tables that they are made from, however many subqueries are between."""

from __future__ import annotations

from discreet.plan.expressions import Column, Expression, columns_of
from discreet.plan.relations import Block, Nested, PerUnit, Union, sources


def told(expression: Expression, block: Block | None = None) -> str:
    """Return an expression in words.

    >>> from discreet.base.types import Type
    >>> told(Column("t0", "age", Type.INTEGER))
    'age'
    """
    if isinstance(expression, Column):
        return _column(expression, block)
    names = dict.fromkeys(_column(column, block) for column in columns_of(expression))
    return f"an expression of {', '.join(names)}" if names else "a constant"


def _column(column: Column, block: Block | None) -> str:
    found = None if block is None else next((s for s in sources(block) if s.relation == column.relation), None)
    if isinstance(found, Nested):
        return told(found.outputs[int(column.name[1:])], block)
    if isinstance(found, Union):
        return told(found.branches[0][1][int(column.name[1:])], block)
    if isinstance(found, PerUnit):
        place = int(column.name[1:])
        if column.name.startswith("k"):
            return told(found.keys[place], block)
        inside = found.aggregates[place]
        of = "" if inside.argument is None else f" of {told(inside.argument, block)}"
        return f"the {inside.kind.value}{of} of each unit"
    return column.name
