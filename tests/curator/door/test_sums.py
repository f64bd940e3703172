"""Sums over units: clipped whatever functions do, charged for the clip, metered, journaled before they are seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.curator.door.clipping import Clip, Norm
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.sums import sum_units
from discreet.curator.door.unit_functions import ColumnSums, LinearGradient, LogisticGradient, UnitFunction
from discreet.engines.engines import Engines
from discreet.engines.held import MemoryRows
from discreet.engines.result import ExactRows
from discreet.ledger import JournalRow
from discreet.mechanisms import DiscreteGaussian, Gaussian, Grid, Laplace
from discreet.mechanisms.staircase import Staircase
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import DiscreteGaussianLoss, GaussianLoss, PureLoss, ZcdpLoss
from discreet.privacy.charges import Charge
from discreet.query.draws import VectorNoise
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import bounded, engine_of, rows_of

PLENTY = Charge(math.inf, math.inf, Fraction(1))
TEXT = "SELECT age, cost FROM visits"
ENGINE = engine_of(write_policy(), make_tables())
REPLACED = engine_of(write_policy(neighbours="replace"), make_tables())
PLAN, TWICE = rows_of(ENGINE, TEXT), rows_of(REPLACED, TEXT)
ROWS = ENGINE.read(PLAN).result()


def desk_of(
    charge: Charge | Meter = PLENTY,
    pages: Pages | None = None,
    read: Callable[[RowsPlan], ExactRows] = lambda _: ROWS,
    plans: tuple[RowsPlan | BoundedPlan, ...] = (PLAN, TWICE),
) -> Desk:
    meter = charge if isinstance(charge, Meter) else ChargeMeter(charge)
    return Desk(plans, meter, pages or Pages(), never, hold_by(read))


@dataclass(frozen=True)
class Written:
    """A function that somebody wrote."""

    work: Callable[[Floats], object]
    dimension: int = 2

    def describe(self) -> Json:
        return "written"

    def apply(self, rows: Floats) -> Floats:
        return self.work(rows)  # type: ignore[return-value]


def rows_with(*units: list[list[int]]) -> ExactRows:
    points = [row for unit in units for row in unit]
    offsets = np.cumsum([0, *(len(unit) for unit in units)])
    return ExactRows(np.array(points, dtype=np.int64).reshape(len(points), 2), offsets.astype(np.int64))


def test_a_sum_is_that_of_the_columns_with_noise_of_its_scale() -> None:
    true = ROWS.points.sum(axis=0)
    clip, noise = Clip(2**30, 0.01), Laplace(1e4)
    ages, costs = desk_of().sum(PLAN, ColumnSums(2), clip, noise)
    assert abs(ages - 100 * int(true[0])) < 10**6, "in steps of 0.01; noise of a hundred times its scale is no chance"
    assert abs(costs - int(true[1])) < 10**6
    assert isinstance(ages, int)


@pytest.mark.parametrize(
    ("noise", "clipped"),
    [(Laplace(1.0), (428, 571)), (Gaussian(1.0), (600, 800)), (DiscreteGaussian(1.0), (600, 800))],
    ids=lambda each: type(each).__name__,
)
def test_vectors_are_clipped_in_the_norm_that_their_noise_protects(
    noise: Laplace | Gaussian | DiscreteGaussian, clipped: tuple[int, int]
) -> None:
    function = Written(lambda _: [3e6, 4e6])
    found = desk_of(read=lambda _: rows_with([[0, 0]])).sum(PLAN, function, Clip(1000, 1.0), noise)
    assert all(abs(entry - true) < 60 for entry, true in zip(found, clipped, strict=True))


def test_exact_values_are_those_of_the_grid() -> None:
    """Ages are whole, and costs in steps of a cent: 250 cents are 2.5."""
    found = sum_units(PLAN, rows_with([[30, 250], [40, 50]], [[5, 0]]), ColumnSums(2), Clip(10**6, 0.5), Norm.L2)
    assert found == [2 * 75, 6]


def test_sums_are_the_same_however_many_units_are_held_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    function = LogisticGradient((0.01,))
    whole = sum_units(PLAN, ROWS, function, Clip(1000, 0.01), Norm.L2)
    for numbers in (1, 2, 7, 100):
        monkeypatch.setattr("discreet.curator.door.sums.AT_ONCE", numbers)
        assert sum_units(PLAN, ROWS, function, Clip(1000, 0.01), Norm.L2) == whole


def test_sums_of_any_number_of_units_do_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes 2^32 units to fill 64 bits; here each is as long as half of that many."""
    exact = rows_with(*([[0, 0]] for _ in range(16)))
    monkeypatch.setattr("discreet.curator.door.sums.AT_ONCE", 1)
    monkeypatch.setattr("discreet.curator.door.sums.clip_vectors", lambda found, *_: np.full(found.shape, 2**62))
    assert sum_units(PLAN, exact, ColumnSums(2), Clip(1, 1.0), Norm.L1) == [2**66, 2**66]
    monkeypatch.undo()
    found = desk_of(read=lambda _: exact).sum(PLAN, ColumnSums(2), Clip(1, 1.0), Laplace(2.0**40))
    assert all(isinstance(entry, int) for entry in found)


HOSTILE: dict[str, Callable[[Floats], object]] = {
    "huge": lambda rows: [1e308, -1e308],
    "beyond floats": lambda rows: rows[0] * 1e308 * 1e308,
    "not a number": lambda rows: [math.nan, 1.0],
    "infinite": lambda rows: [math.inf, -math.inf],
    "tiny": lambda rows: [5e-324, -5e-324],
    "whole numbers of 64 bits": lambda rows: np.array([2**63 - 1, -(2**63)]),
    "one kind of number for some and another for others": lambda rows: (
        np.array([1e30, 1], np.float32) if rows[0, 0] > 50 else np.array([100, -100], np.int8)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("norm", Norm, ids=lambda norm: norm.name)
def test_one_unit_moves_a_sum_by_at_most_the_clip_whatever_the_function_returns(name: str, norm: Norm) -> None:
    function, clip = Written(HOSTILE[name]), Clip(1000, 0.5)
    units = [[[age, 7 * age]] for age in range(0, 100, 9)]
    whole = sum_units(PLAN, rows_with(*units), function, clip, norm)
    for gone in range(len(units)):
        others = sum_units(PLAN, rows_with(*units[:gone], *units[gone + 1 :]), function, clip, norm)
        assert measure([a - b for a, b in zip(whole, others, strict=True)], norm) <= clip.steps


def measure(vector: list[int], norm: Norm) -> float:
    return sum(map(abs, vector)) if norm is Norm.L1 else math.sqrt(sum(entry * entry for entry in vector))


points = st.tuples(st.integers(0, 110), st.integers(0, 500_000)).map(list)
units = st.lists(st.lists(points, min_size=1, max_size=3), min_size=1, max_size=6)
functions: st.SearchStrategy[UnitFunction] = st.sampled_from(
    [ColumnSums(2), LinearGradient((0.7,)), LogisticGradient((0.1,)), Written(lambda rows: [rows.mean(), rows.max()])]
)


@settings(max_examples=200)
@given(units, st.lists(points, min_size=1, max_size=3), functions, st.integers(1, 10**6), st.sampled_from(Norm))
def test_neighbours_are_apart_by_at_most_what_is_charged_for(
    people: list[Any], other: list[Any], function: UnitFunction, steps: int, norm: Norm
) -> None:
    """Add-remove: one clip. Replace: two, one for who leaves and one for who enters."""
    clip = Clip(steps, 0.01)
    whole, without, replaced = (
        sum_units(PLAN, rows_with(*each), function, clip, norm)
        for each in (people, people[1:] or [[[0, 0]]], [other, *people[1:]])
    )
    if len(people) > 1:
        assert measure([a - b for a, b in zip(whole, without, strict=True)], norm) <= PLAN.factor * steps
    assert measure([a - b for a, b in zip(whole, replaced, strict=True)], norm) <= TWICE.factor * steps
    assert (PLAN.factor, TWICE.factor) == (1, 2)


def test_neighbours_in_the_tables_are_apart_by_at_most_the_clip() -> None:
    """From the engine to the sum: without one patient, over the limit or not, all others' parts are the same."""
    rows = [(patient, 20 + patient, 10.0 * visit, "north") for patient in range(30) for visit in range(1 + patient % 9)]
    clip = Clip(500, 1.0)

    def sums(tables: Engines) -> list[int]:
        return sum_units(PLAN, tables.read(PLAN).result(), ColumnSums(2), clip, Norm.L2)

    whole = sums(engine_of(write_policy(), make_tables(rows)))
    for gone in (0, 8, 17, 29):
        others = sums(engine_of(write_policy(), make_tables([row for row in rows if row[0] != gone])))
        alone = sums(engine_of(write_policy(), make_tables([row for row in rows if row[0] == gone])))
        assert whole == [a + b for a, b in zip(others, alone, strict=True)]
        assert measure(alone, Norm.L2) <= clip.steps


@pytest.mark.parametrize(
    ("noise", "once", "twice"),
    [
        (Laplace(100.0), Charge(Fraction(1, 10), Fraction(1)), Charge(Fraction(2, 10), Fraction(1))),
        (Gaussian(100.0), Charge(math.inf, Fraction(1, 200)), Charge(math.inf, Fraction(4, 200))),
        (DiscreteGaussian(100.0), Charge(math.inf, Fraction(1, 200)), Charge(math.inf, Fraction(4, 200))),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_sum_costs_its_clip_and_twice_that_under_replace(
    noise: Laplace | Gaussian | DiscreteGaussian, once: Charge, twice: Charge
) -> None:
    clip = Clip(10, 1.0)
    desk_of(once).sum(PLAN, ColumnSums(2), clip, noise)
    desk_of(twice).sum(TWICE, ColumnSums(2), clip, noise)
    for plan, charge in ((PLAN, once), (TWICE, twice), (TWICE, once)):
        less = replace(charge, rho=charge.rho * Fraction(999, 1000), epsilon=charge.epsilon * Fraction(999, 1000))
        short = charge if (plan, charge) == (TWICE, once) else less
        if isinstance(noise, Laplace):
            short = replace(short, rho=Fraction(1))
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(short, read=never).sum(plan, ColumnSums(2), clip, noise)


def test_the_number_of_rows_costs_all_that_a_unit_may_keep_and_twice_that_under_replace() -> None:
    noise = Laplace(10.0 * PLAN.rows)
    once, twice = (Charge(Fraction(each, 10), Fraction(1)) for each in (1, 2))
    found = [desk_of(charge).count_rows(plan, noise) for plan, charge in ((PLAN, once), (TWICE, twice))]
    assert all(abs(each - len(ROWS.points)) < 100 * noise.scale for each in found)
    for plan, charge in ((PLAN, once), (TWICE, twice)):
        less = replace(charge, epsilon=charge.epsilon * Fraction(999, 1000))
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(less, read=never).count_rows(plan, noise)
    exact = desk_of().count_rows(PLAN, Laplace(1e-3))
    assert exact == len(ROWS.points)
    with pytest.raises(OperationError, match="Laplace or Gaussian noise"):
        desk_of(read=never).count_rows(PLAN, Staircase.calibrate(1.0))  # type: ignore[arg-type]


def test_the_number_of_rows_is_journaled_with_its_noise() -> None:
    pages, noise = Pages(), Gaussian(50.0)
    found = desk_of(pages=pages).count_rows(PLAN, noise)
    assert desk_of(pages=pages, read=never).count_rows(PLAN, noise) == found
    for plan, other in ((PLAN, Gaussian(51.0)), (TWICE, noise)):
        with pytest.raises(OperationError, match="call 0 of this run differs"):
            desk_of(pages=pages).count_rows(plan, other)


def test_draws_of_a_schedule_are_ticked_off_by_their_loss() -> None:
    clip = Clip(10, 1.0)
    noises: tuple[VectorNoise, ...] = (
        Gaussian(100.0),
        DiscreteGaussian(100.0),
        Laplace(100.0),
        DiscreteGaussian(100.0),
    )
    losses = (GaussianLoss(0.1), ZcdpLoss(0.005), PureLoss(0.1), DiscreteGaussianLoss(100.0, 10))
    dimensions = (2, 2, 2, 1)
    functions: dict[int, UnitFunction] = {1: Written(lambda rows: [1.0], dimension=1), 2: ColumnSums(2)}
    schedule = Schedule(tuple((loss, 1) for loss in losses), 1e-6)
    desk = desk_of(ScheduleMeter(schedule, schedule.charge))
    for noise, dimension in zip(noises, dimensions, strict=True):
        desk.sum(PLAN, functions[dimension], clip, noise)
    with pytest.raises(OperationError, match="the schedule has 4 draws"):
        desk.sum(PLAN, ColumnSums(2), clip, Laplace(100.0))
    for wrong in (Clip(11, 1.0), Clip(20, 1.0)):
        with pytest.raises(OperationError, match="the schedule declared"):
            desk_of(ScheduleMeter(schedule, schedule.charge), read=never).sum(PLAN, ColumnSums(2), wrong, noises[0])
    with pytest.raises(OperationError, match="the schedule declared"):
        desk_of(ScheduleMeter(schedule, schedule.charge), read=never).sum(TWICE, ColumnSums(2), clip, noises[0])


def test_a_result_is_journaled_before_it_is_seen_and_replayed_without_a_look_at_rows() -> None:
    pages = Pages()
    found = desk_of(pages=pages).sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    assert [row.result for row in pages.rows] == [str(list(found)).encode()]
    again = desk_of(pages=pages, read=never).sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    assert again == found


def test_a_journal_that_cannot_be_written_hides_the_sum() -> None:
    class Broken(Pages):
        def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        desk_of(pages=Broken()).sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))


@pytest.mark.parametrize(
    "other",
    [
        (PLAN, ColumnSums(2), Clip(11, 1.0), Laplace(100.0)),
        (PLAN, ColumnSums(2), Clip(10, 0.5), Laplace(100.0)),
        (PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(99.0)),
        (PLAN, LinearGradient((0.5,)), Clip(10, 1.0), Laplace(100.0)),
        (TWICE, ColumnSums(2), Clip(10, 1.0), Laplace(100.0)),
    ],
)
def test_a_call_that_differs_from_the_journal_is_refused(other: tuple[RowsPlan, UnitFunction, Clip, Laplace]) -> None:
    pages = Pages()
    desk_of(pages=pages).sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    with pytest.raises(OperationError, match="call 0 of this run differs"):
        desk_of(pages=pages).sum(*other)


def test_rows_are_read_once_for_all_draws() -> None:
    seen: list[RowsPlan] = []

    def read(plan: RowsPlan) -> ExactRows:
        seen.append(plan)
        return ROWS

    desk = desk_of(read=read)
    for _ in range(3):
        desk.sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    assert seen == [PLAN]


def test_a_desk_that_is_closed_lets_go_of_all_rows() -> None:
    held: list[MemoryRows] = []

    def hold(plan: RowsPlan) -> MemoryRows:
        held.append(MemoryRows(lambda: ROWS))
        return held[-1]

    desk = Desk((PLAN, TWICE), ChargeMeter(PLENTY), Pages(), never, hold)
    desk.count_rows(PLAN, Laplace(100.0))
    desk.sum(TWICE, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    assert [each._rows is ROWS for each in held] == [True, True]
    desk.close()
    assert [each._rows for each in held] == [None, None]


def test_what_does_not_fit_is_refused_before_anything_is_read() -> None:
    question = bounded(ENGINE, "SELECT COUNT(*) FROM visits").plan
    desk = desk_of(read=never, plans=(PLAN, question))
    clip, noise = Clip(10, 1.0), Laplace(100.0)
    other = rows_of(ENGINE, "SELECT age FROM visits")
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((other, ColumnSums(1), clip, noise), "was not declared"),
        ((question, ColumnSums(2), clip, noise), "all else takes plans of rows"),
        ((PLAN, ColumnSums(3), clip, noise), "is of 3 columns, and the plan has 2"),
        ((PLAN, Written(lambda _: [], dimension=0), clip, noise), "from 1 to"),
        ((PLAN, ColumnSums(2), Clip(2**31, 1.0), noise), "of 2 entries has at most"),
        ((PLAN, ColumnSums(2), clip, Laplace(100.0, Grid(0.5))), "without a grid"),
        ((PLAN, ColumnSums(2), clip, Staircase.calibrate(1.0)), "Laplace or Gaussian noise"),
    ]
    for arguments, said in wrong:
        with pytest.raises(OperationError, match=said):
            desk.sum(*arguments)
    with pytest.raises(OperationError, match="take plans of questions"):
        desk.measure(PLAN, None)  # type: ignore[arg-type]


def test_a_failure_of_a_draw_stays_whatever_an_operation_does_about_it(tmp_path: Path) -> None:
    def fail(rows: Floats) -> Floats:
        raise ZeroDivisionError

    desk = desk_of()
    for _ in range(2):
        with pytest.raises(Exception, match="failed on a unit's rows"):
            desk.sum(PLAN, Written(fail), Clip(10, 1.0), Laplace(100.0))
    with pytest.raises(Exception, match="failed on a unit's rows"):
        desk.sum(PLAN, ColumnSums(2), Clip(10, 1.0), Laplace(100.0))
    assert desk.failure is not None
    assert desk.draws == 0
