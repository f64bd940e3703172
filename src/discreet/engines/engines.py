"""All engines of a policy, as one: each table is asked where it lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import duckdb

from discreet.base.errors import QueryError
from discreet.engines.duck.connection import connect
from discreet.engines.duck.engine import DuckEngine
from discreet.engines.duck.evaluate import evaluate
from discreet.engines.engine import Engine, find_tables
from discreet.engines.result import Run
from discreet.plan.bounded import BoundedPlan
from discreet.plan.expressions import Column, Constant, Expression
from discreet.policy.model import DUCKDB, EngineKind, Policy, SourceFormat, Table
from discreet.policy.model import DeclaredEngine as Declared
from discreet.policy.problems import explain_problem
from discreet.policy.schema import Resolved, check_people

Frames = Mapping[str, Any]


class Engines:
    """The tables of a policy on all its engines; only those engines are opened that hold one.

    Where `partly`, tables that are to be handed over from Python and were not are left out.
    """

    def __init__(self, policy: Policy, frames: Frames | None = None, *, partly: bool = False) -> None:
        self.policy = policy
        given = _given(policy, frames or {})
        self._engines: dict[str, Engine] = {}
        with ExitStack() as opened:
            for declared in policy.engines:
                tables = [table for table in policy.tables if table.engine == declared.name]
                if partly:
                    tables = [each for each in tables if each.format is not SourceFormat.PYTHON or each.name in given]
                if tables:
                    engine = _opened(policy, declared, tables, given)
                    opened.callback(engine.close)
                    self._engines[declared.name] = engine
            found = {name: each for engine in self._engines.values() for name, each in engine.tables.items()}
            names = [table.name.casefold() for table in policy.tables]
            self.tables: dict[str, Resolved] = {name: found[name] for name in names if name in found}
            check_people(policy, tuple(each for each in self.tables.values() if not each.table.public))
            opened.pop_all()

    def check(self, plan: BoundedPlan) -> None:
        """Refuse a plan that cannot be run where its tables lie; nothing is read."""
        self._holding(plan).check(plan)

    def ready(self, plan: BoundedPlan) -> None:
        """Refuse a plan whose tables are not there as they were when they were opened; no private row is read."""
        self._holding(plan).ready(plan)

    def run(self, plan: BoundedPlan) -> Run:
        """Begin to run a bounded plan, on the engine that holds all its tables."""
        return self._holding(plan).run(plan)

    def _holding(self, plan: BoundedPlan) -> Engine:
        names = {self.policy.table(table).engine for table in find_tables(plan)}
        if len(names) != 1:
            raise QueryError("the tables of a question lie on one engine")
        return self._engines[names.pop()]

    def public_values(self, table: str, column: str) -> tuple[Constant, ...]:
        """Return the distinct values of a public table's column, without NULL."""
        return self._of(table).public_values(table, column)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """Return in how many rows of a public table these columns are equal, at most; NULL equals nothing."""
        return self._of(table).fan_out(table, columns)

    def evaluate(self, expression: Expression, given: dict[Column, tuple[Constant, ...]]) -> tuple[Constant, ...]:
        """Return the distinct values of an expression, without NULL, over all combinations of public values."""
        return evaluate(self._values.cursor(), expression, given)

    @cached_property
    def _values(self) -> duckdb.DuckDBPyConnection:
        """Return a database that holds nothing."""
        return connect()

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""
        return self._of(table).fingerprint(table)

    def close(self) -> None:
        """Let go of all engines."""
        with ExitStack() as closing:
            for engine in self._engines.values():
                closing.callback(engine.close)
            if "_values" in self.__dict__:
                closing.callback(self._values.close)

    def _of(self, table: str) -> Engine:
        return self._engines[self.policy.table(table).engine]


def _given(policy: Policy, frames: Frames) -> dict[str, Any]:
    """Return what was handed over from Python, by the tables' own names."""
    names = {table.name.casefold(): table for table in policy.tables}
    found = {}
    for name, frame in frames.items():
        table = names.get(name.casefold())
        if table is None:
            wrong, remedy = f"there is no table {name!r}", "hand over only tables that the policy declares"
            raise explain_problem(policy.path, ("tables",), wrong, remedy)
        if table.engine != DUCKDB:
            wrong, remedy = "a table was handed over, and this one lies elsewhere", 'write engine = "duckdb"'
            raise explain_problem(policy.path, ("tables", table.name), wrong, remedy)
        found[table.name] = frame
    return found


def _opened(policy: Policy, declared: Declared, tables: list[Table], given: Frames) -> Engine:
    opening: dict[EngineKind, Callable[[], Engine]] = {
        EngineKind.DUCKDB: lambda: DuckEngine(policy, given, tables),
        EngineKind.SPARK: lambda: _spark(policy, declared, tables),
        EngineKind.POSTGRES: lambda: _postgres(policy, declared, tables),
    }
    return opening[declared.kind]()


def _spark(policy: Policy, declared: Declared, tables: list[Table]) -> Engine:
    from discreet.engines.spark.engine import SparkEngine

    return SparkEngine(policy, declared, tables)


def _postgres(policy: Policy, declared: Declared, tables: list[Table]) -> Engine:
    from discreet.engines.postgres.engine import PostgresEngine

    return PostgresEngine(policy, declared, tables)
