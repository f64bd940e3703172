"""What learning may spend: a rho of zCDP, all of it on rounded Gaussian noise.

Gaussian noise on sums of whole numbers is post-processing of the real Gaussian mechanism. Releases whose rhos add up
to r are together one Gaussian mechanism with mu = sqrt(2 r), also if each query is chosen after earlier results (Dong,
Roth, Su 2022, Corollary 3.3). So an (epsilon, delta) is spent as the largest mu that the analytic Gaussian theorem
allows for it (Balle, Wang 2018): more than the general conversion from zCDP would allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.rounding import ball, float_down, ratio_up, rounded_up
from discreet.base.search import least_float
from discreet.mechanisms import Gaussian
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.privacy import GaussianLoss, Loss, ZcdpLoss
from discreet.privacy.charges import Charge
from discreet.query.price import read_amount


@dataclass(frozen=True, slots=True)
class GaussianAllowance:
    """An amount of rho, spent on rounded Gaussian noise."""

    rho: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.rho, Fraction) or self.rho <= 0:
            raise ParameterError("rho", self.rho, "above 0")

    @property
    def charge(self) -> Charge:
        """What spending all of it costs."""
        return Charge(float("inf"), self.rho, Fraction(0))

    @property
    def mu(self) -> float:
        """How far one unit moves the mean of all that is released, in standard deviations; rounded up."""
        return rounded_up(lambda: (2 * ball(self.rho)).sqrt())

    @property
    def loss(self) -> Loss:
        """The loss of spending all of it."""
        return GaussianLoss(Fraction(self.mu))

    def take(self, share: Fraction) -> GaussianAllowance:
        """Return a share of it."""
        return type(self)(self.rho * share)

    def make_noise(self, sensitivity: int) -> Gaussian:
        """Return the noise that costs all of it, on a sum that one unit moves by so much."""
        return Gaussian(rounded_up(lambda: ball(sensitivity) / (2 * ball(self.rho)).sqrt()))

    def describe(self) -> Json:
        """Return the form of the allowance."""
        return {"rho": write_exact(self.rho)}


@dataclass(frozen=True, slots=True)
class ZcdpAllowance(GaussianAllowance):
    """An amount of rho, spent on what is zCDP and no Gaussian mechanism, such as a pushed minimum."""

    @property
    def loss(self) -> Loss:
        """The loss of spending all of it."""
        return ZcdpLoss(self.rho)


def read_gaussian_allowance(epsilon: Any = None, delta: Any = None, rho: Any = None) -> GaussianAllowance:
    """Return the allowance that somebody states: (epsilon, delta), or rho."""
    if (epsilon is None) == (rho is None):
        raise ParameterError("epsilon", epsilon, "given, or rho, and not both")
    if rho is not None:
        if delta is not None:
            raise ParameterError("delta", delta, "left out beside rho, which has none")
        return GaussianAllowance(read_amount("rho", rho))
    if delta is None:
        raise ParameterError("delta", delta, "given beside epsilon: Gaussian noise has no pure epsilon")
    check.real("delta", delta, above=0, below=1)
    sigma = analytic_sigma(float(read_amount("epsilon", epsilon)), delta, 1)
    return GaussianAllowance(1 / (2 * Fraction(sigma) ** 2))


def read_zcdp_allowance(epsilon: Any = None, delta: Any = None, rho: Any = None) -> ZcdpAllowance:
    """Return the allowance that somebody states, for what is zCDP only: the largest rho that the conversion allows."""
    if rho is not None or epsilon is None:
        return ZcdpAllowance(read_gaussian_allowance(epsilon, delta, rho).rho)
    most, target = read_gaussian_allowance(epsilon, delta).rho, float_down(read_amount("epsilon", epsilon))
    _, inverse = least_float(lambda each: each > 0 and ZcdpLoss(ratio_up(1, each)).delta(target).high <= delta)
    return ZcdpAllowance(min(most, 1 / Fraction(inverse)))
