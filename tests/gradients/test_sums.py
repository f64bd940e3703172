"""Sums of gradients: exact whole numbers, of which one unit's share is bounded and changed by nobody else."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError, ParameterError
from discreet.gradients import sums
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    Residual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.sums import (
    GRADIENT_STEPS,
    LinearGradients,
    clip_residuals,
    find_scores,
    hold_weights,
    sum_gradients,
)

ENCODING = Encoding(
    (NumberFeature(0, -10, 10), PlaceFeature(1, 4), NumberFeature(2, 0, 1000, centred=False), PlaceFeature(3, 3)),
    LabelColumn(4, -2, 5, -2, 5),
)
KINDS: list[Residual] = [
    LogisticResidual(),
    SoftmaxResidual(3),
    SquaredResidual(2 * RESIDUAL_STEPS),
    PoissonResidual(3 * RESIDUAL_STEPS),
    HingeResidual(),
]
CLIPS = [FEATURE_STEPS, 2**20, GRADIENT_STEPS, 2**35]
EXTREMES = [-(2**62), -1, 0, 1, 2, 7, 999, 2**40, 2**62]


def draw_points(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Return points of which some lie far outside all bounds."""
    usual = rng.integers([-12, -1, -5, 0, -1], [13, 5, 1005, 4, 4], size=(rows, 5))
    wild = rng.choice(EXTREMES, size=usual.shape)
    return np.where(rng.random(usual.shape) < 0.1, wild, usual)


def draw_units(rng: np.random.Generator, units: int, most: int) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(rng.integers(1, most + 1, size=units))]).astype(np.int64)


def expand(encoding: Encoding, line: list[int]) -> list[int]:
    """Return one row's features one by one, from the definition, in Python's integers."""
    found = []
    for each in encoding.features:
        point = line[each.column]
        if isinstance(each, PlaceFeature):
            place = min(max(point - each.first, 0), each.size - 1)
            found += [FEATURE_STEPS * (place == at) for at in range(each.size)]
            continue
        held = min(max(point, each.lower), each.upper)
        if each.centred:
            doubled = 2 * held - each.lower - each.upper
            size = abs(doubled) * FEATURE_STEPS // (each.upper - each.lower)
            found.append(size if doubled >= 0 else -size)
        else:
            found.append((held - each.lower) * FEATURE_STEPS // (each.upper - each.lower))
    return [*found, FEATURE_STEPS]


@pytest.mark.parametrize("residual", KINDS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("most", [1, 4])
def test_a_sum_is_the_one_of_the_definition_in_python_integers(residual: Residual, most: int) -> None:
    rng = np.random.default_rng(5)
    offsets = draw_units(rng, 60, most)
    points = draw_points(rng, int(offsets[-1]))
    gradients = LinearGradients(ENCODING, residual, GRADIENT_STEPS)
    weights = hold_weights(rng.normal(size=gradients.shape))
    rows = ENCODING.encode(points)

    expected = np.zeros(gradients.shape, dtype=object)
    features = [expand(ENCODING, line) for line in points.tolist()]
    for first, last in pairwise(offsets.tolist()):
        scores = [
            [
                sum(x * int(w) for x, w in zip(features[row], weights[:, output], strict=True))
                for output in range(weights.shape[1])
            ]
            for row in range(first, last)
        ]
        found = residual.find(np.array(scores, dtype=np.float64), rows.labels[first:last])
        kept = clip_residuals(found, rows.lengths[first:last], np.array([0, last - first]), gradients.clip)
        for row in range(first, last):
            for output in range(weights.shape[1]):
                for at, x in enumerate(features[row]):
                    expected[at, output] += x * int(kept[row - first, output])

    assert sum_gradients(gradients, rows, offsets, weights) == expected.ravel().tolist()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(KINDS),
    clip=st.sampled_from([FEATURE_STEPS, 2**20, GRADIENT_STEPS, 2**35]),
)
def test_removing_a_unit_moves_the_sum_by_its_own_gradient_and_at_most_the_clip(
    seed: int, kind: Residual, clip: int
) -> None:
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 20, int(rng.choice([1, 5])))
    points = draw_points(rng, int(offsets[-1]))
    gradients = LinearGradients(ENCODING, kind, clip)
    weights = hold_weights(rng.normal(size=gradients.shape) * 10.0 ** rng.integers(-3, 7))
    whole = sum_gradients(gradients, ENCODING.encode(points), offsets, weights)

    unit = int(rng.integers(20))
    first, last = int(offsets[unit]), int(offsets[unit + 1])
    others = np.delete(points, slice(first, last), axis=0)
    counts = np.delete(np.diff(offsets), unit)
    left = sum_gradients(gradients, ENCODING.encode(others), np.concatenate([[0], np.cumsum(counts)]), weights)
    alone = sum_gradients(gradients, ENCODING.encode(points[first:last]), np.array([0, last - first]), weights)

    assert [a - b for a, b in zip(whole, left, strict=True)] == alone
    assert sum(each * each for each in alone) <= clip**2


def test_blocks_do_not_matter() -> None:
    rng = np.random.default_rng(1)
    points = draw_points(rng, 40_000)
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    weights = hold_weights(rng.normal(size=gradients.shape))
    whole = sum_gradients(gradients, ENCODING.encode(points), np.arange(40_001), weights)
    parts = [
        sum_gradients(gradients, ENCODING.encode(points[at : at + 1_000]), np.arange(1_001), weights)
        for at in range(0, 40_000, 1_000)
    ]
    assert whole == [sum(each) for each in zip(*parts, strict=True)]
    order = rng.permutation(40_000)
    assert whole == sum_gradients(gradients, ENCODING.encode(points[order]), np.arange(40_001), weights)


@pytest.mark.parametrize("kind", [LogisticResidual(), SoftmaxResidual(3)])
def test_units_of_one_row_are_summed_the_same_way_unless_all_must_be(
    kind: Residual, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were the quick way chosen by the rows, one person with two of them would make every step longer."""
    rng = np.random.default_rng(3)
    rows, offsets = ENCODING.encode(draw_points(rng, 300)), np.arange(301)
    gradients = LinearGradients(ENCODING, kind, 2**20)
    weights = hold_weights(rng.normal(size=gradients.shape))
    shared, plain = [0], sums._share_out

    def share_out(*given: Any) -> Any:
        shared[0] += 1
        return plain(*given)

    monkeypatch.setattr(sums, "_share_out", share_out)
    usual = sum_gradients(gradients, rows, offsets, weights)
    assert shared[0] == 1
    assert sum_gradients(gradients, rows, offsets, weights, single=True) == usual
    assert shared[0] == 1


def test_without_cutting_a_logistic_gradient_is_the_textbook_one() -> None:
    rng = np.random.default_rng(2)
    points = rng.integers([-10, 0, 0, 0, 0], [11, 4, 1001, 3, 2], size=(500, 5))
    gradients = LinearGradients(ENCODING, LogisticResidual(), 2**40)
    real = rng.normal(size=gradients.shape)
    rows = ENCODING.encode(points)
    found = np.array(sum_gradients(gradients, rows, np.arange(501), hold_weights(real))) / GRADIENT_STEPS
    features = np.array([expand(ENCODING, line) for line in points.tolist()]) / FEATURE_STEPS
    predicted = 1 / (1 + np.exp(-features @ real[:, 0]))
    assert np.abs(found - features.T @ (predicted - points[:, 4])).max() < 500 * 2**-11


def test_no_rows_have_a_sum_of_zero() -> None:
    gradients = LinearGradients(ENCODING, SoftmaxResidual(3), GRADIENT_STEPS)
    empty = ENCODING.encode(np.zeros((0, 5), dtype=np.int64))
    assert (
        sum_gradients(gradients, empty, np.array([0]), hold_weights(np.ones(gradients.shape)))
        == [0] * gradients.entries
    )


def test_scores_are_exact_at_the_largest_weights_that_are_held() -> None:
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    weights = hold_weights(np.full(gradients.shape, math.inf))
    gradients.check_weights(weights)
    line = [10, 3, 1000, 2, 1]
    scores = find_scores(gradients, ENCODING.encode(np.array([line])), weights.astype(np.float64))
    assert int(scores[0, 0]) == sum(x * int(w) for x, w in zip(expand(ENCODING, line), weights[:, 0], strict=True))


def test_weights_that_would_round_are_refused() -> None:
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    rows = ENCODING.encode(np.zeros((1, 5), dtype=np.int64))
    for weights in (hold_weights(np.full(gradients.shape, math.inf)) * 2, np.ones((3, 1), dtype=np.int64)):
        with pytest.raises(OperationError, match="weights"):
            sum_gradients(gradients, rows, np.array([0, 1]), weights)


def test_labels_that_are_none_count_as_nothing() -> None:
    for residual in (LogisticResidual(), SoftmaxResidual(3), HingeResidual()):
        gradients = LinearGradients(ENCODING, residual, GRADIENT_STEPS)
        rows = ENCODING.encode(np.array([[0, 0, 0, 0, -1], [0, 0, 0, 0, 3], [0, 0, 0, 0, 2**62]]))
        weights = hold_weights(np.ones(gradients.shape))
        assert sum_gradients(gradients, rows, np.arange(4), weights) == [0] * gradients.entries


def test_clips_that_cannot_be_are_refused() -> None:
    with pytest.raises(ParameterError):
        LinearGradients(ENCODING, LogisticResidual(), 1)


def test_a_unit_that_is_too_long_after_all_counts_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second line of defence: here the first one, which cuts, is taken away."""
    residuals, lengths = np.array([[30_000], [30_000], [5]]), np.array([9_000, 9_000, 9_000])
    monkeypatch.setattr(sums, "_share_out", lambda sizes, *_: sizes)
    kept = clip_residuals(residuals, lengths, np.array([0, 2, 3]), 2**25)
    assert kept[:, 0].tolist() == [0, 0, 5]
