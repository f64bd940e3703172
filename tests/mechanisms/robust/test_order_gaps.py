"""Gaps between pairs of ranks, by their cost."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.mechanisms.robust.order_gaps import OrderGaps
from discreet.mechanisms.robust.sorted_values import SortedValues


def _pairs(gaps: OrderGaps) -> list[tuple[int, int]]:
    """Return (cost, gap) of every pair, by the definition."""
    (left, right), unit, found = gaps.slacks, gaps.unit, []
    for inner, outer in product(range(12), repeat=2):
        cost = max(0, unit * inner - left) + max(0, unit * outer - right)
        found.append((cost, gaps.ordered.at(gaps.last + outer) - gaps.ordered.at(gaps.first - inner)))
    return found


GAPS = st.builds(
    lambda values, place, wide, unit, slacks: OrderGaps(
        SortedValues.of(values, 0, 20),
        min(place, len(values)),
        min(place + wide, len(values)),
        unit,
        (slacks[0] % unit, slacks[1] % unit),
    ),
    st.lists(st.integers(0, 20), max_size=8),
    st.integers(0, 8),
    st.integers(0, 3),
    st.integers(1, 5),
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
)


@given(GAPS, st.integers(0, 30))
def test_the_widest_gap_is_that_of_all_pairs(gaps: OrderGaps, allowed: int) -> None:
    assert gaps.find_widest(allowed) == max(gap for cost, gap in _pairs(gaps) if cost <= allowed)


@given(GAPS, st.integers(0, 19))
def test_the_least_cost_is_that_of_all_pairs(gaps: OrderGaps, gap: int) -> None:
    assert gaps.find_cost(gap) == min(cost for cost, wide in _pairs(gaps) if wide > gap)


@pytest.mark.parametrize("gap", [20, 21, 10**30])
def test_no_pair_is_wider_than_the_bounds(gap: int) -> None:
    assert OrderGaps(SortedValues.of([1, 2], 0, 20), 1, 1).find_cost(gap) is None
