"""What learning may spend: (epsilon, delta) by the analytic Gaussian theorem, and noise that costs what it should."""

import math
from fractions import Fraction

import pytest

from discreet.base.errors import ParameterError
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.privacy import GaussianLoss, ZcdpLoss


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_an_epsilon_and_delta_are_spent_whole_and_never_exceeded(epsilon: float) -> None:
    allowance = read_gaussian_allowance(epsilon, 1e-7)
    spent = allowance.loss.epsilon(1e-7)
    assert 0.9999 * epsilon <= spent.high <= epsilon * (1 + 1e-9)
    assert float(allowance.rho) > 0.9 * allowance.mu**2 / 2
    general = ZcdpLoss(allowance.rho).epsilon(1e-7).high
    assert general > epsilon, "the general conversion would allow for less"


def test_noise_of_a_share_costs_that_share() -> None:
    allowance = GaussianAllowance(Fraction(1, 8)).take(Fraction(1, 100))
    noise = allowance.make_noise(1000)
    cost = Fraction(1000) ** 2 / (2 * Fraction(noise.sigma) ** 2)
    assert allowance.rho * Fraction(999_999, 1_000_000) < cost <= allowance.rho


def test_parts_are_together_the_loss_of_the_whole() -> None:
    allowance = GaussianAllowance(Fraction(1, 8))
    parts = GaussianLoss(allowance.take(Fraction(1, 50)).mu) * 50
    assert parts.epsilon(1e-6).high == pytest.approx(allowance.loss.epsilon(1e-6).high, rel=1e-6)
    assert allowance.charge.epsilon == math.inf


def test_a_statement_that_is_none_is_refused() -> None:
    wrong: list[dict[str, float]] = [
        {},
        {"epsilon": 1.0},
        {"epsilon": 1.0, "rho": 1.0},
        {"rho": 0.1, "delta": 1e-6},
        {"epsilon": 1.0, "delta": 0.0},
        {"epsilon": -1.0, "delta": 1e-6},
        {"rho": 0.0},
    ]
    for given in wrong:
        with pytest.raises(ParameterError):
            read_gaussian_allowance(**given)
