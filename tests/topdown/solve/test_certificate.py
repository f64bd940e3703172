"""The gap's theorem, at any point and for any prices: nothing in the region is below what is called the bound."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.topdown.solve.precision import Precision, restrict_precision
from discreet.topdown.solve.projection import project, start_prices
from discreet.topdown.solve.quadratic import QuadraticObjective, _Descent, minimise
from discreet.topdown.solve.region import Region, Rows, describe_region, shut_cells
from topdown.solve.problems import make_problem, make_schema

SCHEMA = make_schema(2, 2)


def write_program(seed: int, children: int, kinds: str) -> tuple[Region, QuadraticObjective]:
    """Return a region and an objective on the cells that its parent has; the root where there is one child."""
    problem = make_problem(seed, children, SCHEMA, kinds)
    allowed = shut_cells(~problem.zeros, problem.invariants)
    parent = None if children == 1 else problem.parent
    cells = np.flatnonzero(allowed[0] if parent is None else parent)
    region = describe_region(problem.targets, parent, allowed, problem.invariants, cells)
    precision = restrict_precision(problem.precision, cells, SCHEMA.cells)
    return region, QuadraticObjective(precision, np.zeros(region.low.shape), 0.0)


def move(descent: _Descent, point: Floats) -> None:
    """Put a descent at the point of its region that is nearest to another."""
    scale = np.ones((len(point), 1))
    descent.at, _ = project(descent.region, point, scale, start_prices(descent.region))
    descent.gradient = descent.objective.find_gradient(descent.at)


@pytest.mark.many
@pytest.mark.parametrize("children", [1, 3])
@pytest.mark.parametrize("kinds", ["", "z", "e", "l", "b", "lb"])
def test_no_point_is_below_the_bound_for_any_prices(kinds: str, children: int) -> None:
    """Good prices are moved a little, so that bounds are near the least, and a term that is missing would show."""
    nearest = np.inf
    for seed in range(4):
        region, objective = write_program(seed, children, kinds)
        descent, rng = _Descent(region, objective), np.random.default_rng(seed)
        least = descent.run().objective
        best, exact = descent.at.copy(), region.rows.exact
        good = max(descent.prices.rows, descent._explore()[0], key=descent._bound)
        for size in (0.0, 0.01, 0.3, 3.0, 30.0):
            move(descent, best + rng.normal(0, size, best.shape))
            prices = good + rng.normal(0, size, len(good))
            bound = descent._bound(np.where(exact, prices, np.abs(prices)))
            assert bound <= least * (1 + 1e-9) + 1e-9
            nearest = min(nearest, least - bound)
    assert nearest < 1e-5, "with good prices the bound is as good"


def test_what_is_best_under_narrower_rows_is_not_called_best_under_wider_ones() -> None:
    """At such a point all of a gap is what its rows have beyond their bounds."""
    beyond = 0.0
    for seed in range(6):
        region, objective = write_program(seed, 3, "l")
        narrow = _Descent(region, objective)
        narrow.run()
        good = max(narrow.prices.rows, narrow._explore()[0], key=narrow._bound)
        wider = region.retarget(region.rows.targets - np.where(region.rows.exact, 0.0, 0.5), region.slack)
        least = minimise(wider, objective).objective
        descent = _Descent(wider, objective)
        descent.at, descent.gradient = narrow.at, narrow.gradient
        assert descent._bound(good) <= least * (1 + 1e-9) + 1e-9
        beyond = max(beyond, objective.evaluate(narrow.at, narrow.gradient) - least)
    assert beyond > 1e-2


@pytest.mark.parametrize("kinds", ["l", "b", "lb"])
def test_prices_of_lower_bounds_are_never_negative(kinds: str) -> None:
    seen = 0
    for seed in range(6):
        region, objective = write_program(seed, 3, kinds)
        descent = _Descent(region, objective)
        move(descent, np.random.default_rng(seed).normal(0, 10, region.low.shape))
        prices, _ = descent._explore()
        assert np.all(prices[~region.rows.exact] >= 0)
        seen += int((prices > 0).sum())
    assert seen, "some rows have a price"


class Tilted:
    """A precision of two cells, of which the first weighs on the total with less than nothing."""

    lipschitz = np.array([6.0])

    def apply(self, values: Floats) -> Floats:
        return np.asarray(values @ np.array([[1.0, -2.0], [-2.0, 5.0]]))


def test_a_root_that_cannot_be_certified_says_so() -> None:
    """With multipliers below 0 the bound would be wrong: then there is none."""
    precision: Precision = Tilted()
    rng, unbounded = np.random.default_rng(1), 0
    side = np.linspace(0, 20, 81)
    grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    nothing = np.empty(0, dtype=np.int64)
    rows = Rows(nothing, np.empty((0, 2)), np.empty(0), nothing.astype(bool))
    for _ in range(200):
        low = -rng.normal(0, 3, (1, 2))
        region = Region(low, np.ones((1, 2), dtype=bool), None, rows)
        descent = _Descent(region, QuadraticObjective(precision, np.zeros((1, 2)), 0.0))
        move(descent, rng.normal(0, 3, (1, 2)))
        bound = descent._bound(np.empty(0))
        assert bound <= float(((grid + low) * precision.apply(grid + low)).sum(axis=1).min()) + 1e-9
        unbounded += bound == -np.inf
    assert 0 < unbounded < 200
