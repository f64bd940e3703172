"""Pairs of distributions (P, Q) that dominate a loss, as the law of L = ln(P / Q) under P and under Q.

If every neighbouring pair of a mechanism has a privacy curve below that of (P, Q), the mechanism's compositions have
curves below those of the pair (Zhu, Dong, Wang 2022, Theorem 10). One pair is kept per direction, remove and add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.base.later import Later

special = Later("scipy.special")

Floats = NDArray[np.float64]

UNIT = 2.0**-53
ERROR = 64 * UNIT
"""Relative error allowed for a tail probability computed in floats (a few units would do)."""

ATOM_ERROR = 2.0**-41
"""The same for an atom's mass, e^-x with x up to 745 and itself rounded."""

SAMPLED_ERROR = 2.0**-39
"""The same for sampled pairs, whose loss is undone by a logarithm that cancels near its least value."""

HUGE = 600.0

_NONE: Floats = np.empty((1, 0))


@dataclass(frozen=True, eq=False)
class Pair:
    """The law of L: a continuous part given by its tails, atoms, and P-mass where Q has none.

    `above(x)` returns Pr_P[L > x] and Pr_Q[L > x] of the continuous part, `below(x)` Pr[L <= x], both to ERROR
    relative. Several pairs of one family lie in one value, a row of `atoms` and `masses` each.
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
    family: Family | None = None
    """Makes pairs of this kind from a column of parameters: the loss grows with its parameter, and so do the atoms."""
    parameter: Floats | None = None

    @property
    def rows(self) -> int:
        """How many pairs lie in this value."""
        return len(self.atoms)

    @property
    def grain(self) -> float:
        """How far a bound between cells must move at least to make a difference."""
        return 0.0

    def cells(self, bounds: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the continuous part's P- and Q-mass between consecutive bounds, and bounds on their errors."""
        assert self.above is not None
        assert self.below is not None
        found: list[Floats] = []
        errors: list[Floats] = []
        for over, under in zip(self.above(bounds), self.below(bounds), strict=True):
            over, under = over.reshape(self.rows, -1), under.reshape(self.rows, -1)
            upper = over[:, :-1] < under[:, 1:]
            found.append(np.maximum(np.where(upper, over[:, :-1] - over[:, 1:], under[:, 1:] - under[:, :-1]), 0.0))
            tail = np.where(upper, over[:, :-1], under[:, 1:])
            # A tail's own argument is rounded: that weighs more the steeper it falls, about -ln(tail) for a Gaussian.
            errors.append((self.error + 32 * UNIT * -np.log(np.maximum(tail, 1e-320))) * tail)
        return found[0], found[1], errors[0], errors[1]

    def snapped(self, step: float) -> Pair:
        """Return a pair that this one dominates with its atoms on the grid, or this one where there is none."""
        if self.family is None or self.parameter is None:
            return self
        steps = np.floor(self.parameter / step * (1 + 4 * UNIT))
        on_grid = steps * step
        close = np.abs(on_grid - self.parameter) <= 16 * UNIT * self.parameter
        smaller = np.where(on_grid > self.parameter, on_grid - step, on_grid)
        return self.family(np.where(close | (steps < 2), self.parameter, smaller))


Family = Callable[[Floats], Pair]


def atomic(losses: list[float], masses: list[float], infinite: float = 0.0, lattice: float | None = None) -> Pair:
    """Return a pair whose loss takes finitely many values."""
    return Pair(None, None, atoms=np.array([losses]), masses=np.array([masses]), infinite=infinite, lattice=lattice)


@lru_cache(maxsize=4096)
def pure(epsilon: float, certain: float = 0.0) -> Pair:
    """Return randomized response that tells all with probability `certain`: the worst (epsilon, certain)-DP mechanism.

    (Kairouz, Oh, Viswanath 2015.)
    """
    if epsilon > HUGE:
        return tells_all()
    return _pure(np.array([[epsilon]])) if epsilon and not certain else _response(np.array([[epsilon]]), certain)


def _pure(epsilon: Floats) -> Pair:
    return _response(epsilon, 0.0)


def _response(epsilon: Floats, certain: float) -> Pair:
    atoms = np.hstack([-epsilon, epsilon])
    lattice = (float(epsilon[0, 0]) or None) if len(epsilon) == 1 else None
    family, parameter = (None, None) if certain or not epsilon.all() else (_pure, epsilon)
    masses = (1 - certain) * special.expit(atoms)
    return Pair(None, None, 0.0, 0.0, atoms, masses, certain, lattice, ERROR, family, parameter)


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


@lru_cache(maxsize=4096)
def laplace(epsilon: float) -> Pair:
    """Return the continuous Laplace pair: atoms at +-epsilon, and a density between them."""
    return _laplace(np.array([[epsilon]])) if epsilon <= HUGE else tells_all()


def _laplace(epsilon: Floats) -> Pair:
    def above(x: Floats) -> tuple[Floats, Floats]:
        inside = np.clip(x, -epsilon, epsilon)
        # Pr_P[x < L < epsilon] = (1 - e^((x - epsilon)/2)) / 2, Pr_Q likewise from the other side.
        far: Floats = np.exp(-(inside + epsilon) / 2)
        return -np.expm1((inside - epsilon) / 2) / 2, far * -np.expm1((inside - epsilon) / 2) / 2

    def below(x: Floats) -> tuple[Floats, Floats]:
        inside = np.clip(x, -epsilon, epsilon)
        near: Floats = np.exp((inside - epsilon) / 2)
        return near * -np.expm1(-(inside + epsilon) / 2) / 2, -np.expm1(-(inside + epsilon) / 2) / 2

    atoms, masses = np.hstack([-epsilon, epsilon]), np.hstack([np.exp(-epsilon) / 2, np.full_like(epsilon, 0.5)])
    top = float(epsilon.max())
    lattice = top if len(epsilon) == 1 else None
    return Pair(above, below, -top, top, atoms, masses, lattice=lattice, family=_laplace, parameter=epsilon)


def discrete_laplace(scale: float, sensitivity: int) -> Pair:
    """Return the pair of discrete Laplace noises: the loss is (d - 2x) / scale at x = 0 .. d, and constant outside."""
    if sensitivity / scale > HUGE:
        return tells_all()
    inside = np.arange(sensitivity + 1, dtype=np.float64)
    share = 1 / (1 + np.exp(-1 / scale))
    masses = np.exp(-inside / scale) * share
    masses[1:-1] *= -np.expm1(-1 / scale)  # both ends collect a geometric tail
    return Pair(
        None, None, atoms=(sensitivity - 2 * inside)[None, :] / scale, masses=masses[None, :], lattice=1 / scale
    )


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
        atoms=(sensitivity - 2 * points)[None, :] * lattice,
        masses=(weights / weights.sum())[None, :],
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
        grown = rate * np.expm1(np.minimum(x, 600))
        with np.errstate(divide="ignore"):
            small = np.log((1 - rate) + rate * np.exp(np.minimum(x, 0)))  # 1 + grown would cancel at rates near 1
        return np.where(x > 600, x + np.log(rate), np.where(grown < -0.5, small, np.log1p(np.maximum(grown, -0.5))))

    def inner(x: Floats) -> Floats:
        """Undo `outer`; -infinity at and below its least value, ln(1 - rate)."""
        inside = np.expm1(np.minimum(x, 600)) / rate
        with np.errstate(divide="ignore"):
            small = np.log(np.maximum(np.exp(np.minimum(x, 0)) - (1 - rate), 0.0) / rate)
            large = np.where(x > 600, x - np.log(rate), np.log1p(np.maximum(inside, -0.5)))
        return np.where(inside < -0.5, small, large)

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
    alone = 1 - float(atoms_q.sum()) if above is None else 0.0
    if abs(alone - pair.infinite) < 1e-12:  # but for round-off: the exact number is known
        alone = pair.infinite
    if alone > 0:
        atoms = np.append(atoms, [[np.log1p(-rate)]], axis=1)
        atoms_q = np.append(atoms_q, [[alone]], axis=1)
        atoms_mixed = np.append(atoms_mixed, [[(1 - rate) * alone]], axis=1)
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
