"""Public files: csv or Parquet, every column as text, so that a code such as 0042 stays what it is."""

from __future__ import annotations

import csv
import glob
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.policy.model import Policy
from discreet.policy.problems import quote_value
from discreet.policy.section import Section

arrow_csv = Later("pyarrow.csv")
parquet = Later("pyarrow.parquet")

PublicColumns = dict[str, pa.Array]
"""The columns of a public file by name, as texts; what is empty is null."""

MOST_COUNT = 10**15
"""The largest number in a public file: sums over any geography stay within 64 bits."""


@dataclass(frozen=True)
class PublicFolder:
    """Where public files lie, and the policy that says which files are private."""

    path: Path
    policy: Policy | None

    def read(
        self, section: Section, key: str, columns: Sequence[str], example: Sequence[str] = ()
    ) -> PublicColumns | None:
        """Return columns of the file that a key names; None where something is wrong, which is noted.

        A file that is the source of a private table is refused: what is public is never read from private rows. The
        `example` is a line of such a file, for whoever has a file with other columns.
        """
        name = section.text(key, f'write the name of a csv or Parquet file, such as {key} = "areas.csv"')
        if name is None:
            return None
        if self.policy is not None and _is_private(self.path / name, self.policy):
            wrong = f"{quote_value(name)} holds a private table, and what is public is never read from private rows"
            section.wrong(key, wrong, "name a public file of its own")
            return None
        table = _open(section, key, self.path / name)
        if table is None:
            return None
        missing = [column for column in columns if table.column_names.count(column) != 1]
        for column in missing:
            many = "twice" if column in table.column_names else "missing"
            wrong = f"the column {quote_value(column)} of {quote_value(name)} is {many}"
            there = f"its columns are {', '.join(table.column_names) or 'none'}"
            section.wrong(key, wrong, f"{there}; it needs {describe_lines(columns, example)}")
        return None if missing else _take_texts(section, key, table, columns)


def describe_lines(columns: Sequence[str], example: Sequence[str]) -> str:
    """Say how a file of some columns begins.

    >>> describe_lines(["Region", "count"], ["north", "100"])
    'the columns Region,count and lines such as north,100'
    """
    lines = f" and lines such as {_write_line(example)}" if example else ""
    return f"the columns {_write_line(columns)}{lines}"


def read_counts(section: Section, key: str, texts: pa.Array) -> Ints | None:
    """Return whole numbers of at least 0, or note the first text that is none."""
    whole = pc.match_substring_regex(texts, r"^\s*[0-9]{1,15}\s*$").fill_null(False)
    wrong = np.flatnonzero(~np.asarray(whole, dtype=bool))
    if len(wrong):
        shown = quote_value(texts[int(wrong[0])].as_py() or "")
        remedy = f"write whole numbers from 0 to below {MOST_COUNT:.0e}"
        section.wrong(key, f"the count of row {wrong[0] + 1} is {shown}", remedy)
        return None
    return np.asarray(pc.cast(pc.utf8_trim_whitespace(texts), pa.int64()), dtype=np.int64)


def _open(section: Section, key: str, path: Path) -> pa.Table | None:
    """Return the table in a file, or note why there is none."""
    try:
        return _read_parquet(path) if path.suffix.lower() in (".parquet", ".pq") else _read_csv(path)
    except FileNotFoundError:
        section.wrong(key, f"there is no file {quote_value(str(path))}", "name one that there is")
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        wrong = f"{quote_value(path.name)} cannot be read ({_first_line(error)})"
        section.wrong(key, wrong, "name a csv or Parquet file")
    return None


def _is_private(path: Path, policy: Policy) -> bool:
    """Say whether rows of a private table lie in that file."""
    for table in policy.tables:
        place = None if table.public else policy.location(table)
        if place is not None and "://" not in place and _lies_at(path, Path(place)):
            return True
    return False


def _lies_at(path: Path, place: Path) -> bool:
    """Say whether a path is the place, lies within it, or is one of the files of a pattern, under whatever name."""
    if place.resolve() in (path.resolve(), *path.resolve().parents):
        return True
    return path.exists() and any(os.path.samefile(path, each) for each in glob.iglob(str(place), recursive=True))


def _read_parquet(path: Path) -> pa.Table:
    if not path.is_file():
        raise FileNotFoundError(path)
    return parquet.read_table(path, partitioning=None)


def _read_csv(path: Path) -> pa.Table:
    """Return a csv file with every column as text; only what is empty is null: NA can be the name of an area."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        names = next(csv.reader(file), [])
    if len(set(names)) < len(names):
        return pa.Table.from_arrays([pa.array([], pa.string())] * len(names), names=names)
    how = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), null_values=[""], strings_can_be_null=True
    )
    return arrow_csv.read_csv(path, convert_options=how) if names else pa.table({})


def _take_texts(section: Section, key: str, table: pa.Table, columns: Sequence[str]) -> PublicColumns | None:
    """Return columns as texts; those of numbers are their digits, and floats are nobody's name."""
    found: PublicColumns = {}
    for column in columns:
        values: Any = table.column(column).combine_chunks()
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if not (pa.types.is_integer(values.type) or pa.types.is_string(values.type) or _is_long(values.type)):
            wrong = f"the column {quote_value(column)} is of type {values.type}"
            section.wrong(key, wrong, "write texts or whole numbers")
            return None
        texts = values.cast(pa.string())
        found[column] = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    return found


def _is_long(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind))


def _write_line(cells: Sequence[str]) -> str:
    """Return a line of a csv file."""
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(cells)
    return written.getvalue()


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:80]
