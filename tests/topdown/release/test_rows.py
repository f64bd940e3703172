"""Rows of tables, and names that files may have."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from discreet.topdown.release.rows import describe_labels, make_rows, name_file, name_files, read_rows, write_rows
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


def test_csv_is_read_as_it_was_written_whatever_names_hold(tmp_path: Path) -> None:
    sexes = ('a "quoted" one', "one, two", "", "7")
    axes = (AnswerAxis("sex", sexes), AnswerAxis("old", (False, True)), AnswerAxis("year", (1, -2)))
    areas = ["007", "two\nlines", "Ärm, 'x'", "NA"]
    numbers: dict[str, np.ndarray] = {
        "count": np.arange(64).reshape(4, 16),
        "low": np.arange(64).reshape(4, 16),
        "high": np.ma.masked_array(np.zeros((4, 16), dtype=np.int64), True),
        "margin": np.ma.masked_array(np.zeros((4, 16), dtype=np.int64), True),
        "gls": np.linspace(-1, 2, 64).reshape(4, 16),
        "gls_margin": np.full((4, 16), 0.1, dtype=np.float32),
    }
    rows = make_rows("Town", areas, axes, np.ones(16, dtype=bool), numbers)
    write_rows(tmp_path / "x.csv", rows)
    found = read_rows(tmp_path / "x.csv", describe_labels(axes))
    assert found.to_pylist() == rows.to_pylist()
    assert describe_labels(axes) == {"sex": "text", "old": "boolean", "year": "whole"}
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        head, first, *_ = csv.reader(file)
    assert head == ["level", "area", "sex", "old", "year", "count", "low", "high", "margin", "gls", "gls_margin"]
    assert first[:9] == ["Town", "007", 'a "quoted" one', "false", "1", "0", "0", "", ""]
    assert '"007"' in (tmp_path / "x.csv").read_text(), "a name of digits is in quotes"
