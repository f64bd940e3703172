"""The schemas of data files, for drafting a policy: names and types of columns, and nothing from the rows.

But for csv files, whose types are proposed from their first rows: the draft has them as comments, to be confirmed.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.duck.csv_types import propose_types
from discreet.engines.duck.literals import write_text
from discreet.engines.duck.sources import DuckSource
from discreet.policy.model import Policy, SourceFormat, Table
from discreet.policy.tables import guess_format

Found = tuple[str, str, dict[str, Type | None]]
"""A table's name, its source as the policy is to name it, and its columns."""


def read_schemas(
    sources: Iterable[str], policy: Path, taken: Mapping[str, str | None] | None = None
) -> tuple[list[Found], dict[str, str]]:
    """Return every table of these files, patterns and folders, for a policy in that file.

    Names are made different, also from those that are `taken` by tables of the policy, given with their sources; files
    that these have already are left out. Beside the tables comes what those are called in their database file that
    were renamed. A pattern stands for one table, or for one of each file where their columns differ.
    """
    known = {name.casefold(): source for name, source in (taken or {}).items()}
    found: list[Found] = []
    renamed: dict[str, str] = {}
    for given in sources:
        with closing(duckdb.connect(":memory:")) as connection:  # one each: files may hold tables of the same name
            for own, place, columns in _tables(given, policy, connection):
                if place in known.values():
                    continue
                name = _free(own, {*known, *(table[0].casefold() for table in found)})
                found.append((name, place, columns))
                if name != own and guess_format(place) is SourceFormat.DUCKDB:
                    renamed[name] = own
    return found, renamed


def _tables(given: str, policy: Path, connection: duckdb.DuckDBPyConnection) -> Iterator[Found]:
    pattern = _pattern(given)
    format = guess_format(pattern)
    if format is None:
        raise PolicyError(f"{given}: does not end in .parquet, .csv or .duckdb; name such a file")
    files = sorted(glob.glob(pattern, recursive=True)) if glob.has_magic(pattern) else []
    if len(files) > 1 and len({_columns(each, format, policy, connection) for each in files}) > 1:
        for each in files:
            yield from _tables(each, policy, connection)
        return
    place = _relative(pattern, policy)
    empty = Policy(policy, Fraction(1), Fraction(0), Fraction(0))
    names = _inside(pattern, connection) if format is SourceFormat.DUCKDB else [_name(pattern)]
    for name in names:
        table = Table(name, source=place, format=format)
        table = replace(table, database_table=name) if format is SourceFormat.DUCKDB else table
        try:
            source = DuckSource(empty, table, connection)
            columns = source.schema()
            if format is SourceFormat.CSV:
                columns = propose_types(connection.cursor(), source.clause, columns)
            yield name, place, columns
        except (duckdb.Error, PolicyError):
            raise PolicyError(f"{given}: cannot be read as {format.value}; check that the file is whole") from None


def _columns(
    file: str, format: SourceFormat, policy: Path, connection: duckdb.DuckDBPyConnection
) -> tuple[tuple[str, Type | None], ...]:
    """Return the columns of one of several files."""
    empty = Policy(policy, Fraction(1), Fraction(0), Fraction(0))
    table = Table("t", source=_relative(glob.escape(file), policy), format=format)
    try:
        return tuple(DuckSource(empty, table, connection).schema().items())
    except (duckdb.Error, PolicyError):
        raise PolicyError(f"{file}: cannot be read as {format.value}; check that the file is whole") from None


def _pattern(given: str) -> str:
    """Return the file or pattern that is meant, which exists: a folder stands for the files in it."""
    if Path(given).is_dir():
        for ending in ("parquet", "csv"):
            if any(Path(given).glob(f"*.{ending}")):
                return str(Path(given) / f"*.{ending}")
        raise PolicyError(f"{given}: there is no .parquet and no .csv file in this folder; name a file")
    if not glob.glob(given, recursive=True):
        if "://" in given:  # it may hold a password
            raise PolicyError(
                "a policy is drafted from parquet, csv and duckdb files that are here; for tables elsewhere write one "
                "by hand, as docs/engines.md shows"
            )
        raise PolicyError(f"{given}: there is no such file; name a parquet, csv or duckdb file")
    return given


def _relative(pattern: str, policy: Path) -> str:
    """Return a path from the policy's folder, where it lies below that; else the whole path."""
    folder, whole = policy.absolute().parent, Path(os.path.abspath(pattern))
    return whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else str(whole)


def _name(pattern: str) -> str:
    """Return a table's name: the file's, or for a pattern that of the folder it is in."""
    path = Path(pattern)
    last = Path(os.path.abspath(path.parent)).name if glob.has_magic(path.name) else path.name.split(".")[0]
    return re.sub(r"\W+", "_", last).strip("_") or "data"


def _inside(path: str, connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the tables and views of a DuckDB file."""
    try:
        with closing(connection.cursor()) as cursor:
            cursor.execute(f"ATTACH {write_text(path)} AS drafted (READ_ONLY)")
            listed = "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'drafted'"
            found = cursor.execute(f"{listed} AND table_schema = 'main' ORDER BY 1").fetchall()
            cursor.execute("DETACH drafted")
    except duckdb.Error:
        raise PolicyError(f"{path}: cannot be read as duckdb; check that the file is whole") from None
    if not found:
        raise PolicyError(f"{path}: there is no table in it; name another file")
    return [name for (name,) in found]


def _free(name: str, taken: set[str]) -> str:
    number, free = 2, name
    while free.casefold() in taken:
        number, free = number + 1, f"{name}_{number}"
    return free
