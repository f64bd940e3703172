"""Moments at a desk: charged for the clip, metered, and journaled before they are seen."""

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
from discreet.curator.door.moments import RowMoments
from discreet.curator.door.schedule import Schedule
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.errors import ERROR_STEPS, PredictionErrors
from discreet.gradients.groups import FeatureSums, LabelGroups, bound_groups
from discreet.gradients.moments import FeatureMoments, bound_moments
from discreet.gradients.residuals import LogisticResidual
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
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
FLAG = PLAN.columns[1].grid
FEATURES = (NumberFeature(0, GRID.lower, GRID.upper),)
SCALED = Encoding(FEATURES, LabelColumn(1, FLAG.lower, FLAG.upper, -FEATURE_STEPS, FEATURE_STEPS))
CLASSES = Encoding(FEATURES, LabelColumn(1, FLAG.lower, FLAG.upper, 0, 1))
MOMENTS = FeatureMoments(SCALED, bound_moments(SCALED))
GROUPS = FeatureSums(CLASSES, LabelGroups(2), bound_groups(CLASSES, squares=True), squares=True)
KINDS: list[RowMoments] = [MOMENTS, GROUPS]
each_kind = pytest.mark.parametrize("moments", KINDS, ids=["products", "groups"])


def noise_of(moments: RowMoments) -> Gaussian:
    return Gaussian(4.0 * moments.clip)


def desk_of(meter: Meter | Charge = PLENTY, pages: Pages | None = None) -> Desk:
    held = meter if isinstance(meter, Meter) else ChargeMeter(meter)
    return Desk((PLAN, TWICE), held, pages or Pages(), never, hold_by(lambda _: ROWS))


@each_kind
def test_a_sum_is_that_of_the_units_rows_and_its_noise(moments: RowMoments) -> None:
    exact = moments.sum(moments.encoding.encode(ROWS.points), ROWS.offsets)
    quiet = desk_of().sum_moments(PLAN, moments, Gaussian(1.0))
    assert max(abs(noisy - true) for noisy, true in zip(quiet, exact, strict=True)) < 50
    loud = [desk_of().sum_moments(PLAN, moments, noise_of(moments)) for _ in range(100)]
    spread = np.std([np.array(each) - exact for each in loud]) / noise_of(moments).sigma
    assert 0.8 < spread < 1.2


@each_kind
@pytest.mark.parametrize(("plan", "mu"), [(PLAN, Fraction(1, 4)), (TWICE, Fraction(1, 2))])
def test_what_it_costs_is_the_clip_over_the_noise_twice_that_under_replace(
    moments: RowMoments, plan: Any, mu: Fraction
) -> None:
    exactly = Charge(math.inf, mu * mu / 2, Fraction(0))
    desk_of(exactly).sum_moments(plan, moments, noise_of(moments))
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(replace(exactly, rho=exactly.rho * Fraction(999, 1000))).sum_moments(plan, moments, noise_of(moments))


@pytest.mark.parametrize(("plan", "mu"), [(PLAN, Fraction(1, 4)), (TWICE, Fraction(1, 2))])
def test_errors_of_predictions_cost_one_unit_s_largest_error_over_the_noise(plan: Any, mu: Fraction) -> None:
    gradients = LinearGradients(CLASSES, LogisticResidual(), GRADIENT_STEPS)
    errors = PredictionErrors(gradients, ((1 << 20,), (0,)))
    exact, quiet = errors.sum(CLASSES.encode(ROWS.points), ROWS.offsets), Gaussian(1.0)
    assert abs(desk_of().sum_moments(plan, errors, quiet)[0] - exact[0]) < 50
    exactly, noise = Charge(math.inf, mu * mu / 2, Fraction(0)), Gaussian(4.0 * ERROR_STEPS)
    desk_of(exactly).sum_moments(plan, errors, noise)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk_of(replace(exactly, rho=exactly.rho * Fraction(999, 1000))).sum_moments(plan, errors, noise)


def test_a_schedule_ticks_its_steps_off() -> None:
    desk = desk_of(ScheduleMeter(Schedule(((GaussianLoss(0.25), 1),), 1e-6), PLENTY))
    desk.sum_moments(PLAN, MOMENTS, noise_of(MOMENTS))
    with pytest.raises(OperationError, match="the schedule has 1 draw"):
        desk.sum_moments(PLAN, MOMENTS, noise_of(MOMENTS))


@each_kind
def test_a_rerun_gets_what_was_journaled_and_another_clip_is_another_call(moments: RowMoments) -> None:
    pages = Pages()
    first = desk_of(pages=pages).sum_moments(PLAN, moments, noise_of(moments))
    assert desk_of(pages=pages).sum_moments(PLAN, moments, noise_of(moments)) == first
    for other in (
        replace(moments, clip=moments.clip - 1),  # type: ignore[arg-type]
        KINDS[moments is MOMENTS],
    ):
        with pytest.raises(OperationError, match="differs"):
            desk_of(pages=pages).sum_moments(PLAN, other, noise_of(moments))


def test_what_has_no_bounded_length_is_refused_before_anything_is_read() -> None:
    class Other(FeatureMoments):
        pass

    wide = Encoding((NumberFeature(5, 0, 1),), SCALED.label)
    huge = Encoding((PlaceFeature(0, 2000),), SCALED.label)
    cases: list[tuple[Any, Any, str]] = [
        (Other(SCALED, MOMENTS.clip), noise_of(MOMENTS), "FeatureSums or PredictionErrors"),
        (FeatureMoments(wide, MOMENTS.clip), noise_of(MOMENTS), "of 6 columns"),
        (FeatureMoments(huge, MOMENTS.clip), noise_of(MOMENTS), "at most 1,048,576 entries"),
        (MOMENTS, Laplace(1e9), "Gaussian noise"),
        (MOMENTS, "loud", "Gaussian noise"),
    ]
    many = replace(PLAN, rows=1 << 19)
    desk = Desk((PLAN, many), ChargeMeter(PLENTY), Pages(), never, never)
    for moments, noise, words in cases:
        with pytest.raises(OperationError, match=words):
            desk.sum_moments(PLAN, moments, noise)
    with pytest.raises(OperationError, match="time would tell"):
        desk.sum_moments(many, MOMENTS, noise_of(MOMENTS))
    assert desk.draws == 0
