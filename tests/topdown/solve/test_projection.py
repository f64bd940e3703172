"""The nearest point of a region: against definitions and other algorithms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.base.grid import Floats
from discreet.topdown.solve.projection import EmptyRegionError, project, start_prices
from discreet.topdown.solve.region import Region, describe_region, shut_cells
from discreet.topdown.spec.invariants import Invariant
from topdown.solve.problems import TinyProblem, ask, make_problem, make_schema

SCHEMA = make_schema(2, 3)


def make_region(problem: TinyProblem, targets: Floats | None = None) -> Region:
    """Return the region of a problem, in deviations from 0 unless told otherwise: these are the counts themselves."""
    allowed = shut_cells(~problem.zeros, problem.invariants)
    cells = np.flatnonzero(problem.parent)
    origin = np.zeros(problem.targets.shape) if targets is None else targets
    return describe_region(origin, problem.parent, allowed, problem.invariants, cells)


def sort_onto_simplex(values: Floats, total: float) -> Floats:
    """Return the nearest non-negative numbers of a sum, by sorting (Held, Wolfe, Crowder 1974)."""
    ordered = np.sort(values)[::-1]
    prices = (np.cumsum(ordered) - total) / np.arange(1, len(values) + 1)
    return np.asarray(np.maximum(values - prices[np.flatnonzero(ordered > prices)[-1]], 0.0))


@pytest.mark.many
@pytest.mark.parametrize("seed", range(20))
def test_without_rows_each_cell_is_a_simplex(seed: int) -> None:
    problem = make_problem(seed, 6, SCHEMA)
    region = make_region(problem)
    point = np.random.default_rng(seed).normal(0, 20, region.low.shape)
    found, _ = project(region, point, np.ones((6, 1)), start_prices(region))
    assert region.people is not None
    for cell, people in enumerate(region.people):
        assert found[:, cell] == pytest.approx(sort_onto_simplex(point[:, cell], people), abs=1e-9)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["e", "l", "b", "ze", "ebl", "zbb"])
def test_with_rows_no_point_of_the_region_is_in_a_direction_that_is_nearer(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 4, SCHEMA, kinds)
    region = make_region(problem)
    rng = np.random.default_rng(seed)
    scale = 10 ** rng.uniform(-1, 1, (4, 1))
    point = rng.normal(0, 20, region.low.shape)
    found, prices = project(region, point, scale, start_prices(region))
    assert np.all(found[region.allowed] >= 0)
    assert found.sum(axis=0) == pytest.approx(region.people, abs=1e-9)
    spare = region.rows.add_up(found) - region.rows.targets
    assert np.all(np.where(region.rows.exact, np.abs(spare), -spare) <= region.tolerance)
    normal = (point - found) / scale
    assert find_largest(region, normal) <= float((normal * found).sum()) + 1e-6 * (1 + np.abs(normal).sum())
    assert np.all((prices.rows >= 0) | region.rows.exact)


def find_largest(region: Region, direction: Floats) -> float:
    """Return the largest product of a direction with a point of the region, by HiGHS."""
    children, cells = region.low.shape
    rows = np.zeros((len(region.rows), children, cells))
    rows[np.arange(len(rows)), region.rows.children] = region.rows.members
    flat, exact = rows.reshape(len(rows), -1), region.rows.exact
    sums = np.tile(np.eye(cells), children)
    solved = linprog(
        -direction.reshape(-1),
        A_ub=-flat[~exact],
        b_ub=-region.rows.targets[~exact],
        A_eq=np.concatenate([sums, flat[exact]]),
        b_eq=np.concatenate([np.asarray(region.people), region.rows.targets[exact]]),
        bounds=[(0, None if allowed else 0) for allowed in region.allowed.reshape(-1)],
    )
    assert solved.status == 0
    return float(-solved.fun)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(10))
def test_prices_that_were_paid_before_change_nothing(seed: int) -> None:
    problem = make_problem(seed, 4, SCHEMA, "bl")
    region = make_region(problem)
    point, scale = np.random.default_rng(seed).normal(0, 20, region.low.shape), np.ones((4, 1))
    found, prices = project(region, point, scale, start_prices(region))
    reduced = point - scale * (prices.cells - region.rows.spread(prices.rows, 4))
    again, same = project(region, reduced, scale, prices)
    assert again == pytest.approx(found, abs=1e-9)
    assert region.rows.spread(same.rows, 4) == pytest.approx(region.rows.spread(prices.rows, 4), abs=1e-6)


def test_digits_of_huge_counts_are_kept() -> None:
    problem = make_problem(3, 4, SCHEMA, "e", scale=1e8)
    region = make_region(problem, np.asarray(problem.truth + 0.25, dtype=np.float64))
    found, _ = project(region, np.full(region.low.shape, 0.5), np.ones((4, 1)), start_prices(region))
    assert region.count(found).sum(axis=0) == pytest.approx(region.people, abs=1e-6)
    assert np.abs(found).max() < 10


def test_an_empty_region_is_told() -> None:
    problem = make_problem(1, 2, SCHEMA)
    total = ask(SCHEMA)
    wrong = Invariant("totals", 0, total, total.answer(problem.truth) + 1)
    cells = np.flatnonzero(problem.parent)
    region = describe_region(np.zeros((2, 6)), problem.parent, ~problem.zeros, [wrong], cells)
    with pytest.raises(EmptyRegionError):
        project(region, np.zeros(region.low.shape), np.ones((2, 1)), start_prices(region))
