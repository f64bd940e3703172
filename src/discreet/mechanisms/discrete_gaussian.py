"""The discrete Gaussian mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_up, precision
from discreet.base.search import least_float, least_int
from discreet.mechanisms.additive import Additive, fitting_scale
from discreet.mechanisms.gaussian import zcdp_sigma
from discreet.noise.laplace import LARGEST_SCALE, SMALLEST_SCALE, scale_in_range
from discreet.privacy import DiscreteGaussianLoss, Loss, ZcdpLoss
from discreet.privacy.discrete_normal import compute_upper_tail


@dataclass(frozen=True)
class DiscreteGaussian(Additive):
    """Noise with Pr[x] proportional to exp(-x^2 / (2 sigma^2)) on integers of bounded L2 sensitivity.

    Theorem (Canonne, Kamath, Steinke 2020): on L2 sensitivity d it is d^2 / (2 sigma^2)-zCDP, for numbers
    (Theorem 4) and vectors (Corollary 5); for a number Theorem 7 gives its exact curve. The exact curve of vectors is
    not that of the Gaussian (their sums are not discrete Gaussians), so vectors are charged by zCDP only.
    """

    sigma: float
    grid: Grid | None = None
    dim: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", float_up(scale_in_range("sigma", self.sigma)))
        declared(self.grid)
        object.__setattr__(self, "dim", check.integer("dim", self.dim, least=1))

    @classmethod
    def calibrate(
        cls, epsilon: float, delta: float, sensitivity: float = 1, grid: Grid | None = None, dim: int = 1
    ) -> DiscreteGaussian:
        """Return the least noise proven (epsilon, delta)-differentially private for `dim` numbers."""
        at = check.positive("epsilon", epsilon)
        miss = check.real("delta", delta, above=0, below=1)
        cls(1.0, grid, dim).loss(sensitivity)  # refuses a sensitivity that does not fit, before the search

        def private(sigma: float) -> bool:
            if not SMALLEST_SCALE <= sigma <= LARGEST_SCALE:
                return sigma > LARGEST_SCALE
            return cls(sigma, grid, dim).loss(sensitivity).delta(at).high <= miss

        return cls(fitting_scale(least_float(private)[1], "epsilon", epsilon), grid, dim)

    @classmethod
    def calibrate_zcdp(
        cls, rho: float, sensitivity: float = 1, grid: Grid | None = None, dim: int = 1
    ) -> DiscreteGaussian:
        """Return the least noise that is rho-zCDP: sigma = sensitivity / sqrt(2 rho)."""
        steps = cls(1.0, grid)._steps_l2(sensitivity, dim)
        return cls(fitting_scale(zcdp_sigma(rho, steps), "rho", rho), grid, dim)

    def loss(self, sensitivity: float, dim: int | None = None) -> Loss:
        """Return the loss of one release: exact for a number, zCDP for a vector of `dim` numbers."""
        count = self.dim if dim is None else dim
        if check.integer("dim", count, least=1) == 1:
            return DiscreteGaussianLoss(sigma=self.sigma, sensitivity=self._steps_l1(sensitivity, 1))
        ratio = Fraction(self._steps_l2(sensitivity, count)) / Fraction(self.sigma)
        return ZcdpLoss(rho=ratio**2 / 2)

    def _draw(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        return noise.discrete_gaussian(self.sigma, shape, wide=wide)

    def _half_width(self, miss: Callable[[], arb]) -> int:
        def covered(steps: int) -> bool:
            with precision():
                return bool(2 * compute_upper_tail(self.sigma, steps + 1) <= miss())

        with precision():
            guess = float(ball(self.sigma) * arb(2).sqrt() * miss().erfcinv())
        return least_int(covered, start=math.floor(guess))
