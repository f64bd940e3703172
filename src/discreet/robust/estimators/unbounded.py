"""Means, deviations and interquartile ranges of values that nobody bounded: their bounds are found privately.

Two ways: the `usual` one, which came first, and Dong and Yi's `universal` estimators, which err less for means and
variances, and whose error is proven for every shape of values; `robust.advise` compares them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.answers import Receipt
from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.rounding import float_down
from discreet.curator import Curator
from discreet.curator.door.statistics import RowStatistic
from discreet.curator.session import Session, Watch
from discreet.mechanisms.robust.unbounded import REACH, InterquartileRange, Located, UnboundedMean
from discreet.mechanisms.robust.universal import (
    DrawnQuartiles,
    HeldMean,
    PairedSquares,
    UniversalMean,
    UniversalQuartiles,
    UniversalVariance,
)
from discreet.privacy import Neighbours
from discreet.robust.asking import find_session
from discreet.robust.people import find_people, write_varying
from discreet.robust.releasing import RobustEstimate, RobustPrice, read_epsilon, release
from discreet.robust.values import PlannedValues, plan_written

HELD = "values further than {} from {} counted as at that distance: both were found privately"

PAIRED = "people were paired at random; pairs further than {} apart counted as that far, which was found privately"

PLACED = "quartiles are multiples of {}, a part of the scale that was found privately"

TOO_FEW = "TOO FEW PEOPLE TO SAY: of fewer than about {:,} at this price, the range that is found says nothing"
FEWEST = "of fewer than about {:,} people at this price it says nothing; how many there are is not told"
LEAST = 60
"""People, times a unit's rows over epsilon, that a private range needs to mean anything."""

METHODS = ("usual", "universal")


@dataclass(frozen=True, repr=False)
class UnboundedEstimate(RobustEstimate):
    """A mean of values without bounds, with how many there are and, the usual way, their standard deviation."""

    deviation: float | None = None
    count: int = 0
    enough: bool = True
    """Whether there are about as many people as a private range needs, by their noisy number."""

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the mean: labels and words."""
        spread = [] if self.deviation is None else [("deviation", format_value(self.deviation))]
        return [*spread, ("values", f"about {self.count:,}"), *RobustEstimate.list_facts(self)]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {**RobustEstimate.to_dict(self), "deviation": self.deviation, "count": self.count, "enough": self.enough}


@dataclass(frozen=True, slots=True)
class _Question:
    """Values in whole steps, held within the reach of the mechanisms, and what is to be spent on them."""

    session: Session
    size: Fraction
    values: PlannedValues
    spending: RobustPrice
    universal: bool
    fresh: bool
    progress: Watch | None

    @property
    def made_for(self) -> tuple[float, int, Neighbours]:
        """What mechanisms are made for: epsilon, the rows of a unit, and the neighbours."""
        assert self.spending.epsilon is not None
        return float_down(self.spending.epsilon), self.values.plan.rows, self.values.neighbours

    @property
    def least(self) -> int:
        """About how many people a private range needs."""
        epsilon, rows, _ = self.made_for
        return math.ceil(LEAST * rows / epsilon)

    def warn(self, count: int) -> tuple[str, ...]:
        """Return the warning that so many people are too few, if they are."""
        return () if count >= self.least else (TOO_FEW.format(self.least),)

    def tell(self, statistic: RowStatistic, what: str) -> tuple[tuple[int, ...], Receipt]:
        """Charge, release and record."""
        told, receipt = release(
            self.session, self.values.plan, statistic, self.spending, what, self.fresh, self.progress
        )
        assert told is not None
        return told, receipt

    def show(self, points: float | Fraction) -> str:
        """Return a distance in grid points as words."""
        return format_value(float(points) * float(self.size))

    def show_at(self, point: int) -> str:
        """Return a place on the grid as words."""
        return format_value(self.values.to_value(point) * float(self.size))


def unbounded_mean(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    step: float,
    epsilon: Any = None,
    method: str = "usual",
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> UnboundedEstimate:
    """Return the mean of people's values without public bounds, their number and, the usual way, their deviation.

    `step` is public: values are rounded to multiples of it (0.01 for cents), and held within a million million steps.
    The `method` is "usual" or "universal" (Dong, Yi 2023).
    """
    asked = _plan(curator, table, column, step, epsilon, method, where, per_unit, params, fresh, progress)
    what = f"mean of {asked.values.words}"
    found: Located | HeldMean
    if asked.universal:
        told, receipt = asked.tell(UniversalMean(*asked.made_for), what)
        found, name, deviation = HeldMean(*told), "universal: private range, then sums", None
    else:
        told, receipt = asked.tell(UnboundedMean(*asked.made_for), what)
        found, name = Located(*told), "private center, radius and sums"
        deviation = found.variance**0.5 * float(asked.size)
    value = asked.values.to_value(Fraction(found.mean)) * float(asked.size)
    few, note = asked.warn(found.count), HELD.format(asked.show(found.radius), asked.show_at(found.center))
    return UnboundedEstimate(what, name, value, None, 0.95, (*few, note), receipt, deviation, found.count, not few)


def unbounded_variance(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    step: float,
    epsilon: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> UnboundedEstimate:
    """Return the variance of people's values without public bounds, their deviation and about how many there are.

    It is half the mean squared distance of people in random pairs (Dong, Yi 2023), so that no mean is needed.
    """
    asked = _plan(curator, table, column, step, epsilon, "universal", where, per_unit, params, fresh, progress)
    what = f"variance of {asked.values.words}"
    told, receipt = asked.tell(UniversalVariance(*asked.made_for), what)
    found = PairedSquares(*told)
    value, note = found.variance * float(asked.size) ** 2, PAIRED.format(asked.show(found.radius))
    name, deviation, count = "universal: squares of random pairs", value**0.5, 2 * found.count
    few = asked.warn(count)
    return UnboundedEstimate(what, name, value, None, 0.95, (*few, note), receipt, deviation, count, not few)


def interquartile_range(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    step: float,
    epsilon: Any = None,
    method: str = "usual",
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RobustEstimate:
    """Return the distance of the quartiles of people's values, which need no public bounds but a `step`.

    The `method` is "usual" or "universal" (Dong, Yi 2023): with it a `step` that is far too fine costs nothing.
    """
    asked = _plan(curator, table, column, step, epsilon, method, where, per_unit, params, fresh, progress)
    what, few = f"interquartile range of {asked.values.words}", FEWEST.format(asked.least)
    if asked.universal:
        told, receipt = asked.tell(UniversalQuartiles(*asked.made_for), what)
        found, name = DrawnQuartiles(*told), "universal: quartiles in a private range"
        value, notes = found.width * float(asked.size), (PLACED.format(asked.show(found.bucket)), few)
        return RobustEstimate(what, name, value, None, 0.95, notes, receipt)
    told, receipt = asked.tell(InterquartileRange(*asked.made_for), what)
    return RobustEstimate(what, "two drawn quartiles", told[0] * float(asked.size), None, 0.95, (few,), receipt)


def _plan(
    curator: Curator | Session,
    table: str,
    column: str,
    step: object,
    epsilon: Any,
    method: str,
    where: str | None,
    per_unit: str,
    params: Mapping[str, Any] | None,
    fresh: bool,
    progress: Watch | None,
) -> _Question:
    """Return the question about values as whole numbers of steps, held within the reach of the mechanisms."""
    session, spending = find_session(curator), read_epsilon(epsilon)
    universal = check.choice("method", method, METHODS) == "universal"
    size = Fraction(repr(float(check.positive("step", step))))
    people = find_people(session, table, where, params)
    value = write_varying(session, people, "column", column)
    held = f"LEAST(GREATEST(({value}) / {float(size)!r}, -{REACH}), {REACH})"
    known = f"CASE WHEN SIGN({value}) IS NOT NULL THEN {held} END"  # else NULL and NaN would count as numbers
    values = plan_written(session, people, [known], column, per_unit, outer=["CAST(ROUND({0}) AS BIGINT)"])
    return _Question(session, size, values, spending, universal, fresh, progress)
