"""Propose, test, release: exact loss on all small neighbours, exact thresholds, and refusals that are paid for."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.order_statistic import NEVER, OrderStatistic
from discreet.mechanisms.robust.propose_test_release import Proposable, ProposeTestRelease, bound_tail
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from support import laws
from support.laws import at_most, exactly
from support.sampling import ALARM, chi_square_p
from support.small_data import RELATIONS, list_pairs, see_pairs

DOMAIN = (0, 1, 9)
OUTSIDE = 1e-13


@cache
@exactly
def _law(made: ProposeTestRelease, point: int, distance: int) -> laws.Law:
    """Return the probabilities of a refusal and of each value, but for what lies far out."""
    test, noise = laws.laplace(made.test.scale, OUTSIDE), laws.laplace(made.noise.scale, OUTSIDE)
    beyond = made.threshold - distance
    shown = sum((test.at(z) for z in range(max(beyond + 1, -test.reach), test.reach + 1)), arb(0))
    inside = range(-noise.reach - 10, noise.reach + 21)
    return [1 - shown, *(shown * noise.at(y - point) for y in inside)]


@cache
def _floats(made: ProposeTestRelease, point: int, distance: int) -> NDArray[np.float64]:
    return np.array([float(p) for p in _law(made, point, distance)])


def _find_worst(made: ProposeTestRelease, statistic: Proposable, relation: str, rows: int, most: int) -> float:
    """Return the largest hockey stick of all pairs of neighbours at the epsilon that is charged."""
    spent = made.loss().epsilon(made.delta).high
    assert spent <= 2 * made.epsilon * (1 + 1e-12)
    pairs = see_pairs(
        list_pairs(DOMAIN, most, relation, rows),
        lambda values: (statistic.point(values), statistic.distance(values, made.proposal)),
    )
    gaps = [_floats(made, *here) - math.exp(spent) * _floats(made, *there) for here, there in pairs]
    return max(float(np.maximum(gap, 0).sum()) for gap in gaps)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2), Fraction(2, 3)], ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), [(1, 6), (2, 3)])
@pytest.mark.parametrize("proposal", [1, 3])
def test_theorem_quantiles_lose_no_more_than_is_charged(
    share: Fraction, relation: str, rows: int, most: int, proposal: int
) -> None:
    made = ProposeTestRelease(0.8, 0.04, proposal)
    worst = _find_worst(made, OrderStatistic(share, 0, 9, rows), relation, rows, most)
    assert worst <= made.loss().delta(1.6).high + 1e-11
    assert proposal > 1 or worst > 0.5 * 0.04, "values nine apart with noise of scale 1.25 use nearly all of delta"


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("rows", "most"), [(1, 6), (2, 3)])
def test_theorem_trimmed_means_lose_no_more_than_is_charged(relation: str, rows: int, most: int) -> None:
    made, statistic = ProposeTestRelease(0.8, 0.04, 2), TrimmedMean(Fraction(1, 5), 0, 9, rows, 1, relation)
    assert _find_worst(made, statistic, relation, rows, most) <= made.loss().delta(1.6).high + 1e-11


def test_theorem_the_pure_part_is_attained() -> None:
    """At distance 1 beside distance 0 both parts lose all of their epsilon."""
    made = ProposeTestRelease(0.8, 0.04, 3)
    here, there = _law(made, 0, 0), _law(made, 3, 1)
    assert made.noise.scale == pytest.approx(3 / 0.8)
    middle = laws.laplace(made.noise.scale, OUTSIDE).reach + 11
    lost = laws.worst_loss(here[middle - 5 : middle + 9], there[middle - 5 : middle + 9])
    assert float(lost) == pytest.approx(1.6, rel=1e-9)


@pytest.mark.parametrize(("epsilon", "threshold"), [(0.1, 131), (0.5, 26), (1.0, 13)])
def test_thresholds_are_those_of_exact_tails(epsilon: float, threshold: int) -> None:
    made = ProposeTestRelease(epsilon, 1e-6, 1)
    assert made.threshold == threshold
    assert bound_tail(made.test.scale, threshold) <= 1e-6 < bound_tail(made.test.scale, threshold - 1)
    assert ProposeTestRelease.calibrate(epsilon, 1e-6, 1).threshold == 2 * threshold


@pytest.mark.parametrize("epsilon", [0.03, 0.7, 3.0, 40.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-3, 0.2, 0.49])
def test_the_threshold_is_the_least_that_keeps_delta(epsilon: float, delta: float) -> None:
    made = ProposeTestRelease(epsilon, delta, 5)
    law = laws.laplace(made.test.scale)

    @exactly
    def tail(far: int) -> arb:
        return sum((law.at(z) for z in range(far + 1, law.reach + 1)), arb(0))

    assert at_most(tail(made.threshold), made.delta)
    assert made.threshold == 0 or not at_most(tail(made.threshold - 1), made.delta)


def test_a_refusal_costs_as_much_as_an_answer() -> None:
    made = ProposeTestRelease(0.5, 1e-6, 3)
    assert made.decide(7, 0) is None
    assert made.loss().epsilon(1e-6).high == pytest.approx(1.0)
    assert made.loss().delta(0.99).high > 1e-6


def test_calibration_splits_the_epsilon_in_halves() -> None:
    made = ProposeTestRelease.calibrate(1.0, 1e-6, 10)
    assert (made.test.scale, made.noise.scale) == (2.0, 20.0)
    assert made.loss().epsilon(1e-6).high <= 1.0


def _fit(told: list[int | None], stated: ProposeTestRelease, point: int, distance: int) -> float:
    """Return the p-value of refusals and values, those beyond 12 together with 12."""
    cells = np.array([0 if each is None else min(max(each, -12), 12) + 13 for each in told])
    law = _floats(stated, point, distance)
    wide = laws.laplace(stated.noise.scale, OUTSIDE).reach + 10
    shown = np.bincount(np.clip(np.arange(-wide, len(law) - 1 - wide), -12, 12) + 12, law[1:], minlength=25)
    return chi_square_p(np.bincount(cells, minlength=26), np.array([law[0], *shown]))


def test_sampler_draws_these_probabilities_and_not_those_of_a_scale_off() -> None:
    made = ProposeTestRelease(0.5, 0.1, 2)
    told = [made.decide(3, made.threshold + 1) for _ in range(6_000)]
    assert _fit(told, made, 3, made.threshold + 1) > ALARM
    for off in (1.3, 1 / 1.3):
        assert _fit(told, ProposeTestRelease(0.5 * off, 0.1, 2), 3, made.threshold + 1) < ALARM


def test_the_chance_of_a_refusal_is_the_sum() -> None:
    made = ProposeTestRelease(0.5, 0.01, 2)
    for distance in (0, 1, made.threshold, made.threshold + 1, made.threshold + 5, 100):
        assert made.find_refusal(distance) == pytest.approx(float(_law(made, 0, distance)[0]), abs=1e-10)
    assert made.find_refusal(NEVER) == 0.0


def test_a_median_of_dense_data_is_released_and_of_scattered_data_refused() -> None:
    made, median = ProposeTestRelease.calibrate(1.0, 1e-6, 100), OrderStatistic(Fraction(1, 2), 0, 10**6)
    dense = [made.release(median, np.arange(2_000, 12_000)) for _ in range(50)]
    assert all(each is not None and abs(each - 7_000) < 10_000 for each in dense)
    assert [made.release(median, np.arange(0, 10**6, 10_000)) for _ in range(20)] == [None] * 20
    assert made.interval(0.95) == made.noise.interval(0.95)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("epsilon", (0, 1e-6, 1)),
        ("epsilon", (float("nan"), 1e-6, 1)),
        ("delta", (1.0, 0, 1)),
        ("delta", (1.0, 0.5, 1)),
        ("proposal", (1.0, 1e-6, 0)),
        ("proposal", (1.0, 1e-6, 1.5)),
    ],
)
def test_senseless_parameters_are_refused(name: str, given: Any) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        ProposeTestRelease(*given)
