"""What an operation does past all that a replay hears, in other threads, later, or to its rows: it is found."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import threading
import time
import warnings
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any

import pytest

from discreet import noise
from discreet.audit.graybox import FindingKind, listen_to, replay
from discreet.mechanisms import Laplace, NoisyMax, SparseVector

LAPLACE = Laplace(2.0)

release, choose, release_unbound = LAPLACE.release, NoisyMax(2.0).release, Laplace.release


class OwnRelease(Laplace):
    def release(self, value: Any) -> Any:
        return value + int(noise.discrete_laplace(self.scale, 1)[0])


PAST: dict[str, Callable[[list[int]], object]] = {
    "a method that was taken before": lambda scores: choose(scores),
    "a class's own method that was taken before": lambda scores: release_unbound(LAPLACE, scores) and 1,
    "a method of a class of somebody else's": lambda scores: bool(OwnRelease(2.0).release(sum(scores))),
}


@pytest.mark.parametrize("name", PAST)
def test_noise_past_all_that_is_heard_is_a_finding_where_results_are_coarse(name: str) -> None:
    report = replay(PAST[name], [[0, 900], [0, 100]], sensitivity=1, clock=False)
    assert "noise was drawn past all mechanisms that are heard" in str(report)
    assert {each.neighbour for each in report.findings} == {"the database", "neighbour 1"}


def in_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


their_noise = listen_to(lambda value: 0.0, "their noise")


@pytest.mark.parametrize("ask", [lambda value: LAPLACE.release(value), their_noise])
def test_what_is_asked_in_a_thread_that_knows_of_no_replay_is_a_finding(ask: Callable[[int], object]) -> None:
    report = replay(lambda data: in_thread(lambda: ask(data)), [900, 1], sensitivity=1, clock=False)
    assert "was asked in a thread without its caller's context" in str(report)

    def carry_on(data: int) -> None:
        context = contextvars.copy_context()
        in_thread(lambda: context.run(ask, data))

    assert replay(carry_on, [2, 1], sensitivity=1, clock=False).raise_if_any().calls == 1


def test_a_mechanism_s_own_method_is_heard_as_an_operation() -> None:
    report = replay(LAPLACE.release, [5, 6], sensitivity=1, clock=False)
    assert report.raise_if_any().calls == 1
    assert not replay(release, [5, 7], sensitivity=1, clock=False).ok


def test_a_method_is_not_taken_for_another_of_the_same_name() -> None:
    def decorate(function: Any) -> Any:
        def ask(self: Any, data: int) -> object:
            return function(self, data)

        return ask

    class Door:
        @decorate
        def tell(self, data: int) -> object:
            return LAPLACE.release(data)

        def ask(self, data: int) -> object:
            return 0

    assert replay(Door().tell, [1, 900], sensitivity=1, clock=False).calls == 1


def release_later_on(value: int) -> object:
    return LAPLACE.release(value)


async def release_later(data: list[int]) -> object:
    await asyncio.sleep(0)
    return LAPLACE.release(sum(data))


async def release_in_turn(data: list[int]) -> AsyncIterator[object]:
    yield LAPLACE.release(sum(data))


def return_at_last(data: list[int]) -> Generator[object, None, int]:
    yield LAPLACE.release(1)
    return sum(data)


def reuse_buffer(data: list[int]) -> Iterator[list[int]]:
    buffer = [0]
    for buffer[0] in (sum(data), 0):
        yield buffer


LATER: dict[str, tuple[Callable[[list[int]], object], FindingKind]] = {
    "a coroutine": (release_later, FindingKind.SENSITIVITY),
    "what is yielded in turn by a coroutine": (release_in_turn, FindingKind.SENSITIVITY),
    "a map": (lambda data: map(release_later_on, data), FindingKind.SENSITIVITY),
    "a generator in a list": (lambda data: [(LAPLACE.release(each) for each in data)], FindingKind.SENSITIVITY),
    "a generator that is counted": (
        lambda data: enumerate(LAPLACE.release(each) for each in data),
        FindingKind.SENSITIVITY,
    ),
    "what a generator returns": (return_at_last, FindingKind.RESULT),
    "a buffer that is used again": (reuse_buffer, FindingKind.RESULT),
}


@pytest.mark.parametrize("name", LATER)
def test_what_an_operation_does_later_is_replayed(name: str) -> None:
    operation, kind = LATER[name]
    found = replay(operation, [[0], [100]], sensitivity=1, clock=False)
    assert kind in {each.kind for each in found.findings}
    assert replay(operation, [[3], [3]], sensitivity=1, clock=False).ok


def test_what_one_run_does_to_its_rows_the_next_does_not_see() -> None:
    rows = [{"x": value} for value in (*range(9), 900)]

    def centre(data: list[dict[str, Any]]) -> object:
        mean = sum(row["x"] for row in data) / len(data)
        for row in data:
            row.setdefault("far", row["x"] > mean)
        return LAPLACE.release(sum(row["far"] for row in data))

    report = replay(centre, [rows, rows[:-1]], sensitivity=1, clock=False)
    assert {each.kind for each in report.findings} == {FindingKind.SENSITIVITY}
    assert rows[0] == {"x": 0}


def test_an_operation_that_differs_from_itself_is_said_to() -> None:
    turns = itertools.count()
    report = replay(lambda data: (LAPLACE.release(data), next(turns)), [1, 2], sensitivity=1, clock=False)
    assert {each.kind for each in report.findings} == {FindingKind.RESULT, FindingKind.UNSTEADY}
    assert "it does something else on the very same rows" in str(report)
    steady = replay(lambda data: (LAPLACE.release(data), data), [1, 2, 3], sensitivity=2, clock=False)
    assert {each.kind for each in steady.findings} == {FindingKind.RESULT}


def test_warnings_are_as_they_were_after_replays_side_by_side() -> None:
    def wait(seconds: float) -> None:
        def operation(data: int) -> object:
            time.sleep(seconds)
            return LAPLACE.release(data)

        replay(operation, [1, 2], sensitivity=1, clock=False)

    before = list(warnings.filters)
    threads = [threading.Thread(target=wait, args=(each,)) for each in (0.05, 0.15)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert warnings.filters == before


def test_runs_that_begin_are_no_noise_past_mechanisms() -> None:
    def ask(data: list[int]) -> object:
        first, second = SparseVector(4.0, 8.0).start(), SparseVector(4.0, 8.0).start()
        return second.ask(data[0], 3), first.ask(data[0], 3)

    assert replay(ask, [[4], [5]], sensitivity=1, clock=False).raise_if_any().calls == 2
