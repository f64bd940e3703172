"""Runs on Spark: statements and other work, as jobs that are waited for and cancelled together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pyarrow as pa

from discreet.engines.result import Points, stack_columns
from discreet.engines.running import Running
from discreet.engines.spark.jobs import Jobs, count_jobs
from discreet.engines.spark.session import SparkConnection
from discreet.engines.steps import Steps

E = TypeVar("E")


def fetch_rows(session: SparkConnection, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement once, and return its rows."""
    columns = fetch_table(session, statement).columns
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def fetch_table(session: SparkConnection, statement: str) -> pa.Table:
    """Execute a statement once, into one Arrow table."""
    with session.unheard():
        return session.session.sql(statement).toArrow()


def start_work(session: SparkConnection, work: Callable[[], E]) -> SparkRun[E]:
    """Begin work on Spark that is no statement of a plan, in a run that is cancelled and waited for like others."""

    def do() -> E:
        with session.unheard():
            return work()

    return SparkRun(session, Steps((), lambda _: do()))


class SparkRun(Running[E]):
    """One plan being run, as jobs of Spark that have a tag of their own."""

    def __init__(self, session: SparkConnection, steps: Steps[E]) -> None:
        self._session = session
        self._jobs: Jobs = count_jobs(session)
        self._done = 0
        super().__init__(steps)

    def compute(self) -> E:
        """Return the result, by jobs that have the tag."""
        self._jobs.begin()
        return super().compute()

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement."""
        self._jobs.begin()
        found = fetch_rows(self._session, statement)
        self._done += 1
        return found

    def execute_whole(self, statement: str) -> Points:
        """Return the rows of a statement that has whole numbers of 64 bits alone, as one array."""
        self._jobs.begin()
        table = fetch_table(self._session, statement)
        found = stack_columns(column.to_numpy() for column in table.columns)
        self._done += 1
        return found

    def is_lost(self, trouble: BaseException) -> bool:
        """A driver or a Connect server that answers no more is lost; a job that failed is not."""
        names = {kind.__name__ for kind in type(trouble).__mro__}
        if names & {"Py4JNetworkError", "ConnectionError", "Py4JError"} and "Py4JJavaError" not in names:
            return True
        return "SparkConnectGrpcException" in names and "UNAVAILABLE" in str(trouble)

    def interrupt(self) -> None:
        """Ask Spark to stop the jobs of this run."""
        self._jobs.stop()

    def release(self) -> None:
        """Take the tag off the thread of this run."""
        self._jobs.end()

    def measured(self) -> float:
        """Return how much is done: statements, and of the one that runs, tasks of the stages that Spark has begun."""
        share, many = self._jobs.share(), max(1, len(self._steps.statements))
        return min((self._done + share) / many, 1.0) if share >= 0 or self._done else -1.0
