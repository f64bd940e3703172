"""Trade-off curves against their closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from discreet.base.errors import ParameterError
from discreet.privacy import (
    ApproximateLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    SampledLoss,
)
from support import laws

RATES = [0.0, 1e-6, 0.01, 0.05, 0.3, 0.5, 0.77, 0.99, 1.0]
each_rate = pytest.mark.parametrize("rate", RATES)
LOSSES: list[Loss] = [
    PureLoss(0.5),
    GaussianLoss(1.0),
    LaplaceLoss(2.0),
    ApproximateLoss(1.0, 0.01),
    DiscreteLaplaceLoss(2.0, 3),
    SampledLoss(GaussianLoss(1.0), 0.2),
    PureLoss(0.2) * 5,
]


def gaussian(mu: float, rate: float) -> float:
    return float(special.ndtr(special.ndtri(1 - rate) - mu))


def approximate(epsilon: float, delta: float, rate: float) -> float:
    return max(0.0, 1 - delta - math.exp(epsilon) * rate, math.exp(-epsilon) * (1 - delta - rate))


@pytest.mark.many
@pytest.mark.parametrize("mu", [0.01, 0.5, 1.0, 3.0])
@each_rate
def test_gaussian_is_its_closed_form(mu: float, rate: float) -> None:
    found, truth = GaussianLoss(mu).tradeoff(rate), gaussian(mu, rate)
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert found.high - found.low <= 0.03


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [0.0, 1e-4, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
@each_rate
def test_pure_and_approximate_are_two_lines(epsilon: float, delta: float, rate: float) -> None:
    found, truth = ApproximateLoss(epsilon, delta).tradeoff(rate), approximate(epsilon, delta, rate)
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert truth - found.low <= 0.03


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_false_negatives_fall_as_false_positives_rise(loss: Loss) -> None:
    found = [loss.tradeoff(rate) for rate in RATES]
    assert all(later.low <= earlier.high for earlier, later in pairwise(found))
    assert all(0 <= each.low <= each.high <= 1 for each in found)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_curve_is_convex_up_to_its_bracket(loss: Loss) -> None:
    found = [loss.tradeoff(step / 10) for step in range(11)]
    for middle in range(1, 10):
        assert found[middle].low <= (found[middle - 1].high + found[middle + 1].high) / 2


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@each_rate
def test_no_test_is_better_than_guessing_allows(loss: Loss, rate: float) -> None:
    assert loss.tradeoff(rate).high <= 1 - rate + 1e-12


@given(st.floats(0, 1))
@settings(max_examples=15, deadline=None)
def test_more_loss_never_makes_the_attacker_worse(rate: float) -> None:
    assert GaussianLoss(2.0).tradeoff(rate).low <= GaussianLoss(1.0).tradeoff(rate).high


def test_perfect_privacy_is_the_diagonal() -> None:
    for rate in RATES:
        assert PureLoss(0).tradeoff(rate).low == pytest.approx(1 - rate, abs=1e-12)


@pytest.mark.parametrize("loss", [PureLoss(800.0), LaplaceLoss(2000.0), GaussianLoss(60.0)], ids=repr)
def test_huge_losses_leave_nothing_hidden(loss: Loss) -> None:
    assert loss.tradeoff(0.1).high <= 1e-9


@pytest.mark.parametrize("rate", [-0.1, 1.1, math.nan, "0.5", None])
def test_rates_that_are_no_rates_are_refused(rate: float) -> None:
    with pytest.raises(ParameterError, match=r"^alpha must be"):
        PureLoss(1.0).tradeoff(rate)


@pytest.mark.parametrize("epsilon", [690.0, 705.0, 1e5])
@pytest.mark.parametrize("alpha", [1e-307, 5e-324, 1e-300])
def test_losses_whose_exponentials_leave_the_floats_promise_nothing_false(epsilon: float, alpha: float) -> None:
    """Randomized response: 1 - e^epsilon alpha, where positive."""
    truth = laws.exactly(lambda: 1 - laws.ball(epsilon).exp() * laws.ball(alpha))()
    found = PureLoss(epsilon).tradeoff(alpha)
    assert found.low <= max(0.0, float(truth)) <= found.high
