"""Answers as rows of a table: what is counted in words, and numbers beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.answers.export import replacing
from discreet.base.later import Later
from discreet.noise.coin import Bools
from discreet.topdown.spec.recodes import AnswerAxis, Value

parquet = Later("pyarrow.parquet")
arrow_csv = Later("pyarrow.csv")

RESERVED = ("level", "area", "count", "low", "high", "margin", "gls", "gls_margin", "value")
"""Columns that tables have beside those of the attributes."""

PARQUET, CSV = "parquet", "csv"
FILES = (PARQUET, CSV)
"""What tables may be written as."""

LABELS: dict[type, Any] = {str: "text", bool: "boolean", int: "whole"}
"""What labels of an axis are called in the list of a release's files, by the type of the first."""

ROWS_AT_ONCE = 2**21
"""How many rows a part of a large table has at most, or one area's."""


def make_rows(
    level: str,
    areas: Sequence[str],
    axes: Sequence[AnswerAxis],
    kept: Bools,
    numbers: Mapping[str, NDArray[Any]],
) -> pa.Table:
    """Return a row for each area and each answer that is kept: level, area, a column for each axis, and the numbers.

    Numbers have a row for each area and a column for each answer; masked ones are missing.
    """
    places = np.flatnonzero(kept)
    columns: dict[str, Any] = {
        "level": _encode(np.zeros(len(areas) * len(places), dtype=np.int8), [level]),
        "area": _encode(np.repeat(np.arange(len(areas), dtype=np.int32), len(places)), list(areas)),
    }
    inside = np.unravel_index(places, [len(axis.labels) for axis in axes]) if axes else ()
    for axis, found in zip(axes, inside, strict=True):
        columns[name_axis(axis)] = _encode(np.tile(found.astype(np.int16), len(areas)), list(axis.labels))
    for name, values in numbers.items():
        columns[name] = pa.array((values if kept.all() else values[:, places]).reshape(-1), from_pandas=True)
    return pa.table(columns)


def name_axis(axis: AnswerAxis) -> str:
    """Return the column of an axis: its own name, unless a table has such a column anyway.

    >>> name_axis(AnswerAxis("area", ("a",))), name_axis(AnswerAxis("race", ("a",)))
    ('area_', 'race')
    """
    return f"{axis.name}_" if axis.name in RESERVED else axis.name


def write_rows(path: Path, rows: pa.Table) -> None:
    """Write a table into a file, of csv or Parquet by its name's ending, that is there whole or not at all.

    In csv every text is in quotes, so that a name of digits stays a name, and what is missing is nothing.
    """
    with replacing(path) as part:
        if path.suffix == f".{CSV}":
            plain = [each.cast(each.type.value_type) if _is_encoded(each) else each for each in rows.columns]
            arrow_csv.write_csv(pa.table(plain, rows.column_names), part)
            return
        repeated = [name for name in rows.column_names if name != "gls"]
        parquet.write_table(rows, part, compression="zstd", compression_level=1, use_dictionary=repeated)


def describe_labels(axes: Sequence[AnswerAxis]) -> dict[str, str]:
    """Return, by its column, what the labels of each axis are."""
    return {name_axis(axis): LABELS[type(axis.labels[0])] for axis in axes}


def read_rows(path: Path, labels: Mapping[str, str]) -> pa.Table:
    """Return a table of csv, or all parts of one, with the types that a table of Parquet has; texts are not encoded."""
    kinds = {"level": pa.string(), "area": pa.string(), "gls": pa.float64(), "gls_margin": pa.float32()}
    kinds |= dict.fromkeys(("count", "low", "high", "margin"), pa.int64())
    kinds |= {
        name: {"text": pa.string(), "boolean": pa.bool_(), "whole": pa.int64()}[told] for name, told in labels.items()
    }
    how = arrow_csv.ConvertOptions(
        column_types=kinds, null_values=[""], strings_can_be_null=False, true_values=["true"], false_values=["false"]
    )
    within = arrow_csv.ParseOptions(newlines_in_values=True)
    files = sorted(path.glob(f"*.{CSV}")) if path.is_dir() else [path]
    return pa.concat_tables([arrow_csv.read_csv(each, parse_options=within, convert_options=how) for each in files])


def name_file(name: str) -> str:
    """Return a name of a level or query as a file or folder may have it.

    >>> name_file("Block group"), name_file("a/b: c")
    ('Block group', 'a_b_ c')
    """
    return re.sub(r'[\x00-\x1f/\\:*?"<>|]', "_", name).strip(". ") or "_"


def name_files(names: Sequence[str]) -> dict[str, str]:
    """Return a file name for each name, no two the same: also where only capitals tell them apart."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = given = name_file(name)
        number = 2
        while given.casefold() in taken:
            given, number = f"{plain} ({number})", number + 1
        taken.add(given.casefold())
        found[name] = given
    return found


def _is_encoded(column: pa.ChunkedArray) -> bool:
    return bool(pa.types.is_dictionary(column.type))


def _encode(places: NDArray[Any], values: list[Value] | list[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(places), pa.array(values))
