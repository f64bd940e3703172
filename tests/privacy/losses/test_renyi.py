"""Stated Renyi curves: conversions, what lies between orders, and composition."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.privacy import GaussianLoss, LaplaceLoss, Loss, RandomizedResponseLoss, RenyiLoss, SampledLoss, ZcdpLoss

ORDERS = [1.1, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0]
KNOWN = [GaussianLoss(0.4), LaplaceLoss(0.5), RandomizedResponseLoss(0.3), SampledLoss(GaussianLoss(1.0), 0.02)]


def state_curve(loss: Loss) -> RenyiLoss:
    return RenyiLoss(ORDERS, [loss.renyi(order) for order in ORDERS])


@pytest.mark.parametrize("loss", KNOWN, ids=repr)
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
def test_a_curve_never_promises_more_than_the_release_that_has_it(loss: Loss, delta: float) -> None:
    assert state_curve(loss).epsilon(delta).high >= loss.epsilon(delta).low
    assert (state_curve(loss) * 5).epsilon(delta).high >= (loss * 5).epsilon(delta).low


@pytest.mark.parametrize("delta", [1e-4, 1e-6, 1e-8])
def test_a_gaussian_curve_is_as_tight_as_its_zcdp(delta: float) -> None:
    """The best whole order is near the best order: 5 percent is lost to the orders that are not listed."""
    dense = RenyiLoss(list(range(2, 200)), [order * 0.08 for order in range(2, 200)])
    exact = ZcdpLoss(0.08).epsilon(delta).high
    assert exact <= dense.epsilon(delta).high * (1 + 1e-9)
    assert dense.epsilon(delta).high <= 1.05 * exact


@given(st.floats(1.1, 64.0))
@settings(max_examples=40, deadline=None)
def test_between_orders_the_curve_lies_above_the_truth(order: float) -> None:
    for loss in KNOWN[1:3]:
        truth, found = loss.renyi(order), state_curve(loss).renyi(order)
        assert truth <= found * (1 + 1e-12)
        assert found <= 1.2 * truth


def test_what_no_order_bounds_is_infinite() -> None:
    loss = RenyiLoss([2.0, 4.0], [0.1, 0.2])
    assert loss.renyi(4.5) == math.inf
    assert loss.renyi(1.01) == 0.1
    assert loss.zcdp() == loss.pure == math.inf
    assert loss.delta(1.0).low == 0


def test_an_order_is_the_decimal_that_it_prints_as() -> None:
    assert RenyiLoss([1.1], [0.25]).renyi(1.1) == 0.25
    assert math.isfinite((RenyiLoss([1.1], [0.25]) * 3).epsilon(1e-3).high)


def test_composed_curves_add_up_at_every_order() -> None:
    whole = RenyiLoss([2.0, 8.0], [0.1, 0.3]) * 3 + RenyiLoss([8.0], [0.5])
    assert whole.renyi(8.0) == pytest.approx(1.4)
    assert whole.epsilon(1e-6).high <= RenyiLoss([8.0], [1.4]).epsilon(1e-6).high * (1 + 1e-9)


def test_curves_compose_with_other_kinds() -> None:
    mixed = RenyiLoss(ORDERS, [order * 0.02 for order in ORDERS]) + GaussianLoss(0.2)
    assert GaussianLoss(math.sqrt(0.08)).epsilon(1e-6).low <= mixed.epsilon(1e-6).high
    assert mixed.epsilon(1e-6).high <= 1.1 * ZcdpLoss(0.04).epsilon(1e-6).high


def test_a_divergence_of_zero_is_no_loss() -> None:
    assert RenyiLoss([2.0], [0.0]).pure == 0


def test_a_curve_comes_back_from_json_in_order() -> None:
    loss = RenyiLoss([8.0, Fraction(4, 3)], [Fraction(1, 3), 0.1])
    assert Loss.from_json(loss.to_json()) == loss
    assert loss.orders == (Fraction(4, 3), 8.0)


@pytest.mark.parametrize(
    ("orders", "divergences", "name"),
    [
        ([], [], "orders"),
        ([1.0], [0.1], "orders"),
        ([2.0, 2.0], [0.1, 0.2], "orders"),
        ([2.0], [], "divergences"),
        ([2.0], [-0.1], "divergences"),
        ([2.0], [math.inf], "divergences"),
    ],
)
def test_senseless_curves_are_refused(orders: list[float], divergences: list[float], name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be"):
        RenyiLoss(orders, divergences)
