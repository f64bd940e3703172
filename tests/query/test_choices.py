"""Choices by score: the exact law of what is chosen, on neighbours, against what is charged and lost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import permutations, product
from pathlib import Path

import pytest

from discreet.base.canonical import hash_json
from discreet.base.errors import OperationError
from discreet.mechanisms import Exponential, NoisyMax, PermuteAndFlip
from discreet.plan.bounded import BoundedPlan
from discreet.query.choices import Choice, PickNoise, bound_spreads
from discreet.query.cost import cost_choice, lose_choice
from discreet.query.scores import FarthestFrom, LargestSum, Side, SmallestSum, ThresholdScore, WeightedMeasures
from support import laws
from support.clinic import open_clinic

Law = dict[tuple[int, ...], float]
"""The probability of every outcome."""

LAWS: dict[type, Callable[[tuple[int, ...], float], laws.Law]] = {
    Exponential: laws.softmax,
    PermuteAndFlip: laws.permute_and_flip,
    NoisyMax: laws.exponential_max,
}
ROWS, ALL = 2, 3
"""What a unit keeps in each group here, and in all of them, of which there are two at most."""


def plan_of(folder: Path, sql: str, **how: object) -> BoundedPlan:
    limits = {"max_rows": ALL, "max_groups": 2, "max_rows_per_group": ROWS}
    with open_clinic(folder, **how) as curator:  # type: ignore[arg-type]
        return curator.prepare(sql, 1, **limits).operation.plan


BY_WARD = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
BY_DECADE = "SELECT age // 60 AS a, ward, COUNT(*) FROM visits GROUP BY 1, ward"


def choose_law(scores: tuple[int, ...], choice: Choice) -> Law:
    """Return the law of rounds in one part: each among those that are left."""
    law: Law = {}
    for order in permutations(range(len(scores)), choice.count):
        chance, left = 1.0, list(range(len(scores)))
        for place in order:
            each = LAWS[type(choice.pick)](tuple(scores[index] for index in left), choice.pick.scale)
            chance *= float(each[left.index(place)])
            left.remove(place)
        law[order] = chance
    return law


def multiply(parts: list[Law]) -> Law:
    """Return the law of parts that are drawn by themselves."""
    law: Law = {(): 1.0}
    for part in parts:
        law = {(*one, *other): p * q for one, p in law.items() for other, q in part.items()}
    return law


def assert_covered(one: Law, other: Law, plan: BoundedPlan, choice: Choice) -> float:
    """Hold the charge's epsilon and rho, and the loss's deltas, against both laws; return the worst ratio."""
    charge = cost_choice(plan, choice)
    ratios = [math.log(one[each] / other[each]) for each in one]
    assert max(map(abs, ratios)) <= float(charge.epsilon) + 1e-9
    for p, q in ((one, other), (other, one)):
        for order in (1.5, 2, 8, 32):
            renyi = math.log(math.fsum(p[each] ** order * q[each] ** (1 - order) for each in p)) / (order - 1)
            assert renyi <= order * float(charge.rho) + 1e-9
        for epsilon, promised in list_deltas(plan, choice):
            delta = math.fsum(max(0.0, p[each] - math.exp(epsilon) * q[each]) for each in p)
            assert delta <= promised + 1e-9
    return max(map(abs, ratios))


@lru_cache
def list_deltas(plan: BoundedPlan, choice: Choice) -> list[tuple[float, float]]:
    """Return the deltas that the loss promises at some epsilons."""
    most, loss = float(cost_choice(plan, choice).epsilon), lose_choice(plan, choice)
    return [(share * most, loss.delta(share * most).high) for share in (0.0, 0.3, 0.8)]


def list_moves(keys: int, replaced: bool) -> Iterator[tuple[int, ...]]:
    """Yield what a unit adds at each key, or what replacing one by another does: up to so many rows in two groups."""
    added = product(range(ROWS + 1), repeat=keys)
    every = [each for each in added if sum(each) <= ALL and sum(count > 0 for count in each) <= 2]
    if not replaced:
        yield from every
        return
    for left, entered in product(every, repeat=2):
        yield tuple(b - a for a, b in zip(left, entered, strict=True))


@pytest.mark.many
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, NoisyMax])
def test_theorem_one_choice_loses_no_more_than_is_charged(
    tmp_path: Path, kind: type[PickNoise], smallest: bool, replaced: bool
) -> None:
    plan = plan_of(tmp_path, BY_WARD, neighbours="replace" if replaced else "add-remove")
    choice = Choice(SmallestSum(0) if smallest else LargestSum(0), kind(2.5))
    sign, worst = -1 if smallest else 1, 0.0
    for scores in ((0, 0, 0), (0, 3, 5), (40, 1, 0)):
        here = choose_law(tuple(sign * each for each in scores), choice)
        for move in set(list_moves(3, replaced)):
            there = tuple(sign * (a + b) for a, b in zip(scores, move, strict=True))
            worst = max(worst, assert_covered(here, choose_law(there, choice), plan, choice))
    assert worst > 0.9 * float(cost_choice(plan, choice).epsilon), "the charge is nearly attained"


def test_counts_pay_half_where_a_unit_is_added_and_the_whole_where_one_is_replaced(tmp_path: Path) -> None:
    added, replaced = (plan_of(tmp_path / each, BY_WARD, neighbours=each) for each in ("add-remove", "replace"))
    one = Choice(LargestSum(0), Exponential(10.0))
    assert cost_choice(added, one).epsilon == Fraction(ROWS, 10)
    assert cost_choice(replaced, one).epsilon == Fraction(2 * ROWS, 10)


@pytest.mark.parametrize("replaced", [False, True])
def test_theorem_two_of_three_lose_no_more_than_is_charged(tmp_path: Path, replaced: bool) -> None:
    plan = plan_of(tmp_path, BY_WARD, neighbours="replace" if replaced else "add-remove")
    choice, worst = Choice(LargestSum(0), Exponential(4.0), 2), 0.0
    for scores in ((0, 0, 0), (0, 3, 5), (40, 60, 0)):
        here = choose_law(scores, choice)
        for move in set(list_moves(3, replaced)):
            there = tuple(a + b for a, b in zip(scores, move, strict=True))
            worst = max(worst, assert_covered(here, choose_law(there, choice), plan, choice))
    assert worst > float(cost_choice(plan, Choice(LargestSum(0), Exponential(4.0))).epsilon) * 1.2, (
        "one round is not all"
    )


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("replaced", [False, True])
def test_theorem_a_choice_in_every_group_loses_no_more_than_is_charged(
    tmp_path: Path, kind: type[PickNoise], replaced: bool
) -> None:
    """Two parts of three keys: a unit is in two groups at most, which may be in both parts."""
    plan = plan_of(tmp_path, BY_DECADE, neighbours="replace" if replaced else "add-remove")
    choice, worst = Choice(LargestSum(0), kind(3.0), parts=2), 0.0
    assert plan.groups(0) == 6

    def law(scores: tuple[int, ...]) -> Law:
        return multiply([choose_law(part, choice) for part in (scores[:3], scores[3:])])

    moves = sorted(set(list_moves(6, False)))
    if replaced:
        full = [each for each in moves if sum(each) == ALL]
        moves = [tuple(b - a for a, b in zip(one, two, strict=True)) for one in full[::3] for two in full[::2]]
    here = law((0, 1, 2, 5, 0, 5))
    for move in moves:
        there = tuple(a + b for a, b in zip((0, 1, 2, 5, 0, 5), move, strict=True))
        worst = max(worst, assert_covered(here, law(there), plan, choice))
    assert worst > 0.5 * float(cost_choice(plan, choice).epsilon)


def test_parts_pay_for_all_groups_of_a_unit(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, BY_DECADE)
    spreads = bound_spreads(plan, LargestSum(0), 2)
    assert (spreads.total, spreads.squares) == (ALL, ROWS**2 + 1)
    signed = plan_of(tmp_path / "signed", "SELECT age // 60, ward, SUM(age - 10) FROM visits GROUP BY 1, ward")
    for score, wrong in ((LargestSum(0), signed), (SmallestSum(0), plan)):
        with pytest.raises(OperationError, match="that only grow"):
            bound_spreads(wrong, score, 2)


def test_the_chosen_fall_short_by_no_more_than_the_theorem_says(tmp_path: Path) -> None:
    """In all rounds at once: exactly, over the whole law."""
    plan = plan_of(tmp_path, BY_WARD)
    for kind, count in ((Exponential, 1), (PermuteAndFlip, 1), (Exponential, 2)):
        choice = Choice(LargestSum(0), kind(3.0), count)
        assert choice.bound_shortfall(plan, 0.95) == math.floor(3 * math.log(3 * count / 0.05))
        for scores in ((0, 0, 0), (0, 5, 9), (10, 9, 0), (3, 40, 20)):
            best = sorted(scores, reverse=True)
            for confidence in (0.5, 0.8, 0.95):
                short = choice.bound_shortfall(plan, confidence)
                missed = [
                    chance
                    for order, chance in choose_law(scores, choice).items()
                    if any(best[place] - scores[chosen] > short for place, chosen in enumerate(order))
                ]
                assert math.fsum(missed) <= 1 - confidence


def test_the_forms_of_choices_never_change() -> None:
    """Golden: what a choice is for the ledger."""
    picks = (Exponential(2.5), PermuteAndFlip(2.5))
    found = [
        Choice(LargestSum(0), picks[1]),
        Choice(SmallestSum(1), picks[0], 3, 1),
        Choice(LargestSum(0), picks[0], 1, 4),
        Choice(FarthestFrom(0, (1, 2)), picks[0]),
        Choice(WeightedMeasures((0, 1), (3, -4)), picks[1]),
        Choice(ThresholdScore(0, -5, 2, 10**9, Side.AT_LEAST, 7, 0), picks[0]),
    ]
    assert [hash_json(each.describe())[:16] for each in found] == [
        "95eec75f008a1e86",
        "01a8ddd2d0892a28",
        "01c187af744f221f",
        "5062b08d9d9fdcae",
        "77471c33711c8d46",
        "a422d8935366827e",
    ]
