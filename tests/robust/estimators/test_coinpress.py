"""CoinPress: means of several columns at once, by smaller and smaller balls, for the price that was stated."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet import robust
from discreet.base.errors import DiscreetError
from discreet.robust.estimators.coinpress import CoinPress, bound_length
from support.clinic import Visit, open_clinic

RNG = np.random.default_rng(8)
AGES, COSTS = RNG.normal(50, 10, 4000).clip(0, 110).astype(int), RNG.normal(1200, 100, 4000).clip(0, 5000)
ROWS: list[Visit] = [
    (patient, int(AGES[patient]), float(COSTS[patient]), "icu")
    for patient in range(4000)
    for _ in range(1 + patient % 2)
]
DEVIATIONS = {"age": 12.0, "cost": 120.0}


def test_means_are_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=200.0, delta=1e-8) as curator:
        found = robust.multivariate_mean(curator, "visits", DEVIATIONS, rho=0.5)
        assert (found.receipt.paid, found.receipt.charge.rho) == ("charged", Fraction(1, 2))
        assert kinds(curator) == ["CREATE", "CHARGE", *["MEASURE"] * 4, "RECORD"]
        assert abs(found.values["age"] - AGES.mean()) < 1
        assert abs(found.values["cost"] - COSTS.mean()) < 10
        assert abs(found.count - 4000) < 60
        assert robust.multivariate_mean(curator, "visits", DEVIATIONS, rho=0.5).receipt.paid == "free"
        assert robust.multivariate_mean(curator, "visits", DEVIATIONS, rho=0.5, steps=2).receipt.paid == "charged"
        assert "mean of cost" in str(found)
        assert found.to_dict()["values"] == found.values
        assert curator.ledger.verify().ok


def test_several_steps_need_less_noise_than_one(tmp_path: Path) -> None:
    """Bounds are forty deviations wide here."""
    with open_clinic(tmp_path, ROWS, epsilon=200.0, delta=1e-8) as curator:
        one, three = (robust.multivariate_mean(curator, "visits", DEVIATIONS, rho=0.1, steps=each) for each in (1, 3))
        assert three.within["cost"] < one.within["cost"] / 2
        assert abs(three.values["cost"] - COSTS.mean()) < 5 * three.within["cost"] + 3


@pytest.mark.parametrize("steps", [1, 2, 3, 7])
def test_the_parts_of_rho_add_up_to_all_of_it(steps: int) -> None:
    made = CoinPress(None, (0.0,), 1.0, steps, Fraction(1, 3))  # type: ignore[arg-type]
    assert sum(made.list_shares()) == 1
    assert len(made.list_shares()) == steps + 1


def test_normal_vectors_are_seldom_longer_than_their_bound() -> None:
    for dimension in (1, 2, 10):
        drawn = np.linalg.norm(RNG.normal(size=(2_000, 100, dimension)), axis=-1).max(axis=-1)
        assert np.mean(drawn > bound_length(dimension, 100)) <= 0.01 + 6 * math.sqrt(0.01 / 2_000)


def test_nobody_and_one_person_are_answered(tmp_path: Path) -> None:
    for rows in ([], ROWS[:1]):
        with open_clinic(tmp_path / str(len(rows)), rows, epsilon=20.0, delta=1e-8) as curator:
            assert robust.multivariate_mean(curator, "visits", DEVIATIONS, rho=0.01).count >= 1


@pytest.mark.parametrize(
    ("columns", "how", "message"),
    [
        ({}, {}, "columns must be"),
        (["age"], {}, "columns must be"),
        ({"age": 0}, {}, "columns must be"),
        ({"ward": 1}, {}, "AVG|number"),
        ({"age": 5}, {"steps": 0}, "steps must be"),
        ({"age": 5}, {"rho": 0}, "rho must be"),
        ({"age": 5}, {"per_unit": "rows"}, "each person is one vector"),
    ],
)
def test_what_could_not_run_is_refused_before_the_charge(
    tmp_path: Path, columns: Any, how: dict[str, Any], message: str
) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8) as curator:
        with pytest.raises(DiscreetError, match=message):
            robust.multivariate_mean(curator, "visits", columns, **({"rho": 0.1} | how))
        assert kinds(curator) == ["CREATE"]
