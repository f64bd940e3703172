"""What counts may be: a region holds exactly the points that keep every rule, and no row that says nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.solve.region import Region, describe_region, find_bounds, shut_cells
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from topdown.solve.problems import TinyProblem, ask, make_problem, make_schema

SCHEMA = make_schema(2, 2)
TOTAL, CELLS = ask(SCHEMA), ask(SCHEMA, 0, 1)


def describe(problem: TinyProblem, targets: Floats) -> Region:
    allowed = shut_cells(~problem.zeros, problem.invariants)
    return describe_region(targets, problem.parent, allowed, problem.invariants, np.arange(SCHEMA.cells))


def holds(region: Region, deviations: Floats) -> bool:
    """Say whether a point is in the region, by its definition."""
    spare = region.rows.add_up(deviations) - region.rows.targets
    inside = np.all(deviations >= region.low - 1e-9)
    shut = np.all(np.abs(deviations - region.low)[~region.allowed] <= 1e-9)
    return bool(inside and shut and np.all(np.where(region.rows.exact, np.abs(spare), -spare) <= 1e-9))


@pytest.mark.parametrize("kinds", ["", "z", "e", "l", "b", "zeb"])
@pytest.mark.parametrize("seed", range(3))
def test_whole_points_are_in_it_if_and_only_if_they_keep_all_rules(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 2, SCHEMA, kinds, scale=0.7)
    targets = problem.targets
    region = describe(problem, targets)
    every = itertools.product(*(range(each + 1) for each in problem.parent))
    kept = 0
    for first in every:
        counts = np.stack([np.array(first), problem.parent - np.array(first)])
        assert holds(region, counts - targets) == problem.keeps(counts)
        kept += problem.keeps(counts)
    assert kept


def test_rows_that_hold_whatever_happens_are_left_out() -> None:
    most = np.array([[3, NO_MOST, 0, 2], [2, 1, 0, NO_MOST]])
    bounds = Invariant("b", 0, CELLS, np.zeros((2, 4), dtype=np.int64), exact=False, most=most)
    parent = np.array([2, 2, 2, 2])
    allowed = shut_cells(np.ones((2, 4), dtype=bool), [bounds])
    assert allowed.tolist() == [[True, True, False, True], [True, True, False, True]]
    region = describe_region(np.zeros((2, 4)), parent, allowed, [bounds], np.arange(4))
    assert region.rows.children.tolist() == [1]
    assert region.rows.members.tolist() == [[0, -1, 0, 0]]
    assert region.rows.targets.tolist() == [-1]


def test_without_a_parent_upper_bounds_are_all_kept() -> None:
    bounds = Invariant(
        "b", 0, CELLS, np.zeros((1, 4), dtype=np.int64), exact=False, most=np.array([[3, 9, 0, NO_MOST]])
    )
    allowed = shut_cells(np.ones((1, 4), dtype=bool), [bounds])
    region = describe_region(np.zeros((1, 4)), None, allowed, [bounds], np.flatnonzero(allowed[0]))
    assert region.people is None
    assert region.rows.targets.tolist() == [-3, -9]


def test_bounds_of_an_invariant_are_the_narrower_of_all_that_it_says() -> None:
    values, most = np.array([[1, 2]]), np.array([[5, NO_MOST]])
    query = ask(SCHEMA, 0)
    assert [each.tolist() for each in find_bounds(Invariant("e", 0, query, values))] == [[[1, 2]], [[1, 2]]]
    least = Invariant("l", 0, query, values, exact=False)
    assert [each.tolist() for each in find_bounds(least)] == [[[1, 2]], [[NO_MOST, NO_MOST]]]
    both = Invariant("b", 0, query, values, exact=False, most=most)
    assert [each.tolist() for each in find_bounds(both)] == [[[1, 2]], [[5, NO_MOST]]]


def test_prices_are_spread_as_sums_are_added_up() -> None:
    problem = make_problem(1, 3, SCHEMA, "eb")
    rows = describe(problem, problem.targets).rows
    rng = np.random.default_rng(1)
    values, prices = rng.normal(size=(3, 4)), rng.normal(size=len(rows))
    assert float(prices @ rows.add_up(values)) == pytest.approx(float((rows.spread(prices, 3) * values).sum()))
    some = prices > 0
    assert np.array_equal(rows.pick(some).add_up(values), rows.add_up(values)[some])


def test_counts_are_zero_exactly_where_a_bound_is_met() -> None:
    problem = make_problem(2, 3, SCHEMA, "z")
    region = describe(problem, problem.targets)
    assert not region.count(region.low).any()
    moved = region.retarget(region.rows.targets, slack=0.5)
    assert moved.slack == 0.5
    assert moved.tolerance > region.tolerance
