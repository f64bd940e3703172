"""Pairs of distributions (P, Q) that dominate a loss, as the law of L = ln(P / Q) under P and under Q.

If every neighbouring pair of a mechanism has a privacy curve below that of (P, Q), the mechanism's compositions have
curves below those of the pair (Zhu, Dong, Wang 2022, Theorem 10). One pair is kept per direction, remove and add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

UNIT = 2.0**-53
ERROR = 64 * UNIT
"""Relative error allowed for a tail probability computed in floats (a few units would do)."""

SAMPLED_ERROR = 2.0**-39
"""The same for sampled pairs, whose loss is undone by a logarithm that cancels near its least value."""

HUGE = 600.0

_NONE: Floats = np.empty(0)


@dataclass(frozen=True, eq=False)
class Pair:
    """The law of L: a continuous part given by its tails, atoms, and P-mass where Q has none.

    `above(x)` returns Pr_P[L > x] and Pr_Q[L > x] of the continuous part, `below(x)` Pr[L <= x], both to ERROR
    relative.
    """

    above: Callable[[Floats], tuple[Floats, Floats]] | None
    below: Callable[[Floats], tuple[Floats, Floats]] | None
    low: float = 0.0
    high: float = 0.0
    atoms: Floats = field(default_factory=lambda: _NONE)
    masses: Floats = field(default_factory=lambda: _NONE)
    infinite: float = 0.0
    lattice: float | None = None
    """All atoms are multiples of this, where there is such a number."""
    error: float = ERROR
    """Relative error allowed for the tails in the bulk."""

    def cells(self, bounds: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the continuous part's P- and Q-mass between consecutive bounds, and bounds on their errors."""
        assert self.above is not None
        assert self.below is not None
        over_p, over_q = self.above(bounds)
        under_p, under_q = self.below(bounds)
        found: list[Floats] = []
        errors: list[Floats] = []
        for over, under in ((over_p, under_p), (over_q, under_q)):
            upper = over[:-1] < under[1:]
            found.append(np.maximum(np.where(upper, over[:-1] - over[1:], under[1:] - under[:-1]), 0.0))
            tail = np.where(upper, over[:-1], under[1:])
            # A tail's own argument is rounded: that weighs more the steeper it falls, about -ln(tail) for a Gaussian.
            errors.append((self.error + 32 * UNIT * -np.log(np.maximum(tail, 1e-320))) * tail)
        return found[0], found[1], errors[0], errors[1]


def atomic(losses: list[float], masses: list[float], infinite: float = 0.0, lattice: float | None = None) -> Pair:
    """Return a pair whose loss takes finitely many values."""
    return Pair(None, None, atoms=np.array(losses), masses=np.array(masses), infinite=infinite, lattice=lattice)


def tells_all() -> Pair:
    """Return a pair that is told apart for sure: a bound for losses so large that floats cannot hold e^-epsilon."""
    return atomic([0.0], [2.0**-1000], infinite=1 - UNIT)


def gaussian(mu: float) -> Pair:
    """Return N(mu, 1) against N(0, 1): L is N(mu^2 / 2, mu^2) under P and N(-mu^2 / 2, mu^2) under Q."""

    def above(x: Floats) -> tuple[Floats, Floats]:
        z = x / mu
        return special.ndtr(mu / 2 - z), special.ndtr(-mu / 2 - z)

    def below(x: Floats) -> tuple[Floats, Floats]:
        z = x / mu
        return special.ndtr(z - mu / 2), special.ndtr(z + mu / 2)

    return Pair(above, below, -np.inf, np.inf)


def laplace(epsilon: float) -> Pair:
    """Return the continuous Laplace pair: atoms at +-epsilon, and a density between them."""
    if epsilon > HUGE:
        return tells_all()

    def above(x: Floats) -> tuple[Floats, Floats]:
        inside = np.clip(x, -epsilon, epsilon)
        # Pr_P[x < L < epsilon] = (1 - e^((x - epsilon)/2)) / 2, Pr_Q likewise from the other side.
        return -np.expm1((inside - epsilon) / 2) / 2, (np.exp(-(inside + epsilon) / 2) - np.exp(-epsilon)) / 2

    def below(x: Floats) -> tuple[Floats, Floats]:
        inside = np.clip(x, -epsilon, epsilon)
        return (np.exp((inside - epsilon) / 2) - np.exp(-epsilon)) / 2, -np.expm1(-(inside + epsilon) / 2) / 2

    atoms, masses = np.array([-epsilon, epsilon]), np.array([np.exp(-epsilon) / 2, 0.5])
    return Pair(above, below, -epsilon, epsilon, atoms, masses, lattice=epsilon)


def discrete_laplace(scale: float, sensitivity: int) -> Pair:
    """Return the pair of discrete Laplace noises: the loss is (d - 2x) / scale at x = 0 .. d, and constant outside."""
    if sensitivity / scale > HUGE:
        return tells_all()
    inside = np.arange(sensitivity + 1, dtype=np.float64)
    share = 1 / (1 + np.exp(-1 / scale))
    masses = np.exp(-inside / scale) * share
    masses[1:-1] *= -np.expm1(-1 / scale)  # both ends collect a geometric tail
    return Pair(None, None, atoms=(sensitivity - 2 * inside) / scale, masses=masses, lattice=1 / scale)


def discrete_gaussian(sigma: float, sensitivity: int) -> Pair:
    """Return the pair of discrete Gaussian noises: the loss is (d^2 - 2 d x) / (2 sigma^2) at every integer x.

    Integers beyond 39 sigma, less than 1e-320 of the mass, count as infinite loss.
    """
    if (sensitivity / sigma) ** 2 / 2 > HUGE:
        return tells_all()
    reach = int(39 * sigma) + sensitivity + 2
    points = np.arange(-reach, reach + 1, dtype=np.float64)
    weights = np.exp(-((points / sigma) ** 2) / 2)
    lattice = sensitivity / (2 * sigma**2)
    return Pair(
        None,
        None,
        atoms=(sensitivity - 2 * points) * lattice,
        masses=weights / weights.sum(),
        infinite=1e-320,
        lattice=lattice,
    )


def bounded_range(epsilon: float) -> Pair:
    """Return the pair with the curve of bounded range: with a = e^(epsilon/2) and t = e^x,

    Pr_P[L > x] = a (a - sqrt t) / (a^2 - 1) and Pr_Q[L > x] = (a / sqrt t - 1) / (a^2 - 1).
    """
    share = -np.expm1(-epsilon)

    def sides(rest: Floats) -> tuple[Floats, Floats]:
        """Return (1 - e^-rest) / (1 - e^-epsilon) and e^(rest - epsilon) times that."""
        near: Floats = -np.expm1(-rest) / share
        return near, np.exp(rest - epsilon) * near

    def above(x: Floats) -> tuple[Floats, Floats]:
        return sides(np.clip((epsilon - x) / 2, 0, epsilon))

    def below(x: Floats) -> tuple[Floats, Floats]:
        under_q, under_p = sides(np.clip((epsilon + x) / 2, 0, epsilon))
        return under_p, under_q

    return Pair(above, below, -epsilon, epsilon)


def sampled(pair: Pair, rate: float) -> tuple[Pair, Pair]:
    """Return Poisson sampling's two pairs: (mixture, Q) for remove and (Q, mixture) for add.

    The mixture is (1 - rate) Q + rate P, so its ratio to Q is 1 - rate + rate e^L (Zhu, Dong, Wang 2022, Theorem 11).
    """

    def outer(x: Floats) -> Floats:
        """Return ln(1 - rate + rate e^x), also where e^x leaves the floats."""
        return np.where(x > 600, x + np.log(rate), np.log1p(rate * np.expm1(np.minimum(x, 600))))

    def inner(x: Floats) -> Floats:
        """Undo `outer`; -infinity at and below its least value, ln(1 - rate)."""
        inside = np.expm1(np.minimum(x, 600)) / rate
        with np.errstate(divide="ignore"):
            return np.where(x > 600, x - np.log(rate), np.log1p(np.maximum(inside, -1.0)))

    def mixed(found: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        over_p, over_q = found
        return rate * over_p + (1 - rate) * over_q, over_q

    def swapped(found: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
        over_p, over_q = found
        return over_q, over_p

    above, below = pair.above, pair.below
    atoms = outer(pair.atoms)
    with np.errstate(divide="ignore"):
        atoms_q = np.exp(np.log(pair.masses) - pair.atoms)
    atoms_mixed = rate * pair.masses + (1 - rate) * atoms_q
    # Where P has none, Q has as much mass as P has where Q has none (the pair is symmetric), or what the atoms leave.
    alone = max(pair.infinite, 1 - float(atoms_q.sum()) if above is None else 0.0)
    if alone > 1e-12:
        atoms = np.append(atoms, np.log1p(-rate))
        atoms_q = np.append(atoms_q, alone)
        atoms_mixed = np.append(atoms_mixed, (1 - rate) * alone)
    if above is None or below is None:
        remove = Pair(None, None, atoms=atoms, masses=atoms_mixed, infinite=rate * pair.infinite)
        add = Pair(None, None, atoms=-atoms, masses=atoms_q)
        return remove, add
    low, high = float(outer(np.array(pair.low))), float(outer(np.array(pair.high)))
    remove = Pair(
        lambda x: mixed(above(inner(x))),
        lambda x: mixed(below(inner(x))),
        *(low, high, atoms, atoms_mixed, rate * pair.infinite, None, SAMPLED_ERROR),
    )
    add = Pair(
        lambda x: swapped(mixed(below(inner(-x)))),
        lambda x: swapped(mixed(above(inner(-x)))),
        *(-high, -low, -atoms, atoms_q, 0.0, None, SAMPLED_ERROR),
    )
    return remove, add
