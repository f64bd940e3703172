"""What is measured, and with which noise: a query at a level, and its exact part of rho.

Theorem. One measurement is a Gaussian mechanism of mu_i = d / sigma_i, where d is how far a unit moves a histogram of
rows in L2: its rows, or the root of 2 times that under replace neighbours (`curator/door/levels.py`). All measurements
together are one Gaussian mechanism of mu^2 = sum of mu_i^2 (Dong, Roth, Su 2022): divide each answer by its sigma_i,
and they are one vector with noise of deviation 1 that a unit moves by mu at most. So the whole has the curve of
GaussianLoss(mu) exactly, which certifies a smaller epsilon than rho = mu^2 / 2 does by zCDP; rounding the noise to
whole numbers is post-processing. For the shares of 2020, rho = 293764 / 114921, that is 16.47 at delta = 1e-10, where
17.14 was announced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, rounded_up
from discreet.curator.door.cells import CountedUnit
from discreet.curator.door.levels import MOST_ANSWERS, cost_areas
from discreet.families.family import PARTITION
from discreet.mechanisms import Gaussian
from discreet.mechanisms.additive import fitting_scale
from discreet.policy.load import MOST_PUBLISHED
from discreet.privacy import Certified, GaussianLoss
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True)
class AskedQuery:
    """A query that is measured in all areas of a level, with this part of rho."""

    level: int
    query: Query
    rho: Fraction

    def __post_init__(self) -> None:
        """Refuse a part that is none."""
        if type(self.rho) is not Fraction or self.rho <= 0:
            raise ParameterError("rho", self.rho, "a Fraction above 0: a query without a share is not asked")

    def make_noise(self, unit: CountedUnit) -> Gaussian:
        """Return the least noise that costs no more than this part: sigma = d / sqrt(2 rho), rounded up."""
        l2_squared = PARTITION.bound_l2_squared(unit.rows, unit.factor)
        sigma = rounded_up(lambda: (ball(l2_squared) / (2 * ball(self.rho))).sqrt())
        return Gaussian(fitting_scale(sigma, "rho", float(self.rho)))


def check_asked(asked: Sequence[AskedQuery], geography: Geography, schema: CensusSchema) -> None:
    """Refuse queries of other levels or another schema, one that is asked twice, and one with too many answers."""
    if not asked:
        raise ParameterError("queries", "none", "at least one query at one level")
    for each in asked:
        if not 0 <= each.level < len(geography.levels):
            raise ParameterError("level", each.level, f"a level from 0 to {len(geography.levels) - 1}")
        if each.query.schema.attributes != schema.attributes:
            raise ParameterError(f"queries.{each.query.name}", each.query.name, "a query of the schema that is counted")
        if each.query.size > MOST_ANSWERS:
            raise ParameterError(f"queries.{each.query.name}", each.query.size, f"at most {MOST_ANSWERS:,} answers")
    forms = [(each.level, each.query.parts) for each in asked]
    if len(set(forms)) < len(forms):
        again = next(each for place, each in enumerate(asked) if forms.index(forms[place]) < place)
        name = geography.levels[again.level].name
        raise ParameterError("queries", again.query.name, f"asked once in {name}: add up the shares of equal queries")


def cost_asked(asked: Iterable[AskedQuery], unit: CountedUnit) -> Charge:
    """Return what all measurements cost: exactly what the desk's meter adds up."""
    total = NOTHING
    for each in asked:
        total = add_charges(total, cost_areas(unit, each.make_noise(unit))[0])
    return total


def certify_epsilon(rho: Fraction, delta: float | Fraction, size: int | None = None) -> Certified:
    """Return the epsilon of all measurements together at a delta, which is small beside one in so many people.

    >>> round(certify_epsilon(Fraction(293764, 114921), 1e-10).high, 3)
    16.465
    """
    check_delta(delta, size)
    return lose_rho(rho).epsilon(float(delta))


def lose_rho(rho: Fraction) -> GaussianLoss:
    """Return the loss of Gaussian noise that costs so much rho, in one measurement or in many: mu is rounded up."""
    return GaussianLoss(Fraction(rounded_up(lambda: (2 * ball(rho)).sqrt())))


def check_delta(delta: float | Fraction, size: int | None) -> None:
    """Refuse a delta that is none, or is more than a hundredth of one in a public number of people."""
    check.real("delta", delta, above=0, below=1)
    if size is not None and Fraction(delta) * size > MOST_PUBLISHED:
        most = float(MOST_PUBLISHED / size)
        raise ParameterError("delta", float(delta), f"at most {most:.3g}: a hundredth of one in {size:,} people")
