"""Where rows come from: parquet and csv files, tables of a DuckDB file, and tables handed over from Python."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import duckdb

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.forms import SQL_TYPES, quoted, text
from discreet.policy.model import Format, Policy, Table
from discreet.policy.problems import problem

TYPES = {
    "BOOLEAN": Type.BOOLEAN,
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), Type.INTEGER),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"), Type.DECIMAL),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Type.FLOAT),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID"), Type.TEXT),
    "DATE": Type.DATE,
    **dict.fromkeys(
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"), Type.TIMESTAMP
    ),
}
"""DuckDB's types in the words of a policy; others, such as lists and blobs, have none."""


class Source:
    """One table's rows, as a FROM clause on a connection."""

    def __init__(self, policy: Policy, table: Table, connection: duckdb.DuckDBPyConnection, frame: Any = None) -> None:
        self.policy, self.table, self.connection = policy, table, connection
        self.types: dict[str, Type] = {}
        """Types pinned by the policy, set once the schema is checked: what csv columns are cast to."""
        self.frame: Any = None
        self.clause = self._clause(frame)

    @property
    def _python_name(self) -> str:
        return f"__discreet_python_{self.table.name}"

    def register(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Make a table from Python known to a connection: each cursor has its own."""
        if self.frame is None:
            return
        try:
            connection.register(self._python_name, self.frame)
        except (duckdb.Error, TypeError, ValueError):
            wrong, remedy = f"{type(self.frame).__name__} was given", "give a pandas or polars frame or an Arrow table"
            raise problem(self.policy.path, ("tables", self.table.name), wrong, remedy) from None

    def _clause(self, frame: Any) -> str:
        place, table = self.policy.location(self.table), self.table
        if frame is not None:
            self.frame = frame
            self.register(self.connection)
            return quoted(self._python_name)
        if place is None:
            remedy = f'write source = "...", or open with tables={{"{table.name}": frame}}'
            raise problem(self.policy.path, ("tables", table.name, "source"), "there is no source", remedy)
        if table.format is Format.PARQUET:
            return f"read_parquet({text(place)}, union_by_name = false)"
        if table.format is Format.CSV:
            return f"read_csv({text(place)}, header = true, all_varchar = true, null_padding = true)"
        name = f"__discreet_file_{table.name}"
        self.connection.execute(f"ATTACH {text(place)} AS {quoted(name)} (READ_ONLY)")
        inner = (table.database_table or table.name).split(".")
        return ".".join(quoted(part) for part in (name, *inner))

    def schema(self) -> dict[str, Type | None]:
        """Return the columns and their types, from the source's own schema; csv columns are text."""
        try:
            found = self.connection.execute(f"DESCRIBE SELECT * FROM {self.clause}").fetchall()
        except duckdb.Error as trouble:
            raise self._unreadable(trouble) from None
        csv = self.table.format is Format.CSV
        return {name: Type.TEXT if csv else TYPES.get(kind.split("(")[0]) for name, kind, *_ in found}

    def select(self, columns: frozenset[str]) -> str:
        """Return a SELECT of these columns, cast to their types; what does not fit is NULL, never an error."""
        cast = "TRY_CAST" if self.table.format is Format.CSV else "CAST"
        listed = [self._cast(name, cast) for name in self.types if name in columns]
        return f"SELECT {', '.join(listed) or '1'} FROM {self.clause}"

    def _cast(self, name: str, cast: str) -> str:
        kind = self.types[name]
        value = f"{cast}({quoted(name)} AS {SQL_TYPES[kind]})"
        return f"{value} AS {quoted(name)}"

    def fingerprint(self) -> str:
        """Return a hash that changes with the files: their names, sizes and times. Frames from Python have none."""
        return fingerprint(self.policy, self.table, self.connection)

    def _unreadable(self, trouble: Exception) -> PolicyError:
        """Say what is wrong with a source without quoting what it holds."""
        kind = type(trouble).__name__.removesuffix("Exception").removesuffix("Error")
        remedy = "check that the path is right and that the file can be read"
        return problem(self.policy.path, ("tables", self.table.name, "source"), f"it cannot be read ({kind})", remedy)


def fingerprint(policy: Policy, table: Table, connection: duckdb.DuckDBPyConnection) -> str:
    """Return a hash that changes with a table's files, for the operator; the files need not be readable."""
    place = policy.location(table)
    if place is None or table.format is Format.PYTHON:
        return "python"
    paths = connection.execute(f"SELECT file FROM glob({text(place)}) ORDER BY file").fetchall()
    told = hashlib.sha256()
    for (path,) in paths:
        facts = Path(path).stat()
        told.update(f"{Path(path).name}\x00{facts.st_size}\x00{facts.st_mtime_ns}\x00".encode())
    return told.hexdigest()
