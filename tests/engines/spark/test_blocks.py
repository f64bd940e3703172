"""Blocks of bytes: rows and features come back as they were, in whole units, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import FailedError
from discreet.engines.result import ExactRows
from discreet.engines.spark import blocks
from discreet.engines.spark.blocks import (
    find_type,
    join_rows,
    pack,
    read_features,
    read_points,
    split_rows,
    write_features,
    write_points,
)
from support.hospital import by_unit, engine_of, rows_of
from support.teaching import POLICY, list_sums, make_tables, select

ENGINE = engine_of(POLICY, make_tables())
PLAN = rows_of(ENGINE, select("numbered"))
ROWS = ENGINE.read(PLAN).result()
EMPTY = ExactRows(ROWS.points[:0], np.zeros(1, dtype=np.int64))


@pytest.mark.parametrize("most", [1, 9, 60, 10_000])
def test_blocks_hold_whole_units_and_all_of_them(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "AT_ONCE", most)
    split = list(split_rows(ROWS))
    assert all(len(each.points) * 3 <= most or each.units == 1 for each in split)
    written = [write_points(PLAN, each) for each in split]
    assert sum(each.column("many")[0].as_py() for each in written) == len(ROWS.points)
    joined = join_rows(read_points(PLAN, written), 3)
    assert by_unit(joined) == by_unit(ROWS)
    assert joined.points.dtype == np.int64


def test_no_rows_are_one_empty_block() -> None:
    (block,) = split_rows(EMPTY)
    assert (len(block.points), block.offsets.tolist()) == (0, [0])
    joined = join_rows(read_points(PLAN, [write_points(PLAN, block)]), 3)
    assert (joined.points.shape, joined.offsets.tolist()) == ((0, 3), [0])


@pytest.mark.parametrize("rows", [ROWS, EMPTY], ids=["rows", "none"])
def test_features_come_back_as_they_were(rows: ExactRows) -> None:
    for encoding, function in list_sums(PLAN):
        encoded = encoding.encode(rows.points)
        ((found, offsets),) = read_features(encoding, [write_features(encoded, rows.offsets)])
        for name in ("numbers", "places", "lengths", "labels"):
            before, after = getattr(encoded, name), getattr(found, name)
            assert (before.dtype, before.shape) == (after.dtype, after.shape)
            assert (before == after).all()
        assert function(found, offsets) == function(encoded, rows.offsets)


def test_a_type_is_chosen_by_public_ends_and_what_does_not_fit_it_is_refused() -> None:
    assert find_type(PLAN) is np.int16
    for wrong in (np.array([2**15]), np.array([0.5]), np.array([np.nan])):
        with pytest.raises(FailedError, match="does not fit"):
            pack(wrong, np.int16)
    assert pack(np.array([2**15 - 1]), np.int16) == b"\xff\x7f"
