"""The noisy argmax picks each candidate with exactly its probability, near ties and huge scores included."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.noise import exponential_argmax, gumbel_argmax, laplace_argmax, race
from discreet.noise.bits import replayed
from discreet.noise.interval import Prefix
from discreet.noise.race import _enclose_greatest, _estimate_greatest
from support import laws
from support.sampling import ALARM, GeneratorBits, ScriptedBits, binary_digits, chi_square_p

DRAWS = 30_000
SOME_AND_MANY = [(DRAWS, 1.25), pytest.param(10**5, 1.1, marks=pytest.mark.long)]
"""So many draws notice a scale that is wrong by such a factor, but for a chance of 1e-12 or less."""

FEW_AND_MANY = [(DRAWS // 2, 1.4), SOME_AND_MANY[1]]

TOP = 2**64 - 1
HALF = 2**63

Pick = Callable[..., Any]


def winner(pick: Pick, *arguments: Any) -> int:
    found = pick(*arguments)
    return int(found[0]) if isinstance(found, tuple) else int(found)


def wins(pick: Pick, count: int, *arguments: Any) -> NDArray[np.int64]:
    scores, *others = arguments
    given = np.array(scores)
    return np.bincount([winner(pick, given, *others) for _ in range(count)], minlength=len(given))


def softmax(scores: list[int], scale: float, weights: list[int]) -> NDArray[np.float64]:
    mass = np.array([weight * math.exp(score / scale) for score, weight in zip(scores, weights, strict=True)])
    return np.asarray(mass / mass.sum(), dtype=np.float64)


def permute_and_flip(scores: list[int], scale: float) -> NDArray[np.float64]:
    """The closed form for three candidates: p_i (1 - (p_j + p_k) / 2 + p_j p_k / 3), p = exp(-behind / scale)."""
    p = [math.exp((score - max(scores)) / scale) for score in scores]
    others = [(p[1], p[2]), (p[0], p[2]), (p[0], p[1])]
    return np.array([p[i] * (1 - (j + k) / 2 + j * k / 3) for i, (j, k) in enumerate(others)])


@pytest.mark.parametrize(("draws", "off"), SOME_AND_MANY)
def test_gumbel_winners_follow_the_softmax_with_weights(draws: int, off: float) -> None:
    scores, weights = [0, 3, 5, -2, 4], [4, 2, 1, 10**3, 1]
    observed = wins(gumbel_argmax, draws, scores, 2.5, weights)
    assert chi_square_p(observed, softmax(scores, 2.5, weights)) >= ALARM
    assert chi_square_p(observed, softmax(scores, 2.5 * off, weights)) < ALARM
    assert chi_square_p(observed, softmax(scores, 2.5, [1] * 5)) < ALARM


@pytest.mark.parametrize(("draws", "off"), FEW_AND_MANY)
def test_exponential_winners_follow_permute_and_flip(draws: int, off: float) -> None:
    scores = [0, 3, 2]
    assert permute_and_flip(scores, 2.0).sum() == pytest.approx(1)
    observed = wins(exponential_argmax, draws, scores, 2.0)
    assert chi_square_p(observed, permute_and_flip(scores, 2.0)) >= ALARM
    assert chi_square_p(observed, permute_and_flip(scores, 2.0 * off)) < ALARM


def lead_at_least(scores: list[int], scale: float, first: int, lead: int) -> float:
    """Integrate, over the winner's place x, its density times the chance that all others are below x - lead."""
    nodes, node_weights = np.polynomial.legendre.leggauss(40)
    others = [score for index, score in enumerate(scores) if index != first]
    kinks = {float(scores[first])} | {float(score + lead) for score in others}
    reach = np.arange(min(kinks) - 40 * scale, max(kinks) + 40 * scale, scale).tolist()
    total = 0.0
    for left, right in pairwise(sorted(kinks | set(reach))):
        x = (left + right) / 2 + nodes * (right - left) / 2
        value = np.exp(-np.abs(x - scores[first]) / scale) / (2 * scale)
        for score in others:
            z = (x - lead - score) / scale
            value = value * np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)
        total += float(np.sum(node_weights * value)) * (right - left) / 2
    return total


def lead_law(scores: list[int], scale: float, most: int) -> NDArray[np.float64]:
    """Return the probabilities of (winner, lead) for leads 0 to most - 1 and for `most` or more."""
    rows = []
    for first in range(len(scores)):
        tail = [lead_at_least(scores, scale, first, lead) for lead in range(most + 1)]
        rows.append([*(a - b for a, b in pairwise(tail)), tail[-1]])
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize(("draws", "off"), FEW_AND_MANY)
def test_laplace_winners_and_leads_follow_the_exact_integral(draws: int, off: float) -> None:
    scores, scale, most = [0, 2, 3], 2.0, 15
    law = lead_law(scores, scale, most)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    given = np.array(scores)
    found = [laplace_argmax(given, scale) for _ in range(draws)]
    observed = np.zeros(law.shape, dtype=np.int64)
    for first, lead in found:
        observed[first, min(lead, most)] += 1
    assert chi_square_p(observed.ravel(), law.ravel()) >= ALARM
    assert chi_square_p(observed.ravel(), lead_law(scores, scale * off, most).ravel()) < ALARM


@pytest.mark.slow
def test_equal_scores_win_equally_often() -> None:
    for pick in (gumbel_argmax, exponential_argmax, laplace_argmax):
        assert chi_square_p(wins(pick, 5_000, [7, 7, 7, 7], 0.5), np.full(4, 0.25)) >= ALARM


PICKS: list[Any] = [gumbel_argmax, exponential_argmax, laplace_argmax]


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize("word", [2**20, 2**40, 2**62, 3 * 2**60, 2**62 + 2**61, HALF - 1])
def test_equal_first_words_are_decided_by_the_next_ones_either_way(pick: Pick, word: int) -> None:
    """A smaller uniform real is a greater noise, in all three races."""
    for extension, expected in (([5, 6], 0), ([6, 5], 1), ([9, 9, 1, 2], 0), ([9, 9, 2, 1], 1)):
        with replayed(source := ScriptedBits([word, word, *extension, *[HALF] * 8])):
            assert winner(pick, [4, 4], 1.0) == expected
        assert source.taken >= 2 + len(extension)


def test_negative_laplace_noises_are_decided_the_other_way_round() -> None:
    for extension, expected in (([5, 6], 1), ([6, 5], 0)):
        with replayed(ScriptedBits([HALF + 77777777, HALF + 77777777, *extension, *[HALF] * 4])):
            assert winner(laplace_argmax, [4, 4], 1.0) == expected


@pytest.mark.parametrize(("pick", "words"), [(gumbel_argmax, [0, HALF]), (exponential_argmax, [0, HALF])])
def test_a_word_of_zeros_is_a_noise_not_yet_bounded(pick: Pick, words: list[int]) -> None:
    with replayed(ScriptedBits([*words, 1, HALF])):
        assert pick([0, 0], 1.0) == 0
    with replayed(ScriptedBits([*words, 1, HALF])):
        assert pick([0, 100], 1.0) == 1  # -ln 2^-128 is about 88.7


def test_a_topmost_word_is_the_smallest_gumbel_noise() -> None:
    with replayed(ScriptedBits([TOP, TOP - 2**20, 2**20, 7, 8, 9, *[HALF] * 6])):
        assert gumbel_argmax(as_scores([0, 0, -30]), 1.0) == 2
    with replayed(ScriptedBits([TOP, TOP - 2**20, 7, 8, *[HALF] * 4])):
        assert gumbel_argmax(as_scores([0, 0]), 1.0) == 1


def as_scores(scores: list[int]) -> Any:
    return scores


def test_weights_count_in_a_tie_that_balls_decide() -> None:
    """Both words are too small for floats. Gumbel noises of u and 3 u differ by ln 3 nearly: weight 3 makes up."""
    for weights, expected in (([1, 2], 0), ([1, 3], 1), ([1, 4], 1), ([2, 5], 0), ([2, 7], 1)):
        with replayed(ScriptedBits([10_000, 29_999, *[HALF] * 8])):
            assert gumbel_argmax(as_scores([0, 0]), 1.0, weights) == expected


def test_a_near_tie_beyond_float_precision_has_the_right_winner() -> None:
    """Scores one apart at scale 10^15: words are placed so that the noises differ by the same to 2^-63."""
    scale, word = 10**15, 3 * 2**61
    matched = binary_digits(lambda: arb(word) * arb(fmpq(-1, scale)).exp(), 0)
    for other, expected in ((matched - 2, 1), (matched + 2, 0)):
        with replayed(ScriptedBits([word, other, HALF, HALF, HALF, HALF])):
            assert exponential_argmax(as_scores([1, 0]), float(scale)) == expected


@pytest.mark.parametrize("pick", PICKS)
def test_scores_a_googol_to_the_fourth_apart(pick: Pick) -> None:
    assert winner(pick, [0, 10**400, 7], 1.0) == 1
    assert winner(pick, [-(10**400), 0], 1.0) == 1
    assert winner(pick, [10**400 - 10**300, 10**400], Fraction(1, 3)) == 1


@pytest.mark.parametrize("pick", PICKS)
def test_far_scores_and_a_tiny_scale_cause_no_float_trouble(pick: Pick) -> None:
    assert winner(pick, [0, 10**299], 1e-100) == 1
    assert winner(pick, [10**250, 0], 1e-100) == 0
    assert winner(pick, [0, 1, 2**61], 1e-100) == 2
    assert winner(pick, [0, 0], 1e100) in (0, 1)


def test_the_lead_over_a_far_runner_up_is_exact() -> None:
    """Noises of the words 2^62 and 2^61: ln 2 and 2 ln 2, so the lead is 10^400 + ln 2 rounded down, or - ln 2."""
    with replayed(ScriptedBits([2**62, 2**61, *[HALF] * 64])):
        assert laplace_argmax(as_scores([10**400, 0]), 1.0) == (0, 10**400 - 1)
    with replayed(ScriptedBits([2**62, 2**61, *[HALF] * 64])):
        assert laplace_argmax(as_scores([0, 10**400]), 1.0) == (1, 10**400)


def test_the_lead_is_between_the_best_two_of_many() -> None:
    words = [2**62, 2**62, 2**50, 2**62, 2**62]
    with replayed(ScriptedBits([*words, *[HALF] * 20])):
        found = laplace_argmax(as_scores([0, 5, 0, 4, 1]), 10.0)
    true = 10 * (math.log(2**63) - math.log(2**50)) - (5 + 10 * math.log(2))
    assert found == (2, math.floor(true))


@pytest.mark.parametrize("pick", [gumbel_argmax, exponential_argmax])
def test_a_single_candidate_always_wins(pick: Pick) -> None:
    assert pick([-5], 1e-3) == 0
    with replayed(ScriptedBits([0])):
        assert pick(np.array([10]), 1.0) == 0


@pytest.mark.parametrize("pick", PICKS)
def test_a_million_candidates(pick: Pick) -> None:
    scores = np.zeros(10**6, dtype=np.int64)
    found = {winner(pick, scores, 1.0) for _ in range(5)}
    assert len(found) >= 2  # all five equal: one in 10^24
    assert all(0 <= index < 10**6 for index in found)
    scores[123_456] = 100
    assert winner(pick, scores, 1.0) == 123_456


@pytest.mark.parametrize("pick", PICKS)
def test_scores_may_be_arrays_lists_or_wide_integers(pick: Pick) -> None:
    for scores in ([0, 10**3], (0, 10**3), np.array([0, 10**3], dtype=np.int16)):
        assert winner(pick, scores, 1.0) == 1
    assert winner(pick, np.array([2**63, 2**63 + 1000], dtype=np.uint64), 1.0) == 1
    assert winner(pick, np.array([10**30, 10**30 + 1000], dtype=object), 1.0) == 1


@pytest.mark.long
def test_a_million_gumbel_winners_follow_the_softmax() -> None:
    scores, weights = [0, 1, 2, 3], [3, 1, 2, 1]
    observed = wins(gumbel_argmax, 10**6, scores, 7.0, weights)
    assert chi_square_p(observed, softmax(scores, 7.0, weights)) >= ALARM


def test_weights_stand_for_so_many_candidates_of_permute_and_flip() -> None:
    scores, weights = [0, 3, 5, 4], [60, 4, 1, 3]
    many = tuple(score for score, weight in zip(scores, weights, strict=True) for _ in range(weight))

    def law(scale: float) -> NDArray[np.float64]:
        found = iter(laws.permute_and_flip(many, scale))
        return np.array([sum(float(next(found)) for _ in range(weight)) for weight in weights])

    observed = wins(exponential_argmax, 4_000, scores, 2.5, weights)
    assert chi_square_p(observed, law(2.5)) >= ALARM
    assert chi_square_p(observed, law(2.5 * 1.25)) < ALARM


@pytest.mark.parametrize("pick", [gumbel_argmax, exponential_argmax])
def test_weights_in_an_array_pick_the_same_winner(pick: Any) -> None:
    draw = np.random.default_rng(5)
    for seed in range(200):
        scores, weights = draw.integers(0, 9, 12), draw.integers(1, 2**62, 12) >> draw.integers(0, 62, 12)
        weights = np.maximum(weights, 1)
        found = []
        for each in (weights, weights.tolist()):
            with replayed(GeneratorBits(seed)):
                found.append(pick(scores, 2.0, each))
        assert found[0] == found[1]


@pytest.mark.parametrize("weights", [np.array([1, 0]), np.array([1, -3]), np.array([1]), np.array([1.0, 2.0])])
def test_weights_in_an_array_are_whole_numbers_above_0(weights: Any) -> None:
    for pick in (gumbel_argmax, exponential_argmax):
        with pytest.raises(ParameterError, match="weights"):
            pick(as_scores([0, 0]), 1.0, weights)


@pytest.mark.parametrize("weight", [1, 2, 1000, 10**12, 2**200, 2**2000])
def test_the_greatest_of_many_noises_is_enclosed_by_its_estimate(weight: int) -> None:
    words = np.random.default_rng(weight.bit_length()).integers(0, 2**64, 50, dtype=np.uint64)
    values, errors = _estimate_greatest(words, [weight] * len(words))
    for word, value, error in zip(words.tolist(), values, errors, strict=True):
        found = _enclose_greatest(Prefix(word, 64), weight)
        assert found is not None
        assert math.isinf(error) or abs(float(found) - value) <= error + 1e-15
    assert weight > 2**900 or np.all(errors < 1e-9)


@pytest.mark.parametrize("pick", [gumbel_argmax, exponential_argmax, laplace_argmax])
@pytest.mark.parametrize("behind", [0, 60, 99, 101, 150, 10**6])
@pytest.mark.parametrize("words", [None, [5, HALF, 7], [2**40, 1, 2**40], [2**40, TOP - 3, TOP // 3]])
def test_leaving_out_who_is_far_behind_changes_nothing(
    pick: Pick, behind: int, words: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = [-behind, 0, -(behind // 2), -behind, -2 * behind]
    drawn = [
        *(words or [TOP // 3, TOP // 5, TOP // 7]),
        *np.random.default_rng(behind).integers(1, TOP, 200, np.uint64).tolist(),
    ]
    weights = [] if pick is laplace_argmax else [np.array([1, 3, 2, 10**9, 5])]

    def choose() -> Any:
        with replayed(ScriptedBits(drawn)):
            return pick(np.array(scores), 1, *weights)

    found = choose()
    monkeypatch.setattr(race, "_NEAR", math.inf)
    assert choose() == found
