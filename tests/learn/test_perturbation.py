"""Noisy minima: chosen from public facts, for all that may be spent and no more, exact where noise is next to none."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from curator.door.test_moments import PLAN
from discreet.base.errors import DiscreetError, OperationError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.door.minima import ObjectiveNoise, OutputNoise, bound_rest, check_minimum, cost_push
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.minimum import MOST_STEPS, count_steps
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.gradients.sums import LinearGradients
from discreet.learn.allowance import (
    ConcentratedAllowance,
    GaussianAllowance,
    read_concentrated_allowance,
    read_gaussian_allowance,
)
from discreet.learn.kinds import find_kind
from discreet.learn.linear_learners import MinimumLearner, find_linear_learner
from discreet.learn.perturbation import (
    BEND,
    METHODS,
    REST,
    SLOPES,
    Method,
    choose_noise,
    choose_objective,
    perturb,
)
from discreet.learn.rehearsal import LARGER, MOST_COUNT, Rehearsal
from discreet.learn.source import MemorySource
from discreet.privacy import GaussianLoss, ZcdpLoss
from support.encoded import draw_points

FEATURES = (NumberFeature(0, -10, 10), PlaceFeature(1, 4))
CLASSES = find_kind("logistic").make_gradients(Encoding(FEATURES, LabelColumn(2, 0, 1, 0, 1)), 2)
each_method = pytest.mark.parametrize("method", METHODS)


class FewRows(MemorySource):
    """A source of no rows, whose units may have so many."""

    def __init__(self, most_rows: int = 1, factor: int = 1) -> None:
        super().__init__(np.zeros((0, 3), dtype=np.int64), np.zeros(1, dtype=np.int64), factor, most_rows)


def find_length(gradients: LinearGradients) -> float:
    return gradients.encoding.longest / 2**12


def draw_rows(rows: int = 3000) -> tuple[Ints, Floats, Floats]:
    """Return points, their features, and labels of the second class."""
    rng = np.random.default_rng(3)
    points = np.column_stack([rng.integers(-10, 11, rows), rng.integers(0, 4, rows), np.zeros(rows, dtype=np.int64)])
    features = np.column_stack([points[:, 0] / 10, np.eye(4)[points[:, 1]], np.ones(rows)])
    chances = 1 / (1 + np.exp(-features @ np.array([2.0, 0.5, -0.5, 0.0, 1.0, -0.3])))
    points[:, 2] = rng.random(rows) < chances
    return points, features, points[:, 2].astype(np.float64)


@each_method
@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize("most_rows", [1, 7])
@pytest.mark.parametrize("rows", [1.0, 40.0, 3e4, float(MOST_COUNT)])
@pytest.mark.parametrize("rho", [Fraction(1, 10**6), Fraction(1, 50), Fraction(3)])
def test_all_that_may_be_spent_is_spent_and_no_more_however_many_rows_there_are(
    method: Method, factor: int, most_rows: int, rows: float, rho: Fraction
) -> None:
    source, allowance = FewRows(most_rows, factor), GaussianAllowance(rho)
    objective = choose_objective(CLASSES, method, allowance, rows, find_length(CLASSES), source)
    noise = choose_noise(objective, method, allowance, source)
    plan = replace(PLAN, rows=most_rows, columns=PLAN.columns * 2)
    if factor == 2:
        plan = replace(plan, factor=2)
    charge, _ = check_minimum(plan, objective, noise)
    assert rho * Fraction(99, 100) < charge.rho <= rho
    assert count_steps(objective) <= MOST_STEPS
    assert objective.units >= min(rows, 2**40)


@each_method
@pytest.mark.parametrize("rho", [Fraction(1, 10**6), Fraction(1, 50), Fraction(3)])
def test_a_rehearsal_bounds_the_noise(method: Method, rho: Fraction) -> None:
    source, allowance = FewRows(3), GaussianAllowance(rho)
    found = []
    for rows in (float(MOST_COUNT), 1.0, 500.0, 1e5, 1e9):
        objective = choose_objective(CLASSES, method, allowance, rows, find_length(CLASSES), source)
        noise = choose_noise(objective, method, allowance, source)
        sigmas = [noise.noise.sigma] if isinstance(noise, OutputNoise) else [noise.push.sigma, noise.output.sigma]
        found.append((objective.gradients.clip, sigmas))
    (clip, rehearsed), *others = found
    for own, sigmas in others:
        assert own == clip
        assert all(one < LARGER * other for one, other in zip(sigmas, rehearsed, strict=True))


def test_bending_costs_a_third_and_a_lower_ridge_more() -> None:
    source, allowance = FewRows(), GaussianAllowance(Fraction(1, 50))
    spent = allowance.rho * (1 - REST)
    objective = choose_objective(CLASSES, "objective", allowance, 1000.0, find_length(CLASSES), source)
    noise = choose_noise(objective, "objective", allowance, source)
    assert isinstance(noise, ObjectiveNoise)
    alone = float(spent) * 2 * noise.push.sigma**2 / objective.gradients.clip**2 / 1.1**2
    assert 1 < alone <= 1 / float(1 - BEND)
    flat = replace(objective, ridge=objective.ridge / 1.2)
    assert cost_push(flat, math.sqrt(1 / (1 - BEND)) * noise.push.sigma / alone**0.5, 1, 1) > spent
    rest = (Fraction(bound_rest(objective)) / Fraction(noise.output.sigma)) ** 2 / 2
    assert rest == pytest.approx(allowance.rho * REST, rel=1e-6)


@pytest.mark.many
@each_method
def test_with_hardly_any_noise_it_is_the_minimum_of_cut_slopes_and_a_ridge(method: Method) -> None:
    points, features, labels = draw_rows()
    found = perturb(MemorySource(points), CLASSES, method, GaussianAllowance(Fraction(10**10)))
    ridge, cut = found.objective.ridge, found.objective.slope / CLASSES.residual.longest
    assert cut == pytest.approx(SLOPES[method], rel=1e-4)
    assert found.objective.units == pytest.approx(len(points), abs=2)

    def find_gradient(weights: Floats) -> Floats:
        slopes = np.clip(1 / (1 + np.exp(-features @ weights)) - labels, -cut, cut)
        return np.asarray(features.T @ slopes + ridge * weights)

    exact = minimize(lambda w: (find_gradient(w) ** 2).sum(), np.zeros(6), method="BFGS", options={"gtol": 1e-9}).x
    assert np.abs(np.array(found.weights) / WEIGHT_STEPS - exact).max() < 1e-3


@pytest.mark.many
@each_method
def test_what_is_said_of_the_noise_bounds_it(method: Method) -> None:
    """A category that no row has is told nothing by the data: its weight is noise, and shrinks to 0 without."""
    points, _, _ = draw_rows(300)
    points[:, 1] = 0
    found = [perturb(MemorySource(points), CLASSES, method, GaussianAllowance(Fraction(1, 20)), 300) for _ in range(25)]
    lonely = np.array([each.weights[2:4] for each in found]) / WEIGHT_STEPS
    assert 0.6 < lonely.std() / found[0].noise < 1.4


@each_method
def test_whatever_rows_hold_weights_are_found(method: Method) -> None:
    rng = np.random.default_rng(0)
    for points in (draw_points(rng, 200)[:, :3], np.zeros((0, 3), dtype=np.int64)):
        found = perturb(MemorySource(points), CLASSES, method, GaussianAllowance(Fraction(1, 100)))
        assert np.isfinite(np.array(found.weights)).all()


def test_a_pushed_objective_is_paid_as_what_zcdp_alone_implies() -> None:
    """It is no Gaussian mechanism: an epsilon buys less rho than for one."""
    given = read_concentrated_allowance(1.0, 1e-6)
    assert given.loss == ZcdpLoss(given.rho)
    assert given.take(Fraction(1, 2)).loss == ZcdpLoss(given.rho / 2)
    assert 0.9999 < given.loss.epsilon(1e-6).high <= 1.0
    plain = read_gaussian_allowance(1.0, 1e-6)
    assert isinstance(plain.loss, GaussianLoss)
    assert given.rho < plain.rho * Fraction(95, 100)
    assert read_concentrated_allowance(rho=0.1).rho == Fraction(1, 10)
    learner = find_linear_learner(find_kind("logistic"), "objective")
    assert learner.read_allowance(1.0, 1e-6, None) == given
    other = find_linear_learner(find_kind("logistic"), "output").read_allowance(1.0, 1e-6, None)
    assert other == plain
    assert not isinstance(other, ConcentratedAllowance)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 1.0}, "Gaussian noise has no pure epsilon"),
        ({"epsilon": 1.0, "delta": 0.0}, "delta must be"),
        ({"rho": 1, "delta": 1e-6}, "left out beside rho"),
        ({}, "epsilon must be given"),
    ],
)
def test_what_an_allowance_cannot_be_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(DiscreetError, match=said):
        read_concentrated_allowance(**given)


def test_losses_that_no_theorem_bounds_are_refused_before_anything_is_drawn() -> None:
    label = LabelColumn(2, 0, 1, 0, 1)
    rehearsal, allowance = Rehearsal(PLAN), GaussianAllowance(Fraction(1, 10))
    counts = find_kind("poisson").make_gradients(Encoding(FEATURES, label), 0)
    several = find_kind("logistic").make_gradients(Encoding(FEATURES, label), 3)
    for method in METHODS:
        with pytest.raises(ParameterError, match="descent: a minimum is bounded for logistic, svc and huber"):
            perturb(rehearsal, counts, method, allowance)
    with pytest.raises(ParameterError, match="output or descent: the objective is pushed for two classes or a number"):
        perturb(rehearsal, several, "objective", allowance)
    assert rehearsal.row_time == 0


def test_a_rehearsal_meets_the_checks_of_the_desk_and_counts_every_step() -> None:
    allowance = GaussianAllowance(Fraction(1, 10))
    narrow = find_kind("logistic").make_gradients(Encoding(FEATURES[:1], LabelColumn(1, 0, 1, 0, 1)), 2)
    rehearsal = Rehearsal(PLAN)
    perturb(rehearsal, narrow, "objective", allowance)
    assert rehearsal.row_time > 400 * MOST_STEPS
    rehearsal.check_time()
    some = Rehearsal(replace(PLAN, rows=52))
    perturb(some, narrow, "objective", allowance)
    with pytest.raises(OperationError, match="time would tell"):
        some.check_time()
    with pytest.raises(OperationError, match="and the plan has 2"):
        perturb(rehearsal, CLASSES, "objective", allowance)
    with pytest.raises(OperationError, match="time would tell"):
        perturb(Rehearsal(replace(PLAN, rows=500)), narrow, "objective", allowance)
    for rho, said in ((Fraction(1, 10**30), "more"), (Fraction(10) ** 19, "less")):
        with pytest.raises(ParameterError, match=f"{said} noise than can be drawn"):
            perturb(Rehearsal(PLAN), narrow, "objective", GaussianAllowance(rho))


def test_methods_are_named() -> None:
    assert find_linear_learner(find_kind("svc"), "output") == MinimumLearner(find_kind("svc"), "output")
    with pytest.raises(ParameterError, match="method must be one of descent, output, objective"):
        find_linear_learner(find_kind("svc"), "newton")
