"""Counts in a private sample: exact loss for every count, and for all small neighbours."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.sample_threshold import SampleThreshold
from support.sampling import ALARM, chi_square_p
from support.small_data import list_pairs, see_pairs

DOMAIN = (0, 1)
CASES = [
    SampleThreshold(1.0, 1e-3, Fraction(1, 4)),
    SampleThreshold(1.0, 1e-6, Fraction(3, 5)),
    SampleThreshold(0.3, 0.01, Fraction(1, 10)),
    SampleThreshold(2.0, 0.2, Fraction(1, 2)),
]


@cache
def _law(made: SampleThreshold, count: int, length: int) -> NDArray[np.float64]:
    """Return the probabilities of a key not being told, and of each count told, by the binomial law."""
    rate = float(made.rate)
    masses = [math.comb(count, b) * rate**b * (1 - rate) ** (count - b) for b in range(count + 1)]
    masses += [0.0] * (length - count)
    return np.array([sum(masses[: made.threshold]), *masses[made.threshold :]])


def _hockey_stick(first: NDArray[np.float64], second: NDArray[np.float64], epsilon: float) -> float:
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


@pytest.mark.parametrize("made", CASES, ids=str)
def test_theorem_no_count_loses_more_than_is_charged(made: SampleThreshold) -> None:
    longest = 4 * made.threshold + 40
    worst = 0.0
    for count in range(longest):
        here, there = _law(made, count, longest), _law(made, count + 1, longest)
        assert _hockey_stick(here, there, made.epsilon) <= 1e-14, "a unit fewer costs no delta at all"
        worst = max(worst, _hockey_stick(there, here, made.epsilon))
    assert made.delta / 300 < worst <= made.delta


def test_theorem_all_small_data_lose_no_more() -> None:
    made = SampleThreshold(1.0, 0.6, Fraction(1, 2))
    assert made.threshold <= 3
    pairs = see_pairs(list_pairs(DOMAIN, 6, "add-remove"), lambda values: tuple(Counter(values)[key] for key in DOMAIN))
    worst = 0.0
    for here, there in pairs:
        first, second = (np.multiply.outer(*(_law(made, count, 8) for count in each)) for each in (here, there))
        worst = max(worst, _hockey_stick(first, second, 1.0))
    assert 0.05 < worst <= 0.6


def test_the_threshold_is_the_least_that_keeps_the_bound() -> None:
    for made in CASES:
        assert made.bound_delta(made.threshold) <= made.delta < made.bound_delta(made.threshold - 1)


def test_sampler_draws_the_binomial_law_and_not_that_of_a_rate_off() -> None:
    made = SampleThreshold(1.0, 0.3, Fraction(1, 2))
    shown = [made.release({"a": 9}) for _ in range(3_000)]
    assert all(count >= made.threshold for each in shown for count in each.values())
    told = [each.get("a", 0) for each in shown]
    seen = np.bincount([0 if each == 0 else each - made.threshold + 1 for each in told], minlength=11 - made.threshold)
    assert chi_square_p(seen, _law(made, 9, 9)) > ALARM
    other = SampleThreshold(1.0, 0.3, Fraction(2, 5))
    shifted = np.array([1 - sum(law := [math.comb(9, b) * 0.4**b * 0.6 ** (9 - b) for b in range(10)]), *law])
    cells = [shifted[: made.threshold + 1].sum(), *shifted[made.threshold + 1 :]]
    assert chi_square_p(seen, np.array(cells)) < ALARM
    assert other.estimate(8) == 20.0


def test_frequent_keys_are_told_in_order_and_rare_ones_never() -> None:
    made = SampleThreshold(1.0, 1e-6, Fraction(1, 2))
    told = made.release({"b": 2_000, "a": 3_000, "rare": made.threshold - 1, "none": 0, "less": -3})
    assert list(told) == ["a", "b"]
    assert abs(made.estimate(told["a"]) - 3_000) < 400
    assert made.loss().epsilon(1e-6).high == pytest.approx(1.0)


def test_senseless_parameters_are_refused() -> None:
    wrong = [("epsilon", (0, 0.1, 0.1)), ("delta", (1.0, 0, 0.1)), ("rate", (1.0, 0.1, 0)), ("rate", (1.0, 0.1, 0.64))]
    for name, given in wrong:
        with pytest.raises(ParameterError, match=rf"^{name} must be"):
            SampleThreshold(*given)  # type: ignore[arg-type]
    assert SampleThreshold(1.0, 0.1, Fraction(63, 100)).threshold > 0
