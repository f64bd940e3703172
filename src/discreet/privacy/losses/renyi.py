"""A Renyi curve that somebody states: divergences at some orders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_up
from discreet.privacy.amounts import read_decimal, read_for_sums, read_up, state_amount
from discreet.privacy.certified import Certified
from discreet.privacy.conversions import convert_to_delta, convert_to_epsilon
from discreet.privacy.loss import Loss

MOST = 1000


@dataclass(frozen=True, eq=False, init=False, repr=False)
class RenyiLoss(Loss):
    """Renyi differential privacy at some orders (Mironov 2017): the divergence of orders[i] is at most divergences[i].

    Each order converts to (epsilon, delta) by Canonne, Kamath, Steinke 2020, Proposition 12, and the best counts.
    Between two orders (a - 1) D_a is convex, so the line through both bounds it (van Erven, Harremoes 2014,
    Corollary 2); below the least order its divergence holds, since D_a grows with a; above the greatest nothing is
    known. Composed curves add up at every order (Mironov 2017, Proposition 1). No lower bound is known.
    """

    kind = "renyi"
    orders: tuple[Exact, ...]
    divergences: tuple[Exact, ...]

    def __init__(self, orders: Sequence[Exact], divergences: Sequence[Exact]) -> None:
        if not isinstance(orders, list | tuple) or not 1 <= len(orders) <= MOST:
            raise ParameterError("orders", orders, f"a list of 1 to {MOST} orders above 1")
        if not isinstance(divergences, list | tuple) or len(divergences) != len(orders):
            raise ParameterError("divergences", divergences, f"a list of {len(orders)} numbers, one for each order")
        given = [state_amount("orders", order, above=1) for order in orders]
        sizes = [state_amount("divergences", size, least=0) for size in divergences]
        if len(set(given)) < len(given):
            raise ParameterError("orders", orders, "different numbers")
        listed = sorted(zip(given, sizes, strict=True))
        object.__setattr__(self, "orders", tuple(order for order, _ in listed))
        object.__setattr__(self, "divergences", tuple(size for _, size in listed))

    @property
    def pure(self) -> float:
        """Infinity, unless some divergence is 0, for then the neighbours have one law."""
        return 0.0 if min(self.divergences) == 0 else math.inf

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return the bound at this order, exactly: infinity above the greatest order."""
        return self._bound_at(read_decimal(alpha), read_for_sums)

    def _bound_at(self, order: Fraction, read: Callable[[Exact], Fraction]) -> Exact:
        knots = [(read_decimal(a), read(size)) for a, size in zip(self.orders, self.divergences, strict=True)]
        if self.pure == 0:
            return Fraction(0)
        if order > knots[-1][0]:
            return math.inf
        later = min(size for a, size in knots if a >= order)
        return later if order <= knots[0][0] else min(later, _interpolate(order, knots))

    def _renyi(self, order: Exact) -> float:
        found = self._bound_at(read_decimal(order), _read_both)
        return float_up(found) if math.isfinite(found) else math.inf

    def epsilon(self, delta: Exact) -> Certified:
        """Return the least epsilon of all orders at this delta in [0, 1)."""
        target = check.delta("delta", delta)
        if target == 0 or self.pure == 0:
            return super().epsilon(delta)
        return Certified(0.0, min(convert_to_epsilon(order, size, target) for order, size in self._knots))

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        if self.pure == 0:
            return arb(0), arb(0)
        found = arb(1)
        for order, size in self._knots:
            found = found.min(convert_to_delta(ball(order), ball(size), ball(epsilon)))
        return arb(0), found

    @cached_property
    def _knots(self) -> list[tuple[Fraction, Fraction]]:
        """The orders and what is known of each, no larger than what is known of a greater one."""
        listed, least = [], Fraction(_read_both(self.divergences[-1]))
        for order, size in zip(reversed(self.orders), reversed(self.divergences), strict=True):
            least = min(least, _read_both(size))
            listed.append((read_decimal(order), least))
        return listed


def _read_both(size: Exact) -> Fraction:
    return Fraction(read_up(size))


def _interpolate(order: Fraction, knots: list[tuple[Fraction, Fraction]]) -> Fraction:
    """Return the line through (a - 1) D_a at the orders on both sides, divided by a - 1 again."""
    for (left, low), (right, high) in pairwise(knots):
        if left <= order <= right:
            share = (order - left) / (right - left)
            return ((1 - share) * (left - 1) * low + share * (right - 1) * high) / (order - 1)
    raise AssertionError("the order lies between two knots")
