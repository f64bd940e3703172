"""The noise of every measurement: from exact shares of rho to scales that never spend more.

Theorem (Dong, Roth, Su 2022; Balle, Wang 2018). Rounded Gaussian noise of deviation sigma on counts that one unit
moves by at most d in L2 loses GaussianLoss(mu = d / sigma), and such losses compose to one with the sum of mu^2. So a
release whose measurements have mu_i^2 / 2 = rho_i in all has the curve of GaussianLoss(sqrt(2 rho)), not only the
zero-concentrated bound of rho that vectors of discrete Gaussian noise have.

Every person is counted in exactly one answer of a query in exactly one area of a level: a measurement of a query at a
level is one partition of all people, over all its areas. A unit of m rows moves it by m at most, and by the root of 2
times m under replace neighbours (`families.family.PARTITION`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from discreet.base.errors import ParameterError, PolicyError
from discreet.families.family import PARTITION
from discreet.mechanisms import Gaussian
from discreet.policy.problems import join_path
from discreet.privacy import GaussianLoss
from discreet.privacy.certified import Certified
from discreet.topdown.measure.asked import AskedQuery, lose_rho
from discreet.topdown.planning.rounded_variance import compute_rounded_variance
from discreet.topdown.spec.allocation import Allocation
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.queries import Query


@dataclass(frozen=True)
class MovedUnit:
    """How much one unit moves: its rows at most, and 2 for replace neighbours."""

    rows: int
    factor: int


@dataclass(frozen=True)
class PlannedDraw:
    """One measurement: a query in all areas of a level, with its part of rho and the noise that it pays for."""

    level: int
    query: Query
    rho: Fraction
    """The exact part: rho times the level's share times the query's."""
    l2_squared: int
    """The square of how far one unit moves all its answers, in L2."""
    sigma: float

    @property
    def mechanism(self) -> Gaussian:
        """What adds the noise."""
        return Gaussian(self.sigma)

    @property
    def spent(self) -> Fraction:
        """What it loses of rho exactly: never more than its part, since sigma is rounded up."""
        return Fraction(self.l2_squared) / (2 * Fraction(self.sigma) ** 2)

    @property
    def loss(self) -> GaussianLoss:
        """The loss of the draw."""
        return lose_rho(self.spent)

    @property
    def variance(self) -> float:
        """That of the noise of one answer, rounding included."""
        return compute_rounded_variance(self.sigma)


@dataclass(frozen=True)
class CensusNoise:
    """All measurements of a release, level by level from the whole down, and within a level in the spec's order."""

    draws: tuple[PlannedDraw, ...]
    delta: Fraction

    @property
    def spent(self) -> Fraction:
        """What all draws lose of rho together, exactly."""
        return sum((draw.spent for draw in self.draws), Fraction(0))

    @cached_property
    def loss(self) -> GaussianLoss:
        """The loss of the whole release."""
        return lose_rho(self.spent)

    def certify(self, delta: float | Fraction | None = None) -> Certified:
        """Return the certified epsilon of the whole release at a delta; at the spec's own where none is given."""
        return self.loss.epsilon(self.delta if delta is None else delta)

    def find(self, level: int, query: str) -> PlannedDraw | None:
        """Return the measurement of a query at a level; None where it is not measured."""
        return next((draw for draw in self.draws if draw.level == level and draw.query.name == query), None)

    def list_level(self, level: int) -> tuple[PlannedDraw, ...]:
        """Return the measurements of a level."""
        return tuple(draw for draw in self.draws if draw.level == level)


def plan_noise(spec: CensusSpec, rows: int | None = None, factor: int | None = None) -> CensusNoise:
    """Return the noise of every measurement of a spec.

    `rows` is how many rows one unit has at most and `factor` is 2 under replace neighbours: those of the plan that
    will be read, where it is known, else those that the policy declares.
    """
    unit = MovedUnit(spec.rows if rows is None else rows, spec.factor if factor is None else factor)
    levels = [level.name for level in spec.geography.levels]
    try:
        return share_out_noise(spec.allocation, spec.queries, levels, unit)
    except ParameterError as error:
        got = str(error).rpartition("; got ")[2]
        raise PolicyError(f"{spec.path}: {error.name}: its part of rho is {got}; it must be {error.allowed}") from None


def share_out_noise(
    allocation: Allocation, queries: tuple[Query, ...], levels: list[str], unit: MovedUnit
) -> CensusNoise:
    """Return the noise of an allocation: what is measured will have the same, for the same part and the same unit."""
    draws = []
    for level, name in enumerate(levels):
        for query in queries:
            rho = allocation.find_rho(level, query.name)
            if rho:
                draws.append(_plan_draw(AskedQuery(level, query, rho), unit, name))
    return CensusNoise(tuple(draws), allocation.delta)


def _plan_draw(asked: AskedQuery, unit: MovedUnit, level: str) -> PlannedDraw:
    try:
        sigma = asked.make_noise(unit).sigma
    except ParameterError as error:
        key = join_path(["levels", level, "queries", asked.query.name])
        raise ParameterError(key, str(asked.rho), error.allowed) from None
    moved = PARTITION.bound_l2_squared(unit.rows, unit.factor)
    return PlannedDraw(asked.level, asked.query, asked.rho, moved, sigma)
