"""The same rows give the same whole numbers wherever they come from, and no name or value leaves its quotes."""

from __future__ import annotations

import datetime as dt
import os
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.engines import Engines
from discreet.policy import loads
from support.hospital import answered, bounded, engine_of, open_engines

ROWS = pa.table(
    {
        "id": pa.array([1, 1, 1, 2, 3, None], pa.int64()),
        "age": pa.array([30, 200, None, 50, -7, 1], pa.int64()),
        "cost": pa.array([0.5, 1.5, None, 2.25, 99.0, 1.0], pa.float64()),
        "ward": pa.array(["it's", "south", "it's", "attic", None, "south"], pa.string()),
        "day": pa.array([0, 1, 2, 3, 4, 5], pa.date32()),
    }
)
OWNER = """\
[budget]
epsilon = 1.0
[tables.visits]
SOURCE
unit = "id"
max_rows = 2
[tables.visits.columns]
id = { type = "integer" }
age = { type = "integer", lower = 0, upper = 110 }
cost = { type = "float", lower = 0, upper = 10, step = 0.25 }
ward = { type = "text", values = ["it's", "south"] }
day = { type = "date" }
"""
QUESTION = "SELECT ward, COUNT(*), SUM(age), AVG(cost), MEDIAN(age) FROM visits WHERE day < '1970-01-05' GROUP BY ward"


def opened(folder: Path, source: str, frame: Any = None) -> Engines:
    policy = loads(OWNER.replace("SOURCE", source), folder / "policy.toml")
    return open_engines(policy, None if frame is None else {"visits": frame})


def refused(folder: Path, source: str, frame: Any = None) -> str:
    with pytest.raises(PolicyError) as found:
        opened(folder, source, frame)
    return str(found.value)


def test_all_sources_give_the_same_numbers(tmp_path: Path) -> None:
    pq.write_table(ROWS.slice(0, 2), tmp_path / "part-1.parquet")
    pq.write_table(ROWS.slice(2), tmp_path / "part-2.parquet")
    ROWS.to_pandas().astype({"id": "Int64", "age": "Int64"}).to_csv(tmp_path / "rows.csv", index=False)
    ROWS.to_pandas().astype({"id": "Int64", "age": "Int64"}).to_csv(tmp_path / "rows.csv.gz", index=False, sep=";")
    with duckdb.connect(str(tmp_path / "rows.duckdb")) as database:
        database.register("given", ROWS)
        database.execute("CREATE TABLE visits AS SELECT * FROM given")
        database.execute('CREATE SCHEMA "a b"; CREATE TABLE "a b"."x" AS SELECT * FROM given')
    engines = [
        opened(tmp_path, 'source = "part-*.parquet"'),
        opened(tmp_path, 'source = "rows.csv"'),
        opened(tmp_path, 'source = "rows.csv.gz"'),
        opened(tmp_path, 'source = "rows.duckdb"'),
        opened(tmp_path, 'source = "rows.duckdb"\ntable = "a b.x"'),
        opened(tmp_path, "", ROWS),
        opened(tmp_path, "", ROWS.to_pandas().astype({"id": "Int64", "age": "Int64"})),
        opened(tmp_path, "", pl.from_arrow(ROWS)),
    ]
    found = [answered(engine, QUESTION) for engine in engines]
    assert found[0].sets[0].sums[-1], "there is something to compare"
    assert all(each == found[0] for each in found)


def test_two_tables_of_one_database_file(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "both.db")) as database:
        database.execute("CREATE TABLE a AS SELECT 1 AS x; CREATE TABLE b AS SELECT 2 AS x UNION ALL SELECT 3")
    head = "[budget]\nepsilon = 1.0\n"
    tables = "".join(f'[tables.{name}]\nsource = "both.db"\nrows_are_units = true\n' for name in "ab")
    engine = open_engines(loads(head + tables, tmp_path / "policy.toml"))
    assert [answered(engine, f"SELECT COUNT(*) FROM {name}").sets[0].sums for name in "ab"] == [((1,),), ((2,),)]


def test_bad_cells_of_csv_are_null_and_short_lines_are_left_out(tmp_path: Path) -> None:
    lines = [
        "id,age,cost,ward,day",
        "1,thirty,x,south,never",
        "2,31,1e999,south,1970-01-01",
        "3",
        "4,5,6,south,1970-01-02,7",
    ]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    engine = opened(tmp_path, 'source = "rows.csv"')
    assert answered(engine, "SELECT COUNT(*) FROM visits").sets[0].sums == ((3,),)
    assert answered(engine, "SELECT COUNT(age) FROM visits").sets[0].sums == ((2,),)
    assert answered(engine, "SELECT COUNT(*) FROM visits WHERE day IS NULL").sets[0].sums == ((1,),)


def test_the_dialect_of_csv_does_not_depend_on_its_rows(tmp_path: Path) -> None:
    honest = "id,age,cost,ward,day\n" + "".join(f"{unit},30,1,south,1970-01-01\n" for unit in range(2, 40))
    counts = []
    for one in ("", "1;30;1;south;1970-01-01\n" * 30, "1|2|3\n" * 30):
        (tmp_path / "rows.csv").write_text(honest.replace("\n", "\n" + one, 1))
        found = answered(opened(tmp_path, 'source = "rows.csv"'), "SELECT COUNT(*) FROM visits WHERE id >= 2")
        counts.append(found.sets[0].sums)
    assert counts == [((38,),)] * 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("7412,30,1,south,1970-01-01\n7413,31,2,south,1970-01-01\n", "holds no name that the policy declares"),
        ("", "holds no name that the policy declares"),
        ("id,,cost,ward,day\n7412,1,1,south,1970-01-01\n", "holds an empty name"),
    ],
)
def test_csv_without_a_header_is_refused_and_not_quoted(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "rows.csv").write_text(content)
    told = refused(tmp_path, 'source = "rows.csv"')
    assert words in told
    assert "7412" not in told
    assert "south" not in told


def test_csv_files_that_begin_differently_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("id,age,cost,ward,day\n")
    (tmp_path / "2.csv").write_text("id,cost,age,ward,day\n")
    assert "different lines" in refused(tmp_path, 'source = "*.csv"')
    assert "there is no file" in refused(tmp_path, 'source = "none-*.csv"')


@pytest.mark.parametrize("name", ["rows.parquet", "rows.duckdb"])
def test_sources_that_cannot_be_read_are_not_quoted(tmp_path: Path, name: str) -> None:
    assert "visits.source" in refused(tmp_path, f'source = "{name}"')
    (tmp_path / name).write_bytes(b"the secret of patient 7412" * 1000)
    told = refused(tmp_path, f'source = "{name}"')
    assert "visits.source" in told
    assert "secret" not in told


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    mixed = pd.DataFrame({"id": [1, 2], "age": [30, "seventy"]})
    assert "one type" in refused(tmp_path, "", mixed)
    assert "seventy" not in refused(tmp_path, "", mixed)
    for frame in ([1, 2], "SELECT 1", {"id": [1]}, ROWS.to_reader(), pl.from_arrow(ROWS).lazy()):  # type: ignore[union-attr]
        assert "hand over a pandas or polars DataFrame" in refused(tmp_path, "", frame)
    assert "there is no source" in refused(tmp_path, "")


def test_a_frame_that_changes_later_changes_no_answer(tmp_path: Path) -> None:
    frame = ROWS.to_pandas().astype({"id": "Int64", "age": "Int64"})
    engine = opened(tmp_path, "", frame)
    before = answered(engine, QUESTION)
    frame.loc[:, "ward"] = "south"
    assert answered(engine, QUESTION) == before


def units(column: pa.Array, **limits: int) -> Engines:
    bounds = "\n".join(f"{name} = {most}" for name, most in (limits or {"max_rows": 1}).items())
    policy = f'[budget]\nepsilon = 1.0\n[tables.t]\nunit = "u"\n{bounds}\n'
    return engine_of(policy, {"t": pa.table({"u": column})})


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**64 - 1, 2**64 - 2, 2**64 - 3], pa.uint64()),
        pa.array([Decimal(10**37 + 1), Decimal(10**37 + 2), Decimal(10**37 + 3)], pa.decimal128(38, 0)),
        pa.array([Decimal("0.01"), Decimal("0.02"), Decimal("0.03")], pa.decimal128(38, 2)),
        pa.array([1, 2, 3], pa.timestamp("us")),
        pa.array(["a", "A", "\u00e4"], pa.string()).dictionary_encode(),
        pa.array([2**63 - 1, -(2**63), 0], pa.int64()),
    ],
    ids=["unsigned", "wide", "decimal", "moment", "enum", "integer"],
)
def test_units_that_differ_stay_different(column: pa.Array) -> None:
    twice = (
        pa.concat_arrays([column, column])
        if not pa.types.is_dictionary(column.type)
        else pa.array([*column.to_pylist(), *column.to_pylist()], pa.string()).dictionary_encode()
    )
    assert answered(units(twice), "SELECT COUNT(*) FROM t").sets[0].sums == ((3,),)
    assert answered(units(twice), "SELECT COUNT(DISTINCT u) FROM t").sets[0].sums == ((3,),)


def test_units_that_no_moment_can_hold_are_dropped() -> None:
    far = pa.array([0, 1, 2**62, -(2**62)], pa.timestamp("s"))
    assert answered(units(far), "SELECT COUNT(*) FROM t").sets[0].sums == ((2,),)


def in_database(folder: Path, table: str, columns: str = "", more: str = "rows_are_units = true") -> Engines:
    with duckdb.connect(str(folder / "t.duckdb")) as database:
        database.execute(f"CREATE TABLE t AS {table}" if table.startswith("SELECT") else table)
    policy = f'[budget]\nepsilon = 1.0\n[tables.t]\nsource = "t.duckdb"\n{more}\n[tables.t.columns]\n{columns}\n'
    return open_engines(loads(policy, folder / "policy.toml"))


def test_types_of_databases_in_the_words_of_a_policy(tmp_path: Path) -> None:
    engine = in_database(
        tmp_path,
        "CREATE TYPE mood AS ENUM ('a', 'it''s (b)'); CREATE TABLE t (m mood, l DECIMAL(3, 1)[], d DECIMAL(4, 1), "
        "n TIMESTAMP_NS, z TIMESTAMPTZ, u UUID, h HUGEINT, uh UHUGEINT, s STRUCT(a INT), b BLOB, e ENUM('q')[])",
    )
    assert {column.name: column.type for column in engine.tables["t"].columns} == {
        "m": Type.TEXT,
        "d": Type.DECIMAL,
        "n": Type.TIMESTAMP,
        "z": Type.TIMESTAMP,
        "u": Type.TEXT,
        "h": Type.DECIMAL,
        "uh": Type.DECIMAL,
    }


def test_enum_uuid_and_wide_integers_as_keys(tmp_path: Path) -> None:
    engine = in_database(
        tmp_path,
        "SELECT 'x'::ENUM('x', 'y') AS e, '00000000-0000-0000-0000-000000000001'::UUID AS u, 7::UHUGEINT AS h",
        'e = { values = ["x", "z"] }\nh = { values = [7, 8] }\n'
        'u = { values = ["00000000-0000-0000-0000-000000000001"] }',
    )
    for name, wanted in (("e", (1, 0)), ("u", (1,)), ("h", (1, 0))):
        assert answered(engine, f"SELECT {name}, COUNT(*) FROM t GROUP BY {name}").sets[0].sums == (wanted,)


def test_a_collation_of_the_database_does_not_multiply_rows_or_join_units(tmp_path: Path) -> None:
    made = "CREATE TABLE t (s VARCHAR COLLATE NOCASE); INSERT INTO t VALUES ('a')"
    engine = in_database(tmp_path, made, 's = { values = ["a", "A"] }')
    assert answered(engine, "SELECT s, COUNT(*) FROM t GROUP BY s").sets[0].sums == ((0, 1),)
    assert answered(engine, "SELECT COUNT(*) FROM t WHERE s = 'A'").sets[0].sums == ((0,),)


def test_moments_that_do_not_fit_are_null_and_never_an_error(tmp_path: Path) -> None:
    frame = pa.table({"m": pa.array([0, 2**60, None], pa.timestamp("s"))})
    engine = engine_of("[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n", {"t": frame})
    assert answered(engine, "SELECT COUNT(m), COUNT(*) FROM t").sets[0].sums == ((1,), (3,))
    assert answered(engine, "SELECT COUNT(*) FROM t WHERE m < '2000-01-01'").sets[0].sums == ((1,),)


@pytest.fixture
def in_new_york() -> Iterator[None]:
    before = os.environ.get("TZ")
    os.environ["TZ"] = "America/New_York"
    time.tzset()
    yield
    os.environ.pop("TZ")
    if before is not None:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.usefixtures("in_new_york")
def test_moments_are_in_utc_wherever_the_machine_stands() -> None:
    noon = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
    zoned = pa.table({"m": pa.array([noon], pa.timestamp("us", "Asia/Tokyo"))})
    policy = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.p]\npublic = true\n"
    engine = engine_of(policy, {"t": zoned, "p": zoned})
    assert engine.public_values("p", "m") == (noon,)
    assert answered(engine, "SELECT COUNT(*) FROM t WHERE m = '2026-03-01 12:00:00'").sets[0].sums == ((1,),)
    assert answered(engine, "SELECT COUNT(*) FROM t WHERE m = TIMESTAMP '2026-03-01 14:00:00+02:00'").sets[0].sums == (
        (1,),
    )
    assert answered(engine, "SELECT p.m, COUNT(*) FROM t JOIN p USING (m) GROUP BY p.m").sets[0].sums == ((1,),)


def test_decimal_units_of_csv_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("u\n1.0\n1\n")
    policy = '[budget]\nepsilon = 1.0\n[tables.t]\nsource = "t.csv"\nunit = "u"\nmax_rows = 1\n'
    with pytest.raises(PolicyError, match="in many ways"):
        open_engines(loads(policy + '[tables.t.columns]\nu = { type = "decimal" }\n', tmp_path / "policy.toml"))


NAMES = st.text(
    alphabet=st.one_of(
        st.sampled_from("\"'; -*/()[]{}%\\\n\u00e9\u0130\U0001f600"), st.characters(min_codepoint=97, max_codepoint=122)
    ),
    min_size=1,
    max_size=12,
).filter(lambda name: name.strip())


@settings(max_examples=40)
@given(NAMES, NAMES, st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_no_name_or_category_breaks_out(table: str, column: str, values: list[str]) -> None:
    def toml(word: str) -> str:
        return '"' + "".join(f"\\U{ord(letter):08x}" for letter in word) + '"'

    listed = ", ".join(toml(value) for value in values)
    policy = f"[budget]\nepsilon = 1.0\n[tables.{toml(table)}]\nrows_are_units = true\n"
    policy += f"[tables.{toml(table)}.columns]\n{toml(column)} = {{ values = [{listed}] }}\n"
    engine = engine_of(policy, {table: pa.table({column: [values[0], "another one", None]})})
    name, key = ('"' + word.replace('"', '""') + '"' for word in (table, column))
    value = values[0].replace("'", "''")
    plan = bounded(engine, f"SELECT {key}, COUNT(*) FROM {name} WHERE {key} = '{value}' GROUP BY {key}").plan
    found = engine.run(plan).result()
    assert found.sets[0].sums == (tuple(int(each == values[0]) for each in plan.keys[0].domain or ()),)
    engine.close()
