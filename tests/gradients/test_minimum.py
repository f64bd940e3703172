"""Minima: within a proven distance of the truth for all rows, and moved by one unit no farther than is said."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain

from discreet.base.errors import OperationError
from discreet.base.wide import Ints
from discreet.gradients import minimum
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.minimum import (
    MOST_STEPS,
    bound_move,
    count_steps,
    find_gradient,
    find_minimum,
    find_tolerance,
    score_push,
)
from discreet.gradients.objective import EASE, LinearObjective
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from support.encoded import EXTREMES, draw_points, draw_units, remove_unit
from support.objectives import find_true_gradient, minimise_by_newton

ENCODING = Encoding(
    (NumberFeature(0, -10, 10), PlaceFeature(1, 4), NumberFeature(2, 0, 1000, centred=False)),
    LabelColumn(4, -2, 5, -2, 5),
)
LOSSES: list[Residual] = [LogisticResidual(), HingeResidual(), SquaredResidual(RESIDUAL_STEPS // 4), SoftmaxResidual(3)]
NONE = np.zeros(1, dtype=np.int64)


def make(residual: Residual, ridge: float = 4.0, units: int = 30, clip: int = 2 * GRADIENT_STEPS) -> LinearObjective:
    encoding = ENCODING
    if isinstance(residual, SquaredResidual):
        encoding = replace(ENCODING, label=LabelColumn(4, -2, 5, -RESIDUAL_STEPS, RESIDUAL_STEPS))
    slope = residual.longest if residual.outputs > 1 else residual.longest * 2 // 3
    return LinearObjective(LinearGradients(encoding, residual, clip), slope, ridge, units)


def solve(objective: LinearObjective, points: Ints, offsets: Ints, push: list[int] | None = None) -> list[int]:
    return find_minimum(objective, objective.gradients.encoding.encode(points), offsets, push)


def bound_distance(objective: LinearObjective, points: Ints, offsets: Ints, found: list[int]) -> float:
    """Return a proven bound on how far what was found is from the true minimum: its gradient over the ridge."""
    weights = [Fraction(each, objective.steps) for each in found]
    return find_true_gradient(objective, points, offsets, weights) / objective.ridge


TABLES: dict[str, tuple[Ints, Ints]] = {
    "nothing": (np.zeros((0, 5), dtype=np.int64), NONE),
    "one row": (np.array([[3, 1, 400, 0, 1]]), np.array([0, 1])),
    "the same row": (np.array([[10, 3, 1000, 0, 1]] * 40), np.arange(41)),
    "separable": (np.array([[-10, 0, 0, 0, 0], [10, 0, 0, 0, 1]] * 10), np.arange(21)),
    "against each other": (np.array([[10, 0, 0, 0, 0], [10, 0, 0, 0, 1]] * 10), np.arange(0, 21, 2)),
    "unknown labels": (np.array([[1, 1, 1, 0, -2]] * 5), np.arange(6)),
    "far outside": (np.array([EXTREMES[place : place + 5] for place in range(5)]), np.array([0, 2, 5])),
    "many for one": (draw_points(np.random.default_rng(1), 30), np.array([0, 29, 30])),
    "more units than expected": (draw_points(np.random.default_rng(2), 400), np.arange(401)),
}


@pytest.mark.many
@pytest.mark.parametrize("residual", LOSSES, ids=repr)
@pytest.mark.parametrize("name", TABLES)
def test_what_is_found_is_within_the_tolerance_of_the_true_minimum(residual: Residual, name: str) -> None:
    objective = make(residual)
    points, offsets = TABLES[name]
    found = solve(objective, points, offsets)
    off = float(find_tolerance(objective)) + objective.gradients.entries**0.5 / 2 / objective.steps
    # A gradient grows by at most the smoothness for each step away, and bounds the distance only by the ridge: so it is
    # compared with what Newton's method finds, whose own gradient is all but nothing.
    if residual.outputs == 1:
        exact = minimise_by_newton(objective, points, offsets)
        near = find_true_gradient(objective, points, offsets, [Fraction(each) for each in exact]) / objective.ridge
        assert near < 1e-9
        assert np.linalg.norm(np.array(found) / objective.steps - exact) <= off + near
    else:
        assert bound_distance(objective, points, offsets, found) <= objective.smoothness / objective.ridge * off


@pytest.mark.parametrize("residual", LOSSES, ids=repr)
def test_more_bits_come_nearer_as_they_say(residual: Residual) -> None:
    objective = replace(make(residual), bits=30)
    for name in ("one row", "separable", "many for one"):
        points, offsets = TABLES[name]
        found = solve(objective, points, offsets)
        rounding = objective.gradients.entries**0.5 / 2 / objective.steps
        allowed = float(find_tolerance(objective)) + rounding
        assert bound_distance(objective, points, offsets, found) <= allowed * objective.smoothness / objective.ridge
    assert find_tolerance(objective) < find_tolerance(make(residual)) / 2**15


@pytest.mark.parametrize("residual", LOSSES, ids=repr)
def test_a_float_gradient_is_off_by_no_more_than_the_proof_says(residual: Residual) -> None:
    """At points as far as the solver can come: a gradient in balls, computed from the definition."""
    rng = np.random.default_rng(3)
    objective = make(residual, ridge=0.5, units=400)
    points, offsets = TABLES["more units than expected"]
    rows = objective.gradients.encoding.encode(points)
    shares = objective.weigh_rows(rows, offsets)
    for scale in (0.01, 1.0, 4 * float(objective.reach) / objective.gradients.entries**0.5):
        at = rng.normal(size=objective.gradients.shape) * scale
        found = find_gradient(objective, rows, shares, np.zeros((0, 1)), at)
        less = [-round(Fraction(each) * 2**80) for each in found.ravel().tolist()]
        off = find_true_gradient_less(objective, points, offsets, at, less)
        assert off <= bound_gradient_error(objective)


def find_true_gradient_less(objective: LinearObjective, points: Ints, offsets: Ints, at: Any, less: list[int]) -> float:
    """Return how far the true gradient is from one that was found, in parts of 2^-80."""
    weights = [Fraction(each) for each in at.ravel().tolist()]
    shift: Any = [Fraction(each * GRADIENT_STEPS, 2**80) for each in less]
    return find_true_gradient(objective, points, offsets, weights, shift)


def bound_gradient_error(objective: LinearObjective) -> float:
    """Return e of the proof, from its words."""
    unit = 2.0**-53
    pull, reach = float(objective.mass * objective.longest), float(objective.reach)
    slope = objective.slope / RESIDUAL_STEPS
    width = objective.gradients.encoding.width
    return pull * ((2**14 + 16) * unit + 2.0**-42 / slope + 2.0**-48) + (width + 8) * unit * 4 * reach * (
        objective.smoothness - objective.ridge
    ) * (1 + 1e-9)


@pytest.mark.parametrize("residual", LOSSES[:3], ids=repr)
@pytest.mark.parametrize("most", [1, 4])
def test_exact_minima_of_neighbours_are_no_farther_apart_than_is_said(residual: Residual, most: int) -> None:
    rng = np.random.default_rng(17)
    for units in (30, 60, 4):  # as many as expected, more, and fewer
        objective = make(residual, ridge=float(rng.choice([0.5, 4.0, 30.0])))
        offsets = draw_units(rng, units, most)
        points = draw_points(rng, int(offsets[-1]))
        whole = minimise_by_newton(objective, points, offsets)
        for unit in range(0, units, max(1, units // 6)):
            left, others, _ = remove_unit(points, offsets, unit)
            gone = minimise_by_newton(objective, left, others)
            swapped = points.copy()
            swapped[offsets[unit] : offsets[unit + 1]] = draw_points(rng, int(offsets[unit + 1] - offsets[unit]))
            other = minimise_by_newton(objective, swapped, offsets)
            moved = float(objective.longest) / objective.ridge
            assert np.linalg.norm(whole - gone) <= float(1 + EASE) * moved + 1e-9
            assert np.linalg.norm(whole - other) <= 2 * moved + 1e-9


@pytest.mark.parametrize("residual", LOSSES, ids=repr)
def test_found_minima_of_neighbours_are_no_farther_apart_than_is_said(residual: Residual) -> None:
    rng = np.random.default_rng(18)
    objective = make(residual)
    offsets = draw_units(rng, 30, 3)
    points = draw_points(rng, int(offsets[-1]))
    whole = np.array(solve(objective, points, offsets))
    for unit in (0, 7, 29):
        left, others, _ = remove_unit(points, offsets, unit)
        gone = np.array(solve(objective, left, others))
        assert np.linalg.norm(whole - gone) <= bound_move(objective, (1 + EASE) * objective.longest)


def test_the_worst_unit_all_but_moves_the_minimum_as_far_as_is_said() -> None:
    """A flat table, and one unit whose slope is cut all the way: the bound is attained, so it is not slack."""
    encoding = Encoding((NumberFeature(0, -1, 1),), LabelColumn(1, 0, 1, -RESIDUAL_STEPS, RESIDUAL_STEPS))
    slope = RESIDUAL_STEPS // 100
    gradients = LinearGradients(encoding, SquaredResidual(RESIDUAL_STEPS), encoding.longest * slope)
    objective = LinearObjective(gradients, slope, 8.0, 1)
    up, down = (np.array(solve(objective, np.array([[1, label]]), np.array([0, 1]))) for label in (1, 0))
    none = np.array(solve(objective, np.zeros((0, 2), dtype=np.int64), NONE))
    moved = float(objective.longest) / objective.ridge * objective.steps
    assert np.linalg.norm(up - none) == pytest.approx(moved, rel=1e-2)
    assert np.linalg.norm(up - down) == pytest.approx(2 * moved, rel=1e-2)
    assert np.linalg.norm(up - down) <= bound_move(objective, 2 * objective.longest)


def test_a_bound_holds_the_tolerance_of_both_and_the_rounding_of_both() -> None:
    objective = make(LogisticResidual())
    steps, ridge = objective.steps, Fraction(objective.ridge)
    least = steps * (objective.longest / ridge + 2 * find_tolerance(objective)) + Fraction(
        math.sqrt(objective.gradients.entries)
    )
    assert least <= bound_move(objective, objective.longest) <= least + 2
    assert bound_move(objective, Fraction(0), Fraction(3)) >= 6 * steps
    assert find_tolerance(objective) > 0


def test_the_steps_are_the_same_whatever_the_rows_are(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    plain = minimum.find_gradient

    def count(*given: Any) -> Any:
        taken[-1] += 1
        return plain(*given)

    monkeypatch.setattr(minimum, "find_gradient", count)
    objective = make(LogisticResidual())
    for points, offsets in TABLES.values():
        taken.append(0)
        solve(objective, points, offsets)
    assert set(taken) == {count_steps(objective)}


def test_without_noise_it_is_scikit_learn_s_minimum() -> None:
    rng = np.random.default_rng(5)
    encoding = Encoding((NumberFeature(0, -64, 64), NumberFeature(1, -64, 64)), LabelColumn(2, 0, 1, 0, 1))
    points = rng.integers(-64, 65, (500, 2))
    labels = (rng.random(500) < 1 / (1 + np.exp(-points @ np.array([0.05, -0.02])))).astype(np.int64)
    gradients = LinearGradients(encoding, LogisticResidual(), encoding.longest * RESIDUAL_STEPS)
    objective = LinearObjective(gradients, RESIDUAL_STEPS, 0.75, 500, bits=30)
    found = np.array(solve(objective, np.column_stack([points, labels]), np.arange(501))) / objective.steps
    features = np.column_stack([points / 64, np.ones(500)])
    plain = Plain(C=1 / 0.75, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(features, labels)
    assert np.abs(found - plain.coef_[0]).max() < 1e-5


@pytest.mark.parametrize("residual", LOSSES[:3], ids=repr)
@pytest.mark.parametrize("bits", [0, 20, 30, 70, 1200])
def test_no_size_of_a_push_spoils_the_accuracy(residual: Residual, bits: int) -> None:
    rng = np.random.default_rng(6)
    objective = make(residual)
    points, offsets = TABLES["many for one"]
    push = [int(each) << bits for each in rng.integers(-9, 10, objective.gradients.entries)]
    found = solve(objective, points, offsets, push)
    off = float(find_tolerance(objective)) + objective.gradients.entries**0.5 / 2 / objective.steps
    weights = [Fraction(each, objective.steps) for each in found]
    gradient = find_true_gradient(objective, points, offsets, weights, push, bits=1500)
    assert gradient <= objective.smoothness * off


def test_scores_of_a_push_are_exact_however_large() -> None:
    objective = make(LogisticResidual())
    rows = ENCODING.encode(TABLES["many for one"][0])
    push = [(-1) ** each * 3**each for each in range(objective.gradients.entries)]
    small = score_push(objective, rows, push)
    large = score_push(objective, rows, [each << 60 for each in push])
    assert (large == small * 2.0**60).all()


def test_a_push_of_several_scores_is_refused() -> None:
    objective = make(SoftmaxResidual(3))
    with pytest.raises(OperationError, match="one score"):
        solve(objective, *TABLES["one row"], [0] * objective.gradients.entries)


def test_too_many_steps_are_refused_by_public_facts() -> None:
    objective = make(LogisticResidual(), ridge=1e-4, units=10**6)
    assert count_steps(objective) > MOST_STEPS
    with pytest.raises(OperationError, match="raise the ridge"):
        find_tolerance(objective)


def test_the_largest_tables_have_a_tolerance() -> None:
    objective = make(LogisticResidual(), ridge=1e10, units=1 << 40)
    assert 0 < find_tolerance(objective) < objective.reach / 100
