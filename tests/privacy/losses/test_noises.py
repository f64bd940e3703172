"""Losses of particular noises: each curve is the hockey stick of the exact distribution."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from discreet.base.errors import ParameterError
from discreet.privacy import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
)
from support import laws
from support.laws import TOLERANCE, Noise, at_most, ball, exactly

SENSITIVITIES = [1, 2, 7]


def assert_exact(loss: Loss, noise: Noise, sensitivity: int, epsilons: list[float]) -> None:
    for epsilon in epsilons:
        found = loss.delta(epsilon)
        worst = laws.shifted_hockey_stick(noise, [sensitivity], epsilon)
        for shift in {1, sensitivity // 2, sensitivity, -sensitivity} - {0}:
            assert at_most(laws.shifted_hockey_stick(noise, [shift], epsilon), found.high)
        assert found.high - float(worst) <= TOLERANCE
        assert found.low <= float(worst.upper()) + 1e-30


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("scale", [0.3, 1.0, 2.7, 5.0])
def test_discrete_laplace_is_the_sum(scale: float, sensitivity: int) -> None:
    loss = DiscreteLaplaceLoss(scale, sensitivity)
    pure = loss.pure
    epsilons = [0.0, 0.01, pure / 3, pure / 2, 0.9 * pure, pure, pure + 0.1, 2 * pure]
    assert_exact(loss, laws.laplace(scale), sensitivity, epsilons)


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("sigma", [0.4, 1.0, 3.3, 15.9, 16.0, 20.0])
def test_discrete_gaussian_is_the_sum(sigma: float, sensitivity: int) -> None:
    loss = DiscreteGaussianLoss(sigma, sensitivity)
    assert_exact(loss, laws.discrete_gaussian(sigma), sensitivity, [0.0, 0.01, 0.5, 1.0, 4.0, 20.0])


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.04, 0.2, 0.9, 1.5, 3.0])
def test_discrete_laplace_at_sensitivity_one_is_randomized_response(scale: float, epsilon: float) -> None:
    q = math.exp(-1 / scale)
    found = DiscreteLaplaceLoss(scale, 1).delta(epsilon).high
    assert found == pytest.approx(RandomizedResponseLoss(q / (1 + q)).delta(epsilon).high, abs=1e-14)
    assert found == pytest.approx(PureLoss(1 / scale).delta(epsilon).high, abs=1e-14)


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_discrete_laplace_costs_more_than_the_continuous_one(sensitivity: int) -> None:
    discrete, continuous = DiscreteLaplaceLoss(3.0, sensitivity), LaplaceLoss(sensitivity / 3)
    assert discrete.delta(0.1).low > continuous.delta(0.1).high


def test_continuous_laplace_is_its_closed_form() -> None:
    assert LaplaceLoss(1.0).delta(0.3).high == pytest.approx(1 - math.exp(-0.35), rel=1e-15)
    assert LaplaceLoss(1.0).delta(1.0).high == 0
    assert LaplaceLoss(1.0).pure == 1.0


@pytest.mark.parametrize("delta", [1e-5, 1e-6, 1e-10])
def test_gaussian_epsilon_is_the_published_number(delta: float) -> None:
    known = {1e-5: 4.377178095681, 1e-6: 4.886554117462, 1e-10: 6.547924066865}
    found = GaussianLoss(1.0).epsilon(delta)
    assert found.low == pytest.approx(known[delta], abs=1e-11)
    assert found.high == pytest.approx(known[delta], abs=1e-11)


@exactly
def _normal_hockey_stick(mu: float, epsilon: float) -> arb:
    """Sum cells of N(0, 1) against N(mu, 1), split where the density ratio crosses e^epsilon."""
    crossing = ball(mu) / 2 - ball(epsilon) / ball(mu)
    root = arb(2).sqrt()
    below, shifted = (-crossing / root).erfc() / 2, ((ball(mu) - crossing) / root).erfc() / 2
    return below - ball(epsilon).exp() * shifted


@pytest.mark.parametrize("mu", [1e-3, 0.5, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 2.0, 10.0])
def test_gaussian_is_the_mass_where_the_ratio_exceeds(mu: float, epsilon: float) -> None:
    found, truth = GaussianLoss(mu).delta(epsilon), _normal_hockey_stick(mu, epsilon)
    assert at_most(truth, found.high)
    assert found.high - float(truth) <= TOLERANCE
    assert found.low <= float(truth) + TOLERANCE


@pytest.mark.parametrize(("lie", "categories"), [(0.25, 2), (0.3, 3), (0.5, 5), (0.01, 2)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.8, 1.2, 6.0])
def test_randomized_response_is_the_sum(lie: float, categories: int, epsilon: float) -> None:
    stray = Fraction(lie) / (categories - 1)
    first = [ball(1 - Fraction(lie)), *[ball(stray)] * (categories - 1)]
    second = [first[1], first[0], *first[2:]]
    truth = laws.hockey_stick(first, second, epsilon)
    found = RandomizedResponseLoss(lie, categories).delta(epsilon)
    assert at_most(truth, found.high)
    assert found.high - float(truth) <= TOLERANCE


@pytest.mark.parametrize("categories", [2, 3, 5, 6, 10, 23, 49])
def test_the_most_even_response_states_its_rounding_error(categories: int) -> None:
    """The float nearest to (k - 1) / k may lie above it; then another category is likelier than the truth."""
    loss = RandomizedResponseLoss((categories - 1) / categories, categories)
    lie = Fraction(loss.lie)
    first, second = [1 - lie, lie / (categories - 1)], [lie / (categories - 1), 1 - lie]
    largest = max(first[0] / second[0], second[0] / first[0])
    assert at_most(laws.exactly(lambda: ball(largest).log())(), loss.pure)


def test_pure_losses_of_noise() -> None:
    assert DiscreteLaplaceLoss(4.0, 2).pure == 0.5
    assert RandomizedResponseLoss(0.25).pure == pytest.approx(math.log(3), rel=1e-15)
    assert RandomizedResponseLoss(0.5).pure == 0


def test_parameters_that_no_float_equals_are_rounded_to_more_loss() -> None:
    third = Fraction(1, 3)
    assert Fraction(DiscreteLaplaceLoss(third, 1).scale) < third  # type: ignore[arg-type]
    assert Fraction(DiscreteGaussianLoss(third, 1).sigma) < third  # type: ignore[arg-type]
    assert Fraction(RandomizedResponseLoss(third).lie) < third  # type: ignore[arg-type]
    assert Fraction(GaussianLoss(third).zcdp()) > third**2 / 2
    assert Fraction(DiscreteLaplaceLoss(0.1, 3).pure) >= 3 / Fraction(0.1)


BAD = [-1.0, math.nan, math.inf, "1", None, True]


@pytest.mark.parametrize("value", [*BAD, 0.0])
def test_senseless_scales_are_refused(value: float) -> None:
    with pytest.raises(ParameterError, match=r"^scale must be"):
        DiscreteLaplaceLoss(value, 1)
    with pytest.raises(ParameterError, match=r"^sigma must be"):
        DiscreteGaussianLoss(value, 1)
    with pytest.raises(ParameterError, match=r"^lie must be"):
        RandomizedResponseLoss(value)


@pytest.mark.parametrize("value", BAD)
def test_senseless_ratios_are_refused(value: float) -> None:
    with pytest.raises(ParameterError, match=r"^mu must be"):
        GaussianLoss(value)
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        LaplaceLoss(value)


@pytest.mark.parametrize("value", [0, -1, 1.0, 1.5, None, True])
def test_senseless_counts_are_refused(value: int) -> None:
    with pytest.raises(ParameterError, match=r"^sensitivity must be"):
        DiscreteLaplaceLoss(1.0, value)
    with pytest.raises(ParameterError, match=r"^sensitivity must be"):
        DiscreteGaussianLoss(1.0, value)
    with pytest.raises(ParameterError, match=r"^categories must be"):
        RandomizedResponseLoss(0.1, value)


def test_lying_more_than_evenly_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"^lie must be"):
        RandomizedResponseLoss(0.500001)


@pytest.mark.parametrize("sigma", [9e-7, 2e15])
def test_sigmas_beyond_what_can_be_drawn_are_refused(sigma: float) -> None:
    with pytest.raises(ParameterError, match=r"^sigma must be a finite number >= 1e-06 and <= 1e\+15"):
        DiscreteGaussianLoss(sigma, 1)


def test_the_smallest_sigma_hides_nothing_and_the_largest_everything() -> None:
    assert DiscreteGaussianLoss(1e-6, 1).delta(1.0).low == pytest.approx(1.0)
    assert DiscreteGaussianLoss(1e15, 1).delta(0.0).high == pytest.approx(1e-15 / math.sqrt(2 * math.pi), rel=1e-3)
