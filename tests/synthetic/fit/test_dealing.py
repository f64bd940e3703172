"""Rows dealt to cells: whole numbers that add up, near what is expected, right on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.synthetic.fit.dealing import deal_cells, deal_counts


@given(
    st.lists(st.lists(st.floats(0, 1e6), min_size=5, max_size=5), min_size=1, max_size=4),
    st.integers(0, 10**9),
    st.integers(0, 2**32),
)
def test_counts_add_up_and_are_expected_numbers_rounded(weights: list[list[float]], rows: int, seed: int) -> None:
    lines = np.array(weights)
    counts = deal_counts(lines, np.full(len(lines), rows), np.random.default_rng(seed))
    assert (counts >= 0).all()
    assert (counts.sum(axis=1) == rows).all()
    for line, dealt in zip(lines, counts, strict=True):
        total = line.sum()
        expected = rows * (line / total if total > 0 else np.full(5, 0.2))
        assert (np.abs(dealt - expected) < 1 + rows * 1e-12).all()


def test_every_cell_gets_its_expected_number_on_average() -> None:
    weights = np.array([[0.05, 0.3, 0.0, 0.65]])
    random = np.random.default_rng(3)
    mean = np.mean([deal_counts(weights, np.array([3]), random)[0] for _ in range(20_000)], axis=0)
    assert mean == pytest.approx(3 * weights[0], abs=0.03)


def test_rows_of_a_group_are_dealt_to_its_own_line() -> None:
    weights = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 5.0], [0.0, 0.0, 0.0]])
    groups = np.array([0, 1, 2, 0, 1, 2, 2, 0, 0])
    cells = deal_cells(weights, groups, np.random.default_rng(0))
    assert sorted(cells[groups == 0]) == [0, 0, 1, 1]
    assert set(cells[groups == 1]) == {2}
    assert sorted(cells[groups == 2]) == [0, 1, 2]


def test_no_rows_are_dealt_to_nothing() -> None:
    assert deal_cells(np.ones((1, 3)), np.zeros(0, dtype=np.int64), np.random.default_rng(0)).shape == (0,)
