"""The Laplace mechanism, on the integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_up, floor_of, precision, ratio_up
from discreet.base.wide import integers
from discreet.mechanisms.additive import Additive, fitting_scale
from discreet.noise.laplace import scale_in_range
from discreet.privacy import DiscreteLaplaceLoss, Loss, PureLoss


@dataclass(frozen=True)
class Laplace(Additive):
    """Discrete Laplace noise on the integers: Pr[x] is proportional to exp(-|x| / scale).

    Theorem (Ghosh, Roughgarden, Sundararajan 2009): on an integer query of sensitivity d it is
    (d / scale)-differentially private; at d = 1 its loss is that of randomized response. On integer vectors the
    same holds for the L1 sensitivity (Dwork, McSherry, Nissim, Smith 2006).

    Accuracy: Pr[|error| >= k] = 2 q^k / (1 + q) for k >= 1, with q = exp(-1 / scale). The textbook tail of
    continuous noise, Pr[|error| > scale * ln(1/beta)] <= beta, holds as well once the bound is rounded up to a
    whole number.
    """

    scale: float
    grid: Grid | None = None
    dim: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", float_up(scale_in_range("scale", self.scale)))
        declared(self.grid)
        object.__setattr__(self, "dim", check.integer("dim", self.dim, least=1))

    @classmethod
    def calibrate(cls, epsilon: float, sensitivity: float = 1, grid: Grid | None = None, dim: int = 1) -> Laplace:
        """Return the mechanism that is epsilon-differentially private at this (L1) sensitivity."""
        steps = cls(1.0, grid)._steps_l1(sensitivity, dim)
        return cls(fitting_scale(ratio_up(steps, check.positive("epsilon", epsilon)), "epsilon", epsilon), grid, dim)

    def loss(self, sensitivity: float, dim: int | None = None) -> Loss:
        """Return the loss of one release: exact for a number, pure for a vector of `dim` (else self.dim) numbers."""
        count = self.dim if dim is None else dim
        steps = self._steps_l1(sensitivity, count)
        if count == 1:
            return DiscreteLaplaceLoss(scale=self.scale, sensitivity=steps)
        return PureLoss(Fraction(steps) / Fraction(self.scale))

    def _draw(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        return noise.discrete_laplace(self.scale, shape, wide=wide)

    def _half_width(self, miss: Callable[[], arb]) -> int:
        # Pr[|x| >= k + 1] <= miss from k + 1 = scale * ln(2 / ((1 + q) miss)) on.
        def crossing() -> arb:
            scale = ball(self.scale)
            return scale * (2 / ((1 + (-1 / scale).exp()) * miss())).log()

        return max(0, floor_of(crossing))


Geometric = Laplace
"""The discrete Laplace mechanism is also known as the (two-sided) geometric mechanism."""


@dataclass(frozen=True, slots=True)
class TruncatedLaplace:
    """The truncated geometric mechanism: `Laplace` on an integer in [lower, upper], with outputs in it.

    Theorem (Ghosh, Roughgarden, Sundararajan 2009): the noisy value is clamped, which is post-processing, so the
    loss is that of the unbounded mechanism; for every loss function and prior it is as useful as any other
    mechanism with that epsilon.
    """

    scale: float
    lower: int
    upper: int

    def __post_init__(self) -> None:
        lower = check.integer("lower", self.lower, least=-(2**61), most=2**61)
        upper = check.integer("upper", self.upper, least=-(2**61), most=2**61)
        if upper <= lower:
            raise ParameterError("upper", self.upper, f"greater than lower, which is {lower}")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        object.__setattr__(self, "scale", Laplace(self.scale).scale)

    @classmethod
    def calibrate(cls, epsilon: float, lower: int, upper: int, sensitivity: int = 1) -> TruncatedLaplace:
        """Return the mechanism that is epsilon-differentially private at this sensitivity."""
        return cls(Laplace.calibrate(epsilon, sensitivity).scale, lower, upper)

    def release(self, value: Any) -> Any:
        """Return the value, clamped to the bounds, with noise, clamped again."""
        points = self._clamp(integers("value", value))
        return self._clamp(Laplace(self.scale).release(points))

    def loss(self, sensitivity: int, dim: int = 1) -> Loss:
        """Return the loss of one release of a number, or of `dim` of them."""
        return Laplace(self.scale).loss(sensitivity, dim)

    def interval(self, confidence: float, values: int = 1) -> int:
        """Return a half-width that holds for every true value inside the bounds."""
        return min(int(Laplace(self.scale).interval(confidence, values)), self.upper - self.lower)

    def probability(self, output: int, value: int) -> float:
        """Return the probability of an output for a value, to the nearest float."""
        with precision():
            return float(self.probability_ball(output, value))

    def probability_ball(self, output: int, value: int) -> arb:
        """Return a ball around that probability: the ends collect what lies beyond them."""
        output = check.integer("output", output)
        if not self.lower <= output <= self.upper:
            return arb(0)
        distance = abs(output - int(self._clamp(check.integer("value", value))))
        rate = 1 / ball(self.scale)
        share = (-rate * distance).exp() / (1 + (-rate).exp())
        at_end = output in (self.lower, self.upper)
        return share if at_end else share * -(-rate).expm1()

    def _clamp(self, value: Any) -> Any:
        if isinstance(value, int):
            return max(self.lower, min(self.upper, value))
        return np.clip(value, self.lower, self.upper)


def textbook_tail(scale: float, beta: float) -> float:
    """Return scale * ln(1 / beta): continuous Laplace noise exceeds it in magnitude with probability beta."""
    width, miss = Fraction(check.positive("scale", scale)), check.real("beta", beta, above=0, below=1)
    with precision():
        return float(ball(width) * -ball(miss).log())
