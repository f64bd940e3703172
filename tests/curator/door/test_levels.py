"""Counts of all areas of a level: paid for once however they are cut, drawn once, and with noise in every answer."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.canonical import hash_bytes
from discreet.base.errors import FailedError, LedgerError, OperationError
from discreet.base.wide import Ints
from discreet.curator.door import levels
from discreet.curator.door.desk import Desk
from discreet.curator.door.kept_parts import KeptPart, unpack_numbers
from discreet.curator.door.levels import AreaCodes, AreaCounts, cost_areas, place_rows
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.engines.held import merge_rows
from discreet.engines.result import ExactRows
from discreet.ledger import JournalRow
from discreet.mechanisms import DiscreteGaussian, Gaussian, Grid, Laplace
from discreet.noise.bits import replayed
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import BestOfLoss, GaussianLoss
from discreet.privacy.charges import Charge
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of
from support.sampling import GeneratorBits

PLENTY = Charge(math.inf, math.inf, Fraction(1))
CELLS = 6
CELL = (
    "CASE WHEN ward = 'north' THEN 0 WHEN ward = 'south' THEN 1 WHEN ward = 'icu' THEN 2 END * 2 "
    "+ CASE WHEN age > 60 THEN 1 ELSE 0 END AS cell"
)
CODE = "LEAST(GREATEST(quantity, -1), 10) AS code"
TEXT = f"SELECT {CODE}, {CELL} FROM visits"
TWO_CODES = f"SELECT {CODE}, CASE WHEN cost > 500 THEN 1 ELSE 0 END AS dear, {CELL} FROM visits"
LIMIT = 2
ENGINE = engine_of(write_policy(limits=f"max_rows = {LIMIT}"), make_tables())
REPLACED = engine_of(write_policy(limits=f"max_rows = {LIMIT}", neighbours="replace"), make_tables())
PLAN, TWICE = rows_of(ENGINE, TEXT), rows_of(REPLACED, TEXT)
PAIRED = rows_of(ENGINE, TWO_CODES)
ROWS = ENGINE.read(PLAN).result()

CODES = AreaCodes(np.array([[3], [0], [9], [1], [4]]))
"""Visits have quantities from 0 to 4: nobody is in the third area, whose code is 9, and code 2 is no area's."""
LEAVES, TRACTS, WHOLE = (np.array(each) for each in ([0, 1, 2, 3, 4], [0, 0, 1, 2, 2], [0, 0, 0, 0, 0]))
DETAIL, BY_WARD, TOTAL = (np.array(each) for each in ([0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0] * 6))
EVERY = list(itertools.product((LEAVES, TRACTS, WHOLE), (DETAIL, BY_WARD, TOTAL)))

QUIET = Gaussian(0.01)
"""So little noise that none is drawn."""


class Shelf:
    """Parts in memory."""

    def __init__(self) -> None:
        self.parts: dict[str, bytes] = {}
        self.written = 0

    def write(self, data: bytes) -> str:
        self.written += 1
        self.parts[hash_bytes(data)] = data
        return hash_bytes(data)

    def read(self, name: str) -> bytes:
        return self.parts[name]

    def load(self, kept: tuple[KeptPart, ...]) -> Ints:
        """Return all lines, part after part."""
        return np.concatenate([unpack_numbers(self.read(each.name)) for each in kept])


def desk_of(
    charge: Charge | Meter = PLENTY,
    pages: Pages | None = None,
    shelf: Shelf | None = None,
    read: Callable[[RowsPlan], ExactRows] = lambda _: ROWS,
) -> Desk:
    meter = charge if isinstance(charge, Meter) else ChargeMeter(charge)
    return Desk((PLAN, TWICE, PAIRED), meter, pages or Pages(), never, hold_by(read), parts=shelf or Shelf())


def count_by_hand(areas: Ints, answers: Ints, rows: Any) -> Ints:
    """Return the exact answers, row by row."""
    codes = [int(each) for (each,) in CODES.numbers]
    found = np.zeros((areas.max() + 1, answers.max() + 1), dtype=np.int64)
    for code, cell in rows:
        if int(code) in codes:
            found[areas[codes.index(int(code))], answers[int(cell)]] += 1
    return found


@pytest.fixture
def cut_finely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let parts have at most seven answers."""
    monkeypatch.setattr(levels, "MOST_ANSWERS", 7)


@pytest.mark.parametrize(("areas", "answers"), EVERY)
def test_every_kept_row_is_counted_in_one_answer_of_its_area(areas: Ints, answers: Ints) -> None:
    shelf = Shelf()
    found = shelf.load(desk_of(shelf=shelf).count_areas(PLAN, AreaCounts(CODES, areas, answers), QUIET))
    assert np.array_equal(found, count_by_hand(areas, answers, ROWS.points))
    known = np.isin(ROWS.points[:, 0], CODES.numbers)
    assert found.sum() == known.sum() < len(known), "rows of no area are counted nowhere"


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize(("areas", "answers"), EVERY)
def test_parts_hold_every_area_once_in_order(areas: Ints, answers: Ints) -> None:
    shelf, counted = Shelf(), AreaCounts(CODES, areas, answers)
    kept = desk_of(shelf=shelf).count_areas(PLAN, counted, QUIET)
    assert [place for part in kept for place in range(part.first, part.last)] == list(range(counted.many))
    assert all((part.last - part.first) * counted.size <= 7 or part.last == part.first + 1 for part in kept)
    assert len(kept) == math.ceil(counted.many / max(1, 7 // counted.size))
    assert np.array_equal(shelf.load(kept), count_by_hand(areas, answers, ROWS.points))
    assert shelf.written == len(kept)


def test_codes_of_several_numbers_stand_for_areas_together() -> None:
    pairs = [(0, 0), (0, 1), (3, 1), (1, 0), (4, 1)]
    rows, shelf = ENGINE.read(PAIRED).result(), Shelf()
    desk = desk_of(shelf=shelf, read=lambda _: rows)
    found = shelf.load(desk.count_areas(PAIRED, AreaCounts(AreaCodes(np.array(pairs)), LEAVES, DETAIL), QUIET))
    wanted = [[sum(tuple(row) == (*pair, cell) for row in rows.points) for cell in range(CELLS)] for pair in pairs]
    assert found.tolist() == wanted
    assert found.sum() > 10


@pytest.mark.parametrize("several", [1, 2, 3])
def test_codes_are_found_where_they_stand_and_nowhere_else(several: int) -> None:
    random = np.random.default_rng(several)
    every = np.array(list(itertools.product(range(-2, 3), repeat=several))) * 10**15
    random.shuffle(every)
    codes = AreaCodes(every[: len(every) // 2])
    assert codes.find(codes.numbers).tolist() == list(range(len(codes.numbers)))
    assert set(codes.find(every[len(every) // 2 :]).tolist()) == {-1}
    assert codes.find(every + 1).max() == -1


NOISE = Gaussian(100.0)
COSTS = [(PLAN, Fraction(4, 20_000)), (TWICE, Fraction(8, 20_000))]


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize(("plan", "rho"), COSTS, ids=["add-remove", "replace"])
@pytest.mark.parametrize(("areas", "answers"), EVERY)
def test_a_measurement_costs_the_rows_of_a_unit_however_it_is_cut(
    plan: RowsPlan, rho: Fraction, areas: Ints, answers: Ints
) -> None:
    """Two rows of a unit are 2 in L2; under replace both go elsewhere, which is 2 times the root of 2."""
    counted = AreaCounts(CODES, areas, answers)
    desk_of(Charge(math.inf, rho)).count_areas(plan, counted, NOISE)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(Charge(math.inf, rho * Fraction(999, 1000)), read=never).count_areas(plan, counted, NOISE)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(Charge(Fraction(10**6), rho), read=never).count_areas(plan, counted, NOISE)


@pytest.mark.usefixtures("cut_finely")
def test_asking_for_the_same_areas_again_is_paid_for_again() -> None:
    counted, shelf = AreaCounts(CODES, LEAVES, DETAIL), Shelf()
    desk = desk_of(Charge(math.inf, 2 * COSTS[0][1]), shelf=shelf)
    first, second = (desk.count_areas(PLAN, counted, NOISE) for _ in range(2))
    assert not {each.name for each in first} & {each.name for each in second}
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk.count_areas(PLAN, counted, NOISE)
    assert desk.draws == shelf.written == 2 * len(first) > 2


@pytest.mark.usefixtures("cut_finely")
def test_a_schedule_has_one_place_for_a_measurement_and_its_own_mu() -> None:
    loss = cost_areas(TWICE, NOISE)[1]
    assert isinstance(loss, GaussianLoss)
    assert float(loss.mu) == pytest.approx(math.sqrt(8) / 100, rel=1e-15)
    assert Fraction(loss.mu) ** 2 >= Fraction(8, 10_000)
    schedule = Schedule(((loss, 2),), 1e-6)
    desk = desk_of(ScheduleMeter(schedule, schedule.charge))
    for answers in (DETAIL, TOTAL):
        desk.count_areas(TWICE, AreaCounts(CODES, LEAVES, answers), NOISE)
    with pytest.raises(OperationError, match="one more was asked for"):
        desk.count_areas(TWICE, AreaCounts(CODES, LEAVES, TOTAL), NOISE)
    louder = desk_of(ScheduleMeter(schedule, schedule.charge), read=never)
    with pytest.raises(OperationError, match="the schedule declared"):
        louder.count_areas(TWICE, AreaCounts(CODES, LEAVES, TOTAL), Gaussian(99.0))


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("rows", [ROWS, ExactRows(ROWS.points[:0], ROWS.offsets[:1])], ids=["some", "nobody"])
def test_every_answer_of_every_area_has_noise_of_its_own_whoever_lives_there(rows: ExactRows) -> None:
    shelf, counted = Shelf(), AreaCounts(CODES, LEAVES, DETAIL)
    with replayed(GeneratorBits(3)):
        kept = desk_of(shelf=shelf, read=lambda _: rows).count_areas(PLAN, counted, NOISE)
    with replayed(GeneratorBits(3)):
        draws = np.concatenate([NOISE.release(np.zeros((each.last - each.first, 6), dtype=np.int64)) for each in kept])
    assert np.array_equal(shelf.load(kept) - count_by_hand(LEAVES, DETAIL, rows.points), draws)
    assert len(np.unique(draws)) > 20, "drawn one by one"
    assert np.abs(draws[2]).max() > 10, "where nobody lives too"


def tables(units: int) -> list[list[tuple[int, int]]]:
    """Return every way in which so many units of one row have a code and a cell, or none."""
    kinds: list[tuple[int, int] | None] = [None, *itertools.product((0, 2, 9), (0, 3))]
    return [[each for each in rows if each] for rows in itertools.product(kinds, repeat=units)]


@pytest.mark.parametrize(("areas", "answers"), EVERY)
def test_no_unit_moves_the_answers_by_more_than_is_paid_for(areas: Ints, answers: Ints) -> None:
    """All tables of two units of one row each, beside every other row or none in the place of the second one."""
    counted = AreaCounts(CODES, areas, answers)

    def count(rows: list[tuple[int, int]]) -> Ints:
        points = np.array(rows, dtype=np.int64).reshape(-1, 2)
        placed = place_rows(merge_rows(points, np.ones(len(points), dtype=np.int64)), CODES)
        return np.concatenate([counted.count(placed, *run) for run in counted.split()])

    every = {tuple(rows): count(rows) for rows in tables(2) if len(rows) == 2}
    moved = {1: 0, 2: 0}
    for (first, _), found in every.items():
        alone = int(((found - count([first])) ** 2).sum())
        moved[1] = max(moved[1], alone)
        for (same, _), others in every.items():
            if same == first:
                moved[2] = max(moved[2], int(((found - others) ** 2).sum()))
    bounds = {factor: cost_areas(replace(PLAN, rows=1, factor=factor), NOISE)[0].rho for factor in (1, 2)}
    assert all(Fraction(moved[factor], 20_000) <= bounds[factor] for factor in (1, 2))
    assert moved[1] == 1
    assert moved[2] == (2 if counted.many * counted.size > 1 else 1)


def test_a_schedule_that_journals_seldom_journals_parts_at_once() -> None:
    schedule = Schedule(((cost_areas(PLAN, NOISE)[1], 3),), 1e-6, checkpoint=50)
    pages = Pages()
    desk = desk_of(ScheduleMeter(schedule, schedule.charge), pages)
    (kept,) = desk.count_areas(PLAN, AreaCounts(CODES, LEAVES, TOTAL), NOISE)
    assert [row.result.decode() for row in pages.rows] == [kept.name]


@pytest.mark.usefixtures("cut_finely")
def test_a_part_is_kept_and_its_name_journaled_before_the_next_is_drawn() -> None:
    seen: list[str] = []

    class LoggedShelf(Shelf):
        def write(self, data: bytes) -> str:
            seen.append("part")
            return super().write(data)

    class LoggedPages(Pages):
        def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
            assert all(row.result.decode() in shelf.parts for row in rows), "a row names a part that is there"
            seen.append("journal")
            super().write(position, rows)

    pages, shelf = LoggedPages(), LoggedShelf()
    kept = desk_of(pages=pages, shelf=shelf).count_areas(PLAN, AreaCounts(CODES, LEAVES, DETAIL), NOISE)
    assert seen == ["part", "journal"] * 5
    assert [row.result.decode() for row in pages.rows] == [each.name for each in kept]
    assert max(len(row.result) for row in pages.rows) == 64, "no number is journaled"


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize("journaled", range(6))
def test_a_run_that_died_goes_on_where_it_was_and_draws_nothing_twice(journaled: int) -> None:
    pages, shelf, counted = Pages(), Shelf(), AreaCounts(CODES, LEAVES, DETAIL)
    before = desk_of(pages=pages, shelf=shelf).count_areas(PLAN, counted, NOISE)
    again = Pages(pages.rows[:journaled])
    read: Callable[[RowsPlan], ExactRows] = never if journaled == 5 else lambda _: ROWS
    desk = desk_of(Charge(math.inf, COSTS[0][1]), again, shelf, read)
    after = desk.count_areas(PLAN, counted, NOISE)
    assert after[:journaled] == before[:journaled]
    assert not {each.name for each in after[journaled:]} & {each.name for each in before}
    assert shelf.written == 5 + (5 - journaled)
    assert again.rows[:journaled] == pages.rows[:journaled]


@pytest.mark.usefixtures("cut_finely")
@pytest.mark.parametrize(
    ("areas", "noise"),
    [
        (AreaCounts(AreaCodes(CODES.numbers[::-1]), LEAVES, DETAIL), NOISE),
        (AreaCounts(CODES, TRACTS, DETAIL), NOISE),
        (AreaCounts(CODES, LEAVES, DETAIL[::-1]), NOISE),
        (AreaCounts(CODES, LEAVES, DETAIL), Gaussian(101.0)),
    ],
    ids=["codes", "areas", "answers", "noise"],
)
def test_a_rerun_that_asks_for_something_else_is_refused(areas: AreaCounts, noise: Gaussian) -> None:
    pages, shelf = Pages(), Shelf()
    desk_of(pages=pages, shelf=shelf).count_areas(PLAN, AreaCounts(CODES, LEAVES, DETAIL), NOISE)
    with pytest.raises(OperationError, match="differs from the same call"):
        desk_of(pages=pages, shelf=shelf, read=never).count_areas(PLAN, areas, noise)


def test_a_rerun_that_is_cut_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pages, counted = Pages(), AreaCounts(CODES, LEAVES, DETAIL)
    desk_of(pages=pages).count_areas(PLAN, counted, NOISE)
    monkeypatch.setattr(levels, "MOST_ANSWERS", 12)
    with pytest.raises(OperationError, match="differs from the same call"):
        desk_of(pages=pages, read=never).count_areas(PLAN, counted, NOISE)


@pytest.mark.usefixtures("cut_finely")
def test_a_part_that_cannot_be_kept_ends_the_run() -> None:
    class Full(Shelf):
        def write(self, data: bytes) -> str:
            if self.written == 2:
                raise LedgerError("no room")
            return super().write(data)

    desk = desk_of(shelf=Full())
    for _ in range(2):
        with pytest.raises(LedgerError, match="no room"):
            desk.count_areas(PLAN, AreaCounts(CODES, LEAVES, DETAIL), NOISE)
    assert isinstance(desk.failure, LedgerError)
    assert desk.draws == 2


def test_a_try_counts_no_areas() -> None:
    def run(desk: Desk) -> tuple[bytes, int]:
        desk.count_areas(PLAN, AreaCounts(CODES, LEAVES, DETAIL), NOISE)
        return b"", 0

    shelf = Shelf()
    with pytest.raises(FailedError, match="something that it refused"):
        desk_of(shelf=shelf).best_of([run], BestOfLoss(GaussianLoss(1), 2, 0.5))
    assert not shelf.written


class Watching(np.ndarray[Any, Any]):
    """An array that would see whatever it is combined with."""

    def __array_ufunc__(self, *given: Any, **how: Any) -> Any:
        raise AssertionError(f"seen: {given}")


def test_a_callers_arrays_see_no_exact_number_and_cannot_be_changed_later() -> None:
    shelf, mine = Shelf(), LEAVES.copy()
    counted = AreaCounts(AreaCodes(CODES.numbers.copy().view(Watching)), mine.view(Watching), DETAIL.view(Watching))
    mine[:] = 0
    found = shelf.load(desk_of(shelf=shelf).count_areas(PLAN, counted, QUIET))
    assert np.array_equal(found, count_by_hand(LEAVES, DETAIL, ROWS.points))
    with pytest.raises(ValueError, match="read-only"):
        counted.codes.numbers[0] = 7


FINE = AreaCounts(CODES, LEAVES, DETAIL)
NO_CODE = rows_of(ENGINE, "SELECT cost, age FROM visits")


class Sub(AreaCounts):
    """A class of a caller's own."""


@pytest.mark.parametrize(
    ("plan", "areas", "noise", "told"),
    [
        (PLAN, Sub(CODES, LEAVES, DETAIL), NOISE, "counted by AreaCounts"),
        (PLAN, FINE, Laplace(10.0), "Gaussian noise"),
        (PLAN, FINE, DiscreteGaussian(10.0), "Gaussian noise"),
        (PLAN, FINE, Gaussian(10.0, Grid(1)), "Gaussian noise"),
        (PAIRED, FINE, NOISE, "those of an area's code"),
        (PLAN, AreaCounts(AreaCodes(CODES.numbers + 5), LEAVES, DETAIL), NOISE, "another geography"),
        (PLAN, AreaCounts(CODES, LEAVES, DETAIL[:-1]), NOISE, "cells from 0 to 5"),
        (PLAN, AreaCounts(CODES, LEAVES, DETAIL * 10**6), NOISE, "at most 4,194,304 answers"),
    ],
)
def test_what_does_not_fit_the_plan_is_refused_before_anything_is_read(
    plan: RowsPlan, areas: AreaCounts, noise: Any, told: str
) -> None:
    with pytest.raises(OperationError, match=told):
        desk_of(read=never).count_areas(plan, areas, noise)


def test_a_plan_that_was_not_declared_is_not_counted() -> None:
    with pytest.raises(OperationError, match="was not declared"):
        desk_of(read=never).count_areas(NO_CODE, FINE, NOISE)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: AreaCodes(np.array([[1], [2], [1]])), "two smallest areas have one code"),
        (lambda: AreaCodes(np.array([[1, 2], [1, 3], [1, 2]])), "two smallest areas have one code"),
        (lambda: AreaCodes(np.array([1, 2])), "64-bit whole numbers"),
        (lambda: AreaCodes(np.array([[1.0]])), "64-bit whole numbers"),
        (lambda: AreaCounts(CODES.numbers, LEAVES, DETAIL), "AreaCodes"),  # type: ignore[arg-type]
        (lambda: AreaCounts(CODES, LEAVES[:-1], DETAIL), "rising by 1 or not"),
        (lambda: AreaCounts(CODES, np.array([0, 1, 1, 3, 4]), DETAIL), "rising by 1 or not"),
        (lambda: AreaCounts(CODES, np.array([0, 1, 0, 1, 2]), DETAIL), "rising by 1 or not"),
        (lambda: AreaCounts(CODES, LEAVES + 1, DETAIL), "rising by 1 or not"),
        (lambda: AreaCounts(CODES, LEAVES, DETAIL - 1), "from 0 on"),
        (lambda: AreaCounts(CODES, LEAVES, DETAIL[:0]), "at least one"),
    ],
)
def test_arrays_that_are_no_areas_are_refused(make: Callable[[], object], told: str) -> None:
    with pytest.raises(OperationError, match=told):
        make()
