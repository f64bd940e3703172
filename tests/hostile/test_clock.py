"""No question tells by its time whether the dearest person is there, and the clock notices one that would."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conformance.placing import in_duckdb, placed
from discreet.engines.engines import Engines
from discreet.engines.held import MemoryRows
from hostile.clock import (
    EACH,
    PERSON,
    DearQuestion,
    join_visits,
    list_questions,
    make_worlds,
    plan_question,
    time_question,
    time_task,
)
from hostile.learning_clock import TRAINED, plan_model, train
from support.hospital import bounded

SHORT, FEW = 8, 20_000

LONG = {"duckdb": 200, "postgres": 200, "spark": 60}
"""How many questions the long form times on each engine: one takes Spark some fifteen seconds, others one."""

TAUGHT = 2_000
"""Others who are learned from in a quick test."""


@pytest.fixture(scope="module")
def on_duckdb() -> Iterator[tuple[Engines, Engines]]:
    present, absent = (in_duckdb(world) for world in make_worlds(FEW))
    yield present, absent
    present.close()
    absent.close()


@pytest.fixture(scope="module")
def taught() -> Iterator[tuple[Engines, Engines]]:
    present, absent = (in_duckdb(world) for world in make_worlds(TAUGHT))
    yield present, absent
    present.close()
    absent.close()


def hold(present: Engines, absent: Engines, count: int, record_property: Any) -> None:
    """Hold that no question of so many tells, and write down how far apart the farthest are."""
    start = time.perf_counter()
    timed = []
    for question in list_questions(present, count):
        timed.append(time_question(present, absent, question))
        if timed[-1].tells:
            print(f"TELLS: {timed[-1]}", flush=True)
    farthest = max(timed, key=lambda each: each.apart)
    record_property("farthest", f"{1_000 * farthest.apart:.0f} ms of {1_000 * farthest.absent:.0f} ms: {farthest.sql}")
    print(
        f"{len(timed)} questions in {time.perf_counter() - start:.0f} s; the farthest apart: "
        f"{1_000 * farthest.present:.0f} ms with the person and {1_000 * farthest.absent:.0f} ms without"
    )
    assert len(timed) == count
    assert [each for each in timed if each.tells] == []


def test_no_question_tells_by_its_time_who_is_there(on_duckdb: tuple[Engines, Engines], record_property: Any) -> None:
    hold(*on_duckdb, SHORT, record_property)


@pytest.mark.long
@pytest.mark.parametrize("engine", LONG)
def test_no_question_of_many_tells_by_its_time(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, record_property: Any
) -> None:
    with ExitStack() as held:
        present, absent = (
            held.enter_context(placed(world, request, tmp_path, engine, compiled=True)) for world in make_worlds()
        )
        hold(present, absent, LONG[engine], record_property)


def hold_training(present: Engines, absent: Engines, models: Iterable[str], record_property: Any) -> None:
    """Hold that no training tells: each model is trained on both, with every unit in every step."""
    for model in models:
        training = plan_model(present, model)
        timed = time_task(present, absent, model, lambda engines, training=training: train(engines, training))  # type: ignore[misc]
        record_property(model, f"{1_000 * timed.present:.0f} ms with the person and {1_000 * timed.absent:.0f} without")
        assert not timed.tells, timed


def test_no_training_tells_by_its_time_who_is_there(taught: tuple[Engines, Engines], record_property: Any) -> None:
    hold_training(*taught, ["huber", "linear"], record_property)


@pytest.mark.long
@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_no_training_on_a_large_table_tells_by_its_time(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, record_property: Any
) -> None:
    with ExitStack() as held:
        present, absent = (
            held.enter_context(placed(world, request, tmp_path, engine, compiled=True)) for world in make_worlds()
        )
        hold_training(present, absent, TRAINED, record_property)


def test_the_clock_notices_a_person_who_makes_every_step_longer(
    taught: tuple[Engines, Engines], monkeypatch: pytest.MonkeyPatch
) -> None:
    present, absent = taught
    plain = MemoryRows.sum

    def sum_slowly(self: MemoryRows, *given: Any) -> list[int]:
        if self.count() == TAUGHT + EACH:
            time.sleep(0.03)
        return plain(self, *given)

    monkeypatch.setattr(MemoryRows, "sum", sum_slowly)
    training = plan_model(present, "linear")
    assert time_task(present, absent, "linear", lambda engines: train(engines, training), again=3).tells


def test_the_clock_notices_what_the_price_refuses(on_duckdb: tuple[Engines, Engines]) -> None:
    present, absent = on_duckdb
    padded = ", ".join(f"LPAD(t{place % 4}.note, {1000 - place}, '\U0001f600')" for place in range(24))
    dear = f"CASE WHEN t0.id = {PERSON} AND t0.cost > 500 THEN LENGTH(UPPER(LOWER(CONCAT({padded})))) ELSE 0 END > 5"
    sql = f"SELECT COUNT(*) FROM {join_visits(4)} WHERE {dear}"
    assert plan_question(present, sql) is None
    assert time_question(present, absent, DearQuestion(sql, bounded(present, sql).plan), again=3).tells
