"""Sparse counts are the same numbers as dense ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.wide import Ints
from discreet.topdown.running.counts import SparseCounts, join_counts
from topdown.estimate.dense import ask, make_schema

SCHEMA = make_schema(2, 3)
dense = st.lists(st.lists(st.integers(0, 3) | st.just(0), min_size=6, max_size=6), min_size=1, max_size=6).map(
    lambda rows: np.array(rows, dtype=np.int64)
)


@given(dense)
def test_all_that_is_asked_is_what_the_dense_table_says(table: Ints) -> None:
    counts = SparseCounts.of_dense(table)
    assert np.array_equal(counts.to_dense(), table)
    assert np.array_equal(counts.people, table.sum(axis=1))
    assert np.array_equal(counts.to_csr().toarray(), table)
    for query in (ask(SCHEMA), ask(SCHEMA, a1=[0, 1, 1]), ask(SCHEMA, a0=None, a1=None)):
        assert np.array_equal(counts.answer(query), query.answer(table))


@given(dense, st.integers(0, 6), st.integers(0, 6))
def test_a_slice_has_the_rows_of_the_slice(table: Ints, first: int, last: int) -> None:
    assert np.array_equal(SparseCounts.of_dense(table)[first:last].to_dense(), table[first:last])


@given(dense, st.data())
def test_areas_that_belong_together_are_added_up_and_others_left_out(table: Ints, data: st.DataObject) -> None:
    owners = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=len(table), max_size=len(table))))
    wanted = np.zeros((3, 6), dtype=np.int64)
    for row, owner in zip(table, owners, strict=True):
        if owner >= 0:
            wanted[owner] += row
    assert np.array_equal(SparseCounts.of_dense(table).add_up(owners, 3).to_dense(), wanted)


@given(st.lists(dense, min_size=1, max_size=3))
def test_parts_are_joined_in_their_order(parts: list[Ints]) -> None:
    joined = join_counts([SparseCounts.of_dense(each) for each in parts])
    assert np.array_equal(joined.to_dense(), np.concatenate(parts))


def test_what_is_saved_is_read_again(tmp_path: Path) -> None:
    table = np.array([[0, 5, 0, 0, 1, 0], [0] * 6, [7, 0, 0, 0, 0, 2**40]], dtype=np.int64)
    SparseCounts.of_dense(table).save(tmp_path / "x.npz", beside=np.arange(2))
    with np.load(tmp_path / "x.npz", allow_pickle=False) as arrays:
        assert np.array_equal(SparseCounts.of_arrays(arrays).to_dense(), table)
        assert arrays["beside"].tolist() == [0, 1]
    assert [path.name for path in tmp_path.iterdir()] == ["x.npz"]
