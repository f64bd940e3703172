"""Bounds on compositions: each curve lies above the accountant's, and the least counts."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from discreet.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    OffsetZcdpLoss,
    PureLoss,
    RenyiLoss,
    SampledLoss,
    ZcdpLoss,
)
from discreet.privacy.losses.composed_bounds import (
    MovedCurve,
    RenyiCurve,
    SplitCurve,
    UpperCurve,
    add_up,
    find_closed_form,
    join_gaussians,
)


def test_a_huge_pure_loss_moves_the_curve_of_the_rest() -> None:
    """zCDP alone says 505,250."""
    assert (PureLoss(1000.0) + GaussianLoss(1.0)).epsilon(1e-6).high <= 1005
    many = PureLoss(700.0) * 2 + SampledLoss(GaussianLoss(1.0), 0.01) * 10
    assert many.epsilon(1e-6).high <= 1400 + (SampledLoss(GaussianLoss(1.0), 0.01) * 10).epsilon(1e-6).high * 1.01
    assert (PureLoss(1000.0) + GaussianLoss(1.0)).delta(1005.0).high <= 1e-6


def test_divergences_never_exceed_the_pure_epsilon() -> None:
    """The zCDP of a bounded range gave 125 at order 1000."""
    assert BoundedRangeLoss(1).renyi(1000) == 1
    assert (BoundedRangeLoss(1) * 3).renyi(1000) == 3


PARTS: tuple[tuple[Loss, int], ...] = ((LaplaceLoss(0.3), 4), (GaussianLoss(0.5), 1))


@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_each_curve_lies_above_the_truth(delta: float) -> None:
    truth = (LaplaceLoss(0.3) * 4 + GaussianLoss(0.5)).epsilon(delta).low
    curves: list[UpperCurve] = [
        RenyiCurve(PARTS, Fraction(0)),
        MovedCurve(GaussianLoss(0.5), Fraction(12, 10), Fraction(0)),
        SplitCurve(LaplaceLoss(0.3) * 4, GaussianLoss(0.5)),
    ]
    for curve in curves:
        found = curve.find_epsilon(delta)
        assert truth <= found < 3 * truth
        assert curve.find_delta(truth * 0.9) >= (LaplaceLoss(0.3) * 4 + GaussianLoss(0.5)).delta(truth * 0.9).low


def test_what_was_lost_is_taken_from_delta() -> None:
    curve = MovedCurve(ZcdpLoss(0.1), Fraction(0), Fraction(1, 10**6))
    assert curve.find_epsilon(1e-6) == math.inf
    assert curve.find_epsilon(2e-6) >= ZcdpLoss(0.1).epsilon(1e-6).high
    assert curve.find_delta(100.0) >= 1e-6
    lossy = RenyiCurve(PARTS, Fraction(1, 10**6))
    assert lossy.find_epsilon(1e-6) == math.inf
    assert lossy.find_delta(50.0) >= 1e-6


def test_losses_without_a_pair_are_split_from_the_rest() -> None:
    mixed = SampledLoss(GaussianLoss(1.0), 0.01) * 10 + RenyiLoss([2.0, 8.0, 32.0], [0.02, 0.08, 0.32])
    split = SampledLoss(GaussianLoss(1.0), 0.01) * 10
    bound = split.epsilon(5e-7).high + RenyiLoss([2.0, 8.0, 32.0], [0.02, 0.08, 0.32]).epsilon(5e-7).high
    assert split.epsilon(1e-6).low <= mixed.epsilon(1e-6).high <= bound * (1 + 1e-9)


def test_gaussians_and_zcdp_have_closed_forms_and_others_have_none() -> None:
    above, below = join_gaussians(((GaussianLoss(3.0), 1), (GaussianLoss(2.0), 4)))
    assert float(below.mu) <= 5.0 <= float(above.mu)
    assert find_closed_form(((ZcdpLoss(0.5), 2),)) == (OffsetZcdpLoss(0, 1), OffsetZcdpLoss(0, 1))
    assert find_closed_form(((PureLoss(0.5), 2),)) is None
    assert add_up([(0.5, 2), (math.inf, 1)]) == math.inf


def test_deltas_beside_an_unpaired_loss_add_up() -> None:
    loss = ApproximateLoss(0.5, 1e-7) * 3 + ZcdpLoss(0.1)
    assert loss.epsilon(2e-7).high == math.inf
    assert loss.epsilon(1e-6).high <= ZcdpLoss(0.1).epsilon(7e-7).high + 1.5 + 1e-9
