"""Whole trees of seven areas, solved from the top: every solve is the best of all that can be listed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve.checking import check_release
from discreet.topdown.solve.children import Solution, solve_children, solve_root
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.propagation import LevelInvariants, propagate
from topdown.solve.problems import ask, make_schema

SCHEMA = make_schema(2, 2)
TOTAL, FIRST, CELLS = ask(SCHEMA), ask(SCHEMA, 0), ask(SCHEMA, 0, 1)
TREE = Geography(
    (
        Level("whole", ("w",), np.array([0])),
        Level("region", ("n", "s"), np.array([0, 0])),
        Level("town", tuple("abcd"), np.array([0, 0, 1, 1])),
    )
)


def cut(known: LevelInvariants, areas: slice) -> list[Invariant]:
    """Return what is known of some areas of a level."""
    return [
        Invariant(
            each.name,
            each.level,
            each.query,
            each.values[areas],
            each.exact,
            None if each.most is None else each.most[areas],
        )
        for each in known
    ]


def keeps(counts: Ints, known: list[Invariant]) -> bool:
    for each in known:
        given = each.query.answer(counts)
        if np.any(given < each.values) or (each.exact and np.any(given > each.values)):
            return False
        if each.most is not None and np.any(given > each.most):
            return False
    return True


def measure(counts: Ints, real: Floats) -> float:
    """Return the L1 distance over all that is rounded."""
    return float(sum(np.abs(query.answer(counts) - query.answer(real)).sum() for query in (CELLS, TOTAL, FIRST)))


def check_best(found: Solution, parent: Ints | None, known: list[Invariant]) -> None:
    """List every rounding that keeps all rules, and see that none is nearer than the one that was found."""
    whole = np.rint(found.continuous)
    real = np.where(np.abs(found.continuous - whole) < 1e-6, whole, found.continuous)
    floors, split = np.floor(real).astype(np.int64), np.argwhere(real != np.floor(real))
    best = np.inf
    for ups in itertools.product((0, 1), repeat=len(split)):
        counts = floors.copy()
        counts[tuple(split.T)] += np.array(ups, dtype=np.int64)
        near = all(np.all(np.abs(query.answer(counts) - query.answer(real)) < 1 - 1e-7) for query in (TOTAL, FIRST))
        if near and keeps(counts, known) and (parent is None or np.array_equal(counts.sum(axis=0), parent)):
            best = min(best, measure(counts, real))
    assert measure(found.counts, real) == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_every_level_of_a_tree_is_exact_and_no_rounding_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    towns = rng.poisson(rng.gamma(0.5, 6.0, (4, 4)))
    truth = [towns.sum(axis=0, keepdims=True), towns.reshape(2, 2, 4).sum(axis=1), towns]
    stated = [
        Invariant("totals", 1, TOTAL, TOTAL.answer(truth[1])),
        Invariant("firsts", 2, FIRST, np.maximum(FIRST.answer(towns) - 2, 0), exact=False),
    ]
    known = propagate(TREE, SCHEMA, stated)
    counts: list[Ints] = []
    for place, level in enumerate(TREE.levels):
        targets = truth[place] + rng.normal(0, 2.0, truth[place].shape)
        solved = []
        for parent in range(len(TREE.levels[place - 1]) if place else 1):
            areas = (
                slice(*level.bound_children(len(TREE.levels[place - 1]))[parent : parent + 2]) if place else slice(1)
            )
            some = targets[areas]
            given = cut(known[place], areas)
            precision = MarginalPrecision([TOTAL, FIRST, CELLS], 10 ** rng.uniform(-1, 1, (len(some), 3)))
            found = (
                solve_children(counts[-1][parent], some, precision, invariants=given, family=[FIRST])
                if place
                else solve_root(some, precision, invariants=given, family=[FIRST])
            )
            assert found.minimum.is_certified
            assert found.rounded.method == "linear program"
            assert found.violations == ()
            check_best(found, counts[-1][parent] if place else None, given)
            solved.append(found.counts)
        counts.append(np.concatenate(solved))
    assert check_release(TREE, SCHEMA, stated, counts) == ()
