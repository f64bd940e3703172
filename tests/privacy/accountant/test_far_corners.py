"""Brackets where floats run out of range or of digits: wide windows, rates near 1, tops of the support, tiny deltas."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Certified,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
)
from discreet.privacy.accountant.bracket import bracket_delta, bracket_epsilon
from discreet.privacy.accountant.composed_laws import ComposedLaws
from discreet.privacy.accountant.grid_law import GridReach, make_pessimistic
from discreet.privacy.accountant.pairs import make_gaussian, make_pure
from discreet.privacy.accountant.sampled_pairs import make_poisson_sampled
from support import laws
from support.laws import at_most, ball, exactly


def assert_around(found: Certified, truth: arb) -> None:
    assert at_most(truth, found.high, slack=0.0)
    assert found.low == 0 or laws.ball(found.low) <= truth.upper()


@pytest.mark.slow
def test_many_groups_of_nearly_one_loss_cost_what_one_group_does() -> None:
    """Each group has a window of its own, so that together they span far more than the total loss does."""
    mus = [1.1 * (1 + 1e-9 * i) for i in range(20)]
    apart: Loss = PureLoss(0.0)
    for mu in mus:
        apart += SampledLoss(GaussianLoss(mu), 0.01) * 100
    found = apart.epsilon(1e-6)
    assert found.high >= (SampledLoss(GaussianLoss(mus[0]), 0.01) * 2000).epsilon(1e-6).low
    assert found.low <= (SampledLoss(GaussianLoss(mus[-1]), 0.01) * 2000).epsilon(1e-6).high


@exactly
def compute_gaussian_delta(mu: arb, epsilon: float) -> arb:
    at = ball(epsilon)
    return laws.normal_above(at / mu - mu / 2) - at.exp() * laws.normal_above(at / mu + mu / 2)


@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-280, 1e-290, 1e-297, 1e-305, 1e-315])
def test_gaussians_at_deltas_near_the_end_of_floats(mu: float, delta: float) -> None:
    found = bracket_epsilon([[(make_gaussian(mu), 1)]], delta)
    assert math.isinf(found.high) or compute_gaussian_delta(ball(mu), found.high) <= ball(delta)
    assert found.low == 0 or compute_gaussian_delta(ball(mu), found.low) >= ball(delta)


@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 100), (0.1, 70), (1 / 3, 100)])
def test_delta_is_not_zero_just_below_the_sum_of_epsilons(epsilon: float, count: int) -> None:
    at = epsilon * count
    for point in (at, math.nextafter(at, 0.0), math.nextafter(at, math.inf), at * (1 - 1e-14)):
        assert_around((PureLoss(epsilon) * count).delta(point), laws.response_composed_delta(count, epsilon, point))


@pytest.mark.many
@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize(
    ("epsilon", "rate"), [(30.0, 1 - 1e-13), (20.0, 1 - 1e-8), (36.0, 1 - 2**-53), (10.0, 0.999), (5.0, 1e-9)]
)
def test_sampled_responses_at_rates_near_one(
    epsilon: float, rate: float, listed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not listed:
        monkeypatch.setattr("discreet.privacy.accountant.bracket.can_enumerate", lambda parts: False)
    first, second = laws.response(epsilon)
    mixture = laws.mixed(first, second, Fraction(rate))
    ways = zip(make_poisson_sampled(make_pure(epsilon), rate), ((mixture, second), (second, mixture)), strict=True)
    for pair, (one, other) in ways:
        for at in (0.0, 0.5, epsilon / 2, epsilon - 3, epsilon - 1, epsilon - 0.7):
            assert_around(bracket_delta([[(pair, 1)]], at), laws.hockey_stick(one, other, at))


@pytest.mark.parametrize("count", [2, 30, 100])
@pytest.mark.parametrize("lie", [0.49, 0.5 - 1e-7, 0.5 - 1e-12])
@exactly
def test_responses_that_nearly_always_flip_a_fair_coin(lie: float, count: int) -> None:
    own, other = 1 - ball(lie), ball(lie)
    each = (own / other).log()
    for share in (0.0, 0.3, 0.9, 1 - 1e-9):
        at = float(each * count) * share
        terms = [
            arb(math.comb(count, j)) * own ** (count - j) * other**j * (1 - (ball(at) - (count - 2 * j) * each).exp())
            for j in range(count + 1)
        ]
        truth = sum((term.max(arb(0)) for term in terms), arb(0))
        assert_around((RandomizedResponseLoss(lie) * count).delta(at), truth)


def test_what_only_dominates_a_huge_loss_gives_no_lower_bound() -> None:
    assert (ApproximateLoss(650.0, 1e-5) + PureLoss(0.1)).delta(651.0).low <= 1e-5
    assert (BoundedRangeLoss(1300.0) + PureLoss(0.1)).delta(1300.05).low == 0


@pytest.mark.parametrize(("mu", "count"), [(1.0, 2), (0.3, 3), (0.7, 5)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0, 5.0])
def test_joined_gaussians_are_bracketed_to_the_last_digit(mu: float, count: int, epsilon: float) -> None:
    found = (GaussianLoss(mu) * count).delta(epsilon)
    assert_around(found, _joined(mu, count, epsilon))


@exactly
def _joined(mu: float, count: int, epsilon: float) -> arb:
    return compute_gaussian_delta(ball(mu) * arb(count).sqrt(), epsilon)


def test_narrow_losses_beside_a_wide_one_stay_narrow() -> None:
    parts = [(LaplaceLoss(500.0).list_pairs()[0], 1), *((make_pure(0.01 + i * 1e-6), 1) for i in range(300))]
    laws_on_grid = ComposedLaws(parts, 1e-3, GridReach(1e-15), make_pessimistic)
    assert sum(block.losses.size for block in laws_on_grid.blocks) < 2e6


@pytest.mark.slow
@pytest.mark.parametrize("mu", [100.0, 300.0])
def test_losses_that_no_grid_holds_are_still_bounded(mu: float) -> None:
    """Of such a Gaussian loss no mass lies on a grid that the other's tail would choose: nothing raises."""
    loss = SampledLoss(GaussianLoss(mu), 1.0) * 4
    for epsilon in (2e4, 1e7):
        exact = (GaussianLoss(mu) * 4).delta(epsilon)
        found = loss.delta(epsilon)
        assert found.low <= exact.high
        assert exact.low <= found.high
