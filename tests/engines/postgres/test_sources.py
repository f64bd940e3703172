"""Whatever a table of PostgreSQL holds, its columns are read without an error, and what does not fit is NULL."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from typing import Any

import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.postgres import sources
from discreet.engines.postgres.session import ServerFacts
from discreet.engines.postgres.sources import PostgresSource
from discreet.policy import loads
from discreet.policy.model import USUAL_LONGEST
from engines.postgres.placed import DECLARED, ENGINE, PATH, VARIABLE, Placed

OWNER = """\
[budget]
epsilon = 1
[tables.t]
TABLE
unit = "UNIT"
max_rows = 1
"""


def opened(table: str = "public.t", unit: str = "u", more: str = "") -> PostgresSource:
    """Return a source as the engine opens one, without the policy's say about its columns."""
    named = table.replace("\\", "\\\\").replace('"', '\\"')
    text = OWNER.replace("TABLE", f'table = "{named}"\n{more}').replace("UNIT", unit)
    policy = loads(text + ENGINE, PATH)
    with ServerFacts(PATH, DECLARED).connect() as session:
        source = PostgresSource(policy, policy.tables[0], session)
        source.types = {name: type_ for name, type_ in source.schema().items() if type_ is not None}
        source.check(session)
    return source


def read(source: PostgresSource, *columns: str) -> list[tuple[Any, ...]]:
    with ServerFacts(PATH, DECLARED).connect() as session:
        return session.rows(source.select(frozenset(columns)))


def column(placed: Placed, kind: str, *values: str) -> list[Any]:
    """Return what questions see of values in a column of that type."""
    listed = ", ".join(f"({n}, {value})" for n, value in enumerate(values))
    placed.owner.execute("DROP TABLE IF EXISTS t")
    placed.owner.execute(f"CREATE TABLE t (u int, x {kind})".encode())
    placed.owner.execute(f"INSERT INTO t VALUES {listed}".encode())
    return [value for value, _ in sorted(read(opened(), "x"), key=lambda row: row[1])]


def test_decimals_are_the_nearest_floats_and_null_beyond_all_of_them(placed: Placed) -> None:
    edges = ("1.7976931348623158e308", "1.797693134862316e308", "2.5e-324", "2.4e-324", "1e-16000", "9e131000")
    values = ["NULL", "'NaN'", "'Infinity'", "'-Infinity'", "0.1", "-0.000", *edges]
    found = column(placed, "numeric", *values)
    assert math.isnan(found[1])
    assert found[0] is None
    assert found[2:] == [math.inf, -math.inf, 0.1, 0.0, 1.7976931348623157e308, None, 5e-324, 0.0, 0.0, None]


def test_decimals_of_every_declared_size_are_read(placed: Placed) -> None:
    nines = "9" * 500
    assert column(placed, "numeric(1000, 500)", f"{nines}.5", f"-0.{'0' * 499}1", "'NaN'")[:2] == [None, 0.0]
    assert column(placed, "numeric(38, 9)", "12345678901234567890123456789.123456789") == [1.2345678901234568e28]
    assert column(placed, "numeric(3, -2)", "12345") == [12300.0]
    assert column(placed, "numeric(1000, -1000)", "'NaN'", f"{nines}e1000") == [
        pytest.approx(math.nan, nan_ok=True),
        None,
    ]
    assert column(placed, "numeric(2, 400)", "0", "99e-400") == [0.0, 0.0]
    assert column(placed, "numeric(300, 0)", "9" * 300) == [1e300]


def test_a_domain_is_what_it_stands_on(placed: Placed) -> None:
    """Its checks hold for what is stored, and for nothing that a question compares it with."""
    placed.owner.execute("CREATE DOMAIN positive AS numeric CHECK (VALUE > 0 AND VALUE < 'Infinity')")
    placed.owner.execute("CREATE DOMAIN narrower AS positive CHECK (VALUE < 100)")
    placed.owner.execute("CREATE DOMAIN short AS varchar(3) NOT NULL CHECK (VALUE <> '')")
    placed.owner.execute("CREATE DOMAIN birthday AS date CHECK (VALUE < '2020-01-01')")
    assert column(placed, "narrower", "1.5", "NULL") == [1.5, None]
    assert column(placed, "short", "'abc'") == ["abc"]
    assert column(placed, "birthday", "'1999-01-01'", "'0044-03-15 BC'") == [dt.date(1999, 1, 1), None]


def test_texts_of_all_kinds_are_texts(placed: Placed) -> None:
    assert column(placed, "char(4)", "'a'", "' b'", "NULL") == ["a", " b", None]
    assert column(placed, "varchar(4)", "'a  '", "''") == ["a  ", ""]
    assert column(placed, "text", r"'\x41 \'", "E'\\n\\t'", "'%s %'") == ["\\x41 \\", "\n\t", "%s %"]
    assert column(placed, "uuid", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'") == ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]
    placed.owner.execute("CREATE TYPE mood AS ENUM ('sad', 'it''s %')")
    assert column(placed, "mood", "'it''s %'", "NULL") == ["it's %", None]


def test_texts_without_end_are_null(placed: Placed) -> None:
    """PostgreSQL raises where a function would need more than 2^30 bytes, which some do at an eighth of that."""
    sizes = [USUAL_LONGEST, USUAL_LONGEST + 1, 3_000_000]
    for kind in ("text", "varchar"):
        listed = [f"repeat('{letter}', {size})" for size in sizes for letter in ("a", "\U0001f600")]
        found = column(placed, kind, *listed)
        assert [value and len(value) for value in found] == [USUAL_LONGEST, USUAL_LONGEST, None, None, None, None]


def test_texts_that_are_too_long_are_not_even_read(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int, x text)")
    placed.owner.execute("ALTER TABLE t ALTER x SET STORAGE EXTERNAL")
    placed.owner.execute("INSERT INTO t VALUES (1, repeat('a', 5000000))")
    with ServerFacts(PATH, DECLARED).connect() as session:
        rows = f"SELECT count(x) FROM ({opened().select(frozenset({'x'}))}) AS q"
        assert session.rows(rows) == [(0,)]
        ((told,),) = session.rows(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {rows}")
    assert told[0]["Plan"]["Shared Hit Blocks"] + told[0]["Plan"]["Shared Read Blocks"] < 50


def test_letters_are_counted_without_the_blanks_that_fill_a_column_up(placed: Placed) -> None:
    assert column(placed, f"char({4 * USUAL_LONGEST + 1})", "'a'", f"repeat('a', {USUAL_LONGEST + 1})") == ["a", None]


def test_texts_of_every_kind_are_as_long_as_declared(placed: Placed) -> None:
    placed.owner.execute("CREATE TYPE size AS ENUM ('small', 'medium')")
    placed.owner.execute("CREATE TABLE t (u int, x text, y size, z uuid)")
    placed.owner.execute("INSERT INTO t VALUES (1, 'small', 'small', gen_random_uuid()), (2, 'medium', 'medium', NULL)")
    found = read(opened(more="\n".join(f"columns.{name}.longest = 5" for name in "xyz")), "x", "y", "z")
    assert sorted(found, key=str) == [("small", "small", None, 1), (None, None, None, 2)]


def test_texts_are_compared_byte_by_byte_whatever_collation_they_have(placed: Placed) -> None:
    placed.owner.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    placed.owner.execute('CREATE TABLE t (u int, x text COLLATE loose, y varchar COLLATE "en-x-icu")')
    placed.owner.execute("INSERT INTO t VALUES (1, 'ABC', 'b'), (2, 'abc', 'B')")
    source = opened()
    with ServerFacts(PATH, DECLARED).connect() as session:
        inner = source.select(frozenset({"x", "y"}))
        kept = session.rows(f"SELECT y FROM ({inner}) AS q WHERE x = 'abc' AND x LIKE '%b%'")
        order = session.rows(f"SELECT y FROM ({inner}) AS q ORDER BY y")
        assert session.rows(f"SELECT count(DISTINCT x) FROM ({inner}) AS q") == [(2,)]
    assert (kept, order) == ([("B",)], [("B",), ("b",)])


def test_days_and_times_outside_the_calendar_are_null(placed: Placed) -> None:
    days = ("'infinity'", "'-infinity'", "'4713-01-01 BC'", "'0001-12-31 BC'", "'5874897-12-31'", "'10000-01-01'")
    assert column(placed, "date", "'0001-01-01'", "'9999-12-31'", *days) == [dt.date.min, dt.date.max, *[None] * 6]
    times = ("'infinity'", "'-infinity'", "'4713-01-01 00:00 BC'", "'294276-12-31 23:59:59.999999'", "'10000-01-01'")
    for kind in ("timestamp", "timestamptz"):
        assert column(placed, kind, *times, "'9999-12-31 23:59:59.999999Z'")[:5] == [None] * 5
    noon = dt.datetime(2024, 1, 1, 3, 0)
    assert column(placed, "timestamptz", "'2024-01-01 12:00+09'", "'2024-01-01 03:00Z'") == [noon, noon]
    assert column(placed, "timestamp(3)", "'2024-01-01 03:00:00.0015'") == [noon.replace(microsecond=2000)]


def test_numbers_and_truths_are_themselves(placed: Placed) -> None:
    assert column(placed, "int8", str(2**63 - 1), str(-(2**63))) == [2**63 - 1, -(2**63)]
    assert column(placed, "int2", "-32768") == [-32768]
    assert column(placed, "float4", "0.1", "'inf'", "1e-45") == [0.10000000149011612, math.inf, 1.401298464324817e-45]
    assert column(placed, "boolean", "true", "NULL") == [True, None]


@pytest.mark.many
@pytest.mark.parametrize(
    "kind",
    ["bytea", "int[]", "json", "jsonb", "interval", "money", "inet", "xml", "point", "time", "bit(3)", "int4range"],
)
def test_other_types_are_no_columns(placed: Placed, kind: str) -> None:
    placed.owner.execute(f"CREATE TABLE t (u int, x {kind})".encode())
    source = opened()
    assert source.schema() == {"u": Type.INTEGER, "x": None}
    assert read(source, "x") == []


def test_a_type_of_another_schema_with_the_name_of_a_known_one_is_none(placed: Placed) -> None:
    placed.owner.execute("CREATE TYPE public.numeric AS (a int)")
    placed.owner.execute("CREATE TABLE t (u int, x public.numeric)")
    assert opened().schema()["x"] is None


NAMES = [
    "select",
    'a"b',
    "100%",
    "%s",
    "%(x)s",
    "back\\slash",
    "it's",
    "Case",
    "case",
    "tab\tle",
    "\u00e9\U0001f600",
    "a;--",
]


def test_names_of_all_letters_are_found(placed: Placed) -> None:
    columns = ", ".join('"{}" int'.format(name.replace('"', '""')) for name in NAMES)
    placed.owner.execute(
        f'CREATE SCHEMA "Odd%s""schema"; CREATE TABLE "Odd%s""schema"."t.%s""x" (u int, {columns})'.encode()
    )
    values = ", ".join(str(place) for place in range(len(NAMES) + 1))
    placed.owner.execute(f'INSERT INTO "Odd%s""schema"."t.%s""x" VALUES ({values})'.encode())
    source = opened('Odd%s"schema.t.%s"x')
    assert list(source.types) == ["u", *NAMES]
    for place, name in enumerate(NAMES):
        assert read(source, name) == [(place + 1, 0)]


def test_the_unit_is_told_apart_exactly(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u numeric)")
    values = [
        "1.0",
        "1.00",
        "12345678901234567890.1",
        "12345678901234567890.2",
        "'NaN'",
        "'Infinity'",
        "NULL",
        "1e130000",
    ]
    placed.owner.execute(f"INSERT INTO t VALUES ({'), ('.join(values)})".encode())
    found = [unit for (unit,) in read(opened())]
    assert found[:7] == ["1", "1", "12345678901234567890.1", "12345678901234567890.2", "NaN", "Infinity", None]
    assert len(set(found)) == 7


def test_partitions_children_and_generated_columns_are_read(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int, x int GENERATED ALWAYS AS (u * 2) STORED) PARTITION BY RANGE (u)")
    placed.owner.execute("CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (10)")
    placed.owner.execute("CREATE TABLE t2 PARTITION OF t DEFAULT")
    placed.owner.execute("INSERT INTO t VALUES (1), (11)")
    assert sorted(read(opened(), "x")) == [(2, 1), (22, 11)]
    placed.owner.execute("CREATE TABLE mother (u int); CREATE TABLE child (extra int) INHERITS (mother)")
    placed.owner.execute("INSERT INTO child VALUES (7)")
    assert read(opened("mother")) == [(7,)]


def test_a_dropped_column_is_gone(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int, x int); ALTER TABLE t DROP COLUMN x")
    assert list(opened().schema()) == ["u"]


def refused(table: str = "t", more: str = "") -> str:
    with pytest.raises(PolicyError) as found:
        opened(table, more=more)
    return str(found.value)


def test_a_missing_table_is_named(placed: Placed) -> None:
    assert 'tables.t.table: there is no table "public"."none"; write table = "schema.name"' in refused("none")
    placed.owner.execute("CREATE SEQUENCE s")
    assert 'there is no table "public"."s"' in refused("s")


def test_a_missing_right_is_named(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    placed.owner.execute("CREATE TABLE t (u int); CREATE SCHEMA closed; CREATE TABLE closed.t (u int)")
    placed.role("reader", "its password")
    placed.owner.execute("REVOKE SELECT ON t FROM reader")
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn(placed.name, user="reader", password="its password"))
    try:
        for table in ("t", "closed.t"):
            assert "this user may not read it; GRANT SELECT on it, and USAGE on its schema" in refused(table)
    finally:
        placed.owner.execute("DROP OWNED BY reader")
        placed.owner.execute("DROP ROLE reader")


def test_rows_are_never_hidden_silently(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a policy that hides rows, who asks would change what is asked about."""
    placed.owner.execute("CREATE TABLE t (u int); INSERT INTO t VALUES (1), (2)")
    placed.owner.execute("ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY one ON t USING (u = 1)")
    placed.role("watched", "its password")
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn(placed.name, user="watched", password="its password"))
    try:
        assert "a row security policy hides rows of it; ask as a user with BYPASSRLS" in refused()
        placed.owner.execute("ALTER ROLE watched BYPASSRLS")
        assert len(read(opened())) == 2
    finally:
        placed.owner.execute("DROP OWNED BY watched")
        placed.owner.execute("DROP ROLE watched")


def test_a_view_is_a_source_that_names_its_version(placed: Placed) -> None:
    """Its own conditions come first: what they keep out may be what its columns cannot be computed of."""
    placed.owner.execute("CREATE TABLE t (u int, x int); INSERT INTO t VALUES (1, 5), (2, 0)")
    placed.owner.execute("CREATE VIEW v AS SELECT u, 10 / x AS y FROM t WHERE abs(abs(abs(x))) <> 0")
    assert (
        'tables.t.version: a view does not tell when its rows change; name one, such as version = "2026-03"'
        in refused("v")
    )
    source = opened("v", more='version = "1"')
    assert read(source, "y") == [(2, 1)]
    with ServerFacts(PATH, DECLARED).connect() as session:
        assert session.rows(f"SELECT y FROM ({source.select(frozenset({'y'}))}) AS q WHERE y < 9") == [(2,)]


def test_a_fingerprint_is_a_hash_of_what_is_counted(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    placed.owner.execute("CREATE TABLE t (u int)")
    source = opened()
    monkeypatch.setattr(sources, "writes", lambda session, relation: "counts")
    with ServerFacts(PATH, DECLARED).connect() as session:
        assert source.fingerprint(session) == hashlib.sha256(b"counts").hexdigest()
