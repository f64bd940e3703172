"""A few worker processes: tasks are handed out one by one, and their results come back in the order of the tasks."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self

from discreet.base import check
from discreet.base.errors import FailedError

MODULE = "discreet.topdown.running.worker"
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
"""Linear algebra uses one thread in a worker: sums come out the same however many cores and workers there are."""

PATIENCE = 10.0
"""Seconds that a worker has to end by itself."""

Task = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of a module, and what it is called with after the job."""


class SolverPool:
    """Worker processes with one job, which may be replaced. What comes out does not depend on how many there are."""

    def __init__(self, workers: int | None = None) -> None:
        """Start so many processes; by default one for each core that this process may use."""
        count = count_cores() if workers is None else check.integer("workers", workers, least=1)
        self._running: list[tuple[subprocess.Popen[bytes], Connection]] = []
        try:
            for _ in range(count):
                self._running.append(_start())
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return len(self._running)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close(stop=kind is not None)

    def give_basis(self, basis: Any) -> None:
        """Hand all workers what every job from now on is made on."""
        self._tell("basis", basis)

    def give_job(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Hand all workers what the tasks from now on are about: each makes it for itself, on the basis."""
        self._tell("job", (make, arguments))

    def map(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield the results in the order of the tasks; a worker that fails or dies ends all of it."""
        waiting = iter(enumerate(tasks))
        found: dict[int, Any] = {}
        busy: set[Connection] = set()
        for _, pipe in self._running:
            self._hand_out(pipe, waiting, busy)
        following = 0
        while busy or following in found:
            if following in found:
                yield found.pop(following)
                following += 1
                continue
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                busy.discard(ready)
                number, result = _receive(ready)
                found[number] = result
                self._hand_out(ready, waiting, busy)

    def close(self, stop: bool = False) -> None:
        """End all workers; with `stop` without waiting for what they do."""
        for process, pipe in self._running:
            pipe.close()
            if stop:
                process.kill()
        for process, _ in self._running:
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._running = []

    def _tell(self, kind: str, content: Any) -> None:
        packed = pickle.dumps((kind, content), protocol=5)
        for _, pipe in self._running:
            _send(pipe, packed)

    def _hand_out(self, pipe: Connection, waiting: Iterator[tuple[int, Task]], busy: set[Connection]) -> None:
        following = next(waiting, None)
        if following is not None:
            number, (function, arguments) = following
            _send(pipe, pickle.dumps(("task", (number, function, arguments)), protocol=5))
            busy.add(pipe)


def count_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _start() -> tuple[subprocess.Popen[bytes], Connection]:
    ours, theirs = Pipe()
    handle = theirs.fileno()
    command = [sys.executable, "-m", MODULE, str(handle)]
    paths = os.pathsep.join(each for each in sys.path if each)
    beside = {**os.environ, **ONE_THREAD, "PYTHONPATH": paths}
    try:
        process = subprocess.Popen(command, pass_fds=(handle,), stdin=subprocess.DEVNULL, env=beside)
    finally:
        theirs.close()
    return process, ours


def _send(pipe: Connection, packed: bytes) -> None:
    try:
        pipe.send_bytes(packed)
    except OSError:
        raise FailedError("a worker process has ended; what was finished is kept: run it again") from None


def _receive(pipe: Connection) -> tuple[int, Any]:
    try:
        number, is_done, content = pickle.loads(pipe.recv_bytes())
    except (EOFError, OSError):
        raise FailedError("a worker process has ended; what was finished is kept: run it again") from None
    if is_done:
        return number, content
    words, written = content
    error = FailedError(f"{words}; what was finished is kept")
    error.add_note(f"in a worker process:\n{written}")
    raise error
