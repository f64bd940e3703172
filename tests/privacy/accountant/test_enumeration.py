"""Few losses of few values: all sums listed, against products of exact laws."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from discreet.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    Loss,
    PureLoss,
    RandomizedResponseLoss,
)
from discreet.privacy.accountant.enumeration import bracket_enumerated, bracket_sums, can_enumerate, enumerate_sums
from discreet.privacy.accountant.pairs import Releases
from support import laws
from support.laws import Law, at_most

Factor = tuple[Law, Law]


def parts_of(*losses: tuple[Loss, int]) -> Releases:
    return [((loss.list_pairs() or [])[0], count) for loss, count in losses]


def assert_bracketed(parts: Releases, truth: arb, epsilon: float, slack: float = 1e-8) -> None:
    found = bracket_enumerated(parts, epsilon)
    assert found.high == 1 or at_most(truth, found.high)
    assert found.low <= float(truth.upper()) + 1e-30
    assert found.high - found.low <= slack


@pytest.mark.many
@pytest.mark.parametrize("count", [1, 2, 7, 100, 3000])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.9, 1.0])
def test_randomized_response_is_the_binomial_sum(count: int, epsilon: float, share: float) -> None:
    at = share * count * epsilon
    truth = laws.response_composed_delta(count, epsilon, at)
    assert_bracketed(parts_of((PureLoss(epsilon), count)), truth, at, slack=1e-10 * (1 + count * epsilon))


PRODUCTS: list[tuple[list[tuple[Loss, int]], list[Factor]]] = [
    ([(DiscreteLaplaceLoss(2.0, 3), 4)], [laws.laplace_outcomes(2.0, 3)] * 4),
    ([(DiscreteLaplaceLoss(0.7, 1), 6)], [laws.laplace_outcomes(0.7, 1)] * 6),
    ([(DiscreteGaussianLoss(0.4, 1), 2)], [laws.gaussian_outcomes(0.4, 1)] * 2),
    ([(DiscreteGaussianLoss(0.6, 2), 2)], [laws.gaussian_outcomes(0.6, 2)] * 2),
    ([(ApproximateLoss(0.5, 0.01), 5)], [laws.response(0.5, 0.01)] * 5),
    (
        [(PureLoss(0.3), 2), (ApproximateLoss(1.0, 1e-3), 2), (DiscreteLaplaceLoss(5.0, 2), 2)],
        [laws.response(0.3)] * 2 + [laws.response(1.0, 1e-3)] * 2 + [laws.laplace_outcomes(5.0, 2)] * 2,
    ),
    (
        [(RandomizedResponseLoss(0.25), 3), (DiscreteGaussianLoss(0.5, 1), 1)],
        [([laws.ball(0.75), laws.ball(0.25)], [laws.ball(0.25), laws.ball(0.75)])] * 3
        + [laws.gaussian_outcomes(0.5, 1)],
    ),
]


@pytest.mark.parametrize(("losses", "factors"), PRODUCTS, ids=lambda value: repr(value)[:60])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.77, 2.0, 5.0])
def test_small_products_are_the_joint_sum(
    losses: list[tuple[Loss, int]], factors: list[Factor], epsilon: float
) -> None:
    assert_bracketed(parts_of(*losses), laws.product_delta(factors, epsilon), epsilon)


def test_losses_that_nearly_coincide_stay_apart() -> None:
    """Many sums a hair apart must not slide together into one."""
    near, nearer = 1e-3, 1e-3 + 0.9e-13
    parts = parts_of((PureLoss(near), 140), (PureLoss(nearer), 140))
    sums = enumerate_sums(parts)
    mean = float(sums.losses @ sums.masses)
    exact = 140 * (near * math.tanh(near / 2) + nearer * math.tanh(nearer / 2))
    assert mean == pytest.approx(exact, abs=1e-11)


@pytest.mark.many
@pytest.mark.parametrize("epsilon", [1e-12, 4e-14, 1e-15])
def test_tiny_losses_do_not_vanish(epsilon: float) -> None:
    truth = laws.response_composed_delta(2_000, epsilon, 0)
    assert at_most(truth, bracket_enumerated(parts_of((PureLoss(epsilon), 2_000)), 0.0).high)


def test_infinite_masses_compose() -> None:
    sums = enumerate_sums(parts_of((ApproximateLoss(0.5, 0.01), 3), (ApproximateLoss(1.0, 0.1), 1)))
    exact = 1 - Fraction(99, 100) ** 3 * Fraction(9, 10)
    assert sums.infinite == pytest.approx(float(exact), rel=1e-12)
    assert float(sums.masses.sum()) == pytest.approx(float(1 - exact), rel=1e-12)


def test_delta_of_a_law_is_at_least_its_infinite_mass() -> None:
    law = enumerate_sums(parts_of((ApproximateLoss(0.5, 0.01), 2)))
    assert bracket_sums(law, 50.0).low == pytest.approx(0.0199, rel=1e-12)
    assert bracket_sums(law, 50.0).high >= 1 - 0.99**2


def test_what_cannot_be_listed_is_left_to_the_grid() -> None:
    assert can_enumerate(parts_of((PureLoss(0.1), 64)))
    assert not can_enumerate(parts_of((PureLoss(0.1), 65)))
    assert not can_enumerate(parts_of((PureLoss(0.1), 200), (PureLoss(0.2), 200)))
    assert not can_enumerate(parts_of((GaussianLoss(1.0), 1)))
    assert not can_enumerate(parts_of((DiscreteGaussianLoss(9.0, 1), 1)))


def test_a_chain_of_sums_each_close_to_the_next_is_not_one_sum() -> None:
    """Thirteen tiny epsilons spread 9 into 8192 sums, each a hair above the last and all far from the first."""
    epsilons = [*(4.4e-14 * 2**i for i in range(13)), 9.0]
    parts = parts_of(*((PureLoss(epsilon), 1) for epsilon in epsilons))
    at = 9.0 + 1e-10
    both = [laws.response(epsilon) for epsilon in epsilons]
    truth = laws.product_delta([(first[:2], second[:2]) for first, second in both], at)
    assert can_enumerate(parts)
    assert at_most(truth, bracket_enumerated(parts, at).high, slack=0.0)
    assert bracket_enumerated(parts, at).low <= float(truth)


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 0.7])
def test_equal_sums_stay_one_sum(epsilon: float) -> None:
    assert len(enumerate_sums(parts_of((PureLoss(epsilon), 64))).losses) <= 2 * 65
