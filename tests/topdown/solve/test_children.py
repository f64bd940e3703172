"""One parent's children, or the root: what is refused, what is trivial, and what holds whatever is asked."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.solve.children import solve_children, solve_root
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.invariants import Invariant
from topdown.solve.problems import ask, make_problem, make_schema

SCHEMA = make_schema(2, 3)
QUERIES = [ask(SCHEMA), ask(SCHEMA, 0, 1)]
TWO = MarginalPrecision(QUERIES, np.ones((2, 2)))
ONE = MarginalPrecision(QUERIES, np.ones((1, 2)))


def test_counts_and_numbers_of_other_shapes_are_refused() -> None:
    targets = np.zeros((2, 6))
    with pytest.raises(ParameterError, match="parent must be 6 counts of at least 0"):
        solve_children(np.zeros(5, dtype=np.int64), targets, TWO)
    with pytest.raises(ParameterError, match="parent must be 6 counts of at least 0"):
        solve_children(np.array([1, 1, 1, 1, 1, -1]), targets, TWO)
    with pytest.raises(ParameterError, match="targets must be one row of cells"):
        solve_root(targets, TWO)
    few = Invariant("few", 0, QUERIES[0], np.zeros((1, 1), dtype=np.int64))
    with pytest.raises(ParameterError, match=r"invariants\.few must be a row of answers for each child"):
        solve_children(np.ones(6, dtype=np.int64), targets, TWO, invariants=[few])
    with pytest.raises(ParameterError, match=r"invariants\.few must be a row of answers for each child"):
        solve_children(np.ones(6, dtype=np.int64), targets, TWO, invariants=[few])


def test_a_parent_without_people_has_children_without_people() -> None:
    targets = np.full((2, 6), 2.5)
    found = solve_children(np.zeros(6, dtype=np.int64), targets, TWO)
    assert not found.counts.any()
    assert found.minimum.gap == 0
    assert found.minimum.objective == pytest.approx(2 * (15**2 + 6 * 2.5**2)), "estimates of nobody still cost"


def test_a_root_that_nobody_can_be_in_is_empty() -> None:
    nobody = Invariant("nobody", 0, QUERIES[0], np.zeros((1, 1), dtype=np.int64))
    found = solve_root(np.full((1, 6), 2.5), ONE, invariants=[nobody])
    assert not found.counts.any()
    assert found.violations == ()


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["", "z", "e", "zlb"])
def test_whatever_is_asked_counts_are_whole_add_up_and_keep_the_rules(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 4, SCHEMA, kinds)
    found = solve_children(
        problem.parent,
        problem.targets,
        problem.precision,
        impossible=problem.zeros,
        invariants=problem.invariants,
        family=[ask(SCHEMA, 0)],
    )
    assert found.counts.dtype == np.int64
    assert np.array_equal(found.counts.sum(axis=0), problem.parent)
    assert problem.keeps(found.counts)
    assert found.violations == ()
    assert found.rounded.method in ("linear program", "mixed-integer program")
    for query in (ask(SCHEMA), ask(SCHEMA, 0), ask(SCHEMA, 0, 1)):
        assert np.all(np.abs(query.answer(found.counts) - query.answer(found.continuous)) < 1 + 1e-6)


def test_estimates_of_cells_that_nobody_is_in_move_people_between_children() -> None:
    """Dropping what was measured off the parent's support would leave the people who belong there anywhere."""
    precision = MarginalPrecision(QUERIES, np.array([[10.0, 0.01], [10.0, 0.01]]))
    targets = np.zeros((2, 6))
    targets[:, :2] = [[2.0, 8.0], [8.0, -8.0]]
    found = solve_children(np.array([10, 0, 0, 0, 0, 0]), targets, precision)
    assert found.counts[:, 0].tolist() == [10, 0], "totals of 10 and 0 were measured, of which cells tell little"
