"""Resamples at a desk: whole units, weights drawn for each, and the price of the mixture that they are."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import DiscreetError, OperationError
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ScheduleMeter
from discreet.curator.door.resampling import BITS, CHANCES, check_resamples, draw_weights, lose_resamples, sum_resamples
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.unit_functions import ColumnSums
from discreet.engines.result import ExactRows
from discreet.mechanisms import Gaussian, Grid, Laplace
from discreet.privacy import GaussianLoss
from support.clinic import make_tables, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

TEXT = "SELECT 1 AS one, age FROM visits"
ENGINE = engine_of(write_policy(), make_tables())
PLAN = rows_of(ENGINE, TEXT)
TWICE = rows_of(engine_of(write_policy(neighbours="replace"), make_tables()), TEXT)
ROWS = ENGINE.read(PLAN).result()
SUMS, CLIP, NOISE = ColumnSums(2), Clip(2**12, 1.0), Gaussian(2.0**14)


def desk_of(schedule: Schedule, pages: Pages | None = None) -> Desk:
    meter = ScheduleMeter(schedule, schedule.charge)
    return Desk((PLAN, TWICE), meter, pages or Pages(), never, hold_by(lambda _: ROWS))


def schedule_of(resamples: int, noise: Gaussian = NOISE) -> Schedule:
    return Schedule(((lose_resamples(CLIP, noise, resamples), 1),), 1e-9)


def test_weights_are_nearly_poisson_with_known_probabilities() -> None:
    assert sum(CHANCES) == 2**BITS
    for weight, chance in enumerate(CHANCES[:-1]):
        assert abs(chance / 2**BITS - math.exp(-1) / math.factorial(weight)) < 2.0 ** (1 - BITS)
    drawn = draw_weights(400_000)
    assert drawn.min() == 0
    assert drawn.max() <= 7
    for weight, chance in enumerate(CHANCES):
        share = chance / 2**BITS
        assert abs(np.mean(drawn == weight) - share) < 6.5 * math.sqrt(share * (1 - share) / len(drawn)) + 1e-6


def test_a_unit_counts_as_a_whole_and_anew_in_every_resample() -> None:
    sizes = [3, 1, 2]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = ExactRows(np.array([[1, 0]] * 3 + [[100, 0]] + [[10_000, 0]] * 2), offsets)
    plan = replace(PLAN, columns=(PLAN.columns[1], PLAN.columns[1]))
    sums = sum_resamples(plan, rows, ColumnSums(2), Clip(10**6, 1.0), 400)
    step, seen = float(plan.columns[0].grid.step), set()
    assert step == 1
    for first, second in sums:
        thrice, once, twice = first % 100, first // 100 % 100, first // 10_000
        assert thrice % 3 == 0
        assert twice % 2 == 0
        assert second == 0
        seen.add((thrice // 3, once, twice // 2))
    assert max(map(max, seen)) <= 7
    assert len(seen) > 15


def test_what_it_costs_is_the_certified_price_of_all_resamples() -> None:
    pages = Pages()
    told = desk_of(schedule_of(20), pages).resample(PLAN, SUMS, CLIP, NOISE, 20)
    assert np.array(told).shape == (20, 2)
    assert desk_of(schedule_of(20), pages).resample(PLAN, SUMS, CLIP, NOISE, 20) == told, "it was journaled"
    for schedule in (schedule_of(19), schedule_of(20, Gaussian(2.0**14 * 1.01))):
        untouched = Pages()
        with pytest.raises(OperationError, match="the schedule declared"):
            desk_of(schedule, untouched).resample(PLAN, SUMS, CLIP, NOISE, 20)
        assert not untouched.rows


def test_a_resample_costs_more_than_one_sum_and_less_than_one_of_seven_times() -> None:
    mu = CLIP.steps / NOISE.sigma
    one, whole, most = (
        loss.epsilon(1e-6) for loss in (GaussianLoss(mu), lose_resamples(CLIP, NOISE, 1), GaussianLoss(7 * mu))
    )
    assert one.high < whole.low
    assert whole.high < most.low


def test_sums_are_those_of_the_units_with_noise() -> None:
    noise = Gaussian(1.0)
    told = np.array(desk_of(schedule_of(300, noise)).resample(PLAN, SUMS, CLIP, noise, 300), dtype=float)
    exact = np.array([len(ROWS.points), (ROWS.points[:, 1] * float(PLAN.columns[1].grid.step)).sum()])
    assert np.all(np.abs(told.mean(axis=0) / exact - 1) < 0.05)
    spread = told[:, 0].std() / math.sqrt((np.diff(ROWS.offsets) ** 2).sum())
    assert 0.7 < spread < 1.3


@pytest.mark.many
@pytest.mark.parametrize(
    ("plan", "noise", "resamples", "message"),
    [
        (TWICE, NOISE, 5, "add-remove neighbours"),
        (PLAN, Laplace(1000.0), 5, "Gaussian noise"),
        (PLAN, Gaussian(10.0, Grid(0.5)), 5, "without a grid"),
        (PLAN, NOISE, 0, "resamples must be"),
        (PLAN, NOISE, 10**6, "resamples must be"),
        (PLAN, NOISE, 2_001, "resamples must be"),
    ],
)
def test_what_the_theorem_does_not_cover_is_refused(plan: Any, noise: Any, resamples: int, message: str) -> None:
    with pytest.raises(DiscreetError, match=message):
        desk_of(schedule_of(5)).resample(plan, SUMS, CLIP, noise, resamples)


def test_shifts_are_exact_fractions() -> None:
    (part,) = {part for part, _ in lose_resamples(CLIP, NOISE, 3).parts}  # type: ignore[attr-defined]
    assert part.shifts == tuple(Fraction(weight, 4) for weight in range(8))


def test_resamples_of_long_vectors_are_fewer() -> None:
    assert check_resamples(PLAN, NOISE, 2_000, 2) == 2_000
    with pytest.raises(DiscreetError, match="<= 1024"):
        check_resamples(PLAN, NOISE, 2_000, 1_024)
