"""A plan being run, in a thread of its own: what runs on all engines share."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

import numpy as np

from discreet.engines.result import Points
from discreet.engines.steps import Steps

E = TypeVar("E")


class RunCancelledError(Exception):
    """The run was cancelled."""


class EngineLostError(Exception):
    """The engine, or the connection to it, was lost while it ran: mostly a failure of a machine, not of the data."""


class Running(ABC, Generic[E]):
    """One plan being run. An engine says how a statement is executed, interrupted, and what is let go after."""

    def __init__(self, steps: Steps[E]) -> None:
        self._steps = steps
        self._future: Future[E] = Future()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @abstractmethod
    def execute(self, statement: str) -> Sequence[Sequence[Any]]:
        """Return the rows of a statement; called in the run's own thread, for one after another."""

    def execute_whole(self, statement: str) -> Points:
        """Return the rows of a statement that has whole numbers of 64 bits alone, as one array."""
        return np.array(self.execute(statement), dtype=np.int64)

    @abstractmethod
    def interrupt(self) -> None:
        """Ask the engine to stop the statement that runs now, if one does. Raises nothing."""

    @abstractmethod
    def release(self) -> None:
        """Let go of what the run holds; called in the run's own thread, at its end."""

    @abstractmethod
    def measured(self) -> float:
        """Return how much of the run is done, from 0 to 1, or a negative number."""

    def _work(self) -> None:
        try:
            self._future.set_result(self._exact())
        except BaseException as trouble:
            self._future.set_exception(trouble)

    def _explain(self, trouble: BaseException) -> BaseException:
        """Return what a failure is: whatever an interrupted statement raises, the run was cancelled."""
        if self._stopped.is_set():
            return RunCancelledError("cancelled")
        return EngineLostError(f"{type(trouble).__name__}: {trouble}") if self.is_lost(trouble) else trouble

    def is_lost(self, trouble: BaseException) -> bool:
        """Say whether a failure means that the engine is gone, as far as can be told."""
        return False

    def _exact(self) -> E:
        try:
            return self.compute()
        except BaseException as trouble:
            raise self._explain(trouble) from trouble
        finally:
            self.release()

    def compute(self) -> E:
        """Return the result; called in the run's own thread."""
        return self._steps.gather(self._fetch())

    def _fetch(self) -> Iterator[Any]:
        """Yield what each statement returns."""
        whole = self._steps.whole or (False,) * len(self._steps.statements)
        for statement, as_array in zip(self._steps.statements, whole, strict=True):
            if self._stopped.is_set():
                raise RunCancelledError("cancelled between two statements")
            yield self.execute_whole(statement) if as_array else self.execute(statement)

    def progress(self) -> float:
        """Return how much is done, from 0 to 1, or a negative number where it is not known."""
        return 1.0 if self._future.done() else self.measured()

    def cancel(self) -> None:
        """Stop as soon as possible, and return when nothing runs any more: the engine may be closed then.

        An interrupt between two statements is lost, so it is repeated.
        """
        self._stopped.set()
        while self._thread.is_alive():
            self.interrupt()
            self._thread.join(0.02)

    def wait(self, seconds: float) -> bool:
        """Wait this long at most; say whether it is done."""
        try:
            self._future.exception(seconds)
        except TimeoutError:
            return False
        return True

    def result(self) -> E:
        """Wait for the result."""
        return self._future.result()
