"""Statistics whose sensitivity is no public number: which of them a desk releases of a plan's rows. For the desk alone.

Each mechanism here looks at all values of one column and bounds, by its own theorem, what a unit of up to `rows` values
can change (`mechanisms/robust/`). What it was made for must be what the plan says: the rows of a unit, and whether
neighbours add a unit or replace one. A unit may have no row at all in a plan, so that replacing one may change how many
values there are: their number is never taken to be public.

Groups. Any function of rows becomes private if it is run on disjoint groups of units. A desk draws the group of each
unit at random: uniform, independent of everything. *Theorem.* Let D' be D with a unit more, or with another in its
place, and give all other units the same groups in both, the other one its predecessor's: this changes no probability,
since groups are drawn alike for each. Then one group's rows differ, and so one of a public number of values at most.
For fixed groups what comes out is private by the theorem of the mechanism that brings the values together, for
neighbours that replace one value; and a mixture over equally likely groups loses no more than its worst part (losses
are convex in the pair of laws). A group's rows are put in the order of their content, so that a function sees nothing
of the order of units.
"""

from __future__ import annotations

import json
import math
import warnings
from collections import Counter
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from discreet import noise
from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.grid import Floats, Grid
from discreet.base.wide import LIMIT
from discreet.curator.door.sums import to_values
from discreet.curator.door.unit_time import check_unit_time
from discreet.engines.result import ExactRows, Points
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothLogNormal, SmoothStudent
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Loss, Neighbours

STATISTICS = (OrderStatistic, TrimmedMean)
NOISES = (SmoothLaplace, SmoothStudent, SmoothLogNormal, ProposeTestRelease)
UNBOUNDED = (UnboundedMean, InterquartileRange, UniversalMean, UniversalVariance, UniversalQuartiles)
MADE = (*STATISTICS, *NOISES, *UNBOUNDED, Quantile)

T = TypeVar("T")

MOST_GROUPS = 100_000

ROW_TIME = 2_000
"""Nanoseconds that a row takes at the most: to be sorted, and to be added up among Python's integers."""

StatisticNoise = SmoothLaplace | SmoothStudent | SmoothLogNormal | ProposeTestRelease


@runtime_checkable
class GroupFunction(Protocol):
    """A number for the rows of some units: a frozen value, and a function in the strict sense (see `UnitFunction`).

    What it raises, and what is no number, counts as a public value. How long it takes is seen.
    """

    def describe(self) -> Json:
        """Return the form of the function: different for functions that compute something else."""

    def apply(self, rows: Floats) -> float:
        """Return a number; `rows` has a line for each row of the group's units, in the order of their content."""


@dataclass(frozen=True, slots=True)
class NoisyStatistic:
    """A quantile or a trimmed mean, with noise of a private or of a proposed scale; nothing where that is refused."""

    statistic: OrderStatistic | TrimmedMean
    mechanism: StatisticNoise

    def describe(self) -> Json:
        """Return the form of both."""
        return {"statistic": describe_mechanism(self.statistic), "mechanism": describe_mechanism(self.mechanism)}

    def draw(self, points: Points) -> list[int] | None:
        """Return the statistic of some values with noise, in grid points, or nothing."""
        told = self.mechanism.release(self.statistic, points)
        return None if told is None else [told]


@dataclass(frozen=True, slots=True)
class DrawnQuantile:
    """A quantile that is drawn by ranks among the points from `low` on."""

    quantile: Quantile
    low: int

    def describe(self) -> Json:
        """Return the form of both."""
        return {"quantile": describe_mechanism(self.quantile), "low": self.low}

    def draw(self, points: Points) -> list[int] | None:
        """Return the point that is drawn, and the noisy counts around it."""
        most = self.quantile.points - 1
        drawn = self.quantile.release(Counter(np.clip(points - self.low, 0, most).tolist()))
        return [drawn.value + self.low, *drawn.counts]


@dataclass(frozen=True, slots=True)
class GroupedFunction:
    """What a function says of disjoint groups of units, in steps and held between bounds, brought together by one."""

    function: GroupFunction
    groups: int
    step: Fraction
    low: int
    high: int
    together: NoisyStatistic | DrawnQuantile

    def describe(self) -> Json:
        """Return the form of all of it."""
        return {
            "function": self.function.describe(),
            "groups": self.groups,
            "step": str(self.step),
            "bounds": [self.low, self.high],
            "together": self.together.describe(),
        }

    def draw(self, plan: RowsPlan, rows: ExactRows) -> list[int] | None:
        """Return what the values of all groups come to."""
        groups = np.repeat(noise.uniform_int(self.groups, rows.units), np.diff(rows.offsets))
        order, ends = np.argsort(groups, kind="stable"), np.cumsum(np.bincount(groups, minlength=self.groups))
        parts = np.split(rows.points[order], ends[:-1])
        told = [self._evaluate(plan, part, Grid(self.step)) for part in parts]
        return self.together.draw(np.array(told, dtype=np.int64))

    def _evaluate(self, plan: RowsPlan, points: Points, grid: Grid) -> int:
        """Return the function's number for one group, in steps; the middle of the bounds where there is none."""
        ordered = points[np.lexsort(points.T[::-1])]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # what a group made a function warn of is shown to nobody
                number = float(self.function.apply(to_values(plan, ordered)))
        except Exception:
            number = math.nan
        if not math.isfinite(number):
            return (self.low + self.high) // 2
        return max(self.low, min(self.high, int(grid.snap(number))))


UniversalStatistic = UniversalMean | UniversalVariance | UniversalQuartiles

RowStatistic = (
    NoisyStatistic | DrawnQuantile | GroupedFunction | UnboundedMean | InterquartileRange | UniversalStatistic
)
"""The closed list. Those of one column take the first one's grid points."""


def describe_statistic(statistic: RowStatistic) -> Json:
    """Return the form of a statistic."""
    return describe_mechanism(statistic) if isinstance(statistic, UNBOUNDED) else statistic.describe()


def renew(statistic: RowStatistic) -> RowStatistic:
    """Return the same statistic made anew from its fields: what somebody wrote beside them has no effect."""
    if type(statistic) is NoisyStatistic:
        return NoisyStatistic(_renew(statistic.statistic), _renew(statistic.mechanism))
    if type(statistic) is DrawnQuantile:
        return DrawnQuantile(_renew(statistic.quantile), statistic.low)
    if type(statistic) is GroupedFunction:
        return replace(statistic, together=renew(statistic.together))  # type: ignore[arg-type]
    return _renew(statistic) if type(statistic) in UNBOUNDED else statistic


def _renew(made: T) -> T:
    if type(made) not in MADE:
        raise OperationError("a statistic is made of this library's own mechanisms, and of no subclass of them")
    return replace(made)  # type: ignore[type-var]


def check_statistic(plan: RowsPlan, statistic: RowStatistic) -> Loss:
    """Return the loss of one release, or refuse what was not made for this plan, or is not of the closed list."""
    relation = Neighbours.ADD_REMOVE if plan.factor == 1 else Neighbours.REPLACE
    check_unit_time(plan, ROW_TIME)
    if type(statistic) is GroupedFunction:
        if not isinstance(statistic.function, GroupFunction):
            raise OperationError("groups of units have a function with describe() and apply(rows)")
        _check_whole(statistic.groups, statistic.low, statistic.high)
        if not 2 <= statistic.groups <= MOST_GROUPS or not -LIMIT <= statistic.low < statistic.high <= LIMIT:
            raise OperationError(f"there are 2 to {MOST_GROUPS:,} groups, and bounds of what they say, the lower first")
        if type(statistic.step) is not Fraction or statistic.step <= 0:
            raise OperationError("what groups say is in steps: a Fraction above 0")
        Grid(statistic.step)
        return _check_column(statistic.together, 1, Neighbours.REPLACE, public_size=True)
    if len(plan.columns) != 1:
        raise OperationError(f"this is a statistic of one column, and the plan has {len(plan.columns)}")
    if type(statistic) in UNBOUNDED:
        _check_made_for(statistic, plan.rows, relation)
        return statistic.loss()  # type: ignore[union-attr]
    return _check_column(statistic, plan.rows, relation)


def release_statistic(plan: RowsPlan, statistic: RowStatistic, rows: ExactRows) -> bytes:
    """Return what is released, in grid points: whole numbers, or nothing for a refusal."""
    found: list[int] | None
    if isinstance(statistic, GroupedFunction):
        found = statistic.draw(plan, rows)
    elif isinstance(statistic, UnboundedMean | UniversalMean | UniversalVariance | UniversalQuartiles):
        found = list(astuple(statistic.release(rows.points[:, 0])))
    elif isinstance(statistic, InterquartileRange):
        found = [statistic.release(rows.points[:, 0])]
    else:
        found = statistic.draw(rows.points[:, 0])
    return json.dumps(found).encode()


def _check_column(statistic: object, rows: int, relation: Neighbours, public_size: bool = False) -> Loss:
    if type(statistic) is DrawnQuantile:
        _check_whole(statistic.low)
        made = statistic.quantile
        wanted = rows if relation is Neighbours.ADD_REMOVE else 2 * rows
        if type(made) is not Quantile or made.rows != wanted:
            raise OperationError(f"this quantile is to be made for {wanted} rows: those that one unit moves")
        return made.loss()
    if type(statistic) is not NoisyStatistic:
        raise OperationError("a statistic is a NoisyStatistic, a DrawnQuantile, a GroupedFunction or an unbounded one")
    if type(statistic.statistic) not in STATISTICS or type(statistic.mechanism) not in NOISES:
        raise OperationError("a noisy statistic is a quantile or a trimmed mean with smooth or with proposed noise")
    _check_made_for(statistic.statistic, rows, relation)
    if type(statistic.statistic) is TrimmedMean and statistic.statistic.public_size and not public_size:
        raise OperationError("how many values there are is not public here: units may have none")
    if not isinstance(statistic.mechanism, ProposeTestRelease):
        _check_made_for(statistic.mechanism, rows, relation)
    return statistic.mechanism.loss()


def _check_whole(*numbers: object) -> None:
    """Refuse what is no plain whole number: a subclass may do anything with what it is compared or combined with."""
    if any(type(each) is not int for each in numbers):
        raise OperationError("groups and bounds are whole numbers: int, and no subclass of it")


def _check_made_for(made: object, rows: int, relation: Neighbours) -> None:
    if getattr(made, "rows", None) != rows:
        raise OperationError(f"{type(made).__name__} is to be made for units of {rows} rows, as the plan says")
    if getattr(made, "neighbours", relation) != relation:
        raise OperationError(f"{type(made).__name__} is to be made for {relation} neighbours, as the plan says")
