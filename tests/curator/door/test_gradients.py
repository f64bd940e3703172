"""Gradients at a desk: clipped, charged for the clip, metered, and journaled before they are seen."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import OperationError
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.engines.result import ExactRows
from discreet.gradients.encoding import Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.residuals import LogisticResidual, SoftmaxResidual
from discreet.gradients.sums import GRADIENT_STEPS, MOST_ROWS, LinearGradients, hold_weights, sum_gradients
from discreet.mechanisms import Gaussian, Laplace
from discreet.privacy import GaussianLoss
from discreet.privacy.charges import Charge
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
GRADIENTS = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
WEIGHTS = hold_weights(np.array([[0.5], [-0.25]]))
NOISE = Gaussian(4.0 * GRADIENT_STEPS)


def desk_of(meter: Meter | Charge = PLENTY, pages: Pages | None = None) -> Desk:
    held = meter if isinstance(meter, Meter) else ChargeMeter(meter)
    return Desk((PLAN, TWICE), held, pages or Pages(), never, hold_by(lambda _: ROWS))


def test_a_sum_is_that_of_the_units_rows_and_its_noise() -> None:
    exact = sum_gradients(GRADIENTS, GRADIENTS.encoding.encode(ROWS.points), ROWS.offsets, WEIGHTS)
    quiet = desk_of().sum_gradients(PLAN, GRADIENTS, WEIGHTS, Gaussian(1.0))
    assert max(abs(noisy - true) for noisy, true in zip(quiet, exact, strict=True)) < 50
    loud = [desk_of().sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE) for _ in range(200)]
    spread = np.std([np.array(each) - exact for each in loud]) / NOISE.sigma
    assert 0.8 < spread < 1.2


@pytest.mark.parametrize(("plan", "mu"), [(PLAN, Fraction(1, 4)), (TWICE, Fraction(1, 2))])
def test_what_it_costs_is_the_clip_over_the_noise_twice_that_under_replace(plan: Any, mu: Fraction) -> None:
    exactly = Charge(math.inf, mu * mu / 2, Fraction(0))
    desk_of(exactly).sum_gradients(plan, GRADIENTS, WEIGHTS, NOISE)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(replace(exactly, rho=exactly.rho * Fraction(999, 1000))).sum_gradients(plan, GRADIENTS, WEIGHTS, NOISE)


def test_a_schedule_ticks_its_steps_off() -> None:
    desk = desk_of(ScheduleMeter(Schedule(((GaussianLoss(0.25), 2),), 1e-6), PLENTY))
    first = desk.sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE)
    assert first != desk.sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE)
    with pytest.raises(OperationError, match="the schedule has 2 draws"):
        desk.sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE)


def test_a_rerun_gets_what_was_journaled_and_other_weights_are_another_call() -> None:
    pages = Pages()
    first = desk_of(pages=pages).sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE)
    assert desk_of(pages=pages).sum_gradients(PLAN, GRADIENTS, WEIGHTS, NOISE) == first
    for gradients, weights in ((GRADIENTS, WEIGHTS + 1), (replace(GRADIENTS, clip=GRADIENT_STEPS // 2), WEIGHTS)):
        with pytest.raises(OperationError, match="differs"):
            desk_of(pages=pages).sum_gradients(PLAN, gradients, weights, NOISE)


def test_two_encodings_of_one_plan_are_kept_apart() -> None:
    other = LinearGradients(Encoding((PlaceFeature(1, 2),), LABEL), LogisticResidual(), GRADIENT_STEPS)
    weights = hold_weights(np.zeros(other.shape))
    desk = desk_of()
    before = desk.sum_gradients(PLAN, GRADIENTS, WEIGHTS, Gaussian(1.0))
    assert len(desk.sum_gradients(PLAN, other, weights, Gaussian(1.0))) == 3
    after = desk.sum_gradients(PLAN, GRADIENTS, WEIGHTS, Gaussian(1.0))
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) < 50


def test_what_has_no_bounded_length_is_refused_before_anything_is_read() -> None:
    class Other(LinearGradients):
        pass

    wide = LinearGradients(Encoding((NumberFeature(7, 0, 1),), LABEL), LogisticResidual(), GRADIENT_STEPS)
    many = replace(PLAN, rows=MOST_ROWS + 1)
    huge = LinearGradients(Encoding((PlaceFeature(0, 1 << 20),), LABEL), SoftmaxResidual(2), GRADIENT_STEPS)
    refused: list[tuple[Any, Any, Any, Any]] = [
        (PLAN, Other(GRADIENTS.encoding, GRADIENTS.residual, GRADIENTS.clip), WEIGHTS, NOISE),
        (PLAN, wide, WEIGHTS, NOISE),
        (PLAN, GRADIENTS, WEIGHTS, Laplace(1e9)),
        (PLAN, GRADIENTS, WEIGHTS * 10**12, NOISE),
        (many, GRADIENTS, WEIGHTS, NOISE),
        (replace(PLAN, rows=300_000), GRADIENTS, WEIGHTS, NOISE),
        (PLAN, huge, np.zeros(huge.shape, dtype=np.int64), NOISE),
    ]
    desk = Desk((PLAN, many, replace(PLAN, rows=300_000)), ChargeMeter(PLENTY), Pages(), never, hold_by(never_read))
    for call in refused:
        with pytest.raises(OperationError):
            desk.sum_gradients(*call)


def test_numbers_of_numpy_s_own_do_not_wrap_a_price() -> None:
    little = Charge(math.inf, Fraction(10**6), Fraction(0))
    for kind in (np.int64, np.uint64):
        gradients = LinearGradients(ENCODING, LogisticResidual(), kind(1 << 33))  # type: ignore[arg-type]
        assert type(gradients.clip) is int
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(little).sum_gradients(PLAN, gradients, WEIGHTS, Gaussian(1.0))
    feature = NumberFeature(0, np.int8(-100), np.int8(100))  # type: ignore[arg-type]
    assert (type(feature.lower), type(feature.upper)) == (int, int)


def never_read(plan: object) -> ExactRows:
    raise AssertionError("nothing may be read")
