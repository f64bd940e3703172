"""Tables and views of a PostgreSQL database: questions run inside it, and only whole numbers by key come out."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any, TypeVar

from discreet.base.errors import PolicyError
from discreet.engines.engine import check_unchanged, find_tables
from discreet.engines.held import HeldRows, MemoryRows, Wait
from discreet.engines.lookups import PublicLookups
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.session import PostgresSession, ServerFacts, driver
from discreet.engines.postgres.sources import PostgresSource
from discreet.engines.result import ExactResult, ExactRows
from discreet.engines.running import Running
from discreet.engines.steps import Steps, write_row_steps, write_steps, write_sum_steps
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.model import DeclaredEngine as Declared
from discreet.policy.model import Policy, Table
from discreet.policy.schema import Resolved, link_paths

E = TypeVar("E")


class PostgresEngine(PublicLookups):
    """Tables of a policy behind PostgreSQL. No connection is held between questions."""

    dialect = POSTGRES

    def __init__(self, policy: Policy, declared: Declared, tables: Collection[Table]) -> None:
        self.policy = policy
        self._server = ServerFacts(policy.path, declared)
        self._sources: dict[str, PostgresSource] = {}
        self.tables: dict[str, Resolved] = {}
        for table in tables:
            with self._server.session(f"the catalog was asked for {table.name!r}") as session:
                source = PostgresSource(policy, table, session)
                resolved = source.resolve(source.schema())
                source.check(session)
            self._sources[table.name], self.tables[table.name.casefold()] = source, resolved
        self.tables = link_paths(policy, self.tables)

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose SQL is too long; nothing is read."""
        write_steps(plan, self.tables, self._select, POSTGRES)

    def ready(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose tables are not there as they were when this was opened, or may not be read any more."""
        with self._server.session("the catalog was asked for the tables of a question") as session:
            for name in find_tables(plan):
                before = self._sources[name]
                now = PostgresSource(self.policy, before.table, session)
                types = {each: kind for each, kind in before.schema().items() if kind and each in before.types}
                check_unchanged(name, types, now.schema())
                before.check(session)

    def run(self, plan: BoundedPlan) -> PostgresRun[ExactResult]:
        """Begin to run a bounded plan, on a connection and in a snapshot of its own."""
        assert find_tables(plan) <= self._sources.keys()
        return PostgresRun(self._server, write_sum_steps(plan, self.tables, self._select, POSTGRES))

    def read(self, plan: RowsPlan) -> PostgresRun[ExactRows]:
        """Begin to read the rows of a plan, on a connection and in a snapshot of its own."""
        return PostgresRun(self._server, write_row_steps(plan, self.tables, self._select, POSTGRES))

    def hold(self, plan: RowsPlan, wait: Wait) -> HeldRows:
        """Hold the rows of a plan in memory, at the desk."""
        return MemoryRows(lambda: wait(lambda: self.read(plan)))

    def fingerprint(self, table: str) -> str:
        """Return a hash that changes with every write to a table that PostgreSQL counts. For the operator only."""
        with self._server.session(f"the state of {table!r} was read") as session:
            return self._sources[table].fingerprint(session)

    def close(self) -> None:
        """Let go of whatever is open, which is nothing: every question has a connection of its own."""

    def _read(self, table: str, statement: str) -> list[tuple[Any, ...]]:
        with self._server.session(f"public table {table!r} was read") as session:
            return session.rows(statement)


class PostgresRun(Running[E]):
    """One plan being run: all its statements on one connection, in one snapshot."""

    def __init__(self, server: ServerFacts, steps: Steps[E]) -> None:
        self._server = server
        self._session: PostgresSession | None = None
        self._lock = threading.Lock()
        super().__init__(steps)

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Return the rows of a statement; the first one connects."""
        if self._session is None:
            session = self._server.connect()
            with self._lock:
                self._session = session
        return self._session.rows(statement)

    def is_lost(self, trouble: BaseException) -> bool:
        """A server that cannot be reached, or that ended the connection, is lost."""
        with self._lock:
            ended = self._session is None or self._session.is_closed
        return ended and isinstance(trouble, PolicyError | driver().OperationalError)

    def interrupt(self) -> None:
        """Ask PostgreSQL to stop."""
        with self._lock:
            if self._session is not None:
                self._session.cancel()

    def release(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._session is not None:
                self._session.close()
                self._session = None

    def measured(self) -> float:
        """PostgreSQL does not say how much of a SELECT is done."""
        return -1.0
