"""Bootstrap intervals: one certified charge, functions of noisy means for free, and coverage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet import robust
from discreet.base.errors import DiscreetError
from discreet.base.grid import Floats
from discreet.curator.door.clipping import Clip
from discreet.curator.door.resampling import CHANCES, lose_resamples
from discreet.robust.intervals.bootstrap import find_interval, find_noise
from support.clinic import Visit, open_clinic

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + 10 * (patient % 70) + 200 * visit, "icu")
    for patient in range(6000)
    for visit in range(1 + patient % 3)
]
COLUMNS = {"x": "age", "y": "cost", "xy": "age * cost", "xx": "age * age"}


def find_slope(means: Mapping[str, float]) -> float:
    return (means["xy"] - means["x"] * means["y"]) / (means["xx"] - means["x"] ** 2)


def test_a_slope_is_one_charge_and_other_functions_of_its_means_are_free(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=200.0, delta=1e-8) as curator:
        how: dict[str, Any] = {"epsilon": 8, "delta": 1e-9, "confidence": 0.999999, "resamples": 20}
        found = robust.bootstrap_interval(curator, "visits", COLUMNS, find_slope, **how)
        charge = found.receipt.charge
        assert (found.receipt.paid, charge.epsilon, charge.delta) == ("charged", 8, Fraction(1, 10**9))
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        assert found.low <= 10 <= found.high
        assert 1 < found.high - found.low < 150
        assert abs(found.groups[0].count - len({row[0] for row in ROWS})) < 300
        mean = robust.bootstrap_interval(curator, "visits", COLUMNS, lambda m: m["x"], **how)
        assert mean.receipt.paid == "free"
        assert mean.low <= np.mean([20 + patient % 70 for patient in range(6000)]) <= mean.high
        assert "sampling and noise together" in str(mean)
        assert curator.ledger.verify().ok


def test_the_noise_is_the_least_whose_certified_price_fits() -> None:
    steps, step = 2**20, 2.0**-20
    noise = find_noise(Fraction(1), Fraction(1, 10**6), steps, step, 20)
    clip = Clip(steps, step)
    assert lose_resamples(clip, noise, 20).epsilon(1e-6).high <= 1
    assert lose_resamples(clip, type(noise)(noise.sigma / 1.02), 20).epsilon(1e-6).low > 1


def draw_sums(rng: np.random.Generator, values: Floats, noise: float, resamples: int = 40) -> Floats:
    weights = rng.choice(8, size=(resamples, len(values)), p=np.array(CHANCES) / sum(CHANCES))
    exact = np.stack([weights @ values, weights.sum(axis=1)], axis=1)
    return exact + rng.normal(0, noise, exact.shape)


@pytest.mark.parametrize("noise", [0.01, 20.0, 60.0])
def test_intervals_cover_sampling_and_noise(noise: float) -> None:
    """Of 200 samples of 500 people at most 18 miss at 95 %: with the true coverage, once in many thousand runs."""
    rng, missed, widths = np.random.default_rng(5), 0, []
    for _ in range(200):
        ends = find_interval(draw_sums(rng, rng.normal(0.1, 0.3, 500), noise), noise, lambda m: float(m[0]), 0.05)
        missed += not ends.low <= 0.1 <= ends.high
        widths.append(
            (ends.high - ends.low) / (2 * 1.96 * math.hypot(0.3 / math.sqrt(500), noise / 500 / math.sqrt(40)))
        )
    assert missed <= 18
    assert np.median(widths) < (1.5 if noise < 1 else 6)


def test_too_few_people_are_said_to_be_too_few(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:3], epsilon=20.0, delta=1e-8) as curator:
        found = robust.bootstrap_interval(curator, "visits", {"x": "age"}, lambda m: m["x"], epsilon=0.1, delta=1e-9)
        assert not found.enough
        assert (found.low, found.high) == (-math.inf, math.inf)
        assert "too few people to say" in str(found)
        broken = robust.bootstrap_interval(curator, "visits", {"x": "age"}, lambda m: 1 / 0, epsilon=0.1, delta=1e-9)
        assert (broken.enough, broken.receipt.paid) == (False, "free")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"delta": None}, "delta must be given"),
        ({"columns": {}}, "columns must be names"),
        ({"columns": ["age"]}, "columns must be names"),
        ({"statistic": 3}, "columns must be names"),
        ({"resamples": 3}, "resamples must be"),
        ({"confidence": 1.5}, "confidence must be"),
        ({"columns": {"x": "ward"}}, "AVG|number"),
    ],
)
def test_what_could_not_run_is_refused_and_nothing_is_charged(
    tmp_path: Path, how: dict[str, Any], message: str
) -> None:
    asked: dict[str, Any] = {"columns": {"x": "age"}, "statistic": lambda m: m["x"], "epsilon": 1, "delta": 1e-9} | how
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8) as curator:
        with pytest.raises(DiscreetError, match=message):
            robust.bootstrap_interval(curator, "visits", **asked)
        assert kinds(curator) == ["CREATE"]


def test_replace_neighbours_are_refused_before_the_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8, neighbours="replace") as curator:
        with pytest.raises(DiscreetError, match="add-remove"):
            robust.bootstrap_interval(curator, "visits", {"x": "age"}, lambda m: m["x"], epsilon=1, delta=1e-9)
        assert kinds(curator) == ["CREATE"]
