"""All engines of a policy, as one: each table is asked where it lies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from discreet.base.errors import QueryError
from discreet.engines.duck.connection import share
from discreet.engines.duck.engine import DuckEngine
from discreet.engines.duck.evaluate import combine, evaluate
from discreet.engines.engine import Engine, find_tables
from discreet.engines.held import HeldRows, Wait
from discreet.engines.result import ExactResult, ExactRows, Run
from discreet.engines.survey import SurveyedTable
from discreet.plan.bounded import BoundedPlan
from discreet.plan.expressions import Column, Constant, Expression, GivenRows
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.model import DUCKDB, EngineKind, Policy, SourceFormat, Table
from discreet.policy.model import DeclaredEngine as Declared
from discreet.policy.problems import explain_problem
from discreet.policy.schema import Resolved, check_people

Frames = Mapping[str, Any]


class Engines:
    """The tables of a policy on all its engines, each opened when something first needs it. Threads may share them.

    Where `partly`, tables that are to be handed over from Python and were not are left out.
    """

    def __init__(self, policy: Policy, frames: Frames | None = None, *, partly: bool = False) -> None:
        self.policy = policy
        self._given = _given(policy, frames or {})
        tables = [each for each in policy.tables if not partly or self._is_there(each)]
        self._declared = {table.name.casefold(): table for table in tables}
        self._engines: dict[str, Engine] = {}
        self._lock = threading.RLock()
        self.tables: Mapping[str, Resolved] = OpenedTables(self._declared, lambda table: self._open(table.engine))

    def _is_there(self, table: Table) -> bool:
        """Say whether a table and those through which its rows reach their units have rows here."""
        every = (table, *self.policy.list_path(table))
        return all(each.format is not SourceFormat.PYTHON or each.name in self._given for each in every)

    def open_all(self) -> None:
        """Open every engine that holds a table: what is wrong with any of them is said now."""
        for table in self._declared.values():
            self._open(table.engine)

    def _open(self, name: str) -> Engine:
        """Return the engine of that name, opened with all its tables."""
        with self._lock:
            if name not in self._engines:
                declared = next(each for each in self.policy.engines if each.name == name)
                tables = [table for table in self._declared.values() if table.engine == name]
                engine = _opened(self.policy, declared, tables, self._given)
                try:
                    private = (each for each in engine.tables.values() if not each.table.public)
                    check_people(self.policy, tuple(private))
                except BaseException:
                    engine.close()
                    raise
                self._engines[name] = engine
            return self._engines[name]

    def check(self, plan: DeclaredPlan) -> None:
        """Refuse a plan that cannot be run where its tables lie; nothing is read."""
        self._holding(plan).check(plan)

    def ready(self, plan: DeclaredPlan) -> None:
        """Refuse a plan whose tables are not there as they were when they were opened; no private row is read."""
        self._holding(plan).ready(plan)

    def run(self, plan: BoundedPlan) -> Run[ExactResult]:
        """Begin to run a bounded plan, on the engine that holds all its tables."""
        return self._holding(plan).run(plan)

    def read(self, plan: RowsPlan) -> Run[ExactRows]:
        """Begin to read the rows of a plan, on the engine that holds all its tables."""
        return self._holding(plan).read(plan)

    def hold(self, plan: RowsPlan, wait: Wait) -> HeldRows:
        """Hold the rows of a plan for one run, on the engine that holds all its tables, or at the desk."""
        return self._holding(plan).hold(plan, wait)

    def _holding(self, plan: DeclaredPlan) -> Engine:
        names = {self.policy.table(table).engine for table in find_tables(plan)}
        if len(names) != 1:
            raise QueryError("the tables of a question lie on one engine")
        return self._open(names.pop())

    def public_values(self, table: str, column: str) -> tuple[Constant, ...]:
        """Return the distinct values of a public table's column, without NULL."""
        return self._of(table).public_values(table, column)

    def public_rows(self, table: str, columns: tuple[str, ...], most: int) -> tuple[tuple[Constant, ...], ...]:
        """Return the distinct rows of some columns of a public table, NULL where they are; no more than most + 1."""
        return self._of(table).public_rows(table, columns, most)

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """Return in how many rows of a public table these columns are equal, at most; NULL equals nothing."""
        return self._of(table).fan_out(table, columns)

    def evaluate(self, expression: Expression, given: dict[Column, tuple[Constant, ...]]) -> tuple[Constant, ...]:
        """Return the distinct values of an expression, without NULL, over all combinations of public values."""
        return evaluate(share(), expression, given)

    def combine(
        self, expressions: tuple[Expression, ...], where: Expression | None, given: tuple[GivenRows, ...]
    ) -> tuple[tuple[Constant, ...], ...]:
        """Return the distinct rows of some expressions, none of them NULL, over public rows that meet a condition."""
        return combine(share(), expressions, where, given)

    def fingerprint(self, table: str) -> str:
        """Return a hash of a table's source that changes when it does. For the operator only."""
        return self._of(table).fingerprint(table)

    def survey(self, table: str) -> SurveyedTable:
        """Return how a table's rows fit what is declared about them: exact, so for the owner alone."""
        return self._of(table).survey(table)

    def close(self) -> None:
        """Let go of all engines."""
        with ExitStack() as closing:
            for engine in self._engines.values():
                closing.callback(engine.close)

    def _of(self, table: str) -> Engine:
        return self._open(self.policy.table(table).engine)


class OpenedTables(Mapping[str, Resolved]):
    """The tables by folded name, in the order of the policy. Looking one up opens the engine that holds it."""

    def __init__(self, declared: Mapping[str, Table], find: Callable[[Table], Engine]) -> None:
        self._declared, self._find = declared, find

    def __getitem__(self, name: str) -> Resolved:
        return self._find(self._declared[name]).tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        return name in self._declared


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
