"""Errors of predictions: exact whole numbers, of which each unit adds at most one, and nobody else's changes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError
from discreet.gradients.encoding import Encoding, LabelColumn
from discreet.gradients.errors import ERROR_STEPS, PredictionErrors
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    WEIGHT_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from support.encoded import ENCODING as SCALED
from support.encoded import draw_points, draw_units, expand_features, remove_unit

ENCODING = Encoding(SCALED.features, LabelColumn(4, -2, 5, -2, 5))
KINDS: list[Residual] = [
    LogisticResidual(),
    SoftmaxResidual(3),
    SquaredResidual(16 * RESIDUAL_STEPS),
    PoissonResidual(3 * RESIDUAL_STEPS),
    HingeResidual(),
]
each_kind = pytest.mark.parametrize("residual", KINDS, ids=lambda each: type(each).__name__)


def make_errors(residual: Residual, seed: int = 3) -> PredictionErrors:
    gradients = LinearGradients(ENCODING, residual, GRADIENT_STEPS)
    weights = np.random.default_rng(seed).integers(-2 * WEIGHT_STEPS, 2 * WEIGHT_STEPS, size=gradients.shape)
    return PredictionErrors(gradients, weights.tolist())


def add_up(errors: PredictionErrors, points: np.ndarray, offsets: np.ndarray) -> int:
    (found,) = errors.sum(ENCODING.encode(points), offsets)
    return found


@each_kind
@pytest.mark.parametrize("most", [1, 4])
def test_a_sum_is_the_one_of_the_definition_in_python_integers(residual: Residual, most: int) -> None:
    rng = np.random.default_rng(5)
    offsets = draw_units(rng, 60, most)
    points, errors = draw_points(rng, int(offsets[-1])), make_errors(residual)
    rows = []
    for line in points.tolist():
        features, label = expand_features(ENCODING, line), min(max(line[4], -2), 5)
        scores = [
            sum(x * w[at] for x, w in zip(features, errors.weights, strict=True)) for at in range(residual.outputs)
        ]
        found = residual.find(np.array([scores], dtype=np.float64), np.array([label]))[0].tolist()
        rows.append(min(sum(each**2 for each in found), residual.longest**2) * ERROR_STEPS // residual.longest**2)
    units = [sum(rows[first:last]) // (last - first) for first, last in pairwise(offsets.tolist())]
    assert add_up(errors, points, offsets) == sum(units)
    assert 0 < sum(units) < len(units) * ERROR_STEPS


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), residual=st.sampled_from(KINDS))
def test_removing_a_unit_moves_the_sum_by_its_own_error_which_is_at_most_one(seed: int, residual: Residual) -> None:
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 20, int(rng.choice([1, 5])))
    points, errors = draw_points(rng, int(offsets[-1])), make_errors(residual, seed)
    others, left, own = remove_unit(points, offsets, int(rng.integers(20)))
    moved = add_up(errors, points, offsets) - add_up(errors, others, left)
    assert moved == add_up(errors, own, np.array([0, len(own)]))
    assert 0 <= moved <= ERROR_STEPS


def test_a_sure_prediction_has_no_error_if_it_is_right_and_all_of_it_if_wrong() -> None:
    errors = PredictionErrors(
        LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS), ((0,),) * 9 + ((30 * WEIGHT_STEPS,),)
    )
    for label, expected in ((1, 0.0), (0, 1.0), (2, 0.0), (-1, 0.0)):
        points = np.array([[0, 0, 0, 0, label]])
        assert add_up(errors, points, np.array([0, 1])) / ERROR_STEPS == pytest.approx(expected, abs=1e-4)


def test_of_nobody_there_is_no_error_and_many_blocks_are_one() -> None:
    errors, rng = make_errors(LogisticResidual()), np.random.default_rng(1)
    assert add_up(errors, np.empty((0, 5), dtype=np.int64), np.array([0])) == 0
    points = draw_points(rng, 40_000)
    parts = [add_up(errors, points[at : at + 1000], np.arange(1001)) for at in range(0, 40_000, 1000)]
    assert add_up(errors, points, np.arange(40_001)) == sum(parts)


def test_weights_of_another_shape_or_too_large_are_refused() -> None:
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    for weights in (((0,),) * 9, ((0, 0),) * 10, ((2**45,),) * 10):
        with pytest.raises(OperationError, match="weights are"):
            PredictionErrors(gradients, weights)
    with pytest.raises(OperationError, match="errors are of LinearGradients"):
        PredictionErrors("logistic", ((0,),))  # type: ignore[arg-type]
