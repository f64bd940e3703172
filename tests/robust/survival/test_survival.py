"""Survival from noisy counts: curves that cover, tests of the right size, one charge, and an end where few are left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import DiscreetError
from discreet.mechanisms import Laplace
from discreet.robust import log_rank_test, survival_curve
from discreet.robust.survival.life_tables import (
    NoisyLifeTable,
    bound_survival,
    estimate_survival,
    explain_equal_survival,
)
from discreet.robust.testing.contingency import draw_noise
from support.clinic import Visit, open_clinic

RUNS, TIMES = 1_500, 6
COVERED = 0.94 - 4 * np.sqrt(0.05 * 0.95 / RUNS)
REJECTED = 0.06 + 4 * np.sqrt(0.05 * 0.95 / RUNS)


def draw_lives(people: int, hazard: float, leaving: float, epsilon: float, seed: int) -> NoisyLifeTable:
    shares, left = [], 1.0
    for _ in range(TIMES):
        shares += [left * hazard, left * (1 - hazard) * leaving]
        left *= (1 - hazard) * (1 - leaving)
    rng = np.random.default_rng(seed)
    noise = Laplace(1 / epsilon)
    drawn = rng.multinomial(people, [*shares, left], RUNS)
    cells = drawn + draw_noise(noise, drawn.shape, rng)
    return NoisyLifeTable(cells[:, 0:-1:2], cells[:, 1:-1:2], cells[:, -1], noise)


@pytest.mark.parametrize(("people", "epsilon"), [(1_000, 1.0), (3_000, 0.1)])
@pytest.mark.parametrize("hazard", [0.1, 0.01])
def test_curves_cover_and_never_rise(people: int, epsilon: float, hazard: float) -> None:
    table = draw_lives(people, hazard, 0.05, epsilon, 1)
    shares, low, high = bound_survival(table, 0.05)
    truth = (1 - hazard) ** np.arange(1, TIMES + 1)
    assert np.all(np.mean((low <= truth) & (truth <= high), axis=0) >= COVERED)
    assert np.all(np.diff(shares, axis=-1) <= 0)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))


def test_equal_survival_is_seldom_rejected_and_other_survival_often() -> None:
    first, second = draw_lives(600, 0.05, 0.05, 1.0, 2), draw_lives(400, 0.05, 0.2, 1.0, 3)
    p_values, enough = explain_equal_survival(first, second)
    assert enough.all()
    assert np.mean(p_values <= 0.05) <= REJECTED
    p_values, _ = explain_equal_survival(first, draw_lives(400, 0.15, 0.2, 1.0, 4))
    assert np.mean(p_values <= 0.05) > 0.95


def test_the_slopes_are_the_derivatives() -> None:
    cells = np.array([[30.0, 10.0, 25.0, 5.0, 20.0, 8.0, 40.0]])

    def read(each: Any) -> NoisyLifeTable:
        return NoisyLifeTable(each[:, 0:-1:2], each[:, 1:-1:2], each[:, -1], Laplace(1.0))

    here, sampled, slopes = estimate_survival(read(cells))
    table = read(cells)
    moved = [(estimate_survival(read(cells + step))[0] - here) / 1e-5 for step in 1e-5 * np.eye(7)[:, None, :]]
    assert slopes == pytest.approx(sum(each**2 for each in moved), rel=1e-3)
    hazard = table.events / table.at_risk
    assert sampled == pytest.approx((hazard / ((1 - hazard) * table.at_risk)).cumsum(axis=-1))


def test_a_curve_ends_where_few_are_at_risk() -> None:
    table = draw_lives(100, 0.4, 0.4, 0.5, 5)
    _, low, high = bound_survival(table, 0.05)
    assert table.told[:, 0].mean() > 0.9
    assert table.told[:, -1].mean() < 0.1
    assert np.all(low[~table.told] == 0)
    assert np.all(high[~table.told] == 1)
    nobody = draw_lives(0, 0.1, 0.1, 1.0, 6)
    assert explain_equal_survival(nobody, nobody)[0].min() == 1


ROWS: list[Visit] = [
    (person, 1 + person % 100, 100.0 + 700 * (person % 3 == 0), ("north", "icu")[person % 100 < 40])
    for person in range(1_200)
]
"""People who were seen until an age of 1 to 100; of every third the event is known."""


def test_survival_through_the_door(tmp_path: Path) -> None:
    how: dict[str, Any] = {"times": [20, 40, 60, 80], "epsilon": 5}
    with open_clinic(tmp_path, ROWS, epsilon=100.0) as curator:
        curve = survival_curve(curator, "visits", "age", "cost > 500", **how)
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        truth = np.cumprod([1 - 80 / 1200, 1 - 80 / 960, 1 - 80 / 720, 1 - 80 / 480])
        assert np.allclose(curve.shares, truth, atol=0.03)
        assert curve.told == 4
        assert abs(curve.groups[0].count - 1200) < 40
        text = " ".join(str(curve).split())
        for words in ("after 20:", "after 80:", "sampling and noise together", "epsilon 5", str(curve.receipt)):
            assert words in text
        figure = curve.plot(tmp_path / "curve.png")
        (line,) = figure.axes[0].lines
        assert line.get_xdata()[-1] > 80, "what is told at the last time is seen"
        assert line.get_ydata()[-1] == curve.shares[-1]
        assert "survival of visits" in figure.get_supxlabel()
        assert (tmp_path / "curve.png").stat().st_size > 1_000
        test = log_rank_test(curator, "visits", "age", "cost > 500", by="ward", between=["north", "icu"], **how)
        assert test.p_value < 0.001
        again = log_rank_test(curator, "visits", "age", "cost > 500", by="ward", between=["north", "icu"], **how)
        assert (again.receipt.paid, again.p_value) == ("free", test.p_value)
    with open_clinic(tmp_path / "nobody", [], epsilon=100.0) as curator:
        assert survival_curve(curator, "visits", "age", "cost > 500", **how).told == 0
        none = log_rank_test(curator, "visits", "age", "cost > 500", by="ward", between=["north", "icu"], **how)
        assert (none.p_value, none.enough) == (1, False)


@pytest.mark.parametrize("times", [[], [20, 20], [40, 20], "ages", [float("nan")], list(range(200))])
def test_times_that_do_not_rise_are_refused_before_a_charge(times: Any, tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        with pytest.raises(DiscreetError, match="times"):
            survival_curve(curator, "visits", "age", "cost > 500", times=times, epsilon=1)
        assert curator.session().budget.total.spent == 0


def test_the_same_lives_are_less_surprising_under_wider_noise() -> None:
    """40 of 400 died in one group and 70 in the other: a p-value that counts sampling alone would stay."""
    found = []
    for scale in (0.01, 5.0, 50.0):
        tables = [
            NoisyLifeTable(np.array([[dead]]), np.array([[0.0]]), np.array([400.0 - dead]), Laplace(scale))
            for dead in (40.0, 70.0)
        ]
        found.append(float(explain_equal_survival(*tables)[0][0]))
    assert found[0] < 0.01 < found[1] < found[2]
