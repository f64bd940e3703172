"""Watches: paid for whole when they begin, secret while they live, and gone with the process that began them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import OperationError
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.watching import GapWatch
from discreet.engines.result import ExactRows
from discreet.families import Domain, Family, Marginals, Parities, TableFamily
from discreet.families.explicit import WrittenGroup
from discreet.families.family import RowBound
from discreet.mechanisms import Grid, Laplace, SparseVector, sparse_vector
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import PureLoss
from discreet.privacy.charges import Charge
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

PLENTY = Charge(math.inf, math.inf, Fraction(1))
LIMIT = 2
BITS = "SELECT CASE WHEN age > 60 THEN 1 ELSE 0 END AS old, CASE WHEN ward = 'icu' THEN 1 ELSE 0 END AS icu FROM visits"
PLAN = rows_of(engine_of(write_policy(limits=f"max_rows = {LIMIT}"), make_tables()), BITS)
TWICE = rows_of(engine_of(write_policy(limits=f"max_rows = {LIMIT}", neighbours="replace"), make_tables()), BITS)
DOMAIN = Domain((2, 2))
CELLS = TableFamily(DOMAIN, tuple(WrittenGroup((0, 1), np.eye(4, dtype=np.int64)[[cell]]) for cell in range(4)))
PARITY = Parities(DOMAIN, (0b11,))
SPARSE = SparseVector(threshold_scale=10.0, question_scale=20.0)


def rows_in(*cells: int) -> ExactRows:
    """Return a row in each of these cells, each of a unit of its own."""
    points = np.array([divmod(cell, 2) for cell in cells], dtype=np.int64).reshape(len(cells), 2)
    return ExactRows(points, np.arange(len(cells) + 1))


def desk_of(
    rows: ExactRows | None = None,
    charge: Charge | Meter = PLENTY,
    pages: Pages | None = None,
    check: Callable[[], None] = lambda: None,
    confirm: Callable[[], None] = lambda: None,
) -> Desk:
    meter = charge if isinstance(charge, Meter) else ChargeMeter(charge)
    read = never if rows is None else hold_by(lambda _: rows)
    return Desk((PLAN, TWICE), meter, pages or Pages(), never, read, check, confirm)


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[int]], None]:
    """Return a way to say which noise is drawn next."""

    def write(draws: list[int]) -> None:
        left = iter(draws)
        monkeypatch.setattr(sparse_vector, "_draw", lambda scale: next(left))

    return write


def ask_all(desk: Desk, estimates: tuple[int, ...], threshold: int, cutoff: int = 1) -> tuple[bool, ...]:
    """Return what a watch says of one cell after the other, until its last yes."""
    watch = desk.start_watch(PLAN, SparseVector(10.0, 20.0, cutoff), LIMIT)
    said: list[bool] = []
    for cell, estimate in enumerate(estimates):
        said.append(desk.exceeds(watch, CELLS, cell, estimate, threshold))
        if sum(said) == cutoff:
            break
    return tuple(said)


@pytest.mark.parametrize(
    ("noises", "said"), [([0, 0, 0], (False, True)), ([2, 0, 0, 0], (False,) * 3), ([-1, 1], (True,))]
)
def test_it_says_whether_the_noisy_gap_reaches_the_noisy_threshold(
    scripted: Callable[[list[int]], None], noises: list[int], said: tuple[bool, ...]
) -> None:
    """Cells hold 1, 3 and 0 rows; the estimates are off by 1, 2 and 0, below and above."""
    scripted(noises)
    assert ask_all(desk_of(rows_in(0, 1, 1, 1)), (2, 1, 0), 2) == said


def neighbours(rows: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the tables with one unit more, which has at most two rows."""
    for count in range(1, LIMIT + 1):
        for more in itertools.combinations_with_replacement(range(4), count):
            yield (*rows, *more)


@pytest.mark.many
@pytest.mark.parametrize("rows", [(), (1, 1, 2)])
def test_theorem_shifted_noise_says_the_same_of_every_neighbour(
    rows: tuple[int, ...], scripted: Callable[[list[int]], None]
) -> None:
    """The proof, at the desk: with the threshold's noise raised by d and that of each yes by 2d nothing changes.

    Both ways and for every neighbour; each shift costs d / scale or 2d / scale, which is what the watch paid for.
    """
    estimates, threshold, moved = (1, 0, 2), 1, LIMIT
    first = desk_of(rows_in(*rows))
    for other in neighbours(rows):
        desks = (first, desk_of(rows_in(*other)))
        for here, there in (desks, desks[::-1]):
            for noise in itertools.product((-3, 0, 2), repeat=4):
                scripted(list(noise))
                said = ask_all(here, estimates, threshold)
                raised = [drawn + 2 * moved * yes for drawn, yes in zip(noise[1:], said, strict=False)]
                scripted([noise[0] + moved, *raised])
                assert ask_all(there, estimates, threshold) == said


@pytest.mark.parametrize(
    ("plan", "family", "moved"), [(PLAN, CELLS, 2), (TWICE, CELLS, 2), (PLAN, PARITY, 2), (TWICE, PARITY, 4)]
)
def test_a_question_moves_no_farther_than_was_paid_for(plan: RowsPlan, family: Family, moved: int) -> None:
    """Two rows of a unit: under replace neighbours a parity moves by twice as much, a count does not."""
    desk = desk_of(rows_in(0))
    desk.exceeds(desk.start_watch(plan, SPARSE, moved), family, 0, 0, 1000)
    with pytest.raises(OperationError, match="moves this question by more than"):
        desk.exceeds(desk.start_watch(plan, SPARSE, moved - 1), family, 0, 0, 1000)


@pytest.mark.parametrize("cutoff", [1, 3])
def test_all_of_a_watch_is_paid_for_when_it_begins(cutoff: int) -> None:
    """d / threshold_scale + cutoff * 2d / question_scale, before anything is read; its questions are free."""
    made = SparseVector(10.0, 20.0, cutoff)
    epsilon = Fraction(2, 10) + cutoff * Fraction(4, 20)
    enough = Charge(epsilon, PureLoss(epsilon).zcdp())
    desk = desk_of(rows_in(0), enough)
    watch = desk.start_watch(PLAN, made, LIMIT)
    for _ in range(50):
        assert not desk.exceeds(watch, CELLS, 0, 1, 10**6)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk.start_watch(PLAN, made, LIMIT)
    almost = Fraction(999, 1000)
    for less in (Charge(epsilon * almost, enough.rho), Charge(epsilon, Fraction(enough.rho) * almost)):
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(None, less).start_watch(PLAN, made, LIMIT)


def test_a_watch_is_one_loss_of_a_schedule() -> None:
    schedule = Schedule(((PureLoss(Fraction(4, 10)), 1),), 1e-6)
    desk = desk_of(rows_in(0), ScheduleMeter(schedule, schedule.charge))
    watch = desk.start_watch(PLAN, SPARSE, LIMIT)
    assert not desk.exceeds(watch, CELLS, 0, 1, 10**6)
    with pytest.raises(OperationError, match="the schedule declared"):
        desk_of(None, ScheduleMeter(schedule, schedule.charge)).start_watch(PLAN, SPARSE, LIMIT + 1)


def test_a_watch_says_yes_no_more_often_than_was_paid_for() -> None:
    desk = desk_of(rows_in(0))
    watch = desk.start_watch(PLAN, SparseVector(1.0, 1.0, cutoff=2), LIMIT)
    assert [desk.exceeds(watch, CELLS, cell, 10**6, 0) for cell in (0, 1)] == [True, True]
    with pytest.raises(OperationError, match="said yes 2 times"):
        desk.exceeds(watch, CELLS, 2, 0, 10**6)


def test_what_was_said_is_journaled_first_and_said_again_after_a_crash() -> None:
    pages, twice = Pages(), SparseVector(10.0, 20.0, cutoff=2)
    desk = desk_of(rows_in(0, 0), pages=pages)
    watch = desk.start_watch(PLAN, twice, LIMIT)
    said = [desk.exceeds(watch, CELLS, cell, estimate, 20) for cell, estimate in ((0, 10), (1, 10**6))]
    assert [row.result for row in pages.rows] == [b"started", *(b"yes" if each else b"no" for each in said)]
    again = desk_of(None, pages=Pages(pages.rows))
    watch = again.start_watch(PLAN, twice, LIMIT)
    assert [again.exceeds(watch, CELLS, cell, estimate, 20) for cell, estimate in ((0, 11), (1, 10**6))] == said


def test_a_watch_that_lost_its_secret_is_forfeited() -> None:
    """A new threshold would be a second one that nobody paid for; the run may end well, and another watch may begin."""
    pages = Pages()
    desk = desk_of(rows_in(0), pages=pages)
    watch = desk.start_watch(PLAN, SPARSE, LIMIT)
    assert not desk.exceeds(watch, CELLS, 0, 0, 10**6)
    once = Charge(Fraction(4, 10), PureLoss(Fraction(4, 10)).zcdp())
    for charge, more in ((once, False), (PLENTY, True)):
        again = desk_of(rows_in(0), charge, Pages(pages.rows))
        watch = again.start_watch(PLAN, SPARSE, LIMIT)
        assert not again.exceeds(watch, CELLS, 0, 0, 10**6)
        with pytest.raises(OperationError, match="the watch is forfeited"):
            again.exceeds(watch, CELLS, 0, 0, 10**6)
        assert again.failure is None
        if more:
            assert not again.exceeds(again.start_watch(PLAN, SPARSE, LIMIT), CELLS, 0, 0, 10**6)
        else:
            with pytest.raises(OperationError, match="declare all that it draws"):
                again.start_watch(PLAN, SPARSE, LIMIT)


def test_a_rerun_that_asks_something_else_is_refused() -> None:
    pages = Pages()
    desk = desk_of(rows_in(0), pages=pages)
    desk.exceeds(desk.start_watch(PLAN, SPARSE, LIMIT), CELLS, 0, 0, 10**6)
    for made, cell, threshold in ((SPARSE, 1, 10**6), (SPARSE, 0, 5), (SparseVector(10.0, 21.0), 0, 10**6)):
        again = desk_of(None, pages=Pages(pages.rows))
        with pytest.raises(OperationError, match="differs from the same call"):
            again.exceeds(again.start_watch(PLAN, made, LIMIT), CELLS, cell, 0, threshold)


class Lying(Marginals):
    """A family that says that nobody moves it, and would like to see counts."""

    def bound_row(self, group: int) -> RowBound:
        return RowBound(0, 0)

    def answer(self, group: int, table: Any) -> Any:
        raise AssertionError(f"seen: {table}")


def test_a_family_of_ones_own_sees_no_count() -> None:
    desk = desk_of(rows_in(0))
    assert not desk.exceeds(desk.start_watch(PLAN, SPARSE, LIMIT), Lying(DOMAIN, ((),)), 0, 0, 10**6)
    with pytest.raises(OperationError, match="moves this question"):
        desk.exceeds(desk.start_watch(PLAN, SPARSE, 1), Lying(DOMAIN, ((),)), 0, 0, 10**6)


@pytest.mark.parametrize(
    "made",
    [
        SparseVector(10.0, 20.0, monotone=True),
        SparseVector(10.0, 20.0, answer_scale=3.0),
        SparseVector(10.0, 20.0, grid=Grid(0.5)),
        Laplace(10.0),
    ],
)
def test_only_the_mechanism_of_the_theorem_is_taken(made: Any) -> None:
    with pytest.raises(OperationError, match=r"gaps move both ways|a SparseVector on whole numbers"):
        desk_of().start_watch(PLAN, made, LIMIT)


def test_what_is_no_question_is_refused_and_nothing_is_drawn() -> None:
    desk = desk_of()
    watch = desk.start_watch(PLAN, SPARSE, LIMIT)
    one_way = Marginals(DOMAIN, ((0,),))
    wrong: list[tuple[Any, ...]] = [
        (GapWatch(1), CELLS, 0, 0, 1),
        (0, CELLS, 0, 0, 1),
        (watch, CELLS, 4, 0, 1),
        (watch, CELLS, 0, 0.5, 1),
        (watch, CELLS, 0, 0, 1.5),
        (watch, one_way, 0, 0, 1),
        (watch, Marginals(Domain((3,)), ((),)), 0, 0, 1),
    ]
    for each in wrong:
        with pytest.raises(OperationError):
            desk.exceeds(*each)
    for reach in (0, 1.5, True):
        with pytest.raises(OperationError, match="reach is how far"):
            desk.start_watch(PLAN, SPARSE, reach)  # type: ignore[arg-type]
    assert desk.draws == 1


def test_results_are_told_only_while_whoever_asked_may_ask() -> None:
    asked: list[str] = []
    desk = desk_of(check=lambda: asked.append("check"), confirm=lambda: asked.append("confirm"))
    desk.check()
    desk.confirm()
    assert asked == ["check", "check", "confirm"]


def test_results_that_are_not_journaled_are_not_told() -> None:
    schedule = Schedule(((PureLoss(Fraction(4, 10)), 2),), 1e-6, checkpoint=2)
    desk = desk_of(rows_in(0), ScheduleMeter(schedule, schedule.charge))
    desk.start_watch(PLAN, SPARSE, LIMIT)
    with pytest.raises(OperationError, match="once they are journaled"):
        desk.confirm()
