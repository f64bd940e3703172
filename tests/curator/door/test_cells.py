"""Counts by cell: charged for what one unit can move, whoever wrote the family, and chosen among by exact gaps."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from discreet.base.errors import OperationError
from discreet.curator.door.cells import LARGEST_ROW, GapScore, check_group, count_rows, find_domain
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.engines.result import ExactRows
from discreet.families.domain import Domain
from discreet.families.explicit import TableFamily
from discreet.families.family import RowBound
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.mechanisms import DiscreteGaussian, Exponential, Gaussian, Grid, Laplace
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import GaussianLoss, PureLoss, ZcdpLoss
from discreet.privacy.charges import Charge
from discreet.query.choices import PickNoise
from discreet.query.draws import VectorNoise
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

PLENTY = Charge(math.inf, math.inf, Fraction(1))
TEXT = (
    "SELECT CASE WHEN age > 60 THEN 1 ELSE 0 END AS old, CASE WHEN ward = 'north' THEN 0 WHEN ward = 'south' THEN 1 "
    "ELSE 2 END AS ward FROM visits"
)
LIMIT = 2
ENGINE = engine_of(write_policy(limits=f"max_rows = {LIMIT}"), make_tables())
REPLACED = engine_of(write_policy(limits=f"max_rows = {LIMIT}", neighbours="replace"), make_tables())
PLAN, TWICE = rows_of(ENGINE, TEXT), rows_of(REPLACED, TEXT)
ROWS = ENGINE.read(PLAN).result()
DOMAIN = Domain((2, 3))
BOTH = Marginals(DOMAIN, ((), (0,), (1,), (0, 1)))


def desk_of(
    charge: Charge | Meter = PLENTY,
    pages: Pages | None = None,
    read: Callable[[RowsPlan], ExactRows] = lambda _: ROWS,
) -> Desk:
    meter = charge if isinstance(charge, Meter) else ChargeMeter(charge)
    return Desk((PLAN, TWICE), meter, pages or Pages(), never, hold_by(read))


def gaps(estimates: list[list[int]], weights: tuple[int, ...] = (1, 1), grain: int = 1) -> GapScore:
    """Return scores of both one-way marginals."""
    found = tuple(np.array(each, dtype=np.int64) for each in estimates)
    return GapScore(BOTH, (1, 2), found, weights, (0, 0), grain)


NOTHING = gaps([[0, 0], [0, 0, 0]])


def test_the_domain_is_the_plans_own() -> None:
    assert find_domain(PLAN) == DOMAIN
    assert (PLAN.rows, TWICE.rows, PLAN.factor, TWICE.factor) == (LIMIT, LIMIT, 1, 2)
    with pytest.raises(OperationError, match="columns of whole numbers"):
        find_domain(rows_of(ENGINE, "SELECT cost FROM visits"))


def test_answers_are_those_of_all_rows_with_noise() -> None:
    table = count_rows(PLAN, ROWS)
    for group, columns in enumerate(BOTH.sets):
        exact = table.project(columns).ravel().tolist()
        assert desk_of().count(PLAN, BOTH, group, Gaussian(0.01)) == tuple(exact)
        noisy = desk_of().count(PLAN, BOTH, group, Laplace(1e6))
        assert noisy != tuple(exact)
        assert all(abs(a - b) < 10**8 for a, b in zip(noisy, exact, strict=True))
    assert sum(table.project((0,)).tolist()) == len(ROWS.points) > 0


LAPLACE, GAUSSIAN, DISCRETE = Laplace(100.0), Gaussian(100.0), DiscreteGaussian(100.0)


@pytest.mark.parametrize(
    ("plan", "noise", "charge"),
    [
        (PLAN, LAPLACE, Charge(Fraction(2, 100), Fraction(1))),
        (TWICE, LAPLACE, Charge(Fraction(4, 100), Fraction(1))),
        (PLAN, GAUSSIAN, Charge(math.inf, Fraction(4, 20_000))),
        (TWICE, GAUSSIAN, Charge(math.inf, Fraction(8, 20_000))),
        (PLAN, DISCRETE, Charge(math.inf, Fraction(4, 20_000))),
        (TWICE, DISCRETE, Charge(math.inf, Fraction(8, 20_000))),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_marginal_costs_all_rows_of_a_unit_in_one_cell(plan: RowsPlan, noise: VectorNoise, charge: Charge) -> None:
    """Two rows: 2 in L1 and in L2. Under replace they go from one cell to another: 4, and 2 times the root of 2."""
    desk_of(charge).count(plan, BOTH, 3, noise)
    less = Charge(charge.epsilon * Fraction(999, 1000), charge.rho * Fraction(999, 1000))
    short = replace(less, rho=charge.rho) if isinstance(noise, Laplace) else less
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(short, read=never).count(plan, BOTH, 3, noise)


def test_losses_are_those_of_a_schedule() -> None:
    losses = (PureLoss(0.04), GaussianLoss(math.sqrt(8) / 100 * (1 + 1e-15)), ZcdpLoss(Fraction(8, 20_000)))
    schedule = Schedule(tuple((loss, 1) for loss in losses), 1e-6)
    desk = desk_of(ScheduleMeter(schedule, schedule.charge))
    noises: list[VectorNoise] = [LAPLACE, GAUSSIAN, DISCRETE]
    smaller: list[VectorNoise] = [Laplace(99.0), Gaussian(99.0), DiscreteGaussian(99.0)]
    for noise in noises:
        desk.count(TWICE, BOTH, 3, noise)
    for place, noise in enumerate(smaller):
        desk = desk_of(ScheduleMeter(schedule, schedule.charge))
        for earlier in noises[:place]:
            desk.count(TWICE, BOTH, 3, earlier)
        with pytest.raises(OperationError, match="the schedule declared"):
            desk.count(TWICE, BOTH, 3, noise)


class Lying(Marginals):
    """A family that says that nobody moves it, and would like to see counts."""

    def bound_row(self, group: int) -> RowBound:
        return RowBound(0, 0)

    def answer(self, group: int, table: Any) -> Any:
        raise AssertionError(f"seen: {table}")


def test_what_a_family_of_ones_own_says_of_itself_counts_for_nothing() -> None:
    lying = Lying(DOMAIN, ((0,), (1,)))
    assert desk_of().count(PLAN, lying, 0, Gaussian(0.01)) == desk_of().count(PLAN, BOTH, 1, Gaussian(0.01))
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(Charge(Fraction(1, 100), Fraction(1)), read=never).count(PLAN, lying, 0, LAPLACE)
    score = GapScore(lying, (0, 1), NOTHING.estimates, (1, 1), (0, 0))
    assert score.bound_spread(PLAN) == NOTHING.bound_spread(PLAN)
    desk_of().choose_group(PLAN, score, Exponential(1.0))


def tables(most: int, units: int) -> Iterator[list[list[tuple[int, int]]]]:
    """Yield every way in which so many units have at most so many rows, in the order of their content."""
    cells = list(itertools.product(range(2), range(3)))
    mine = [list(rows) for count in range(most + 1) for rows in itertools.combinations_with_replacement(cells, count)]
    yield from (list(each) for each in itertools.product(mine, repeat=units))


def exact_rows(units: list[list[tuple[int, int]]]) -> ExactRows:
    points = [row for unit in units for row in unit]
    offsets = np.cumsum([0, *(len(unit) for unit in units)]).astype(np.int64)
    return ExactRows(np.array(points, dtype=np.int64).reshape(len(points), 2), offsets)


def rate(score: GapScore, units: list[list[tuple[int, int]]]) -> list[int]:
    return score.rate(score.family.answer_all(count_rows(PLAN, exact_rows(units))))


SCORES = [
    gaps([[0, 0], [0, 0, 0]]),
    gaps([[2, 0], [1, 1, 1]]),
    gaps([[9, -3], [0, 5, 0]], weights=(3, 1)),
    gaps([[5, 3], [2, 7, -1]], weights=(1, 2), grain=4),
    GapScore(BOTH, (0, 3), (np.array([1]), np.array([1, 0, 0, 0, 0, 2])), (1, 1), (5, -7), 2),
]
BITS = Domain((2, 2))


@pytest.mark.parametrize("score", SCORES)
def test_no_unit_moves_two_scores_further_apart_than_is_paid_for(score: GapScore) -> None:
    """All databases of two units with at most two rows each, beside all their neighbours."""
    farthest = {1: 0, 2: 0}
    rated = {repr(units): rate(score, units) for units in tables(LIMIT, 1)}
    for one, other in itertools.product(rated.values(), repeat=2):
        moved = [a - b for a, b in zip(one, other, strict=True)]
        farthest[2] = max(farthest[2], max(moved) - min(moved))
    base = rated[repr([[]])]
    for one in rated.values():
        moved = [a - b for a, b in zip(one, base, strict=True)]
        farthest[1] = max(farthest[1], max(moved) - min(moved))
    assert farthest[1] <= score.bound_spread(PLAN)
    assert farthest[2] <= score.bound_spread(TWICE)


def test_two_scores_can_move_as_far_apart_as_is_paid_for() -> None:
    """One marginal comes closer to what was expected of it by both rows, and the other goes away by both."""
    score = gaps([[5, 0], [0, 0, 0]])
    moved = [a - b for a, b in zip(rate(score, [[(0, 0), (0, 0)]]), rate(score, [[]]), strict=True)]
    assert max(moved) - min(moved) == score.bound_spread(PLAN) == 2 * LIMIT


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("plan", "factor"), [(PLAN, 1), (TWICE, 2)])
def test_theorem_no_choice_is_likelier_on_a_neighbour_than_its_epsilon_says(
    score: GapScore, plan: RowsPlan, factor: int
) -> None:
    """The exponential mechanism's own probabilities, over all databases of one unit."""
    scale = 3.0
    epsilon = score.bound_spread(plan) / scale
    laws = {}
    for units in tables(LIMIT, 1):
        mass = np.exp(np.array(rate(score, units)) / scale)
        laws[repr(units)] = np.log(mass / mass.sum())
    for one, other in itertools.product(laws, repeat=2):
        if factor == 2 or "[[]]" in (one, other):
            assert np.abs(laws[one] - laws[other]).max() <= epsilon + 1e-12


@pytest.mark.parametrize(
    ("pick", "charge"),
    [
        (Exponential(100.0), Charge(Fraction(4, 100), Fraction(16, 80_000))),
        (PermuteAndFlip(100.0), Charge(Fraction(4, 100), Fraction(16, 20_000))),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_choice_costs_the_spread_of_its_scores(pick: PickNoise, charge: Charge) -> None:
    desk_of(charge).choose_group(PLAN, NOTHING, pick)
    for short in (replace(charge, epsilon=charge.epsilon / 2), replace(charge, rho=charge.rho * Fraction(9, 10))):
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(short, read=never).choose_group(PLAN, NOTHING, pick)


def test_the_group_that_is_farthest_off_is_chosen() -> None:
    table = count_rows(PLAN, ROWS)
    right = [table.project((0,)).tolist(), table.project((1,)).tolist()]
    wrong_ward = [right[0], [each + 1000 for each in right[1]]]
    wrong_age = [[each - 1000 for each in right[0]], right[1]]
    assert {desk_of().choose_group(PLAN, gaps(wrong_ward), Exponential(10.0)) for _ in range(20)} == {2}
    assert {desk_of().choose_group(PLAN, gaps(wrong_age), Exponential(10.0)) for _ in range(20)} == {1}
    tens = [[10 * each for each in part] for part in wrong_age]
    assert {desk_of().choose_group(PLAN, gaps(tens, grain=10), Exponential(100.0)) for _ in range(20)} == {1}


def test_parities_are_counted_and_chosen_too() -> None:
    plan = rows_of(ENGINE, TEXT.replace("WHEN ward = 'south' THEN 1 ELSE 2", "ELSE 1"))
    rows = ENGINE.read(plan).result()
    family = Parities(BITS, (0b01, 0b10, 0b11))
    signs = np.prod(1 - 2 * rows.points, axis=1).sum()
    desk = Desk((plan,), ChargeMeter(PLENTY), Pages(), never, hold_by(lambda _: rows))
    assert desk.count(plan, family, 2, Gaussian(0.01)) == (int(signs),)


def test_a_journal_gives_what_was_drawn_though_a_fit_rounds_otherwise() -> None:
    pages = Pages()
    counted = desk_of(pages=pages).count(PLAN, BOTH, 1, LAPLACE)
    assert desk_of(pages=pages, read=never).count(PLAN, BOTH, 1, LAPLACE) == counted
    pages = Pages()
    chosen = desk_of(pages=pages).choose_group(PLAN, NOTHING, Exponential(1e6))
    nearly = gaps([[0, 1], [0, 0, 0]])
    assert desk_of(pages=pages, read=never).choose_group(PLAN, nearly, Exponential(1e6)) == chosen
    for other in (gaps([[0, 0], [0, 0, 0]], weights=(1, 2)), gaps([[0, 0], [0, 0, 0]], grain=2)):
        with pytest.raises(OperationError, match="call 0 of this run differs"):
            desk_of(pages=pages).choose_group(PLAN, other, Exponential(1e6))


def test_another_group_is_another_call() -> None:
    pages = Pages()
    desk_of(pages=pages).count(PLAN, BOTH, 1, LAPLACE)
    with pytest.raises(OperationError, match="call 0 of this run differs"):
        desk_of(pages=pages).count(PLAN, BOTH, 2, LAPLACE)


def test_rows_are_read_once_for_all_draws() -> None:
    seen: list[RowsPlan] = []

    def read(plan: RowsPlan) -> ExactRows:
        seen.append(plan)
        return ROWS

    desk = desk_of(read=read)
    desk.count(PLAN, BOTH, 1, LAPLACE)
    desk.count(PLAN, BOTH, 2, LAPLACE)
    desk.choose_group(PLAN, NOTHING, Exponential(1.0))
    assert seen == [PLAN]


def test_what_does_not_fit_is_refused_before_anything_is_read() -> None:
    desk = desk_of(read=never)
    other = Marginals(Domain((2, 4)), ((0,),))
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((PLAN, other, 0, LAPLACE), "of the plan's own domain"),
        ((PLAN, "marginals", 0, LAPLACE), "of the plan's own domain"),
        ((PLAN, BOTH, 4, LAPLACE), "numbered from 0 to 3"),
        ((PLAN, BOTH, -1, LAPLACE), "numbered from 0 to 3"),
        ((PLAN, BOTH, True, LAPLACE), "numbered from 0 to 3"),
        ((PLAN, BOTH, 1, Laplace(100.0, Grid(0.5))), "without a grid"),
        ((rows_of(ENGINE, "SELECT age FROM visits"), BOTH, 1, LAPLACE), "was not declared"),
    ]
    for arguments, said in wrong:
        with pytest.raises(OperationError, match=said):
            desk.count(*arguments)
    with pytest.raises(OperationError, match="chooses by no score"):
        desk.choose_group(PLAN, NOTHING, LAPLACE)  # type: ignore[arg-type]
    with pytest.raises(OperationError, match="by a GapScore"):
        desk.choose_group(PLAN, None, Exponential(1.0))  # type: ignore[arg-type]


TWO, THREE = np.zeros(2, np.int64), np.zeros(3, np.int64)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (((), (), (), ()), "give different groups"),
        (((1, 1), (TWO, TWO), (1, 1), (0, 0)), "give different groups"),
        (((1, 2), (TWO,), (1, 1), (0, 0)), "give different groups"),
        (((1, 2), (TWO, TWO), (1, 1), (0, 0)), "one for each answer of their group"),
        (((1, 2), (TWO, THREE.astype(float)), (1, 1), (0, 0)), "64-bit whole numbers"),
        (((1, 2), (TWO, THREE + 2**62), (1, 1), (0, 0)), "too large"),
        (((1, 2), (TWO, THREE), (1, -1), (0, 0)), "none below 0"),
        (((1, 2), (TWO, THREE), (0, 0), (0, 0)), "not all of them 0"),
        (((1, 2), (TWO, THREE), (1, 1.5), (0, 0)), "weights are whole numbers"),
        (((1, 2), (TWO, THREE), (1, 1), (0, 0.5)), "constants are whole numbers"),
        (((1, 2), (TWO, THREE), (1, 1), (0, 0), 0), "a grain is from 1"),
        (((1, 2), (TWO, THREE), (1, 1), (0, 0), 2**21), "a grain is from 1 to 1,048,576"),
    ],
)
def test_senseless_scores_are_refused(given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(OperationError, match=said):
        GapScore(BOTH, *given)


class Peeking(np.ndarray[tuple[int, ...], np.dtype[np.int64]]):
    """Sees whatever is computed with it."""

    seen: ClassVar[list[object]] = []

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **rest: Any) -> Any:
        self.seen.append(inputs)
        return getattr(ufunc, method)(*(np.asarray(each) for each in inputs), **rest)


class Moody(list[int]):
    """One weight where it is priced, and another where it is used."""

    def __iter__(self) -> Iterator[int]:
        self.turns = getattr(self, "turns", 0) + 1
        return iter([1, 1] if self.turns < 3 else [10**9, 10**9])


def test_no_code_of_a_caller_meets_exact_numbers_or_changes_what_was_priced() -> None:
    before = len(Peeking.seen)
    shown = [each.view(Peeking) for each in (TWO, THREE)]
    score = GapScore(BOTH, (1, 2), tuple(shown), Moody([1, 1]), (0, 0))  # type: ignore[arg-type]
    assert len(Peeking.seen) == before
    assert [type(each) for each in score.estimates] == [np.ndarray, np.ndarray]
    assert (type(score.weights), score.weights) == (tuple, (1, 1))
    shown[0][:] = 99
    assert score.estimates[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        score.estimates[0][:] = 5


def test_numbers_so_large_that_sums_might_leave_64_bits_are_refused() -> None:
    """Else one row more would make them Python's own, which take a hundred times as long."""
    sizes = find_domain(PLAN).sizes
    row = [[0] * (sizes[0] - 1) + [LARGEST_ROW]]
    family = TableFamily.write(find_domain(PLAN), (0,), row)
    assert check_group(PLAN, family, 0) is family
    with pytest.raises(OperationError, match="add up to at most 4,194,304"):
        check_group(PLAN, TableFamily.write(find_domain(PLAN), (0,), [[LARGEST_ROW + 1] * sizes[0]]), 0)


def test_zero_rows_are_counted() -> None:
    empty = ExactRows(np.empty((0, 2), dtype=np.int64), np.zeros(1, dtype=np.int64))
    desk = desk_of(read=lambda _: empty)
    assert desk.count(PLAN, BOTH, 3, Gaussian(0.01)) == (0,) * 6
    assert desk.choose_group(PLAN, NOTHING, Exponential(1.0)) in (1, 2)
