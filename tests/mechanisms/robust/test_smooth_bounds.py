"""Smooth bounds: the exact maximum, smooth on all small neighbours, in rational numbers."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.smooth_bounds import LEAST, SmoothBound, bound_smoothness, choose_base, find_smooth_gap
from discreet.mechanisms.robust.sorted_values import SortedValues
from discreet.mechanisms.robust.trimmed_mean import LOCAL, TrimmedMean
from support.small_data import RELATIONS, list_data, list_pairs, see_pairs

DOMAIN = (0, 1, 9)
BASE = Fraction(3, 4)
CASES = [(1, 6), (2, 3)]


def _check_smooth(statistic: OrderStatistic | TrimmedMean, relation: str, most: int) -> float:
    """Check that the bound holds and is smooth on all pairs, and return how close the value's moves come to it."""
    pairs = see_pairs(
        list_pairs(DOMAIN, most, relation, statistic.rows),
        lambda values: (statistic.value(values), statistic.find_smooth(values, BASE).exact),
    )
    for (here, bound), (there, other) in pairs:
        assert abs(here - there) <= min(bound, other)
        assert bound * BASE**statistic.rows <= other
    return float(max(abs(here - there) / bound for (here, bound), (there, _) in pairs))


@pytest.mark.many
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2), Fraction(9, 10)], ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), CASES)
def test_theorem_bounds_of_quantiles_are_smooth(share: Fraction, relation: str, rows: int, most: int) -> None:
    assert _check_smooth(OrderStatistic(share, 0, 9, rows), relation, most) == 1


@pytest.mark.parametrize("trim", [Fraction(0), Fraction(1, 5)], ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), [(1, 5), (2, 2)])
def test_theorem_bounds_of_trimmed_means_are_smooth(trim: Fraction, relation: str, rows: int, most: int) -> None:
    assert _check_smooth(TrimmedMean(trim, 0, 9, rows, 1, relation), relation, most) > 0.05


def _largest(values: list[int], rank: int, rows: int, base: Fraction, high: int) -> Fraction:
    """Return the largest discounted gap, pair by pair."""
    ordered = SortedValues.of(values, 0, high)
    reach = range(len(values) + rows + 2)
    return max(
        (ordered.at(rank + i) - ordered.at(rank - j)) * base ** (i + j - rows)
        for i, j in product(reach, reach)
        if i + j >= rows
    )


@given(
    st.lists(st.integers(0, 60) | st.integers(0, 10**6), max_size=14),
    st.fractions(0, 1),
    st.integers(1, 4),
    st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(99, 100), Fraction(10**6 - 1, 10**6)]),
)
@settings(max_examples=60, deadline=None)
def test_halving_finds_the_maximum_of_all_pairs(values: list[int], share: Fraction, rows: int, base: Fraction) -> None:
    rank = OrderStatistic(share, 0, 10**6).rank(len(values))
    found = find_smooth_gap(SortedValues.of(values, 0, 10**6), rank, rows, base)
    assert found.exact == _largest(values, rank, rows, base, 10**6)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2)], ids=str)
@pytest.mark.parametrize("base", [Fraction(1, 3), Fraction(99, 100)], ids=str)
def test_halving_finds_it_among_many_values_too(share: Fraction, base: Fraction) -> None:
    random = np.random.default_rng(5)
    for values in (random.integers(0, 10**6, 60), np.exp(random.normal(8, 2, 60)), np.full(60, 77)):
        whole = np.clip(values.astype(int), 0, 10**6)
        rank = OrderStatistic(share, 0, 10**6).rank(60)
        ordered = SortedValues.of(whole, 0, 10**6)
        wide = [(ordered.at(rank + i) - ordered.at(rank - j), i + j - 1) for i, j in product(range(63), range(63))]
        best = max(math.log(gap) + power * math.log(base) for gap, power in wide if gap > 0)
        assert find_smooth_gap(ordered, rank, 1, base).log == pytest.approx(best, rel=1e-12)


def test_the_bound_of_a_trimmed_mean_is_the_maximum_over_all_distances() -> None:
    made = TrimmedMean(Fraction(1, 5), 0, 9, rows=2)
    for values in list_data(DOMAIN, 4):
        gaps = made.gaps(made.order(values))
        tried = [
            2 * made.factor * gaps.find_widest(gaps.unit * (LOCAL + 1 + k)) / max(1, len(values) - 1 - k) * BASE**k
            for k in range(20)
        ]
        assert made.find_smooth(values, BASE).exact == max(tried)


def test_values_some_steps_away_from_those_kept_count_with_their_discount() -> None:
    """All values that are kept are alike, and those beyond are far off: neither these data nor the last step decide."""
    made, base = TrimmedMean(Fraction(1, 5), 0, 1000), Fraction(9, 10)
    values = [10] * 5 + [500] * 30 + [990] * 5
    gaps = made.gaps(made.order(values))
    tried = [made.local(gaps, 40, k) * base**k for k in range(60)]
    found = made.find_smooth(values, base)
    assert found.exact == max(tried) > max(tried[0], tried[39])
    assert 0 < found.power < 39


def test_the_size_of_these_data_enters_only_with_its_discount() -> None:
    """The bound of a mean of n equal values is that of one value, n - 1 removals away, until 1 / n is larger."""
    made, base = TrimmedMean(Fraction(0), 0, 1000), Fraction(9, 10)
    for size in (1, 5, 20):
        assert made.find_smooth([0] * size, base).exact == 1000 * base ** (size - 1)
    assert made.find_smooth([0] * 400, base).exact == Fraction(1000, 400)


def test_constant_data_have_a_positive_bound_too() -> None:
    found = OrderStatistic(Fraction(1, 2), 0, 10).find_smooth([5] * 100, Fraction(1, 2))
    assert found.factor == 5
    assert found.power == 49
    assert OrderStatistic(Fraction(1, 2), 0, 10).find_smooth([5] * 10_000, Fraction(1, 2)).exact == LEAST
    assert OrderStatistic(Fraction(1, 2), 0, 10).find_smooth([], Fraction(1, 2)).exact == 10


def test_comparisons_are_exact_where_floats_cannot_tell() -> None:
    base, huge = Fraction(1, 2), 10**30
    one, other = SmoothBound(Fraction(huge), base, 7), SmoothBound(Fraction(2 * huge + 1), base, 8)
    assert one.log == other.log
    assert (other.exceeds(one), one.exceeds(other), one.exceeds(one)) == (True, False, False)
    nothing = SmoothBound(Fraction(0), base, 0)
    assert (one.exceeds(nothing), nothing.exceeds(one), nothing.exceeds(nothing)) == (True, False, False)


@given(st.floats(1e-6, 20), st.integers(1, 50))
def test_a_base_is_no_rougher_than_asked(smoothness: float, rows: int) -> None:
    base = choose_base(smoothness, rows)
    t = bound_smoothness(base, rows)
    assert t <= smoothness * (1 + 1e-15) + 1e-300
    assert math.log(base) * -rows <= t * (1 + 1e-12)
    assert smoothness - t <= rows * 2.0**-31 / float(base)


@pytest.mark.parametrize("smoothness", [0, -1, 1e-12, float("nan"), None])
def test_senseless_smoothness_is_refused(smoothness: object) -> None:
    with pytest.raises(ParameterError, match=r"^smoothness must be"):
        choose_base(smoothness)  # type: ignore[arg-type]
    for base in (0, 1, 1.5, None):
        with pytest.raises(ParameterError, match=r"^base must be"):
            bound_smoothness(base)  # type: ignore[arg-type]


def test_thirty_thousand_values_take_no_time() -> None:
    values = np.exp(np.random.default_rng(6).normal(10, 1, 30_000)).astype(int)
    start = time.perf_counter()
    for smoothness in (0.5, 0.03, 0.001):
        OrderStatistic(Fraction(1, 2), 0, 10**6).find_smooth(values, choose_base(smoothness))
    assert time.perf_counter() - start < 60
