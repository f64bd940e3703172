"""Tests of hypotheses: seldom wrong where the null is true, one charge each, and honest where there are too few."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import DiscreetError
from discreet.mechanisms import Gaussian, Laplace
from discreet.robust import anova, chi_square_test, proportion_test, t_test
from discreet.robust.intervals.laws import SumNoise, ThreeNoises
from discreet.robust.intervals.sums import ValueScale, ValueSums
from discreet.robust.testing.analysis import explain_equal_means
from discreet.robust.testing.contingency import bound_fit_effect, draw_noise, explain_fit, explain_independence
from discreet.robust.testing.effects import bound_deviation, bound_standardised
from discreet.robust.testing.verdicts import LEAST, find_p_value
from support.clinic import Visit, open_clinic

WARDS = ("north", "south", "icu")

ROWS: list[Visit] = [
    (patient, 20 + (7 * patient) % 60, 1000.0 + 400 * (patient % 3) + 13 * (patient % 50), WARDS[patient % 3])
    for patient in range(1_500)
    for _ in range(1 + patient % 2)
]
"""Wards whose costs are 400 apart; ages and wards have nothing to do with one another."""

ALLOWED = 0.06 + 4 * np.sqrt(0.05 * 0.95 / 600)


@pytest.mark.parametrize("noise", [Laplace(1.0), Laplace(10.0), Gaussian(5.0)])
def test_tables_that_fit_are_seldom_rejected_and_others_often(noise: SumNoise) -> None:
    rng = np.random.default_rng(1)
    shares = (0.05, 0.25, 0.7)
    cells = rng.multinomial(1000, shares, 600) + draw_noise(noise, (600, 3), rng)
    assert np.mean(explain_fit(cells, shares, noise, 999) <= 0.05) <= ALLOWED
    assert np.mean(explain_fit(cells, (0.2, 0.3, 0.5), noise, 999) <= 0.05) > 0.95


@pytest.mark.parametrize("noise", [Laplace(1.0), Laplace(10.0)])
def test_independent_columns_are_seldom_rejected_and_others_often(noise: SumNoise) -> None:
    rng = np.random.default_rng(2)
    shares = np.outer((0.3, 0.7), (0.2, 0.3, 0.5))
    drawn = rng.multinomial(1000, shares.ravel(), 600).reshape(600, 2, 3)
    assert np.mean(explain_independence(drawn + draw_noise(noise, drawn.shape, rng), noise, 99) <= 0.05) <= ALLOWED
    shares += np.array([[0.1, 0.0, -0.1], [-0.1, 0.0, 0.1]])
    drawn = rng.multinomial(1000, shares.ravel(), 100).reshape(100, 2, 3)
    assert np.mean(explain_independence(drawn + draw_noise(noise, drawn.shape, rng), noise, 99) <= 0.05) > 0.95


def test_the_same_record_has_the_same_p_value() -> None:
    cells = np.array([[[30.0, 40.0], [50.0, 10.0]]])
    assert explain_independence(cells, Laplace(2.0)).tolist() == explain_independence(cells, Laplace(2.0)).tolist()


def make_groups(means: tuple[float, ...], people: int, runs: int, epsilon: float) -> list[ValueSums]:
    rng = np.random.default_rng(3)
    noises: ThreeNoises = (
        Laplace(4 / epsilon),
        Laplace(4e3 / epsilon),
        Laplace(3e5 / epsilon),
    )
    groups = []
    for mean in means:
        steps = np.clip(np.round(rng.normal(mean, 200, (runs, people))), -1000, 1000)
        exact = (np.full(runs, float(people)), steps.sum(axis=1), (steps**2).sum(axis=1))
        noisy = [each + draw_noise(noise, (runs,), rng) for each, noise in zip(exact, noises, strict=True)]
        groups.append(ValueSums(noisy[0], noisy[1], noisy[2], noises, ValueScale(0.0, 1.0, -1000, 1000)))
    return groups


def test_equal_means_are_seldom_rejected_and_others_often() -> None:
    p_values, enough = explain_equal_means(make_groups((0.0, 0.0, 0.0), 400, 600, 1.0), 0.005, 99)
    assert enough.all()
    assert np.mean(p_values <= 0.045) <= ALLOWED
    p_values, _ = explain_equal_means(make_groups((0.0, 100.0, 0.0), 400, 100, 1.0), 0.005, 99)
    assert np.mean(p_values <= 0.045) > 0.95
    p_values, enough = explain_equal_means(make_groups((0.0, 100.0), 5, 100, 0.1), 0.005, 99)
    assert np.all(p_values[~enough] == 1)
    assert enough.mean() < 0.1


def test_effect_sizes_lie_in_their_intervals() -> None:
    first, second = make_groups((100.0, 0.0), 2_000, 300, 1.0)
    size, ends = bound_standardised(first, second, 0.05)
    assert np.mean((ends.low <= 0.5) & (ends.high >= 0.5)) > 0.95
    assert abs(float(np.median(size)) - 0.5) < 0.05
    deviation, low, high = bound_deviation([first, second], 0.05)
    assert np.mean((low <= 200) & (high >= 200)) > 0.95
    assert abs(float(np.median(deviation)) - 200) < 20
    found = bound_fit_effect(np.array([[300.0, 700.0]]), (0.5, 0.5), Laplace(1.0), 0.05)
    w, least, most = (float(each[0]) for each in found)
    assert least < 0.4 < most
    assert abs(w - 0.4) < 0.05


def test_a_p_value_is_the_least_size_that_rejects() -> None:
    assert find_p_value(lambda size: size >= 0.03) == pytest.approx(0.03, rel=1e-6)
    assert find_p_value(lambda size: False) == 1.0
    assert find_p_value(lambda size: True) == LEAST


def test_tests_through_the_door(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=500.0) as curator:
        how: dict[str, Any] = {"epsilon": 5}
        far: dict[str, Any] = {"by": "ward", "between": ["icu", "north"]}
        small = [
            proportion_test(curator, "visits", "cost > 1500", share=0.1, **how),
            proportion_test(curator, "visits", "cost > 1500", **far, **how),
            t_test(curator, "visits", "cost", mean=2500, **how),
            t_test(curator, "visits", "cost", **far, **how),
            anova(curator, "visits", "cost", by="ward", **how),
            chi_square_test(curator, "visits", "ward", shares={"north": 0.1, "south": 0.1, "icu": 0.8}, **how),
            chi_square_test(curator, "visits", "cost > 1500", by="ward", values=[True, False], **how),
        ]
        assert [found.p_value < 0.001 for found in small] == [True] * 7
        assert kinds(curator) == ["CREATE", *["CHARGE", "MEASURE", "RECORD"] * 7]
        large = [
            t_test(curator, "visits", "age", by="ward", between=["icu", "north"], **how),
            anova(curator, "visits", "age", by="ward", **how),
            chi_square_test(curator, "visits", "ward", shares=dict.fromkeys(WARDS, 1 / 3), **how),
            chi_square_test(curator, "visits", "age > 50", by="ward", values=[True, False], **how),
        ]
        assert [found.p_value > 0.0011 for found in large] == [True] * 4
        difference = small[3].effects[0]
        assert difference.low < 800 < difference.high
        again = t_test(curator, "visits", "cost", **far, **how)
        assert (again.receipt.paid, again.p_value) == ("free", small[3].p_value)
        for found in (*small, *large):
            text = " ".join(str(found).split())
            for words in ("tested:", "p ", "sampling and noise together", "epsilon 5", str(found.receipt), "people:"):
                assert words in text
            assert json.loads(json.dumps(found.to_dict()))["p_value"] == found.p_value
            assert "<p>" in found._repr_html_()
        assert "bias of clamping" in str(small[2])


@pytest.mark.many
@pytest.mark.parametrize("rows", [[], [(1, 40, 100.0, "north")], [(p, 40, float("nan"), "icu") for p in range(9)]])
def test_no_data_raises_after_the_charge(rows: list[Visit], tmp_path: Path) -> None:
    with open_clinic(tmp_path, rows, epsilon=500.0) as curator:
        for epsilon in (0.02, 5):
            how: dict[str, Any] = {"epsilon": epsilon}
            for found in (
                proportion_test(curator, "visits", "cost > 1500", share=0.1, **how),
                t_test(curator, "visits", "cost", mean=2500, **how),
                t_test(curator, "visits", "cost", by="ward", between=["icu", "north"], **how),
                anova(curator, "visits", "cost", by="ward", **how),
                chi_square_test(curator, "visits", "ward", shares=dict.fromkeys(WARDS, 1 / 3), **how),
                chi_square_test(curator, "visits", "age > 50", by="ward", values=[True, False], **how),
            ):
                assert 0 < found.p_value <= 1
                assert found.enough or "too few people to say" in str(found)


def test_bad_input_is_refused_before_a_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        how: dict[str, Any] = {"epsilon": 1}
        wrong: list[Callable[[], object]] = [
            lambda: t_test(curator, "visits", "cost", **how),
            lambda: t_test(curator, "visits", "cost", mean=3, by="ward", between=["icu", "north"], **how),
            lambda: t_test(curator, "visits", "cost", mean=float("nan"), **how),
            lambda: t_test(curator, "visits", "cost", mean=5001, **how),
            lambda: anova(curator, "visits", "cost", by="ward", params={"group_0": 1}, **how),
            lambda: proportion_test(curator, "visits", "age > 3", share=1.0, **how),
            lambda: proportion_test(curator, "visits", "age > 3", **how),
            lambda: anova(curator, "visits", "cost", by="doctor", **how),
            lambda: anova(curator, "visits", "cost", by="ward", groups=["icu"], **how),
            lambda: chi_square_test(curator, "visits", "ward", shares={"icu": 0.5, "north": 0.4}, **how),
            lambda: chi_square_test(curator, "visits", "ward", shares={"icu": 0.0, "north": 1.0}, **how),
            lambda: chi_square_test(curator, "visits", "ward", **how),
            lambda: chi_square_test(curator, "visits", "doctor", by="ward", **how),
        ]
        for ask in wrong:
            with pytest.raises(DiscreetError):
                ask()
        assert curator.session().budget.total.spent == 0
