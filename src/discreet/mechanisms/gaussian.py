"""The Gaussian mechanism: a real Gaussian rounded to the integers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, fmpq
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_up, floor_of, ratio_up, rounded_up
from discreet.base.search import least_float
from discreet.mechanisms.additive import Additive, fitting_scale
from discreet.noise.laplace import scale_in_range
from discreet.privacy import GaussianLoss, Loss


@dataclass(frozen=True)
class Gaussian(Additive):
    """A Gaussian of standard deviation sigma, rounded to the integers, on queries of bounded L2 sensitivity.

    Theorem (Balle, Wang 2018, Theorem 8): the real Gaussian on L2 sensitivity d is (epsilon, delta)-differentially
    private iff Phi(d / 2 sigma - epsilon sigma / d) - e^epsilon Phi(-d / 2 sigma - epsilon sigma / d) <= delta, for
    every epsilon >= 0. The value is an integer (or on the grid), so value + round(noise) = round(value + noise):
    the release is post-processing of the real mechanism, and the theorem applies as it stands.
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
    ) -> Gaussian:
        """Return the least noise that is (epsilon, delta)-differentially private: the analytic Gaussian mechanism."""
        steps = cls(1.0, grid)._steps_l2(sensitivity, dim)
        return cls(fitting_scale(analytic_sigma(epsilon, delta, steps), "epsilon", epsilon), grid, dim)

    @classmethod
    def calibrate_zcdp(cls, rho: float, sensitivity: float = 1, grid: Grid | None = None, dim: int = 1) -> Gaussian:
        """Return the least noise that is rho-zCDP: sigma = sensitivity / sqrt(2 rho) (Bun, Steinke 2016)."""
        steps = cls(1.0, grid)._steps_l2(sensitivity, dim)
        return cls(fitting_scale(zcdp_sigma(rho, steps), "rho", rho), grid, dim)

    @classmethod
    def calibrate_classical(
        cls,
        epsilon: float,
        delta: float,
        sensitivity: float = 1,
        grid: Grid | None = None,
        dim: int = 1,
        constant: float = 1.25,
    ) -> Gaussian:
        """Return the textbook noise, sigma = sensitivity * sqrt(2 ln(constant / delta)) / epsilon.

        The constants are 1.25 (Dwork, Roth 2014, Theorem A.1) and 2 (a common looser form). The theorem needs
        epsilon < 1; from 1 on it is false, so that is refused. `calibrate` always adds less.
        """
        if constant not in (1.25, 2):
            raise ParameterError("constant", constant, "1.25 or 2")
        bound = check.real("epsilon", epsilon, above=0)
        if bound >= 1:
            raise ParameterError("epsilon", epsilon, "below 1 for the classical formula (use calibrate instead)")
        miss = check.real("delta", delta, above=0, below=1)
        steps = cls(1.0, grid)._steps_l2(sensitivity, dim)
        sigma = rounded_up(lambda: ball(steps) * (2 * (ball(constant) / ball(miss)).log()).sqrt() / ball(bound))
        return cls(fitting_scale(sigma, "epsilon", epsilon), grid, dim)

    def loss(self, sensitivity: float, dim: int | None = None) -> Loss:
        """Return the loss of one release, a number or a vector, at this L2 sensitivity."""
        steps = self._steps_l2(sensitivity, self.dim if dim is None else dim)
        return GaussianLoss(mu=Fraction(steps) / Fraction(self.sigma))

    def _draw(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        return noise.rounded_gaussian(self.sigma, shape, wide=wide)

    def _half_width(self, miss: Callable[[], arb]) -> int:
        # Pr[|x| >= k + 1] = erfc((k + 1/2) / (sigma sqrt 2)) <= miss from k = sigma sqrt(2) erfcinv(miss) - 1/2 on.
        return max(0, floor_of(lambda: ball(self.sigma) * arb(2).sqrt() * miss().erfcinv() + arb(fmpq(1, 2))))


def analytic_sigma(epsilon: float, delta: float, sensitivity: float | Fraction) -> float:
    """Return the least sigma, to 2^-50 and rounded up, that is proven (epsilon, delta)-private."""
    return _least(check.positive("epsilon", epsilon), check.real("delta", delta, above=0, below=1), sensitivity)


@lru_cache(maxsize=1024)
def _least(at: float, miss: float, sensitivity: float | Fraction) -> float:
    _, sigma = least_float(
        lambda sigma: sigma > 0 and GaussianLoss(ratio_up(sensitivity, sigma)).delta(at).high <= miss
    )
    return sigma


def zcdp_sigma(rho: float, sensitivity: float | Fraction) -> float:
    """Return sensitivity / sqrt(2 rho), rounded up."""
    rate = check.positive("rho", rho)
    return rounded_up(lambda: ball(sensitivity) / (2 * ball(rate)).sqrt())
