"""The engine for tables that outgrow one machine: Spark, which gives back bounded aggregates and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from discreet.engines.engine import check_unchanged, find_tables
from discreet.engines.held import HeldRows, MemoryRows, Wait
from discreet.engines.lookups import PublicLookups, explain_unreadable
from discreet.engines.result import ExactResult, ExactRows
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.held import SparkRows, shares_code
from discreet.engines.spark.running import SparkRun, fetch_rows
from discreet.engines.spark.session import connect
from discreet.engines.spark.sources import SparkSource
from discreet.engines.steps import write_row_steps, write_steps, write_sum_steps
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.model import DeclaredEngine, Policy, Table
from discreet.policy.schema import Resolved, link_paths


class SparkEngine(PublicLookups):
    """Tables of a policy, behind Spark. Nothing of a private table is read before `run`, but its schema."""

    dialect = SPARK

    def __init__(self, policy: Policy, declared: DeclaredEngine, tables: Collection[Table]) -> None:
        self.policy = policy
        self._session = connect(declared, policy.path)
        self._sources: dict[str, SparkSource] = {}
        self.tables: dict[str, Resolved] = {}
        self._shares: bool | None = None
        """Whether executors have the code that computes here, once it is known."""
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

    def hold(self, plan: RowsPlan, wait: Wait) -> HeldRows:
        """Hold the rows of a plan on the executors; at the desk, if these have not the code that computes here."""
        if self._shares is None:
            self._shares = shares_code(self._session, wait)
        if not self._shares:
            return MemoryRows(lambda: wait(lambda: self.read(plan)))
        (statement,) = write_row_steps(plan, self.tables, self._select, SPARK).statements
        return SparkRows(self._session, statement, plan, wait, lambda: self.read(plan))

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
