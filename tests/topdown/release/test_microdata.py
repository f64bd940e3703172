"""Microdata: one row for each person, in areas one after the other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from discreet.topdown.release import microdata
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("sex", ("f", "m")), Attribute("age", (0, 1, 2))))


@pytest.mark.parametrize("at_once", [1, 4, 1000])
def test_every_person_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(microdata, "PEOPLE_AT_ONCE", at_once)
    counts = np.array([[0, 2, 0, 0, 0, 1], [0] * 6, [3, 0, 0, 1, 0, 0]], dtype=np.int64)
    path = tmp_path / "people.parquet"
    assert microdata.write_microdata(path, "town", ("a", "b", "c"), SCHEMA, SparseCounts.of_dense(counts)) == 7
    rows = Counter(tuple(row.values()) for row in pq.read_table(path).to_pylist())
    assert rows == {("a", "f", 1): 2, ("a", "m", 2): 1, ("c", "f", 0): 3, ("c", "m", 0): 1}


def test_nobody_is_an_empty_table(tmp_path: Path) -> None:
    empty = SparseCounts.of_dense(np.zeros((2, 6), dtype=np.int64))
    assert microdata.write_microdata(tmp_path / "x.parquet", "town", ("a", "b"), SCHEMA, empty) == 0
    assert pq.read_table(tmp_path / "x.parquet").column_names == ["town", "sex", "age"]
