"""Every allowed function has a form on Spark, which gives what DuckDB's gives, whatever the data holds."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from discreet.base.types import Type
from discreet.engines.spark.forms import FORMS, write_sql
from discreet.engines.spark.session import SparkConnection
from discreet.plan.expressions import Column, Expression
from discreet.plan.functions import FUNCTIONS, call
from support.differential import CLOSE, Run, differences, every, nested, reference, rows

BATCH = 40
"""Calls in one statement: Spark takes longer to compile more of them than to run two."""


@pytest.fixture(scope="module")
def run(session: SparkConnection, tmp_path_factory: pytest.TempPathFactory) -> Run:
    path: Path = tmp_path_factory.mktemp("forms") / "t.parquet"
    pq.write_table(rows(), path)
    spark = session.session
    spark.read.parquet(f"file:{path}").createOrReplaceTempView("t")
    return lambda statement: [tuple(row) for row in spark.sql(statement).collect()]


@pytest.fixture(scope="module")
def wanted() -> Run:
    return reference()


def test_every_function_has_a_form_and_every_form_a_function() -> None:
    assert FORMS.keys() == FUNCTIONS.keys()


@pytest.mark.slow
def test_every_form_gives_what_duckdbs_gives(run: Run, wanted: Run) -> None:
    calls = [made for name in sorted(FUNCTIONS) for made in every(name)]
    assert len(calls) > 2000
    assert {made.function for made in calls} == set(FUNCTIONS)
    columns = [made for made in calls if all(isinstance(each, Column) for each in made.arguments)]
    some = [made for made in calls[::4] if made not in columns]
    assert differences(columns + some, wanted, run, write_sql, BATCH) == []


@pytest.mark.long
def test_every_form_gives_what_duckdbs_gives_on_all_constants(run: Run, wanted: Run) -> None:
    calls = [made for name in sorted(FUNCTIONS) for made in every(name)]
    assert differences(calls, wanted, run, write_sql, BATCH) == []


@pytest.mark.slow
@pytest.mark.parametrize("count", [50, 120])
def test_forms_inside_forms_give_what_duckdbs_give(run: Run, wanted: Run, count: int) -> None:
    calls = nested(7, count)
    assert not CLOSE & {made.function for made in calls}
    assert differences(calls, wanted, run, write_sql, 30) == []


def test_forms_in_a_condition_keep_the_rows_that_duckdb_keeps(run: Run, wanted: Run) -> None:
    for made in nested(8, 12):
        found, kept = (
            sorted(int(row) for (row,) in engine(f"SELECT t.row FROM t WHERE {write(made)} IS NOT NULL AND t.i >= 0"))
            for engine, write in ((run, write_sql), (wanted, duck_sql))
        )
        assert found == kept


def duck_sql(expression: Expression) -> str:
    from discreet.engines.duck.forms import write_sql as written

    return written(expression)


def test_statements_grow_no_faster_than_the_expressions_in_them() -> None:
    for name in ("floor", "ceil", "trunc", "round", "sqrt", "log2", "abs"):
        lengths = []
        made: Expression = Column("t", "f", Type.FLOAT)
        for _ in range(6):
            made = call(name, made)
            lengths.append(len(write_sql(made)))
        steps = [b - a for a, b in itertools.pairwise(lengths)]
        assert max(steps[2:]) <= steps[1] + 40, (name, lengths)
