"""Expressions over one row: what they read, and how they change."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Literal, find_columns, join_conditions, replace_columns

A, B = Column("t", "a", Type.BOOLEAN), Column("t", "b", Type.BOOLEAN)
BOTH = Call("and", (A, Call("or", (B, Literal(True, Type.BOOLEAN), A), Type.BOOLEAN)), Type.BOOLEAN)


def test_every_column_is_told_as_often_as_it_is_read() -> None:
    assert list(find_columns(BOTH)) == [A, B, A]
    assert list(find_columns(Literal(1, Type.INTEGER))) == []


def test_every_column_is_replaced_and_nothing_else() -> None:
    changed = replace_columns(BOTH, lambda column: Column("u", column.name, column.type))
    assert [column.relation for column in find_columns(changed)] == ["u"] * 3
    assert replace_columns(BOTH, lambda column: column) == BOTH


def test_conditions_are_joined_by_and() -> None:
    assert join_conditions([]) is None
    assert join_conditions([A]) is A
    assert join_conditions([A, B, A]) == Call("and", (Call("and", (A, B), Type.BOOLEAN), A), Type.BOOLEAN)
