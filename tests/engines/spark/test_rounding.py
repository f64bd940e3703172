"""Floats are rounded as DuckDB rounds them, signs of zeros included."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.engines.spark.rounding import ceiled, floored, nearest, rounded_whole, toward_zero
from discreet.engines.spark.session import SparkConnection
from support.differential import plain

DIGITS = (-38, -23, -5, -1, 0, 1, 2, 3, 5, 15, 22, 23, 38)


def floats() -> list[float]:
    source = random.Random(11)
    found = [0.5, 1.5, 2.5, -0.5, 0.285, 1.005, 2.675, 1e22, 1e23, 4503599627370495.5, 0.49999999999999994, -0.0, 0.0]
    found += [math.nan, math.inf, -math.inf, 1.7e308, -5e-324, 2.0**52, 2.0**53 + 2]
    found += [struct.unpack("<d", source.randbytes(8))[0] for _ in range(300)]
    found += [source.randint(-(10**7), 10**7) / 10 ** source.randint(0, 6) for _ in range(300)]
    return found + [source.randint(-(10**9), 10**9) + 0.5 for _ in range(100)]


def test_floats_go_where_duckdb_puts_them(session: SparkConnection, tmp_path: Path) -> None:
    table = pa.table({"x": pa.array(floats(), pa.float64())})
    pq.write_table(table, tmp_path / "x.parquet")
    mine = [floored("x"), ceiled("x"), toward_zero("x"), *(nearest("x", digits) for digits in DIGITS)]
    theirs = ["floor(x)", "ceil(x)", "trunc(x)", *(f"round(x, {digits})" for digits in DIGITS)]
    spark = session.session.sql(f"SELECT {', '.join(mine)} FROM parquet.`file:{tmp_path / 'x.parquet'}`").collect()
    duck = duckdb.connect().execute(f"SELECT {', '.join(theirs)} FROM '{tmp_path / 'x.parquet'}'").fetchall()
    for x, a, b in zip(floats(), spark, duck, strict=True):
        assert [plain(each) for each in a] == [plain(each) for each in b], x


def test_whole_numbers_are_rounded_away_from_zero_at_halves(session: SparkConnection) -> None:
    numbers = [0, 4, 5, -5, 15, -25, 2**63, -(2**63), 2**125 - 1, 10**37 * 4, 5 * 10**36]
    listed = ", ".join(f"('{number}')" for number in numbers)
    digits = (-1, -2, -37, -38, 0, 3)
    mine = ", ".join(rounded_whole("CAST(x AS DECIMAL(38,0))", each) for each in digits)
    for number, found in zip(
        numbers, session.session.sql(f"SELECT {mine} FROM VALUES {listed} AS t(x)").collect(), strict=True
    ):
        for each, value in zip(digits, found, strict=True):
            unit = 10 ** max(-each, 0)
            away = (abs(number) + unit // 2) // unit * unit
            assert value == (away if number >= 0 else -away), (number, each)
