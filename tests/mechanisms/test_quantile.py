"""Quantiles drawn by ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.mechanisms import Quantile
from discreet.mechanisms.quantile import _Table, list_edges
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, chi_square_p

Values = tuple[int, ...]
HALF, THIRD, MOST = Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)
SHARES = [HALF, THIRD, MOST, Fraction(0), Fraction(1)]


def _distance(values: Values, first: int, last: int, target: Fraction, core: Fraction = Fraction(0)) -> Fraction:
    """Return how far a target rank is from the core of the ranks of the points first .. last, by the definition."""
    low, high = (sum(value < edge for value in values) for edge in (first, last + 1))
    half = min(Fraction(high - low, 2), core)
    return max(low + half - target, target - high + half, Fraction(0))


def _target(made: Quantile, values: Values) -> Fraction:
    inside = min(Fraction(made.depth), Fraction(len(values), 2))
    return {0: inside, 1: len(values) - inside}.get(made.share, made.share * len(values))  # type: ignore[call-overload,no-any-return]


@cache
def _law(made: Quantile, values: Values) -> laws.Law:
    """Return the law of the value drawn, every point a candidate of its own."""
    target, core = _target(made, values), Fraction(made.core, made._factor)
    distances = [_distance(values, v, v, target, core) * made._factor for v in range(made.points)]
    assert all(distance.denominator == 1 for distance in distances), "scores are whole"
    kind = laws.permute_and_flip if made.pure else laws.softmax
    return kind(tuple(-int(distance) for distance in distances), made.main.scale)


def _neighbours(points: int, most: int, rows: int) -> Iterator[tuple[Values, Values]]:
    for size in range(most + 1):
        for values in combinations_with_replacement(range(points), size):
            for more in range(1, rows + 1):
                for added in combinations_with_replacement(range(points), more):
                    yield values, tuple(sorted((*values, *added)))


@exactly
def _range(first: laws.Law, second: laws.Law) -> Any:
    least, greatest = laws.loss_range(first, second)
    return greatest - least


@pytest.mark.many
@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("epsilon", [1.1, 4.0])
def test_theorem_the_value_has_the_range_that_is_charged(share: Fraction, rows: int, epsilon: float) -> None:
    made = Quantile(share, 4, epsilon, rows, sides=Fraction(0), pure=False)
    assert made.loss().pure <= epsilon
    worst = 0.0
    for fewer, more in _neighbours(4, 4, rows):
        here, there = _law(made, fewer), _law(made, more)
        found = _range(here, there)
        assert at_most(found, epsilon)
        assert at_most(laws.worst_loss(here, there), epsilon)
        worst = max(worst, float(found))
    assert worst > 0.3 * epsilon


@pytest.mark.many
@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("epsilon", [1.1, 4.0])
def test_theorem_permute_and_flip_loses_no_more_than_is_charged(share: Fraction, rows: int, epsilon: float) -> None:
    made = Quantile(share, 4, epsilon, rows, sides=Fraction(0))
    worst = 0.0
    for fewer, more in _neighbours(4, 4, rows):
        here, there = _law(made, fewer), _law(made, more)
        lost = max(float(laws.worst_loss(here, there)), float(laws.worst_loss(there, here)))
        assert at_most(laws.worst_loss(here, there), epsilon)
        assert at_most(laws.worst_loss(there, here), epsilon)
        worst = max(worst, lost)
    assert worst > 0.3 * epsilon


def test_permute_and_flip_is_charged_four_times_the_rho_of_a_bounded_range() -> None:
    pure, ranged = (Quantile(HALF, 100, 1.0, 3, Fraction(0), pure) for pure in (True, False))
    assert pure.row_rho == 4 * ranged.row_rho
    assert float(pure.row_rho) == pytest.approx(1 / 2 / 9)
    made = Quantile(HALF, 2, 2.0, sides=Fraction(0))
    ranges = [float(_range(_law(made, fewer), _law(made, more))) for fewer, more in _neighbours(2, 8, 1)]
    assert max(ranges) > 2.0 * 1.01, "its range is larger than its epsilon: it is not of bounded range"


@given(st.fractions(Fraction(1, 10**6), 100))
def test_an_epsilon_found_for_a_rho_costs_no_more(rho: Fraction) -> None:
    epsilon = Quantile.find_epsilon(rho)
    assert rho * (1 - Fraction(1, 10**9)) <= Quantile(HALF, 100, epsilon, pure=False).row_rho <= rho


COUNTS = [(9, 1, 1, 0), (9, 0, 2, 3), (3, 1, 1, 9), (2, 5, 5, 2), (0, 20, 2, 0), (0, 2, 20, 0), (30, 30, 30, 30)]


@pytest.mark.parametrize("share", [HALF, THIRD, MOST], ids=str)
def test_theorem_the_range_is_attained(share: Fraction) -> None:
    made = Quantile(share, 4, 1.0, sides=Fraction(0), pure=False)
    tables = [tuple(point for point, n in enumerate(counts) for _ in range(n)) for counts in COUNTS]
    found = [float(_range(_law(made, values), _law(made, (*values, added)))) for values in tables for added in (0, 3)]
    assert max(found) == pytest.approx(made.loss().pure, rel=1e-9)


def test_pieces_are_disjoint_and_cover_the_grid() -> None:
    for points in (1, 2, 3, 7, 100, 10**6):
        for center in {0, points // 3, points - 1}:
            edges = list_edges(center, points)
            assert (edges[0], edges[-1]) == (0, points)
            assert list(edges) == sorted(set(edges))
            assert (center in edges, center + 1 in edges) == (True, True)
    values = [0, 3, 3, 4, 9, 9, 9]
    counts = _Table.of(Counter(values), 10, 4, 0).count_pieces(list_edges(3, 10), 4)
    edges = list_edges(3, 10)
    assert counts == [sum(a <= value < b for value in values) for a, b in pairwise(edges)]


def test_counts_of_pieces_are_paid_for() -> None:
    made = Quantile(HALF, 100, 1.0, 7, sides=Fraction(1, 4))
    assert made.side is not None
    assert Fraction(made.side.scale) >= 7 * 4, "a unit moves all counts together by its rows"
    assert made.loss().pure <= 1.0
    assert Fraction(made._main_epsilon) + Fraction(made._side_epsilon) <= 1


def _quantiles(values: Values, share: Fraction) -> tuple[int, int]:
    """Return the least and the greatest quantile: at most this share lies below, and at least it at or below."""
    ordered, at = sorted(values), share * len(values)
    first = ordered[max(math.ceil(at), 1) - 1]
    return first, ordered[min(math.floor(at), len(values) - 1)] if 0 < share < 1 else first


WIDE = (2, 2, 3, 5, 5, 5, 9)


@pytest.mark.many
@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize(
    ("share", "depth"),
    [
        (HALF, None),
        (Fraction(0), 4),
        pytest.param(THIRD, None, marks=pytest.mark.long),
        pytest.param(Fraction(1), 4, marks=pytest.mark.long),
    ],
)
def test_sampler_draws_these_values_and_not_those_of_a_scale_off(
    share: Fraction, depth: int | None, pure: bool
) -> None:
    """By brute force: every point of the grid a candidate of its own, as heavy pieces must have it."""
    made = Quantile(share, 40, 2.0, sides=Fraction(0), pure=pure)
    assert depth is None or made.depth >= depth
    seen = np.bincount([made.release(Counter(WIDE)).value for _ in range(8_000)], minlength=40)
    assert chi_square_p(seen, np.array([float(p) for p in _law(made, WIDE)])) > ALARM
    for off in (2.0 * 1.15, 2.0 / 1.15):
        other = Quantile(share, 40, off, sides=Fraction(0), pure=pure)
        if other.depth == made.depth:
            assert chi_square_p(seen, np.array([float(p) for p in _law(other, WIDE)])) < ALARM


@pytest.mark.slow
def test_a_median_of_ten_thousand_is_a_few_ranks_off() -> None:
    """A tree of noisy ranks with 16 children to a node is off by 50 ranks at this epsilon and grid."""
    values = np.clip(np.random.default_rng(1).normal(2**19, 2**15, 10_000).astype(int), 0, 2**20 - 1)
    cells, ordered = Counter(values.tolist()), np.sort(values)
    drawn = np.array([Quantile(HALF, 2**20, 0.5).release(cells).value for _ in range(200)])
    low, high = np.searchsorted(ordered, drawn), np.searchsorted(ordered, drawn, side="right")
    assert np.mean(np.maximum(np.maximum(low - 5000, 5000 - high), 0)) < 50 / 8


def test_the_rank_error_holds() -> None:
    made, values = Quantile(MOST, 2**12, 0.5), np.random.default_rng(2).integers(0, 2**12, 500)
    cells, bound = Counter(values.tolist()), made.rank_error(0.9)
    drawn = [made.release(cells).value for _ in range(1_000)]
    missed = sum(_distance(tuple(values.tolist()), v, v, MOST * 500) > bound for v in drawn)
    assert laws.binomial_excess_p(missed, 1_000, 0.1) > ALARM
    scale = 2 * 0.9 / (0.5 * 0.95)
    assert bound == pytest.approx(scale * (math.log(2**12 / 0.1) + 2.5), rel=1e-2)


SHAPES: dict[str, Callable[[np.random.Generator], Any]] = {
    "uniform": lambda random: random.integers(0, 5_000, 500),
    "clustered": lambda random: random.choice([10, 11, 4_000, 4_001, 4_999], 3_000),
    "one value": lambda random: np.full(2_000, 777),
    "at the ends": lambda random: random.choice([0, 4_999], 1_000),
    "few": lambda random: random.integers(0, 5_000, 3),
    "only one": lambda random: np.array([4_321]),
}


@pytest.mark.many
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "share",
    [HALF, Fraction(0), pytest.param(MOST, marks=pytest.mark.long), pytest.param(Fraction(1), marks=pytest.mark.long)],
)
@pytest.mark.parametrize("draws", [300, pytest.param(2_000, marks=pytest.mark.long)])
def test_intervals_cover_the_quantile(shape: str, share: Fraction, draws: int) -> None:
    values = SHAPES[shape](np.random.default_rng(3))
    low, high = _quantiles(tuple(values.tolist()), share)
    made, cells = Quantile(share, 5_000, 2.0, sides=HALF), Counter(values.tolist())
    drawn = [made.release(cells) for _ in range(draws)]
    found = [each.interval(0.95) for each in drawn]
    assert all(0 <= a <= each.value <= b <= 4_999 for each, (a, b) in zip(drawn, found, strict=True))
    missed = sum(not (a <= low and high <= b) for a, b in found)
    assert laws.binomial_excess_p(missed, draws, 0.05) > ALARM


def test_intervals_are_no_wider_than_needed() -> None:
    cells = dict.fromkeys(range(0, 100_000, 10), 1)
    made = Quantile(HALF, 100_000, 1.0, sides=HALF)
    ends = [made.release(cells).interval(0.95) for _ in range(50)]
    assert np.mean([high - low for low, high in ends]) / 10 < 120, "ranks; the draw itself errs by two"


def test_a_median_of_many_rows_at_an_ordinary_price_has_a_useful_interval() -> None:
    """260,000 rows of whole numbers up to 100, twenty of each person, at epsilon 0.2."""
    values = np.random.default_rng(4).integers(0, 101, 260_000)
    made, cells = Quantile(HALF, 101, 0.2, 20), Counter(values.tolist())
    ends = [made.release(cells).interval(0.95) for _ in range(50)]
    assert np.median([high - low for low, high in ends]) <= 16


def test_extremes_are_aimed_inside_the_data() -> None:
    cells = dict.fromkeys(range(500_000, 600_000, 100), 1)
    least, most = (Quantile.extreme(low, 2**20, 1.0) for low in (True, False))
    for made, end in ((least, 500_000), (most, 600_000)):
        drawn = [made.release(cells) for _ in range(300)]
        assert np.median([abs(each.value - end) for each in drawn]) < 100 * 2 * made.depth
        assert sum(500_000 <= each.value < 600_000 for each in drawn) > 150
        outer = {each.interval(0.95)[made is most] for each in drawn}
        assert outer == {0 if made is least else 2**20 - 1}
    assert (least.share, most.share) == (Fraction(0), Fraction(1))


def test_an_extreme_of_few_values_is_aimed_at_their_middle() -> None:
    made = Quantile(Fraction(0), 1000, 50.0, sides=Fraction(0))
    assert made.depth >= 1
    assert {made.release({10: 1, 20: 30, 30: 1}).value for _ in range(20)} <= {10, 20, *range(11, 20)}


def test_no_values_at_all_is_fine() -> None:
    drawn = [Quantile(share, 100, 1.0).release({}) for share in SHARES for _ in range(60)]
    assert len({each.value for each in drawn}) > 50
    assert all(0 <= each.interval(0.9)[0] <= each.value <= each.interval(0.9)[1] <= 99 for each in drawn)
    assert Quantile(HALF, 1, 1.0).release({0: 3}).value == 0


PARTS = st.just(Fraction(0)) | st.fractions(Fraction(1, 1_000), Fraction(9, 10))


@given(st.sampled_from(SHARES), st.floats(1e-6, 1e3), st.integers(1, 50), PARTS)
@settings(max_examples=200, deadline=None)
def test_no_release_costs_more_than_asked(share: Fraction, epsilon: float, rows: int, sides: Fraction) -> None:
    spent = Quantile(share, 1000, epsilon, rows, sides).loss().pure
    assert epsilon * (1 - 1e-9) <= spent <= epsilon
