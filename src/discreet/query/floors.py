"""The least that a question costs, in each currency: so that the number of askings is limited, whatever their noise.

Each asking may tell a little by how long it takes. A charge is at least the policy's `least_share` of the budget's
epsilon, and of the rho that its delta allows. The budget's filter admits whichever of the two sums still fits, so a
floor in one of them alone could be walked around in the other. A question that is asked for less is priced at the
floor, noise included: it is answered more precisely, and costs what that costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, sqrt
from typing import Protocol, TypeVar

from discreet.base.check import Exact
from discreet.policy.model import Policy
from discreet.privacy.budget import rho_cap
from discreet.privacy.charges import Charge, round_charge

GROWTH = 1.001
"""By how much an epsilon grows at least from one try to the next."""


@dataclass(frozen=True, slots=True)
class Floors:
    """The least epsilon and the least rho of a charge; no rho where the budget has no delta, and adds epsilons only."""

    epsilon: Fraction
    rho: Fraction

    def raise_charge(self, charge: Charge) -> Charge:
        """Return a charge that is at the floor at least, in each currency."""
        epsilon, rho = max(charge.epsilon, self.epsilon), max(charge.rho, self.rho)
        return round_charge(Charge(epsilon, rho, charge.delta))


def find_floors(policy: Policy) -> Floors:
    """Return the floors of a policy: parts of the whole budget, whoever asks."""
    rho = Fraction(rho_cap(policy.epsilon, policy.delta / 2)) if policy.delta else Fraction(0)
    return Floors(policy.least_share * policy.epsilon, policy.least_share * rho)


class Charged(Protocol):
    """Something with a charge: a price, or an operation."""

    @property
    def charge(self) -> Charge:
        """What it costs."""


C = TypeVar("C", bound=Charged)


def reach_floor(make: Callable[[Fraction], C], epsilon: Fraction, floors: Floors) -> C:
    """Return what is made at this epsilon, or at the least larger one, about, whose noise costs the floor.

    The rho of noise for a small epsilon falls with its square, so the next try is at the root of what is missing.
    """
    epsilon = max(epsilon, floors.epsilon)
    made = make(epsilon)
    while made.charge.rho < floors.rho:
        epsilon *= _ratio(floors.rho, made.charge.rho)
        made = make(epsilon)
    return made


def _ratio(wanted: Exact, found: Exact) -> Fraction:
    missing = sqrt(wanted / found) if found else 2.0
    return Fraction(f"{max(missing, GROWTH) if isfinite(missing) else 2.0:.6g}")


def describe_floor(name: str, asked: Fraction, charged: Fraction, policy: Policy) -> str:
    """Return what is said about a question that was asked for less than the floor."""
    return (
        f"asked for {name} {float(asked):.3g}, and every question costs at least {float(policy.least_share):g} of the "
        f"budget in epsilon and in rho (least_share in the policy): it is answered, with the smaller noise, at {name} "
        f"{float(charged):.3g}"
    )
