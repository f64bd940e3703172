"""What a synthesis may spend, and the noises that spend it: an epsilon, or a rho of zCDP.

Every noise is made from what one unit moves (which the desk computes again, and charges for) and from the part of the
allowance that it may cost. Scales are rounded up, so a part is never exceeded, and what is spent is the allowance to
the last bits of a float.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.mechanisms import DiscreteGaussian, Exponential, Laplace, PermuteAndFlip
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge
from discreet.query.choices import PickNoise
from discreet.query.draws import VectorNoise
from discreet.query.price import read_amount

Currency = Literal["epsilon", "rho"]


@dataclass(frozen=True, slots=True)
class Allowance:
    """An amount of epsilon, spent on discrete Laplace noise, or of rho, spent on discrete Gaussian noise."""

    currency: Currency
    amount: Fraction

    def __post_init__(self) -> None:
        if self.currency not in ("epsilon", "rho"):
            raise ParameterError("currency", self.currency, "'epsilon' or 'rho'")
        if not isinstance(self.amount, Fraction) or self.amount <= 0:
            raise ParameterError(self.currency, self.amount, "above 0")

    @property
    def charge(self) -> Charge:
        """What spending all of it costs. Pure releases of epsilons that add up to e are e^2/2-zCDP at most.

        Each costs half its square of rho, and a sum of squares is at most the square of the sum.
        """
        if self.currency == "epsilon":
            return Charge(self.amount, self.amount**2 / 2, Fraction(0))
        return Charge(float("inf"), self.amount, Fraction(0))

    def take(self, share: Fraction) -> Allowance:
        """Return a share of it."""
        return Allowance(self.currency, self.amount * share)

    def make_noise(self, l1: int, l2_squared: int) -> VectorNoise:
        """Return the noise that costs all of it, on answers that one unit moves by so much."""
        if self.currency == "epsilon":
            return Laplace(float_up(Fraction(l1) / self.amount))
        return DiscreteGaussian(_root_up(Fraction(l2_squared) / (2 * self.amount)))

    def make_pick(self, spread: int) -> PickNoise:
        """Return the choice that costs all of it, among scores that one unit moves apart by so much.

        Permute-and-flip errs less at the same epsilon; its loss is pure and of no bounded range, so under zCDP the
        exponential mechanism costs a quarter.
        """
        if self.currency == "epsilon":
            return PermuteAndFlip(float_up(Fraction(spread) / self.amount))
        return Exponential(_root_up(Fraction(spread) ** 2 / (8 * self.amount)))

    def describe(self) -> Json:
        """Return the form of the allowance."""
        return {self.currency: write_exact(self.amount)}


def read_allowance(epsilon: Any = None, delta: Any = None, rho: Any = None) -> Allowance:
    """Return the allowance that somebody states: epsilon, (epsilon, delta), or rho.

    An (epsilon, delta) is spent as the largest rho whose zCDP implies it (`privacy/budget.py` says how that is found).
    """
    if (epsilon is None) == (rho is None):
        raise ParameterError("epsilon", epsilon, "given, or rho, and not both")
    if rho is not None:
        if delta is not None:
            raise ParameterError("delta", delta, "left out beside rho, which has none")
        return Allowance("rho", read_amount("rho", rho))
    if delta is None:
        return Allowance("epsilon", read_amount("epsilon", epsilon))
    check.real("delta", delta, above=0, below=1)
    return Allowance("rho", Fraction(rho_cap(read_amount("epsilon", epsilon), delta)))


def _root_up(square: Fraction) -> float:
    return rounded_up(lambda: ball(square).sqrt())
