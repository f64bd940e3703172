"""Functions mean what DuckDB means by the same text, on rows that hold the worst; what must be constant is."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

from discreet.query.scalars.calls import lower_ascii
from support.hospital import answered, engine_of, refusal, sums

ROWS = pa.table(
    {
        "i": pa.array([0, 1, -1, 2, 7, -9, 100, None, 5, 3], pa.int64()),
        "f": pa.array([0.0, -0.0, 0.5, float("nan"), 2.5, -3.5, 1e3, None, 0.25, -2.5]),
        "s": pa.array(["", "a", "A", "a%b", " it's ", "\u00e9\U0001f600", "aXbXc", None, "%", "xax"]),
    }
)
ENGINE = engine_of("[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n", {"t": ROWS})
PLAIN = duckdb.connect(":memory:", config={"threads": 1})
PLAIN.register("given", ROWS)
PLAIN.execute("CREATE TABLE t AS SELECT * FROM given").fetchall()


@pytest.mark.many
@pytest.mark.parametrize(
    "condition",
    [
        "LEAST(i, 3) = 3",
        "GREATEST(i, f, 1) > 1",
        "LEAST(s, 'b') = 'a'",
        "SIGN(i) = -1",
        "FLOOR(f) = CEIL(f)",
        "CEILING(f) > 0",
        "ROUND(f) = 3",
        "ROUND(f, 1) = 0.3",
        "ROUND(i, -1) = 10",
        "TRUNC(f) = -3",
        "SQRT(ABS(i)) > 1.5",
        "EXP(i) > 100",
        "LN(ABS(i) + 1) > 1",
        "LOG(ABS(i) + 1) > 1",
        "LOG10(ABS(i) + 1) > 1",
        "LOG2(ABS(i) + 1) > 1",
        "LOG(2, ABS(i) + 1) > 1",
        "POW(i, 2) = 49",
        "POWER(f, 2) = 6.25",
        "i ** 2 = 4",
        "-i ^ 2 = 4",
        "2 ^ 3 ^ 2 = i - i + 64",
        "i // 2 = -4",
        "i // 2 * 2 = i",
        "i % 4 = -1",
        "f % 2 = 0.5",
        "MOD(i, 4) = 1",
        "SIN(i) > 0",
        "COS(i) > 0 AND TAN(i) > 0",
        "ASIN(LEAST(GREATEST(i, -1), 1)) > 1",
        "ACOS(LEAST(GREATEST(i, -1), 1)) > 1",
        "ATAN(i) > 1",
        "ATAN2(i, 1) > 1",
        "RADIANS(i) > 0.1 AND DEGREES(i) > 100",
        "f < PI()",
        "LOWER(s) = 'a'",
        "UPPER(s) = 'A'",
        "LENGTH(s) = 2",
        "CHAR_LENGTH(s) > LEN('ab')",
        "SUBSTRING(s, 2) = 'xa'",
        "SUBSTR(s, 2, 1) = 'X'",
        "SUBSTRING(s FROM 2 FOR 1) = '%'",
        "SUBSTRING(s, i, 2) = 'a'",
        "SUBSTRING(s, -2) = 'ax'",
        "SUBSTRING(s, 0, 2) = 'a'",
        "LEFT(s, 2) = 'aX'",
        "LEFT(s, -1) = 'xa'",
        "RIGHT(s, 1) = 'x'",
        "TRIM(s) = 'it''s'",
        "LTRIM(s) = 'it''s '",
        "RTRIM(s) = ' it''s'",
        "TRIM(s, 'x') = 'a'",
        "TRIM(BOTH 'x' FROM s) = 'a'",
        "TRIM(LEADING 'x' FROM s) = 'ax'",
        "REPLACE(s, 'X', '--') = 'a--b--c'",
        "s || '!' = 'a!'",
        "s || NULL IS NULL",
        "CONCAT(s, NULL, '!') = '!'",
        "STARTS_WITH(s, 'a')",
        "PREFIX(s, 'a')",
        "s ^@ 'a'",
        "ENDS_WITH(s, 'x') OR SUFFIX(s, 'c')",
        "CONTAINS(s, 'X')",
        "STRPOS(s, 'b') = 3",
        "INSTR(s, 'b') > 0",
        "POSITION('X' IN s) = 2",
        "REVERSE(s) = 'cXbXa'",
        "STRLEN(s) = 6",
        "REGEXP_REPLACE(s, 'X', '') = 'abXc'",
        "REGEXP_REPLACE(s, '[A-Z]', '', 'g') = 'abc'",
        "REGEXP_REPLACE(s, '^[^a-z]+', '$1') = '$1it''s '",
        "REGEXP_REPLACE(s, '.$', '0') = '\u00e90'",
        "SPLIT_PART(s, 'X', 2) = 'b'",
        "SPLIT_PART(s, 'X', -1) = 'c'",
        "SPLIT_PART(s, 'x', 4) = ''",
        "SPLIT_PART(s, 'a', 1) IS NULL",
        "LPAD(s, 3, 'x') = 'xxa'",
        "RPAD(s, 3, 'x') = 'axx'",
        "s LIKE 'a!%b' ESCAPE '!'",
        "s NOT LIKE 'a!%b' ESCAPE '!'",
        "s ILIKE 'AX%'",
        "s NOT ILIKE 'a'",
    ],
)
def test_every_function_means_what_duckdb_means(condition: str) -> None:
    text = f"SELECT COUNT(*) FROM t WHERE {condition}"
    assert sums(answered(ENGINE, text)) == (PLAIN.execute(text).fetchall()[0],)


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ("SQRT(i) >= 0", 7),
        ("LN(0) IS NULL AND LN(-1) IS NULL AND SQRT(-1) IS NULL AND ASIN(2) IS NULL", 10),
        ("POW(10, 400) IS NULL AND EXP(1000) IS NULL AND 1 // 0 IS NULL AND 1 % 0 IS NULL", 10),
        ("LOWER(s) = '\u00e9\U0001f600'", 1),
        ("s ILIKE '\u00c9%'", 0),
        ("WIDTH_BUCKET(i, 0, 10, 5) = 0", 2),
        ("WIDTH_BUCKET(i, 0, 10, 5) = 6", 1),
        ("WIDTH_BUCKET(f, 0, 1.5, 3) = 2", 1),
        ("SUBSTRING(s, 1, -1) = ''", 9),
        ("SUBSTRING(s, 9223372036854775807, i) = ''", 9),
        ("LPAD(s, 3) = '  a'", 1),
        ("SQRT(NULL) IS NULL AND LOWER(NULL) IS NULL AND LEFT(s, NULL) IS NULL", 10),
    ],
)
def test_what_is_fixed_here(condition: str, count: int) -> None:
    assert sums(answered(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")) == ((count,),)


@pytest.mark.parametrize(
    ("condition", "part"),
    [
        ("LOG(3, f) > 1", "LN(x) / LN(base)"),
        ("LOG(f, 3) > 1", "LN(x) / LN(base)"),
        ("FLOOR(f, 2) > 1", "only ROUND takes digits"),
        ("TRUNC(f, 2) > 1", "only ROUND takes digits"),
        ("ROUND(f, i) > 1", "digits of ROUND"),
        ("ROUND(f, 99) > 1", "digits of ROUND"),
        ("ROUND(f, 1.5) > 1", "digits of ROUND"),
        ("ROUND(f, NULL) > 1", "digits of ROUND"),
        ("f // 2 = 1", "FLOOR(x / y)"),
        ("REPLACE(s, s, 'a') = 'a'", "searched for must be a constant"),
        ("REPLACE(s, 'a', s) = 'a'", "the replacement must be a constant"),
        ("REPLACE(s, '', 'a') = 'a'", "at least one letter"),
        ("TRIM(s, s) = 'a'", "must be a constant"),
        ("SPLIT_PART(s, s, 1) = 'a'", "must be a constant"),
        ("SPLIT_PART(s, '', 1) = 'a'", "at least one letter"),
        ("SPLIT_PART(s, 'a', 0) = 'a'", "which part is a constant"),
        ("SPLIT_PART(s, 'a', i) = 'a'", "which part is a constant"),
        ("SPLIT_PART(s, 'a', 1000001) = 'a'", "which part is a constant"),
        ("STRLEN(s, s) = 1", "write STRLEN(x)"),
        ("REGEXP_REPLACE(s, s, 'a') = 'a'", "the pattern must be a constant"),
        ("REGEXP_REPLACE(s, 'a', s) = 'a'", "the replacement must be a constant"),
        ("REGEXP_REPLACE(s, 'a', 'b', 'i') = 'a'", "the only option is 'g'"),
        ("REGEXP_REPLACE(s, 'a', '\\1') = 'a'", "groups such as"),
        ("REGEXP_REPLACE(s, 'a|b', '') = 'a'", "groups and alternatives"),
        (f"REGEXP_REPLACE(s, 'a', '{'x' * 65}', 'g') = 'a'", "64 times as long"),
        ("LPAD(s, i, 'a') = 'a'", "constant from 0 to 1000"),
        ("LPAD(s, 1001, 'a') = 'a'", "constant from 0 to 1000"),
        ("RPAD(s, 3, '') = 'a'", "at least one letter"),
        ("RPAD(s, 3, s) = 'a'", "must be a constant"),
        ("s LIKE 'a!' ESCAPE '!'", "itself"),
        ("s LIKE 'a!b' ESCAPE '!'", "itself"),
        ("s LIKE 'a' ESCAPE 'a'", "one character"),
        ("s LIKE 'a' ESCAPE ''", "one character"),
        ("s ILIKE 'a' ESCAPE 'ab'", "one character"),
        ("s LIKE s", "use CONTAINS"),
        ("WIDTH_BUCKET(f, 0, 1) = 1", "with constants"),
        ("WIDTH_BUCKET(f, 1, 0, 5) = 1", "low below high"),
        ("WIDTH_BUCKET(f, 0, 1, 0) = 1", "with constants"),
        ("WIDTH_BUCKET(f, 0, i, 5) = 1", "with constants"),
        ("WIDTH_BUCKET(f, 0, 1, 5.5) = 1", "with constants"),
        ("s || f = 'a'", "CAST(x AS TEXT)"),
        ("LENGTH(i) = 1", "cannot be applied to"),
        ("SUBSTRING(s, f) = 'a'", "cannot be applied to"),
        ("SUBSTRING(s, 1, 2, 3) = 'a'", "is not answered"),
        ("INSTR(s, 'a', 2) = 1", "is not answered"),
        ("PREFIX(s) = 'a'", "two texts"),
        ("SQRT(s) > 1", "cannot be applied to"),
        (f"CONCAT({', '.join(['s'] * 65)}) = 'a'", "64 times as long"),
        (f"f{' % 2' * 60} > 1", "nested more than 200 deep"),
    ],
)
def test_what_is_refused(condition: str, part: str) -> None:
    assert part in refusal(ENGINE, f"SELECT COUNT(*) FROM t WHERE {condition}")


def test_only_letters_of_ascii_are_lowered() -> None:
    assert lower_ascii("A\u00c9Z\u0130k") == "a\u00c9z\u0130k"
