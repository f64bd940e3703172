"""From Renyi divergences to (epsilon, delta), in balls."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from discreet.base.check import Exact
from discreet.base.rounding import ball, rounded_up


def convert_to_delta(order: arb, divergence: arb, epsilon: arb) -> arb:
    """Return a delta that goes with epsilon, of any sign, where the divergence of this order is known.

    exp((a - 1)(D - epsilon)) / (a - 1) * (1 - 1/a)^a (Canonne, Kamath, Steinke 2020, Proposition 12).
    """
    exponent = (order - 1) * (divergence - epsilon) + order * (1 - 1 / order).log()
    return exponent.exp() / (order - 1)


def convert_to_epsilon(order: Exact, divergence: Exact, delta: Exact) -> float:
    """Return an epsilon that goes with delta, rounded up, where the divergence of this order is known.

    D + ln((a - 1) / a) - (ln delta + ln a) / (a - 1), or 0 if that is negative: the same, solved for epsilon.
    """
    if not math.isfinite(divergence):
        return math.inf

    def find_epsilon() -> arb:
        a = ball(order)
        return ball(divergence) + ((a - 1) / a).log() - (ball(delta).log() + a.log()) / (a - 1)

    return max(0.0, rounded_up(find_epsilon))


def find_best_order(divergence_at: Callable[[float], float], epsilon: float) -> float:
    """Return an order a > 1 near the best of the conversion to delta, by golden section on ln(a - 1).

    Any order gives a bound, so floats will do.
    """

    def bound_log_delta(x: float) -> float:
        order = 1 + math.exp(x)
        return (order - 1) * (divergence_at(order) - epsilon) - x - order * math.log1p(math.exp(-x))

    low, high, ratio = -30.0, 30.0, (math.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if bound_log_delta(left) < bound_log_delta(right):
            high = right
        else:
            low = left
    return 1 + math.exp((low + high) / 2)


def choose_orders(knots: list[Fraction], most: Fraction, whole_only: bool = False) -> list[Fraction]:
    """Return orders to try where no formula says which is best: the knots, and others between 1 and `most`.

    Whole ones from 2 on: for those a sampled Gaussian has a finite sum.
    """
    whole = sorted({round(2 * 1.25**step) for step in range(40)})
    between = [] if whole_only else [Fraction(9, 8), Fraction(5, 4), Fraction(3, 2), Fraction(7, 4)]
    listed = [*between, *map(Fraction, whole), *knots]
    return sorted({order for order in listed if 1 < order <= most})
