"""Concentrated differential privacy, with and without an offset."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, Loss, OffsetZcdpLoss, PureLoss, RandomizedResponseLoss, ZcdpLoss
from support.laws import ball, exactly


@pytest.mark.parametrize("rho", [1e-4, 0.05, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0, 20.0])
def test_zcdp_covers_the_gaussian_of_its_rho(rho: float, epsilon: float) -> None:
    gaussian = GaussianLoss(math.sqrt(2 * rho))
    assert ZcdpLoss(rho).delta(epsilon).high >= gaussian.delta(epsilon).low
    assert ZcdpLoss(rho).delta(epsilon).low <= gaussian.delta(epsilon).high * (1 + 1e-9)


@exactly
def _convert(xi: float, rho: float, epsilon: float, order: float) -> arb:
    a = ball(order)
    return ((a - 1) * (ball(xi) + a * ball(rho) - ball(epsilon))).exp() / (a - 1) * (1 - 1 / a) ** a


@pytest.mark.parametrize("xi", [0.0, 0.3, 2.0])
@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 2.5), (0.1, 3.0), (0.5, 6.0), (2.0, 14.0)])
def test_the_conversion_is_the_best_order(xi: float, rho: float, epsilon: float) -> None:
    best = min(float(_convert(xi, rho, epsilon, 1 + 1.02**step)) for step in range(-400, 400))
    assert best * 0.99 <= OffsetZcdpLoss(xi, rho).delta(epsilon).high <= best * (1 + 1e-9)
    if xi == 0:
        assert ZcdpLoss(rho).delta(epsilon).high == pytest.approx(OffsetZcdpLoss(0.0, rho).delta(epsilon).high)


@pytest.mark.parametrize(("rho", "delta"), [(0.01, 1e-6), (0.1, 1e-9), (1.0, 1e-5)])
def test_zcdp_beats_the_first_conversion(rho: float, delta: float) -> None:
    assert ZcdpLoss(rho).epsilon(delta).high < rho + 2 * math.sqrt(rho * math.log(1 / delta))


@pytest.mark.parametrize(("lie", "mu"), [(0.3, 0.5), (0.1, 1.0), (0.45, 0.1)])
def test_an_offset_covers_a_gaussian_beside_a_response(lie: float, mu: float) -> None:
    """A response is xi-differentially private, so its divergences are at most xi; those of the Gaussian are rho a."""
    response = RandomizedResponseLoss(lie)
    both, stated = response + GaussianLoss(mu), OffsetZcdpLoss(Fraction(response.pure), Fraction(mu) ** 2 / 2)
    for delta in (1e-3, 1e-6, 1e-9):
        assert both.epsilon(delta).low <= stated.epsilon(delta).high
    for order in (1.5, 2.0, 10.0):
        assert both.renyi(order) <= stated.renyi(order) * (1 + 1e-12)


def test_an_offset_moves_the_curve_of_zcdp() -> None:
    for delta in (1e-4, 1e-9):
        moved = OffsetZcdpLoss(0.7, 0.2).epsilon(delta).high
        assert moved == pytest.approx(0.7 + ZcdpLoss(0.2).epsilon(delta).high, rel=1e-9)


def test_an_offset_is_never_better_than_what_keeps_it() -> None:
    stated = OffsetZcdpLoss(0.7, 0.2)
    for epsilon in (0.0, 0.3, 2.0):
        assert stated.delta(epsilon).low >= PureLoss(0.7).delta(epsilon).low
        assert stated.delta(epsilon).low >= ZcdpLoss(0.2).delta(epsilon).low
        assert stated.delta(epsilon).high <= ZcdpLoss(0.9).delta(epsilon).high * (1 + 1e-9)


def test_offsets_and_rhos_add_up() -> None:
    whole = OffsetZcdpLoss(0.1, 0.2) * 2 + ZcdpLoss(0.3)
    assert whole.epsilon(1e-6).high == pytest.approx(OffsetZcdpLoss(0.2, 0.7).epsilon(1e-6).high, rel=1e-9)
    assert whole.zcdp() == pytest.approx(0.9)


def test_groups_by_the_harmonic_numbers() -> None:
    assert OffsetZcdpLoss(0.5, 0.1).group(2).renyi(2.0) == pytest.approx(0.5 * 2 * 1.5 + 4 * 0.1 * 2)
    assert OffsetZcdpLoss(0.5, 0.1).group(200).zcdp() >= 0.5 * 200 * sum(1 / k for k in range(1, 201)) + 0.1 * 200**2
    assert ZcdpLoss(0.25).group(3) == ZcdpLoss(2.25)


def test_without_rho_the_offset_is_a_pure_epsilon() -> None:
    assert OffsetZcdpLoss(0.7, 0.0).pure == PureLoss(0.7).pure
    assert OffsetZcdpLoss(0.7, 0.0).zcdp() == pytest.approx(0.245)
    assert OffsetZcdpLoss(0.7, 0.1).pure == math.inf


def test_json_and_senseless_parameters() -> None:
    loss: Loss = OffsetZcdpLoss(Fraction(1, 3), 0.2)
    assert Loss.from_json(loss.to_json()) == loss
    with pytest.raises(ParameterError, match=r"^xi must be"):
        OffsetZcdpLoss(-0.1, 0.2)
    with pytest.raises(ParameterError, match=r"^rho must be"):
        OffsetZcdpLoss(0.1, math.nan)
