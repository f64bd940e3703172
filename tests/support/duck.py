"""DuckDB for tests that ask the same of several tables: what is the same is done once.

On tables of a few rows, DuckDB spends a third of its time on reading a statement and most of the rest on planning it.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa

from discreet.engines.duck.connection import connect
from discreet.engines.engines import Engines
from support.hospital import duck


class ParsedOnce:
    """A connection, or a cursor of it, that parses each statement once for all that share `parsed`.

    Every database still plans it for itself: how DuckDB does that may follow its rows, and no result may.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, parsed: dict[str, duckdb.Statement]) -> None:
        self._connection, self._parsed = connection, parsed

    def cursor(self) -> ParsedOnce:
        """Return a cursor of the same kind."""
        return ParsedOnce(self._connection.cursor(), self._parsed)

    def execute(self, statement: str) -> duckdb.DuckDBPyConnection:
        """Run one statement."""
        if statement not in self._parsed:
            (self._parsed[statement],) = self._connection.extract_statements(statement)
        return self._connection.execute(self._parsed[statement])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def parse_once(engines: Engines, parsed: dict[str, duckdb.Statement]) -> None:
    """Have DuckDB's engine take from `parsed` what another one has parsed, and add what it parses."""
    engine = duck(engines)
    engine._connection = ParsedOnce(engine._connection, parsed)  # type: ignore[assignment]


class Exchange:
    """A DuckDB under the settings of questions, whose tables get other rows while plans of statements are kept."""

    MOST = 50
    """Plans that are kept at a time."""

    def __init__(self) -> None:
        self._connection = connect()
        self._connection.execute("SET threads = 1")
        self._tables: dict[str, _Rows] = {}
        self._plans: dict[str, str] = {}

    def put(self, name: str, table: pa.Table) -> None:
        """Give a table these rows."""
        if name in self._tables and self._tables[name].table.schema == table.schema:
            self._tables[name].table = table
            return
        self._forget()
        self._tables[name] = _Rows(table)
        self._connection.register(name, self._tables[name])

    def read(self, statement: str) -> list[Any]:
        """Return the rows of a statement."""
        if statement not in self._plans:
            if len(self._plans) >= self.MOST:
                self._forget()
            self._plans[statement] = f"plan_{len(self._plans)}"
            self._connection.execute(f"PREPARE {self._plans[statement]} AS {statement}")
        return self._connection.execute(f"EXECUTE {self._plans[statement]}").fetchall()

    def _forget(self) -> None:
        for plan in self._plans.values():
            self._connection.execute(f"DEALLOCATE {plan}")
        self._plans = {}


class _Rows:
    """Rows that DuckDB asks for whenever it begins to read, and not when it plans."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)
