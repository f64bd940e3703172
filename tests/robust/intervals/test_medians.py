"""Medians and quantiles through the door: one charge for both draws, one record, refused before it or never."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import BudgetError, DiscreetError
from discreet.robust import median_interval, quantile_interval
from support.clinic import Visit, open_clinic

PATIENTS = 900

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + 10 * (patient % 50) + 200 * visit, "north")
    for patient in range(PATIENTS)
    for visit in range(1 + patient % 3)
]

MEANS = [1000.0 + 10 * (patient % 50) + 100 * (patient % 3) for patient in range(PATIENTS)]
"""What each person's visits cost on average."""

SURE = 0.999999
"""Of sampling and noise: the people of the table are the population here, so that noise alone never leaves it."""


def test_a_median_is_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        found = median_interval(curator, "visits", "cost", epsilon=8, confidence=SURE)
        assert found.receipt.paid == "charged"
        assert found.receipt.charge.epsilon == 8
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "RECORD"]
        assert found.low <= float(np.median(MEANS)) <= found.high
        assert found.high - found.low < 250
        assert found.enough
        assert abs(found.groups[0].count - PATIENTS) <= 100
        again = median_interval(curator, "visits", "cost", epsilon=8, confidence=0.5)
        assert again.receipt.paid == "free"
        assert found.low <= again.low <= again.estimate <= again.high <= found.high
        assert median_interval(curator, "visits", "cost", epsilon=8, fresh=True).receipt.paid == "charged"
        assert quantile_interval(curator, "visits", "cost", share=0.5, epsilon=8).receipt.paid == "free"
        assert kinds(curator).count("CHARGE") == 2
        assert curator.ledger.verify().ok


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_what_is_charged_is_what_was_asked_for(neighbours: str, tmp_path: Path) -> None:
    """Under replace neighbours one unit moves two pieces: the noise is wider, and the charge the same."""
    with open_clinic(tmp_path, ROWS, epsilon=50.0, delta=1e-9, neighbours=neighbours) as curator:
        for epsilon in (0.3, 7.7):
            assert float(median_interval(curator, "visits", "cost", epsilon=epsilon).receipt.charge.epsilon) == epsilon
        by_rho = median_interval(curator, "visits", "cost", rho=1, confidence=SURE)
        assert by_rho.receipt.charge.rho == 1
        assert by_rho.low <= float(np.median(MEANS)) <= by_rho.high


@pytest.mark.slow
def test_each_person_counts_once_with_one_value(tmp_path: Path) -> None:
    heavy: list[Visit] = [(person, 30, 4000.0, "north") for person in range(150) for _ in range(3)]
    heavy += [(person, 30, 10.0, "north") for person in range(1_000, 1_800)]
    with open_clinic(tmp_path, heavy, epsilon=100.0) as curator:
        for per_unit, share, value in (("mean", 0.5, 10), ("max", 0.95, 4000), ("sum", 0.95, 12_000), ("min", 0.5, 10)):
            how: dict[str, Any] = {"share": share, "per_unit": per_unit, "epsilon": 20, "confidence": SURE}
            found = quantile_interval(curator, "visits", "cost", **how)
            assert found.low == found.high == pytest.approx(value), "all who have that value have just that"
            assert abs(found.groups[0].count - 950) < 60


def test_bounds_much_too_wide_cost_little(tmp_path: Path) -> None:
    with open_clinic(tmp_path, [(p, 30, 0.01 * (p % 100), "icu") for p in range(900)], epsilon=20.0) as curator:
        found = median_interval(curator, "visits", "cost", epsilon=8, confidence=SURE)
        assert found.low <= 0.495 <= found.high
        assert found.high - found.low < 1, "of bounds from 0 to 5,000"


@pytest.mark.many
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(1, 40, 100.0, "north")],
        [(person, 40, float("nan"), "icu") for person in range(50)],
        [(person, None, None, None) for person in range(50)],
        [(None, 40, 100.0, "icu")] * 50,
        [(person, 40, float("inf"), "north") for person in range(50)],
        [(person, 40, 5000.0 * (person % 2), "north") for person in range(50)],
    ],
)
def test_no_data_raises_after_the_charge(rows: list[Visit], tmp_path: Path) -> None:
    with open_clinic(tmp_path, rows, epsilon=200.0) as curator:
        for epsilon in (0.01, 10):
            found = quantile_interval(curator, "visits", "cost", epsilon=epsilon)
            assert found.low <= found.estimate <= found.high
            assert found.enough or "too few people to say" in str(found)


def test_an_end_that_counts_do_not_tell_is_the_public_bound_and_says_so(tmp_path: Path) -> None:
    with open_clinic(tmp_path, [(p, 30, 10.0 + p, "icu") for p in range(900)], epsilon=20.0) as curator:
        found = quantile_interval(curator, "visits", "cost", share=0.999, epsilon=2, confidence=SURE)
        assert (found.high == 5000) == ("the high end is the public bound" in " ".join(str(found).split()))
        few = median_interval(curator, "visits", "cost", epsilon=0.001, confidence=SURE)
        assert few.enough or ((few.low, few.high) == (0, 5000) and "too few people to say" in str(few))
        assert "clamping: values outside 0 .. 5,000" in " ".join(str(found).split())


@pytest.mark.many
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"table": "wards", "column": "beds"}, "private"),
        ({"column": "doctor"}, "doctor"),
        ({"column": "day", "per_unit": "min"}, "day|number|value"),
        ({"where": "age > 3) GROUP BY (1"}, "SQL"),
        ({"share": 0}, "share"),
        ({"share": 1.0}, "share"),
        ({"share": "half"}, "share"),
        ({"per_unit": "median"}, "per_unit"),
        ({"confidence": 1}, "confidence"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": None}, "epsilon"),
        ({"rho": 1}, "epsilon"),
        ({"params": {"age": 3}}, "age"),
    ],
)
def test_bad_input_is_refused_before_a_charge(how: dict[str, Any], words: str, tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        everything: dict[str, Any] = {"table": "visits", "column": "cost", "epsilon": 1} | how
        with pytest.raises(DiscreetError, match=words):
            quantile_interval(curator, everything.pop("table"), everything.pop("column"), **everything)
        assert curator.session().budget.total.spent == 0


def test_what_does_not_fit_the_budget_is_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=1.0) as curator, pytest.raises(BudgetError):
        median_interval(curator, "visits", "cost", epsilon=2)
