"""How the price is shared out: rho in all, a share for each level, and within a level one for each query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down
from discreet.mechanisms.gaussian import analytic_sigma

STEPS_OF_RHO = 10**12
"""A rho that follows from an epsilon is a whole number of such parts."""


@dataclass(frozen=True)
class Allocation:
    """Exact shares of rho: those of the levels add up to 1, and within each level that has one those of its queries.

    A level with the share 0 is not measured, and has no queries. `delta` is where epsilon is stated.
    """

    rho: Fraction
    delta: Fraction
    levels: tuple[Fraction, ...]
    queries: tuple[Mapping[str, Fraction], ...]
    """For each level, the share of each query that is measured there, by name."""

    def __post_init__(self) -> None:
        """Refuse shares that do not add up, and amounts that are none."""
        if self.rho <= 0 or not 0 < self.delta < 1:
            raise ParameterError("budget", (str(self.rho), str(self.delta)), "rho above 0 and delta between 0 and 1")
        if len(self.levels) != len(self.queries):
            raise ParameterError("levels", len(self.levels), "shares and queries for the same levels")
        check_shares("levels", self.levels)
        for level, share in enumerate(self.levels):
            if share:
                check_shares(f"queries of level {level}", list(self.queries[level].values()))
            elif self.queries[level]:
                raise ParameterError(f"queries of level {level}", dict(self.queries[level]), "none: its share is 0")

    def find_rho(self, level: int, query: str) -> Fraction:
        """Return the exact part of rho that a query at a level is measured with; 0 where it is not measured."""
        return self.rho * self.levels[level] * self.queries[level].get(query, Fraction(0))


def check_shares(name: str, shares: Sequence[Fraction]) -> None:
    """Refuse shares that do not add up to exactly 1."""
    if any(share < 0 for share in shares):
        raise ParameterError(name, [str(share) for share in shares], "shares of at least 0")
    total = sum(shares, Fraction(0))
    if total != 1:
        raise ParameterError(name, f"{total} in all", f"shares that add up to exactly 1: {describe_gap(total)}")


def describe_gap(total: Fraction) -> str:
    """Say how far a sum of shares is from 1.

    >>> describe_gap(Fraction(4099, 4097)), describe_gap(Fraction(1, 2))
    ('they are 2/4097 too many', '1/2 is missing')
    """
    return f"they are {total - 1} too many" if total > 1 else f"{1 - total} is missing"


def write_rho(rho: Fraction) -> str:
    """Return rho as it is shown everywhere: the exact fraction, and a decimal beside it where it is not whole.

    >>> write_rho(Fraction(293764, 114921)), write_rho(Fraction(5, 2)), write_rho(Fraction(3))
    ('293764/114921 (2.556)', '5/2 (2.5)', '3')
    """
    return str(rho) if rho.denominator == 1 else f"{rho} ({float(rho):.4g})"


def write_epsilon(epsilon: float) -> str:
    """Return a certified epsilon as it is shown everywhere: rounded up, since a smaller one would not be certified.

    >>> write_epsilon(16.46501), write_epsilon(2.0)
    ('16.466', '2')
    """
    return f"{ceil(Fraction(epsilon) * 1000) / 1000:.12g}"


def convert_epsilon(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the most rho whose Gaussian noise is (epsilon, delta)-differentially private, rounded down.

    Gaussian noise of rho = mu^2 / 2 has the curve of GaussianLoss(mu) exactly, so the analytic mechanism's sigma for
    sensitivity 1 (Balle, Wang 2018), which is proven and rounded up, gives mu = 1 / sigma.
    """
    sigma = Fraction(analytic_sigma(float_down(epsilon), float_down(delta), 1))
    rho = Fraction(int(STEPS_OF_RHO / (2 * sigma**2)), STEPS_OF_RHO)
    if rho <= 0:
        raise ParameterError("budget.epsilon", str(epsilon), "larger: it leaves no rho to share out")
    return rho
