"""The types of columns."""

from __future__ import annotations

from discreet.base.types import Type


def test_a_policy_names_types_by_plain_words() -> None:
    assert [str(kind) for kind in Type] == ["boolean", "integer", "decimal", "float", "text", "date", "timestamp"]
    assert Type("integer") is Type.INTEGER


def test_only_numbers_can_be_added() -> None:
    assert {kind for kind in Type if kind.numeric} == {Type.INTEGER, Type.DECIMAL, Type.FLOAT}
