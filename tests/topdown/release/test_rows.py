"""Rows of tables, and names that files may have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from discreet.topdown.release.rows import make_rows, name_file, name_files, write_rows
from discreet.topdown.spec.recodes import AnswerAxis


def test_rows_go_area_by_area_and_leave_out_what_is_not_kept(tmp_path: Path) -> None:
    axes = (AnswerAxis("sex", ("f", "m")), AnswerAxis("count", (1, 2)))
    kept = np.array([True, True, False, True])
    rows = make_rows("Town", ["a", "b"], axes, kept, {"value": np.arange(8).reshape(2, 4)})
    write_rows(tmp_path / "x.parquet", rows)
    assert pq.read_table(tmp_path / "x.parquet").to_pylist()[2:4] == [
        {"level": "Town", "area": "a", "sex": "m", "count_": 2, "value": 3},
        {"level": "Town", "area": "b", "sex": "f", "count_": 1, "value": 4},
    ]


def test_a_total_has_one_row_for_each_area() -> None:
    rows = make_rows("Town", ["a", "b"], (), np.array([True]), {"gls": np.array([[1.5], [np.nan]])})
    assert rows.to_pylist() == [{"level": "Town", "area": "a", "gls": 1.5}, {"level": "Town", "area": "b", "gls": None}]


def test_names_become_files_that_differ() -> None:
    assert name_file("../a\\b") == "_a_b"
    assert name_file("...") == "_"
    assert name_files(["a/b", "a:b", "A_B"]) == {"a/b": "a_b", "a:b": "a_b (2)", "A_B": "A_B (3)"}
