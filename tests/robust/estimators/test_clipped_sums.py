"""Sums with a private clip: one charge for all draws, noise as wide as the clip, and what lies beyond it is said."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import BudgetError, DiscreetError
from discreet.mechanisms import Laplace
from discreet.plan.grid import ClampedGrid
from discreet.robust import ClippedEstimate, clipped_mean, clipped_sum
from discreet.robust.estimators.clipped_sums import bound_clipped_mean, bound_clipped_sum
from discreet.robust.estimators.clips import SPLITS, ClippedTotal, Levels
from support.clinic import Visit, open_clinic

PATIENTS = 900
COSTS = [1.0 + 0.25 * (patient % 40) for patient in range(PATIENTS)]
ROWS: list[Visit] = [(patient, 30, cost, "north") for patient, cost in enumerate(COSTS)]
"""Nobody costs more than 10.75, and the public bound is 5,000."""

SURE = 0.999999


def holds(found: ClippedEstimate, truth: float) -> bool:
    """Say whether the truth lies in an interval three times as wide, which noise leaves once in 10^15 runs."""
    width = found.high - found.low
    return found.low - width <= truth <= found.high + width


def test_a_sum_is_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=50.0) as curator:
        found = clipped_sum(curator, "visits", "cost", epsilon=8, confidence=SURE)
        assert found.receipt.paid == "charged"
        assert found.receipt.charge.epsilon == 8
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "RECORD"]
        assert found.found
        assert 8 < found.clip < 20, (
            "20 people have 9.5 and more, and each level is up to half as wide as the one before"
        )
        assert found.low <= sum(min(cost, found.clip) for cost in COSTS) <= found.high
        assert found.high - found.low < 100
        again = clipped_sum(curator, "visits", "cost", epsilon=8, confidence=0.5)
        assert again.receipt.paid == "free"
        assert (again.estimate, again.clip) == (found.estimate, found.clip)
        assert found.low < again.low < again.high < found.high
        mean = clipped_mean(curator, "visits", "cost", epsilon=8, confidence=SURE)
        assert kinds(curator)[5:] == ["CHARGE", "MEASURE", "MEASURE", "MEASURE", "RECORD"]
        assert holds(mean, float(np.mean([min(cost, mean.clip) for cost in COSTS])))
        assert mean.high - mean.low < mean.clip / 5
        assert clipped_sum(curator, "visits", "cost", epsilon=8, fresh=True).receipt.paid == "charged"
        assert curator.ledger.verify().ok


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_what_is_charged_is_what_was_asked_for(neighbours: str, tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=90.0, delta=1e-9, neighbours=neighbours) as curator:
        for ask in (clipped_sum, clipped_mean):
            assert float(ask(curator, "visits", "cost", epsilon=7.7).receipt.charge.epsilon) == 7.7
            assert ask(curator, "visits", "cost", rho=1).receipt.charge.rho == 1


def test_values_below_nothing_are_clamped_too(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=90.0) as curator:
        found = clipped_sum(curator, "visits", "1 - cost", epsilon=20, confidence=SURE)
        assert found.clip > 8
        assert found.lowest == -found.clip
        assert holds(found, sum(max(1 - cost, -found.clip) for cost in COSTS))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("spread", [0.5, 1.0])
def test_the_error_is_at_most_a_tenth_of_that_with_bounds_a_hundred_times_too_wide(
    epsilon: float, spread: float
) -> None:
    """Over simulated samples of 10,000 people: a plain SUM has Laplace noise of the public bound over epsilon."""
    rng, errors, people = np.random.default_rng(7), [], 10_000
    largest = 3_000  # of 10,000 lognormal values in steps, about
    levels = Levels.of(ClampedGrid(Fraction(0), Fraction(1), 0, 100 * largest))
    first, second = (float(part) * epsilon for part in SPLITS["sum"])
    edges = np.array(levels.edges)
    for _ in range(60):
        values = np.round(rng.lognormal(4, spread, people))
        exact = np.diff([0, *np.searchsorted(np.sort(values), edges), people])
        counts = exact + np.round(rng.laplace(0, 1 / first, len(exact)))
        clip, seen = levels.choose(tuple(int(each) for each in counts), 1 / first)
        assert seen
        noisy = np.minimum(values, clip).sum() + rng.laplace(0, clip / second)
        errors.append(abs(noisy - values.sum()))
    plain = 100 * largest / epsilon
    assert np.mean(errors) <= plain / 10


def test_a_level_that_noise_alone_fills_is_not_common() -> None:
    levels = Levels.of(ClampedGrid(Fraction(0), Fraction(1, 100), 0, 500_000))
    assert levels.starts[:7] == (1, 2, 3, 4, 6, 8, 12)
    quiet = [0] * (len(levels.starts) + 1)
    assert levels.choose(tuple(quiet), 5.0) == (1, False)
    noisy = [20, -20] * len(quiet)
    assert levels.choose(tuple(noisy[: len(quiet)]), 5.0) == (1, False), "four scales are nothing among 38 levels"
    noisy[6] = 90
    assert levels.choose(tuple(noisy[: len(quiet)]), 5.0) == (11, True), "sizes from 8 to 11"
    assert levels.choose((0,) * (len(quiet) - 1) + (90,), 5.0) == (500_000, True)


def test_either_side_of_nothing_may_be_common() -> None:
    levels = Levels.of(ClampedGrid(Fraction(0), Fraction(1), -10, 100))
    assert levels.reach == 100
    pieces = len(levels.edges) + 1
    assert pieces == 2 * len(levels.starts) + 1
    high, low = [0] * pieces, [0] * pieces
    high[-3], low[2] = 80, 80
    assert levels.choose(tuple(high), 1.0) == levels.choose(tuple(low), 1.0) == (levels.starts[-2] - 1, True)


@pytest.mark.parametrize("reach", [1, 5, 10**6, 2**31 - 1, 2**31, 10**12, 2**49])
def test_clips_of_every_size_can_be_summed(reach: int) -> None:
    levels = Levels.of(ClampedGrid(Fraction(0), Fraction(1, 8), 0, reach))
    for size in (1, (reach + 1) // 2, reach):
        clip = levels.make_clip(size)
        assert 1 <= clip.steps <= 2**31
        assert size <= clip.step * clip.steps * 8 < size + max(1, reach // 2**29)


def test_intervals_cover_the_noise() -> None:
    rng, runs = np.random.default_rng(3), 1_500
    clip, step, people, scale = 4_000, Fraction(1, 100), 60, 3_000.0
    truth, count_scale = 30.0 * people, 6.0
    covered = np.zeros(2)
    for _ in range(runs):
        total = step * round(truth * 100 + float(rng.laplace(0, scale)))
        count = people + round(float(rng.laplace(0, count_scale)))
        found = ClippedTotal(clip * step, True, total, step, Laplace(scale), count, (count_scale, 1))
        _, low, high = bound_clipped_sum(found, 0.0, 0.1)
        _, least, most = bound_clipped_mean(found, 0.0, 0.1)
        covered += [low <= truth <= high, least <= 30.0 <= most]
    assert (covered / runs > 0.9 - 5 * np.sqrt(0.09 / runs)).all()
    assert covered[0] / runs < 0.95


@pytest.mark.many
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, 40, 100.0, "north")],
        [(person, 40, float("nan"), "icu") for person in range(50)],
        [(person, None, None, None) for person in range(50)],
        [(person, 40, float("inf"), "north") for person in range(50)],
    ],
)
def test_no_data_raises_after_the_charge(rows: list[Visit], tmp_path: Path) -> None:
    with open_clinic(tmp_path, rows, epsilon=200.0) as curator:
        for epsilon in (0.01, 10):
            for found in (
                clipped_sum(curator, "visits", "cost", epsilon=epsilon),
                clipped_mean(curator, "visits", "cost - 50", epsilon=epsilon),
            ):
                assert found.low <= found.estimate <= found.high
                assert np.isfinite([found.low, found.high, found.clip]).all()


@pytest.mark.many
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"table": "wards", "column": "beds"}, "private"),
        ({"column": "doctor"}, "doctor"),
        ({"where": "age > 3) GROUP BY (1"}, "SQL"),
        ({"per_unit": "median"}, "per_unit"),
        ({"confidence": 1}, "confidence"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": None}, "epsilon"),
    ],
)
def test_bad_input_is_refused_before_a_charge(how: dict[str, Any], words: str, tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS[:5], epsilon=2.0) as curator:
        everything: dict[str, Any] = {"table": "visits", "column": "cost", "epsilon": 1} | how
        with pytest.raises(DiscreetError, match=words):
            clipped_sum(curator, everything.pop("table"), everything.pop("column"), **everything)
        with pytest.raises(BudgetError):
            clipped_mean(curator, "visits", "cost", epsilon=3)
        assert curator.session().budget.total.spent == 0


def test_a_result_says_which_clip_was_used_and_that_what_lies_beyond_is_left_out(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=50.0) as curator:
        found = clipped_sum(curator, "visits", "cost", epsilon=8, where="age < 60")
        for text in (str(found), found._repr_html_()):
            for words in (
                "what lies beyond the clip",
                "no interval covers",
                "interval for the noise",
                "clip",
                "epsilon 8",
            ):
                assert words in " ".join(text.split())
        told = json.loads(json.dumps(found.to_dict()))
        assert told["clip"] == found.clip
        assert "beyond the clip" in told["not_covered"]
        few = clipped_mean(curator, "visits", "cost", epsilon=0.001)
        assert few.found or "too few people to see where values end" in " ".join(str(few).split())
