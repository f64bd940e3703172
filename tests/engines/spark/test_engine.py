"""Questions on Spark give the same whole numbers as on DuckDB, and stop when they are told to."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from discreet.base.errors import FailedError, PolicyError
from discreet.curator import Curator
from discreet.curator.door.performance import GENERIC
from discreet.engines.engines import Engines
from discreet.engines.spark.running import SparkRun, fetch_rows
from discreet.engines.spark.session import SparkConnection
from discreet.policy.model import DeclaredEngine, EngineKind
from engines.spark.worlds import both, section, with_sources
from servers.spark import Cluster, connect_server
from support.hospital import HOSPITAL, POLICY, answered, bounded

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


MANY_STAGES = QUESTIONS[3]
SOME = (QUESTIONS[1],)


@pytest.fixture(scope="module")
def engines(
    session: SparkConnection, declared: DeclaredEngine, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engines, Engines]]:
    duck, spark = both(POLICY, HOSPITAL, tmp_path_factory.mktemp("hospital"), declared)
    yield duck, spark
    spark.close()
    duck.close()


@pytest.mark.parametrize(
    "question",
    [each if each in SOME else pytest.param(each, marks=pytest.mark.long) for each in QUESTIONS],
)
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


@pytest.mark.slow
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


WORKED = "SELECT ward, COUNT(*) AS n, SUM(age) AS years FROM visits GROUP BY ward"


def begun(spark: Engines) -> SparkRun[Any]:
    """Return a run of which Spark has begun a stage, and not all."""
    run = spark.run(bounded(spark, MANY_STAGES).plan)
    assert isinstance(run, SparkRun)
    while run.progress() < 0 and not run.wait(0.02):
        pass
    assert not run.wait(0)
    return run


def test_a_cancelled_run_has_no_jobs_any_more_and_no_result(
    engines: tuple[Engines, Engines], session: SparkConnection
) -> None:
    _, spark = engines
    run = begun(spark)
    other = spark.run(bounded(spark, QUESTIONS[0]).plan)
    run.cancel()
    tracker = session.context._jsc.sc().statusTracker()
    mine = set(tracker.getJobIdsForTag(run._jobs.tag))
    assert mine
    assert mine.isdisjoint(session.context.statusTracker().getActiveJobsIds())
    assert run._future.exception(0) is not None
    assert other.result()


@pytest.mark.long
def test_a_worker_that_dies_in_the_middle_of_a_question_costs_time_and_nothing_else(
    session: SparkConnection,
    declared: DeclaredEngine,
    spark_cluster: Cluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The other worker finishes the question, or it fails with the one message; it is charged and recorded once."""
    (tmp_path / "policy.toml").write_text(with_sources(POLICY, HOSPITAL, tmp_path) + section(declared))
    Curator.init(tmp_path / "policy.toml")
    execute, dead, in_the_middle = SparkRun.execute, threading.Event(), []

    def kill(run: SparkRun[Any]) -> None:
        while run._jobs.share() < 0:
            time.sleep(0.01)
        spark_cluster.kill_worker("second")
        dead.set()

    def executed(run: SparkRun[Any], statement: str) -> object:
        threading.Thread(target=kill, args=(run,)).start()
        try:
            return execute(run, statement)
        finally:
            in_the_middle.append(dead.is_set())

    shown, said = [], []
    with Curator.open(tmp_path / "policy.toml", operator=True) as curator:
        try:
            with monkeypatch.context() as patched:
                patched.setattr(SparkRun, "execute", executed)
                shown.append(curator.ask(WORKED, epsilon=1))
        except FailedError as failed:
            said.append(str(failed))
        finally:
            dead.wait(60)
            spark_cluster.add_worker("second")
        assert in_the_middle == [True]
        assert said == ([] if shown else [GENERIC])
        entries = [entry.kind for entry in curator.ledger.entries()]
        assert (entries.count("CHARGE"), entries.count("RECORD")) == (1, len(shown))
        if not shown:
            curator.resume()
        shown += [curator.ask(WORKED, epsilon=1) for _ in range(2)]
        assert all(each.rows == shown[0].rows for each in shown)
        entries = [entry.kind for entry in curator.ledger.entries()]
        assert (entries.count("CHARGE"), entries.count("RECORD")) == (1, 1)


def test_a_question_that_fails_on_spark_keeps_its_charge_and_says_one_thing(
    session: SparkConnection, declared: DeclaredEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that cannot be run at all fails; the message is the same as for whatever else fails."""
    policy = with_sources(POLICY, HOSPITAL, tmp_path) + section(declared)
    (tmp_path / "policy.toml").write_text(policy)
    Curator.init(tmp_path / "policy.toml")
    with Curator.open(tmp_path / "policy.toml", operator=True) as curator:
        question = "SELECT ward, SUM(cost) AS total FROM visits GROUP BY ward"
        kept = (tmp_path / "visits.parquet").read_bytes()
        execute = SparkRun.execute

        def broken(run: SparkRun[Any], statement: str) -> object:
            (tmp_path / "visits.parquet").write_bytes(b"PAR1 no longer a table PAR1")
            return execute(run, statement)

        with monkeypatch.context() as patched:
            patched.setattr(SparkRun, "execute", broken)
            with pytest.raises(FailedError) as found:
                curator.ask(question, epsilon=1)
        assert str(found.value) == GENERIC
        kinds = [entry.kind for entry in curator.ledger.entries()]
        assert (kinds.count("CHARGE"), kinds.count("RECORD")) == (1, 0)
        (tmp_path / "visits.parquet").write_bytes(kept)
        curator.resume()
        first = curator.ask(question, epsilon=1)
        assert curator.ask(question, epsilon=1).rows == first.rows
        kinds = [entry.kind for entry in curator.ledger.entries()]
        assert (kinds.count("CHARGE"), kinds.count("RECORD")) == (1, 1)


class Listener(logging.Handler):
    """Keeps what a logger says."""

    said: ClassVar[list[logging.LogRecord]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record)


def test_what_spark_says_of_a_row_is_not_written_beside_being_raised(session: SparkConnection) -> None:
    from pyspark.errors import PySparkException
    from pyspark.logger import PySparkLogger

    logger, listener = PySparkLogger.getLogger("SQLQueryContextLogger"), Listener()
    logger.addHandler(listener)
    try:
        for wrong in ("SELECT CAST(x AS INT) FROM (SELECT concat('a', 'b') AS x)", "SELECT x FROM no_such_table"):
            with pytest.raises(PySparkException):
                fetch_rows(session, wrong)
    finally:
        logger.removeHandler(listener)
    assert listener.said == []


def test_a_file_that_is_gone_is_a_clear_error_before_the_charge(
    session: SparkConnection, declared: DeclaredEngine, tmp_path: Path
) -> None:
    duck, spark = both(POLICY, HOSPITAL, tmp_path, declared)
    plan = bounded(spark, QUESTIONS[0]).plan
    spark.ready(plan)
    for name in ("visits", "wards"):
        (tmp_path / f"{name}.parquet").unlink()
    with pytest.raises(PolicyError, match=r"there is no file .*; check the path"):
        spark.ready(plan)
    for engines in (spark, duck):
        with pytest.raises(PolicyError) as told:
            engines.public_values("wards", "ward")
        assert str(tmp_path) not in str(told.value)
    spark.close()
    duck.close()


def test_two_questions_at_once_do_not_mix(engines: tuple[Engines, Engines]) -> None:
    duck, spark = engines
    found: dict[str, object] = {}
    asking = [
        threading.Thread(target=lambda q=each: found.update({q: answered(spark, q)}))
        for each in (QUESTIONS[0], QUESTIONS[6])
    ]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    assert found == {each: answered(duck, each) for each in (QUESTIONS[0], QUESTIONS[6])}


@pytest.mark.long
def test_a_whole_question_over_spark_connect(tmp_path: Path) -> None:
    server, address = connect_server(tmp_path)
    try:
        duck, spark = both(POLICY, HOSPITAL, tmp_path, DeclaredEngine("engine", EngineKind.SPARK, remote=address))
        assert answered(spark, QUESTIONS[2]) == answered(duck, QUESTIONS[2])
        assert len(spark.fingerprint("visits")) == 64
        run = begun(spark)
        run.cancel()
        assert run._future.exception(0) is not None
        spark.close()
    finally:
        server.kill()
