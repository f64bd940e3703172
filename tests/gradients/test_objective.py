"""Objectives: a unit's share is bounded, convex and its own, and more units than expected change little."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError, ParameterError
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature
from discreet.gradients.objective import EASE, LinearObjective
from discreet.gradients.residuals import (
    RESIDUAL_STEPS,
    HingeResidual,
    LogisticResidual,
    PoissonResidual,
    SoftmaxResidual,
    SquaredResidual,
)
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from support.encoded import ENCODING, draw_points, draw_units, remove_unit

GRADIENTS = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)


def make(units: int = 100, clip: int = GRADIENT_STEPS, slope: int = RESIDUAL_STEPS) -> LinearObjective:
    return LinearObjective(LinearGradients(ENCODING, LogisticResidual(), clip), slope, 2.0, units)


@given(units=st.integers(1, 3000), more=st.integers(1, 40_000))
def test_a_unit_that_leaves_moves_the_weighted_sum_by_little_more_than_itself(units: int, more: int) -> None:
    objective = make(units)
    here, before = objective.weigh(more), objective.weigh(more - 1)
    assert here + (before - here) * (more - 1) <= 1 + EASE
    assert here <= before
    assert more * here <= objective.mass
    assert (before - here) / here <= 4 * EASE / units


def test_as_many_units_as_expected_have_their_whole_weight() -> None:
    assert [make(50).weigh(each) for each in (0, 1, 49, 50)] == [1, 1, 1, 1]
    assert make(50).weigh(100) == 1 - EASE


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    clip=st.sampled_from([FEATURE_STEPS, 2**20, GRADIENT_STEPS, 2**35]),
    slope=st.sampled_from([1, 1000, RESIDUAL_STEPS // 3, RESIDUAL_STEPS]),
)
def test_no_unit_s_gradient_can_be_longer_than_the_clip(seed: int, clip: int, slope: int) -> None:
    """Whatever the weights are: slopes of at most R, times lengths, times the unit's share."""
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 20, int(rng.choice([1, 5])))
    rows = ENCODING.encode(draw_points(rng, int(offsets[-1])))
    objective = make(20, clip, slope)
    shares = objective.weigh_rows(rows, offsets)
    for first, last in pairwise(offsets.tolist()):
        assert len(set(shares[first:last].tolist())) == 1
        total = sum(rows.lengths[first:last].tolist())
        assert Fraction(shares[first]) * slope * total <= clip
        assert Fraction(shares[first]) * total >= min(total, clip // slope) * (1 - Fraction(1, 1 << 50))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_unit_s_share_is_changed_by_nobody_else(seed: int) -> None:
    rng = np.random.default_rng(seed)
    offsets = draw_units(rng, 12, 4)
    points, unit = draw_points(rng, int(offsets[-1])), int(rng.integers(12))
    objective = make(12, GRADIENT_STEPS // 2)
    whole = objective.weigh_rows(ENCODING.encode(points), offsets)
    left, others, _ = remove_unit(points, offsets, unit)
    expected = np.delete(whole, slice(int(offsets[unit]), int(offsets[unit + 1])))
    assert objective.weigh_rows(ENCODING.encode(left), others).tolist() == expected.tolist()


def test_curvature_and_smoothness_bound_second_derivatives() -> None:
    """Huber's loss within its threshold has the largest: its second derivatives are the sum of x x'."""
    encoding = Encoding((NumberFeature(0, -4, 4), NumberFeature(1, -4, 4)), LabelColumn(2, 0, 1, 0, 1))
    points = np.array([[4, 4, 0]] * 30)
    rows, offsets = encoding.encode(points), np.arange(0, 31, 3)
    objective = LinearObjective(
        LinearGradients(encoding, SquaredResidual(RESIDUAL_STEPS), encoding.longest * RESIDUAL_STEPS * 2),
        RESIDUAL_STEPS,
        2.0,
        10,
    )
    features = np.column_stack([rows.numbers / FEATURE_STEPS, np.ones(30)])
    shares = objective.weigh_rows(rows, offsets)
    second = (features * shares[:, None]).T @ features
    assert np.trace(second) / 10 <= float(objective.curvature) * (1 + 1e-9)
    assert np.trace(second) / 10 >= float(objective.curvature) * 0.999
    assert np.linalg.eigvalsh(second).max() + objective.ridge <= objective.smoothness


def test_steps_are_fine_beside_what_a_unit_moves() -> None:
    for ridge in (2.0**-30, 0.1, 3.0, 1e6, 2.0**50):
        for clip in (FEATURE_STEPS, GRADIENT_STEPS, 2**42):
            objective = LinearObjective(LinearGradients(ENCODING, LogisticResidual(), clip), RESIDUAL_STEPS, ridge, 9)
            moved = objective.longest / Fraction(ridge) * objective.steps
            assert moved >= 2**14
            assert moved <= 2**18 or objective.steps == 1


def test_what_is_no_convex_smooth_bounded_objective_is_refused() -> None:
    class Other(LinearGradients):
        pass

    refused = [
        (Other(ENCODING, LogisticResidual(), GRADIENT_STEPS), RESIDUAL_STEPS, 1.0, 1),
        (LinearGradients(ENCODING, PoissonResidual(RESIDUAL_STEPS), GRADIENT_STEPS), RESIDUAL_STEPS, 1.0, 1),
        (GRADIENTS, 0, 1.0, 1),
        (GRADIENTS, RESIDUAL_STEPS + 1, 1.0, 1),
        (GRADIENTS, RESIDUAL_STEPS, 0.0, 1),
        (GRADIENTS, RESIDUAL_STEPS, float("nan"), 1),
        (GRADIENTS, RESIDUAL_STEPS, float("inf"), 1),
        (GRADIENTS, RESIDUAL_STEPS, 1.0, 0),
        (GRADIENTS, RESIDUAL_STEPS, 1.0, 1 << 41),
        (LinearGradients(ENCODING, SoftmaxResidual(3), GRADIENT_STEPS), RESIDUAL_STEPS, 1.0, 1),
    ]
    for each in refused:
        with pytest.raises((OperationError, ParameterError)):
            LinearObjective(*each)
    assert LinearObjective(LinearGradients(ENCODING, HingeResidual(), GRADIENT_STEPS), 5, 1, 1).ridge == 1.0
