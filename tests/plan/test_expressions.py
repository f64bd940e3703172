"""Expressions over one row: what they read, and how they change."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Literal, all_of, columns_of, replaced

A, B = Column("t", "a", Type.BOOLEAN), Column("t", "b", Type.BOOLEAN)
BOTH = Call("and", (A, Call("or", (B, Literal(True, Type.BOOLEAN), A), Type.BOOLEAN)), Type.BOOLEAN)


def test_every_column_is_told_as_often_as_it_is_read() -> None:
    assert list(columns_of(BOTH)) == [A, B, A]
    assert list(columns_of(Literal(1, Type.INTEGER))) == []


def test_every_column_is_replaced_and_nothing_else() -> None:
    changed = replaced(BOTH, lambda column: Column("u", column.name, column.type))
    assert [column.relation for column in columns_of(changed)] == ["u"] * 3
    assert replaced(BOTH, lambda column: column) == BOTH


def test_conditions_are_joined_by_and() -> None:
    assert all_of([]) is None
    assert all_of([A]) is A
    assert all_of([A, B, A]) == Call("and", (Call("and", (A, B), Type.BOOLEAN), A), Type.BOOLEAN)
