"""Slopes of losses: near those of convex functions, by a public number, whatever the scores are."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.errors import OperationError
from discreet.base.rounding import ball, precision, up
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature
from discreet.gradients.objective import LinearObjective
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.slopes import SLOPE_ERROR, find_curvature, find_slopes
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from support.objectives import BITS, find_true_slopes

LOSSES: list[Residual] = [
    LogisticResidual(),
    HingeResidual(),
    SquaredResidual(RESIDUAL_STEPS // 4),
    SquaredResidual(16 * RESIDUAL_STEPS),
    SoftmaxResidual(3),
]
ENCODING = Encoding((NumberFeature(0, 0, 1),), LabelColumn(1, 0, 1, 0, 1))
FAR = [0.0, -0.0, 1e-300, 1.0, -1.0, 39.999, 40.5, -45.0, 800.0, -800.0, 1e15, -1e15, 1e308, -1e308, np.inf, -np.inf]


def list_labels(residual: Residual) -> list[int]:
    return [-(1 << 20), -7, 0, 5, 1 << 20] if isinstance(residual, SquaredResidual) else [-1, 0, 1, 2, 9]


@pytest.mark.parametrize("residual", LOSSES, ids=repr)
def test_slopes_are_those_of_the_definition_to_the_error_that_is_said(residual: Residual) -> None:
    rng = np.random.default_rng(2)
    scores = np.concatenate([rng.normal(size=200) * 3, rng.normal(size=200) * 30, FAR[:-4]])
    scores = np.stack([np.roll(scores, place) for place in range(residual.outputs)], axis=1)
    objective = LinearObjective(LinearGradients(ENCODING, residual, GRADIENT_STEPS), residual.longest, 1.0, 1)
    with precision(BITS):
        for label in list_labels(residual):
            found = find_slopes(residual, scores, np.full(len(scores), label))
            for line, slopes in zip(scores.tolist(), found.tolist(), strict=True):
                truth = find_true_slopes(objective, [ball(each) for each in line], label)
                off = [up(abs(ball(one) - other)) for one, other in zip(slopes, truth, strict=True)]
                assert math.hypot(*off) <= SLOPE_ERROR


@pytest.mark.parametrize("residual", LOSSES[:-1], ids=repr)
def test_a_relative_error_of_a_score_moves_a_slope_by_less_than_its_error(residual: Residual) -> None:
    scores = np.concatenate([np.geomspace(1e-6, 1e6, 20_001), -np.geomspace(1e-6, 1e6, 20_001)])
    for label in list_labels(residual):
        here, near = (
            find_slopes(residual, (scores * factor)[:, None], np.full(len(scores), label))
            for factor in (1.0, 1 + 2.0**-20)
        )
        assert np.abs(here - near).max() <= SLOPE_ERROR / (8 * 2.0**-53) * 2.0**-20 / 2


@pytest.mark.parametrize("residual", LOSSES, ids=repr)
def test_no_slope_is_longer_than_its_bound_and_none_is_no_number(residual: Residual) -> None:
    finite = FAR[:-4] if residual.outputs > 1 else FAR
    scores = np.stack([np.roll(finite, place) for place in range(residual.outputs)], axis=1)
    for label in list_labels(residual):
        found = find_slopes(residual, scores, np.full(len(scores), label))
        assert np.isfinite(found).all()
        assert np.sqrt((found**2).sum(axis=1)).max() <= residual.longest / RESIDUAL_STEPS + SLOPE_ERROR


@pytest.mark.parametrize("residual", LOSSES[:-1], ids=repr)
def test_losses_are_convex_and_no_more_curved_than_they_say(residual: Residual) -> None:
    scores = np.linspace(-40, 40, 80_001)
    for label in list_labels(residual):
        slopes = find_slopes(residual, scores[:, None], np.full(len(scores), label))[:, 0]
        bends = np.diff(slopes) / np.diff(scores)
        assert bends.min() >= -1e-9
        assert bends.max() <= find_curvature(residual) + 1e-9


def test_several_classes_are_no_more_curved_than_they_say() -> None:
    rng = np.random.default_rng(3)
    worst = 0.0
    for _ in range(300):
        odds = rng.dirichlet(np.full(3, 0.3))
        worst = max(worst, float(np.linalg.eigvalsh(np.diag(odds) - np.outer(odds, odds)).max()))
    assert 0.45 < worst <= find_curvature(SoftmaxResidual(3))


def test_unknown_labels_have_no_slope() -> None:
    for residual in (LogisticResidual(), HingeResidual(), SoftmaxResidual(2)):
        for label in (-1, 2, 1 << 40):
            assert not find_slopes(residual, np.ones((3, residual.outputs)), np.full(3, label)).any()


def test_a_loss_without_a_smooth_convex_function_is_refused() -> None:
    with pytest.raises(OperationError, match="logistic, svc or huber"):
        find_curvature(PoissonResidual(RESIDUAL_STEPS))


def test_the_error_that_is_said_is_above_what_the_proof_adds_up() -> None:
    unit = Fraction(1, 1 << 53)
    relative, exponential, summed = 8 * unit * 49, Fraction(1, 1 << 46), 1024 * unit / (1 - 1024 * unit)
    assert relative + exponential + summed + 200 * unit <= Fraction(SLOPE_ERROR)
