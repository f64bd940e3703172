"""Noises for a scale that is itself data: a smooth bound of a statistic, over a public shift.

Released is floor(value + S Z / s + 1/2) with S the smooth bound, a public s, and a continuous Z: rounding to the public
grid of whole numbers comes after the real sum, so what holds for that holds here. For neighbours, in units of S(D) / s,
one release is Z and the other e^c Z + x, with |c| <= t since S is smooth, and |x| <= s min(1, e^c) since each of both
bounds holds for the distance of the two values. What these two lose, at most, is in each noise's theorem. The scale is
private, so no release says how far it may be off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from flint import arb

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_down, rounded_down, rounded_up
from discreet.mechanisms.robust.smooth_bounds import SmoothBound, bound_smoothness, check_base, choose_base
from discreet.mechanisms.robust.smooth_draws import add_laplace, add_log_normal, add_student
from discreet.privacy import ApproximateLoss, Loss, PureLoss, ZcdpLoss


class Smoothable(Protocol):
    """A statistic with smooth bounds. One unit has up to `rows` values."""

    @property
    def rows(self) -> int:
        """How many values one unit has at most."""

    def value(self, values: Any) -> Fraction:
        """Return the exact value."""

    def find_smooth(self, values: Any, base: Fraction) -> SmoothBound:
        """Return the smooth bound with this base."""


@dataclass(frozen=True)
class SmoothNoise(ABC):
    """Adds noise that is as wide as a smooth bound with this base, over the shift."""

    base: Fraction
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", check_base(self.base))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        self._check()
        if not self.shift > 0:
            raise ParameterError("base", self.base, "closer to 1: at this one neighbours' scales differ too much")

    @abstractmethod
    def _check(self) -> None:
        """Check the other parameters."""

    @property
    @abstractmethod
    def shift(self) -> float:
        """The s that the guarantee allows, rounded down: 0 or less where none does."""

    @abstractmethod
    def loss(self) -> Loss:
        """Return the loss of one release."""

    @abstractmethod
    def _draw(self, center: Fraction, scale: SmoothBound) -> int:
        """Add noise of this scale and round."""

    @cached_property
    def smoothness(self) -> float:
        """t: neighbours' scales differ by a factor of at most e^t."""
        return bound_smoothness(self.base, self.rows)

    def release(self, statistic: Smoothable, values: Any) -> int:
        """Return the statistic with noise, on the grid of whole numbers."""
        if statistic.rows != self.rows:
            raise ParameterError("rows", self.rows, f"those of the statistic, {statistic.rows}")
        bound = statistic.find_smooth(values, self.base)
        return self._draw(statistic.value(values), self.scale(bound))

    def scale(self, bound: SmoothBound) -> SmoothBound:
        """Return the scale of the noise for data with this smooth bound: private."""
        return SmoothBound(bound.factor / Fraction(self.shift), bound.base, bound.power)


@dataclass(frozen=True)
class SmoothLaplace(SmoothNoise):
    """Laplace noise: (epsilon, delta)-differential privacy.

    Theorem. With s <= epsilon and t + s e^-t <= epsilon the loss exceeds epsilon with the exact supremum
    delta = (1 - e^-t) e^(-(epsilon + t) y) cosh(s y), y = 1 / (e^t - 1). (Nissim, Raskhodnikova, Smith 2007 have
    s = epsilon / 2 for t = epsilon / (2 ln(2 / delta)); at epsilon 1 and delta 1e-6 this one allows s = .69 there.)
    Proof. The log ratio of Z and e^c Z + x at z is c - |z| + |z - x| e^-c. For c >= 0 it is largest at 0, where it is
    at most c + s e^-c: convex in c, so at most max(s, t + s e^-t) <= epsilon. For c = -r < 0 it exceeds epsilon for z <
    -(epsilon + r - d) / (e^r - 1) and for z > (epsilon + r + d) / (e^r - 1), where d = |x| e^r <= s, and nowhere else,
    as d <= epsilon. At both ends the densities are e^epsilon apart, so that these tails contribute (1 -
    e^-r)(e^(-(epsilon + r - d) y) + e^(-(epsilon + r + d) y)) / 2 with y = 1 / (e^r - 1). That grows with d; and with
    r, since y and r y fall. So it is largest at r = t and d = s.
    """

    epsilon: float
    delta: float

    @classmethod
    def calibrate(cls, epsilon: float, delta: float, rows: int = 1) -> SmoothLaplace:
        """Return the mechanism with the usual t = epsilon / (2 ln(2 / delta))."""
        bound, miss = check.positive("epsilon", epsilon), check.real("delta", delta, above=0, below=0.5)
        smoothness = rounded_down(lambda: ball(bound) / (2 * (2 / ball(miss)).log()))
        return cls(choose_base(smoothness, rows), rows, epsilon, delta)

    def _check(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=0.5)))

    @cached_property
    def shift(self) -> float:
        """The largest s of the theorem."""

        def solve() -> arb:
            t, epsilon = ball(self.smoothness), ball(self.epsilon)
            y = 1 / t.expm1()
            most = epsilon.min((epsilon - t) * t.exp())
            level = ball(self.delta) * ((epsilon + t) * y).exp() / -(-t).expm1()
            return most.min(level.acosh() / y) if level >= 1 else arb(0)

        return rounded_down(solve)

    def loss(self) -> Loss:
        """Return the (epsilon, delta) of one release."""
        return ApproximateLoss(Fraction(self.epsilon), Fraction(self.delta))

    def _draw(self, center: Fraction, scale: SmoothBound) -> int:
        return add_laplace(center, scale)


@dataclass(frozen=True)
class SmoothStudent(SmoothNoise):
    """Student's t noise with d degrees of freedom: pure epsilon-differential privacy.

    Theorem. The exact supremum of the loss is max(E(0), E(t)) for E(r) = (d - 1) r / 2 + (d + 1) / 2 *
    arcosh(cosh r + e^-r s^2 / (2d)). (Alone, dilation costs d t and shift (d + 1) arsinh(s / (2 sqrt d)); Bun, Steinke
    2019 add both parts up.)
    Proof. The log ratio of Z and e^c Z + x at z is c + (d + 1) / 2 * ln((d + w (z - x)^2) / (d + z^2)) with w = e^-2c.
    The quotient is at most L for all z iff (L - w) z^2 + 2 w x z + (L - 1) d - w x^2 >= 0 for all z: the least such L
    is the larger root of L^2 - (1 + w + w x^2 / d) L + w = 0, so that M = L e^c has M + 1 / M = 2 cosh c + e^-c x^2 /
    d. It grows with |x|, and at |x| = s min(1, e^c) it is 2 cosh c + e^-|c| s^2 / d. The loss, c (1 - d) / 2 + (d + 1)
    / 2 * ln M, is then larger at c = -r than at c = r, where it is E(r). As cosh r + k e^-r = q cosh(r - ln q) for k =
    (q^2 - 1) / 2, and arcosh(q cosh r) is convex for q >= 1, so is E, and the maximum over r in [0, t] is at an end.
    """

    epsilon: float
    degrees: int = 3

    @classmethod
    def calibrate(cls, epsilon: float, rows: int = 1, degrees: int = 3) -> SmoothStudent:
        """Return the mechanism that would spend half of epsilon on dilation alone: t = epsilon / (2d)."""
        count = check.integer("degrees", degrees, least=1, most=100)
        smoothness = Fraction(check.positive("epsilon", epsilon)) / (2 * count)
        return cls(choose_base(smoothness, rows), rows, epsilon, degrees)

    def _check(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "degrees", check.integer("degrees", self.degrees, least=1, most=100))

    @cached_property
    def shift(self) -> float:
        """The largest s of the theorem."""

        def solve() -> arb:
            t, epsilon, d = ball(self.smoothness), ball(self.epsilon), self.degrees
            rest = (2 * epsilon - (d - 1) * t) / (d + 1)
            if not rest > t:
                return arb(0)
            still = 2 * arb(d).sqrt() * (epsilon / (d + 1)).sinh()
            return still.min((2 * d * t.exp() * (rest.cosh() - t.cosh())).sqrt())

        return rounded_down(solve)

    def loss(self) -> Loss:
        """Return the epsilon of one release."""
        return PureLoss(Fraction(self.epsilon))

    def _draw(self, center: Fraction, scale: SmoothBound) -> int:
        return add_student(center, scale, self.degrees)


def bound_student_loss(shift: float, smoothness: float, degrees: int) -> float:
    """Return max(E(0), E(t)) of `SmoothStudent`, rounded up."""

    def at(dilation: arb) -> arb:
        moved = dilation.cosh() + (-dilation).exp() * ball(shift) ** 2 / (2 * degrees)
        return ((degrees - 1) * dilation + (degrees + 1) * moved.acosh()) / 2

    return rounded_up(lambda: at(arb(0)).max(at(ball(smoothness))))


@dataclass(frozen=True)
class SmoothLogNormal(SmoothNoise):
    """Laplace noise times e^(sigma Y) with a normal Y: rho-zero-concentrated differential privacy.

    Theorem (Bun, Steinke 2019): rho = (t / sigma + e^(3 sigma^2 / 2) s)^2 / 2.
    Proof. e^c Z is a function of a Laplace variable and sigma Y + c, so that Z and e^c Z have divergences of order a of
    at most a (c / sigma)^2 / 2. The density of Z on z > 0 is a mixture of exponential densities, so its logarithm is
    convex and steepest at 0: there the slope is E e^(-2 sigma Y) / E e^(-sigma Y) = e^(3 sigma^2 / 2). So a shift by x
    <= s, in units of the second scale, loses at most e^(3 sigma^2 / 2) s anywhere, and has divergences of at most a
    times half of its square. Roots of rho add up along a chain (Bun, Steinke 2016, Lemma 5.2, at its best order).
    """

    rho: float
    sigma: float

    @classmethod
    def calibrate(cls, rho: float, rows: int = 1, smoothness: float | None = None) -> SmoothLogNormal:
        """Return the mechanism of least mean error at this smoothness; without one, at t = sqrt(2 rho) / 10.

        With e = sqrt(2 rho), the mean of |Z| / s is e^(2 sigma^2) / (e - t / sigma), least where
        4 e sigma^3 = 4 t sigma^2 + t.
        """
        spend = float(2 * check.positive("rho", rho)) ** 0.5
        t = spend / 10 if smoothness is None else float(check.positive("smoothness", smoothness))
        low, high = 0.0, 2 + 2 * t / spend
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if 4 * spend * middle**3 > 4 * t * middle**2 + t else (middle, high)
        return cls(choose_base(t, rows), rows, rho, high)

    def _check(self) -> None:
        object.__setattr__(self, "rho", float_down(check.positive("rho", self.rho)))
        object.__setattr__(self, "sigma", float_down(check.real("sigma", self.sigma, least=1e-6, most=100)))

    @cached_property
    def shift(self) -> float:
        """The largest s of the theorem."""

        def solve() -> arb:
            spend, sigma = (2 * ball(self.rho)).sqrt(), ball(self.sigma)
            return (spend - ball(self.smoothness) / sigma) * (-3 * sigma**2 / 2).exp()

        return rounded_down(solve)

    def loss(self) -> Loss:
        """Return the rho of one release."""
        return ZcdpLoss(Fraction(self.rho))

    def _draw(self, center: Fraction, scale: SmoothBound) -> int:
        return add_log_normal(center, scale, self.sigma)
