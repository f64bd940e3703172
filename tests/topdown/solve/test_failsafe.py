"""Rules that contradict one another: the parent holds, as little as possible is broken, and all of it is told."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import milp

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve import failsafe
from discreet.topdown.solve.children import solve_children, solve_root
from discreet.topdown.solve.failsafe import Violation
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from topdown.solve.problems import ask, make_schema

SCHEMA = make_schema(3)
TOTAL, CELLS = ask(SCHEMA), ask(SCHEMA, 0)
PRECISION = MarginalPrecision([TOTAL, CELLS], np.ones((2, 2)))


def count_broken(counts: Ints, invariants: list[Invariant]) -> int:
    """Return how many people are too many or too few in all."""
    broken = 0
    for each in invariants:
        given = each.query.answer(counts)
        high = each.values if each.exact else np.full(given.shape, NO_MOST) if each.most is None else each.most
        broken += int(np.maximum(each.values - given, 0).sum() + np.maximum(given - high, 0).sum())
    return broken


def find_least_broken(parent: Ints, invariants: list[Invariant]) -> int:
    splits = itertools.product(*(range(each + 1) for each in parent))
    return min(count_broken(np.array([one, parent - np.array(one)]), invariants) for one in splits)


def test_bounds_that_agree_in_the_parent_only_break_by_one_person() -> None:
    parent = np.array([2, 2, 0])
    one = Invariant("few people", 0, TOTAL, np.zeros((2, 1), dtype=np.int64), False, np.array([[1], [NO_MOST]]))
    most = np.array([[NO_MOST] * 3, [1] * 3])
    each = Invariant("one in each", 0, CELLS, np.zeros((2, 3), dtype=np.int64), False, most)
    found = solve_children(parent, np.full((2, 3), 0.7), PRECISION, invariants=[one, each])
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert count_broken(found.counts, [one, each]) == find_least_broken(parent, [one, each]) == 1
    assert {broken.rule for broken in found.violations} <= {"few people", "one in each"}
    assert len(found.violations) == 1


@pytest.mark.many
@pytest.mark.parametrize("seed", range(15))
def test_contradicting_numbers_are_missed_by_as_few_people_as_can_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parent = rng.integers(0, 4, 3)
    invariants = [
        Invariant("totals", 0, TOTAL, rng.integers(0, 6, (2, 1))),
        Invariant("least", 0, CELLS, rng.integers(0, 2, (2, 3)), exact=False),
    ]
    found = solve_children(parent, rng.normal(2, 2, (2, 3)), PRECISION, invariants=invariants)
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert np.all(found.counts >= 0)
    shut = invariants[0].values[:, 0] == 0
    if not shut.any():
        assert count_broken(found.counts, invariants) == find_least_broken(parent, invariants)
    told = sum(max(each.low - each.given, each.given - each.high) for each in found.violations if each.rule != "zeros")
    assert told == count_broken(found.counts, invariants)


def test_numbers_that_can_hold_do_so_beside_one_that_cannot() -> None:
    """The nearest whole counts would break the totals too, which cost more than being far away."""
    schema = make_schema(6)
    total, cells = ask(schema), ask(schema, 0)
    parent = np.ones(6, dtype=np.int64)
    totals = Invariant("totals", 0, total, np.array([[2], [4]]))
    both = Invariant("both", 0, cells, np.eye(6, dtype=np.int64)[[5, 5]], exact=False)
    precision = MarginalPrecision([total, cells], np.ones((2, 2)))
    targets = np.array([[0.4] * 5 + [0.0], [0.6] * 5 + [1.0]])
    found = solve_children(parent, targets, precision, invariants=[totals, both])
    assert find_least_broken(parent, [totals, both]) == 1
    assert [(each.rule, each.low - each.given) for each in found.violations] == [("both", 1)]


def test_people_where_nobody_can_be_are_told_by_cell() -> None:
    zeros = np.array([[True, False, False], [True, False, False]])
    found = solve_children(np.array([3, 1, 0]), np.zeros((2, 3)), PRECISION, impossible=zeros)
    assert np.array_equal(found.counts.sum(axis=0), [3, 1, 0])
    assert {each.rule for each in found.violations} == {"zeros"}
    assert sum(each.given for each in found.violations) == 3


def test_every_violation_says_what_was_wanted_and_what_is_given() -> None:
    found = solve_children(
        np.array([1, 0, 0]), np.zeros((2, 3)), PRECISION, invariants=[Invariant("t", 0, TOTAL, np.array([[2], [1]]))]
    )
    assert sum(each.low - each.given for each in found.violations) == 2
    assert all(isinstance(each, Violation) and each.low == each.high for each in found.violations)


def test_a_root_with_contradicting_numbers_is_told_too() -> None:
    wrong = [
        Invariant("total", 0, TOTAL, np.array([[3]])),
        Invariant("cells", 0, CELLS, np.array([[2, 1, 1]])),
    ]
    precision = MarginalPrecision([TOTAL, CELLS], np.ones((1, 2)))
    found = solve_root(np.array([[1.2, 0.4, 0.9]]), precision, invariants=wrong)
    assert count_broken(found.counts, wrong) == 1
    assert len(found.violations) == 1


@pytest.mark.many
@pytest.mark.parametrize("seed", range(12))
def test_numbers_of_several_queries_that_contradict_one_another_never_warn_and_are_all_told(seed: int) -> None:
    """Warnings are errors in all tests: overflow on the way to a relaxed region would be one."""
    schema = make_schema(2, 3)
    rng = np.random.default_rng(seed)
    size = int(10 ** rng.integers(0, 7))
    parent = rng.poisson(rng.gamma(0.4, 5 * size, 6))
    invariants = [
        Invariant("totals", 0, ask(schema), rng.integers(1, 9 * size, (3, 1))),
        Invariant("firsts", 0, ask(schema, 0), rng.integers(0, 5 * size, (3, 2)), exact=False),
        Invariant("seconds", 0, ask(schema, 1), np.zeros((3, 3), np.int64), False, rng.integers(1, 4 * size, (3, 3))),
    ]
    precision = MarginalPrecision([ask(schema), ask(schema, 0, 1)], 10 ** rng.uniform(-8, 2, (3, 2)))
    targets = parent / 3 + rng.normal(0, size, (3, 6))
    found = solve_children(parent, targets, precision, invariants=invariants)
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert np.all(found.counts >= 0)
    assert np.isfinite(found.continuous).all()
    told = sum(max(each.low - each.given, each.given - each.high) for each in found.violations)
    assert told == count_broken(found.counts, invariants) > 0
    assert found.rounded.method == "failsafe"


def test_numbers_that_are_far_out_of_reach_are_told_and_overflow_nothing() -> None:
    wrong = Invariant("totals", 0, TOTAL, np.array([[10**15], [10**15]]))
    found = solve_children(np.array([1, 2, 0]), np.zeros((2, 3)), PRECISION, invariants=[wrong])
    assert np.array_equal(found.counts.sum(axis=0), [1, 2, 0])
    assert [each.rule for each in found.violations] == ["totals", "totals"]


def test_where_a_search_finds_nothing_in_time_largest_remainders_are_rounded_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parent = np.array([2, 2, 1])
    wrong = Invariant("totals", 0, TOTAL, np.array([[4], [4]]))
    solve = milp

    def give_up(cost: Floats, **given: Any) -> Any:
        return SimpleNamespace(x=None, mip_gap=None) if "integrality" in given else solve(cost, **given)

    monkeypatch.setattr(failsafe, "milp", give_up)
    found = solve_children(parent, np.full((2, 3), 0.4), PRECISION, invariants=[wrong])
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert np.all(found.counts >= 0)
    assert found.rounded.method == "failsafe"
    assert sum(each.low - each.given for each in found.violations) == 3


def test_a_search_that_returns_people_who_do_not_add_up_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = milp

    def lose_somebody(cost: Floats, **given: Any) -> Any:
        found = solve(cost, **given)
        return SimpleNamespace(x=found.x * 0, mip_gap=0.0) if "integrality" in given else found

    monkeypatch.setattr(failsafe, "milp", lose_somebody)
    wrong = Invariant("totals", 0, TOTAL, np.array([[4], [4]]))
    found = solve_children(np.array([2, 2, 1]), np.full((2, 3), 0.4), PRECISION, invariants=[wrong])
    assert np.array_equal(found.counts.sum(axis=0), [2, 2, 1])
