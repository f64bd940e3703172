"""The first line of csv files: names and separator come from it alone, never from what the rows below it hold."""

from __future__ import annotations

import csv

import duckdb

from discreet.engines.duck.literals import write_text

SEPARATORS = (",", ";", "\t", "|")

LENIENT = "strict_mode = false, ignore_errors = true, parallel = false"
"""A file is read from its beginning: begun anywhere else, a line break inside a cell is taken for the end of a row, and
what somebody wrote after it for a row of whomever they named."""

Header = tuple[str, tuple[str, ...]]
"""The separator and the names."""


def read_headers(cursor: duckdb.DuckDBPyConnection, place: str) -> set[Header]:
    """Return the headers of all files that a path or pattern names: one where the files agree."""
    files = cursor.execute(f"SELECT file FROM glob({write_text(place)}) ORDER BY file").fetchall()
    return {split_header(_first_line(cursor, file)) for (file,) in files}


def split_header(line: str) -> Header:
    """Return the separator that splits a line into most names (a comma where several do), and the names.

    >>> split_header('id;"a;b";c')
    (';', ('id', 'a;b', 'c'))
    """
    found = {each: tuple(next(csv.reader([line.removeprefix("\ufeff")], delimiter=each), [])) for each in SEPARATORS}
    best = max(SEPARATORS, key=lambda each: len(found[each]))
    return best, found[best]


def _first_line(cursor: duckdb.DuckDBPyConnection, file: str) -> str:
    how = f"auto_detect = false, header = false, delim = '\x01', quote = '', escape = '', {LENIENT}"
    found = cursor.execute(
        f"SELECT line FROM read_csv({write_text(file)}, {how}, columns = {{'line': 'VARCHAR'}}) LIMIT 1"
    ).fetchall()
    return str(found[0][0] or "") if found else ""


def write_clause(place: str, header: Header) -> str:
    """Return the FROM clause that reads files with this header: all cells as text, in one dialect whatever they hold.

    A line that cannot be read in it, such as one with too few cells, is left out; it never changes another line.
    """
    separator, names = header
    columns = ", ".join(f"{write_text(name)}: 'VARCHAR'" for name in names)
    how = f"auto_detect = false, header = true, quote = '\"', escape = '\"', {LENIENT}"
    return f"read_csv({write_text(place)}, {how}, delim = {write_text(separator)}, columns = {{{columns}}})"
