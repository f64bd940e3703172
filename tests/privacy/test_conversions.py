"""From Renyi divergences to (epsilon, delta): both directions of one formula, and the orders that are tried."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.privacy.conversions import choose_orders, convert_to_delta, convert_to_epsilon, find_best_order
from support.laws import ball, exactly


@pytest.mark.parametrize(("order", "size", "delta"), [(2.0, 0.5, 1e-5), (32.0, 1.0, 1e-9), (1.5, 0.01, 1e-3)])
def test_epsilon_and_delta_undo_each_other(order: float, size: float, delta: float) -> None:
    epsilon = convert_to_epsilon(order, size, delta)
    back = exactly(lambda: convert_to_delta(ball(order), ball(size), ball(epsilon)))()
    assert float(back) <= delta
    assert float(back) == pytest.approx(delta, rel=1e-9)


def test_the_conversion_is_its_formula() -> None:
    formula = math.exp(3 * (0.5 - 1.2)) / 3 * (1 - 1 / 4) ** 4
    assert float(convert_to_delta(ball(4), ball(0.5), ball(1.2))) == pytest.approx(formula, rel=1e-12)


def test_no_divergence_converts_to_nothing_and_no_epsilon_is_negative() -> None:
    assert convert_to_epsilon(2.0, math.inf, 1e-6) == math.inf
    assert convert_to_epsilon(2.0, 0.0, 0.9) == 0


@pytest.mark.parametrize(("rho", "epsilon"), [(0.01, 0.5), (0.5, 5.0)])
def test_the_best_order_is_found(rho: float, epsilon: float) -> None:
    def bound(order: float) -> float:
        return float(convert_to_delta(ball(order), ball(order * rho), ball(epsilon)))

    best = bound(find_best_order(lambda a: a * rho, epsilon))
    assert best <= min(bound(1 + 1.1**step) for step in range(-100, 100)) * (1 + 1e-9)


def test_orders_hold_the_knots_and_stop_where_told() -> None:
    found = choose_orders([Fraction(11, 10)], Fraction(100))
    assert Fraction(11, 10) in found
    assert found == sorted(found)
    assert found[0] > 1
    assert found[-1] <= 100
    assert all(order.denominator == 1 for order in choose_orders([], Fraction(100), whole_only=True))
