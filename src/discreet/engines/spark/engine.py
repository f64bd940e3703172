"""The engine for tables that outgrow one machine: Spark, which gives back bounded aggregates and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

import pyarrow as pa

from discreet.engines.engine import check_unchanged, find_tables
from discreet.engines.lookups import PublicLookups, explain_unreadable
from discreet.engines.result import ExactResult, ExactRows, Points, stack_columns
from discreet.engines.running import Running
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.jobs import Jobs, count_jobs
from discreet.engines.spark.session import SparkConnection, connect
from discreet.engines.spark.sources import SparkSource
from discreet.engines.steps import Steps, write_row_steps, write_steps, write_sum_steps
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.model import DeclaredEngine, Policy, Table
from discreet.policy.schema import Resolved, link_paths

E = TypeVar("E")


class SparkEngine(PublicLookups):
    """Tables of a policy, behind Spark. Nothing of a private table is read before `run`, but its schema."""

    dialect = SPARK

    def __init__(self, policy: Policy, declared: DeclaredEngine, tables: Collection[Table]) -> None:
        self.policy = policy
        self._session = connect(declared, policy.path)
        self._sources: dict[str, SparkSource] = {}
        self.tables: dict[str, Resolved] = {}
        try:
            for table in tables:
                source = SparkSource(policy, table, self._session)
                found = source.schema()
                resolved = source.resolve(found)
                source.found = {name: kind for name, kind in found.items() if kind is not None and name in source.types}
                self._sources[table.name], self.tables[table.name.casefold()] = source, resolved
            self.tables = link_paths(policy, self.tables)
        except BaseException:
            self.close()
            raise

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose SQL is too long; nothing is read."""
        write_steps(plan, self.tables, self._select, SPARK)

    def ready(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose tables are not there as they were when this was opened."""
        for name in find_tables(plan):
            source = self._sources[name]
            check_unchanged(name, source.found, source.schema())

    def run(self, plan: BoundedPlan) -> SparkRun[ExactResult]:
        """Begin to run a bounded plan."""
        return SparkRun(self._session, write_sum_steps(plan, self.tables, self._select, SPARK))

    def read(self, plan: RowsPlan) -> SparkRun[ExactRows]:
        """Begin to read the rows of a plan."""
        return SparkRun(self._session, write_row_steps(plan, self.tables, self._select, SPARK))

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""
        return self._sources[table].fingerprint()

    def close(self) -> None:
        """End the session; a Spark that ran before this engine goes on."""
        self._session.close()

    def _read(self, table: str, statement: str) -> list[tuple[Any, ...]]:
        try:
            return fetch_rows(self._session, statement)
        except Exception:  # of many kinds, which quote paths, and Java's words
            raise explain_unreadable(table) from None


def fetch_rows(session: SparkConnection, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement once, and return its rows."""
    columns = fetch_table(session, statement).columns
    return list(zip(*(column.to_pylist() for column in columns), strict=True))


def fetch_table(session: SparkConnection, statement: str) -> pa.Table:
    """Execute a statement once, into one Arrow table."""
    with session.unheard():
        return session.session.sql(statement).toArrow()


class SparkRun(Running[E]):
    """One plan being run, as jobs of Spark that have a tag of their own."""

    def __init__(self, session: SparkConnection, steps: Steps[E]) -> None:
        self._session = session
        self._jobs: Jobs = count_jobs(session)
        self._done = 0
        super().__init__(steps)

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
        share = self._jobs.share()
        return min((self._done + share) / len(self._steps.statements), 1.0) if share >= 0 or self._done else -1.0
