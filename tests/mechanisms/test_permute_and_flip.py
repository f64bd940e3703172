"""Permute-and-flip: private, and never worse than the exponential mechanism."""

from __future__ import annotations

import math
from itertools import permutations, product

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from discreet.mechanisms import PermuteAndFlip
from support import laws
from support.laws import at_most, ball, exactly
from support.sampling import ALARM, chi_square_p


@exactly
def _by_every_order(scores: tuple[int, ...], scale: float) -> list[arb]:
    """Follow the definition: every order of visits, each candidate's coin in turn, the first head is chosen."""
    coins = [(ball(score - max(scores)) / ball(scale)).exp() for score in scores]
    chances = [arb(0) for _ in scores]
    for order in permutations(range(len(scores))):
        reached = arb(1)
        for candidate in order:
            chances[candidate] += reached * coins[candidate]
            reached *= 1 - coins[candidate]
    return [chance / math.factorial(len(scores)) for chance in chances]


def _by_every_set(scores: tuple[int, ...], scale: float) -> list[float]:
    """Sum over every set of heads: one of them, evenly."""
    coins = [math.exp((score - max(scores)) / scale) for score in scores]
    chances = [0.0 for _ in scores]
    for heads in product([False, True], repeat=len(scores)):
        chance = math.prod(c if head else 1 - c for c, head in zip(coins, heads, strict=True))
        for i, head in enumerate(heads):
            chances[i] += chance / max(sum(heads), 1) if head else 0.0
    return chances


@pytest.mark.parametrize("scores", [(0, 1, 3), (2, 2, 2), (0, 0, 5, 6), (9, 1, 4, 4, 0)])
def test_the_law_is_the_definition(scores: tuple[int, ...]) -> None:
    law = laws.permute_and_flip(scores, 2.0)
    assert all(a.overlaps(b) for a, b in zip(law, _by_every_order(scores, 2.0), strict=True))
    assert [float(p) for p in law] == pytest.approx(_by_every_set(scores, 2.0), abs=1e-14)


@pytest.mark.many
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("scale", "sensitivity"), [(1.0, 1), (3.0, 1), (2.5, 2)])
def test_theorem_no_ratio_exceeds_epsilon(scale: float, sensitivity: int, monotone: bool) -> None:
    loss = PermuteAndFlip(scale, monotone).loss(sensitivity)
    for scores in product(range(3), repeat=3):
        here = laws.permute_and_flip(scores, scale)
        for move in laws.moves(3, sensitivity, monotone):
            there = laws.permute_and_flip(laws.moved(scores, move), scale)
            assert at_most(laws.worst_loss(here, there), loss.pure)
            for epsilon in (0.0, 0.5 * loss.pure, 0.95 * loss.pure):
                assert at_most(laws.hockey_stick(here, there, epsilon), loss.delta(epsilon).high)


def test_theorem_epsilon_is_nearly_attained() -> None:
    ratio = laws.worst_loss(laws.permute_and_flip((0, 30), 1.0), laws.permute_and_flip((1, 29), 1.0))
    assert float(ratio) == pytest.approx(PermuteAndFlip(1.0).loss(1).pure, rel=1e-6)


def test_its_loss_is_not_of_bounded_range() -> None:
    """Some neighbours move the loss by more than epsilon, so it must not be charged as the exponential mechanism."""
    widest = 0.0
    for scores in product(range(4), repeat=2):
        for move in laws.moves(2, 1, monotone=False):
            there = laws.permute_and_flip(laws.moved(scores, move), 1.0)
            least, greatest = laws.loss_range(laws.permute_and_flip(scores, 1.0), there)
            widest = max(widest, float(greatest) - float(least))
    assert widest > PermuteAndFlip(1.0).loss(1).pure * 1.05


def _expected_error(law: laws.Law, scores: tuple[int, ...]) -> float:
    return math.fsum(float(p) * (max(scores) - score) for p, score in zip(law, scores, strict=True))


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.0])
def test_theorem_it_never_errs_more_than_the_exponential_mechanism(scale: float) -> None:
    for scores in product(range(5), repeat=3):
        flipped = _expected_error(laws.permute_and_flip(scores, scale), scores)
        assert flipped <= _expected_error(laws.softmax(scores, scale), scores) * (1 + 1e-14)


def test_it_errs_up_to_half_as_much() -> None:
    scores = (0, 20)
    flipped = _expected_error(laws.permute_and_flip(scores, 1.0), scores)
    assert flipped == pytest.approx(_expected_error(laws.softmax(scores, 1.0), scores) / 2, rel=1e-6)


FLAT = 60
SCORES = (*[0] * FLAT, 2, 12)


def _collapsed(scale: float) -> NDArray[np.float64]:
    chances = [float(p) for p in laws.exponential_max(SCORES, scale)]
    return np.array([math.fsum(chances[:FLAT]), *chances[FLAT:]])


@pytest.mark.parametrize(("draws", "off"), [(6_000, 1.1), pytest.param(18_000, 1.05, marks=pytest.mark.long)])
def test_sampler_draws_these_probabilities_and_not_those_off(draws: int, off: float) -> None:
    made = PermuteAndFlip(3.0)
    told = np.array([made.release(np.array(SCORES)) for _ in range(draws)])
    seen = np.bincount(np.maximum(told - FLAT + 1, 0), minlength=3)
    assert chi_square_p(seen, _collapsed(3.0)) > ALARM
    assert chi_square_p(seen, _collapsed(3.0 * off)) < ALARM
    assert chi_square_p(seen, _collapsed(3.0 / off)) < ALARM
