"""Decimals are exact on Spark: every call is what fractions say, on the worst values there are."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from discreet.engines.spark.forms import write_sql
from discreet.engines.spark.forms_math import write_last_places
from discreet.engines.spark.session import SparkConnection
from support.decimals import list_calls, list_differences, list_wrong_ends, make_table


@pytest.mark.slow
def test_every_call_on_decimals_is_what_fractions_say(
    session: SparkConnection, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path, spark = tmp_path_factory.mktemp("decimals") / "t.parquet", session.session
    pq.write_table(make_table(), path)
    spark.read.parquet(f"file:{path}").createOrReplaceTempView("t")
    calls = list_calls()[::3]
    found = list_differences(calls, write_sql, lambda text: [tuple(row) for row in spark.sql(text).collect()])
    assert found[:5] == []


@pytest.mark.parametrize(
    "digits", [37, *(pytest.param(each, marks=pytest.mark.slow) for each in (1, 9, 17, 18, 19, 38))]
)
def test_no_decimal_is_too_large_to_be_read(session: SparkConnection, digits: int) -> None:
    assert list_wrong_ends(write_last_places, lambda text: tuple(session.session.sql(text).collect()[0]), digits) == []
