"""Quantiles by the exponential mechanism over ranks."""

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
from discreet.mechanisms.quantile import _steps, _Table
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, chi_square_p

Values = tuple[int, ...]
HALF, THIRD, MOST = Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)
SHARES = [HALF, THIRD, MOST, Fraction(0), Fraction(1)]


def _distance(values: Values, first: int, last: int, target: Fraction) -> Fraction:
    """Return how far a target rank is from the ranks of the points first .. last, by the definition."""
    low, high = (sum(value < edge for value in values) for edge in (first, last + 1))
    return max(low - target, target - high, Fraction(0))


def _target(made: Quantile, values: Values) -> Fraction:
    inside = min(Fraction(made.depth), Fraction(len(values), 2))
    return {0: inside, 1: len(values) - inside}.get(made.share, made.share * len(values))  # type: ignore[call-overload,no-any-return]


def _ranks(made: Quantile) -> Fraction:
    """Return the scale of the draw in ranks."""
    return Fraction(made.main.scale) / (2 if made.share in (0, 1) else made.share.denominator)


@cache
def _law(made: Quantile, values: Values) -> laws.Law:
    return _softmax([_distance(values, v, v, _target(made, values)) for v in range(made.points)], _ranks(made))


def _softmax(distances: list[Fraction], scale: Fraction) -> laws.Law:
    whole = math.lcm(*(distance.denominator for distance in distances))
    return laws.softmax([-int(distance * whole) for distance in distances], scale * whole)


def _pieces(made: Quantile, center: int) -> list[tuple[int, int]]:
    """List the pieces around a point by their first and last points, and what lies below and above the grid."""
    steps = [0, *_steps(made.points)]
    edges = {0, made.points} | {center - s for s in steps} | {center + 1 + s for s in steps}
    inside = sorted(edge for edge in edges if 0 <= edge <= made.points)
    return [(-(10**9), -1), *((a, b - 1) for a, b in pairwise(inside)), (made.points, 10**9)]


@cache
def _side_law(made: Quantile, values: Values, center: int, ranks: int) -> laws.Law:
    target, distances = made.share * len(values) + ranks, []
    for first, last in _pieces(made, center):
        distances.append(
            max(target, Fraction(0)) if last < 0
            else max(len(values) - target, Fraction(0)) if first == made.points
            else _distance(values, first, last, target)
        )  # fmt: skip
    assert made.side is not None
    return _softmax(distances, Fraction(made.side.scale) / made._denominator)


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


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("epsilon", [1.1, 4.0])
def test_theorem_the_value_has_the_range_that_is_charged(share: Fraction, rows: int, epsilon: float) -> None:
    made = Quantile(share, 4, epsilon, rows, sides=Fraction(0))
    assert made.loss().pure <= epsilon
    worst = 0.0
    for fewer, more in _neighbours(4, 4, rows):
        here, there = _law(made, fewer), _law(made, more)
        found = _range(here, there)
        assert at_most(found, epsilon)
        assert at_most(laws.worst_loss(here, there), epsilon)
        worst = max(worst, float(found))
    assert worst > 0.4 * epsilon


COUNTS = [(9, 1, 1, 0), (9, 0, 2, 3), (3, 1, 1, 9), (2, 5, 5, 2), (0, 20, 2, 0), (0, 2, 20, 0), (30, 30, 30, 30)]


@pytest.mark.parametrize("share", [HALF, THIRD, MOST], ids=str)
def test_theorem_the_range_is_attained(share: Fraction) -> None:
    made = Quantile(share, 4, 1.0, sides=Fraction(0))
    tables = [tuple(point for point, n in enumerate(counts) for _ in range(n)) for counts in COUNTS]
    found = [float(_range(_law(made, values), _law(made, (*values, added)))) for values in tables for added in (0, 3)]
    assert max(found) == pytest.approx(made.loss().pure, rel=1e-9)


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("rows", [1, 2])
def test_theorem_the_ends_have_the_range_that_is_charged(share: Fraction, rows: int) -> None:
    made = Quantile(share, 4, 6.0, rows, sides=HALF, confidence=0.5)
    draws = 1 if share in (0, 1) else 2
    for ranks in (-made.reach, made.reach, 1, -1):
        for center in (0, 2):
            for fewer, more in _neighbours(4, 3, rows):
                here, there = (_side_law(made, values, center, ranks) for values in (fewer, more))
                assert at_most(_range(here, there), 3.0 / draws)
                assert at_most(laws.worst_loss(here, there), 3.0 / draws)


@pytest.mark.parametrize("share", SHARES, ids=str)
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_theorem_an_end_misses_no_oftener_than_stated(share: Fraction, confidence: float) -> None:
    made = Quantile(share, 5, 8.0, sides=HALF, confidence=confidence)
    draws = 1 if share in (0, 1) else 2
    for size in range(1, 6):
        for values in combinations_with_replacement(range(5), size):
            low, high = _quantiles(values, share)
            for center in (0, 3):
                pieces = _pieces(made, center)
                below, above = (_side_law(made, values, center, ranks) for ranks in (-made.reach, made.reach))
                too_high = [p for (first, _), p in zip(pieces, below, strict=True) if min(first, 4) > low]
                too_low = [p for (_, last), p in zip(pieces, above, strict=True) if max(last, 0) < high]
                for wrong in ([too_high] if share > 0 else []) + ([too_low] if share < 1 else []):
                    assert at_most(exactly(sum)(wrong, laws.ball(0)), (1 - Fraction(confidence)) / draws)


def _quantiles(values: Values, share: Fraction) -> tuple[int, int]:
    """Return the least and the greatest quantile: at most this share lies below, and at least it at or below."""
    ordered, at = sorted(values), share * len(values)
    first = ordered[max(math.ceil(at), 1) - 1]
    return first, ordered[min(math.floor(at), len(values) - 1)] if 0 < share < 1 else first


WIDE = (2, 2, 3, 5, 5, 5, 9)


@pytest.mark.parametrize(("share", "depth"), [(HALF, None), (THIRD, None), (Fraction(0), 4), (Fraction(1), 4)])
def test_sampler_draws_these_values_and_not_those_of_a_scale_off(share: Fraction, depth: int | None) -> None:
    made = Quantile(share, 40, 2.0, sides=Fraction(0))
    assert depth is None or made.depth >= depth
    seen = np.bincount([made.release(Counter(WIDE)).value for _ in range(8_000)], minlength=40)
    assert chi_square_p(seen, np.array([float(p) for p in _law(made, WIDE)])) > ALARM
    for off in (2.0 * 1.15, 2.0 / 1.15):
        other = Quantile(share, 40, off, sides=Fraction(0))
        if other.depth == made.depth:
            assert chi_square_p(seen, np.array([float(p) for p in _law(other, WIDE)])) < ALARM


@pytest.mark.parametrize("ranks", [-2, 2])
def test_sampler_draws_these_pieces(ranks: int) -> None:
    made = Quantile(HALF, 40, 2.0, sides=HALF)
    assert made.side is not None
    table, pieces = _Table.of(Counter(WIDE), 40, 2, 0), _pieces(made, 7)
    told = Counter(table.draw_piece(7, len(WIDE) + 2 * ranks, made.side.scale) for _ in range(8_000))
    ends: dict[tuple[int, int], float] = {}
    for (first, last), p in zip(pieces, _side_law(made, WIDE, 7, ranks), strict=True):
        place = (max(first, 0), min(max(last, -1), 39)) if first <= 39 else (40, 39)
        ends[place] = ends.get(place, 0.0) + float(p)
    seen = np.array([told.pop(place, 0) for place in ends])
    assert not told
    assert chi_square_p(seen, np.array(list(ends.values()))) > ALARM


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
    assert bound == pytest.approx(2 * 0.9 / 0.48 * math.log(2**12 / 0.1), rel=1e-9)


SHAPES: dict[str, Callable[[np.random.Generator], Any]] = {
    "uniform": lambda random: random.integers(0, 5_000, 500),
    "clustered": lambda random: random.choice([10, 11, 4_000, 4_001, 4_999], 3_000),
    "one value": lambda random: np.full(2_000, 777),
    "at the ends": lambda random: random.choice([0, 4_999], 1_000),
    "few": lambda random: random.integers(0, 5_000, 3),
    "only one": lambda random: np.array([4_321]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "share",
    [HALF, Fraction(0), pytest.param(MOST, marks=pytest.mark.long), pytest.param(Fraction(1), marks=pytest.mark.long)],
)
def test_intervals_cover_the_quantile(shape: str, share: Fraction) -> None:
    values = SHAPES[shape](np.random.default_rng(3))
    low, high = _quantiles(tuple(values.tolist()), share)
    made, cells = Quantile(share, 5_000, 2.0, sides=HALF, confidence=0.95), Counter(values.tolist())
    drawn = [made.release(cells) for _ in range(2_000)]
    assert all(0 <= each.low <= each.value <= each.high <= 4_999 for each in drawn)
    missed = sum(not (each.low <= low and high <= each.high) for each in drawn)
    assert laws.binomial_excess_p(missed, 2_000, 0.05) > ALARM


def test_intervals_are_no_wider_than_needed() -> None:
    cells = dict.fromkeys(range(0, 100_000, 10), 1)
    made = Quantile(HALF, 100_000, 1.0, sides=HALF)
    widths = [drawn.high - drawn.low for drawn in (made.release(cells) for _ in range(50))]
    assert np.mean(widths) / 10 < 4 * made.reach < 300


def test_extremes_are_aimed_inside_the_data() -> None:
    cells = dict.fromkeys(range(500_000, 600_000, 100), 1)
    least, most = (Quantile.extreme(low, 2**20, 1.0) for low in (True, False))
    for made, end in ((least, 500_000), (most, 600_000)):
        drawn = [made.release(cells) for _ in range(300)]
        assert np.median([abs(each.value - end) for each in drawn]) < 100 * 2 * made.depth
        assert sum(500_000 <= each.value < 600_000 for each in drawn) > 150
        assert {each.low if made is least else each.high for each in drawn} == {0 if made is least else 2**20 - 1}
    assert (least.share, most.share) == (Fraction(0), Fraction(1))


def test_an_extreme_of_few_values_is_aimed_at_their_middle() -> None:
    made = Quantile(Fraction(0), 1000, 50.0, sides=Fraction(0))
    assert made.depth >= 1
    assert {made.release({10: 1, 20: 30, 30: 1}).value for _ in range(20)} <= {10, 20, *range(11, 20)}


def test_no_values_at_all_is_fine() -> None:
    drawn = [Quantile(share, 100, 1.0).release({}) for share in SHARES for _ in range(60)]
    assert len({each.value for each in drawn}) > 50
    assert all(0 <= each.low <= each.value <= each.high <= 99 for each in drawn)
    assert Quantile(HALF, 1, 1.0).release({0: 3}).value == 0


@given(st.sampled_from(SHARES), st.floats(1e-6, 1e3), st.integers(1, 50), st.fractions(0, Fraction(9, 10)))
@settings(max_examples=200, deadline=None)
def test_no_release_costs_more_than_asked(share: Fraction, epsilon: float, rows: int, sides: Fraction) -> None:
    spent = Quantile(share, 1000, epsilon, rows, sides).loss().pure
    assert epsilon * (1 - 1e-9) <= spent <= epsilon
