"""A mixture of Gaussians: Gaussian noise on a sum that one unit moves by a random, known amount."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx, fmpq

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball
from discreet.privacy.accountant.mixture_pairs import make_gaussian_mixture
from discreet.privacy.accountant.pairs import DominatingPair, make_atomic
from discreet.privacy.amounts import read_decimal, read_down, read_up, state_amount
from discreet.privacy.loss import Loss
from discreet.privacy.losses.noises import GaussianLoss

MOST = 32
"""The most shifts."""

NEWTON = 500
"""The most steps of Newton's method."""


@dataclass(frozen=True, eq=False, init=False, repr=False)
class GaussianMixtureLoss(Loss):
    """Gaussian noise where one unit moves the sum by shifts[i] standard deviations with probability weights[i].

    The mixture-of-Gaussians mechanism: P is the mixture of N(shifts[i], 1), Q is N(0, 1), and (P, Q) and (Q, P)
    dominate removing and adding a unit, in any number of dimensions with the lengths of the shifts (Choquette-Choo,
    Ganesh, Steinke, Thakurta 2024, "Privacy Amplification for Matrix Mechanisms", section 3). A Poisson sample is the
    case of shifts 0 and mu. Larger shifts are worse: weights that round-off keeps from adding up to 1 are made up for
    at the largest shift, or taken from the least.
    """

    kind = "gaussian-mixture"
    shifts: tuple[Exact, ...]
    weights: tuple[float, ...]

    def __init__(self, shifts: Sequence[Exact], weights: Sequence[Exact]) -> None:
        if not isinstance(shifts, list | tuple) or not 1 <= len(shifts) <= MOST:
            raise ParameterError("shifts", shifts, f"a list of 1 to {MOST} numbers, none negative")
        if not isinstance(weights, list | tuple) or len(weights) != len(shifts):
            raise ParameterError("weights", weights, f"a list of {len(shifts)} numbers, one for each shift")
        moved = [state_amount("shifts", shift, least=0) for shift in shifts]
        if max(moved) > 1e6:
            raise ParameterError("shifts", shifts, "numbers of at most 1e6 standard deviations")
        shares = [float(check.real("weights", weight, above=0, most=1)) for weight in weights]
        listed = sorted(zip(moved, shares, strict=True))
        object.__setattr__(self, "shifts", tuple(shift for shift, _ in listed))
        object.__setattr__(self, "weights", tuple(weight for _, weight in listed))
        total = sum(map(read_decimal, self.weights), Fraction(0))
        if abs(total - 1) > Fraction(1, 10**9) or min(weight for _, weight in self._list_parts(read_up)) < 0:
            raise ParameterError("weights", weights, "numbers that add up to 1")

    def _list_parts(self, read: Callable[[Exact], float]) -> list[tuple[float, Fraction]]:
        """Return different shifts, rounded up or down, in rising order, with weights that add up to exactly 1."""
        parts: dict[float, Fraction] = {}
        for shift, weight in zip(self.shifts, self.weights, strict=True):
            parts[read(shift)] = parts.get(read(shift), Fraction(0)) + read_decimal(weight)
        missing = 1 - sum(parts.values(), Fraction(0))
        parts[max(parts) if missing > 0 else min(parts)] += missing
        return sorted(parts.items())

    @property
    def pure(self) -> float:
        """Infinity, unless no shift moves anything."""
        return 0.0 if self.shifts[-1] == 0 else math.inf

    def list_pairs(self) -> list[DominatingPair]:
        """Return the mixture against N(0, 1), and the swapped pair."""
        return self._make_pairs(read_up)

    def list_attained_pairs(self) -> list[DominatingPair]:
        """Return the same with the shifts rounded down."""
        return self._make_pairs(read_down)

    def _make_pairs(self, read: Callable[[Exact], float]) -> list[DominatingPair]:
        if self.shifts[-1] == 0:
            return [make_atomic([0.0], [1.0])]
        parts = self._list_parts(read)
        return list(make_gaussian_mixture([shift for shift, _ in parts], [float(weight) for _, weight in parts]))

    def zcdp(self) -> float:
        """Return that of the largest shift (joint quasi-convexity: van Erven, Harremoes 2014, Theorem 13)."""
        return GaussianLoss(self.shifts[-1]).zcdp()

    def _group(self, size: int) -> Loss:
        """k people, each moved by the largest shift at most."""
        return GaussianLoss(Fraction(read_up(self.shifts[-1])) * size)

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        if self.shifts[-1] == 0:
            return arb(0)
        low, high = (self._compute_delta(ball(epsilon), read) for read in (read_down, read_up))
        return low, high

    def _compute_delta(self, epsilon: arb, read: Callable[[Exact], float]) -> arb:
        parts = [(ball(shift), ball(weight)) for shift, weight in self._list_parts(read)]
        return _compute_stick(parts, epsilon, 1).max(_compute_stick(parts, epsilon, -1))


WeightedShifts = list[tuple[arb, arb]]


def _compute_stick(parts: WeightedShifts, epsilon: arb, side: int) -> arb:
    """Return a ball around the hockey stick between the mixture and N(0, 1), the other way round for side -1.

    The best event is the x on that side of the root of L(x) = side * epsilon. With a root between r - d and r + d,
    the event at r is off by at most d times the largest |density of P - e^epsilon density of Q| there.
    """
    root, reach = _find_root(parts, side * epsilon)
    if root is None:
        return arb(0)
    mixture = sum((weight * _compute_above(side * (root - shift)) for shift, weight in parts), arb(0))
    plain = _compute_above(side * root)
    first, second = (mixture, plain) if side > 0 else (plain, mixture)
    off = max((_compute_loss(parts, root + end)[0] - side * epsilon).abs_upper() for end in (-reach, reach))
    width = reach * epsilon.exp() * arb(off).expm1()
    return first - epsilon.exp() * second + width * arb(mid=0, rad=1)


def _compute_above(point: arb) -> arb:
    return (point * arb(fmpq(1, 2)).sqrt()).erfc() / 2


def _compute_loss(parts: WeightedShifts, x: arb) -> tuple[arb, arb]:
    """Return L(x) = ln of the sum of weight e^(shift x - shift^2 / 2), and its slope."""
    exponents = [shift * x - shift * shift / 2 + weight.log() for shift, weight in parts if weight > 0]
    largest = max(exponents, key=lambda exponent: float(exponent))
    terms = [(exponent - largest).exp() for exponent in exponents]
    total = sum(terms, arb(0))
    moved = [shift for shift, weight in parts if weight > 0]
    slope = sum((shift * term for shift, term in zip(moved, terms, strict=True)), arb(0)) / total
    return largest + total.log(), slope


def _find_root(parts: WeightedShifts, loss: arb) -> tuple[arb | None, arb]:
    """Return where L(x) = loss, and how far that may be off; nothing where L stays above.

    L is convex and grows: from a point above the root Newton's method falls to it. Each shift alone gives one.
    """
    (shift, weight), reach = parts[0], arb(2) ** -(ctx.prec // 2)
    if shift == 0 and weight > 0 and not loss > weight.log():
        return None, reach
    starts = [(loss - weight.log() + shift * shift / 2) / shift for shift, weight in parts if shift > 0 and weight > 0]
    x = arb(min(starts, key=lambda start: float(start)).mid())
    for _ in range(NEWTON):
        value, slope = _compute_loss(parts, x)
        move = (value - loss) / slope
        x = arb((x - move).mid())
        if abs(move) < reach / 16:
            break
    while not (_compute_loss(parts, x - reach)[0] < loss < _compute_loss(parts, x + reach)[0]):
        reach = 16 * reach
        if reach > 1e6:
            raise ArithmeticError("no root was found: the mixture's loss is out of range")
    return x, reach
