"""Tables of one's own: read from files, and their columns as texts, which is how people compare them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.base.errors import DiscreetError, ParameterError
from discreet.query.catalog import suggest_name

ENDINGS = (".csv", ".parquet")
MISSING = "(missing)"
"""What stands for a NULL where values are compared as texts."""


def read_people(path: str | Path) -> Any:
    """Return a table of one's own, from a csv or parquet file, as Arrow has it: every row is one person."""
    import pyarrow as pa
    import pyarrow.csv

    if not isinstance(path, str | os.PathLike):
        raise ParameterError("path", path, f"the path of a file that ends in {' or '.join(ENDINGS)}")
    place = Path(path)
    ending = place.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError("path", str(path), f"a file that ends in {' or '.join(ENDINGS)}")
    if not place.is_file():
        raise DiscreetError(f"there is no file {place}")
    try:
        table = pyarrow.csv.read_csv(place) if ending == ".csv" else _read_parquet(place)
    except (pa.ArrowException, OSError) as trouble:
        raise DiscreetError(f"{place} cannot be read as {ending[1:]} ({_shorten(str(trouble))})") from None
    if not table.num_rows:
        raise DiscreetError(f"{place} has no rows")
    _refuse_repeated(table, str(place))
    return table


def _read_parquet(path: Path) -> Any:
    """Return the columns of the file alone: none out of the names of its folders."""
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        return file.read()


def find_texts(table: Any, column: str, name: str = "column") -> list[str]:
    """Return a column as texts: what people compare. `name` is the parameter that names the column."""
    import pyarrow as pa

    check_table(table)
    if column not in table.column_names:
        hint = suggest_name(str(column), table.column_names)
        meant = f" ({hint})" if hint.startswith("did you mean") else ""
        raise ParameterError(name, column, f"one of {', '.join(table.column_names)}{meant}")
    try:
        texts = table.column(column).cast(pa.string()).to_pylist()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DiscreetError(f"column {column} holds no plain values; name another") from None
    return [MISSING if each is None else str(each) for each in texts]


def check_table(table: Any) -> None:
    """Refuse what is no Arrow table of people, or one with two columns of one name."""
    import pyarrow as pa

    if not isinstance(table, pa.Table):
        raise ParameterError.of_data("table", table, "an Arrow table, as read_people(path) returns it")
    if not table.num_rows:
        raise DiscreetError("the table has no rows")
    _refuse_repeated(table, "the table")


def check_names(name: str, columns: Any) -> tuple[str, ...]:
    """Return the names of one or more columns, each named once."""
    if isinstance(columns, str) or not isinstance(columns, Sequence) or not columns:
        raise ParameterError(name, columns, "a list of one or more names of columns")
    twice = [each for each, count in Counter(columns).items() if count > 1]
    if twice:
        raise ParameterError(name, list(columns), f"columns that are named once each; {twice[0]!r} is there twice")
    return tuple(columns)


def write_text(value: object) -> str:
    """Return a value as the text that it is in a table.

    >>> write_text(True), write_text(30)
    ('true', '30')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_repeated(table: Any, words: str) -> None:
    """Refuse a table with two columns of one name: which of them is meant could not be said."""
    names = Counter(table.column_names)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        times = "twice" if names[twice[0]] == 2 else f"{names[twice[0]]} times"
        raise DiscreetError(f"{words} has the column {twice[0]!r} {times}; give every column a name of its own")


def _shorten(reason: str) -> str:
    """Return the first sentence of what a reader of files said.

    >>> _shorten("Magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.")
    'Magic bytes not found in footer'
    """
    line = reason.partition("\n")[0].partition(". ")[0].removesuffix(".")
    return line if len(line) <= 160 else f"{line[:159]}…"
