"""Where rows come from: parquet and csv files, tables of a DuckDB file, and tables handed over from Python."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from discreet.base.errors import PolicyError
from discreet.base.types import Digits, Type
from discreet.engines.duck import header
from discreet.engines.duck.dialect import DUCKDB
from discreet.engines.duck.forms_math import write_last_places
from discreet.engines.duck.frames import drop_zones, from_pandas
from discreet.engines.duck.literals import SQL_TYPES, quote_name, write_text
from discreet.engines.sources import TableSource, parse_digits
from discreet.policy.model import Policy, SourceFormat, Table
from discreet.policy.problems import explain_problem, quote_value

if TYPE_CHECKING:
    import pyarrow as pa

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

DIGITS: dict[str, Digits] = {"UBIGINT": (20, 0), "HUGEINT": (38, 0), "UHUGEINT": (38, 0)}
"""Digits of whole numbers that are no integers here; numbers of more are NULL."""

LOOK = "check the path, which begins at the policy's folder"
"""What is said where a file is missing."""


class DuckSource(TableSource):
    """One table's rows, for cursors of a connection, once they are `prepared`."""

    def __init__(self, policy: Policy, table: Table, connection: duckdb.DuckDBPyConnection, frame: Any = None) -> None:
        super().__init__(policy, table, DUCKDB)
        self.connection = connection
        self.found: dict[str, Type] = {}
        """Types that the source itself had then."""
        self.kinds: dict[str, str] = {}
        """DuckDB's own types of the columns, once the schema is read."""
        self._frame = None if frame is None else self._arrow(frame)
        self.clause = self._clause()

    def prepare(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Make the rows known to a cursor: DuckDB shows tables from Python only to the cursor that was given them."""
        if self._frame is not None:
            cursor.register(f"__discreet_python_{self.table.name}", self._frame)

    def _arrow(self, frame: Any) -> pa.Table:
        """Return what was handed over as an Arrow table: its types are fixed, and nobody changes its rows later."""
        import pyarrow as pa

        kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
        try:
            if isinstance(frame, pa.Table):
                return drop_zones(frame)
            if kind == "pandas.DataFrame":
                return drop_zones(from_pandas(frame, self.table))
            if kind == "polars.DataFrame":
                return drop_zones(frame.to_arrow())
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            wrong = "a column has no one type, or another than text that the policy does not declare"
            remedy = "give every column of the frame one type, and declare those that pandas calls object"
            raise explain_problem(self.policy.path, ("tables", self.table.name), wrong, remedy) from None
        remedy = "hand over a pandas or polars DataFrame or an Arrow Table"
        raise explain_problem(
            self.policy.path, ("tables", self.table.name), f"{type(frame).__name__} was given", remedy
        )

    def _clause(self) -> str:
        place, table = self.policy.location(self.table), self.table
        if self._frame is not None:
            return quote_name(f"__discreet_python_{table.name}")
        if place is None:
            remedy = f'write source = "...", or open with tables={{"{table.name}": frame}}'
            raise self.explain("source", "there is no source", remedy)
        if table.format is SourceFormat.PARQUET:
            return f"read_parquet({write_text(place)}, union_by_name = false)"
        if table.format is SourceFormat.CSV:
            return header.write_clause(place, self._header(place))
        name = f"__discreet_file_{table.name}"
        self.connection.execute(f"ATTACH {write_text(place)} AS {quote_name(name)} (READ_ONLY)")
        inner = (table.database_table or table.name).split(".")
        return ".".join(quote_name(part) for part in (name, *inner))

    def _header(self, place: str) -> header.Header:
        """Return the header of csv files, or refuse one that cannot be right without quoting it: it may be a row."""
        found = header.read_headers(self.connection.cursor(), place)
        names = next(iter(found))[1] if found else ()
        wrong = ""
        if len(found) != 1:
            wrong = "its files begin with different lines" if found else self._missing
        elif not all(names):
            wrong = "its first line holds an empty name"
        elif self.table.columns and not any(column.name in names for column in self.table.columns):
            wrong = "its first line holds no name that the policy declares"
        if not found:
            raise self.explain("source", wrong, LOOK)
        if wrong:
            raise self.explain("source", wrong, "csv files begin with a line of names, the same in each")
        return next(iter(found))

    def schema(self) -> dict[str, Type | None]:
        """Return the columns and their types, from the source's own schema; csv columns are text."""
        try:
            cursor = self.connection.cursor()
            self.prepare(cursor)
            found = cursor.execute(f"DESCRIBE SELECT * FROM {self.clause}").fetchall()
        except duckdb.Error as trouble:
            raise self._unreadable(trouble) from None
        self.kinds = {name: kind for name, kind, *_ in found}
        csv = self.table.format is SourceFormat.CSV
        return {name: Type.TEXT if csv else _type(kind) for name, kind, *_ in found}

    def write_cast(self, name: str) -> str:
        """Return a column in its type, NULL where it does not fit."""
        return f"TRY_CAST({quote_name(name)} AS {SQL_TYPES[self.types[name]]})"

    def read_digits(self) -> dict[str, Digits]:
        """Return the digits of DECIMAL(15,2) and of whole numbers that 64 bits do not hold."""
        found = {name: DIGITS.get(kind) or parse_digits(kind) for name, kind in self.kinds.items()}
        return {name: digits for name, digits in found.items() if digits is not None}

    def write_places(self, name: str, digits: int, scale: int) -> str:
        """Return a column of decimals as whole numbers of their last places."""
        return write_last_places(f"TRY_CAST({quote_name(name)} AS DECIMAL({digits},{scale}))", digits, scale)

    def write_text(self, name: str, most: int) -> str:
        """Return a column of texts, NULL where one has more letters."""
        value = self.write_cast(name)
        return f"(CASE WHEN length({value}) <= {most} THEN {value} END COLLATE C)"

    def write_decimal(self, name: str) -> str:
        """Return a column of wide numbers as texts."""
        written = f"CAST({quote_name(name)} AS VARCHAR)"
        return f"(CASE WHEN contains({written}, '.') THEN rtrim(rtrim({written}, '0'), '.') ELSE {written} END)"

    def fingerprint(self) -> str:
        """Return a hash that changes with the files: their names, sizes and times. Frames from Python have none."""
        return hash_files(self.policy, self.table, self.connection)

    def check_unit(self) -> None:
        """Refuse units that csv files cannot name exactly, and times in which two units would be one."""
        if self.table.unit is not None and self.table.through is None:
            self._check_exact(self.table.unit, self, "unit")

    def check_path(self, sources: Mapping[str, DuckSource]) -> None:
        """Refuse a foreign key whose columns cannot be compared exactly, for the same reasons."""
        if self.table.through is not None:
            for mine, theirs in self.table.through.on:
                self._check_exact(mine, self, "through")
                sources[self.table.through.table]._check_exact(theirs, self, "through")

    def _check_exact(self, name: str, told: DuckSource, key: str) -> None:
        if self.kinds.get(name) == "TIMESTAMP_NS":
            wrong, remedy = f"{name!r} is told to the nanosecond, and times here to the microsecond", "store it as text"
            raise told.explain(key, wrong, remedy)
        if self.table.format is SourceFormat.CSV and self.types[name] is Type.DECIMAL:
            wrong, remedy = f"{name!r} is decimal, and csv files write one decimal in many ways", 'write type = "text"'
            raise told.explain(key, wrong, remedy)

    @property
    def _missing(self) -> str:
        """What is said of a source whose file, or of whose pattern every file, is not there."""
        return f"there is no file {quote_value(self.table.source)}"

    def _unreadable(self, trouble: Exception) -> PolicyError:
        """Say what is wrong with a source without quoting what it holds."""
        kind = type(trouble).__name__.removesuffix("Exception").removesuffix("Error")
        source, remedy = self.table.source, "check that the path is right and that the file can be read"
        place = self.policy.location(self.table)
        if place is not None and "://" not in place and not glob.glob(place, recursive=True):
            return self.explain("source", self._missing, LOOK)
        named = "it" if source is None else quote_value(source)
        return self.explain("source", f"{named} cannot be read ({kind})", remedy)


def hash_files(policy: Policy, table: Table, connection: duckdb.DuckDBPyConnection) -> str:
    """Return a hash that changes with a table's files, for the operator; the files need not be readable."""
    place = policy.location(table)
    if place is None or table.format is SourceFormat.PYTHON:
        return "python"
    paths = connection.execute(f"SELECT file FROM glob({write_text(place)}) ORDER BY file").fetchall()
    told = hashlib.sha256()
    for (path,) in paths:
        facts = Path(path).stat()
        told.update(f"{Path(path).name}\x00{facts.st_size}\x00{facts.st_mtime_ns}\x00".encode())
    return told.hexdigest()


def _type(kind: str) -> Type | None:
    """Return the type of a column of DuckDB's, such as DECIMAL(9,2); lists of it, such as DECIMAL(9,2)[], have none."""
    return None if kind.endswith("]") else TYPES.get(kind.split("(")[0])
