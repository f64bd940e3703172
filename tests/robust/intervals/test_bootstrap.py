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
from discreet.robust.intervals.bootstrap import STEP_BITS, bound_length, find_noise
from discreet.robust.intervals.bootstrap_ends import SmoothFunction, bound_functions, bound_runs
from support.clinic import Visit, open_clinic

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + 10 * (patient % 70) + 200 * visit, "icu")
    for patient in range(6000)
    for visit in range(1 + patient % 3)
]
COLUMNS = {"x": "age", "y": "cost", "xy": "age * cost", "xx": "age * age"}


def find_slope(means: Mapping[str, float]) -> float:
    return (means["xy"] - means["x"] * means["y"]) / (means["xx"] - means["x"] ** 2)


@pytest.mark.slow
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


@pytest.mark.parametrize(("entries", "halves"), [(1, 0), (5, 0), (14, 9), (77, 0)])
def test_no_vector_within_its_bounds_is_cut(entries: int, halves: int) -> None:
    longest = math.sqrt(entries - halves + 1 + halves / 4) * 2**STEP_BITS
    assert longest <= bound_length(entries, halves) <= longest + 1


def draw_sums(rng: np.random.Generator, values: Floats, noise: float, resamples: int = 40) -> Floats:
    """Return noisy resamples as the desk makes them, of people whose values are the rows."""
    weights = rng.choice(8, size=(resamples, len(values)), p=np.array(CHANCES) / sum(CHANCES))
    exact = np.concatenate([weights @ values, weights.sum(axis=1, keepdims=True)], axis=1)
    return exact + rng.normal(0, noise, exact.shape)


FIRST = SmoothFunction(lambda means: means[..., :1])
"""The mean of the first column."""


@pytest.mark.parametrize(("noise", "widest"), [(0.01, 1.5), (20.0, 3.5), (60.0, 2.5)])
def test_intervals_cover_sampling_and_noise(noise: float, widest: float) -> None:
    """Of 200 samples of 500 people at most 18 miss at 95 %: with the true coverage, once in many thousand runs."""
    rng, missed, widths = np.random.default_rng(5), 0, []
    for _ in range(200):
        values = np.clip(rng.normal(0.1, 0.3, (500, 1)), -1, 1)
        ends = bound_functions(draw_sums(rng, values, noise), noise, FIRST, 0.05)
        missed += not ends.low[0] <= 0.1 <= ends.high[0]
        least = 2 * 1.96 * math.hypot(0.3 / math.sqrt(500), noise / 500 / math.sqrt(40))
        widths.append((ends.high[0] - ends.low[0]) / least)
    assert missed <= 18
    assert np.median(widths) < widest


def test_what_bounds_allow_is_the_most_that_sampling_has() -> None:
    """Where noise drowns the spread, an interval is as wide as the noise and values anywhere inside of the bounds."""
    rng, noise = np.random.default_rng(6), 100.0
    values = rng.choice([-1.0, 1.0], (1000, 1))
    wide = bound_functions(draw_sums(rng, values, noise), noise, FIRST, 0.05)
    own = 1.96 * math.hypot(1 / math.sqrt(1000), noise / 1000 / math.sqrt(40))
    assert own < (wide.high[0] - wide.low[0]) / 2 < 1.25 * own
    near = bound_functions(draw_sums(rng, np.full((1000, 1), 0.9), noise), noise, FIRST, 0.05)
    assert near.high[0] - near.low[0] < 0.85 * (wide.high[0] - wide.low[0])


def test_how_often_people_are_counted_does_not_move_a_mean() -> None:
    sums = draw_sums(np.random.default_rng(8), np.full((1000, 1), 0.9), 0.01)
    ends = bound_functions(sums, 0.01, FIRST, 0.05)
    assert ends.low[0] <= 0.9 <= ends.high[0] < ends.low[0] + 1e-4


def test_a_function_that_noise_bends_is_not_told() -> None:
    """1 / mean: straight where the mean is many deviations of the noise away from 0, and nowhere else."""
    rng, noise = np.random.default_rng(7), 30.0
    inverse = SmoothFunction(lambda means: 1 / np.where(means[..., :1] == 0, np.nan, means[..., :1]))
    for mean, enough in ((0.5, True), (0.1, True), (0.01, False), (0.0, False)):
        sums = draw_sums(rng, np.full((1000, 1), mean), noise)
        ends = bound_functions(sums, noise, inverse, 0.05)
        assert ends.enough is enough, mean
        assert enough == (ends.high[0] < math.inf)
        assert ends.low[0] <= (1 / mean if mean else 0) <= ends.high[0]


def test_runs_together_have_the_intervals_that_each_has_alone() -> None:
    """`bench/robust.py` measures many runs at once; what others hold must not matter, nor that some are not told."""
    rng, noise = np.random.default_rng(9), 30.0
    inverse = SmoothFunction(lambda means: 1 / np.where(means[..., :1] == 0, np.nan, means[..., :1]))
    people = [(1000, 0.5), (1000, 0.01), (3, 0.5), (2000, -0.8), (0, 0.0)]
    sums = np.stack([draw_sums(rng, np.full((count, 1), mean), noise) for count, mean in people])
    together = bound_runs(sums, noise, inverse, 0.05)
    assert together.enough.tolist() == [True, False, False, True, False]
    for place, own in enumerate(sums):
        alone = bound_functions(own, noise, inverse, 0.05)
        assert alone.enough == together.enough[place]
        assert alone.count == pytest.approx(together.counts[place])
        for name in ("estimates", "low", "high"):
            assert getattr(alone, name) == pytest.approx(getattr(together, name)[place], rel=1e-9, nan_ok=True)


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
        ({"columns": {"x": "age", "y": "3"}}, "the same for everybody"),
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


def test_a_function_that_is_wrong_itself_shows_before_the_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8) as curator:
        with pytest.raises(KeyError, match="z"):
            robust.bootstrap_interval(curator, "visits", {"x": "age"}, lambda m: m["z"], epsilon=1, delta=1e-9)
        assert kinds(curator) == ["CREATE"]


def test_replace_neighbours_are_refused_before_the_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8, neighbours="replace") as curator:
        with pytest.raises(DiscreetError, match="add-remove"):
            robust.bootstrap_interval(curator, "visits", {"x": "age"}, lambda m: m["x"], epsilon=1, delta=1e-9)
        assert kinds(curator) == ["CREATE"]
