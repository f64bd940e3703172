"""The same questions give the same exact bounded aggregates, before noise, on every engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from conformance.asking import CURVES, PAGE, PATHS, QUIRKS, Case, cases, examples, together
from conformance.comparing import AT_ONCE, differences, ran
from conformance.data import worlds
from conformance.placing import in_duckdb, in_postgres, in_spark
from conformance.table import written
from discreet.engines.engines import Engines
from discreet.engines.result import ExactResult
from discreet.engines.spark.session import SparkConnection
from discreet.plan.bounded import BoundedPlan
from discreet.plan.functions import FUNCTIONS
from discreet.policy.model import DeclaredEngine
from servers.postgres import Cluster as Postgres

MANY = 12
"""Conditions that are counted by one question."""

Opening = Callable[..., Engines]
Answered = tuple[BoundedPlan, ExactResult]


class Reference:
    """DuckDB's plans and numbers: every question is asked once, however many tests compare with it."""

    def __init__(self, engines: dict[str, Engines]) -> None:
        self._engines = engines
        self._found: dict[Case, Answered] = {}

    def ask(self, cases: list[Case]) -> dict[Case, Answered]:
        self._found |= ran(self._engines, [case for case in cases if case not in self._found])
        return {case: self._found[case] for case in cases}


@pytest.fixture(scope="module")
def in_process() -> Iterator[Reference]:
    for engines in _opened(in_duckdb):
        yield Reference(engines)


@pytest.fixture(scope="module")
def on_postgres(postgres: Postgres, common_database: str) -> Iterator[dict[str, Engines]]:
    with pytest.MonkeyPatch.context() as patch:
        yield from _opened(lambda world: in_postgres(world, postgres, common_database, patch))


@pytest.fixture(scope="module")
def on_spark(
    spark_engine: DeclaredEngine, spark_session: SparkConnection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Engines]]:
    folder = tmp_path_factory.mktemp("interpreted")
    yield from _opened(lambda world: in_spark(world, folder, spark_engine, compiled=False))


@pytest.fixture(scope="module")
def on_compiling_spark(
    spark_engine: DeclaredEngine, spark_session: SparkConnection, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Engines]]:
    folder = tmp_path_factory.mktemp("compiled")
    yield from _opened(lambda world: in_spark(world, folder, spark_engine, compiled=True))


class _Opened(dict[str, Engines]):
    """Worlds by name, each opened when it is first asked about."""

    def __init__(self, opening: Opening, stack: ExitStack) -> None:
        super().__init__()
        self._opening, self._stack, self._turn = opening, stack, threading.Lock()

    def __getitem__(self, name: str) -> Engines:
        with self._turn:
            if name not in self:
                (world,) = (each for each in worlds() if each.name == name)
                self[name] = self._opening(world)
                self._stack.callback(super().__getitem__(name).close)
            return super().__getitem__(name)


def _opened(opening: Opening) -> Iterator[dict[str, Engines]]:
    with ExitStack() as stack:
        yield _Opened(opening, stack)


def test_there_are_enough_questions_and_every_function_is_among_them(in_process: Reference) -> None:
    assert len(cases()) >= 150
    assert len(examples()) >= 100
    assert len(QUIRKS) >= 12
    plans = " ".join(repr(plan) for plan, _ in in_process.ask(together(cases(), MANY)).values())
    assert [name for name in FUNCTIONS if f"'{name}'" not in plans] == []


def test_the_page_tells_how_every_line_does() -> None:
    assert written(PAGE) == PAGE, "run python tests/conformance/table.py"


def test_few_questions_may_differ_by_a_grid_step() -> None:
    close = [case for case in cases() if case.close]
    assert all(any(word in case.text for word in CURVES) for case in close)
    assert len(close) < len(cases()) / 10


def test_every_condition_and_question_has_the_same_numbers_on_postgresql(
    in_process: Reference, on_postgres: dict[str, Engines]
) -> None:
    asked = together(cases(), MANY)
    assert list(differences(in_process.ask(asked), ran(on_postgres, asked))) == []


@pytest.mark.slow
def test_every_question_by_itself_has_the_same_numbers_on_postgresql(
    in_process: Reference, on_postgres: dict[str, Engines]
) -> None:
    assert list(differences(in_process.ask(cases()), ran(on_postgres, cases()))) == []


def list_quirks() -> list[Case]:
    """Return all counts under conditions, and one of the other questions of every line."""
    some = together([case for case in cases() if case.world != "clinic"], MANY)
    counts = [case for case in some if "COUNT(*) FILTER" in case.text]
    return list(dict.fromkeys([*counts, *{case.line: case for case in some}.values()]))


def test_some_quirks_have_the_same_numbers_on_spark(in_process: Reference, on_spark: dict[str, Engines]) -> None:
    asked = list_quirks()[::60]
    assert asked
    assert list(differences(in_process.ask(asked), ran(on_spark, asked, AT_ONCE))) == []


@pytest.mark.long
def test_every_quirk_has_the_same_numbers_on_spark(in_process: Reference, on_spark: dict[str, Engines]) -> None:
    asked = list_quirks()
    assert sum(case.text.count("COUNT(*) FILTER") for case in asked) > 90
    assert {*QUIRKS, *PATHS} <= {line for case in asked for line in case.line.split("; ")}
    assert list(differences(in_process.ask(asked), ran(on_spark, asked, AT_ONCE))) == []


@pytest.mark.slow
def test_compiled_statements_have_the_same_numbers_on_spark(
    in_process: Reference, on_compiling_spark: dict[str, Engines]
) -> None:
    some = together(cases(), MANY)[::120]
    assert list(differences(in_process.ask(some), ran(on_compiling_spark, some, AT_ONCE))) == []


@pytest.mark.long
def test_every_question_has_the_same_numbers_on_spark(
    in_process: Reference, on_compiling_spark: dict[str, Engines]
) -> None:
    assert list(differences(in_process.ask(cases()), ran(on_compiling_spark, cases(), AT_ONCE))) == []
