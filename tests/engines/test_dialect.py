"""What all dialects share: casts to the types of columns, and products that are total."""

from __future__ import annotations

from dataclasses import replace

from discreet.base.types import Type
from discreet.engines.dialect import HALVED, LOW
from discreet.engines.duck.dialect import DUCKDB


def test_casts_are_to_the_types_that_columns_have() -> None:
    assert DUCKDB.typed("x", Type.TEXT) == "CAST(x AS VARCHAR)"
    assert (DUCKDB.double("x"), DUCKDB.bigint("x")) == ("CAST(x AS DOUBLE)", "CAST(x AS BIGINT)")
    assert DUCKDB.whole("x") == "CAST(x AS HUGEINT)"


def test_texts_are_constants_and_products_are_forms() -> None:
    assert DUCKDB.text("it's") == "'it''s'"
    assert DUCKDB.product("a", "b") == "(CAST(a AS DOUBLE) * CAST(b AS DOUBLE))"


def test_sums_in_halves_fit_into_64_bits_over_all_rows_that_there_can_be() -> None:
    rows = 1 << 48
    assert ((HALVED - 1) // LOW) * rows < 1 << 63
    assert (LOW - 1) * rows < 1 << 63
    halving = replace(DUCKDB, halves=lambda value: (f"high({value})", f"low({value})"))
    assert halving.summed("x", HALVED - 1) == "(CAST(high(x) AS HUGEINT) * 32768 + low(x))"
    assert halving.summed("x", HALVED) == DUCKDB.summed("x", 1) == "sum(x)"
