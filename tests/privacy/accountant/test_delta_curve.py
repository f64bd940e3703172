"""Curves from composed laws: the sum over the grid, and outcomes above it, against sums over all outcomes."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.privacy import DiscreteLaplaceLoss, Loss, PureLoss, SampledLoss
from discreet.privacy.accountant.composed_laws import ComposedLaws
from discreet.privacy.accountant.delta_curve import DeltaCurve, GridSum
from discreet.privacy.accountant.grid_law import GridReach, make_optimistic, make_pessimistic
from discreet.privacy.accountant.transforms import Tilted
from support import laws
from support.laws import Law, at_most


def bump(length: int) -> Floats:
    drawn = np.random.default_rng(3).random(length) ** 3
    masses: Floats = drawn / drawn.sum()
    return masses


@pytest.mark.parametrize("tilt", [0.01, 0.7, 5.0])
@pytest.mark.parametrize("epsilon", [-1.0, 0.0, 0.123, 0.5, 2.0, 9.0])
def test_the_sum_over_the_grid_is_the_sum(tilt: float, epsilon: float) -> None:
    law, step = Tilted(-20, bump(90), 0.0), 0.05
    losses = step * (law.first + np.arange(len(law.masses)))
    ahead = losses > epsilon
    weights = np.exp(-tilt * (losses[ahead] - epsilon)) * -np.expm1(epsilon - losses[ahead])
    assert GridSum(law, tilt, step).evaluate(epsilon) == pytest.approx(float(law.masses[ahead] @ weights), rel=1e-13)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e-12])
def test_the_sum_keeps_its_digits_where_all_losses_are_small(unit: float) -> None:
    law, step, tilt = Tilted(-20, bump(90), 0.0), 0.05 * unit, 0.7 / unit
    losses = step * (law.first + np.arange(len(law.masses)))
    for epsilon in (0.0, 0.3 * unit, 1.01 * unit):
        ahead = losses > epsilon
        weights = np.exp(-tilt * (losses[ahead] - epsilon)) * -np.expm1(epsilon - losses[ahead])
        assert GridSum(law, tilt, step).evaluate(epsilon) == pytest.approx(float(law.masses[ahead] @ weights), rel=1e-9)


BASES: list[tuple[Loss, tuple[Law, Law]]] = [
    (PureLoss(2.0), laws.response(2.0)),
    (DiscreteLaplaceLoss(1.5, 4), laws.laplace_outcomes(1.5, 4)),
]


@pytest.mark.parametrize(("base", "outcomes"), BASES, ids=lambda value: repr(value)[:30])
@pytest.mark.parametrize("rate", [0.3, 1e-3, 1e-9])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("at", [0.0, 0.2, 0.7])
def test_cutting_the_grid_off_keeps_the_bracket(
    base: Loss, outcomes: tuple[Law, Law], rate: float, share: float, at: float
) -> None:
    """The top lies below the largest loss of a release, in part even below epsilon: still a bound on either side."""
    sampled = SampledLoss(base, rate)
    remove, _ = sampled.list_pairs() or []
    mixture = laws.mixed(*outcomes, Fraction(rate))
    epsilon = at * sampled.pure
    truth = laws.product_delta([(mixture, outcomes[1])] * 3, epsilon)
    reach = GridReach(1e-30, top=share * sampled.pure)
    for tilt in (1 / sampled.pure, 20 / sampled.pure):
        upper, lower = (
            DeltaCurve(ComposedLaws([(remove, 3)], sampled.pure / 500, reach, maker), tilt, upper)
            for maker, upper in ((make_pessimistic, True), (make_optimistic, False))
        )
        assert at_most(truth, upper.evaluate(epsilon))
        assert lower.evaluate(epsilon) <= float(truth.upper()) * (1 + 1e-9) + 1e-30


def test_a_top_well_above_epsilon_costs_nothing() -> None:
    """What lies above keeps its Q-mass: as infinite loss it would cost far more than delta."""
    sampled = SampledLoss(DiscreteLaplaceLoss(1.0, 5), 1e-6)
    remove, _ = sampled.list_pairs() or []
    epsilon, top = 1e-6, 2e-5
    outcomes = laws.laplace_outcomes(1.0, 5)
    truth = float(laws.product_delta([(laws.mixed(*outcomes, Fraction(1e-6)), outcomes[1])] * 4, epsilon))
    on_grid = ComposedLaws([(remove, 4)], 2e-9, GridReach(1e-30, top=top), make_pessimistic)
    assert on_grid.beyond_q > 0
    assert DeltaCurve(on_grid, 0.1 / epsilon, upper=True).evaluate(epsilon) <= truth * 1.01
    assert on_grid.beyond_q + on_grid.beyond_excess > 10 * truth


def test_far_below_the_middle_of_the_tilted_law_nothing_is_claimed() -> None:
    on_grid = ComposedLaws([(PureLoss(0.1).list_pairs()[0], 30_000)], 0.1, GridReach(1e-30), make_pessimistic)
    assert DeltaCurve(on_grid, 3.0, upper=True).evaluate(0.0) == 1.0
    assert DeltaCurve(on_grid, 3.0, upper=False).evaluate(0.0) <= 1.0
    assert math.isclose(DeltaCurve(on_grid, 0.05, upper=True).evaluate(3000.0), 0.0, abs_tol=1e-12)
