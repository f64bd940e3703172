"""A path through the interior: it ends near the right prices, or says that there are none, and never warns."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.topdown.solve.interior import find_prices
from discreet.topdown.solve.projection import project, start_prices
from discreet.topdown.solve.region import Region, describe_region, shut_cells
from discreet.topdown.spec.invariants import Invariant
from topdown.solve.problems import ask, make_problem, make_schema

SCHEMA = make_schema(2, 3)


def make_region(seed: int, kinds: str, children: int = 4) -> Region:
    """Return the region of a problem in deviations from 0: the counts themselves."""
    problem = make_problem(seed, children, SCHEMA, kinds)
    allowed = shut_cells(~problem.zeros, problem.invariants)
    cells = np.flatnonzero(problem.parent)
    return describe_region(np.zeros(problem.targets.shape), problem.parent, allowed, problem.invariants, cells)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["e", "l", "b", "eb"])
def test_the_path_ends_at_the_nearest_point(seed: int, kinds: str) -> None:
    region = make_region(seed, kinds)
    scale = 10 ** np.random.default_rng(seed + 9).uniform(-1, 1, (4, 1))
    point = np.random.default_rng(seed).normal(0, 20, region.low.shape)
    found, _ = project(region, point, scale, start_prices(region))
    prices = find_prices(region, point, scale)
    assert prices is not None
    reached = point - scale * (prices[0] - region.rows.spread(prices[1], 4))
    assert np.where(region.allowed, np.maximum(reached, 0.0), 0.0) == pytest.approx(found, abs=1e-3)


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12])
@pytest.mark.parametrize("more", [1, 1000, 10**9])
def test_rows_that_contradict_one_another_are_no_overflow(size: float, more: int) -> None:
    problem = make_problem(1, 3, SCHEMA)
    total = ask(SCHEMA)
    wrong = Invariant("totals", 0, total, total.answer(problem.truth) + more)
    cells = np.flatnonzero(problem.parent)
    region = describe_region(np.zeros((3, 6)), problem.parent, ~problem.zeros, [wrong], cells)
    for scale in (1e-6, 1.0, 1e6):
        found = find_prices(region, np.full(region.low.shape, size), np.full((3, 1), scale))
        assert found is None or all(np.isfinite(each).all() for each in found)
