"""Statistics at a desk: made for the plan's units and neighbours, charged whole, journaled before they are seen."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.curator.door.statistics import DrawnQuantile, GroupedFunction, NoisyStatistic, release_statistic
from discreet.engines.result import ExactRows
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.order_statistic import OrderStatistic
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.smooth_noises import SmoothLaplace, SmoothLogNormal, SmoothStudent
from discreet.mechanisms.robust.trimmed_mean import TrimmedMean
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

HALF = Fraction(1, 2)
PLENTY = Charge(math.inf, math.inf, Fraction(1))
TEXT = "SELECT age FROM visits"
ENGINE = engine_of(write_policy(), make_tables())
PLAN = rows_of(ENGINE, TEXT)
TWICE = rows_of(engine_of(write_policy(neighbours="replace"), make_tables()), TEXT)
BOTH = rows_of(ENGINE, "SELECT age, cost FROM visits")
ROWS = ENGINE.read(PLAN).result()
PAIRS = ENGINE.read(BOTH).result()
GRID, UNIT = PLAN.columns[0].grid, PLAN.rows
ORDER = OrderStatistic(HALF, GRID.lower, GRID.upper, UNIT)
TRIMMED = TrimmedMean(Fraction(1, 10), GRID.lower, GRID.upper, UNIT, 10)
STUDENT = SmoothStudent.calibrate(4.0, UNIT)
POINTS = GRID.upper - GRID.lower + 1
PROPOSED = ProposeTestRelease.calibrate(6.0, 1e-6, 40)


@dataclass(frozen=True)
class Told:
    """What a function says of a group, and what it saw."""

    seen: list[Floats]
    name: str = "mean age"

    def describe(self) -> Json:
        return {"named": self.name}

    def apply(self, rows: Floats) -> float:
        self.seen.append(rows.copy())
        if not len(rows):
            raise ValueError("nobody here")
        return float(rows[:, 0].mean())


def groups_of(seen: list[Floats], groups: int = 8, **other: Any) -> GroupedFunction:
    drawn = DrawnQuantile(Quantile(HALF, 1201, 2.0, 2, sides=Fraction(0)), 0)
    return replace(GroupedFunction(Told(seen), groups, Fraction(1, 10), 0, 1200, drawn), **other)


def desk_of(charge: Charge = PLENTY, pages: Pages | None = None) -> Desk:
    def read(plan: RowsPlan) -> ExactRows:
        return PAIRS if plan == BOTH else ROWS

    return Desk((PLAN, TWICE, BOTH), ChargeMeter(charge), pages or Pages(), never, hold_by(read))


KINDS = [
    (NoisyStatistic(ORDER, STUDENT), Charge(Fraction(4), Fraction(8), Fraction(0))),
    (NoisyStatistic(TRIMMED, SmoothLogNormal.calibrate(0.5, UNIT)), Charge(math.inf, Fraction(1, 2), Fraction(0))),
    (
        NoisyStatistic(TRIMMED, SmoothLaplace.calibrate(2.0, 1e-6, UNIT)),
        Charge(Fraction(2), Fraction(2), Fraction(1e-6)),
    ),
    (NoisyStatistic(TRIMMED, PROPOSED), Charge(Fraction(6), Fraction(18), Fraction(1e-6))),
    (DrawnQuantile(Quantile(HALF, POINTS, 1.0, UNIT), GRID.lower), Charge(Fraction(1), HALF, Fraction(0))),
    (UnboundedMean(5.0, UNIT), Charge(Fraction(5), Fraction(25, 2), Fraction(0))),
    (InterquartileRange(2.0, UNIT), Charge(Fraction(2), Fraction(2), Fraction(0))),
    (UniversalMean(2.0, UNIT), Charge(Fraction(2), Fraction(2), Fraction(0))),
    (UniversalVariance(2.0, UNIT), Charge(Fraction(2), Fraction(2), Fraction(0))),
    (UniversalQuartiles(2.0, UNIT), Charge(Fraction(2), Fraction(2), Fraction(0))),
    (groups_of([]), Charge(Fraction(2), Fraction(2), Fraction(0))),
]
each_kind = pytest.mark.parametrize(("statistic", "charge"), KINDS, ids=lambda each: type(each).__name__)


@each_kind
def test_what_it_costs_is_what_its_mechanism_loses(statistic: Any, charge: Charge) -> None:
    desk_of(charge).release_statistic(PLAN, statistic)
    short = replace(charge, rho=Fraction(charge.rho) * Fraction(9, 10), epsilon=charge.epsilon * Fraction(9, 10))
    if charge.epsilon == math.inf:
        short = replace(charge, rho=Fraction(charge.rho) * Fraction(99, 100))
    pages = Pages()
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(short, pages).release_statistic(PLAN, statistic)
    assert not pages.rows


@each_kind
def test_it_is_journaled_and_a_second_run_draws_nothing(statistic: Any, charge: Charge) -> None:
    pages = Pages()
    first = desk_of(charge, pages).release_statistic(PLAN, statistic)
    assert desk_of(charge, pages).release_statistic(PLAN, statistic) == first


def test_values_are_those_of_the_plans_rows() -> None:
    middle = int(np.median(ROWS.points[:, 0]))
    told = [desk_of().release_statistic(PLAN, NoisyStatistic(ORDER, SmoothStudent.calibrate(200.0, UNIT)))]
    told += [desk_of().release_statistic(PLAN, DrawnQuantile(Quantile(HALF, POINTS, 500.0, UNIT), GRID.lower))]
    sure = DrawnQuantile(Quantile(HALF, 1201, 500.0, 2, sides=Fraction(0)), 0)
    told += [desk_of().release_statistic(PLAN, groups_of([], together=sure))]
    mean = ROWS.points[:, 0].mean() * float(GRID.step) + float(GRID.center)
    assert [each is not None and abs(each[0] - middle) <= 3 for each in told[:2]] == [True, True]
    assert told[2] is not None
    assert abs(told[2][0] / 10 - mean) < 15
    located = desk_of().release_statistic(PLAN, UnboundedMean(2000.0, UNIT))
    assert located is not None
    assert abs(located[2] - len(ROWS.points)) <= 1
    center, radius, count, total = desk_of().release_statistic(PLAN, UniversalMean(2000.0, UNIT)) or ()
    assert abs(count - len(ROWS.points)) <= 1
    assert abs(center + total / count - ROWS.points[:, 0].mean()) < 5
    assert radius in [2**power for power in range(42)]
    _, pairs, _ = desk_of().release_statistic(PLAN, UniversalVariance(2000.0, UNIT)) or ()
    assert abs(pairs - len(ROWS.points) // 2) <= 1


def test_a_refusal_is_an_answer_of_the_same_price() -> None:
    exactly = Charge(Fraction(6), Fraction(18), Fraction(1e-6))
    told = desk_of(exactly).release_statistic(PLAN, NoisyStatistic(ORDER, replace(PROPOSED, proposal=1)))
    assert told is None, "one year is far less than a unit can move the median of so few"


@pytest.mark.parametrize(
    ("plan", "statistic", "message"),
    [
        (PLAN, NoisyStatistic(replace(ORDER, rows=UNIT - 1), STUDENT), f"units of {UNIT} rows"),
        (PLAN, NoisyStatistic(ORDER, SmoothStudent.calibrate(4.0, UNIT - 1)), f"units of {UNIT} rows"),
        (PLAN, NoisyStatistic(replace(TRIMMED, neighbours="replace"), STUDENT), "add-remove neighbours"),
        (TWICE, NoisyStatistic(TRIMMED, STUDENT), "replace neighbours"),
        (TWICE, NoisyStatistic(replace(TRIMMED, neighbours="replace", public_size=True), STUDENT), "not public here"),
        (TWICE, DrawnQuantile(Quantile(HALF, POINTS, 1.0, UNIT), 0), f"for {2 * UNIT} rows"),
        (PLAN, UnboundedMean(5.0, UNIT - 1), f"units of {UNIT} rows"),
        (TWICE, UnboundedMean(5.0, UNIT), "replace neighbours"),
        (PLAN, UniversalMean(5.0, UNIT - 1), f"units of {UNIT} rows"),
        (TWICE, UniversalVariance(5.0, UNIT), "replace neighbours"),
        (BOTH, UniversalQuartiles(5.0, UNIT), "one column, and the plan has 2"),
        (BOTH, NoisyStatistic(ORDER, STUDENT), "one column, and the plan has 2"),
        (PLAN, NoisyStatistic(ORDER, Quantile(HALF, POINTS, 1.0, UNIT)), "smooth or with proposed noise"),  # type: ignore[arg-type]
        (PLAN, groups_of([], together=DrawnQuantile(Quantile(HALF, 1201, 2.0, 1), 0)), "for 2 rows"),
        (PLAN, groups_of([], 1), "2 to 100,000 groups"),
        (PLAN, groups_of([], low=5, high=5), "the lower first"),
        (PLAN, groups_of([], function=len), "describe"),
        (PLAN, "a mean", "a statistic is"),
        (PLAN, replace(groups_of([]), groups=2.5), "no subclass"),  # type: ignore[arg-type]
        (PLAN, groups_of([], low=0, high=2**72), "the lower first"),
        (PLAN, groups_of([], step=Fraction(0)), "above 0"),
        (PLAN, groups_of([], step=0.1), "above 0"),
        (PLAN, DrawnQuantile(Quantile(HALF, POINTS, 1.0, UNIT), True), "no subclass"),
    ],
)
def test_what_was_not_made_for_the_plan_is_refused_before_anything_is_read(
    plan: RowsPlan, statistic: Any, message: str
) -> None:
    pages = Pages()
    with pytest.raises(OperationError, match=message):
        desk_of(pages=pages).release_statistic(plan, statistic)
    assert not pages.rows


def test_groups_hold_whole_units_each_in_one_of_them_at_random() -> None:
    sizes = np.arange(400) % 3 + 1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = ExactRows(np.repeat(np.arange(400), sizes)[:, None], offsets)
    seen: list[Floats] = []
    for _ in range(2):
        release_statistic(PLAN, groups_of(seen), rows)
    first, again = ([set(each[:, 0].tolist()) for each in part] for part in (seen[:8], seen[8:]))
    for part, groups in ((seen[:8], first), (seen[8:], again)):
        assert sum(len(each) for each in part) == len(rows.points)
        assert sum(len(each) for each in groups) == 400, "each unit is in one group, with all its rows"
        assert all(5 <= len(each) <= 130 for each in groups)
    assert first != again


def test_a_function_sees_nothing_of_the_order_of_units() -> None:
    seen: list[Floats] = []
    points = np.array([[5], [1], [3], [2]])
    release_statistic(PLAN, groups_of(seen, 2), ExactRows(points, np.arange(5)))
    assert all(each[:, 0].tolist() == sorted(each[:, 0].tolist()) for each in seen)


def test_a_function_that_fails_says_the_middle_of_the_bounds() -> None:
    nobody = ExactRows(np.zeros((0, 1), dtype=np.int64), np.zeros(1, dtype=np.int64))
    told = json.loads(release_statistic(PLAN, groups_of([], 200), nobody))
    assert abs(told[0] - 600) <= 30
    assert release_statistic(PLAN, NoisyStatistic(ORDER, STUDENT), nobody)
    assert release_statistic(PLAN, UnboundedMean(5.0, UNIT), nobody)


class Listening(int):
    """A number that keeps what is combined with it."""

    seen: ClassVar[list[Any]] = []
    __array_ufunc__ = None

    def __rsub__(self, other: Any) -> Any:
        self.seen.append(other)
        return other


class Quieter(SmoothStudent):
    """A mechanism that says one thing and does another."""


def test_no_number_or_mechanism_of_somebody_s_own_sees_a_value() -> None:
    for low in (Listening(0), np.int64(0)):
        with pytest.raises(OperationError, match="no subclass"):
            desk_of().release_statistic(PLAN, DrawnQuantile(Quantile(HALF, POINTS, 1.0, UNIT), low))  # type: ignore[arg-type]
    assert Listening.seen == []
    with pytest.raises(OperationError, match="no subclass"):
        desk_of().release_statistic(PLAN, NoisyStatistic(ORDER, Quieter(STUDENT.base, UNIT, 4.0)))


def test_what_is_written_beside_the_fields_has_no_effect() -> None:
    """A shift of 1e12 would leave no noise, a threshold of -1e9 no refusal, both for the same price."""
    loud = SmoothStudent.calibrate(0.01, UNIT)
    loud.__dict__["shift"] = 1e12
    middle = int(np.median(ROWS.points[:, 0]))
    assert {desk_of().release_statistic(PLAN, NoisyStatistic(ORDER, loud)) for _ in range(8)} != {(middle,)}
    shown = replace(PROPOSED, proposal=1)
    shown.__dict__["threshold"] = -(10**9)
    assert desk_of().release_statistic(PLAN, NoisyStatistic(ORDER, shown)) is None
