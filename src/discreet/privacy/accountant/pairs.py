"""Pairs of distributions (P, Q) that dominate a loss, as the law of L = ln(P / Q) under P and under Q.

If every neighbouring pair of a mechanism has a privacy curve below that of (P, Q), the mechanism's compositions have
curves below those of the pair (Zhu, Dong, Wang 2022, Theorem 10). One pair is kept per direction, remove and add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.base.grid import Floats
from discreet.base.later import Later

special = Later("scipy.special")

UNIT = 2.0**-53
ERROR = 64 * UNIT
"""Relative error allowed for a tail probability computed in floats (a few units would do)."""

ATOM_ERROR = 2.0**-41
"""The same for an atom's mass, e^-x with x up to 745 and itself rounded."""

SAMPLED_ERROR = 2.0**-39
"""The same for sampled pairs, whose loss is undone by a logarithm that cancels near its least value."""

HUGE = 600.0
"""Above this epsilon e^-epsilon is too small for floats, and a pair that tells all stands in."""

LEAST = 1e-300
"""Below this floats lose digits, so that much is added to upper bounds on delta and taken from lower ones."""

_NONE: Floats = np.empty((1, 0))


class Tails(NamedTuple):
    """The P- and the Q-mass of the continuous part on one side of each loss asked for, and P minus Q.

    The difference is given apart, since P and Q may agree in nearly all digits: at small sampling rates, for example.
    """

    p: Floats
    q: Floats
    excess: Floats


class Masses(NamedTuple):
    """P-mass, Q-mass and P minus Q of some sets of losses, and bounds on the error of each."""

    p: Floats
    q: Floats
    excess: Floats
    error_p: Floats
    error_q: Floats
    error_excess: Floats


@dataclass(frozen=True, eq=False)
class DominatingPair:
    """The law of L: a continuous part given by its tails, atoms, and P-mass where Q has none.

    `above(x)` returns the tails of the continuous part beyond x, `below(x)` those up to x, both to `error` relative.
    Several pairs of one family lie in one value, a row of `atoms` and `masses` each.
    """

    above: Callable[[Floats], Tails] | None
    below: Callable[[Floats], Tails] | None
    low: float = 0.0
    high: float = 0.0
    atoms: Floats = field(default_factory=lambda: _NONE)
    masses: Floats = field(default_factory=lambda: _NONE)
    infinite: float = 0.0
    lattice: float | None = None
    """All atoms are multiples of this, where there is such a number."""
    error: float = ERROR
    """Relative error allowed for the tails in the bulk."""
    contrast: float = 1.0
    """P minus Q is off by at most `error` times (itself + twice the contrast times the larger of P and Q)."""
    doubt: float = 0.0
    """How far losses may be off where they are solved for, beside the round-off of a float."""
    effort: float = 1.0
    """How much longer a grid point takes than one of a Gaussian."""
    family: PairFamily | None = None
    """Makes pairs of this kind from a column of parameters: the loss grows with its parameter, and so do the atoms."""
    parameter: Floats | None = None
    spans: dict[float, tuple[float, float]] = field(init=False, default_factory=dict)
    """The span that was last searched for, by its tail: every grid asks for it again."""

    @property
    def rows(self) -> int:
        """How many pairs lie in this value."""
        return len(self.atoms)

    @property
    def grain(self) -> float:
        """How far a bound between cells must move at least to make a difference."""
        return 0.0

    def measure_cells(self, bounds: Floats) -> Masses:
        """Return the continuous part's masses between consecutive bounds."""
        over, under = self._rows_above(bounds), self._rows_below(bounds)
        p, error_p = _subtract_tails(over.p, under.p, self._error_of(over.p), self._error_of(under.p))
        q, error_q = _subtract_tails(over.q, under.q, self._error_of(over.q), self._error_of(under.q))
        excess, error = _subtract_tails(
            over.excess, under.excess, self._error_of_excess(over), self._error_of_excess(under)
        )
        p, q = np.maximum(p, 0.0), np.maximum(q, 0.0)
        close = error_p + error_q < error
        return Masses(p, q, np.where(close, p - q, excess), error_p, error_q, np.minimum(error, error_p + error_q))

    def measure_above(self, x: float) -> Masses:
        """Return the continuous part's masses beyond x, one for each row."""
        return self._measure(self._rows_above(np.array([x])))

    def measure_below(self, x: float) -> Masses:
        """Return the continuous part's masses up to x, one for each row."""
        return self._measure(self._rows_below(np.array([x])))

    def _measure(self, tails: Tails) -> Masses:
        errors = self._error_of(tails.p), self._error_of(tails.q), self._error_of_excess(tails)
        return Masses(*(part[:, 0] for part in (*tails, *errors)))

    def _rows_above(self, x: Floats) -> Tails:
        assert self.above is not None
        return Tails(*(side.reshape(self.rows, -1) for side in self.above(x)))

    def _rows_below(self, x: Floats) -> Tails:
        assert self.below is not None
        return Tails(*(side.reshape(self.rows, -1) for side in self.below(x)))

    def _error_of(self, tail: Floats) -> Floats:
        """A tail's own argument is rounded: that weighs more the steeper it falls, about -ln(tail) for a Gaussian."""
        return (self.error + 32 * UNIT * -np.log(np.maximum(tail, 1e-320))) * tail

    def _error_of_excess(self, tails: Tails) -> Floats:
        larger = np.maximum(tails.p, tails.q)
        relative = self.error + 32 * UNIT * -np.log(np.maximum(np.minimum(tails.p, tails.q), 1e-320))
        return relative * (np.abs(tails.excess) + 2 * self.contrast * larger)

    def snap_to_grid(self, step: float) -> DominatingPair:
        """Return a pair that this one dominates with its atoms on the grid, or this one where there is none."""
        if self.family is None or self.parameter is None:
            return self
        steps = np.floor(self.parameter / step * (1 + 4 * UNIT))
        on_grid = steps * step
        close = np.abs(on_grid - self.parameter) <= 16 * UNIT * self.parameter
        smaller = np.where(on_grid > self.parameter, on_grid - step, on_grid)
        return self.family(np.where(close | (steps < 2), self.parameter, smaller))


def _subtract_tails(over: Floats, under: Floats, error_over: Floats, error_under: Floats) -> tuple[Floats, Floats]:
    """Return the differences of consecutive tails, from whichever side errs less, and bounds on their errors."""
    upper = error_over[:, :-1] < error_under[:, 1:]
    found = np.where(upper, over[:, :-1] - over[:, 1:], under[:, 1:] - under[:, :-1])
    return found, np.where(upper, error_over[:, :-1], error_under[:, 1:])


PairFamily = Callable[[Floats], DominatingPair]

Releases = list[tuple[DominatingPair, int]]
"""What is composed: pairs, each with how often it occurs."""


def make_atomic(
    losses: list[float], masses: list[float], infinite: float = 0.0, lattice: float | None = None
) -> DominatingPair:
    """Return a pair whose loss takes finitely many values."""
    return DominatingPair(
        None, None, atoms=np.array([losses]), masses=np.array([masses]), infinite=infinite, lattice=lattice
    )


@lru_cache(maxsize=4096)
def make_pure(epsilon: float, certain: float = 0.0) -> DominatingPair:
    """Return randomized response that tells all with probability `certain`: the worst (epsilon, certain)-DP mechanism.

    (Kairouz, Oh, Viswanath 2015.)
    """
    if epsilon > HUGE:
        return make_revealing()
    parameter = np.array([[epsilon]])
    return _make_pure_rows(parameter) if epsilon and not certain else _make_response(parameter, certain)


def _make_pure_rows(epsilon: Floats) -> DominatingPair:
    return _make_response(epsilon, 0.0)


def _make_response(epsilon: Floats, certain: float) -> DominatingPair:
    atoms = np.hstack([-epsilon, epsilon])
    lattice = (float(epsilon[0, 0]) or None) if len(epsilon) == 1 else None
    family, parameter = (None, None) if certain or not epsilon.all() else (_make_pure_rows, epsilon)
    masses = (1 - certain) * special.expit(atoms)
    return DominatingPair(
        None,
        None,
        atoms=atoms,
        masses=masses,
        infinite=certain,
        lattice=lattice,
        family=family,
        parameter=parameter,
    )


def make_revealing() -> DominatingPair:
    """Return a pair that is told apart for sure: a bound for losses so large that floats cannot hold e^-epsilon."""
    return make_atomic([0.0], [2.0**-1000], infinite=1 - UNIT)


def make_gaussian(mu: float) -> DominatingPair:
    """Return N(mu, 1) against N(0, 1): L is N(mu^2 / 2, mu^2) under P and N(-mu^2 / 2, mu^2) under Q."""

    def above(x: Floats) -> Tails:
        z = x / mu
        p, q = special.ndtr(mu / 2 - z), special.ndtr(-mu / 2 - z)
        return Tails(p, q, p - q)

    def below(x: Floats) -> Tails:
        z = x / mu
        p, q = special.ndtr(z - mu / 2), special.ndtr(z + mu / 2)
        return Tails(p, q, p - q)

    return DominatingPair(above, below, -np.inf, np.inf)


@lru_cache(maxsize=4096)
def make_laplace(epsilon: float) -> DominatingPair:
    """Return the continuous Laplace pair: atoms at +-epsilon, and a density between them."""
    return _make_laplace_rows(np.array([[epsilon]])) if epsilon <= HUGE else make_revealing()


def _make_laplace_rows(epsilon: Floats) -> DominatingPair:
    def above(x: Floats) -> Tails:
        inside = np.clip(x, -epsilon, epsilon)
        # Pr_P[x < L < epsilon] = (1 - e^((x - epsilon)/2)) / 2, Pr_Q likewise from the other side.
        p: Floats = -np.expm1((inside - epsilon) / 2) / 2
        return Tails(p, np.exp(-(inside + epsilon) / 2) * p, -np.expm1(-(inside + epsilon) / 2) * p)

    def below(x: Floats) -> Tails:
        inside = np.clip(x, -epsilon, epsilon)
        q: Floats = -np.expm1(-(inside + epsilon) / 2) / 2
        return Tails(np.exp((inside - epsilon) / 2) * q, q, np.expm1((inside - epsilon) / 2) * q)

    atoms, masses = np.hstack([-epsilon, epsilon]), np.hstack([np.exp(-epsilon) / 2, np.full_like(epsilon, 0.5)])
    top = float(epsilon.max())
    return DominatingPair(
        above,
        below,
        -top,
        top,
        atoms,
        masses,
        lattice=top if len(epsilon) == 1 else None,
        contrast=min(1.0, top),
        family=_make_laplace_rows,
        parameter=epsilon,
    )


def make_discrete_laplace(scale: float, sensitivity: int) -> DominatingPair:
    """Return the pair of discrete Laplace noises: the loss is (d - 2x) / scale at x = 0 .. d, and constant outside."""
    if sensitivity / scale > HUGE:
        return make_revealing()
    inside = np.arange(sensitivity + 1, dtype=np.float64)
    share = 1 / (1 + np.exp(-1 / scale))
    masses = np.exp(-inside / scale) * share
    masses[1:-1] *= -np.expm1(-1 / scale)  # both ends collect a geometric tail
    return DominatingPair(
        None, None, atoms=(sensitivity - 2 * inside)[None, :] / scale, masses=masses[None, :], lattice=1 / scale
    )


def make_discrete_gaussian(sigma: float, sensitivity: int) -> DominatingPair:
    """Return the pair of discrete Gaussian noises: the loss is (d^2 - 2 d x) / (2 sigma^2) at every integer x.

    Integers beyond 39 sigma, less than 1e-320 of the mass, count as infinite loss.
    """
    if (sensitivity / sigma) ** 2 / 2 > HUGE:
        return make_revealing()
    reach = int(39 * sigma) + sensitivity + 2
    points = np.arange(-reach, reach + 1, dtype=np.float64)
    weights = np.exp(-((points / sigma) ** 2) / 2)
    lattice = sensitivity / (2 * sigma**2)
    return DominatingPair(
        None,
        None,
        atoms=(sensitivity - 2 * points)[None, :] * lattice,
        masses=(weights / weights.sum())[None, :],
        infinite=1e-320,
        lattice=lattice,
    )


def make_bounded_range(epsilon: float) -> DominatingPair:
    """Return the pair with the curve of bounded range: with a = e^(epsilon/2) and t = e^x,

    Pr_P[L > x] = a (a - sqrt t) / (a^2 - 1) and Pr_Q[L > x] = (a / sqrt t - 1) / (a^2 - 1).
    """
    share = -np.expm1(-epsilon)

    def measure(rest: Floats) -> tuple[Floats, Floats, Floats]:
        """Return s = (1 - e^-rest) / (1 - e^-epsilon), e^(rest - epsilon) s, and their difference."""
        near: Floats = -np.expm1(-rest) / share
        return near, np.exp(rest - epsilon) * near, -np.expm1(rest - epsilon) * near

    def above(x: Floats) -> Tails:
        return Tails(*measure(np.clip((epsilon - x) / 2, 0, epsilon)))

    def below(x: Floats) -> Tails:
        q, p, lack = measure(np.clip((epsilon + x) / 2, 0, epsilon))
        return Tails(p, q, -lack)

    return DominatingPair(above, below, -epsilon, epsilon, contrast=min(1.0, epsilon))
