"""The embedded engine: DuckDB, in this process."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import duckdb

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.duck.forms import quoted, sql
from discreet.engines.duck.frames import values_table
from discreet.engines.duck.literals import SQL_TYPES
from discreet.engines.duck.sources import Source
from discreet.engines.keeping import Steps
from discreet.engines.result import Exact, Grouped
from discreet.engines.rows import Select
from discreet.engines.statements import gathered, public, statements
from discreet.plan.bounded import BoundedPlan
from discreet.plan.expressions import Column, Constant, Expression, replaced
from discreet.plan.relations import Lookup, Scan, scans, sources
from discreet.policy.model import Policy
from discreet.policy.problems import problem
from discreet.policy.schema import Resolved, check_people, check_schema

PLAIN = frozenset(
    {
        "expression_rewriter",
        "in_clause",
        "deliminator",
        "join_order",
        "build_side_probe_side",
        "unused_columns",
        "column_lifetime",
        "common_subexpressions",
        "common_aggregate",
        "duplicate_groups",
        "materialized_cte",
        "cte_inlining",
    }
)
"""Optimizers that only rewrite a statement. All others are switched off.

Some drop or fold by what files say about their own rows, which leaves NaN out, so that one row could change whether
thousands of others are seen as NaN at all; one moves casts into the reading of csv, where a bad cell drops its row.
"""


class DuckEngine:
    """The tables of a policy, behind DuckDB. Nothing of a private table is read before `run`, but its schema."""

    def __init__(self, policy: Policy, frames: Mapping[str, Any] | None = None) -> None:
        self.policy = policy
        self._connection = duckdb.connect(":memory:")
        self._connection.execute("SET GLOBAL TimeZone = 'UTC'")  # of every cursor
        self._connection.execute("SET GLOBAL ieee_floating_point_ops = true")  # 1e308 * 10 is infinite, not an error
        self._connection.execute("SET autoinstall_known_extensions = false")
        self._connection.execute(f"SET disabled_optimizers = '{','.join(_not_plain(self._connection))}'")
        given = {name.casefold(): frame for name, frame in (frames or {}).items()}
        unknown = set(given) - {table.name.casefold() for table in policy.tables}
        if unknown:
            wrong, remedy = (
                f"there is no table {sorted(unknown)[0]!r}",
                "hand over only tables that the policy declares",
            )
            raise problem(policy.path, ("tables",), wrong, remedy)
        self._sources: dict[str, Source] = {}
        self.tables: dict[str, Resolved] = {}
        for table in policy.tables:
            try:
                source = Source(policy, table, self._connection, given.get(table.name.casefold()))
            except duckdb.Error:
                wrong, remedy = "it cannot be opened", "check that the path is right and that the file can be read"
                raise problem(policy.path, ("tables", table.name, "source"), wrong, remedy) from None
            resolved = check_schema(policy, table, source.schema())
            source.types = dict(resolved.source_types)
            source.check_unit()
            self._sources[table.name], self.tables[table.name.casefold()] = source, resolved
        check_people(policy, tuple(resolved for resolved in self.tables.values() if not resolved.table.public))

    def run(self, plan: BoundedPlan) -> DuckRun:
        """Begin to run a bounded plan."""
        whole = all(self.unit_type(scan.table) is Type.INTEGER for scan in scans(plan.block))
        used = {each.table for each in sources(plan.block) if isinstance(each, Scan | Lookup)}
        return DuckRun(self._cursor(used), plan, self._select, whole)

    def public_values(self, table: str, column: str) -> tuple[Constant, ...]:
        """Return the distinct values of a public table's column, without NULL."""
        self._only_public(table)
        name, select = quoted(column), self._select(table, frozenset({column}))
        found = self._cursor({table}).execute(
            f"SELECT DISTINCT {name} FROM ({select}) WHERE {name} IS NOT NULL ORDER BY 1"
        )
        return tuple(public(value) for (value,) in found.fetchall())

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """Return in how many rows of a public table these columns are equal, at most; NULL equals nothing."""
        self._only_public(table)
        names = ", ".join(quoted(name) for name in columns)
        some = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in columns)
        counts = f"SELECT count(*) AS n FROM ({self._select(table, frozenset(columns))}) WHERE {some} GROUP BY {names}"
        (found,) = self._cursor({table}).execute(f"SELECT coalesce(max(n), 1) FROM ({counts})").fetchone() or (1,)
        return int(found)

    def evaluate(self, expression: Expression, given: dict[Column, tuple[Constant, ...]]) -> tuple[Constant, ...]:
        """Return the distinct values of an expression, without NULL, over all combinations of public values."""
        tables, named, cursor = [], {}, self._connection.cursor()
        for place, (column, values) in enumerate(given.items()):  # by place: two tables may have columns of one name
            name = f"__discreet_given_{place}"
            cursor.register(name, values_table((*values, None), column.type))
            kind = "HUGEINT" if column.type is Type.INTEGER else SQL_TYPES[column.type]
            tables.append(f"(SELECT CAST(v AS {kind}) AS v FROM {name}) AS g{place}")
            named[column] = Column(f"g{place}", "v", column.type)
        value = sql(replaced(expression, lambda column: named.get(column, column)))
        statement = f"SELECT DISTINCT v FROM (SELECT {value} AS v FROM {', '.join(tables)}) WHERE v IS NOT NULL"
        found = cursor.execute(statement).fetchall()
        return tuple(public(value) for (value,) in found if value == value)

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""
        return self._sources[table].fingerprint()

    def unit_type(self, table: str) -> Type | None:
        """Return the type of a table's unit column."""
        return self.tables[table.casefold()].unit_type

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def _cursor(self, tables: set[str]) -> duckdb.DuckDBPyConnection:
        """Return a cursor that knows these tables."""
        cursor = self._connection.cursor()
        for name in tables:
            self._sources[name].prepare(cursor)
        return cursor

    def _select(self, table: str, columns: frozenset[str]) -> str:
        return self._sources[table].select(columns)

    def _only_public(self, table: str) -> None:
        if not self.tables[table.casefold()].table.public:
            raise PolicyError(f"{table!r} is private: its values are not listed")


def _not_plain(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the optimizers of this DuckDB that are to be switched off."""
    known = {name for (name,) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()}
    return sorted(known - PLAIN - {"extension"})


class DuckRun:
    """One bounded plan being run, in a thread of its own."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, plan: BoundedPlan, source: Select, whole: bool) -> None:
        self._cursor, self._plan = cursor, plan
        self._steps = statements(plan, source, whole)
        self._future: Future[Exact] = Future()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._future.set_result(self._exact())
        except BaseException as trouble:
            self._future.set_exception(trouble)

    def _exact(self) -> Exact:
        try:
            return Exact(tuple(self._set(index, steps) for index, steps in enumerate(self._steps)))
        finally:
            self._cursor.close()

    def _set(self, index: int, steps: Steps) -> Grouped:
        return gathered(self._plan, index, *steps.run(self._rows))

    def _rows(self, statement: str) -> list[Any]:
        if self._stopped.is_set():
            raise duckdb.InterruptException("stopped between two statements")
        return self._cursor.execute(statement).fetchall()

    def progress(self) -> float:
        """Return how much of the current statement is done, or a negative number."""
        if self._future.done():
            return 1.0
        try:
            return float(self._cursor.query_progress()) / 100
        except duckdb.Error:
            return -1.0

    def cancel(self) -> None:
        """Stop as soon as possible, and return when nothing runs any more: the engine may be closed then.

        An interrupt between two statements is lost, so it is repeated.
        """
        self._stopped.set()
        while self._thread.is_alive():
            with contextlib.suppress(duckdb.Error):  # it may be done, and its cursor closed
                self._cursor.interrupt()
            self._thread.join(0.02)

    def wait(self, seconds: float) -> bool:
        """Wait this long at most; say whether it is done."""
        try:
            self._future.exception(seconds)
        except TimeoutError:
            return False
        return True

    def result(self) -> Exact:
        """Wait for the result."""
        return self._future.result()
