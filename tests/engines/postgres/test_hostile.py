"""Whatever a table holds and a database is set to, questions about it do not fail, and mean the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from discreet.engines.engines import Engines
from engines.postgres.placed import VARIABLE, Placed, engines
from engines.postgres.test_engine import QUESTIONS
from engines.postgres.test_session import HOSTILE, SHADOWS
from servers.postgres import Cluster
from support.hospital import HOSPITAL, POLICY, answered, engine_of

ZOO = """
CREATE EXTENSION IF NOT EXISTS citext;
CREATE TYPE mood AS ENUM ('sad', 'it''s %');
CREATE DOMAIN short AS varchar(5) CHECK (VALUE <> 'z');
CREATE DOMAIN share AS numeric CHECK (VALUE IS NULL OR VALUE >= 0);
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE zoo (
  who int, n numeric, wide numeric(1000, 500), part share, f4 real, f8 double precision, i2 smallint,
  c char(10), v varchar COLLATE loose, s short, e mood, u uuid, t text, d date, ts timestamp, tz timestamptz(0),
  "100%s" int, "a""b\\" text, "select" int,
  bytes bytea, list int[], doc jsonb, span interval, cash money, ci citext,
  g int GENERATED ALWAYS AS (who % 7) STORED) PARTITION BY HASH (who);
CREATE TABLE zoo_one PARTITION OF zoo FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE zoo_two PARTITION OF zoo FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO zoo SELECT n,
  (ARRAY['NaN', 'Infinity', '-Infinity', '1e400', '-1e-400', '2.5', '0', NULL])[n % 8 + 1]::numeric,
  (ARRAY['NaN', repeat('9', 500), '1e-500', '7', NULL])[n % 5 + 1]::numeric,
  (ARRAY['NaN', 'Infinity', '1e-9999', '0.5', NULL])[n % 5 + 1]::numeric,
  (ARRAY['NaN', 'inf', '-inf', '1e-45', '3e38', '-0'])[n % 6 + 1]::real,
  (ARRAY['NaN', 'inf', '-inf', '5e-324', '1.7e308', '-1.7e308', '-0', '2'])[n % 8 + 1]::float8,
  (ARRAY[-32768, 32767, 0, NULL])[n % 4 + 1], (ARRAY['a', '  b', '', NULL])[n % 4 + 1],
  (ARRAY['abc', 'ABC', '%', '\\', NULL])[n % 5 + 1], (ARRAY['ab', '', 'Z'])[n % 3 + 1],
  (ARRAY['sad', 'it''s %'])[n % 2 + 1]::mood, gen_random_uuid(),
  CASE n % 6 WHEN 0 THEN repeat('\u00e9', 3000000) WHEN 1 THEN '\\x' WHEN 2 THEN '2020-02-30'
    WHEN 3 THEN repeat('9', 500) WHEN 4 THEN '9999-12-31 24:00' ELSE '1e308' END,
  (ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '2020-02-29'])[n % 5 + 1]::date,
  (ARRAY['infinity', '-infinity', '4713-01-01 BC', '294276-12-31', '2020-02-29 12:00'])[n % 5 + 1]::timestamp,
  (ARRAY['infinity', '-infinity', '4713-01-02 BC', '294276-12-31', '2020-02-29 12:00'])[n % 5 + 1]::timestamptz,
  n, (ARRAY['%s', '''', NULL])[n % 3 + 1], n, '\\xff', '{1,2}', '{"a": 1}', '1 year', 5, 'X'
FROM generate_series(1, 60) AS g(n);
"""
OWNER = """\
[budget]
epsilon = 10
delta = 1e-6
[tables.zoo]
unit = "who"
size = 100
max_rows = 2
[tables.zoo.columns]
n = { lower = -5, upper = 5 }
wide = { lower = 0, upper = 10 }
part = { lower = 0, upper = 1 }
f4 = { lower = -9, upper = 9 }
f8 = { lower = -9, upper = 9 }
"""
NUMBERS = ("n", "wide", "part", "f4", "f8")
TEXTS = ("c", "v", "s", "e", "u", "t", '"a""b\\"')
TIMES = ("d", "ts", "tz")
ASKED = [
    *(f"SELECT COUNT({x}), SUM({x}), VARIANCE({x}), MEDIAN({x}) FROM zoo" for x in NUMBERS),
    *(
        f"SELECT COUNT(*) FROM zoo WHERE {x} * {x} / {x} + EXP({x}) > POW({x}, 3) OR ROUND({x}, 2) % 7 < 1"
        for x in NUMBERS
    ),
    *(f"SELECT COUNT(*) FROM zoo WHERE CAST({x} AS INTEGER) + 1 > 5 OR CAST({x} AS BOOLEAN)" for x in NUMBERS),
    *(f"SELECT {x}, COUNT(*) FROM zoo GROUP BY {x}" for x in (*TEXTS, *TIMES, "g", '"100%s"', '"select"')),
    *(
        f"SELECT COUNT(*), COUNT(DISTINCT {x}) FROM zoo WHERE UPPER({x}) LIKE '%a\\_%' OR TRIM({x}) < {x}"
        for x in TEXTS
    ),
    *(
        f"SELECT COUNT(*) FROM zoo WHERE REPLACE({x}, '9', 'xyz') || {x} <> REVERSE({x}) OR LENGTH({x}) > 3"
        for x in TEXTS
    ),
    *(
        f"SELECT COUNT(*) FROM zoo WHERE CAST({x} AS DOUBLE) > 1 OR CAST({x} AS INTEGER) > 1 OR CAST({x} AS BOOLEAN) "
        f"OR CAST({x} AS DATE) > DATE '2020-01-01' OR CAST({x} AS TIMESTAMP) IS NULL"
        for x in TEXTS
    ),
    *(f"SELECT EXTRACT(year FROM {x}) AS y, COUNT(*) FROM zoo GROUP BY 1" for x in TIMES),
    *(f"SELECT COUNT(*) FROM zoo WHERE {x} + INTERVAL 9000 YEAR IS NULL OR LAST_DAY({x}) = {x}" for x in TIMES),
    "SELECT CAST(t AS TIMESTAMP) AS at, COUNT(*) FROM zoo GROUP BY 1",
    "SELECT COUNT(*) FROM zoo WHERE CONCAT(t, t, t, t) = UPPER(CONCAT(t, t, t, t))",
]


def test_no_question_about_whatever_a_table_holds_fails(placed: Placed) -> None:
    placed.owner.execute(ZOO)
    zoo = engines(OWNER)
    for question in ASKED:
        found = answered(zoo, question)
        assert found.sets, question
    known = {name for name, type_ in zoo.tables["zoo"].source_types if type_ is not None}
    assert known.isdisjoint({"bytes", "list", "doc", "span", "cash", "ci"})


@pytest.fixture
def elsewhere(postgres: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Placed]:
    """A database whose texts are in the order of a dictionary."""
    with postgres.connect() as owner:
        owner.execute("DROP DATABASE IF EXISTS odd")
        owner.execute(
            "CREATE DATABASE odd ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0"
        )
    monkeypatch.setenv(VARIABLE, postgres.dsn("odd"))
    with postgres.connect("odd") as owner:
        yield Placed(postgres, "odd", owner)


def test_settings_and_shadows_change_no_answer(elsewhere: Placed) -> None:
    for name, table in HOSPITAL.items():
        elsewhere.table(name, table)
    elsewhere.owner.execute(SHADOWS)
    for name, value in HOSTILE.items():
        written = value if name == "search_path" else f"'{value}'"
        elsewhere.owner.execute(f"ALTER DATABASE odd SET {name} = {written}".encode())
    duck, found = engine_of(), engines(POLICY)
    assert_same(duck, found)


def assert_same(duck: Engines, found: Engines) -> None:
    more = (
        "SELECT COUNT(*) FROM visits WHERE ward < 'O' OR ward > 'a' AND ward < 'n'",
        "SELECT COUNT(*) FROM visits WHERE CAST(seen AS TEXT) = '1970-01-02' OR EXTRACT(hour FROM at) = 9",
        "SELECT COUNT(*) FROM visits WHERE ward = '\\' OR ward = 'attic' OR CAST(ward AS DOUBLE) = 1.5",
        "SELECT COUNT(*) FROM (SELECT patient, MIN(ward) AS a FROM visits GROUP BY patient) WHERE a = 'north'",
    )
    for question in (*QUESTIONS, *more):
        assert answered(found, question) == answered(duck, question), question
    for column in HOSPITAL["wards"].column_names:
        assert found.public_values("wards", column) == duck.public_values("wards", column)
