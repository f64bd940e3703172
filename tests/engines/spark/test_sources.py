"""Parquet files and tables of the catalog are read on Spark as DuckDB reads files: what does not fit is NULL."""

from __future__ import annotations

import datetime as dt
import math
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.engines.duck.connection import connect
from discreet.engines.duck.sources import DuckSource as DuckSource
from discreet.engines.spark.session import SparkConnection
from discreet.engines.spark.sources import SparkSource, location
from discreet.policy import loads
from discreet.policy.model import Policy, Table
from support.differential import plain

WIDE = [Decimal("0.1"), Decimal("-12345678901234567890123456.789"), Decimal("1.50"), Decimal("0"), None]
COLUMNS = {
    "small": pa.array([1, -128, 127, 0, None], pa.int8()),
    "unsigned": pa.array([0, 2**32 - 1, 5, 0, None], pa.uint32()),
    "huge": pa.array([0, 2**64 - 1, 2**63, 1, None], pa.uint64()),
    "whole": pa.array([2**63 - 1, -(2**63), 0, 1, None], pa.int64()),
    "single": pa.array([0.1, math.nan, math.inf, -0.0, None], pa.float32()),
    "double": pa.array([0.1, math.nan, -math.inf, -0.0, None], pa.float64()),
    "money": pa.array(WIDE, pa.decimal128(38, 3)),
    "text": pa.array(["", "é\U0001f600", "it's ${x}", "a\nb", None], pa.string()),
    "truth": pa.array([True, False, True, False, None], pa.bool_()),
    "day": pa.array([0, -719162, 2932896, 2932897, None], pa.date32()),
    "before": pa.array([-719163, -(2**31), 2**31 - 1, 0, None], pa.int32()).cast(pa.date32()),
    "at": pa.array([0, -62135596800000000, 253402300799999999, 253402300800000000, None], pa.timestamp("us")),
    "zoned": pa.array([0, -1, -(2**62), 2**62, None], pa.timestamp("us", tz="Asia/Tokyo")),
    "milli": pa.array([0, -1, 10**12, -(10**13), None], pa.timestamp("ms")),
    "a `b`.c;{d} $e": pa.array([1, 2, 3, 4, None], pa.int64()),
    "list": pa.array([[1], [2], [], None, None], pa.list_(pa.int64())),
    "bytes": pa.array([b"a", b"b", b"", None, None], pa.binary()),
}

OWNER = """\
[budget]
epsilon = 1
[engine]
kind = "spark"
master = "local[1]"
[tables.t]
SOURCE
unit = "money"
max_rows = 1
"""


def declared(folder: Path, source: str) -> tuple[Policy, Table]:
    policy = loads(OWNER.replace("SOURCE", source), folder / "policy.toml")
    return policy, policy.tables[0]


def opened(session: SparkConnection, folder: Path, source: str = 'source = "t.parquet"') -> SparkSource:
    made = SparkSource(*declared(folder, source), session)
    made.types = {name: type_ for name, type_ in made.schema().items() if type_ is not None}
    return made


def test_columns_have_the_types_and_values_that_duckdb_sees(session: SparkConnection, tmp_path: Path) -> None:
    pq.write_table(pa.table(COLUMNS), tmp_path / "t.parquet")
    spark = opened(session, tmp_path)
    duck = DuckSource(*declared(tmp_path, 'source = "t.parquet"'), connect())
    schema = duck.schema()
    assert spark.schema() == schema
    assert {name for name, type_ in schema.items() if type_ is None} == {"list", "bytes"}
    duck.types = spark.types
    names = frozenset(name for name, type_ in schema.items() if type_ is not None)
    found, wanted = session.session.sql(spark.select(names)).collect(), duck.connection.sql(duck.select(names))
    assert len(found) == 5
    for mine, theirs in zip(found, wanted.fetchall(), strict=True):
        for name, a, b in zip(wanted.columns, mine, theirs, strict=True):
            assert plain(a) == plain(b), name


def test_a_name_in_which_hadoop_puts_other_words_is_no_column(session: SparkConnection, tmp_path: Path) -> None:
    """Read under its name, all its values would be NULL: the name that Hadoop makes of it is in no file."""
    pq.write_table(pa.table({"money": pa.array([1]), "${spark.master}": pa.array([2])}), tmp_path / "t.parquet")
    source = opened(session, tmp_path)
    assert source.schema()["${spark.master}"] is None
    asked = f"SELECT `${{spark.master}}` FROM {source.clause}"
    assert session.session.sql(asked).collect()[0][0] is None


def test_names_that_differ_in_case_are_two(session: SparkConnection, tmp_path: Path) -> None:
    table = pa.table({"money": pa.array([1]), "Age": pa.array([2]), "age": pa.array([3])})
    pq.write_table(table, tmp_path / "t.parquet")
    ((age, other, _),) = session.session.sql(opened(session, tmp_path).select(frozenset({"Age", "age"}))).collect()
    assert (age, other) == (2, 3)


def test_what_is_no_day_of_the_calendar_is_null(session: SparkConnection, tmp_path: Path) -> None:
    pq.write_table(pa.table({name: COLUMNS[name] for name in ("day", "before", "at", "money")}), tmp_path / "t.parquet")
    source = opened(session, tmp_path)
    found = session.session.sql(source.select(frozenset({"day", "before", "at"}))).collect()
    assert [row.day for row in found] == [dt.date(1970, 1, 1), dt.date.min, dt.date.max, None, None]
    assert [row.before for row in found] == [None, None, None, dt.date(1970, 1, 1), None]
    assert [row.at is None for row in found] == [False, False, False, True, True]


def test_units_that_are_decimals_are_texts_without_zeros_at_their_ends(
    session: SparkConnection, tmp_path: Path
) -> None:
    pq.write_table(pa.table(COLUMNS), tmp_path / "t.parquet")
    found = session.session.sql(opened(session, tmp_path).select(frozenset())).collect()
    assert [row[0] for row in found] == ["0.1", "-12345678901234567890123456.789", "1.5", "0", None]


def test_rows_are_not_skipped_by_what_files_say_of_their_numbers(session: SparkConnection, tmp_path: Path) -> None:
    """The statistics of the first group say that nothing in it is above 0.5; NaN is."""
    table = pa.table({"x": pa.array([0.5, math.nan, 2.0, 3.0], pa.float64()), "money": pa.array([1, 2, 3, 4])})
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    select = opened(session, tmp_path).select(frozenset({"x"}))
    assert len(session.session.sql(f"SELECT * FROM ({select}) WHERE x > 1").collect()) == 3


def test_a_file_that_cannot_be_read_is_an_error_and_not_left_out(session: SparkConnection, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    pq.write_table(pa.table({"money": pa.array([1, 2], pa.int64())}), tmp_path / "many" / "one.parquet")
    source = opened(session, tmp_path, 'source = "many"')
    (tmp_path / "many" / "two.parquet").write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(Exception, match=r"two\.parquet"):
        session.session.sql(source.select(frozenset())).collect()


def test_folders_patterns_and_strange_names_are_found(session: SparkConnection, tmp_path: Path) -> None:
    table = pa.table({"money": pa.array([1, 2], pa.int64())})
    folder = tmp_path / "it's ${x} [a]{b,c} %20#`"
    (folder / "many").mkdir(parents=True)
    for name in ("many/one.parquet", "many/two.parquet", "a[1]{2}.parquet", "a1.parquet"):
        pq.write_table(table, folder / name)

    def count(source: str) -> int:
        return len(session.session.sql(opened(session, folder, f'source = "{source}"').select(frozenset())).collect())

    assert count("many") == count("many/*.parquet") == 4
    assert count("many/one.parquet") == count("a[1]{2}.parquet".replace("[", "[[]")) == 2
    assert count("a1.parquet") == 2


def test_addresses_stay_as_they_are_and_paths_begin_in_the_folder_of_the_policy() -> None:
    places = {
        "s3a://bucket/visits": "s3a://bucket/visits",
        "hdfs://host:8020/x/*.parquet": "hdfs://host:8020/x/*.parquet",
        "x.parquet": "file:/data/x.parquet",
        "/y/x{1}.parquet": "file:/y/x\\{1\\}.parquet",
        "x/*.parquet": "file:/data/x/*.parquet",
    }
    for source, wanted in places.items():
        assert location(*declared(Path("/data"), f"source = {source!r}")) == wanted


def test_a_fingerprint_changes_with_the_files_and_only_then(session: SparkConnection, tmp_path: Path) -> None:
    table = pa.table({"money": pa.array([1, 2], pa.int64())})
    pq.write_table(table, tmp_path / "t.parquet")
    source = opened(session, tmp_path)
    first = source.fingerprint()
    assert source.fingerprint() == first
    pq.write_table(pa.table({"money": pa.array([1, 2, 3], pa.int64())}), tmp_path / "t.parquet")
    second = opened(session, tmp_path).fingerprint()
    os.utime(tmp_path / "t.parquet", (1, 1))
    assert len({first, second, opened(session, tmp_path).fingerprint()}) == 3


def test_tables_of_the_catalog_are_read_and_views_must_name_their_version(
    session: SparkConnection, tmp_path: Path
) -> None:
    spark = session.session
    spark.sql("CREATE DATABASE IF NOT EXISTS clinic")
    spark.sql("CREATE OR REPLACE VIEW clinic.seen AS SELECT 7L AS money")
    spark.sql("DROP TABLE IF EXISTS clinic.visits")
    spark.sql(f"CREATE TABLE clinic.visits USING parquet LOCATION 'file:{tmp_path}/warehouse' AS SELECT 5L AS money")
    try:
        table, view = (opened(session, tmp_path, f'table = "clinic.{name}"') for name in ("visits", "seen"))
        assert [row[0] for row in spark.sql(table.select(frozenset())).collect()] == [5]
        assert [row[0] for row in spark.sql(view.select(frozenset())).collect()] == [7]
        assert len(table.fingerprint()) == 64
        with pytest.raises(PolicyError, match=r'tables.t.version: nothing .* as in version = "2026-03"'):
            view.fingerprint()
    finally:
        spark.sql("DROP DATABASE clinic CASCADE")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('source = "none.parquet"', 'tables.t.source: there is no file "none.parquet"; check the path'),
        ('source = "bad.parquet"', "tables.t.source: Spark cannot read it; check that it is parquet"),
        (
            'source = "bad.csv"',
            "tables.t.source: is no parquet, and Spark reads parquet files here",
        ),
        ('source = "nowhere://lake/t.parquet"', "that Spark has the connector and the rights for this address"),
        ('table = "no.such"', "tables.t.table: Spark cannot read it; check that the catalog"),
    ],
)
def test_what_cannot_be_read_is_named_without_a_word_of_what_it_holds(
    session: SparkConnection, tmp_path: Path, source: str, words: str
) -> None:
    for name in ("bad.parquet", "bad.csv"):
        (tmp_path / name).write_bytes(b"a secret")
    with pytest.raises(PolicyError, match=words) as found:
        opened(session, tmp_path, source)
    assert "secret" not in str(found.value)
    assert found.value.__cause__ is None


def test_times_to_the_nanosecond_are_refused(session: SparkConnection, tmp_path: Path) -> None:
    table: dict[str, Any] = {"money": pa.array([1]), "at": pa.array([1], pa.timestamp("ns"))}
    pq.write_table(pa.table(table), tmp_path / "t.parquet", version="2.6")
    with pytest.raises(PolicyError, match="told to the nanosecond"):
        opened(session, tmp_path)
