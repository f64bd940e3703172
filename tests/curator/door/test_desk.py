"""The desk: what it releases, what it refuses, and that nothing is seen before it is journaled."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import OperationError
from discreet.curator.asking.prepared import Prepared
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.engines.held import HeldRows
from discreet.engines.result import ExactResult, GroupedSums
from discreet.ledger import JournalRow
from discreet.mechanisms import Exponential, Gaussian, Laplace, NoisyMax, PermuteAndFlip
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import BoundedPlan, Measure
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.choices import Choice
from discreet.query.draws import Draws
from discreet.query.scores import ExactSet, FarthestFrom, LargestSum
from support.clinic import open_clinic
from support.desks import Pages

PLENTY = Charge(math.inf, math.inf, Fraction(1))


def prepare(folder: Path, text: str, **how: object) -> Prepared:
    with open_clinic(folder, **how) as curator:  # type: ignore[arg-type]
        return curator.prepare(text, 1)


def desk_of(
    plan: BoundedPlan,
    pages: Pages | None = None,
    charge: Charge = PLENTY,
    compute: Callable[[BoundedPlan], ExactResult] | None = None,
) -> Desk:
    zeros = GroupedSums(tuple((0, 0, 0) for _ in plan.measures))
    return Desk(
        (plan,), ChargeMeter(charge), pages or Pages(), compute or (lambda _: ExactResult((zeros,))), read_nothing
    )


def read_nothing(_: RowsPlan) -> HeldRows:
    raise AssertionError("no rows are read here")


COUNTS = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"


def test_a_result_is_journaled_before_it_is_seen_and_replayed_without_a_draw(tmp_path: Path) -> None:
    plan, pages = prepare(tmp_path, COUNTS).operation.plan, Pages()
    released = desk_of(plan, pages).measure(plan, Draws((Laplace(50.0),)))
    assert [row.result for row in pages.rows] == [released.to_bytes()]

    def never(_: BoundedPlan) -> ExactResult:
        raise AssertionError("what was drawn is not computed again")

    again = desk_of(plan, pages, compute=never)
    assert again.measure(plan, Draws((Laplace(50.0),))) == released
    assert len(pages.rows) == 1
    assert again.draws == 1


def test_a_journal_that_cannot_be_written_hides_the_draw(tmp_path: Path) -> None:
    class Broken(Pages):
        def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
            raise OSError("disk full")

    plan = prepare(tmp_path, COUNTS).operation.plan
    with pytest.raises(OSError, match="disk full"):
        desk_of(plan, Broken()).measure(plan, Draws((Laplace(50.0),)))


@pytest.mark.parametrize(
    "other",
    [
        lambda desk, plan: desk.measure(plan, Draws((Laplace(51.0),))),
        lambda desk, plan: desk.measure(plan, Draws((Gaussian(50.0),))),
        lambda desk, plan: desk.choose(plan, LargestSum(0), Exponential(50.0)),
    ],
)
def test_a_call_that_differs_from_the_journal_is_refused(
    tmp_path: Path, other: Callable[[Desk, BoundedPlan], object]
) -> None:
    plan, pages = prepare(tmp_path, COUNTS).operation.plan, Pages()
    desk_of(plan, pages).measure(plan, Draws((Laplace(50.0),)))
    with pytest.raises(OperationError, match="call 0 of this run differs"):
        other(desk_of(plan, pages), plan)


def test_replayed_draws_are_metered_like_new_ones(tmp_path: Path) -> None:
    plan, pages = prepare(tmp_path, COUNTS).operation.plan, Pages()
    noise = Laplace(30.0)  # three rows of a unit: a tenth
    one = Charge(Fraction(1, 10), Fraction(1), Fraction(0))
    desk_of(plan, pages, one).measure(plan, Draws((noise,)))
    desk = desk_of(plan, pages, one)
    desk.measure(plan, Draws((noise,)))
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk.measure(plan, Draws((noise,)))


def test_a_plan_is_computed_once_for_all_its_draws(tmp_path: Path) -> None:
    plan, computed = prepare(tmp_path, COUNTS).operation.plan, []

    def compute(asked: BoundedPlan) -> ExactResult:
        computed.append(asked)
        return ExactResult((GroupedSums(((1000, 2000, 3000),)),))

    desk = desk_of(plan, compute=compute)
    desk.measure(plan, Draws((Laplace(3.0),)))
    desk.choose(plan, LargestSum(0), Exponential(3.0))
    assert computed == [plan]


def test_the_loss_is_computed_from_the_plans_own_sensitivity(tmp_path: Path) -> None:
    """The same noise costs three times as much on a plan whose units keep three rows."""
    wide = prepare(tmp_path / "wide", COUNTS).operation.plan
    narrow = prepare(tmp_path / "narrow", COUNTS, limits="max_rows = 1").operation.plan
    tenth = Charge(Fraction(1, 10), Fraction(1), Fraction(0))
    desk_of(narrow, charge=tenth).measure(narrow, Draws((Laplace(10.0),)))
    with pytest.raises(OperationError, match=r"cost epsilon 0\.3"):
        desk_of(wide, charge=tenth).measure(wide, Draws((Laplace(10.0),)))


def wrong_draws(folder: Path) -> list[tuple[BoundedPlan, Draws, str]]:
    plain = prepare(folder / "a", COUNTS).operation
    rank = prepare(folder / "b", "SELECT MEDIAN(age) FROM visits").operation
    keyed = prepare(folder / "c", "SELECT CAST(patient_id AS TEXT), COUNT(*) FROM visits GROUP BY 1").operation
    summed = prepare(folder / "d", "SELECT CAST(patient_id AS TEXT), SUM(age) FROM visits GROUP BY 1").operation
    assert isinstance(keyed.draws.selection, KeyThreshold)
    assert isinstance(summed.draws.selection, KeySelection)
    (quantile,) = rank.draws.noises
    assert isinstance(quantile, Quantile)
    threshold, selection, noises = keyed.draws.selection, summed.draws.selection, keyed.draws.noises
    few = KeyThreshold(threshold.noise, threshold.delta, 1, threshold.rows)
    short = KeyThreshold(threshold.noise, threshold.delta, threshold.groups, 1)
    return [
        (plain.plan, Draws(()), "1 measures and 0 noises"),
        (plain.plan, Draws((quantile,)), "other measures additive noise"),
        (plain.plan, Draws((Laplace(9.0),), quantiles=((0, (Fraction(1, 2),)),)), "in nothing else"),
        (rank.plan, Draws((Laplace(9.0),)), "a Quantile for a rank"),
        (rank.plan, Draws((Quantile(quantile.share, quantile.points, 0.5, 1),)), "made for 1 rows of a unit"),
        (rank.plan, Draws((Quantile(Fraction(1, 4), quantile.points, 0.5, 9),)), "the rank that its measure is of"),
        (keyed.plan, Draws(noises), "only through a private selection"),
        (keyed.plan, Draws(noises, few, 0), "made for 1 keys of a unit"),
        (keyed.plan, Draws(noises, short, 0), "fewer rows of a unit"),
        (keyed.plan, Draws((Laplace(99.0),), threshold, 0), "the noise of the counts"),
        (keyed.plan, Draws(noises, threshold), "the noise of the counts"),
        (summed.plan, Draws(summed.draws.noises, KeySelection(1.0, 1e-9, 1)), "made for 1 keys of a unit"),
        (summed.plan, Draws(summed.draws.noises, selection, 0), "compares no measure"),
    ]


def test_a_mechanism_made_for_less_than_the_plan_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    def never(_: BoundedPlan) -> ExactResult:
        raise AssertionError("nothing is computed for a draw that is refused")

    for plan, draws, said in wrong_draws(tmp_path):
        with pytest.raises(OperationError, match=said):
            desk_of(plan, compute=never).measure(plan, draws)


def test_a_choice_falls_on_the_highest_score_and_costs_its_spread(tmp_path: Path) -> None:
    plan = prepare(tmp_path, COUNTS).operation.plan
    exact = ExactResult((GroupedSums(((10, 100_000, 20),)),))
    for pick in (Exponential(30.0), NoisyMax(30.0), PermuteAndFlip(30.0)):
        desk = desk_of(plan, charge=Charge(Fraction(1, 10), Fraction(1)), compute=lambda _: exact)
        assert desk.choose(plan, LargestSum(0), pick) == 1, "three rows over 30: a tenth"
        with pytest.raises(OperationError, match="declare all"):
            desk.choose(plan, LargestSum(0), pick)
    near = FarthestFrom(0, (10, 100_000, 1_000_000))
    assert desk_of(plan, compute=lambda _: exact).choose(plan, near, Exponential(30.0)) == 2


class Unbounded(LargestSum):
    """A score of a wing's own, that a unit moves further than it says."""

    def rate(self, exact: ExactSet) -> list[int]:
        return [1000 * each for each in exact.sums[0]]


class Free(Choice):
    """A choice of a wing's own, that says it has one candidate."""

    def count_each(self, plan: BoundedPlan) -> int:
        return 1


class Quiet(Laplace):
    """A mechanism of a wing's own, that adds no noise."""

    def release(self, data: Any) -> Any:
        return data


class Fewer(BoundedPlan):
    """A plan of a wing's own, that says it is hardly moved."""

    def l1(self, measure: Measure) -> int:
        return 0


def test_nothing_of_a_wings_own_passes_for_a_score_a_mechanism_or_a_plan(tmp_path: Path) -> None:
    plan = prepare(tmp_path, COUNTS).operation.plan
    with pytest.raises(OperationError, match="no score with a proven sensitivity; there are LargestSum, "):
        desk_of(plan).choose(plan, Unbounded(0), Exponential(30.0))
    with pytest.raises(OperationError, match="chosen by a Choice"):
        desk_of(plan).choose_several(plan, Free(LargestSum(0), Exponential(30.0)))
    with pytest.raises(OperationError, match="Quiet has no form"):
        desk_of(plan).measure(plan, Draws((Quiet(30.0),)))
    with pytest.raises(OperationError, match="Fewer has no form"):
        desk_of(Fewer(**{each.name: getattr(plan, each.name) for each in dataclasses.fields(plan)}))


def test_choices_follow_the_exponential_mechanism(tmp_path: Path) -> None:
    plan = prepare(tmp_path, COUNTS).operation.plan
    exact = ExactResult((GroupedSums(((0, 30, 60),)),))
    seen = Counter(
        desk_of(plan, compute=lambda _: exact).choose(plan, LargestSum(0), Exponential(30.0)) for _ in range(3000)
    )
    weights = [math.exp(each) for each in (0, 1, 2)]
    for place, weight in enumerate(weights):
        share = weight / sum(weights)
        assert abs(seen[place] - 3000 * share) < 7 * math.sqrt(3000 * share * (1 - share))


def test_what_a_choice_costs_is_computed_from_the_plan(tmp_path: Path) -> None:
    """Counts of three rows: they move apart by 3 where a unit is added, by 6 where one replaces another."""
    plan = prepare(tmp_path / "a", COUNTS).operation.plan
    replaced = prepare(tmp_path / "b", COUNTS, neighbours="replace").operation.plan
    tenth = Charge(Fraction(1, 10), Fraction(1))
    desk_of(plan, charge=tenth).choose(plan, LargestSum(0), Exponential(30.0))
    for chosen, score in ((plan, FarthestFrom(0, (1, 2, 3))), (replaced, LargestSum(0))):
        with pytest.raises(OperationError, match="declare all"):
            desk_of(chosen, charge=tenth).choose(chosen, score, Exponential(30.0))
        desk_of(chosen, charge=tenth).choose(chosen, score, Exponential(60.0))
    with pytest.raises(OperationError, match="the plan's: give a scale"):
        desk_of(plan).choose(plan, LargestSum(0), Exponential(30.0, monotone=True))


def test_only_the_exponential_mechanism_costs_an_eighth_of_its_square(tmp_path: Path) -> None:
    plan = prepare(tmp_path, COUNTS).operation.plan
    eighth, half = (Charge(Fraction(1, 10), Fraction(1, 100) / each) for each in (8, 2))
    desk_of(plan, charge=eighth).choose(plan, LargestSum(0), Exponential(30.0))
    for pick in (PermuteAndFlip(30.0), NoisyMax(30.0)):
        with pytest.raises(OperationError, match="declare all"):
            desk_of(plan, charge=eighth).choose(plan, LargestSum(0), pick)
        desk_of(plan, charge=half).choose(plan, LargestSum(0), pick)


def test_several_keys_are_chosen_in_rounds_that_are_all_paid(tmp_path: Path) -> None:
    plan = prepare(tmp_path, COUNTS).operation.plan
    exact = ExactResult((GroupedSums(((10, 100_000, 50_000),)),))
    two = Choice(LargestSum(0), Exponential(30.0), 2)
    fifth = Charge(Fraction(2, 10), Fraction(2, 800))
    assert desk_of(plan, charge=fifth, compute=lambda _: exact).choose_several(plan, two) == ((1, 2),)
    for short in (Charge(Fraction(19, 100), Fraction(1)), Charge(Fraction(1), Fraction(19, 8000))):
        with pytest.raises(OperationError, match="declare all"):
            desk_of(plan, charge=short).choose_several(plan, two)
    with pytest.raises(OperationError, match="by the exponential mechanism only"):
        Choice(LargestSum(0), PermuteAndFlip(30.0), 2)
    with pytest.raises(OperationError, match="no 4 in each"):
        desk_of(plan).choose_several(plan, Choice(LargestSum(0), Exponential(30.0), 4))


def test_no_score_is_released_beside_a_choice(tmp_path: Path) -> None:
    plan, pages = prepare(tmp_path, COUNTS).operation.plan, Pages()
    exact = ExactResult((GroupedSums(((10, 100_000, 20),)),))
    desk_of(plan, pages, compute=lambda _: exact).choose(plan, LargestSum(0), Exponential(30.0))
    assert [row.result for row in pages.rows] == [b'{"version":4,"sets":[{"chosen":[[1]]}]}']
    both = Draws((Laplace(30.0),), choice=Choice(LargestSum(0), Exponential(30.0)))
    with pytest.raises(OperationError, match="released alone"):
        desk_of(plan).measure(plan, both)


def test_trees_and_drawn_ranks_come_back_from_the_journal(tmp_path: Path) -> None:
    texts = ["MEDIAN(age)", ", ".join(f"QUANTILE_CONT(age, {each / 30})" for each in range(1, 30))]
    cells = {30: 5, 60: 9, 90: 2}
    for number, text in enumerate(texts):
        operation = prepare(tmp_path / str(number), f"SELECT {text} FROM visits").operation
        exact = ExactResult((GroupedSums(((16,),), {0: (cells,)}),))
        pages = Pages()
        first = desk_of(operation.plan, pages, compute=lambda _, exact=exact: exact)  # type: ignore[misc]
        released = first.measure(operation.plan, operation.draws)
        assert released.sets[0].trees or released.sets[0].drawn
        assert desk_of(operation.plan, pages).measure(operation.plan, operation.draws) == released
