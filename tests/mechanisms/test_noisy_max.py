"""Report noisy max, with exponential noise and with Laplace noise and the gap."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise, product

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.mechanisms import Grid, NoisyMax
from discreet.noise.bits import replayed
from discreet.privacy import PureLoss
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, GeneratorBits, chi_square_p

LAWS = {"exponential": laws.exponential_max, "laplace": laws.laplace_max}


@pytest.mark.many
@pytest.mark.parametrize("noise", ["exponential", "laplace"])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("scale", "sensitivity"), [(1.0, 1), (2.5, 2)])
def test_theorem_no_ratio_exceeds_epsilon(noise: str, scale: float, sensitivity: int, monotone: bool) -> None:
    loss, law = NoisyMax(scale, monotone, noise=noise).loss(sensitivity), LAWS[noise]
    for scores in product(range(3), repeat=3):
        for move in laws.moves(3, sensitivity, monotone):
            there = law(laws.moved(scores, move), scale)
            assert at_most(laws.worst_loss(law(scores, scale), there), loss.pure)
            for epsilon in (0.0, 0.5 * loss.pure, 0.95 * loss.pure):
                assert at_most(laws.hockey_stick(law(scores, scale), there, epsilon), loss.delta(epsilon).high)


@pytest.mark.parametrize("noise", ["exponential", "laplace"])
def test_theorem_epsilon_is_nearly_attained_by_a_far_candidate(noise: str) -> None:
    law = LAWS[noise]
    ratio = laws.worst_loss(law((0, 60), 1.0), law((1, 59), 1.0))
    assert float(ratio) == pytest.approx(NoisyMax(1.0, noise=noise).loss(1).pure, rel=0.05)


def test_the_laws_sum_to_one() -> None:
    for law in LAWS.values():
        for scores in [(0, 1, 3), (2, 2, 2), (0, 50, 51)]:
            assert math.fsum(float(p) for p in law(scores, 2.0)) == pytest.approx(1.0, abs=1e-14)


def test_two_candidates_with_laplace_noise_by_hand() -> None:
    """Pr[L0 - L1 > t] = e^-t (2 + t) / 4 for t >= 0."""
    losing = float(laws.laplace_max((0, 3), 2.0)[0])
    assert losing == pytest.approx(math.exp(-1.5) * (2 + 1.5) / 4, rel=1e-14)


@lru_cache
@exactly
def _with_gap(scores: tuple[int, ...], scale: float, longest: int) -> list[arb]:
    """Return Pr[winner, gap] for gaps 0 .. longest - 1 and "longest or more", winner by winner.

    A winner is ahead by at least g just when it would still win with g taken from its score.
    """
    found = []
    for i in range(len(scores)):
        handicapped = [(*scores[:i], scores[i] - gap, *scores[i + 1 :]) for gap in range(longest + 1)]
        reaches = [laws.laplace_max(lowered, scale)[i] for lowered in handicapped]
        found += [near - far for near, far in pairwise(reaches)] + [reaches[-1]]
    return found


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("sensitivity", [1, 2])
def test_theorem_the_gap_is_free(sensitivity: int, monotone: bool) -> None:
    pure = NoisyMax(1.5, monotone, noise="laplace").loss(sensitivity).pure
    for scores in [(0, 0), (0, 1), (0, 3), (2, 0)]:
        here = _with_gap(scores, 1.5, 10)
        for move in laws.moves(2, sensitivity, monotone):
            assert at_most(laws.worst_loss(here, _with_gap(laws.moved(scores, move), 1.5, 10)), pure)


@pytest.mark.parametrize("scores", [(0, 1, 2), (3, 0, 3)])
def test_theorem_the_gap_is_free_among_three(scores: tuple[int, ...]) -> None:
    here, pure = _with_gap(scores, 1.5, 6), NoisyMax(1.5, noise="laplace").loss(1).pure
    for move in laws.moves(3, 1, monotone=False):
        assert at_most(laws.worst_loss(here, _with_gap(laws.moved(scores, move), 1.5, 6)), pure)


def test_the_gap_is_refused_with_exponential_noise() -> None:
    with pytest.raises(ParameterError, match="noise must be 'laplace' to release the gap"):
        NoisyMax(1.0).release_with_gap([1, 2])


def test_the_gap_would_not_be_free_with_exponential_noise() -> None:
    """A winner that was behind by 3 cannot be ahead on the neighbour by a gap that its noise has no room for."""

    def ahead(scores: tuple[int, int], gap: int) -> float:
        return float(laws.exponential_max((scores[0] - gap, scores[1]), 1.0)[0])

    here = ahead((0, 0), 4) - ahead((0, 0), 5)
    there = ahead((-1, 1), 4) - ahead((-1, 1), 5)
    assert here / there == pytest.approx(math.exp(2), rel=1e-12)


FLAT = 150
"""So many losers that the winner's share turns on the scale."""

SCORES = [0] * FLAT + [2, 14]


def _collapsed(law: laws.Law) -> NDArray[np.float64]:
    chances = [float(p) for p in law]
    return np.array([math.fsum(chances[:FLAT]), *chances[FLAT:]])


@pytest.mark.many
@pytest.mark.parametrize("noise", ["exponential", "laplace"])
@pytest.mark.parametrize(("draws", "off"), [(6_000, 1.1), pytest.param(18_000, 1.05, marks=pytest.mark.long)])
def test_sampler_draws_these_probabilities_and_not_those_off(noise: str, draws: int, off: float) -> None:
    scale = 3.0
    made, law = NoisyMax(scale, noise=noise), LAWS[noise]
    told = np.array([made.release(np.array(SCORES)) for _ in range(draws)])
    seen = np.bincount(np.maximum(told - FLAT + 1, 0), minlength=3)
    assert chi_square_p(seen, _collapsed(law(tuple(SCORES), scale))) > ALARM
    assert chi_square_p(seen, _collapsed(law(tuple(SCORES), scale * off))) < ALARM
    assert chi_square_p(seen, _collapsed(law(tuple(SCORES), scale / off))) < ALARM


@pytest.mark.parametrize(("draws", "off"), [(8_000, 1.2), pytest.param(80_000, 1.05, marks=pytest.mark.long)])
def test_sampler_of_the_gap_draws_these_probabilities_and_not_those_off(draws: int, off: float) -> None:
    made, longest = NoisyMax(1.5, noise="laplace"), 12
    seen = np.zeros(2 * (longest + 1), dtype=np.int64)
    for _ in range(draws):
        winner, gap = made.release_with_gap([3, 4])
        seen[winner * (longest + 1) + min(gap, longest)] += 1
    for factor, agrees in ((1.0, True), (off, False), (1 / off, False)):
        law = np.array([float(p) for p in _with_gap((3, 4), 1.5 * factor, longest)])
        assert (chi_square_p(seen, law) > ALARM) is agrees


def test_with_gap_calibrates_laplace_noise() -> None:
    made = NoisyMax.with_gap(0.5, 2, monotone=True)
    assert made == NoisyMax(4.0, monotone=True, noise="laplace")
    assert made.loss(2) == PureLoss(0.5)


def test_the_gap_is_in_the_units_of_the_scores() -> None:
    winner, gap = NoisyMax.with_gap(1e6, grid=Grid(0.5)).release_with_gap([10.0, 100.0])
    assert winner == 1
    assert gap == pytest.approx(90.0, abs=0.5)


@pytest.mark.parametrize("noise", ["Laplace", "gumbel", "", None])
def test_other_noises_are_refused(noise: str) -> None:
    with pytest.raises(ParameterError, match="noise must be one of 'exponential', 'laplace'"):
        NoisyMax(1.0, noise=noise)


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-2, 2)), min_size=2, max_size=6), st.integers(0, 99))
@settings(max_examples=100, deadline=None)
def test_replayed_neighbours_change_the_gap_by_at_most_twice_the_sensitivity(
    moves: list[tuple[int, int]], seed: int
) -> None:
    here, there = [score for score, _ in moves], [score + move for score, move in moves]
    made, told = NoisyMax(3.0, noise="laplace"), []
    for scores in (here, there):
        with replayed(GeneratorBits(seed)):
            told.append(made.release_with_gap(scores))
    (winner, gap), (other, other_gap) = told
    if winner == other:
        assert abs(gap - other_gap) <= 2 * 2
    else:
        assert gap + other_gap <= 2 * 2
