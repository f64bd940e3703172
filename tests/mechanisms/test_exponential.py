"""The exponential mechanism, over lists and over huge ranges."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.mechanisms import Exponential
from discreet.noise.bits import replayed
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, GeneratorBits, chi_square_p


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("scale", "sensitivity"), [(1.0, 1), (3.0, 1), (2.5, 2)])
def test_theorem_no_ratio_exceeds_epsilon(scale: float, sensitivity: int, monotone: bool) -> None:
    pure = Exponential(scale, monotone).loss(sensitivity).pure
    for scores in product(range(3), repeat=3):
        here = laws.softmax(scores, scale)
        for move in laws.moves(3, sensitivity, monotone):
            assert at_most(laws.worst_loss(here, laws.softmax(laws.moved(scores, move), scale)), pure)


@exactly
def _range(first: laws.Law, second: laws.Law) -> object:
    least, greatest = laws.loss_range(first, second)
    return greatest - least


@pytest.mark.parametrize("monotone", [False, True])
def test_theorem_the_loss_has_bounded_range_and_its_curve_covers(monotone: bool) -> None:
    loss = Exponential(1.5, monotone).loss(1)
    epsilons = [0.0, 0.01, 0.5 * loss.pure, 0.9 * loss.pure, loss.pure, loss.pure + 0.1]
    highs = [loss.delta(epsilon).high for epsilon in epsilons]
    for scores in product(range(3), repeat=3):
        here = laws.softmax(scores, 1.5)
        for move in laws.moves(3, 1, monotone):
            there = laws.softmax(laws.moved(scores, move), 1.5)
            assert at_most(_range(here, there), loss.pure)  # type: ignore[arg-type]
            for epsilon, high in zip(epsilons, highs, strict=True):
                assert at_most(laws.hockey_stick(here, there, epsilon), high)


def test_theorem_the_range_is_attained() -> None:
    first, second = laws.softmax((0, 1), 1.5), laws.softmax((1, 0), 1.5)
    assert float(_range(first, second)) == pytest.approx(Exponential(1.5).loss(1).pure, rel=1e-12)  # type: ignore[arg-type]


FLAT = 800
"""So many losers that the winner's share turns on the scale: a 5 % error moves it by 8 points."""


def _wins(made: Exponential, draws: int) -> NDArray[np.int64]:
    scores = np.array([0] * FLAT + [3, 13, 14])
    told = np.array([made.release(scores) for _ in range(draws)])
    return np.bincount(np.maximum(told - FLAT + 1, 0), minlength=4)


def _law(scale: float) -> NDArray[np.float64]:
    return np.array([float(p) for p in laws.softmax([0, 3, 13, 14], scale, [FLAT, 1, 1, 1])])


def test_sampler_draws_these_probabilities_and_not_those_5_percent_off() -> None:
    seen = _wins(Exponential(2.0), 10_000)
    assert chi_square_p(seen, _law(2.0)) > ALARM
    assert chi_square_p(seen, _law(2.1)) < ALARM
    assert chi_square_p(seen, _law(2.0 / 1.05)) < ALARM


BIDS = [100, 100, 100, 401]
PRICES = [100, 101, 401, 402]
EYES = [3, 3, 2, 1, 1]


def _revenue(price: int) -> int:
    return price * sum(bid >= price for bid in BIDS)


def test_apples_sell_at_one_price_or_the_other() -> None:
    assert [_revenue(price) for price in PRICES] == [400, 101, 401, 0]


@pytest.mark.many
@pytest.mark.parametrize(
    ("scores", "scale"),
    [([_revenue(price) for price in PRICES], 100.0), ([_revenue(price) for price in range(500)], 40.0), (EYES, 1.0)],
    ids=["apples at four prices", "apples at every price", "eye colours"],
)
def test_theorem_accuracy_of_the_examples(scores: list[int], scale: float) -> None:
    made, law = Exponential(scale), laws.softmax(scores, scale)
    told = [scores[made.release(np.array(scores))] for _ in range(3_000)]
    best = scores.count(max(scores))
    for t in (0.0, 0.5, 1.0, 2.0, 4.0):
        bound = max(scores) - scale * (math.log(len(scores) / best) + t)
        assert sum(float(p) for s, p in zip(scores, law, strict=True) if s <= bound) <= math.exp(-t)
        bad = sum(score <= bound for score in told)
        assert laws.binomial_excess_p(bad, len(told), math.exp(-t)) > ALARM


@pytest.mark.parametrize("best", [1, 2])
def test_shortfall_is_the_theorem_by_hand(best: int) -> None:
    expected = 3.0 * (math.log(20 / best) + math.log(1 / 0.01))
    assert Exponential(3.0).shortfall(0.99, 20, best) == pytest.approx(expected, rel=1e-14)


def _median_pieces(data: list[int], top: int) -> tuple[list[int], list[int]]:
    """Score a value by how far it is from the middle rank: constant between data points."""
    edges = [0, *sorted(data), top]
    return edges, [-abs(2 * rank - len(data)) for rank in range(len(data) + 1)]


@pytest.mark.many
@pytest.mark.parametrize("top", [2**64, 10**30])
def test_a_huge_range_is_chosen_by_the_exact_weight_of_its_pieces(top: int) -> None:
    edges, scores = _median_pieces([top // 1000, top // 999, top // 500, top // 3], top)
    scale = 1.0
    widths = [after - before for before, after in pairwise(edges)]
    law = np.array([float(p) for p in laws.softmax(scores, scale, widths)])
    told = [Exponential(scale).release_from(edges, scores) for _ in range(20_000)]
    pieces = np.array([sum(value >= edge for edge in edges) - 1 for value in told])
    assert chi_square_p(np.bincount(pieces, minlength=len(widths)), law) > ALARM
    last = [value for value in told if value >= edges[-2]]
    assert len(last) > 1000
    tenths = np.array([10 * (value - edges[-2]) // widths[-1] for value in last])
    assert chi_square_p(np.bincount(tenths, minlength=10), np.full(10, 0.1)) > ALARM


@pytest.mark.many
@pytest.mark.parametrize(("scale", "agrees"), [(1.0, True), (1.05, False), (1 / 1.05, False)])
def test_a_huge_range_notices_a_scale_5_percent_off(scale: float, agrees: bool) -> None:
    edges, scores, made = [0, 1, 2**64], [44, 0], Exponential(scale)
    law = np.array([float(p) for p in laws.softmax(scores, 1.0, [1, 2**64 - 1])])
    first = sum(made.release_from(edges, scores) == 0 for _ in range(4_000))
    assert (chi_square_p(np.array([first, 4_000 - first]), law) > ALARM) is agrees


def test_the_work_is_in_the_pieces_and_not_in_their_width() -> None:
    taken = {}
    for power in (20, 200):
        bits = GeneratorBits(1)
        with replayed(bits):
            for _ in range(50):
                Exponential(1.0).release_from([0, 2 ** (power - 1), 2**power], [0, 1])
        taken[power] = bits.taken / 50
    assert taken[20] <= 4
    assert taken[200] <= taken[20] + 200 / 64 + 1


def test_empty_pieces_are_never_chosen() -> None:
    told = {Exponential(1.0).release_from([5, 5, 7, 7, 8, 8], [10**6, 0, 10**6, 0, 10**6]) for _ in range(300)}
    assert told == {5, 6, 7}


def test_a_single_integer_is_always_chosen() -> None:
    assert Exponential(1.0).release_from([41, 42], [7]) == 41
    assert Exponential(1.0).release_from([-(10**40), 1 - 10**40], [7]) == -(10**40)


def test_inner_edges_out_of_order_or_of_range_make_empty_pieces() -> None:
    made = Exponential(1e-3)
    assert {made.release_from([0, 5, 2, 9], [0, 9, 0]) for _ in range(300)} == {0, 1, 2, 3, 4, 5, 6, 7, 8}
    assert {made.release_from([0, 50, 9], [0, 9]) for _ in range(300)} == set(range(9))
    assert {made.release_from([0, -50, 9], [9, 0]) for _ in range(300)} == set(range(9))


@pytest.mark.parametrize(
    ("edges", "scores"),
    [([0, 1, 2], [1]), ([0], []), ([], [1]), ([3, 2], [1]), ([3, 3], [1]), ([0.5, 1], [1]), ([3, 9, 3], [1, 2])],
)
def test_edges_that_make_no_range_are_refused(edges: list[int], scores: list[int]) -> None:
    with pytest.raises(ParameterError, match=r"^(edges|scores) must be"):
        Exponential(1.0).release_from(edges, scores)


def test_several_are_chosen_one_after_the_other_and_none_twice() -> None:
    """The law of two rounds without the first: that of the two largest scores with Gumbel noise added once."""
    weights = [math.exp(each / 2) for each in (0, 1, 3)]
    seen = Counter(Exponential(2.0).release_several([0, 1, 3], 2) for _ in range(3000))
    for first, second in itertools.permutations(range(3), 2):
        chance = weights[first] / sum(weights) * weights[second] / (sum(weights) - weights[first])
        assert abs(seen[first, second] - 3000 * chance) < 7 * math.sqrt(3000 * chance * (1 - chance))
    assert sum(seen.values()) == 3000
    assert sorted(Exponential(2.0).release_several([5, 2**90, -3], 3)) == [0, 1, 2]
    for count in (0, 4, 1.5):
        with pytest.raises(ParameterError):
            Exponential(2.0).release_several([1, 2, 3], count)  # type: ignore[arg-type]
