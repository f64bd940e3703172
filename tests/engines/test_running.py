"""A run in its own thread: it is waited for, stopped, and lets go of what it holds however it ends."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.result import ExactResult
from discreet.engines.running import RunCancelledError, Running
from discreet.engines.steps import write_sum_steps
from support.hospital import bounded, duck, engine_of

ENGINE = engine_of()
PLAN = bounded(ENGINE, "SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)").plan


class Recorded(Running[ExactResult]):
    """A run whose statements wait until they are let go or interrupted."""

    def __init__(self) -> None:
        self.go, self.begun, self.released, self.interrupted = threading.Event(), threading.Event(), 0, False
        super().__init__(write_sum_steps(PLAN, ENGINE.tables, duck(ENGINE)._select, DUCKDB))

    def execute(self, statement: str) -> Any:
        self.begun.set()
        self.go.wait()
        if self.interrupted:
            raise InterruptedError
        return []

    def interrupt(self) -> None:
        self.interrupted = True
        self.go.set()

    def release(self) -> None:
        self.released += 1

    def measured(self) -> float:
        return 0.5


def test_a_run_is_waited_for_and_lets_go_at_its_end() -> None:
    run = Recorded()
    assert run.begun.wait(60)
    assert (run.wait(0), run.progress(), run.released) == (False, 0.5, 0)
    run.go.set()
    assert len(run.result().sets) == 2
    assert (run.wait(60), run.progress(), run.released) == (True, 1.0, 1)


def test_a_cancelled_run_has_ended_and_let_go() -> None:
    run = Recorded()
    assert run.begun.wait(60)
    run.cancel()
    assert (run.wait(0), run.released) == (True, 1)
    with pytest.raises(RunCancelledError):
        run.result()


def test_a_run_that_is_stopped_between_two_statements_begins_no_other() -> None:
    run = Recorded()
    assert run.begun.wait(60)
    run._stopped.set()
    run.go.set()
    with pytest.raises(RunCancelledError):
        run.result()
    assert run.released == 1
