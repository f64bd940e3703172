from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import (
    BoundedNumbers,
    HadamardSketch,
    HybridMean,
    Metric,
    NumberMechanism,
    OneBitMean,
    PiecewiseMean,
    Texts,
)
from discreet.local.means import Mean, estimate_mean
from discreet.local.oracles.find import find_oracle
from discreet.local.tally import Tally

AGES = BoundedNumbers(0, 120)
MECHANISMS: list[NumberMechanism] = [
    OneBitMean.calibrate(1.0),
    PiecewiseMean.calibrate(1.0, 64),
    HybridMean.calibrate(1.0, 64),
]


def ask(mechanism: NumberMechanism, ages: Any) -> Mean:
    """Return the mean of ages, in years."""
    batch = find_oracle(mechanism).encode(np.asarray(ages) / 60 - 1)
    tally, lost = Tally.start(Metric("age", AGES, mechanism, lifetime=1)).add(batch)
    assert lost == 0
    return estimate_mean(tally)


@pytest.mark.many
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_intervals_hold_the_mean_of_a_population_as_often_as_they_say(mechanism: NumberMechanism) -> None:
    generator = np.random.default_rng(3)
    held = []
    for _ in range(1000):
        found = ask(mechanism, generator.triangular(0, 20, 120, 500))
        held.append(found.low <= 140 / 3 <= found.high)
    assert abs(np.mean(held) - 0.95) < 5 * np.sqrt(0.95 * 0.05 / 1000)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_the_mean_of_given_people_varies_as_the_mechanism_says_and_less_than_the_error(
    mechanism: NumberMechanism,
) -> None:
    runs, ages = 600, np.concatenate([np.full(150, 6.0), np.full(350, 90.0)])
    found = [ask(mechanism, ages) for _ in range(runs)]
    means = np.array([each.value for each in found])
    placed = [Fraction(age) / 60 - 1 for age in (6, 90)]
    variance = 60**2 * float(0.3 * mechanism.variance(placed[0]) + 0.7 * mechanism.variance(placed[1])) / len(ages)
    assert abs(means.mean() - ages.mean()) < 5 * np.sqrt(variance / runs)
    assert abs(means.var() / variance - 1) < 4.9 * np.sqrt(2 / runs)
    assert np.mean([each.error for each in found]) > np.sqrt(variance)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda each: each.kind)
def test_one_malicious_report_moves_the_mean_by_no_more_than_the_shift(mechanism: NumberMechanism) -> None:
    counts = np.full(mechanism.outputs, 10)
    metric, reports = Metric("age", AGES, mechanism, lifetime=1), int(counts.sum())
    before = estimate_mean(Tally(metric, reports, counts))
    moves = []
    for gone in range(mechanism.outputs):
        for come in range(mechanism.outputs):
            moved = counts.copy()
            moved[gone], moved[come] = moved[gone] - 1, moved[come] + 1
            moves.append(abs(estimate_mean(Tally(metric, reports, moved)).value - before.value))
    assert max(moves) == pytest.approx(before.shift)


def test_numbers_beyond_the_bounds_count_as_these() -> None:
    metric = Metric("age", AGES, HybridMean.calibrate(8.0), lifetime=9)
    assert metric.domain.place(500) == 1
    reports = [metric.encode(age) for age in [500] * 1000 + [-3] * 1000]
    payloads = np.frombuffer(b"".join(each.payload for each in reports), dtype=np.uint8).reshape(2000, -1)
    from discreet.local.oracles.oracle import Batch

    found = estimate_mean(Tally.start(metric).add(Batch(np.zeros(2000, dtype=np.int64), payloads))[0])
    assert abs(found.value - 60) < 5 * 60 * np.sqrt(float(metric.mechanism.variance(Fraction(1))) / 2000)  # type: ignore[attr-defined]


def test_a_mean_needs_two_reports_of_numbers() -> None:
    metric = Metric("age", AGES, OneBitMean.calibrate(1), lifetime=1)
    with pytest.raises(ParameterError, match="at least two"):
        estimate_mean(Tally(metric, 1, np.array([0, 1])))
    with pytest.raises(ParameterError, match="confidence"):
        estimate_mean(Tally(metric, 2, np.array([1, 1])), 0)
    with pytest.raises(ParameterError, match="numbers"):
        estimate_mean(Tally.start(Metric("x", Texts(), HadamardSketch.calibrate(1, 2, 2), lifetime=1)))
