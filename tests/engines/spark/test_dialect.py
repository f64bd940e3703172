"""Spark's part of what all engines write alike: canonical texts, whole numbers of texts, quotients, sums and order."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.session import SparkConnection
from support.differential import KINDS, reference, rows


def test_values_are_told_letter_by_letter_as_duckdb_tells_them(session: SparkConnection, tmp_path: Path) -> None:
    pq.write_table(rows(), tmp_path / "t.parquet")
    mine, theirs = (
        ", ".join(f"{dialect.write_canonical(f't.{name}', kind)} AS {name}" for name, (kind, _, _) in KINDS.items())
        for dialect in (SPARK, DUCKDB)
    )
    found = session.session.sql(f"SELECT t.row, {mine} FROM parquet.`file:{tmp_path / 't.parquet'}` AS t")
    wanted = reference()(f"SELECT t.row, {theirs} FROM t")
    assert sorted(tuple(row) for row in found.collect()) == sorted(wanted)


def test_numbers_of_texts_quotients_and_orders(session: SparkConnection) -> None:
    hashes = ", ".join(SPARK.leading_bits(f"'{each * 32}'") for each in "f0a")
    large = SPARK.quotient(f"{SPARK.whole(str(2**48 - 1))} * {2**48 - 2} + 7", str(2**48 - 1))
    multiple = SPARK.quotient(f"{SPARK.whole(str(-(2**63)))} * {2**48 - 1}", str(2**48 - 1))
    total = SPARK.total(f"CAST({2**63 - 1} AS BIGINT)")
    ((*found,),) = session.session.sql(
        f"SELECT {hashes}, any_value({large}), any_value({multiple}), {total} FROM VALUES (3), (1), (2), (3) AS t(x)"
    ).collect()
    assert found[:3] == [2**60 - 1, 0, int("a" * 15, 16)]
    assert found[3:5] == [2**48 - 2, -(2**63)]
    assert found[5] == 4 * (2**63 - 1)
