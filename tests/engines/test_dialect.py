"""What all dialects share: casts to the types of columns, and products that are total."""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.duck.dialect import DUCKDB


def test_casts_are_to_the_types_that_columns_have() -> None:
    assert DUCKDB.typed("x", Type.TEXT) == "CAST(x AS VARCHAR)"
    assert (DUCKDB.double("x"), DUCKDB.bigint("x")) == ("CAST(x AS DOUBLE)", "CAST(x AS BIGINT)")
    assert DUCKDB.whole("x") == "CAST(x AS HUGEINT)"


def test_texts_are_constants_and_products_are_forms() -> None:
    assert DUCKDB.text("it's") == "'it''s'"
    assert DUCKDB.product("a", "b") == "(CAST(a AS DOUBLE) * CAST(b AS DOUBLE))"
