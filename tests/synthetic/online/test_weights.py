"""Weights of sets of cells: all of them together weigh at most 1, and simple sets weigh most."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from discreet.synthetic.online.weights import weigh_cells


@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 2, 2), (8,)])
def test_all_sets_of_cells_together_weigh_at_most_one(shape: tuple[int, ...]) -> None:
    size = math.prod(shape)
    total = 0.0
    for bits in range(1, 1 << size):
        cells = np.array([bits >> place & 1 for place in range(size)], dtype=bool).reshape(shape)
        total += math.exp(weigh_cells(cells))
    assert 0.3 < total <= 1


def test_named_values_and_windows_weigh_more_than_scattered_cells() -> None:
    one, window, scattered = (np.zeros((65, 129), dtype=bool) for _ in range(3))
    one[3, 5] = True
    window[10:20, 30:60] = True
    scattered.ravel()[np.random.default_rng(2).choice(65 * 129, 300, replace=False)] = True
    weights = [weigh_cells(each) for each in (one, window, scattered)]
    assert weights == sorted(weights, reverse=True)
    assert weights[1] > -math.log(2 * 16 * 2080 * 8256) - 0.1
    assert weigh_cells(np.ones((65, 129), dtype=bool)) > math.log(1 / 40)


def test_products_of_any_sets_of_values_weigh_by_their_number() -> None:
    for places in itertools.combinations(range(5), 2):
        cells = np.zeros((6, 3), dtype=bool)
        cells[list(places)] = True
        assert weigh_cells(cells) >= math.log(0.5 * 0.25 * 0.25) - 6 * math.log(2) - 1e-6
