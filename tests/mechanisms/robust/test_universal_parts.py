"""Radii, ranges, random pairs and scales: exact losses over all small neighbours, and where they are found."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest

from discreet import noise
from discreet.base.grid import Floats
from discreet.mechanisms.robust import universal_parts
from discreet.mechanisms.robust.universal_parts import draw_order, find_radius, find_range, find_scale, pair_up
from mechanisms.robust.sparse_runs import SLACK, Watcher, find_loss, read_stops, watch
from support.sampling import ALARM, chi_square_p
from support.small_data import Values, list_pairs

DISTANCES = (0, 1, 2, 3, 9)


@pytest.fixture
def watcher(monkeypatch: pytest.MonkeyPatch) -> Watcher:
    return watch(monkeypatch)


@pytest.mark.parametrize(("rows", "most"), [(1, 4), (2, 2)])
@pytest.mark.parametrize(
    ("find", "few", "tight"), [(find_radius, 8, 0.65), (find_radius, 0, 0.5), (find_scale, 8, 0.4)]
)
def test_theorem_a_radius_and_a_scale_lose_no_more_than_their_epsilon(
    find: Callable[..., int],
    few: int,
    tight: float,
    rows: int,
    most: int,
    watcher: Watcher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Distances are added, removed or replaced: what a step of either relation makes of values, and of pairs.

    However few may be beyond.
    """
    monkeypatch.setattr(universal_parts, "FEW", few)
    seen: dict[Values, Floats] = {}
    worst = 0.0
    for pair in list_pairs(DISTANCES, most, "replace", rows):
        for values in pair:
            if values not in seen:
                distances = np.array(values, dtype=np.int64)
                seen[values] = read_stops(watcher, lambda at=distances: find(at, 0.8, rows))  # type: ignore[misc]
        worst = max(worst, find_loss(seen[pair[0]], seen[pair[1]]))
    assert 0.8 * tight < worst <= 0.8 + SLACK
    assert seen[()].sum() == pytest.approx(1, abs=1e-12)


def test_every_order_is_as_likely_and_words_that_are_alike_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = list(permutations(range(3)))
    counts = np.bincount([orders.index(tuple(draw_order(3).tolist())) for _ in range(3000)], minlength=6)
    assert chi_square_p(counts, np.full(6, 1 / 6)) > ALARM
    words = iter([np.array([4, 4, 1]), np.array([7, 5, 9])])
    monkeypatch.setattr(noise, "uniform_int", lambda most, size: next(words))
    assert draw_order(3).tolist() == [1, 0, 2]


def test_an_odd_value_is_left_out_of_the_pairs() -> None:
    assert pair_up(np.array([7])).tolist() == pair_up(np.array([], dtype=np.int64)).tolist() == []
    assert sorted({pair_up(np.array([0, 1, 5])).item() for _ in range(200)}) == [1, 4, 5]


def test_a_range_is_found_wherever_values_lie() -> None:
    """A run goes further than values reach one time in twenty, so that one of many may be too wide."""
    for place in (0, 10**6, -(10**11)):
        values = place + np.arange(-1000, 1001)
        found = [find_range(values, (0.5, 0.5, 0.5), 1, 1) for _ in range(9)]
        assert np.median([abs(center - place) for center, _ in found]) < 100
        assert np.median([radius for _, radius in found]) in (1024, 2048)
        assert min(radius for _, radius in found) >= 512
