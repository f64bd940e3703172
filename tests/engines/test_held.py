"""Rows that are held in memory: read once, encoded once for each encoding, and let go."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from discreet.engines.held import MemoryRows, merge_rows
from discreet.engines.result import ExactRows
from support.hospital import engine_of, rows_of
from support.teaching import POLICY, compute_all, list_sums, make_tables, select, wait

ENGINE = engine_of(POLICY, make_tables())
PLANS = {table: rows_of(ENGINE, select(table)) for table in ("numbered", "named", "single")}


@pytest.mark.parametrize("table", PLANS)
def test_sums_over_all_units_are_those_of_the_rows(table: str) -> None:
    plan = PLANS[table]
    rows = ENGINE.read(plan).result()
    found = compute_all(ENGINE.hold(plan, wait), plan)
    assert found[0] == [len(rows.points)]
    assert found[1:] == [function(encoding.encode(rows.points), rows.offsets) for encoding, function in list_sums(plan)]
    assert all(any(each) for each in found)


def test_rows_are_read_once_and_not_before_they_are_needed() -> None:
    plan, read = PLANS["numbered"], []

    def fetch() -> ExactRows:
        read.append(plan)
        return ENGINE.read(plan).result()

    held = MemoryRows(fetch)
    assert not read
    assert compute_all(held, plan) == compute_all(held, plan)
    assert held.read() is held.read()
    assert len(read) == 1
    held.close()
    assert held._rows is None
    assert held._encoded is None


def test_features_of_one_encoding_never_serve_another() -> None:
    plan = PLANS["numbered"]
    held, sums = ENGINE.hold(plan, wait), list_sums(plan)
    forth = [held.sum(*each) for each in sums]
    assert [held.sum(*each) for each in reversed(sums)] == forth[::-1]


def test_a_short_clip_is_noticed_where_a_unit_is_cut_in_two() -> None:
    """So that the tests of engines that split units among machines can fail."""
    plan = PLANS["numbered"]
    rows = ENGINE.read(plan).result()
    apart = ExactRows(rows.points, np.arange(len(rows.points) + 1))
    whole, cut = (compute_all(MemoryRows(lambda each=each: each), plan) for each in (rows, apart))  # type: ignore[misc]
    assert whole[0] == cut[0]
    assert all(one != other for one, other in zip(whole[1:], cut[1:], strict=True))


@pytest.mark.parametrize("table", PLANS)
def test_different_rows_are_told_with_how_often_each_is_there(table: str) -> None:
    plan = PLANS[table]
    rows = ENGINE.read(plan).result().points
    found = ENGINE.hold(plan, wait).tally()
    counted = Counter(map(tuple, rows.tolist()))
    assert list(map(tuple, found.points.tolist())) == sorted(counted), "in the order of their points"
    assert [counted[tuple(row)] for row in found.points.tolist()] == found.counts.tolist()
    assert found.counts.sum() == len(rows)


def test_counts_of_equal_rows_add_up_and_no_rows_are_none() -> None:
    points = np.array([[3, 1], [0, 2], [3, 1], [3, 0], [0, 2], [3, 1]])
    found = merge_rows(points, np.array([1, 2, 3, 4, 5, 10**15]))
    assert found.points.tolist() == [[0, 2], [3, 0], [3, 1]]
    assert found.counts.tolist() == [7, 4, 10**15 + 4]
    none = merge_rows(points[:0], np.zeros(0, dtype=np.int64))
    assert (none.points.shape, none.counts.shape) == ((0, 2), (0,))
