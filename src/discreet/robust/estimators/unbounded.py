"""Means, deviations and interquartile ranges of values that nobody bounded: their bounds are found privately."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.rounding import float_down
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.mechanisms.robust.unbounded import REACH, InterquartileRange, Located, UnboundedMean
from discreet.robust.asking import find_session
from discreet.robust.people import find_people, write_column
from discreet.robust.releasing import RobustEstimate, read_price, release
from discreet.robust.values import PlannedValues, plan_written

HELD = "values further than {} from {} counted as at that distance: both were found privately"


@dataclass(frozen=True, repr=False)
class UnboundedEstimate(RobustEstimate):
    """A mean of values without bounds, with their standard deviation and how many there are: all of one release."""

    deviation: float = 0.0
    count: int = 0

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the mean: labels and words."""
        rest = [("deviation", format_value(self.deviation)), ("values", f"about {self.count:,}")]
        return [*rest, *RobustEstimate.list_facts(self)]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {**RobustEstimate.to_dict(self), "deviation": self.deviation, "count": self.count}


def unbounded_mean(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    step: float,
    epsilon: Any,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> UnboundedEstimate:
    """Return the mean of people's values without public bounds, their deviation and their number.

    `step` is public: values are rounded to multiples of it (0.01 for cents), and held within a million million steps.
    """
    session, size, values = _plan(curator, table, column, step, where, per_unit, params)
    spending = read_price(epsilon, None, None)
    assert spending.epsilon is not None
    made = UnboundedMean(float_down(spending.epsilon), values.plan.rows, values.neighbours)
    what = f"mean of {values.words}"
    told, receipt = release(session, values.plan, made, spending, what, fresh, progress)
    assert told is not None
    found = Located(*told)
    center, reach = values.to_value(found.center) * float(size), found.radius * float(size)
    return UnboundedEstimate(
        what,
        "private center, radius and sums",
        values.to_value(Fraction(found.mean)) * float(size),
        None,
        0.95,
        (HELD.format(format_value(reach), format_value(center)),),
        receipt,
        found.variance**0.5 * float(size),
        found.count,
    )


def interquartile_range(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    step: float,
    epsilon: Any,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RobustEstimate:
    """Return the distance of the quartiles of people's values, which need no public bounds but a `step`."""
    session, size, values = _plan(curator, table, column, step, where, per_unit, params)
    spending = read_price(epsilon, None, None)
    assert spending.epsilon is not None
    made = InterquartileRange(float_down(spending.epsilon), values.plan.rows, values.neighbours)
    what = f"interquartile range of {values.words}"
    told, receipt = release(session, values.plan, made, spending, what, fresh, progress)
    assert told is not None
    return RobustEstimate(what, "two drawn quartiles", told[0] * float(size), None, 0.95, (), receipt)


def _plan(
    curator: Curator | Session,
    table: str,
    column: str,
    step: object,
    where: str | None,
    per_unit: str,
    params: Mapping[str, Any] | None,
) -> tuple[Session, Fraction, PlannedValues]:
    """Return the plan of values as whole numbers of steps, held within the reach of the mechanisms."""
    session = find_session(curator)
    size = Fraction(repr(float(check.positive("step", step))))
    people = find_people(session, table, where, params)
    value = write_column(session, people, "column", column)
    held = f"LEAST(GREATEST(({value}) / {float(size)!r}, -{REACH}), {REACH})"
    known = f"CASE WHEN SIGN({value}) IS NOT NULL THEN {held} END"  # else NULL and NaN would count as numbers
    return session, size, plan_written(session, people, [known], column, per_unit, outer=["CAST(ROUND({0}) AS BIGINT)"])
