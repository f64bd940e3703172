"""A table is read by row, by column, and as files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.answers import AnswerTable
from discreet.base.errors import ParameterError
from support.answers import key, noisy

TABLE = AnswerTable((key(), noisy()), (("a", 1), ("b", None)))


def test_rows_are_dicts_and_columns_are_lists() -> None:
    assert len(TABLE) == 2
    assert list(TABLE) == [{"city": "a", "n": 1}, {"city": "b", "n": None}]
    assert TABLE["n"] == [1, None]
    with pytest.raises(ParameterError, match="one of 'city', 'n'; got 'm'"):
        TABLE["m"]


def test_a_plain_table_is_saved_in_every_format(tmp_path: Path) -> None:
    import pyarrow.parquet

    for ending in ("csv", "json", "parquet"):
        TABLE.save(tmp_path / f"t.{ending}")
    assert (tmp_path / "t.csv").read_text() == "city,n\na,1\nb,\n"
    assert json.loads((tmp_path / "t.json").read_text())["rows"] == [["a", 1], ["b", None]]
    assert pyarrow.parquet.read_table(tmp_path / "t.parquet").to_pylist() == list(TABLE)
