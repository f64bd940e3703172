"""Concentrated differential privacy: Renyi divergences below a line in the order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from discreet.base.check import Exact
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.privacy.amounts import read_decimal, read_down, read_for_sums, read_up, state_amount
from discreet.privacy.conversions import convert_to_delta, find_best_order
from discreet.privacy.loss import Loss
from discreet.privacy.losses.guarantees import PureLoss
from discreet.privacy.losses.noises import compute_gaussian_delta


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ZcdpLoss(Loss):
    """rho-zero-concentrated differential privacy: D_a <= rho a for every order a > 1 (Bun, Steinke 2016).

    The upper bound is the tight Renyi conversion (Canonne, Kamath, Steinke 2020, Proposition 12): the infimum over
    a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a, of which every a is a bound. The lower bound is
    the Gaussian mechanism with that rho.
    """

    kind = "zcdp"
    rho: Exact

    def __init__(self, rho: Exact) -> None:
        self._store(rho=state_amount("rho", rho, least=0))

    @property
    def pure(self) -> float:
        """Infinity, unless rho is 0."""
        return 0.0 if self.rho == 0 else math.inf

    def exact_zcdp(self) -> Fraction:
        """Return rho, as filters add it."""
        return read_for_sums(self.rho)

    def zcdp(self) -> float:
        """Return rho, rounded up."""
        return read_up(self.rho)

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return rho alpha."""
        return self.exact_zcdp() * read_decimal(alpha)

    def _group(self, size: int) -> Loss:
        """k people: k^2 rho (Bun, Steinke 2016, Proposition 1.9)."""
        return ZcdpLoss(Fraction(self.zcdp()) * size**2)

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        if self.rho == 0:
            return arb(0)
        rho = self.zcdp()
        order = arb(find_best_order(lambda a: a * rho, float(epsilon)))
        low = compute_gaussian_delta((2 * ball(read_down(self.rho))).sqrt(), epsilon)
        return low, convert_to_delta(order, order * ball(rho), ball(epsilon))


@dataclass(frozen=True, eq=False, init=False, repr=False)
class OffsetZcdpLoss(Loss):
    """(xi, rho)-zero-concentrated differential privacy: D_a <= xi + rho a for every order a > 1.

    (Bun, Steinke 2016, Definition 1.1.) It is (rho + xi)-zCDP, since a > 1; the conversion is that of `ZcdpLoss` with
    epsilon - xi in the place of epsilon. Gaussian noise with that rho keeps it, and so does xi-differential privacy,
    whose divergences are at most xi: the worse of both is the lower bound.
    """

    kind = "offset-zcdp"
    xi: Exact
    rho: Exact

    def __init__(self, xi: Exact, rho: Exact) -> None:
        self._store(xi=state_amount("xi", xi, least=0), rho=state_amount("rho", rho, least=0))

    @property
    def stated(self) -> tuple[Fraction, Fraction]:
        """xi and rho, as filters add them."""
        return read_for_sums(self.xi), read_for_sums(self.rho)

    @property
    def pure(self) -> float:
        """xi where rho is 0, for then every divergence is at most xi, and so is their limit; else infinity."""
        return read_up(self.xi) if self.rho == 0 else math.inf

    @property
    def exact_pure(self) -> Exact:
        """The same, exactly."""
        return self.stated[0] if self.rho == 0 else math.inf

    def exact_zcdp(self) -> Fraction:
        """Return rho + xi."""
        xi, rho = self.stated
        return xi + rho

    def zcdp(self) -> float:
        """Return rho + xi, or what the pure epsilon implies if that is less, rounded up."""
        return min(self._add_offset(Fraction(1)), super().zcdp())

    def exact_renyi(self, alpha: Exact) -> Exact:
        """Return xi + rho alpha."""
        xi, rho = self.stated
        return xi + rho * read_decimal(alpha)

    def _renyi(self, order: Exact) -> float:
        return self._add_offset(Fraction(order))

    def _add_offset(self, order: Fraction) -> float:
        return float_up(Fraction(read_up(self.xi)) + Fraction(read_up(self.rho)) * order)

    def _group(self, size: int) -> Loss:
        """k people: (xi k (1 + 1/2 + ... + 1/k), rho k^2).

        (Bun, Steinke 2016, Proposition 27.) The sum of inverses is at most 1 + ln k.
        """
        xi, rho = Fraction(read_up(self.xi)), Fraction(read_up(self.rho))
        if size <= 100:
            inverses = sum((Fraction(1, step) for step in range(1, size + 1)), Fraction(0))
        else:
            inverses = Fraction(rounded_up(lambda: 1 + arb(size).log()))
        return OffsetZcdpLoss(xi * size * inverses, rho * size**2)

    def _delta(self, epsilon: Exact) -> arb | tuple[arb, arb]:
        offset, pure = PureLoss(self.xi)._delta(epsilon)
        if self.rho == 0:
            return offset, pure
        xi, rho = read_up(self.xi), read_up(self.rho)
        order = arb(find_best_order(lambda a: xi + a * rho, float(epsilon)))
        high = convert_to_delta(order, ball(xi) + order * ball(rho), ball(epsilon))
        return compute_gaussian_delta((2 * ball(read_down(self.rho))).sqrt(), epsilon).max(offset), high
