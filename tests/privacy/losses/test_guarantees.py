"""Losses that state a theorem: curves against their closed forms, and against one another."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    ZcdpLoss,
)
from support.laws import TOLERANCE, at_most, ball, exactly, hockey_stick

EPSILONS = [0.0, 0.01, 0.5, 0.99, 1.0, 1.01, 3.0]


@exactly
def _response(epsilon: float) -> tuple[list[arb], list[arb]]:
    odds = ball(epsilon).exp()
    return [odds / (1 + odds), 1 / (1 + odds)], [1 / (1 + odds), odds / (1 + odds)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pure_is_exactly_randomized_response(epsilon: float) -> None:
    truth = hockey_stick(*_response(1.0), epsilon)
    found = PureLoss(1.0).delta(epsilon)
    assert at_most(truth, found.high)
    assert found.low <= float(truth) + TOLERANCE
    assert found.high <= float(truth) + TOLERANCE


@exactly
def _leaky_response(epsilon: float, leak: Fraction) -> tuple[list[arb], list[arb]]:
    heads, tails = _response(epsilon)
    rest = ball(1 - leak)
    return [ball(leak), arb(0), *(rest * p for p in heads)], [arb(0), ball(leak), *(rest * q for q in tails)]


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_approximate_tells_all_with_probability_delta_and_is_pure_else(epsilon: float) -> None:
    leak = Fraction(1, 1024)
    truth = hockey_stick(*_leaky_response(1.0, leak), epsilon)
    found = ApproximateLoss(1.0, float(leak)).delta(epsilon)
    assert at_most(truth, found.high)
    assert found.high - float(truth) <= TOLERANCE


def test_approximate_without_delta_is_pure() -> None:
    assert ApproximateLoss(0.5, 0.0).pure == 0.5
    assert ApproximateLoss(0.5, 0.0).delta(0.2) == PureLoss(0.5).delta(0.2)


def test_approximate_with_delta_is_never_pure() -> None:
    assert ApproximateLoss(0.5, 1e-9).pure == math.inf


def test_approximate_promises_its_own_pair() -> None:
    assert ApproximateLoss(0.5, 1e-6).delta(0.5).high == pytest.approx(1e-6, abs=1e-20)
    assert ApproximateLoss(0.5, 1e-6).epsilon(2e-6).high <= 0.5


@exactly
def _two_valued(top: float, turn: float) -> tuple[list[arb], list[arb]]:
    """Return laws whose loss is `turn` or `turn - top`: p = e^turn q and 1 - p = e^(turn - top) (1 - q)."""
    rise, fall = ball(turn).exp(), (ball(turn) - ball(top)).exp()
    q = (1 - fall) / (rise - fall)
    return [rise * q, 1 - rise * q], [q, 1 - q]


@pytest.mark.parametrize("top", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0, 1.2])
def test_bounded_range_covers_every_loss_of_two_values(top: float, share: float) -> None:
    found = BoundedRangeLoss(top).delta(share * top)
    for step in range(41):
        first, second = _two_valued(top, top * step / 40)
        assert at_most(hockey_stick(first, second, share * top), found.high)


@pytest.mark.parametrize("epsilon", [0.0, 0.25, 0.7])
def test_bounded_range_is_attained_half_way(epsilon: float) -> None:
    first, second = _two_valued(1.0, (1.0 + epsilon) / 2)
    truth = float(hockey_stick(first, second, epsilon))
    found = BoundedRangeLoss(1.0).delta(epsilon)
    assert abs(found.high - truth) <= TOLERANCE
    assert abs(found.low - truth) <= TOLERANCE


@given(st.floats(1e-6, 20), st.floats(0, 25))
@settings(max_examples=60, deadline=None)
def test_bounded_range_is_never_worse_than_pure(top: float, epsilon: float) -> None:
    assert BoundedRangeLoss(top).delta(epsilon).high <= PureLoss(top).delta(epsilon).high
    assert BoundedRangeLoss(top).pure == PureLoss(top).pure


@given(st.floats(1e-3, 10), st.integers(1, 9), st.floats(0, 12))
@settings(max_examples=60, deadline=None)
def test_pure_is_never_better_than_the_laplace_noise_it_covers(scale: float, sensitivity: int, epsilon: float) -> None:
    noise = DiscreteLaplaceLoss(scale, sensitivity)
    assert noise.delta(epsilon).low <= PureLoss(noise.pure).delta(epsilon).high


@pytest.mark.parametrize("loss", [PureLoss(0), ZcdpLoss(0), BoundedRangeLoss(0), GaussianLoss(0)], ids=repr)
def test_nothing_costs_nothing(loss: Loss) -> None:
    assert loss.pure == 0
    assert loss.delta(0).high == 0
    assert loss.epsilon(0).high == 0


def test_parameters_that_no_float_equals_are_rounded_up() -> None:
    third = Fraction(1, 3)
    assert Fraction(PureLoss(third).pure) > third
    assert Fraction(ZcdpLoss(third).zcdp()) > third
    assert Fraction(BoundedRangeLoss(third).pure) > third


def test_the_worst_pure_loss_is_randomized_response() -> None:
    response = RandomizedResponseLoss(0.25)
    for epsilon in EPSILONS:
        assert response.delta(epsilon).high == pytest.approx(PureLoss(math.log(3)).delta(epsilon).high, abs=1e-15)


BAD = [-1.0, math.nan, math.inf, "1", None, True]


@pytest.mark.parametrize("value", BAD)
def test_senseless_parameters_are_refused(value: float) -> None:
    for kind in (PureLoss, BoundedRangeLoss):
        with pytest.raises(ParameterError, match=r"^epsilon must be"):
            kind(value)
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        ApproximateLoss(value, 0.1)
    with pytest.raises(ParameterError, match=r"^delta must be"):
        ApproximateLoss(1.0, value)
    with pytest.raises(ParameterError, match=r"^rho must be"):
        ZcdpLoss(value)


def test_delta_one_promises_nothing_and_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^delta must be"):
        ApproximateLoss(1.0, 1.0)
