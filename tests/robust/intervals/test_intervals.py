"""Intervals through the door: one charge, one record, one value for each person, refused before a charge or never."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import BudgetError, DiscreetError
from discreet.robust import (
    PopulationInterval,
    difference_interval,
    mean_interval,
    plot_intervals,
    proportion_interval,
)
from support.clinic import Visit, open_clinic

PATIENTS = 900

ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + 10 * (patient % 50) + 200 * visit, ("north", "icu")[patient % 2])
    for patient in range(PATIENTS)
    for visit in range(1 + patient % 3)
]
"""Visits of people who stay in one ward each."""

MEANS = [1000.0 + 10 * (patient % 50) + 100 * (patient % 3) for patient in range(PATIENTS)]
"""What each person's visits cost on average."""

SURE = 0.99999
"""A confidence at which a test would fail once in many years."""


def test_a_mean_is_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        found = mean_interval(curator, "visits", "cost", epsilon=8, confidence=SURE)
        assert found.receipt.paid == "charged"
        assert found.receipt.charge.epsilon == 8
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        assert found.low <= float(np.mean(MEANS)) <= found.high
        assert found.enough
        assert found.high - found.low < 400
        assert abs(found.groups[0].count - PATIENTS) <= 50
        again = mean_interval(curator, "visits", "cost", epsilon=8, confidence=0.5)
        assert again.receipt.paid == "free"
        assert again.estimate == found.estimate
        assert found.low < again.low < again.high < found.high
        assert mean_interval(curator, "visits", "cost", epsilon=8, fresh=True).receipt.paid == "charged"
        assert kinds(curator).count("CHARGE") == 2
        assert curator.ledger.verify().ok


def test_each_person_counts_once_with_one_value(tmp_path: Path) -> None:
    """A person with a hundred times the rows of others weighs as much as they do."""
    heavy: list[Visit] = [(7, 30, 5000.0, "north") for _ in range(3)]
    heavy += [(person, 30, 0.0, "north") for person in range(100, 400)]
    with open_clinic(tmp_path, heavy, epsilon=100.0) as curator:
        for per_unit, value in (("mean", 5000), ("sum", 15000), ("min", 5000), ("max", 5000)):
            found = mean_interval(curator, "visits", "cost", epsilon=20, per_unit=per_unit, confidence=SURE)
            assert abs(found.groups[0].count - 301) < 30
            assert found.low <= value / 301 <= found.high


def test_shares_and_differences_hold_the_truth(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=100.0) as curator:
        how: dict[str, Any] = {"epsilon": 8, "confidence": SURE}
        share = proportion_interval(curator, "visits", "cost > 1400", **how)
        dear = [any(c is not None and c > 1400 for p, _, c, _ in ROWS if p == patient) for patient in range(PATIENTS)]
        assert share.low <= np.mean(dear) <= share.high
        assert share.high - share.low < 0.3
        every = proportion_interval(curator, "visits", "cost > 1400", per_unit="all", **how)
        assert every.estimate < share.estimate
        means = difference_interval(curator, "visits", "cost", by="ward", between=["icu", "north"], **how)
        split = [np.mean([value for at, value in enumerate(MEANS) if at % 2 == side]) for side in (1, 0)]
        assert means.low <= split[0] - split[1] <= means.high
        assert [each.name for each in means.groups] == ["ward = icu", "ward = north"]
        shares = difference_interval(
            curator, "visits", condition="age > 50", by="ward = 'icu'", between=[True, False], **how
        )
        assert shares.low <= 0 <= shares.high
        assert all(abs(each.count - PATIENTS / 2) < 40 for each in shares.groups)


def test_who_is_in_both_groups_is_in_neither(tmp_path: Path) -> None:
    both: list[Visit] = [(person, 30, 100.0, ward) for person in range(300) for ward in ("north", "icu")]
    with open_clinic(tmp_path, both, epsilon=20.0) as curator:
        found = difference_interval(curator, "visits", "cost", by="ward", between=["north", "icu"], epsilon=10)
        assert all(abs(each.count) < 30 for each in found.groups)
        assert not found.enough
        assert (found.low, found.high) == (-5000, 5000)


def test_gaussian_noise_is_taken_from_the_price(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0, delta=1e-9) as curator:
        found = mean_interval(curator, "visits", "cost", rho=1.0, confidence=SURE)
        assert found.low <= float(np.mean(MEANS)) <= found.high
        assert found.receipt.charge.rho == 1


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
        [(person, 40, 5000.0, "north") for person in range(50)],
    ],
)
def test_no_data_raises_after_the_charge(rows: list[Visit], tmp_path: Path) -> None:
    with open_clinic(tmp_path, rows, epsilon=200.0) as curator:
        for epsilon in (0.01, 10):
            for found in (
                mean_interval(curator, "visits", "cost", epsilon=epsilon),
                proportion_interval(curator, "visits", "cost > 50", epsilon=epsilon),
                difference_interval(curator, "visits", "cost", by="ward", between=["icu", "north"], epsilon=epsilon),
                difference_interval(
                    curator, "visits", condition="age > 5", by="ward", between=["icu", "north"], epsilon=epsilon
                ),
            ):
                assert found.low <= found.high
                assert found.enough or "too few people to say" in str(found)
                assert np.isfinite([found.estimate, found.low, found.high]).all()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"table": "wards", "column": "beds"}, "private"),
        ({"table": "nothing", "column": "cost"}, "no table"),
        ({"table": "visits", "column": "doctor"}, "doctor"),
        ({"table": "visits", "column": "costs"}, "costs"),
        ({"table": "visits", "column": " "}, "column"),
        ({"table": "visits", "column": "cost", "where": "age > 3) GROUP BY (1"}, "SQL"),
        ({"table": "visits", "column": "cost", "per_unit": "median"}, "per_unit"),
        ({"table": "visits", "column": "cost", "confidence": 1}, "confidence"),
        ({"table": "visits", "column": "cost", "confidence": 0.05}, "confidence"),
        ({"table": "visits", "column": "cost", "epsilon": -1}, "epsilon"),
        ({"table": "visits", "column": "cost", "params": {"age": 3}}, "age"),
    ],
)
def test_bad_input_is_refused_before_a_charge(how: dict[str, Any], words: str, tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        table, column = how.pop("table"), how.pop("column")
        with pytest.raises(DiscreetError, match=words):
            mean_interval(curator, table, column, **({"epsilon": 1} | how))
        assert curator.session().budget.total.spent == 0


@pytest.mark.parametrize(
    "how",
    [
        {"between": ["icu"]},
        {"between": "in"},
        {"between": ["icu", "icu"]},
        {"between": ["icu", 3]},
        {"between": [0.5, 1.5]},
        {"between": ["icu", "north"], "condition": "age > 3"},
        {"between": ["icu", "north"], "column": None},
        {"between": [1, 2]},
    ],
)
def test_groups_that_are_none_are_refused_before_a_charge(how: dict[str, Any], tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS) as curator:
        everything: dict[str, Any] = {"column": "cost", "by": "ward", "epsilon": 1} | how
        with pytest.raises(DiscreetError):
            difference_interval(curator, "visits", **everything)
        assert curator.session().budget.total.spent == 0


def test_what_does_not_fit_the_budget_is_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=1.0) as curator, pytest.raises(BudgetError):
        mean_interval(curator, "visits", "cost", epsilon=2)


def test_a_result_says_what_it_covers_and_what_it_cost(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        found = mean_interval(curator, "visits", "cost", epsilon=5, where="age < 60")
        share = proportion_interval(curator, "visits", "age > $age", params={"age": 50}, epsilon=5)
        for text in (str(found), repr(found), found._repr_html_()):
            for words in (
                "95 % interval for sampling and noise together",
                "covers",
                "bias of clamping: values outside 0 .. 5,000",
                "no interval covers",
                "the sample is of people, not",
                "5-differentially private",
                "epsilon 5",
                str(found.receipt),
                "about ",
            ):
                assert words in " ".join(text.split()), words
        assert "clamping" not in str(share)
        told = json.loads(json.dumps(found.to_dict()))
        assert told["low"] <= told["estimate"] <= told["high"]
        assert "clamping" in told["not_covered"]
        assert isinstance(found, PopulationInterval)
        for path in (tmp_path / "one.png", tmp_path / "both.svg"):
            plot_intervals([found, share], path)
            assert path.stat().st_size > 1_000
        label = found.plot().axes[0].get_yticklabels()[0].get_text()
        assert "age < 60" in label.replace("\n", " "), "no part of what is estimated is cut off"
        with pytest.raises(DiscreetError, match="pictures end in"):
            found.plot(tmp_path / "one.words")
        with pytest.raises(DiscreetError, match="nothing to draw"):
            plot_intervals([])


def test_texts_in_a_result_are_escaped(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        found = mean_interval(curator, "visits", "cost", epsilon=5, where="doctor <> '<script>'")
        assert "<script>" not in found._repr_html_()
