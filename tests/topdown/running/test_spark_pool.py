"""Solves on Spark's executors: the same whole numbers as on one machine; folders that are not shared are refused."""

from __future__ import annotations

from operator import add, truediv
from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import DiscreetError, FailedError, ParameterError
from discreet.engines.spark.session import SparkConnection
from discreet.policy.model import DeclaredEngine
from discreet.topdown.making import run
from discreet.topdown.release.checking import check
from discreet.topdown.running import spark_pool
from discreet.topdown.running.estimating import estimate
from discreet.topdown.running.spark_pool import SparkPool
from discreet.topdown.running.workers import SolverPool
from topdown import small_release
from topdown.small_release import SmallCensus, draw_readings, prepare_fit

pytestmark = pytest.mark.long


def test_results_come_in_the_order_of_the_tasks_in_any_number_of_jobs(
    spark_session: SparkConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_pool, "AT_ONCE", 3)
    with SparkPool(spark_session, tmp_path) as pool:
        pool.give_basis(10)
        pool.give_job(add, (5,))
        assert list(pool.map([(add, (number,)) for number in range(7)])) == [15 + each for each in range(7)]
        pool.give_job(add, (6,))
        assert list(pool.map([(add, (0,))] * 4)) == [16] * 4
        assert list(pool.map([])) == []
    assert list(tmp_path.iterdir()) == []


def test_an_error_in_a_task_is_raised_here_and_the_executor_goes_on(
    spark_session: SparkConnection, tmp_path: Path
) -> None:
    with SparkPool(spark_session, tmp_path) as pool:
        pool.give_basis(1)
        pool.give_job(add, (1,))
        with pytest.raises(FailedError, match="ZeroDivisionError") as found:
            list(pool.map([(truediv, (0,)), (add, (1,))]))
        assert "in a worker process" in found.value.__notes__[0]
        assert list(pool.map([(add, (1,)), (add, (2,))])) == [3, 4]


def test_whole_numbers_are_those_of_one_machine(
    spark_session: SparkConnection, small_census: SmallCensus, tmp_path: Path
) -> None:
    drawn = draw_readings(small_census)
    with SolverPool(1) as here, SparkPool(spark_session, tmp_path) as there:
        local = estimate(drawn.problem, prepare_fit(drawn, here), drawn.readings, here)
        spread = estimate(drawn.problem, prepare_fit(drawn, there), drawn.readings, there)
    for one, other in zip(local.levels, spread.levels, strict=True):
        assert np.array_equal(one.counts.to_dense(), other.counts.to_dense())
        assert np.array_equal(one.figures, other.figures)


def test_a_release_is_the_same_wherever_it_is_solved(
    spark_session: SparkConnection, spark_engine: DeclaredEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = "".join(f'"{name}" = "{value}"\n' for name, value in spark_engine.settings)
    place = f'[engines.cluster]\nkind = "spark"\nmaster = "{spark_engine.master}"\n[engines.cluster.settings]\n{told}'
    monkeypatch.setattr(small_release, "POLICY", f"{small_release.POLICY}\n{place}")
    census = small_release.write_small_census(tmp_path / "census")
    monkeypatch.chdir(tmp_path)
    spread = run(census.path, "spread", replications=1, on="cluster")
    local = run(census.path, "local", replications=1, workers=1)
    assert census.count_charges() == 1
    for level in local.levels:
        for query in local.queries:
            assert spread.table(level, query).equals(local.table(level, query))
    assert spread.microdata().equals(local.microdata())
    assert check(spread).is_exact
    with pytest.raises(ParameterError, match="an engine of the policy that is Spark: cluster"):
        run(census.path, "other", on="duckdb")


def test_a_folder_that_executors_do_not_share_is_refused(
    spark_session: SparkConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkPool, "_keep", lambda self, content: Path("/nowhere/asked.pickle"))
    with pytest.raises(DiscreetError, match="do not share"):
        SparkPool(spark_session, tmp_path)
    assert list(tmp_path.iterdir()) == []
