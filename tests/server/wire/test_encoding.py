"""Values in text and binary: what goes out comes back, and what does not fit is refused."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.server.wire import oids
from discreet.server.wire.decoding import decode_value, read_text_array, spread_formats
from discreet.server.wire.encoding import encode_binary, encode_row, encode_text, round_outwards
from discreet.server.wire.errors import WireError

VALUES = st.one_of(
    st.tuples(st.booleans(), st.just(oids.BOOL)),
    st.tuples(st.integers(-(1 << 63), (1 << 63) - 1), st.just(oids.INT8)),
    st.tuples(st.floats(allow_nan=False), st.just(oids.FLOAT8)),
    st.tuples(st.decimals(-(10**30), 10**30, allow_nan=False, places=9), st.just(oids.NUMERIC)),
    st.tuples(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")), st.just(oids.TEXT)),
    st.tuples(st.dates(), st.just(oids.DATE)),
    st.tuples(st.datetimes(timezones=st.just(UTC)), st.just(oids.TIMESTAMPTZ)),
)


@given(VALUES)
def test_values_come_back_from_both_formats(pair: tuple[object, int]) -> None:
    value, oid = pair
    assert decode_value(encode_text(value, oid), oid, False) == value
    assert decode_value(encode_binary(value, oid), oid, True) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40))
def test_decimals_of_any_scale_come_back(value: Decimal) -> None:
    if abs(value.adjusted()) < 200 and len(value.as_tuple().digits) < 200:
        assert decode_value(encode_binary(value, oids.NUMERIC), oids.NUMERIC, True) == value


@given(st.lists(st.one_of(st.none(), st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0")))))
def test_arrays_come_back(values: list[str | None]) -> None:
    array = oids.ARRAY_OF[oids.TEXT]
    assert decode_value(encode_binary(values, array), array, True) == values
    if all(value is None or value.strip() for value in values):
        assert decode_value(encode_text(values, array), array, False) == values


def test_text_is_written_as_postgresql_writes_it() -> None:
    moment = datetime(2025, 1, 2, 3, 4, 5, 600_000, tzinfo=UTC)
    for value, oid, text in [
        (True, oids.BOOL, b"t"),
        (790.0, oids.FLOAT8, b"790"),
        (0.1, oids.FLOAT8, b"0.1"),
        (math.inf, oids.FLOAT8, b"Infinity"),
        (math.nan, oids.FLOAT8, b"NaN"),
        (Decimal("1E+3"), oids.NUMERIC, b"1000"),
        (date(2025, 1, 2), oids.DATE, b"2025-01-02"),
        (moment, oids.TIMESTAMPTZ, b"2025-01-02 03:04:05.6+00"),
    ]:
        assert encode_text(value, oid) == text
    assert encode_row((1, None), (oids.INT8, oids.TEXT), (0, 1)) == [b"1", None]


@pytest.mark.parametrize("form", [encode_text, encode_binary])
def test_numbers_that_do_not_fit_are_refused_not_wrapped(form: object) -> None:
    for value in (1 << 63, -(1 << 63) - 1):
        with pytest.raises(WireError) as refused:
            form(value, oids.INT8)  # type: ignore[operator]
        assert refused.value.code == "22003"
        assert "discreet.integers = numeric" in refused.value.hint


@given(st.one_of(st.integers(-(10**30), 10**30), st.decimals(-(10**20), 10**20, places=12), st.floats(allow_nan=False)))
def test_ends_of_intervals_are_rounded_outwards(end: int | Decimal | float) -> None:
    low, high = round_outwards(end, False), round_outwards(end, True)
    if isinstance(end, float) and math.isinf(end):
        assert low == high == end
    else:
        assert Fraction(low) <= Fraction(end) <= Fraction(high)


@pytest.mark.parametrize(
    ("content", "oid", "binary"),
    [
        (b"seven", oids.INT8, False),
        (b"1" * 50, oids.INT8, False),
        (b"1" * 2_000, oids.NUMERIC, False),
        (b"1e9999", oids.NUMERIC, False),
        (b"maybe", oids.BOOL, False),
        (b"2025-13-01", oids.DATE, False),
        (b"{a,b", 1009, False),
        (b"\0\0\0", oids.INT8, True),
        (b"\0\1\0\0\0\0\0\0\xff\xff", oids.NUMERIC, True),
        (b"\x7f\xff\xff\xff", oids.DATE, True),
        (b"\0\0\0\1\0\0\0\0\0\0\0\x19\x7f\xff\xff\xff\0\0\0\1", 1009, True),
        (b"x", 600, True),
    ],
)
def test_values_that_are_none_of_their_type_are_refused(content: bytes, oid: int, binary: bool) -> None:
    with pytest.raises(WireError):
        decode_value(content, oid, binary)


def test_one_format_stands_for_all_and_none_for_text() -> None:
    assert spread_formats([], 2) == (0, 0)
    assert spread_formats([1], 2) == (1, 1)
    assert spread_formats([0, 1], 2) == (0, 1)
    for wrong in ([2], [0, 1, 0]):
        with pytest.raises(WireError):
            spread_formats(wrong, 2)


def test_arrays_of_text_are_read_with_quotes_and_nulls() -> None:
    assert read_text_array('{a, "b,c", NULL, "NULL", "\\""}', oids.TEXT) == ["a", "b,c", None, "NULL", '"']
    assert read_text_array("{}", oids.TEXT) == []
