"""Synthetic tables: rows from a model, typed as the table's own, and the files they are written to.

All of it is post-processing of a transcript: it costs nothing, and a public seed is allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.answers.arrow import require_module
from discreet.answers.export import replacing, save_parquet
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.synthetic.fitting import FittedModel
from discreet.synthetic.transcript import Transcript

MOST_ROWS = 1 << 31
"""Rows of one synthetic table."""


def sample_rows(transcript: Transcript, fit: FittedModel, rows: int, seed: int | None = None) -> pa.Table:
    """Return rows in random order: the model's tables rounded to whole rows. The same seed gives the same rows."""
    check_sample(rows, seed)
    random = np.random.default_rng(seed)
    places = fit.sample(rows, random).astype(np.int64, copy=False)
    columns = [column.sample(places[:, at], random) for at, column in enumerate(transcript.columns)]
    return pa.table(columns, names=[column.name for column in transcript.columns])


def check_sample(rows: int | None, seed: int | None) -> None:
    """Refuse what cannot be sampled: also before a model is paid for."""
    if rows is not None:
        check.integer("rows", rows, least=0, most=MOST_ROWS)
    if seed is not None:
        check.integer("seed", seed, least=0)


def make_frame(table: pa.Table) -> Any:
    """Return a pandas frame: whole numbers stay whole, with pandas' Int64 where some are missing."""
    pandas = require_module("pandas", "pandas")
    missing = any(column.type == pa.int64() and column.null_count for column in table.columns)
    return table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get if missing else None)


def write_table(table: pa.Table, path: str | Path) -> None:
    """Write a table as Parquet or comma-separated values, by the file's ending.

    In .csv a missing value is empty and texts are in quotes, so that an empty text can be told apart.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in (".parquet", ".csv"):
        raise ParameterError("path", str(target), "a file that ends in .parquet or .csv")
    with replacing(target) as part:
        if ending == ".parquet":
            save_parquet(table, part)
        else:
            _write_csv(table, part)


def _write_csv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path)
