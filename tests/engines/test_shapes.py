"""The guard: a value inside its ends, and NULL elsewhere."""

from __future__ import annotations

import duckdb
import pytest

from discreet.base.types import Type
from discreet.engines.duck.literals import cast_working
from discreet.engines.shapes import write_call, write_infix, write_within
from discreet.plan.expressions import Call


@pytest.mark.parametrize(
    ("value", "kept"), [("0", True), ("2", True), ("-1", False), ("3", False), ("NULL", False), ("'nan'", False)]
)
def test_only_what_lies_within_is_kept(value: str, kept: bool) -> None:
    (found,) = duckdb.execute(f"SELECT {write_within(f'{value}::DOUBLE', '0', '2')} IS NOT NULL").fetchall()
    assert found == (kept,)


def test_whole_numbers_are_computed_in_128_bits() -> None:
    assert cast_working("x", Type.INTEGER) == "CAST(x AS HUGEINT)"
    assert cast_working("x", Type.DECIMAL) == "CAST(x AS DOUBLE)"


def test_words_stand_where_they_should() -> None:
    made = Call("join", (), Type.TEXT)
    assert write_infix("||")(["a", "b"], made) == "(a || b)"
    assert write_call("strpos")(["a", "b"], made) == "strpos(a, b)"
