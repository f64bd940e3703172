"""What learning may spend: a rho of zCDP, all of it on rounded Gaussian noise.

Gaussian noise on sums of whole numbers is post-processing of the real Gaussian mechanism. Releases whose rhos add up
to r are together one Gaussian mechanism with mu = sqrt(2 r), also if each query is chosen after earlier results (Dong,
Roth, Su 2022, Corollary 3.3). So an (epsilon, delta) is spent as the largest mu that the analytic Gaussian theorem
allows for it (Balle, Wang 2018): more than the general conversion from zCDP would allow. Where not all of it is
Gaussian noise, as in objective perturbation, that conversion is all there is (`ConcentratedAllowance`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Self

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.rounding import ball, rounded_up
from discreet.mechanisms import Gaussian
from discreet.mechanisms.gaussian import analytic_sigma
from discreet.privacy import BestOfLoss, GaussianLoss, Loss, ZcdpLoss
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge
from discreet.query.price import read_amount

SEARCHED = 10
"""How often the interval is halved in which the allowance of a try is looked for."""


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

    def take(self, share: Fraction) -> Self:
        """Return a share of it."""
        return replace(self, rho=self.rho * share)

    def make_noise(self, sensitivity: int) -> Gaussian:
        """Return the noise that costs all of it, on a sum that one unit moves by so much."""
        return self.hold_noise(rounded_up(lambda: ball(sensitivity) / (2 * ball(self.rho)).sqrt()))

    def hold_noise(self, sigma: float) -> Gaussian:
        """Return noise of this deviation, or refuse what cannot be drawn."""
        try:
            return Gaussian(sigma)
        except ParameterError:
            wrong = "larger: a sum would need more" if sigma > 1 else "smaller: a sum would need less"
            raise ParameterError("epsilon or rho", float(self.rho), f"{wrong} noise than can be drawn") from None

    def describe(self) -> Json:
        """Return the form of the allowance."""
        return {"rho": write_exact(self.rho)}


@dataclass(frozen=True, slots=True)
class ConcentratedAllowance(GaussianAllowance):
    """An amount of rho, spent on Gaussian noise and on what is known to be zCDP, and of which nothing more is known."""

    @property
    def loss(self) -> Loss:
        """The loss of spending all of it."""
        return ZcdpLoss(self.rho)


def read_concentrated_allowance(epsilon: Any = None, delta: Any = None, rho: Any = None) -> ConcentratedAllowance:
    """Return the allowance that somebody states: (epsilon, delta), spent as the largest rho that implies it, or rho."""
    checked = read_gaussian_allowance(epsilon, delta, rho)
    if rho is not None:
        return ConcentratedAllowance(checked.rho)
    return ConcentratedAllowance(Fraction(rho_cap(read_amount("epsilon", epsilon), delta)))


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


def read_try_allowance(
    epsilon: Any, delta: Any, rho: Any, tries: int, chance: Fraction
) -> tuple[GaussianAllowance, BestOfLoss]:
    """Return the allowance of each of several tries, of which only the best is seen, and the loss of the whole.

    It is the largest, to a part in a thousand or so, with which the whole loses no more than somebody states.
    """
    whole = read_gaussian_allowance(epsilon, delta, rho)
    stated = read_amount("rho", rho) if epsilon is None else read_amount("epsilon", epsilon)
    share = _find_share(whole, stated, delta, tries, chance)
    if share == 0:
        raise ParameterError("epsilon" if rho is None else "rho", float(stated), "larger, or make fewer tries")
    allowance = whole.take(share**2)
    return allowance, BestOfLoss(allowance.loss, tries, chance)


@lru_cache(maxsize=64)
def _find_share(
    whole: GaussianAllowance, stated: Fraction, delta: float | None, tries: int, chance: Fraction
) -> Fraction:
    """Return the share of mu that a try may have: stated is the epsilon of the whole at delta, or its rho."""
    low, high = Fraction(0), Fraction(1)
    for _ in range(SEARCHED):
        middle = (low + high) / 2
        loss = BestOfLoss(whole.take(middle**2).loss, tries, chance)
        fits = (loss.zcdp() if delta is None else loss.epsilon(delta).high) <= stated
        low, high = (middle, high) if fits else (low, middle)
    return low
