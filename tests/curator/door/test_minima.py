"""Minima at a desk: charged for what one unit moves, solver and rounding included, metered, and journaled first."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import OperationError, ParameterError
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.curator.door.minima import (
    MinimumNoise,
    ObjectiveNoise,
    OutputNoise,
    bound_output,
    bound_rest,
    cost_push,
    draw_minimum,
    lose_minimum,
)
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.minimum import find_minimum, find_tolerance
from discreet.gradients.objective import EASE, LinearObjective
from discreet.gradients.residuals import RESIDUAL_STEPS, LogisticResidual, SoftmaxResidual
from discreet.gradients.sums import GRADIENT_STEPS, MOST_ROWS, LinearGradients
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy import GaussianLoss, ZcdpLoss
from discreet.privacy.charges import Charge
from discreet.privacy.objective import bound_replaced_rho, bound_rho
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

PLENTY = Charge(math.inf, math.inf, Fraction(1))
TEXT = "SELECT age, CASE WHEN cost > 100 THEN 1 ELSE 0 END AS dear FROM visits"
ENGINE = engine_of(write_policy(), make_tables())
PLAN = rows_of(ENGINE, TEXT)
TWICE = rows_of(engine_of(write_policy(neighbours="replace"), make_tables()), TEXT)
ROWS = ENGINE.read(PLAN).result()
GRID = PLAN.columns[0].grid
LABEL = LabelColumn(1, PLAN.columns[1].grid.lower, PLAN.columns[1].grid.upper, 0, 1)
ENCODING = Encoding((NumberFeature(0, GRID.lower, GRID.upper),), LABEL)
GRADIENTS = LinearGradients(ENCODING, LogisticResidual(), 2 * GRADIENT_STEPS)
OBJECTIVE = LinearObjective(GRADIENTS, RESIDUAL_STEPS, 5.0, 40, bits=12)
MOVED = bound_output(OBJECTIVE, 1)
OUTPUT = OutputNoise(Gaussian(4.0 * MOVED))
BOTH = ObjectiveNoise(Gaussian(6.0 * GRADIENTS.clip), Gaussian(50.0 * bound_rest(OBJECTIVE)))


def desk_of(charge: Charge = PLENTY, pages: Pages | None = None) -> Desk:
    return Desk((PLAN, TWICE), ChargeMeter(charge), pages or Pages(), never, hold_by(lambda _: ROWS))


def test_a_minimum_is_that_of_the_units_rows_and_its_noise() -> None:
    exact = np.array(find_minimum(OBJECTIVE, ENCODING.encode(ROWS.points), ROWS.offsets))
    quiet = desk_of().minimise(PLAN, OBJECTIVE, OutputNoise(Gaussian(1.0)))
    assert np.abs(np.array(quiet) - exact).max() < 50
    loud = [draw_minimum(OBJECTIVE, OUTPUT, ENCODING.encode(ROWS.points), ROWS.offsets) for _ in range(60)]
    assert 0.7 < np.std([np.array(each) - exact for each in loud]) / OUTPUT.noise.sigma < 1.3


def test_a_push_moves_the_minimum_and_noise_comes_on_top() -> None:
    """Where the push is all but nothing only the second noise is left, and where it is large it shows."""
    exact = np.array(find_minimum(OBJECTIVE, ENCODING.encode(ROWS.points), ROWS.offsets))
    rows = ENCODING.encode(ROWS.points)
    second = ObjectiveNoise(Gaussian(1.0), Gaussian(1000.0))
    calm = [np.array(draw_minimum(OBJECTIVE, second, rows, ROWS.offsets)) - exact for _ in range(60)]
    assert 700 < np.std(calm) < 1300
    first = ObjectiveNoise(Gaussian(GRADIENTS.clip * 3.0), Gaussian(1.0))
    moved = [np.array(draw_minimum(OBJECTIVE, first, rows, ROWS.offsets)) - exact for _ in range(60)]
    alone = first.push.sigma / GRADIENT_STEPS / OBJECTIVE.ridge * OBJECTIVE.steps
    assert alone / 20 < np.std(moved) < alone


def test_what_one_unit_moves_holds_the_tolerance_the_rounding_and_the_ease() -> None:
    steps, ridge = OBJECTIVE.steps, Fraction(OBJECTIVE.ridge)
    off = 2 * steps * find_tolerance(OBJECTIVE) + Fraction(math.sqrt(2))
    once = steps * (1 + EASE) * OBJECTIVE.longest / ridge + off
    twice = steps * 2 * OBJECTIVE.longest / ridge + off
    assert once <= bound_output(OBJECTIVE, 1) <= once + 2
    assert twice <= bound_output(OBJECTIVE, 2) <= twice + 2
    rest = off + 2 * steps * Fraction(math.sqrt(2) / 2) / GRADIENT_STEPS / ridge
    assert rest <= bound_rest(OBJECTIVE) <= rest + 2


def test_the_rounding_of_a_push_counts_where_it_is_coarse() -> None:
    """With a small ridge a rounded push moves the minimum farther than the solver errs."""
    coarse = replace(OBJECTIVE, gradients=replace(GRADIENTS, clip=1 << 12), ridge=2.0**-8, units=1, bits=30)
    rounded = coarse.steps * math.sqrt(2) / GRADIENT_STEPS / coarse.ridge
    solver = 2 * coarse.steps * float(find_tolerance(coarse)) + math.sqrt(2)
    assert rounded > 0.4
    assert bound_rest(coarse) >= rounded + solver


@pytest.mark.parametrize(("plan", "factor"), [(PLAN, 1), (TWICE, 2)])
def test_output_noise_costs_what_a_unit_moves_over_the_noise(plan: Any, factor: int) -> None:
    mu = Fraction(bound_output(OBJECTIVE, factor)) / Fraction(OUTPUT.noise.sigma)
    exactly = Charge(math.inf, mu * mu / 2, Fraction(0))
    desk_of(exactly).minimise(plan, OBJECTIVE, OUTPUT)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(replace(exactly, rho=exactly.rho * Fraction(9999, 10_000))).minimise(plan, OBJECTIVE, OUTPUT)
    assert lose_minimum(OBJECTIVE, OUTPUT, 1, factor)[1] == GaussianLoss(mu)


@pytest.mark.parametrize(("plan", "factor"), [(PLAN, 1), (TWICE, 2)])
def test_objective_noise_costs_the_push_and_what_covers_the_rest(plan: Any, factor: int) -> None:
    bound = bound_replaced_rho if factor == 2 else bound_rho
    shift = Fraction(GRADIENTS.clip) / Fraction(BOTH.push.sigma)
    curvature = OBJECTIVE.curvature / Fraction(OBJECTIVE.ridge)
    push = Fraction(bound(shift, curvature, min(plan.rows, 2), 2, 40, EASE))
    rest = (Fraction(bound_rest(OBJECTIVE)) / Fraction(BOTH.output.sigma)) ** 2 / 2
    assert rest > push / 2000
    exactly = Charge(math.inf, push + rest, Fraction(0))
    desk_of(exactly).minimise(plan, OBJECTIVE, BOTH)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(replace(exactly, rho=push)).minimise(plan, OBJECTIVE, BOTH)
    assert lose_minimum(OBJECTIVE, BOTH, plan.rows, factor)[1] == ZcdpLoss(push + rest)


def test_more_rows_of_a_unit_cost_more_of_a_push() -> None:
    wide = replace(
        OBJECTIVE,
        gradients=LinearGradients(Encoding((PlaceFeature(0, 30),), LABEL), LogisticResidual(), GRADIENT_STEPS),
    )
    one, several, many = (cost_push(wide, 5.0 * GRADIENT_STEPS, rows, 1) for rows in (1, 5, 31))
    assert one < several < many == cost_push(wide, 5.0 * GRADIENT_STEPS, 1000, 1)


def test_a_rerun_gets_what_was_journaled_and_another_objective_is_another_call() -> None:
    pages = Pages()
    first = desk_of(pages=pages).minimise(PLAN, OBJECTIVE, BOTH)
    assert desk_of(pages=pages).minimise(PLAN, OBJECTIVE, BOTH) == first
    assert len(pages.rows) == 1
    others: list[tuple[LinearObjective, MinimumNoise]] = [
        (replace(OBJECTIVE, ridge=6.0), BOTH),
        (replace(OBJECTIVE, units=41), BOTH),
        (replace(OBJECTIVE, bits=13), BOTH),
        (replace(OBJECTIVE, slope=RESIDUAL_STEPS // 2), BOTH),
        (replace(OBJECTIVE, gradients=replace(GRADIENTS, clip=GRADIENT_STEPS)), BOTH),
        (OBJECTIVE, replace(BOTH, push=Gaussian(7.0 * GRADIENTS.clip))),
        (OBJECTIVE, replace(BOTH, output=Gaussian(1e9))),
        (OBJECTIVE, OUTPUT),
    ]
    for objective, noise in others:
        with pytest.raises(OperationError, match="differs"):
            desk_of(pages=pages).minimise(PLAN, objective, noise)


def test_what_has_no_bounded_minimum_is_refused_before_anything_is_read() -> None:
    class OtherObjective(LinearObjective):
        pass

    class OtherNoise(OutputNoise):
        pass

    wide = LinearGradients(Encoding((NumberFeature(7, 0, 1),), LABEL), LogisticResidual(), GRADIENT_STEPS)
    classes = LinearGradients(ENCODING, SoftmaxResidual(3), GRADIENT_STEPS)
    many, some = replace(PLAN, rows=MOST_ROWS + 1), replace(PLAN, rows=100_000)
    refused: list[tuple[Any, Any, Any]] = [
        (PLAN, OtherObjective(GRADIENTS, RESIDUAL_STEPS, 5.0, 40), OUTPUT),
        (PLAN, OBJECTIVE, OtherNoise(OUTPUT.noise)),
        (PLAN, OBJECTIVE, OUTPUT.noise),
        (PLAN, GRADIENTS, OUTPUT),
        (PLAN, replace(OBJECTIVE, gradients=wide), OUTPUT),
        (PLAN, replace(OBJECTIVE, gradients=classes, slope=classes.residual.longest), BOTH),
        (PLAN, replace(OBJECTIVE, ridge=1e-6, units=10**6), OUTPUT),
        (many, OBJECTIVE, OUTPUT),
        (some, OBJECTIVE, OUTPUT),
    ]
    desk = Desk((PLAN, many, some), ChargeMeter(PLENTY), Pages(), never, never)
    for call in refused:
        with pytest.raises((OperationError, ParameterError)):
            desk.minimise(*call)


def test_other_noises_than_the_gaussian_are_refused() -> None:
    for make in (lambda: OutputNoise(Laplace(1e9)), lambda: ObjectiveNoise(Laplace(1e9), OUTPUT.noise)):  # type: ignore[arg-type]
        with pytest.raises(OperationError, match="Gaussian"):
            make()
    with pytest.raises(OperationError, match="Gaussian"):
        ObjectiveNoise(OUTPUT.noise, None)  # type: ignore[arg-type]
