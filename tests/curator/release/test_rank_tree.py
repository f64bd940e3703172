"""Noisy ranks: trees, quantiles and their intervals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.curator.release import rank_tree as ranks
from discreet.mechanisms import Gaussian, Laplace
from discreet.noise.bits import replayed
from discreet.plan.bounded import BRANCHES, count_tree_levels
from discreet.plan.grid import ClampedGrid
from support.sampling import ALARM, GeneratorBits

QUIET = Laplace(1e-3)
"""Noise that is nearly never anything but zero."""


def grid(points: int) -> ClampedGrid:
    return ClampedGrid(Fraction(0), Fraction(1), 0, points - 1)


@pytest.mark.parametrize(("points", "levels"), [(1, 1), (16, 1), (17, 2), (256, 2), (257, 3), (16**6, 6)])
def test_a_tree_has_as_few_levels_as_its_grid_allows(points: int, levels: int) -> None:
    assert count_tree_levels(grid(points)) == levels


@given(
    st.dictionaries(st.integers(0, 4999), st.integers(1, 40), min_size=1, max_size=60),
    st.fractions(0, 1, max_denominator=20),
)
@settings(max_examples=60, deadline=None)
def test_without_noise_the_quantile_is_the_exact_one(cells: dict[int, int], share: Fraction) -> None:
    nodes = ranks.explore(cells, grid(5000), QUIET, (share,))
    values = np.repeat(sorted(cells), [cells[point] for point in sorted(cells)])
    found = ranks.estimate_quantile(nodes, grid(5000), share)
    below, up_to = int(np.sum(values < found)), int(np.sum(values <= found))
    assert below <= share * len(values) <= up_to or found == 2500
    low, high = ranks.bound_quantile(nodes, grid(5000), QUIET, share, 0.01)
    assert low <= found <= max(high, low)


def test_every_row_lies_in_one_node_of_each_level() -> None:
    cells = {3: 5, 700: 2, 4999: 9}
    nodes = ranks.explore(cells, grid(5000), QUIET, (Fraction(1, 2),))
    assert sum(nodes[1, child] for child in range(BRANCHES)) == 16
    assert {level for level, _ in nodes} == set(range(1, count_tree_levels(grid(5000)) + 1))


def test_ranks_rise_along_boundaries_when_there_is_no_noise() -> None:
    nodes = ranks.explore(dict.fromkeys(range(0, 5000, 7), 1), grid(5000), QUIET, (Fraction(1, 3),))
    found = ranks.list_ranks(nodes, grid(5000))
    assert [each.point for each in found] == sorted({each.point for each in found})
    assert [each.rank for each in found] == sorted(each.rank for each in found)
    assert all(each.rank == math.ceil(min(each.point, 5000) / 7) for each in found)


@pytest.mark.parametrize("noise", [Laplace(5.0), Gaussian(5.0)], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("terms", [1, 2, 15, 60])
def test_the_reach_of_a_sum_of_noises_is_hardly_ever_exceeded(noise: Laplace | Gaussian, terms: int) -> None:
    reach, rounds = ranks._reaches(noise, 0.05)(terms), 4000
    with replayed(GeneratorBits(11)):
        drawn = np.array(noise.release(np.zeros((rounds, terms), dtype=np.int64))).sum(axis=1)
    assert stats.binom.sf(int(np.sum(np.abs(drawn) > reach)) - 1, rounds, 0.05) > ALARM


def test_nothing_at_all_gives_the_whole_range() -> None:
    with replayed(GeneratorBits(13)):
        nodes = ranks.explore({}, grid(5000), Laplace(3.0), (Fraction(1, 2),))
    low, high = ranks.bound_quantile(nodes, grid(5000), Laplace(3.0), Fraction(1, 2), 0.05)
    assert (low, high) == (0, 4999)


@pytest.mark.parametrize("noise", [Laplace(50.0), Gaussian(50.0)], ids=["laplace", "gaussian"])
def test_every_node_has_noise_of_its_own(noise: Laplace | Gaussian) -> None:
    with replayed(GeneratorBits(12)):
        nodes = ranks.explore({}, grid(16**4), noise, (Fraction(1, 2),))
    for level in range(1, 5):
        counts = [count for (at, _), count in nodes.items() if at == level]
        assert len(set(counts)) > len(counts) / 8
        assert 20 < float(np.std(counts)) < 200
