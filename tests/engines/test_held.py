"""Rows that are held in memory: read once, encoded once for each encoding, and let go."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.engines.held import MemoryRows
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
