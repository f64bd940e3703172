"""The certified accountant on its own, closed forms switched off: brackets around numbers known another way."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from discreet.privacy import (
    ApproximateLoss,
    Certified,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
    SampledLoss,
)
from discreet.privacy.accountant import bracket, limits
from discreet.privacy.accountant.bracket import bracket_delta, bracket_epsilon
from discreet.privacy.accountant.composed_laws import ComposedLaws, LawMaker
from discreet.privacy.accountant.grid_law import GridReach
from discreet.privacy.accountant.pairs import Releases
from support import laws
from support.laws import Law, at_most, ball, exactly

DELTAS = [1e-5, 1e-6, 1e-10, 1e-15, 1e-20]


def ways(*losses: tuple[Loss, int]) -> list[Releases]:
    """Return what the accountant composes, without any shortcut of the losses."""
    pairs = [(loss.list_pairs() or [], count) for loss, count in losses]
    most = max(len(listed) for listed, _ in pairs)
    return [[(listed[way % len(listed)], count) for listed, count in pairs] for way in range(most)]


def assert_near(found: Certified, truth: float, reach: float = 1e-3) -> None:
    assert found.low <= truth * (1 + 1e-12) <= found.high * (1 + 2e-12)
    assert found.high - truth <= reach
    assert truth - found.low <= reach


@pytest.mark.many
@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("count", [1, 10, 1000, 10_000, 100_000, 1_000_000])
def test_gaussians_of_sigma_root_k_are_one_gaussian(count: int, delta: float) -> None:
    each = GaussianLoss(1 / math.sqrt(count))
    found = bracket_epsilon(ways((each, count)), delta)
    truth = GaussianLoss(each.mu * math.sqrt(count)).epsilon(delta)
    assert_near(found, truth.high)


@pytest.mark.parametrize(("delta", "truth"), [(1e-5, 4.377178095681), (1e-6, 4.886554117462), (1e-10, 6.547924066865)])
def test_gaussians_have_the_published_epsilons(delta: float, truth: float) -> None:
    assert_near(bracket_epsilon(ways((GaussianLoss(0.01), 10_000)), delta), truth)


@pytest.mark.parametrize("delta", [1e-12, 1e-14])
def test_ten_thousand_gaussians_of_sigma_100_are_not_below_the_truth(delta: float) -> None:
    """A widely used accountant reports 0.015 and 0.22 less than the truth here."""
    found = bracket_epsilon(ways((SampledLoss(GaussianLoss(0.01), 1.0), 10_000)), delta)
    assert_near(found, GaussianLoss(1.0).epsilon(delta).high)


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 5.0, 20.0])
@pytest.mark.parametrize("delta", [0.9, 0.3, 1e-2, 1e-9, 1e-30, 1e-100, 1e-290])
def test_one_gaussian_at_extreme_sizes_and_deltas(mu: float, delta: float) -> None:
    found, truth = bracket_epsilon(ways((GaussianLoss(mu), 1)), delta), GaussianLoss(mu).epsilon(delta)
    assert found.low <= truth.high
    assert truth.low <= found.high
    assert found.high <= truth.high * 1.002 + 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0, 8.0, 12.0, 20.0, 35.0])
def test_delta_of_gaussians_from_the_middle_to_far_out(epsilon: float) -> None:
    found, truth = bracket_delta(ways((GaussianLoss(0.1), 100)), epsilon), GaussianLoss(1.0).delta(epsilon)
    assert found.low <= truth.high
    assert truth.low <= found.high
    assert found.high <= truth.high * 1.1 + 1e-290


def assert_response(found: Certified, count: int, epsilon: float, delta: float, reach: float = 1e-3) -> None:
    """Check a bracket through the falling exact curve: delta(low) is at least the delta asked for, and so on."""

    def curve(at: float) -> arb:
        return laws.response_composed_delta(count, epsilon, max(at, 0.0))

    target = ball(delta)
    assert curve(found.high) <= target
    assert found.low == 0 or curve(found.low) >= target * (1 - ball(1e-12))
    assert found.high <= reach or curve(found.high - reach) >= target
    assert curve(found.low + reach) <= target


@pytest.mark.many
@pytest.mark.parametrize("delta", [1e-5, 1e-10, 1e-20])
@pytest.mark.parametrize("count", [10, 100, 1000, 10_000, 100_000, 1_000_000])
def test_randomized_response_is_the_exact_binomial(count: int, delta: float) -> None:
    epsilon = 1 / math.sqrt(count)
    assert_response(bracket_epsilon(ways((PureLoss(epsilon), count)), delta), count, epsilon, delta)


@pytest.mark.many
@pytest.mark.parametrize(
    ("epsilon", "count"), [(1e-5, 1_000_000), (0.1, 30_000), (1.0, 3_000), (3.0, 25_000), (30.0, 20_001)]
)
@pytest.mark.parametrize("delta", [0.5, 1e-3, 1e-12, 1e-60])
def test_randomized_response_at_other_sizes(epsilon: float, count: int, delta: float) -> None:
    found = bracket_epsilon(ways((PureLoss(epsilon), count)), delta)
    assert_response(found, count, epsilon, delta, reach=1e-3 + 1e-6 * count * epsilon)


def test_a_hundred_responses_cost_nearly_a_hundred_times_one() -> None:
    """A widely used accountant says 1.0987 where the count is given at once."""
    found = bracket_epsilon(ways((RandomizedResponseLoss(0.25), 100)), 1e-9)
    assert found.low == pytest.approx(102.7, abs=0.1)
    assert found.high == pytest.approx(102.7, abs=0.1)


@pytest.mark.many
@pytest.mark.parametrize(
    ("sigma", "steps", "published", "width"),
    [(1.3, 3515, 0.8645, 1e-3), (1.1, 14_062, 2.3817, 5e-3), (0.7, 10_546, 5.6394, 0.04)],
)
def test_published_sampled_gaussians(sigma: float, steps: int, published: float, width: float) -> None:
    found = bracket_epsilon(ways((SampledLoss(GaussianLoss(1 / sigma), 256 / 60_000), steps)), 1e-5)
    assert published - 1e-4 <= found.high <= published + 2e-3
    assert found.high - width <= found.low <= found.high


@pytest.mark.many
@pytest.mark.parametrize(("mu", "rate", "steps"), [(0.5, 1e-3, 1_000), (1.0, 1e-5, 100_000), (2.0, 1e-4, 10_000)])
def test_tiny_rates_are_bracketed_closely(mu: float, rate: float, steps: int) -> None:
    found = bracket_epsilon(ways((SampledLoss(GaussianLoss(mu), rate), steps)), 1e-9)
    assert found.low <= found.high <= found.low + 0.1


def test_distinct_losses_are_bracketed_closely() -> None:
    found = bracket_epsilon(ways(*((LaplaceLoss(1 / (10 + 0.1 * i)), 1) for i in range(200))), 1e-6)
    assert found.low <= found.high <= found.low + 0.06


def test_a_discrete_gaussian_of_tiny_lattice_is_bracketed_closely() -> None:
    found = bracket_epsilon(ways((DiscreteGaussianLoss(1e4, 1), 10**4)), 1e-6)
    assert found.low <= found.high <= found.low + 1e-3


def test_discrete_laplace_costs_more_than_the_continuous_one() -> None:
    discrete = bracket_epsilon(ways((DiscreteLaplaceLoss(5.0, 1), 50)), 1e-9)
    continuous = bracket_epsilon(ways((LaplaceLoss(0.2), 50)), 1e-9)
    assert (round(discrete.low, 2), round(discrete.high, 2)) == (8.35, 8.35)
    assert continuous.low <= 8.08 + 5e-3
    assert continuous.high == pytest.approx(8.08, abs=5e-3)


SMALL: list[tuple[list[tuple[Loss, int]], list[tuple[Law, Law]]]] = [
    (
        [(PureLoss(0.3), 3), (ApproximateLoss(1.0, 1e-3), 2), (DiscreteLaplaceLoss(5.0, 3), 3)],
        [laws.response(0.3)] * 3 + [laws.response(1.0, Fraction(1e-3))] * 2 + [laws.laplace_outcomes(5.0, 3)] * 3,
    ),
    (
        [(DiscreteGaussianLoss(0.7, 1), 2), (PureLoss(0.37), 3)],
        [laws.gaussian_outcomes(0.7, 1)] * 2 + [laws.response(0.37)] * 3,
    ),
    ([(PureLoss(7.0), 3), (PureLoss(0.013), 6)], [laws.response(7.0)] * 3 + [laws.response(0.013)] * 6),
]


@pytest.mark.many
@pytest.mark.parametrize(("losses", "factors"), SMALL, ids=lambda value: repr(value)[:40])
@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.1, 3.3, 14.0, 21.0])
@pytest.mark.parametrize("listed", [True, False])
def test_products_of_exact_laws_are_bracketed(
    losses: list[tuple[Loss, int]],
    factors: list[tuple[Law, Law]],
    epsilon: float,
    listed: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not listed:
        monkeypatch.setattr("discreet.privacy.accountant.bracket.can_enumerate", lambda parts: False)
    found, truth = bracket_delta(ways(*losses), epsilon), laws.product_delta(factors, epsilon)
    assert at_most(truth, found.high)
    assert found.low <= float(truth.upper()) * (1 + 1e-15) + 1e-30


@exactly
def _gaussian_beside(mu: float, factors: list[tuple[Law, Law]], epsilon: float) -> arb:
    """Return delta of a Gaussian beside discrete releases: its own curve, moved by each joint loss."""
    total = arb(0)
    first, second = [arb(1)], [arb(1)]
    for one, other in factors:
        first = [p * a for p in first for a in one]
        second = [q * b for q in second for b in other]
    for p, q in zip(first, second, strict=True):
        if q == 0:
            total += p
        elif p > 0:
            rest = ball(epsilon) - (p / q).log()
            near, far = rest / ball(mu) - ball(mu) / 2, rest / ball(mu) + ball(mu) / 2
            total += p * (laws.normal_above(near) - rest.exp() * laws.normal_above(far))
    return total


@pytest.mark.many
@pytest.mark.parametrize("mu", [0.05, 1.0, 6.0])
@pytest.mark.parametrize(
    ("losses", "factors"),
    [
        ([(PureLoss(0.5), 5)], [laws.response(0.5)] * 5),
        ([(ApproximateLoss(1.0, 0.01), 3)], [laws.response(1.0, Fraction(0.01))] * 3),
        (
            [(DiscreteLaplaceLoss(3.0, 4), 3), (PureLoss(0.01), 4)],
            [laws.laplace_outcomes(3.0, 4)] * 3 + [laws.response(0.01)] * 4,
        ),
        ([(PureLoss(15.0), 1), (PureLoss(1e-3), 3)], [laws.response(15.0)] + [laws.response(1e-3)] * 3),
    ],
    ids=lambda value: repr(value)[:40],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.9, 9.0, 25.0])
def test_a_gaussian_beside_others_is_bracketed(
    mu: float, losses: list[tuple[Loss, int]], factors: list[tuple[Law, Law]], epsilon: float
) -> None:
    found = bracket_delta(ways((GaussianLoss(mu), 1), *losses), epsilon)
    truth = _gaussian_beside(mu, factors, epsilon)
    assert at_most(truth, found.high)
    assert found.low <= float(truth.upper()) * (1 + 1e-12) + 1e-30


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("rate", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("leak", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3, 0.6, 1.4])
def test_sampled_leaky_responses_are_bracketed_both_ways(count: int, rate: float, leak: float, epsilon: float) -> None:
    first, second = laws.response(0.8, Fraction(leak))
    mixture = laws.mixed(first, second, rate)
    loss = SampledLoss(ApproximateLoss(0.8, leak), rate)
    for way, (one, other) in zip(ways((loss, count)), ((mixture, second), (second, mixture)), strict=True):
        truth = laws.product_delta([(one, other)] * count, epsilon)
        found = bracket_delta([way], epsilon)
        assert at_most(truth, found.high)
        assert found.low <= float(truth.upper()) + 1e-30


@pytest.mark.parametrize("lattice", [1e-4, 1e-6, 1e-8])
def test_a_tiny_lattice_beside_a_wide_loss_does_not_exhaust_the_memory(
    lattice: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    points: list[int] = []

    class WatchedLaws(ComposedLaws):
        def __init__(self, releases: Releases, step: float, reach: GridReach, maker: LawMaker) -> None:
            assert 20 / step <= 4 * limits.FINEST, f"a step of {step} asks for {20 / step:.0f} points"
            super().__init__(releases, step, reach, maker)
            points.append(max(block.losses.size for block in self.blocks))

    monkeypatch.setattr(bracket, "ComposedLaws", WatchedLaws)
    found = bracket_epsilon(ways((PureLoss(lattice), 10), (GaussianLoss(1.0), 1)), 1e-6)
    assert found.high == pytest.approx(GaussianLoss(1.0).epsilon(1e-6).high, abs=1e-3 + 10 * lattice)
    assert max(points) <= 2 * limits.FINEST
