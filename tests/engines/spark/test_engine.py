"""Questions on Spark give the same whole numbers as on DuckDB, and stop when they are told to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from discreet.base.errors import PolicyError
from discreet.engines.engines import Engines
from discreet.engines.spark.session import Session
from discreet.policy.model import Engine
from engines.spark.worlds import both
from questions import HOSPITAL, POLICY, answered, bounded

pytestmark = pytest.mark.xdist_group("spark")

QUESTIONS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT ward, COUNT(*), SUM(age), AVG(cost), COUNT(DISTINCT patient) FROM visits GROUP BY ward",
    "SELECT sick, COUNT(*), SUM(cost) FROM visits WHERE age > 2 OR ward LIKE '%th' GROUP BY sick",
    "SELECT ward, MEDIAN(age), QUANTILE_CONT(cost, 0.25), COUNT(DISTINCT age) FROM visits GROUP BY ward",
    "SELECT floor, COUNT(*), VARIANCE(age) FROM visits JOIN wards USING (ward) GROUP BY floor",
    "SELECT COUNT(*), SUM(n) FROM (SELECT patient, COUNT(*) AS n, MAX(cost) AS most FROM visits GROUP BY patient) "
    "WHERE most > 1",
    "SELECT ward, COUNT(*), SUM(age) FROM people GROUP BY ward",
    "SELECT ward, sick, COUNT(*) FROM visits GROUP BY GROUPING SETS ((ward), (sick), ())",
    "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM visits WHERE cost > 2)",
    "SELECT COUNT(*) FROM visits WHERE patient NOT IN (SELECT patient FROM visits WHERE sick)",
)


@pytest.fixture(scope="module")
def engines(
    session: Session, declared: Engine, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engines, Engines]]:
    duck, spark = both(POLICY, HOSPITAL, tmp_path_factory.mktemp("hospital"), declared)
    yield duck, spark
    spark.close()
    duck.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_whole_numbers_as_on_duckdb(engines: tuple[Engines, Engines], question: str) -> None:
    duck, spark = engines
    wanted = answered(duck, question)
    assert answered(spark, question) == wanted
    assert any(any(sums) for each in wanted.sets for sums in each.sums)


def test_keys_from_the_data_come_with_their_units(engines: tuple[Engines, Engines]) -> None:
    duck, spark = engines
    for key in ("seen", "at"):
        question = f"SELECT {key}, COUNT(*), SUM(cost) FROM visits GROUP BY {key}"
        wanted = answered(duck, question)
        assert answered(spark, question) == wanted
        assert wanted.sets[0].keys


def test_public_tables_tell_their_values_and_private_ones_do_not(engines: tuple[Engines, Engines]) -> None:
    duck, spark = engines
    for column in ("ward", "floor", "weight", "code", "opened"):
        assert spark.public_values("wards", column) == duck.public_values("wards", column)
    assert spark.fan_out("wards", ("floor",)) == duck.fan_out("wards", ("floor",)) == 2
    assert spark.fan_out("wards", ("ward",)) == 1
    with pytest.raises(PolicyError, match="private"):
        spark.public_values("visits", "ward")


def test_progress_ends_at_one(engines: tuple[Engines, Engines]) -> None:
    _, spark = engines
    run = spark.run(bounded(spark, "SELECT ward, SUM(cost) FROM visits GROUP BY ward").plan)
    seen = [run.progress()]
    while not run.wait(0.05):
        seen.append(run.progress())
    assert all(-1 <= each <= 1 for each in seen)
    assert any(each >= 0 for each in seen)
    assert run.progress() == 1.0
    run.result()
