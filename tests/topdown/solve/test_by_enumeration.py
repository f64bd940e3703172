"""Tiny problems, whose every solution can be listed: what is found is the best of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve.children import Solution, solve_children
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("a", (0, 1)), Attribute("b", (0, 1))))
TOTAL = Query("total", SCHEMA)
FIRST = Query("a", SCHEMA, (QueryPart(0, (0, 1)),))
DETAIL = Query("detail", SCHEMA, (QueryPart(0, (0, 1)), QueryPart(1, (0, 1))))
QUERIES = [TOTAL, FIRST, DETAIL]


def weigh(values: Floats, weights: Floats) -> float:
    """Return the objective, query by query: nothing of the solver's."""
    return float(
        sum((weight * query.answer(values) ** 2).sum() for query, weight in zip(QUERIES, weights, strict=True))
    )


def make_problem(seed: int) -> tuple[Ints, Floats, Floats]:
    rng = np.random.default_rng(seed)
    parent = rng.integers(0, 5, 4)
    targets = rng.normal(parent / 2, 2.0, (2, 4))
    return parent, targets, 10 ** rng.uniform(-1, 1, 3)


def solve(parent: Ints, targets: Floats, weights: Floats, invariants: list[Invariant]) -> Solution:
    precision = MarginalPrecision(QUERIES, np.tile(weights, (len(targets), 1)))
    return solve_children(parent, targets, precision, invariants=invariants, family=[FIRST])


def list_splits(parent: Ints) -> list[Ints]:
    """Return every way of two children to share the parent's counts."""
    every = itertools.product(*(range(each + 1) for each in parent))
    return [np.stack([np.array(one), parent - np.array(one)]) for one in every]


def is_next_to(counts: Ints, real: Floats) -> bool:
    """Say whether counts, totals and the family's answers are floors or ceilings of the real ones."""
    return all(
        bool(np.all(np.abs(query.answer(counts) - query.answer(real)) < 1 - 1e-6)) for query in (TOTAL, FIRST, DETAIL)
    )


def measure(counts: Ints, real: Floats) -> float:
    return float(sum(np.abs(query.answer(counts) - query.answer(real)).sum() for query in (TOTAL, FIRST, DETAIL)))


@pytest.mark.many
@pytest.mark.parametrize("seed", range(25))
def test_real_counts_are_the_nearest_that_an_independent_solver_finds(seed: int) -> None:
    parent, targets, weights = make_problem(seed)
    found = solve(parent, targets, weights, [])
    first = lambda one: weigh(np.stack([one, parent - one]) - targets, weights)  # noqa: E731
    other = minimize(first, parent / 2, bounds=[(0, each) for each in parent], method="L-BFGS-B", tol=1e-14)
    assert found.minimum.objective <= other.fun * (1 + 1e-7) + 1e-7
    assert weigh(found.continuous - targets, weights) == pytest.approx(found.minimum.objective, rel=1e-7, abs=1e-9)
    assert found.minimum.is_certified
    assert found.minimum.objective - found.minimum.gap <= other.fun + 1e-9


@pytest.mark.many
@pytest.mark.parametrize("seed", range(25))
def test_whole_counts_are_the_best_of_all_roundings(seed: int) -> None:
    parent, targets, weights = make_problem(seed)
    found = solve(parent, targets, weights, [])
    assert found.violations == ()
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert found.rounded.method == "linear program"
    every = [measure(each, found.continuous) for each in list_splits(parent) if is_next_to(each, found.continuous)]
    assert is_next_to(found.counts, found.continuous)
    assert measure(found.counts, found.continuous) == pytest.approx(min(every), abs=1e-6)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(15))
def test_invariants_hold_and_the_rest_is_the_best_that_keeps_them(seed: int) -> None:
    parent, targets, weights = make_problem(seed)
    rng = np.random.default_rng(seed)
    truth = list_splits(parent)[rng.integers(len(list_splits(parent)))]
    total = Invariant("total", 0, TOTAL, TOTAL.answer(truth))
    least = Invariant("least", 0, FIRST, np.maximum(FIRST.answer(truth) - 1, 0), exact=False)
    found = solve(parent, targets, weights, [total, least])
    assert found.violations == ()
    assert np.array_equal(TOTAL.answer(found.counts), total.values)
    assert np.all(FIRST.answer(found.counts) >= least.values)
    kept = [
        each
        for each in list_splits(parent)
        if np.array_equal(TOTAL.answer(each), total.values) and np.all(FIRST.answer(each) >= least.values)
    ]
    assert found.minimum.objective <= min(weigh(each - targets, weights) for each in kept) + 1e-6
    assert found.minimum.is_certified


def test_contradictions_are_told_and_the_parent_still_holds() -> None:
    parent, targets, weights = np.array([2, 1, 0, 3]), np.zeros((2, 4)), np.ones(3)
    found = solve(parent, targets, weights, [Invariant("totals", 0, TOTAL, np.array([[4], [4]]))])
    assert np.array_equal(found.counts.sum(axis=0), parent)
    assert {each.rule for each in found.violations} == {"totals"}
    assert found.rounded.method == "failsafe"


def test_empty_parents_single_children_and_huge_counts() -> None:
    nobody = solve(np.zeros(4, dtype=np.int64), np.full((2, 4), 3.5), np.ones(3), [])
    assert not nobody.counts.any()
    alone = solve(np.array([5, 0, 1, 2]), np.full((1, 4), -9.0), np.ones(3), [])
    assert alone.counts.tolist() == [[5, 0, 1, 2]]
    parent = np.array([10**8 + 1, 3, 10**8, 7])
    targets = np.stack([parent / 3 + 0.4, parent * 2 / 3 - 0.2])
    huge = solve(parent, targets, np.ones(3), [])
    assert np.array_equal(huge.counts.sum(axis=0), parent)
    assert huge.violations == ()


def test_the_same_problem_has_the_same_solution() -> None:
    parent, targets, weights = make_problem(3)
    assert np.array_equal(solve(parent, targets, weights, []).counts, solve(parent, targets, weights, []).counts)
