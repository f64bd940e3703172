"""Tasks on the executors of Spark, as `workers.SolverPool` has them on the cores of one machine.

A task is a pure function of released measurements: nothing private is in it and nothing is drawn, so one that Spark
runs twice, or again elsewhere, does no harm. Beside every Python of an executor runs one worker process (`worker`), the
same program as on one machine, with one thread: so the whole numbers are the same, whoever finds them.

The run's folder must be one that the driver and all executors read and write at the same path: jobs are handed over in
it, measurements are looked up in it, tables are written into it. That is tried before anything is charged.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.answers.export import replacing
from discreet.base.errors import DiscreetError, FailedError
from discreet.engines.spark.session import SparkConnection
from discreet.topdown.running.workers import SolverPool, Task

AT_ONCE = 4096
"""How many tasks one job of Spark has: results of one come to the driver together."""

RESULTS = pa.schema([("number", pa.int64()), ("result", pa.binary())])
SQL = "number BIGINT, result BINARY"

PROBED = 64
"""Rows that are sent to executors to ask whether they share the folder; Spark divides them among all cores."""


class SparkPool(SolverPool):
    """Executors with one job, which may be replaced. What comes out does not depend on how many there are."""

    def __init__(self, session: SparkConnection, folder: Path) -> None:
        """Hand tasks to a session's executors by way of a folder, or refuse one that they do not share."""
        self._running = []
        self._session, self._folder = session, folder.resolve() / f"spark-{uuid.uuid4().hex}"
        self._basis: Path | None = None
        self._job: Path | None = None
        self._folder.mkdir(parents=True)
        try:
            self._probe()
        except BaseException:
            self.close()
            raise

    def give_basis(self, basis: Any) -> None:
        """Leave for all executors what every job from now on is made on."""
        self._basis, self._job = self._keep(basis), None

    def give_job(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Leave for all executors what the tasks from now on are about."""
        self._job = self._keep((make, arguments))

    def map(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield the results in the order of the tasks; one that fails ends all of it."""
        for first in range(0, len(tasks), AT_ONCE):
            yield from self._do(tasks[first : first + AT_ONCE])

    def close(self, stop: bool = False) -> None:
        """Take away what was left for executors; the session is its opener's."""
        with suppress(OSError):
            for path in self._folder.iterdir():
                path.unlink()
            self._folder.rmdir()

    def _do(self, tasks: Sequence[Task]) -> list[Any]:
        packed = [pickle.dumps(each, protocol=5) for each in tasks]
        rows = pa.table({"number": pa.array(range(len(tasks)), pa.int64()), "task": pa.array(packed, pa.binary())})
        try:
            with self._session.unheard():
                frame = self._session.session.createDataFrame(rows).repartition(len(tasks))
                found = frame.mapInArrow(DoTasks(self._basis, self._job), SQL).toArrow()
        except Exception as trouble:
            raise FailedError("Spark failed; what was finished is kept: run it again") from trouble
        results: dict[int, Any] = {}
        for number, result in zip(*(column.to_pylist() for column in found.columns), strict=True):
            results[number] = pickle.loads(result)
        for number in range(len(tasks)):
            is_done, content = results[number]
            if not is_done:
                words, notes = content
                error = FailedError(words)
                for note in notes:
                    error.add_note(note)
                raise error
        return [results[number][1] for number in range(len(tasks))]

    def _keep(self, content: Any) -> Path:
        path = self._folder / f"{uuid.uuid4().hex}.pickle"
        with replacing(path) as part:
            part.write_bytes(pickle.dumps(content, protocol=5))
        return path

    def _probe(self) -> None:
        """Refuse executors that lack this code, or do not share the folder."""
        asked = self._keep("asked")
        try:
            with self._session.unheard():
                frame = self._session.session.range(PROBED).mapInArrow(Probe(asked), SQL)
                answers = frame.toArrow().column("result").to_pylist()
        except Exception:
            answers = []
        seen = {each.decode() for each in answers}
        if not answers or "" in seen or not all((self._folder / each).exists() for each in seen):
            raise DiscreetError(
                f"Spark's executors do not share {self._folder.parent}, or lack this version of discreet; "
                "name a folder that all of them have at this path (output), or solve on this machine"
            )


@dataclass(frozen=True)
class Probe:
    """Asks an executor for a file, and to leave one."""

    path: Path

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the name of the file that was left; nothing where there was none to read or to write."""
        left = ""
        with suppress(OSError):
            if pickle.loads(self.path.read_bytes()) == "asked":
                beside = self.path.with_name(f"{uuid.uuid4().hex}.seen")
                beside.touch()
                left = beside.name
        for _ in batches:
            yield pa.record_batch([[0], [left.encode()]], schema=RESULTS)


@dataclass(frozen=True)
class DoTasks:
    """What an executor does with the tasks of a partition."""

    basis: Path | None
    job: Path | None

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a result for each task: what came out, or what went wrong in words."""
        for batch in batches:
            numbers, tasks = (column.to_pylist() for column in batch.columns)
            found = [pickle.dumps(self._try(pickle.loads(each)), protocol=5) for each in tasks]
            yield pa.record_batch([numbers, found], schema=RESULTS)

    def _try(self, task: Task) -> tuple[bool, Any]:
        try:
            return True, next(_HELD.prepare(self.basis, self.job).map([task]))
        except FailedError as error:
            _HELD.drop()
            return False, (str(error), list(getattr(error, "__notes__", [])))


class _HeldWorker:
    """The worker process of this Python, which Spark uses for one task after another: it ends with it."""

    def __init__(self) -> None:
        self._pool: SolverPool | None = None
        self._given: tuple[Path | None, Path | None] = None, None

    def prepare(self, basis: Path | None, job: Path | None) -> SolverPool:
        """Return a pool of one worker that has this basis and this job."""
        if self._pool is None:
            self._pool, self._given = SolverPool(1), (None, None)
        if self._given[0] != basis and basis is not None:
            self._pool.give_basis(pickle.loads(basis.read_bytes()))
        if self._given != (basis, job) and job is not None:
            self._pool.give_job(*pickle.loads(job.read_bytes()))
        self._given = basis, job
        return self._pool

    def drop(self) -> None:
        """End the worker, of which nobody knows what state it is in."""
        if self._pool is not None:
            self._pool.close(stop=True)
            self._pool = None


_HELD = _HeldWorker()
