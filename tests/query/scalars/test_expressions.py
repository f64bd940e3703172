"""Conditions mean what DuckDB means by the same text, on rows that hold the worst; the rest is refused."""

from __future__ import annotations

import datetime as dt
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.hospital import answered, engine_of, refusal, sums

BIG = 2**63 - 1
ROWS = pa.table(
    {
        "i": pa.array([0, 1, -1, 2, 7, BIG, -BIG - 1, None, None, 3], pa.int64()),
        "j": pa.array([1, None, -1, 0, BIG, BIG, -BIG - 1, 5, None, -3], pa.int64()),
        "f": pa.array([0.0, -0.0, 0.5, float("nan"), float("inf"), -float("inf"), 1e308, None, 5e-324, -2.5]),
        "s": pa.array(["", "a", "A", "a%b", "it's", "\u00e9\U0001f600", "a_b\\", None, "%", "2020-01-01"]),
        "b": pa.array([True, False, None, True, False, None, True, False, None, True]),
        "d": pa.array([0, 1, -1, 18262, None, 2932896, -719162, 5, 6, 7], pa.date32()),
        "m": pa.array([0, 1, -1, 1577836800000000, None, 10**15, -(10**15), 5, 6, 7], pa.timestamp("us")),
    }
)
ENGINE = engine_of("[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n", {"t": ROWS})
PLAIN = duckdb.connect(":memory:", config={"threads": 1})
PLAIN.register("given", ROWS)
PLAIN.execute("CREATE TABLE t AS SELECT * FROM given").fetchall()

WHOLE = st.sampled_from(["i", "j", "0", "1", "-1", "3", "NULL", f"{BIG}", f"-{BIG}", f"-{BIG + 1}", "9" * 30, "i", "j"])
FLOATS = st.sampled_from(["f", "f", "0.5", "-2.5", "1e308", "f", "NULL", "0.0"])
TEXTS = st.sampled_from(["s", "s", "''", "'a'", "'it''s'", "'\u00e9\U0001f600'", "NULL", "'a_b\\'"])
DATES = st.sampled_from(["d", "d", "DATE '1970-01-01'", "'2020-01-01'", "NULL", "CAST('1969-12-31' AS DATE)"])
MOMENTS = st.sampled_from(["m", "m", "TIMESTAMP '1970-01-01 00:00:00'", "'2020-01-01 00:00:00'", "NULL"])
COMPARED = st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="])
PATTERNS = st.lists(st.sampled_from(["%", "_", "a", "b", "\\", "\u00e9", ""]), max_size=4).map("".join)


@st.composite
def wholes(draw: Any) -> str:
    a, b = draw(WHOLE), draw(WHOLE)
    return str(
        draw(
            st.sampled_from(
                [
                    a,
                    f"({a} % {b})" if "NULL" not in (a, b) else a,
                    f"ABS({a})" if a in "ij" else a,
                    f"COALESCE({a}, {b})",
                    f"CASE WHEN b THEN {a} END",
                    f"CASE i WHEN {a} THEN {b} WHEN 1 THEN i ELSE 5 END",
                    f"(-{a})" if a in "ij" else a,
                ]
            )
        )
    )


KINDS = {"i": wholes(), "f": FLOATS, "s": TEXTS, "d": DATES, "m": MOMENTS}


@st.composite
def atoms(draw: Any) -> str:
    word = draw(COMPARED)
    column = draw(st.sampled_from(list(KINDS)))
    a, b, c = column, draw(KINDS[column]), draw(KINDS[column])
    choices = [f"{a} {word} {b}", f"{a} BETWEEN {b} AND {c}", f"{a} NOT BETWEEN {b} AND {c}", f"{b} IS NULL"]
    choices += [f"{a} IS NOT NULL", "b", "b = FALSE", "b <> TRUE", "b IS NULL", "TRUE"]
    if column == "s":
        pattern = draw(PATTERNS).replace("'", "''")
        choices += [f"s LIKE '{pattern}'", f"s NOT LIKE '{pattern}'", "s IN ('a', '', NULL)", "s NOT IN ('a', 'it''s')"]
    if column == "i":
        choices += ["i IN (0, NULL, 7)", "i NOT IN (0, NULL)", f"i NOT IN ({BIG}, 2)", "i / 2 > 0.3", "j / 4 <= f"]
    if column == "f":
        choices += ["f + 0.5 > 0", "f * f >= f", "-f < 1", "ABS(f) > 2", "f IN (0.5, NULL)", "f / 2 = f"]
    if column == "d":
        choices += [f"d {word} m", "d IN ('1970-01-01', NULL)", "d >= TIMESTAMP '1970-01-01 12:00:00'"]
    return str(draw(st.sampled_from(choices)))


CONDITIONS = st.recursive(
    atoms(),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda each: f"({each[0]} {each[1]} {each[2]})"),
        inner.map(lambda each: f"NOT ({each})"),
        inner.map(lambda each: f"CASE WHEN {each} THEN b ELSE {each} END"),
    ),
    max_leaves=4,
)


@settings(max_examples=250)
@given(CONDITIONS)
def test_a_condition_means_what_duckdb_means(condition: str) -> None:
    text = f"SELECT COUNT(*) FROM t WHERE {condition}"
    found = sums(answered(ENGINE, text))[0][0]
    try:
        wanted = PLAIN.execute(text).fetchall()[0][0]
    except duckdb.Error:
        return
    assert found == wanted


@pytest.mark.parametrize(
    "condition",
    [
        "s LIKE 'a%'",
        "s NOT LIKE 'a%'",
        "s LIKE 'a_b\\'",
        "s !~~ '%'",
        "NOT s LIKE ''",
        "i IN (0, 7)",
        "i NOT IN (0, 7)",
        "i NOT IN (0, NULL)",
        "NOT (i IN (0, NULL))",
        "i BETWEEN 0 AND 7",
        "i NOT BETWEEN 0 AND NULL",
        "CASE WHEN i > 0 THEN TRUE END",
        "CASE i WHEN 0 THEN b WHEN NULL THEN TRUE ELSE FALSE END",
        "COALESCE(b, i > 0, TRUE)",
        "i ISNULL OR j NOTNULL",
        "NOT b OR NULL",
        "b AND NULL OR i = j",
        "f > 0",
        "f <> f",
        "i / 2 < j",
        "i % 2 = -1",
        "d >= '2020-01-01'",
        "m < '2020-01-01'",
        "d = m",
        "d BETWEEN '1969-12-31' AND DATE '1970-01-06'",
        "b IS TRUE",
        "b IS NOT TRUE",
        "b IS FALSE OR b IS UNKNOWN",
        "(b IS NOT FALSE) IS TRUE",
        "i IS DISTINCT FROM j",
        "i IS NOT DISTINCT FROM j",
        "f IS DISTINCT FROM f",
        "i IS NOT DISTINCT FROM NULL",
        "IF(b, i, j) = 1",
        "IFNULL(i, 5) = 5",
        "NULLIF(i, 0) IS NULL",
        "NULLIF(s, '') = 'a'",
        "CAST(b AS INTEGER) = 1",
        "b::DOUBLE > 0.5",
        "b::TEXT = 'true'",
        "TRY_CAST(f AS BIGINT) = 0",
        "TRY_CAST(i AS BOOLEAN)",
        "i::TEXT LIKE '-%'",
        "d::TEXT = '1970-01-01'",
        "CAST(d AS TIMESTAMP) <= m",
        "m::DATE = d",
        "TRY_CAST(s AS DATE) = d OR TRY_CAST(s AS DATE) > '2019-01-01'",
        "(i % 5)::DECIMAL(10, 2) > 0.5",
        "NULL::INTEGER IS NULL",
        "-i::DOUBLE > 0",
    ],
)
def test_every_construct_means_what_duckdb_means(condition: str) -> None:
    text = f"SELECT COUNT(*) FROM t WHERE {condition}"
    assert sums(answered(ENGINE, text)) == (PLAIN.execute(text).fetchall()[0],)


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("i % 0 = 0", 0),
        ("(i % 0) IS NULL", 10),
        ("f / 0 > 1", 0),
        ("(i / (j - j)) IS NULL", 10),
        (f"i + {BIG} > 0", 7),
        ("i * j > 0", 4),
        ("-i > 0", 2),
        ("ABS(i) > 9223372036854775807", 1),
        (f"i < {'9' * 60}", 8),
        ("f * 1e308 * 1e308 > 1", 5),
        ("d < TIMESTAMP '1970-01-01 12:00:00'", 3),
        ("IIF(i > 0, s, 'x') = 'x'", 5),
        ("CAST(f AS BIGINT) IS NULL", 5),
        ("CAST(s AS DOUBLE) IS NULL", 10),
        ("CAST(i AS DECIMAL(10, 2)) IS NULL", 4),
    ],
)
def test_no_condition_raises_where_duckdb_might(condition: str, count: int) -> None:
    assert sums(answered(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")) == ((count,),)


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("s LIKE s", "must be a constant"),
        ("s LIKE NULL", "must be a constant"),
        ("s LIKE ANY ('a', 'b')", "is not answered"),
        ("s COLLATE NOCASE = 'a'", "compare LOWER(x)"),
        ("E'a\\n' = s", "is not answered"),
        ("s = 5", "cannot be applied to"),
        ("i = '5'", "cannot be applied to"),
        ("i = TRUE", "cannot be applied to"),
        ("i AND b", "WHERE takes a condition"),
        ("NOT i", "cannot be applied to"),
        ("i BETWEEN SYMMETRIC 3 AND 1", "symmetric is not answered"),
        ("i IS TRUE", "cannot be applied to"),
        ("b IS b", "IS takes NULL"),
        ("i IS DISTINCT FROM s", "cannot be applied to"),
        ("IF(i, 1, 2) = 1", "cannot be applied to"),
        ("i IN (SELECT 1)", "answered for the unit alone"),
        ("i IN (j)", "a list of constants"),
        ("i IN j", "field is not answered"),
        ("i = (SELECT 1)", "in place of a value"),
        ("EXISTS (SELECT 1)", "has no FROM"),
        ("i = ANY (SELECT 1)", "is not answered"),
        ("(i, j) = (1, 2)", "compare each column"),
        ("i & 1 = 1", "is not answered"),
        ("CAST(f AS TEXT) = '1'", "cast to INTEGER first"),
        ("m::TEXT = '1'", "cast to DATE first"),
        ("CAST(i AS DATE) = d", "cannot be applied to"),
        ("CAST(i AS TINYINT) = 1", "values are cast to BOOLEAN"),
        ("i::HUGEINT = 1", "values are cast to BOOLEAN"),
        ("CAST(s AS INT[]) = 1", "values are cast to BOOLEAN"),
        ("CAST(s AS TIME) = 1", "values are cast to BOOLEAN"),
        ("CAST(s AS FOO) = 1", "values are cast to BOOLEAN"),
        ("d = CAST('2020-01-01' AS DATE FORMAT 'x')", "is not answered"),
        ("m = TIMESTAMPTZ '2020-01-01'", "values are cast to BOOLEAN"),
        ("d = DATE 'now'", "is not a date"),
        ("d = 'today'", "is not a date"),
        ("m = '0001-01-01 00:00:00+23:00'", "is not a timestamp"),
        ("ROUND(i * j, -1) + 2 > 0", "`ROUND(i * j, -1)`: ROUND here could make a whole number of more than 38 digits"),
        ("ROW_NUMBER() OVER () = 1", "window functions"),
        ("rowid = 1", "no column 'rowid'"),
        ("s[1] = 'a'", "is not answered"),
        ("f > 1e999", "of reasonable size"),
        ("f > 1e350", "of reasonable size"),
        (f"i > {'9' * 5000}", "of reasonable size"),
        ("i = ?", "name your parameters"),
        ("i = $x", "has no value"),
    ],
)
def test_what_is_refused(condition: str, part: str) -> None:
    told = refusal(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")
    assert part in told


@pytest.mark.parametrize(
    "output",
    ["ROUND(COUNT(*) / 7, 2)", "LEAST(COUNT(*), 5)", "CAST(COUNT(*) AS TEXT)", "IF(COUNT(*) > 3, 'many', 'few')"],
)
def test_released_values_have_the_same_functions(output: str) -> None:
    answered(ENGINE, f"SELECT {output} AS n FROM t")


def test_parameters_stand_for_constants() -> None:
    text = "SELECT COUNT(*) FROM t WHERE i = $x OR s LIKE $p OR d < $d"
    values = {"x": BIG, "p": "it's", "d": dt.date(1, 1, 1)}
    assert sums(answered(ENGINE, text, values)) == ((2,),)
