"""Rows that Spark's executors hold: sums to the last digit those of DuckDB, for as long as one run and no longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pyarrow.parquet as pq
import pytest

from discreet.curator import Curator
from discreet.engines.engines import Engines
from discreet.engines.held import MemoryRows
from discreet.engines.result import Run
from discreet.engines.running import RunCancelledError
from discreet.engines.spark.engine import SparkEngine
from discreet.engines.spark.held import SparkRows
from discreet.engines.spark.session import SparkConnection
from discreet.gradients.encoding import Encoding
from discreet.learn import fit
from discreet.noise import bits
from discreet.policy import loads
from discreet.policy.model import DeclaredEngine, EngineKind
from engines.spark.worlds import both, section, with_sources
from servers.spark import Cluster, connect_server
from support.hospital import by_unit, open_engines, rows_of
from support.sampling import GeneratorBits
from support.teaching import POLICY, compute_all, list_sums, make_tables, select, wait

E = TypeVar("E")

SPLIT = "spark.sql.shuffle.partitions"


@pytest.fixture(scope="module")
def engines(
    session: SparkConnection, declared: DeclaredEngine, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engines, Engines]]:
    duck, spark = both(POLICY, make_tables(), tmp_path_factory.mktemp("teaching"), declared)
    yield duck, spark
    spark.close()
    duck.close()


@contextmanager
def held_by(engines: Engines, table: str = "numbered") -> Iterator[SparkRows]:
    """Hold the rows of a table on Spark."""
    held = engines.hold(rows_of(engines, select(table)), wait)
    assert isinstance(held, SparkRows)
    try:
        yield held
    finally:
        held.close()


def count_kept(session: SparkConnection) -> int:
    """Return how many frames Spark keeps for anybody."""
    return int(session.context._jsc.getPersistentRDDs().size())


def check_partitions(duck: Engines, declared: DeclaredEngine, folder: Path, table: str, parts: int) -> None:
    """Hold that Spark's sums over so many partitions are DuckDB's."""
    settings = tuple((dict(declared.settings) | {SPLIT: str(parts)}).items())
    text = with_sources(POLICY, make_tables(), folder) + section(replace(declared, settings=settings))
    spark = open_engines(loads(text, folder / "policy.toml"))
    try:
        plan = rows_of(duck, select(table))
        with held_by(spark, table) as held:
            assert compute_all(held, plan) == compute_all(duck.hold(plan, wait), plan)
            if table != "single":
                assert held._points.select("many").toArrow().num_rows == parts, "a block for each partition"
    finally:
        spark.close()


@pytest.mark.parametrize(("table", "parts"), [pytest.param("numbered", 5, marks=pytest.mark.slow), ("named", 1)])
def test_sums_are_those_of_duckdb(
    engines: tuple[Engines, Engines], declared: DeclaredEngine, tmp_path: Path, table: str, parts: int
) -> None:
    check_partitions(engines[0], declared, tmp_path, table, parts)


@pytest.mark.long
@pytest.mark.parametrize("parts", [1, 2, 3, 13, 64])
@pytest.mark.parametrize("table", ["numbered", "named", "single"])
def test_sums_do_not_depend_on_the_number_of_partitions(
    engines: tuple[Engines, Engines], declared: DeclaredEngine, tmp_path: Path, table: str, parts: int
) -> None:
    check_partitions(engines[0], declared, tmp_path, table, parts)


@pytest.mark.slow
def test_rows_are_kept_until_they_are_closed_and_can_still_be_read(
    engines: tuple[Engines, Engines], session: SparkConnection
) -> None:
    duck, spark = engines
    before, plan = count_kept(session), rows_of(duck, select("numbered"))
    sums = list_sums(plan)
    with held_by(spark) as held:
        assert count_kept(session) == before, "nothing is read before it is needed"
        first = held.sum(*sums[0])
        assert count_kept(session) == before + 2
        other = held.sum(*sums[-1])
        assert count_kept(session) == before + 2, "features of one encoding at a time"
        rows = held.read()
        assert by_unit(rows) == by_unit(duck.read(plan).result())
        assert [held.sum(*sums[0]), held.sum(*sums[-1])] == [first, other], "from what is at the desk now"
    assert count_kept(session) == before


@pytest.mark.slow
@pytest.mark.parametrize("table", ["numbered", pytest.param("single", marks=pytest.mark.slow)])
def test_different_rows_are_counted_by_spark_as_by_duckdb(engines: tuple[Engines, Engines], table: str) -> None:
    duck, spark = engines
    wanted = duck.hold(rows_of(duck, select(table)), wait).tally()
    with held_by(spark, table) as held:
        for _ in range(2):
            found = held.tally()
            assert found.points.tolist() == wanted.points.tolist()
            assert found.counts.tolist() == wanted.counts.tolist()
            assert held._here is None, "no row came to the desk"
        held.read()
        assert held.tally().counts.tolist() == wanted.counts.tolist()


@pytest.mark.slow
def test_another_run_sees_the_tables_as_they_are_then_and_this_one_as_they_were(
    session: SparkConnection, declared: DeclaredEngine, tmp_path: Path
) -> None:
    duck, spark = both(POLICY, make_tables(), tmp_path, declared)
    plan = rows_of(duck, select("numbered"))
    encoding, function = list_sums(plan)[1]
    rows = duck.read(plan).result()
    with held_by(spark) as first:
        before = first.sum(encoding, function)
        assert before == duck.hold(plan, wait).sum(encoding, function)
        pq.write_table(make_tables(seed=17)["numbered"], tmp_path / "numbered.parquet")
        after = duck.hold(plan, wait).sum(encoding, function)
        assert after != before
        with held_by(spark) as second:
            assert second.sum(encoding, function) == after
        assert first.sum(encoding, function) == before
        assert first.count() == len(rows.points)
    spark.close()
    duck.close()


def sleep(seconds: float) -> Callable[..., list[int]]:
    """Return a sum that takes so long; executors get it by value."""
    return lambda rows, offsets: time.sleep(seconds) or [0]  # type: ignore[func-returns-value]


@pytest.mark.slow
def test_a_cancelled_sum_has_no_jobs_any_more(engines: tuple[Engines, Engines], session: SparkConnection) -> None:
    _, spark = engines
    plan = rows_of(spark, select("numbered"))
    encoding, started = list_sums(plan)[0][0], threading.Event()
    runs: list[Any] = []

    def watched(start: Callable[[], Run[E]]) -> E:
        run = start()
        runs.append(run)
        started.set()
        return run.result()

    held = spark.hold(plan, wait)
    assert isinstance(held, SparkRows)
    held.count()
    held._wait = watched
    said: list[BaseException] = []

    def ask() -> None:
        try:
            held.sum(encoding, sleep(600))
        except BaseException as trouble:
            said.append(trouble)

    asking = threading.Thread(target=ask)
    asking.start()
    assert started.wait(60)
    while runs[0].progress() < 0:
        assert not runs[0].wait(0.05)
    runs[0].cancel()
    asking.join(60)
    assert [type(each) for each in said] == [RunCancelledError]
    tracker = session.context._jsc.sc().statusTracker()
    mine = set(tracker.getJobIdsForTag(runs[0]._jobs.tag))
    assert mine
    assert mine.isdisjoint(session.context.statusTracker().getActiveJobsIds())
    held.close()


def fail_with(words: str) -> Callable[..., list[int]]:
    """Return a sum that fails where there are rows; executors get it by value."""

    def fail(rows: Any, offsets: Any) -> list[int]:
        if len(rows):
            raise ValueError(words)
        return [0]

    return fail


@pytest.mark.slow
def test_a_sum_that_fails_there_quotes_no_row(engines: tuple[Engines, Engines]) -> None:
    _, spark = engines
    encoding: Encoding = list_sums(rows_of(spark, select("numbered")))[0][0]
    words = "patient " + "-".join("17")
    with held_by(spark) as held, pytest.raises(Exception, match="an executor failed: ValueError") as told:
        held.sum(encoding, fail_with(words))
    assert words not in str(told.value)


@pytest.mark.slow
def test_executors_without_this_code_leave_the_sums_to_the_desk(
    engines: tuple[Engines, Engines], monkeypatch: pytest.MonkeyPatch
) -> None:
    duck, spark = engines
    plan = rows_of(duck, select("numbered"))
    engine = spark._open("engine")
    assert isinstance(engine, SparkEngine)
    monkeypatch.setattr(engine, "_shares", None)
    monkeypatch.setattr("discreet.engines.spark.held.hash_code", lambda: "another")
    held = spark.hold(plan, wait)
    assert isinstance(held, MemoryRows)
    assert compute_all(held, plan) == compute_all(duck.hold(plan, wait), plan)


@pytest.mark.long
def test_a_worker_that_dies_takes_rows_with_it_and_sums_stay_the_same(
    engines: tuple[Engines, Engines], spark_cluster: Cluster
) -> None:
    duck, spark = engines
    plan = rows_of(duck, select("numbered"))
    expected = compute_all(duck.hold(plan, wait), plan)
    with held_by(spark) as held:
        assert compute_all(held, plan) == expected
        spark_cluster.kill_worker("second")
        try:
            assert compute_all(held, plan) == expected
        finally:
            spark_cluster.add_worker("second")


@pytest.mark.long
def test_a_model_is_the_same_as_on_duckdb_and_no_row_comes_to_the_desk(
    session: SparkConnection, declared: DeclaredEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the same recorded randomness, the weights are equal to the last digit; then nothing is kept on Spark."""

    def never(*_: object) -> Any:
        raise AssertionError("rows are read")

    found = []
    for name, engine in (("duck", ""), ("spark", section(declared))):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "policy.toml").write_text(with_sources(POLICY, make_tables(), folder) + engine)
        Curator.init(folder / "policy.toml")
        with Curator.open(folder / "policy.toml", operator=True) as curator, monkeypatch.context() as patched:
            patched.setattr(SparkEngine, "read", never)
            before = count_kept(session)
            with bits.replayed(GeneratorBits(16)):
                model = fit(curator, "logistic", "numbered", target="grade > 0", features=["age", "cost"], epsilon=1)
            found.append(model.weights.tolist())
            assert count_kept(session) == before
    assert found[0] == found[1]


@pytest.mark.long
def test_sums_over_spark_connect_are_those_of_duckdb(tmp_path: Path) -> None:
    server, address = connect_server(tmp_path)
    try:
        declared = DeclaredEngine("engine", EngineKind.SPARK, remote=address)
        duck, spark = both(POLICY, make_tables(), tmp_path, declared)
        plan = rows_of(duck, select("named"))
        with held_by(spark, "named") as held:
            assert compute_all(held, plan) == compute_all(duck.hold(plan, wait), plan)
        spark.close()
        duck.close()
    finally:
        server.kill()
