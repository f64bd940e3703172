"""Residuals: bounded, functions of whole numbers, and near the textbook's."""

import pickle

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    SCORE_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)

KINDS: list[Residual] = [
    LogisticResidual(),
    SoftmaxResidual(3),
    SquaredResidual(2 * RESIDUAL_STEPS),
    PoissonResidual(3 * RESIDUAL_STEPS),
    HingeResidual(),
]


def test_a_residual_never_exceeds_what_it_declares() -> None:
    scores = np.concatenate([[0.0], np.logspace(0, 15.9, 300).round(), -np.logspace(0, 15.9, 300).round()])
    labels = np.array([0, 1, 2, -1, 2**62, -(2**62), 2**50, 5 * RESIDUAL_STEPS])
    for residual in KINDS:
        for label in labels:
            lines = np.tile(scores[:, None], (1, residual.outputs))
            lines[:, 0] = scores[::-1]
            found = residual.find(lines, np.full(len(scores), label))
            assert np.abs(found).max() <= residual.most
            assert int((found * found).sum(axis=1).max()) <= residual.longest**2


def find_one(residual: Residual, score: float, label: int) -> float:
    """Return the residual of one row with one score."""
    found = residual.find(np.array([[np.rint(score * SCORE_STEPS)]]), np.array([label]))
    return float(found[0, 0]) / RESIDUAL_STEPS


@pytest.mark.parametrize("score", [-20.0, -3.0, -0.5, 0.0, 0.7, 2.0, 20.0])
def test_residuals_are_the_slopes_of_their_losses(score: float) -> None:
    near = 2**-9
    for label in (0, 1):
        assert find_one(LogisticResidual(), score, label) == pytest.approx(1 / (1 + np.exp(-score)) - label, abs=near)
        sign = 2 * label - 1
        hinge = -sign * min(max(1 - sign * score, 0.0), 1.0)
        assert find_one(HingeResidual(), score, label) == pytest.approx(hinge, abs=near)
    half = RESIDUAL_STEPS // 2
    assert find_one(SquaredResidual(4 * RESIDUAL_STEPS), score, half) == pytest.approx(
        np.clip(score - 0.5, -4, 4), abs=near
    )
    poisson = np.clip(np.exp(min(score, 16.0)) - 0.5, -4, 4)
    assert find_one(PoissonResidual(4 * RESIDUAL_STEPS), score, half) == pytest.approx(poisson, abs=2**-8)


def test_softmax_is_the_textbook_s_and_two_classes_are_logistic() -> None:
    scores = np.array([[1.0, -0.5, 0.25], [30.0, 0.0, -30.0], [2.0, 2.0, 2.0]])
    found = SoftmaxResidual(3).find(np.rint(scores * SCORE_STEPS), np.array([0, 1, 2])) / RESIDUAL_STEPS
    expected = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True) - np.eye(3)
    assert np.abs(found - expected).max() < 2**-9
    two = SoftmaxResidual(2).find(np.rint(np.array([[0.0, 0.7]]) * SCORE_STEPS), np.array([1]))
    assert two[0, 1] / RESIDUAL_STEPS == pytest.approx(find_one(LogisticResidual(), 0.7, 1), abs=2**-9)


@pytest.mark.parametrize("kind", [SquaredResidual, PoissonResidual])
def test_thresholds_that_sums_could_not_hold_are_refused(kind: type[SquaredResidual]) -> None:
    for threshold in (0, 17 * RESIDUAL_STEPS):
        with pytest.raises(ParameterError, match="threshold"):
            kind(threshold)


def test_a_residual_takes_its_table_along_to_another_process() -> None:
    """Another machine's `exp` could differ in its last place, and one person's residual with where it is computed."""
    for residual in (LogisticResidual(), SoftmaxResidual(3), PoissonResidual(RESIDUAL_STEPS)):
        assert "_table" not in vars(residual)
        sent = pickle.loads(pickle.dumps(residual))
        assert vars(sent)["_table"].tolist() == residual._table.tolist()
        vars(residual)["_table"] = residual._table + 1
        assert pickle.loads(pickle.dumps(residual))._table.tolist() == residual._table.tolist()
        assert sent == residual
    for plain in (SquaredResidual(RESIDUAL_STEPS), HingeResidual()):
        assert pickle.loads(pickle.dumps(plain)) == plain
