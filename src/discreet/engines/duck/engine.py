"""The embedded engine: DuckDB, in this process."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import duckdb

from discreet.engines.duck.connection import connect, share
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.duck.sources import DuckSource
from discreet.engines.engine import check_unchanged, find_tables
from discreet.engines.held import HeldRows, MemoryRows, Wait
from discreet.engines.lookups import PublicLookups, explain_unreadable
from discreet.engines.result import ExactResult, ExactRows, Points, stack_columns
from discreet.engines.running import Running
from discreet.engines.steps import Steps, write_row_steps, write_steps, write_sum_steps
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.model import Policy, Table
from discreet.policy.problems import explain_problem
from discreet.policy.schema import Resolved, link_paths

E = TypeVar("E")


class DuckEngine(PublicLookups):
    """Tables of a policy, all of them or those given, behind DuckDB; `frames` are handed over from Python, by name."""

    dialect = DUCKDB

    def __init__(
        self, policy: Policy, frames: Mapping[str, Any] | None = None, tables: Collection[Table] | None = None
    ) -> None:
        self.policy = policy
        given, chosen = frames or {}, policy.tables if tables is None else tables
        in_python = all(given.get(table.name) is not None for table in chosen)
        self._connection = share() if in_python else connect()
        self._sources: dict[str, DuckSource] = {}
        self.tables: dict[str, Resolved] = {}
        for table in chosen:
            try:
                source = DuckSource(policy, table, self._connection, given.get(table.name))
            except duckdb.Error:
                wrong, remedy = "it cannot be opened", "check that the path is right and that the file can be read"
                raise explain_problem(policy.path, ("tables", table.name, "source"), wrong, remedy) from None
            found = source.schema()
            resolved = source.resolve(found)
            source.found = {name: kind for name, kind in found.items() if kind is not None and name in source.types}
            source.check_unit()
            self._sources[table.name], self.tables[table.name.casefold()] = source, resolved
        self.tables = link_paths(policy, self.tables)
        for source in self._sources.values():
            source.check_path(self._sources)

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose SQL is too long; nothing is read."""
        write_steps(plan, self.tables, self._select, DUCKDB)

    def ready(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose tables are not there as they were when this was opened."""
        for name in find_tables(plan):
            source = self._sources[name]
            check_unchanged(name, source.found, source.schema())

    def run(self, plan: BoundedPlan) -> DuckRun[ExactResult]:
        """Begin to run a bounded plan."""
        steps = write_sum_steps(plan, self.tables, self._select, DUCKDB)
        return DuckRun(self._cursor(find_tables(plan)), steps)

    def read(self, plan: RowsPlan) -> DuckRun[ExactRows]:
        """Begin to read the rows of a plan."""
        steps = write_row_steps(plan, self.tables, self._select, DUCKDB)
        return DuckRun(self._cursor(find_tables(plan)), steps)

    def hold(self, plan: RowsPlan, wait: Wait) -> HeldRows:
        """Hold the rows of a plan in memory, at the desk."""
        return MemoryRows(lambda: wait(lambda: self.read(plan)))

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""
        return self._sources[table].fingerprint()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _cursor(self, tables: set[str]) -> duckdb.DuckDBPyConnection:
        """Return a cursor that knows these tables."""
        cursor = self._connection.cursor()
        for name in tables:
            self._sources[name].prepare(cursor)
        return cursor

    def _read(self, table: str, statement: str) -> list[tuple[Any, ...]]:
        path = (each.name for each in self.policy.list_path(self.policy.table(table)))
        try:
            return self._cursor({table, *path}).execute(statement).fetchall()
        except duckdb.Error:
            raise explain_unreadable(table) from None


class DuckRun(Running[E]):
    """One plan being run on a cursor of its own."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, steps: Steps[E]) -> None:
        self._cursor = cursor
        super().__init__(steps)

    def execute(self, statement: str) -> list[Any]:
        """Return the rows of a statement."""
        return self._cursor.execute(statement).fetchall()

    def execute_whole(self, statement: str) -> Points:
        """Return the rows of a statement that has whole numbers of 64 bits alone, as one array."""
        return stack_columns(self._cursor.execute(statement).fetchnumpy().values())

    def interrupt(self) -> None:
        """Ask DuckDB to stop."""
        with contextlib.suppress(duckdb.Error):  # it may be done, and its cursor closed
            self._cursor.interrupt()

    def release(self) -> None:
        """Close the cursor."""
        self._cursor.close()

    def measured(self) -> float:
        """Return how much of the current statement is done, or a negative number."""
        try:
            return float(self._cursor.query_progress()) / 100
        except duckdb.Error:
            return -1.0
