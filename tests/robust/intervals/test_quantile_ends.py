"""Intervals of quantiles from noisy counts: the tails are bounds, and sampling and noise are covered together."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.base.grid import Floats
from discreet.robust.intervals import quantile_ends
from discreet.robust.intervals.quantile_ends import (
    CountedPieces,
    bound_binomial_tail,
    bound_far_edges,
    bound_population_quantile,
    bound_population_quantiles,
    list_piece_edges,
)
from support import laws

HALF = Fraction(1, 2)
POINTS = 10_001
RUNS = 100
ALLOWED = 0.94 - 4 * np.sqrt(0.05 * 0.95 / RUNS)
"""The least share covered that a true 94 % leaves possible; seeds are fixed."""

Draw = Callable[[np.random.Generator, int], Floats]

KINDS: dict[str, tuple[Draw, Callable[[float], float]]] = {
    "normal": (lambda rng, n: rng.normal(50, 10, n), lambda p: float(stats.norm(50, 10).ppf(p))),
    "lognormal": (lambda rng, n: rng.lognormal(3, 1, n), lambda p: float(stats.lognorm(1, scale=np.exp(3)).ppf(p))),
    "heavy-tailed": (lambda rng, n: 50 + 2 * rng.standard_t(1, n), lambda p: 50 + 2 * float(stats.t(1).ppf(p))),
    "discrete": (lambda rng, n: (rng.poisson(3, n) * 10).astype(float), lambda p: 10 * float(stats.poisson(3).ppf(p))),
}
"""How values between 0 and 100 are drawn, and their quantiles; what is beyond is clamped."""


def to_points(values: Floats) -> Floats:
    return np.clip(np.floor(np.asarray(values) * (POINTS - 1) / 100 + 0.5), 0, POINTS - 1)


def count_people(points: Floats, drawn: int, scale: float, rng: np.random.Generator) -> CountedPieces:
    """Return counts around a point, with noise as the desk would add it."""
    edges = list_piece_edges(drawn, POINTS)
    exact = np.diff([0, *np.searchsorted(np.sort(points), edges), len(points)])
    noisy = exact + np.round(rng.laplace(0, scale, len(exact)))
    return CountedPieces(POINTS, edges, tuple(int(each) for each in noisy), scale)


@pytest.mark.many
@pytest.mark.parametrize("share", [0.01, 0.25, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("people", [1, 2, 7, 40, 300, 2_000])
def test_theorem_binomial_tails_are_bounded_for_all_numbers_up_to_the_greatest(share: float, people: int) -> None:
    counts = np.arange(people + 1).astype(np.float64)
    exact = stats.binom.cdf(counts, people, share)
    for most in (people, people + 1, people + 10.5, 3 * people):
        assert np.all(exact <= bound_binomial_tail(share * people - counts, most, share) + 1e-12)
    near = bound_binomial_tail(share * people - counts + 1, people, share)
    assert np.all(near[counts <= share * people] <= exact[counts <= share * people] + 1e-9), "one rank more at most"


@pytest.mark.parametrize("share", [HALF, Fraction(9, 10)])
@pytest.mark.parametrize(("people", "scale"), [(30, 0.7), (30, 4.0), (200, 2.0)])
def test_theorem_sampling_and_noise_together_are_explained(share: Fraction, people: int, scale: float) -> None:
    """Against the exact law of a binomial plus noises with the factors of an edge: two pieces below, one above."""
    over, under, reach = share.denominator - share.numerator, share.numerator, int(60 * scale)
    one = laws.laplace(scale, 1e-15).floats(reach)
    exact = np.zeros(people * share.denominator + 1)
    exact[:: share.denominator] = stats.binom.pmf(np.arange(people + 1), people, float(share))
    for factor in (over, over, under):
        spread = np.zeros(2 * reach * factor + 1)
        spread[::factor] = one
        exact = np.convolve(exact, spread)
    first = -people * under - reach * (2 * over + under)  # of (1 - share) * below - share * above, times denominator
    law, far = quantile_ends._pool_law(scale, over, 2, under, 1), 0
    for rank in range(0, int(9 * share.denominator * (people**0.5 + scale)), 3):
        true = float(exact[: max(-rank - first + 1, 0)].sum())
        told = float(quantile_ends._explain(np.array([float(rank)]), law, np.array([float(people)]), share)[0])
        assert true <= told <= max(12 * true, 1e-4)
        quick = float(bound_far_edges(np.array([0.0, -rank]), scale, (over, under), people)[1])
        assert true <= np.exp(quick) + 1e-14, "what far edges are passed by with is a bound as well"
        far += bool(np.exp(quick) < 0.001)
    assert far, "and it tells that edges are far"


@pytest.mark.parametrize(("people", "scale"), [(30, 4.0), (2_000, 1.5)])
def test_theorem_far_edges_among_many_are_bounded(people: int, scale: float) -> None:
    """The law of a median's rank at an edge of 70 pieces: twice a binomial, and 70 noises."""
    size = 1 << 14
    around = np.minimum(np.arange(size), size - np.arange(size))
    one = np.exp(-around / scale) * np.tanh(1 / (2 * scale))
    drawn = np.zeros(size)
    drawn[(2 * np.arange(people + 1) - people) % size] = stats.binom.pmf(np.arange(people + 1), people, 0.5)
    law = np.fft.irfft(np.fft.rfft(one) ** 70 * np.fft.rfft(drawn), size)
    tails = np.cumsum(np.roll(law, size // 2))[: size // 2][::-1]  # of -1 or less, of -2 or less, and so on
    for rank in range(50, 500, 10):
        quick = np.exp(bound_far_edges(np.full(69, -float(rank)), scale, (1, 1), people))
        assert quick.max() == pytest.approx(quick.min()), "with equal factors all edges are alike"
        assert tails[rank - 1] <= quick[40] + 1e-12
        assert quick[40] <= 20 * tails[rank - 1] + 1e-5


@pytest.mark.many
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("people", "scale", "share"), [(200, 6.0, 0.5), (1_000, 1.4, 0.9)])
def test_intervals_cover_sampling_and_noise_together(kind: str, people: int, scale: float, share: float) -> None:
    rng = np.random.default_rng(people)
    draw, find = KINDS[kind]
    truth, covered, exact = float(to_points(np.array(find(share)))), 0, Fraction(str(share))
    for _ in range(RUNS):
        points = to_points(draw(rng, people))
        near = np.sort(points)[int(np.clip(share * people + rng.laplace(0, 4 * scale), 0, people - 1))]
        ends = bound_population_quantile(count_people(points, int(near), scale, rng), exact, 0.05)
        covered += ends.low <= truth <= ends.high
    assert covered / RUNS >= ALLOWED


@pytest.mark.slow
def test_an_interval_is_little_wider_than_without_noise_and_needs_no_narrow_bounds() -> None:
    rng, people = np.random.default_rng(5), 10_000
    for narrow in (1.0, 0.01):
        widths, plain = [], []
        for _ in range(20):
            points = np.sort(to_points(rng.normal(50, 10, people) * narrow))
            found = count_people(points, int(points[people // 2 + 10]), 4 / 3, rng)
            ends = bound_population_quantile(found, HALF, 0.05)
            widths.append(ends.high - ends.low)
            plain.append(points[5_098] - points[4_902])
        assert np.mean(widths) < 2 * np.mean(plain) + 2


def test_an_end_is_told_only_if_all_edges_beyond_it_are() -> None:
    """Noise that brings one edge far down must not make it the low end, where one before it says otherwise."""
    edges, counts = (10, 20, 30, 40), (400, 600, -900, 0, 1_900)
    ends = bound_population_quantile(CountedPieces(50, edges, counts, 1.0), HALF, 0.05)
    assert (ends.low, ends.told_low) == (10, True)
    turned = bound_population_quantile(CountedPieces(50, edges, (1_900, 0, -900, 600, 400), 1.0), HALF, 0.05)
    assert (turned.high, turned.told_high) == (39, True)
    blocked = bound_population_quantile(CountedPieces(50, edges, (1_000, -900, 0, 0, 1_900), 1.0), HALF, 0.05)
    assert (blocked.low, blocked.told_low) == (0, False), "the first edge says that half of all are below it"


def test_runs_together_have_the_ends_that_each_has_alone() -> None:
    """`bench/robust.py` measures many runs at once; what others hold must not matter."""
    rng, share = np.random.default_rng(11), Fraction(9, 10)
    runs = []
    for people, scale in ((40, 4.0), (2_000, 4.0), (2_000, 4.0), (30_000, 4.0)):
        points = to_points(rng.normal(50, 10, people))
        runs.append(count_people(points, int(np.quantile(points, 0.9)) + int(rng.integers(-20, 20)), scale, rng))
    runs.append(CountedPieces(POINTS, runs[0].edges, tuple(runs[0].counts[::-1]), 4.0))
    together = bound_population_quantiles(runs, share, 0.05)
    assert together == [bound_population_quantile(each, share, 0.05) for each in runs]
    assert len({(ends.told_low, ends.told_high) for ends in together}) > 1, "some of these have one end, or none"


def test_an_end_beyond_which_too_few_lie_is_not_told() -> None:
    found = CountedPieces(50, (10, 20, 30, 40), (100, 200, 400, 200, 0), 1.0)
    ends = bound_population_quantile(found, Fraction(999, 1000), 0.05)
    assert (ends.low, ends.told_low, ends.high, ends.told_high) == (30, True, 49, False)
    few = bound_population_quantile(CountedPieces(50, (10, 20, 30, 40), (0, 3, 5, 3, 0), 4.0), HALF, 0.05)
    assert (few.low, few.told_low, few.high, few.told_high) == (0, False, 49, False)


def test_people_are_taken_to_be_as_many_as_their_noise_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []

    def explain(ranks: Floats, law: object, people: Floats, share: Fraction) -> Floats:
        seen.extend(people.tolist())
        return np.ones_like(ranks)

    monkeypatch.setattr(quantile_ends, "_explain", explain)
    found = CountedPieces(50, (10, 20), (30, 40, 30), 5.0)
    ends = bound_population_quantile(found, HALF, 0.05)
    assert min(seen) >= 100 + found.bound_total(0.005) > 100 + 2.5 * 5 * 1.4 * 3**0.5
    assert (ends.low, ends.high) == (0, 49)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 30), st.data(), st.sampled_from([0.01, 1.0, 1e6]), st.sampled_from(["1/2", "999/1000", "1/7"]))
def test_no_counts_whatever_they_are_raise(drawn: int, data: st.DataObject, scale: float, share: str) -> None:
    edges = list_piece_edges(drawn, 31)
    count = st.integers(-(10**12), 10**12)
    counts = tuple(data.draw(st.lists(count, min_size=len(edges) + 1, max_size=len(edges) + 1)))
    ends = bound_population_quantile(CountedPieces(31, edges, counts, scale), Fraction(share), 0.05)
    assert 0 <= ends.low <= ends.high <= 30


@pytest.mark.parametrize(("drawn", "points"), [(0, 2), (1, 2), (0, 1), (0, 10**15), (10**15 - 1, 10**15), (7, 9)])
def test_edges_cut_the_whole_line_into_few_pieces(drawn: int, points: int) -> None:
    edges = list_piece_edges(drawn, points)
    assert list(edges) == sorted(set(edges))
    assert all(0 < edge < points for edge in edges)
    assert {each for each in (drawn, drawn + 1) if 0 < each < points} <= set(edges)
    assert len(edges) < 400


def test_the_example_in_the_docstring_is_true() -> None:
    assert doctest.testmod(quantile_ends) == (0, 1)
