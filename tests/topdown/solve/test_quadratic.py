"""The nearest real counts: an independent solver finds none nearer, and the certificate is true."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from discreet.topdown.solve import quadratic
from discreet.topdown.solve.children import Solution, solve_children, solve_root
from discreet.topdown.solve.precision import MarginalPrecision
from discreet.topdown.spec.invariants import NO_MOST
from topdown.solve.problems import TinyProblem, ask, make_problem, make_schema

SCHEMA = make_schema(2, 2)
LARGER = make_schema(2, 3, 3)


def solve(problem: TinyProblem) -> Solution:
    return solve_children(
        problem.parent, problem.targets, problem.precision, impossible=problem.zeros, invariants=problem.invariants
    )


def solve_elsewhere(problem: TinyProblem, root: bool = False) -> float:
    """Return the least objective that scipy's SLSQP finds, from the truth."""
    shape = problem.truth.shape
    rules = [] if root else [LinearConstraint(np.tile(np.eye(shape[1]), shape[0]), problem.parent, problem.parent)]
    for each in problem.invariants:
        high = each.values if each.exact else np.full(each.values.shape, NO_MOST) if each.most is None else each.most
        rows = np.kron(np.eye(shape[0]), each.query.answer(np.eye(shape[1])).T)
        lower = each.values.reshape(-1).astype(np.float64)
        upper = np.where(high == NO_MOST, np.inf, high.astype(np.float64)).reshape(-1)
        for same in (lower == upper, lower < upper):
            if same.any():
                rules.append(LinearConstraint(rows[same], lower[same], upper[same]))
    found = minimize(
        lambda x: problem.weigh(x.reshape(shape)),
        problem.truth.reshape(-1).astype(np.float64),
        jac=lambda x: 2 * problem.precision.apply(x.reshape(shape) - problem.targets).reshape(-1),
        bounds=[(0, 0 if zero else None) for zero in problem.zeros.reshape(-1)],
        constraints=rules,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return float(found.fun)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["", "z", "e", "l", "b", "zb", "el"])
def test_no_other_solver_finds_anything_nearer(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 3, SCHEMA, kinds)
    found = solve(problem)
    elsewhere = solve_elsewhere(problem)
    assert problem.keeps(found.continuous, slack=1e-6)
    assert found.continuous.sum(axis=0) == pytest.approx(problem.parent, abs=1e-6)
    assert problem.weigh(found.continuous) == pytest.approx(found.minimum.objective, rel=1e-8, abs=1e-8)
    assert found.minimum.is_certified
    assert found.minimum.objective <= elsewhere * (1 + 1e-6) + 1e-6
    assert found.minimum.objective - found.minimum.gap <= elsewhere + 1e-6


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["", "z", "e", "l", "b", "zeb", "lb"])
def test_larger_problems_are_certified_and_no_better_than_it_says(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 5, LARGER, kinds)
    found = solve(problem)
    assert found.minimum.is_certified
    assert problem.keeps(found.continuous, slack=1e-6)
    assert problem.keeps(found.counts)
    assert found.violations == ()
    assert problem.weigh(problem.truth.astype(np.float64)) >= found.minimum.objective - found.minimum.gap


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kinds", ["", "e", "l", "b"])
def test_the_root_has_no_parent_and_a_certificate(seed: int, kinds: str) -> None:
    problem = make_problem(seed, 1, SCHEMA, kinds)
    found = solve_root(problem.targets, problem.precision, invariants=problem.invariants)
    elsewhere = solve_elsewhere(problem, root=True)
    assert found.minimum.is_certified
    assert found.minimum.objective <= elsewhere * (1 + 1e-6) + 1e-6
    assert found.minimum.objective - found.minimum.gap <= elsewhere + 1e-6
    assert problem.keeps(found.counts)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop after a single step of each kind: far from the least, but with a certificate."""
    monkeypatch.setattr(quadratic, "AIM", np.inf)
    for name in ("SEARCHES", "DEPTH", "CONJUGATE"):
        monkeypatch.setattr(quadratic, name, 1)


HURRIED = [(kinds, children) for kinds in ("", "z", "e", "l", "b", "lb") for children in (1, 3)]


@pytest.mark.many
@pytest.mark.parametrize(("kinds", "children"), HURRIED)
def test_a_gap_is_true_wherever_the_descent_ends(kinds: str, children: int, request: pytest.FixtureRequest) -> None:
    """A point of the region whose objective is below objective - gap would prove the certificate wrong."""
    problems = [make_problem(seed, children, SCHEMA, kinds) for seed in range(12)]
    whole = children == 1
    best = [solve_root_of(each) if whole else solve(each) for each in problems]
    request.getfixturevalue("hurried")
    early = [solve_root_of(each) if whole else solve(each) for each in problems]
    for problem, one, other in zip(problems, early, best, strict=True):
        assert problem.keeps(other.continuous, slack=1e-6)
        assert one.minimum.objective - one.minimum.gap <= other.minimum.objective + 1e-6
        assert one.minimum.objective >= other.minimum.objective - 1e-6
    gains = [one.minimum.objective - other.minimum.objective for one, other in zip(early, best, strict=True)]
    assert sum(gain > 1e-3 for gain in gains) >= 1, "some ended early"


def solve_root_of(problem: TinyProblem) -> Solution:
    return solve_root(problem.targets, problem.precision, impossible=problem.zeros, invariants=problem.invariants)


def test_what_was_measured_where_the_parent_has_nobody_still_counts() -> None:
    schema = make_schema(2)
    total = ask(schema)
    precision = MarginalPrecision([total, ask(schema, 0)], np.array([[10.0, 0.01]] * 2))
    targets = np.array([[6.0, 4.0], [4.0, -4.0]])
    found = solve_children(np.array([10, 0]), targets, precision)
    assert found.continuous[0, 0] == pytest.approx(10.0, abs=0.02), "totals of 10 and 0 were measured, not 6 and 4"


def test_precisions_that_say_nothing_of_some_sums_are_no_trouble() -> None:
    problem = make_problem(2, 4, LARGER, "e")
    coarse = MarginalPrecision(problem.precision.queries[:2], problem.precision.weights[:, :2])
    found = solve_children(problem.parent, problem.targets, coarse, invariants=problem.invariants)
    assert found.minimum.is_certified
    assert found.violations == ()


def test_a_gap_that_is_too_wide_is_not_called_certified(hurried: None) -> None:
    found = [solve(make_problem(seed, 3, SCHEMA, "b")).minimum for seed in range(5)]
    assert any(each.gap > 1e-3 * max(each.objective, 1.0) for each in found)
    assert all(each.is_certified == (each.gap <= 1e-7 * max(each.objective, 1.0)) for each in found)


def test_huge_counts_are_certified() -> None:
    problem = make_problem(5, 6, LARGER, "e", scale=1e8)
    near = problem.truth + np.random.default_rng(5).normal(0, 3, problem.truth.shape)
    found = solve_children(problem.parent, near, problem.precision, invariants=problem.invariants)
    assert found.minimum.is_certified
    assert found.violations == ()
    assert np.array_equal(found.counts.sum(axis=0), problem.parent)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_children_does_not_matter(seed: int) -> None:
    problem = make_problem(seed, 5, LARGER)
    order = [3, 1, 4, 0, 2]
    weights = problem.precision.weights[order]
    found = solve(problem)
    other = solve_children(
        problem.parent, problem.targets[order], MarginalPrecision(problem.precision.queries, weights)
    )
    assert other.continuous == pytest.approx(found.continuous[order], abs=1e-3)
    assert other.rounded.distance == pytest.approx(found.rounded.distance, abs=0.05)
