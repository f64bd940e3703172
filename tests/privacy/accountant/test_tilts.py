"""Tilts: near the best Chernoff bound, also where a few far losses make the law of two minds."""

from __future__ import annotations

import math

import pytest

from discreet.privacy import GaussianLoss, LaplaceLoss, PureLoss, SampledLoss
from discreet.privacy.accountant.composed_laws import ComposedLaws, find_log_largest_weight
from discreet.privacy.accountant.grid_law import GridReach, make_pessimistic
from discreet.privacy.accountant.pairs import Releases, make_atomic, make_gaussian
from discreet.privacy.accountant.tilts import bound_by_chernoff, find_tilt_for_delta, find_tilt_for_epsilon


def put_on_grid(releases: Releases, step: float) -> ComposedLaws:
    return ComposedLaws(releases, step, GridReach(1e-25), make_pessimistic)


def bound_at(laws: ComposedLaws, tilt: float, delta: float) -> float:
    value, _, _ = laws.find_cumulants(tilt)
    return (value + find_log_largest_weight(tilt) - math.log(delta)) / tilt


@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-18])
@pytest.mark.parametrize(
    ("releases", "step"),
    [
        ([(make_gaussian(0.1), 100)], 1e-3),
        ([(make_gaussian(3.0), 1)], 1e-2),
        ([(LaplaceLoss(0.2).list_pairs()[0], 50), (PureLoss(0.01).list_pairs()[0], 7)], 1e-3),
        ([(make_atomic([-1e-3, 1e-3, 3.0], [0.5, 0.5 - 1e-15, 1e-15]), 300)], 1e-3),
    ],
)
def test_no_other_tilt_has_a_much_better_chernoff_bound(releases: Releases, step: float, delta: float) -> None:
    laws = put_on_grid(releases, step)
    chosen = bound_at(laws, find_tilt_for_delta(laws, math.log(delta)), delta)
    others = [bound_at(laws, 10 ** (power / 20), delta) for power in range(-40, 100)]
    assert chosen <= min(others) * 1.1


@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-18])
def test_the_chernoff_bound_is_a_bound(delta: float) -> None:
    laws = put_on_grid([(make_gaussian(0.1), 100)], 1e-3)
    for tilt in (0.5, 3.0, 20.0):
        assert bound_by_chernoff(laws, tilt, delta) >= GaussianLoss(1.0).epsilon(delta).high


def test_there_is_no_chernoff_bound_where_too_much_lies_above_the_grid() -> None:
    (remove, _) = SampledLoss(GaussianLoss(2.0), 0.01).list_pairs() or []
    cut = ComposedLaws([(remove, 10)], 1e-4, GridReach(1e-25, top=0.05), make_pessimistic)
    assert bound_by_chernoff(cut, 5.0, 1e-6) == math.inf
    revealing = put_on_grid([(make_atomic([0.0], [0.5], infinite=0.5), 1)], 0.1)
    assert bound_by_chernoff(revealing, 5.0, 0.4) == math.inf


@pytest.mark.parametrize("epsilon", [0.6, 1.0, 7.0])
def test_the_tilt_for_an_epsilon_puts_the_middle_there(epsilon: float) -> None:
    laws = put_on_grid([(make_gaussian(0.1), 100)], 1e-3)
    _, middle, _ = laws.find_cumulants(find_tilt_for_epsilon(laws, epsilon))
    assert epsilon <= middle <= epsilon + 0.1 * (1 + epsilon)


@pytest.mark.parametrize("tilt", [1e-3, 0.5, 7.0, 1e4, 1e9])
def test_the_largest_weight_is_attained(tilt: float) -> None:
    best = math.log1p(1 / tilt)
    assert find_log_largest_weight(tilt) == pytest.approx(math.log(-math.expm1(-best)) - tilt * best, rel=1e-9)
