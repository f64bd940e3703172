"""Robust statistics of a table: quantiles and trimmed means.

Each is one operation, one charge and one record. What is spent says which mechanism is used, by one rule for all:

| given | mechanism | guarantee |
|---|---|---|
| `proposal`, `epsilon` and `delta` | propose-test-release | (epsilon, delta), a refusal too |
| `epsilon` and `delta` | smooth sensitivity with Laplace noise | (epsilon, delta) |
| `epsilon` | quantiles: inverse sensitivity; trimmed means: smooth sensitivity with Student's t noise | epsilon |
| `rho` | smooth sensitivity with Laplace log-normal noise | rho-zCDP |
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down
from discreet.curator import Curator
from discreet.curator.door.statistics import DrawnQuantile, NoisyStatistic, StatisticNoise
from discreet.curator.session import Session, Watch
from discreet.mechanisms.quantile import Drawn, Quantile
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothLogNormal, SmoothStudent
from discreet.mechanisms.robust.sorted_values import check_share
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.robust.asking import find_session
from discreet.robust.people import find_people
from discreet.robust.releasing import RobustEstimate, RobustPrice, ToldPoints, read_price, release
from discreet.robust.values import PlannedValues, plan_values

FINE = 2**20
"""A trimmed mean is told on a grid of at least so many points between the bounds."""

NO_INTERVAL = "there is no interval: the scale of this noise follows the data, and is private itself"

SHARE_OF_COUNTS = Fraction(1, 20)
"""Of a drawn quantile's price, for the counts around it that its interval rests on."""


def quantile(
    curator: Curator | Session,
    table: str,
    column: str,
    share: float | Fraction,
    *,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    proposal: float | None = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RobustEstimate:
    """Return the value below which this share of people's values lies (0 is the least, 1 the largest).

    Without a `delta` it is drawn by inverse sensitivity, which errs least nearly always; `robust.advise` says when not.
    `per_unit` is as in `mean_interval`; with "rows" the values are those of all rows.
    """
    session, spending = find_session(curator), read_price(epsilon, delta, rho)
    wanted, sure = check_share("share", share), float(check.confidence(confidence))
    values = plan_values(session, find_people(session, table, where, params), column, per_unit, max_rows)
    plan, grid, what = values.plan, values.grid, f"{format_value(float(wanted))} quantile of {values.words}"
    if spending.pure and proposal is None:
        assert spending.epsilon is not None
        points, rows = grid.upper - grid.lower + 1, plan.factor * plan.rows
        made = Quantile(wanted, points, float_down(spending.epsilon), rows, sides=SHARE_OF_COUNTS)
        told, receipt = release(session, plan, DrawnQuantile(made, grid.lower), spending, what, fresh, progress)
        assert told is not None
        assert made.side is not None
        point, *counts = told
        drawn = Drawn(point - grid.lower, points, wanted, made.side.scale, tuple(counts))
        ends = [values.to_value(each + grid.lower) for each in drawn.interval(sure)]
        value, interval = values.to_value(point), (ends[0], ends[1])
        return RobustEstimate(what, "inverse sensitivity", value, interval, sure, (), receipt)
    statistic = OrderStatistic(wanted, grid.lower, grid.upper, plan.rows)
    return _release_noisy(session, values, what, statistic, 1, spending, proposal, confidence, fresh, progress)


def median(curator: Curator | Session, table: str, column: str, **how: Any) -> RobustEstimate:
    """Return the median of people's values: `quantile` with a share of one half."""
    return quantile(curator, table, column, Fraction(1, 2), **how)


def trimmed_mean(
    curator: Curator | Session,
    table: str,
    column: str,
    *,
    trim: float | Fraction = Fraction(1, 10),
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    proposal: float | None = None,
    where: str | None = None,
    per_unit: str = "mean",
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RobustEstimate:
    """Return the mean of people's values without the least and the largest ones: a share of `trim` on either side.

    It needs far less noise than a mean where public bounds are wide and the values in the middle lie close together.
    """
    session, spending = find_session(curator), read_price(epsilon, delta, rho)
    cut = check_share("trim", trim, below=0.5)
    values = plan_values(session, find_people(session, table, where, params), column, per_unit, max_rows)
    grid, plan = values.grid, values.plan
    fineness = max(1, FINE // (grid.upper - grid.lower))
    statistic = TrimmedMean(cut, grid.lower, grid.upper, plan.rows, fineness, values.neighbours)
    what = f"{format_value(float(cut))}-trimmed mean of {values.words}"
    return _release_noisy(session, values, what, statistic, fineness, spending, proposal, confidence, fresh, progress)


def choose_mechanism(spending: RobustPrice, rows: int, proposal: int | None) -> tuple[StatisticNoise, str]:
    """Return the mechanism that what is spent says, and its name."""
    if proposal is not None:
        if spending.epsilon is None or not spending.delta:
            raise ParameterError("delta", None, "given beside a proposal: the test may be wrong with that probability")
        return ProposeTestRelease.calibrate(spending.epsilon, spending.delta, proposal), "propose-test-release"  # type: ignore[arg-type]
    if spending.rho is not None:
        made = SmoothLogNormal.calibrate(float_down(spending.rho), rows)
        return made, "smooth sensitivity with Laplace log-normal noise"
    assert spending.epsilon is not None
    epsilon = float_down(spending.epsilon)
    if spending.delta:
        laplace = SmoothLaplace.calibrate(epsilon, float_down(spending.delta), rows)
        return laplace, "smooth sensitivity with Laplace noise"
    return SmoothStudent.calibrate(epsilon, rows), "smooth sensitivity with Student's t noise"


def _release_noisy(
    session: Session,
    values: PlannedValues,
    what: str,
    statistic: OrderStatistic | TrimmedMean,
    fineness: int,
    spending: RobustPrice,
    proposal: float | None,
    confidence: float,
    fresh: bool,
    progress: Watch | None,
) -> RobustEstimate:
    steps = None if proposal is None else _read_proposal(proposal, values.grid.step / fineness)
    mechanism, name = choose_mechanism(spending, values.plan.rows, steps)
    sure = float(check.confidence(confidence))
    told, receipt = release(session, values.plan, NoisyStatistic(statistic, mechanism), spending, what, fresh, progress)
    return _show(what, name, told, values, fineness, mechanism, sure, receipt)


def _show(
    what: str,
    name: str,
    told: ToldPoints,
    values: PlannedValues,
    fineness: int,
    mechanism: StatisticNoise,
    confidence: float,
    receipt: Any,
) -> RobustEstimate:
    if told is None:
        return RobustEstimate(what, name, None, None, confidence, (), receipt)
    point, value = Fraction(told[0], fineness), values.to_value(Fraction(told[0], fineness))
    if not isinstance(mechanism, ProposeTestRelease):
        return RobustEstimate(what, name, value, None, confidence, (NO_INTERVAL,), receipt)
    wide = Fraction(mechanism.interval(confidence) + 1, fineness)
    interval = values.to_value(point - wide), values.to_value(point + wide)
    return RobustEstimate(what, name, value, interval, confidence, (), receipt)


def _read_proposal(proposal: float, step: Fraction) -> int:
    """Return a proposal in steps: by how much one unit is thought to move the statistic, at the most."""
    return max(1, int(Fraction(repr(float(check.positive("proposal", proposal)))) / step))
