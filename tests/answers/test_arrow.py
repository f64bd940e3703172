"""Data frames hold what the answer holds, exactly, in the types that the fields name."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.answers import AnswerTable
from discreet.base.errors import DiscreetError
from discreet.base.types import Type
from support.answers import answered, cities, key, noisy


def column(type: Type, *values: object) -> pa.ChunkedArray:
    return AnswerTable((noisy("c", type),), tuple((value,) for value in values)).to_arrow()["c"]


@pytest.mark.parametrize(
    ("type", "value", "kind"),
    [
        (Type.INTEGER, -(2**63), pa.int64()),
        (Type.INTEGER, 2**63 - 1, pa.int64()),
        (Type.INTEGER, 2**63, pa.decimal128(38, 0)),
        (Type.INTEGER, 10**38, pa.decimal256(76, 0)),
        (Type.INTEGER, 10**76, pa.string()),
        (Type.FLOAT, 0.1, pa.float64()),
        (Type.DECIMAL, Decimal("1.50"), pa.decimal128(38, 2)),
        (Type.DECIMAL, Decimal("1E+5"), pa.decimal128(38, 0)),
        (Type.DECIMAL, Decimal("1E-40"), pa.decimal256(76, 40)),
        (Type.DECIMAL, Decimal("NaN"), pa.string()),
        (Type.TEXT, "x", pa.string()),
        (Type.DATE, date(2020, 1, 1), pa.date32()),
        (Type.TIMESTAMP, datetime(2020, 1, 1, tzinfo=UTC), pa.timestamp("us", "UTC")),
        (Type.TIMESTAMP, datetime(2020, 1, 1), pa.timestamp("us")),
        (Type.BOOLEAN, True, pa.bool_()),
    ],
)
def test_every_type_has_its_arrow_type(type: Type, value: object, kind: pa.DataType) -> None:
    found = column(type, value, None)
    assert found.type == kind
    assert found.to_pylist() == [str(value) if kind == pa.string() else value, None]
    assert column(type).to_pylist() == []


@given(st.lists(st.none() | st.integers(-(10**80), 10**80), max_size=5))
def test_whole_numbers_of_any_width_survive(values: list[int | None]) -> None:
    found = column(Type.INTEGER, *values).to_pylist()
    assert [None if value is None else int(value) for value in found] == values


@given(st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False), max_size=5))
def test_decimals_of_any_kind_survive(values: list[Decimal | None]) -> None:
    found = column(Type.DECIMAL, *values).to_pylist()
    assert [None if value is None else Decimal(value) for value in found] == values


def test_pandas_keeps_whole_numbers_whole() -> None:
    pandas = pytest.importorskip("pandas")
    wide = AnswerTable((noisy("a"), noisy("b")), ((2**53 + 1, 2**70), (None, None))).to_pandas()
    assert wide["a"].dtype == pandas.Int64Dtype()
    assert wide["a"].tolist()[0] == 2**53 + 1
    assert wide["b"].tolist() == [2**70, None]
    assert cities().to_pandas()["n"].tolist() == [1200, 830, 64]
    assert list(cities().intervals().to_pandas().columns[:4]) == ["city", "n", "n_low", "n_high"]


def test_polars_keeps_every_digit() -> None:
    pytest.importorskip("polars")
    frame = AnswerTable((noisy("a"), noisy("b")), ((2**70, 10**40), (None, None))).to_polars()
    assert [int(frame["a"][0]), int(frame["b"][0])] == [2**70, 10**40]
    assert cities().to_polars().rows()[0] == ("Bern", 1200, 34.25)


def test_a_table_without_rows_keeps_its_columns() -> None:
    empty = answered(key(), noisy(), rows=[])
    assert empty.intervals().to_arrow().column_names == ["city", "n", "n_low", "n_high"]
    assert len(empty.to_pandas()) == len(empty.to_polars()) == 0


def test_arrow_carries_how_intervals_are_made() -> None:
    assert cities().to_arrow().schema.field("n").metadata == {b"discreet.interval": b"exact"}


@pytest.mark.parametrize(
    ("package", "method", "install"),
    [
        ("pandas", "to_pandas", "install pandas"),
        ("polars", "to_polars", "install polars"),
        ("matplotlib.figure", "plot", r"install discreet\[plot\]"),
    ],
)
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str, method: str, install: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DiscreetError, match=f"{package.split('.')[0]} is needed: {install}"):
        getattr(cities(), method)()
