"""What noises cost on a plan: recomputed by the theorems, and the same as what the price charges for."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import OperationError
from discreet.mechanisms import DiscreteGaussian, Gaussian, Grid, Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import BoundedPlan, Part
from discreet.privacy import GaussianLoss, PureLoss
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_measures, cost_vector, fits_within, lose_measures
from discreet.query.draws import Draws
from support.hospital import bounded, engine_of

ENGINE = engine_of()
PLAN = bounded(ENGINE, "SELECT ward, COUNT(*), SUM(age) FROM visits GROUP BY ward").plan
scales = st.floats(0.5, 1e6)


@given(scales, scales)
def test_laplace_noise_costs_its_l1_sensitivity_over_its_scale(a: float, b: float) -> None:
    found = cost_measures(PLAN, Draws((Laplace(a), Laplace(b))))
    parts = [Fraction(PLAN.l1(m)) / Fraction(Laplace(s).scale) for m, s in zip(PLAN.measures, (a, b), strict=True)]
    assert found.epsilon == sum(parts), "exactly: tenths add up to tenths"
    assert math.fsum(float(each) ** 2 / 2 for each in parts) * (1 + 1e-9) >= found.rho
    assert found.rho >= math.fsum(PureLoss(float(each)).zcdp() for each in parts) * (1 - 1e-12)
    assert found.delta == 0


@given(scales, scales)
def test_gaussian_noise_costs_its_l2_sensitivity_and_has_no_epsilon(a: float, b: float) -> None:
    found = cost_measures(PLAN, Draws((Gaussian(a), Gaussian(b))))
    pairs = zip(PLAN.measures, (a, b), strict=True)
    assert found.rho == sum(Fraction(PLAN.l2_squared(m)) / (2 * Fraction(Gaussian(s).sigma) ** 2) for m, s in pairs)
    assert found.epsilon == math.inf


def test_a_quantile_costs_its_range_for_each_row_that_the_plan_moves() -> None:
    plan = bounded(ENGINE, "SELECT ward, MEDIAN(age) FROM visits GROUP BY ward").plan
    (measure,) = plan.measures
    assert measure.part is Part.QUANTILE
    assert measure.grid is not None
    points, rows = measure.grid.upper - measure.grid.lower + 1, plan.l1(measure)
    exact = cost_measures(plan, Draws((Quantile(Fraction(1, 2), points, 0.5, rows),)))
    assert exact.epsilon == Fraction(1, 2)
    sides, own = Fraction(0.5 * 0.05), Fraction(0.5 * 0.95)
    ranged = cost_measures(plan, Draws((Quantile(Fraction(1, 2), points, 0.5, rows, pure=False),)))
    for found, divisor in ((exact, 2), (ranged, 8)):
        wanted = (own**2 / divisor + sides**2 / 2) / rows**2 * plan.l2_squared(measure)
        assert float(found.rho) == pytest.approx(float(wanted), rel=1e-12)
    wide = cost_measures(plan, Draws((Quantile(Fraction(1, 2), points, 0.5, 2 * rows),)))
    assert wide.epsilon == Fraction(1, 4), "made for twice the rows, it loses half"


@settings(max_examples=30)
@given(st.floats(0.5, 100), st.floats(0.5, 100))
def test_the_loss_for_the_accountant_is_never_below_the_cost(a: float, b: float) -> None:
    for draws in (Draws((Laplace(a), Laplace(b))), Draws((Gaussian(a), Gaussian(b))), Draws((Gaussian(a), Laplace(b)))):
        loss, cost = lose_measures(PLAN, draws), cost_measures(PLAN, draws)
        assert loss.pure >= cost.epsilon * (1 - Fraction(1, 10**12)) if cost.epsilon != math.inf else True
        assert loss.zcdp() >= float(cost.rho) * (1 - 1e-9)


def test_gaussian_measures_together_are_one_gaussian_loss() -> None:
    loss = lose_measures(PLAN, Draws((Gaussian(3.0), Gaussian(400.0))))
    squares = [Fraction(PLAN.l2_squared(m)) / Fraction(s) ** 2 for m, s in zip(PLAN.measures, (3, 400), strict=True)]
    assert isinstance(loss, GaussianLoss)
    assert loss.mu == pytest.approx(math.sqrt(sum(squares)))
    assert Fraction(loss.mu) ** 2 >= sum(squares)


def replaced(plan: BoundedPlan) -> BoundedPlan:
    return BoundedPlan(plan.block, plan.units, plan.keys, plan.sets, plan.measures, 2)


def test_replacing_a_unit_costs_twice_the_epsilon_and_four_times_the_rho() -> None:
    once, twice = (cost_measures(plan, Draws((Laplace(50.0), Gaussian(50.0)))) for plan in (PLAN, replaced(PLAN)))
    assert twice.epsilon == once.epsilon == math.inf
    laplace = [cost_measures(plan, Draws((Laplace(50.0), Laplace(50.0)))).epsilon for plan in (PLAN, replaced(PLAN))]
    assert laplace[1] == 2 * laplace[0]
    gaussian = [cost_measures(plan, Draws((Gaussian(50.0), Gaussian(50.0)))).rho for plan in (PLAN, replaced(PLAN))]
    assert gaussian[1] == 4 * gaussian[0]


def test_costs_add_up_in_every_currency_and_fit_only_if_all_do() -> None:
    one, two = Charge(Fraction(1, 10), Fraction(1, 5)), Charge(Fraction(1, 5), Fraction(1, 10), Fraction(1, 7))
    both = add_charges(one, two)
    assert (both.epsilon, both.rho, both.delta) == (Fraction(3, 10), Fraction(3, 10), Fraction(1, 7))
    assert fits_within(both, both)
    assert fits_within(both, Charge(math.inf, math.inf, Fraction(1, 7)))
    for short in (
        Charge(Fraction(29, 100), Fraction(1), Fraction(1)),
        Charge(Fraction(1), Fraction(29, 100), Fraction(1)),
        Charge(Fraction(1), Fraction(1), Fraction(1, 8)),
    ):
        assert not fits_within(both, short)
    assert not fits_within(Charge(math.inf, 0.0), Charge(Fraction(10**9), Fraction(1)))


@given(st.integers(1, 2**31), scales)
def test_a_vector_costs_its_sensitivity_in_the_norm_of_its_noise(sensitivity: int, scale: float) -> None:
    epsilon = Fraction(sensitivity) / Fraction(Laplace(scale).scale)
    assert cost_vector(sensitivity, Laplace(scale)).epsilon == epsilon
    for noise in (Gaussian(scale), DiscreteGaussian(scale)):
        found = cost_vector(sensitivity, noise)
        assert (found.epsilon, found.rho, found.delta) == (math.inf, (sensitivity / Fraction(noise.sigma)) ** 2 / 2, 0)
        assert float(found.rho) <= noise.loss(sensitivity, dim=2).zcdp() * (1 + 1e-12), "the loss is rounded up"


def test_noise_on_a_grid_is_for_reals_and_sums_are_whole_numbers() -> None:
    for noise in (Laplace(1.0, Grid(0.5)), Gaussian(1.0, Grid(0.5)), DiscreteGaussian(1.0, Grid(0.5))):
        with pytest.raises(OperationError, match="without a grid"):
            cost_vector(1, noise)
