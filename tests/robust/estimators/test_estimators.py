"""Robust statistics through the door: one charge, one record, by the mechanism that the price says."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet import robust
from discreet.base.errors import DiscreetError
from discreet.base.grid import Floats
from discreet.curator import Curator
from support.clinic import Visit, open_clinic

PATIENTS = 3000
ROWS: list[Visit] = [
    (patient, 20 + patient % 70, 1000.0 + patient % 500 + 100 * visit, ("north", "icu")[patient % 2])
    for patient in range(PATIENTS)
    for visit in range(1 + patient % 3)
]
VALUES = np.array([1000.0 + patient % 500 + 50 * (patient % 3) for patient in range(PATIENTS)])
"""What each person's visits cost on average: from 1,000 to 1,600, between public bounds of 0 and 5,000."""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with open_clinic(tmp_path_factory.mktemp("clinic"), ROWS, epsilon=10_000.0, delta=1e-8) as curator:
        yield curator


SPENT: list[tuple[dict[str, Any], str, str]] = [
    ({"epsilon": 20}, "smooth sensitivity with Student's t noise", "20-differentially private"),
    ({"epsilon": 20, "delta": 1e-10}, "smooth sensitivity with Laplace noise", "(20, 1e-10)-differentially private"),
    ({"rho": 50}, "smooth sensitivity with Laplace log-normal noise", "50-zCDP"),
    ({"epsilon": 20, "delta": 1e-10, "proposal": 30}, "propose-test-release", "(20, 1e-10)-differentially private"),
]


@pytest.mark.parametrize(("spent", "mechanism", "guarantee"), SPENT, ids=[each[1] for each in SPENT])
def test_what_is_spent_says_which_mechanism_is_used(
    clinic: Curator, spent: dict[str, Any], mechanism: str, guarantee: str
) -> None:
    kept = np.sort(VALUES)[PATIENTS // 10 : -PATIENTS // 10]
    found = robust.trimmed_mean(clinic, "visits", "cost", **spent)
    assert found.mechanism == mechanism
    assert found.to_dict()["guarantee"] == guarantee
    assert found.value is not None
    assert abs(found.value - kept.mean()) < 60
    middle = robust.median(clinic, "visits", "cost", **spent)
    pure = set(spent) == {"epsilon"}
    assert middle.mechanism == ("inverse sensitivity" if pure else mechanism)
    assert middle.value is not None
    assert abs(middle.value - np.median(VALUES)) < 60
    assert (middle.interval is not None) == (pure or "proposal" in spent)
    assert "no interval" in str(found) or found.interval is not None


def test_a_statistic_is_one_charge_one_record_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        found = robust.trimmed_mean(curator, "visits", "cost", epsilon=0.1)
        assert (found.receipt.paid, found.receipt.charge.epsilon) == ("charged", Fraction(1, 10))
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        again = robust.trimmed_mean(curator, "visits", "cost", epsilon=0.1)
        assert (again.receipt.paid, again.value) == ("free", found.value)
        for other in ({"trim": 0.2}, {"fresh": True}, {"where": "age > 30"}, {"per_unit": "rows"}):
            how: dict[str, Any] = {"epsilon": 0.1} | other
            assert robust.trimmed_mean(curator, "visits", "cost", **how).receipt.paid == "charged"
        assert curator.ledger.verify().ok


def test_a_refusal_is_charged_recorded_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0, delta=1e-8) as curator:
        how: dict[str, Any] = {"epsilon": 0.5, "delta": 1e-10, "proposal": 0.01}
        found = robust.trimmed_mean(curator, "visits", "cost", **how)
        assert found.refused
        assert (found.value, found.interval, found.receipt.paid) == (None, None, "charged")
        assert "refused" in str(found)
        again = robust.trimmed_mean(curator, "visits", "cost", **how)
        assert (again.refused, again.receipt.paid) == (True, "free")


def test_an_interval_of_a_drawn_quantile_holds_the_true_one(clinic: Curator) -> None:
    for share in (0, 0.1, 0.9, 1):
        found = robust.quantile(clinic, "visits", "cost", share, epsilon=5, confidence=0.999999)
        assert found.interval is not None
        assert found.interval[0] <= np.quantile(VALUES, share) <= found.interval[1]


def test_values_are_of_people_or_of_rows(clinic: Curator) -> None:
    rows = robust.median(clinic, "visits", "cost", epsilon=50, per_unit="rows").value
    most = robust.median(clinic, "visits", "cost", epsilon=50, per_unit="max").value
    assert rows is not None
    assert most is not None
    assert abs(rows - np.median([cost for _, _, cost, _ in ROWS])) < 20
    assert abs(most - np.median([1000.0 + p % 500 + 100 * (p % 3) for p in range(PATIENTS)])) < 20
    assert robust.median(clinic, "visits", "cost", epsilon=50, per_unit="rows", max_rows=1).what.startswith("0.5")


def test_a_mean_without_bounds_finds_them(clinic: Curator) -> None:
    found = robust.unbounded_mean(clinic, "visits", "cost", step=0.01, epsilon=50)
    assert found.value is not None
    assert abs(found.value - VALUES.mean()) < 5
    assert abs(found.deviation - VALUES.std()) < 10
    assert abs(found.count - PATIENTS) < 20
    assert found.receipt.charge.epsilon == 50
    assert "were found privately" in str(found).replace("\n  ", " ")
    spread = robust.interquartile_range(clinic, "visits", "cost", step=0.01, epsilon=50)
    quarters = np.quantile(VALUES, [0.25, 0.75])
    assert spread.value is not None
    assert abs(spread.value - (quarters[1] - quarters[0])) < 20


@pytest.fixture
def own_clinic(tmp_path: Path) -> Any:
    with open_clinic(tmp_path, ROWS, epsilon=10_000.0, delta=1e-8) as curator:
        yield curator


def test_too_few_people_for_a_private_range_are_said_to_be(own_clinic: Curator) -> None:
    how: dict[str, Any] = {"step": 0.01, "epsilon": 0.1, "where": "cost > 1700"}
    for found in (
        robust.unbounded_mean(own_clinic, "visits", "cost", **how),
        robust.unbounded_mean(own_clinic, "visits", "cost", method="universal", **how),
        robust.unbounded_variance(own_clinic, "visits", "cost", **how),
    ):
        assert not found.enough
        assert found.to_dict()["enough"] is False
        assert "TOO FEW PEOPLE TO SAY: of fewer than about" in str(found).replace("\n  ", " ")
    wide = robust.interquartile_range(own_clinic, "visits", "cost", **how)
    assert "it says nothing" in str(wide).replace("\n  ", " ")
    assert robust.unbounded_mean(own_clinic, "visits", "cost", step=0.01, epsilon=40).enough


def test_universal_estimators_find_their_range_and_say_so(own_clinic: Curator) -> None:
    clinic = own_clinic
    how: dict[str, Any] = {"step": 0.01, "epsilon": 40}
    mean = robust.unbounded_mean(clinic, "visits", "cost", method="universal", **how)
    assert mean.value is not None
    assert abs(mean.value - VALUES.mean()) < 5
    assert abs(mean.count - PATIENTS) < 20
    assert (mean.deviation, mean.receipt.charge.epsilon) == (None, 40)
    assert "deviation" not in str(mean)
    spread = robust.unbounded_variance(clinic, "visits", "cost", **how)
    assert spread.deviation is not None
    assert spread.value == pytest.approx(spread.deviation**2)
    assert spread.deviation == pytest.approx(VALUES.std(), rel=0.1)
    assert "paired at random" in str(spread).replace("\n  ", " ")
    wide = robust.interquartile_range(clinic, "visits", "cost", method="universal", **how)
    quarters = np.quantile(VALUES, [0.25, 0.75])
    assert wide.value == pytest.approx(quarters[1] - quarters[0], abs=20)
    again = robust.unbounded_mean(clinic, "visits", "cost", method="universal", **how)
    assert (again.value, again.receipt.paid) == (mean.value, "free")
    assert robust.unbounded_mean(clinic, "visits", "cost", **how).receipt.paid == "charged", "the usual way is another"
    assert json.loads(json.dumps(mean.to_dict()))["deviation"] is None


def fit_slope(rows: Floats) -> float:
    """Return how much more older people cost: a function with no sensitivity that anybody knows."""
    slope: float = np.polyfit(rows[:, 0], rows[:, 1], 1)[0]
    return slope


def test_any_function_is_told_as_the_median_over_groups(clinic: Curator) -> None:
    how: dict[str, Any] = {"name": "slope", "groups": 60, "bounds": (-50, 50), "epsilon": 20}
    found = robust.aggregate(clinic, "visits", ["age", "3 * age + 5"], fit_slope, **how)
    assert found.value is not None
    assert abs(found.value - 3) < 0.1
    assert found.receipt.paid == "charged"
    assert robust.aggregate(clinic, "visits", ["age", "3 * age + 5"], fit_slope, **how).receipt.paid == "free"
    broken = robust.aggregate(clinic, "visits", ["age"], fit_slope, **(how | {"name": "broken", "groups": 400}))
    assert broken.value is not None
    assert abs(broken.value) < 0.1, "the middle of the bounds"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda c: robust.trimmed_mean(c, "visits", "cost"), "epsilon must be given, or rho"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", rho=1, delta=1e-9), "delta must be left out beside rho"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", epsilon=1, proposal=3), "delta must be given beside"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", epsilon=1, proposal=-3, delta=1e-9), "proposal must be"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", epsilon=1, trim=0.5), "trim must be"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", epsilon=1, max_rows=2), "max_rows must be left out"),
        (lambda c: robust.trimmed_mean(c, "visits", "cost", epsilon=1, per_unit="best"), "per_unit must be"),
        (lambda c: robust.trimmed_mean(c, "visits", "ward", epsilon=1), "AVG|number"),
        (lambda c: robust.trimmed_mean(c, "wards", "beds", epsilon=1), "a private one"),
        (lambda c: robust.trimmed_mean(c, "nowhere", "cost", epsilon=1), "nowhere"),
        (lambda c: robust.quantile(c, "visits", "cost", 1.5, epsilon=1), "share must be"),
        (lambda c: robust.median(c, "visits", "cost", epsilon=1, confidence=2), "confidence must be"),
        (lambda c: robust.unbounded_mean(c, "visits", "cost", step=0, epsilon=1), "step must be"),
        (
            lambda c: robust.aggregate(c, "visits", [], len, name="n", groups=9, bounds=(0, 1), epsilon=1),
            "columns must",
        ),
        (
            lambda c: robust.aggregate(c, "visits", ["age"], len, name="n", groups=1, bounds=(0, 1), epsilon=1),
            "groups must",
        ),
        (
            lambda c: robust.aggregate(c, "visits", ["age"], len, name="n", groups=9, bounds=(1, 0), epsilon=1),
            "bounds must",
        ),
        (
            lambda c: robust.aggregate(c, "visits", ["age"], len, name=" ", groups=9, bounds=(0, 1), epsilon=1),
            "name",
        ),
    ],
)
def test_what_could_not_run_is_refused_and_nothing_is_charged(tmp_path: Path, ask: Any, message: str) -> None:
    with open_clinic(tmp_path, ROWS[:50], epsilon=20.0, delta=1e-8) as curator:
        with pytest.raises(DiscreetError, match=message):
            ask(curator)
        assert kinds(curator) == ["CREATE"]


@pytest.mark.many
@pytest.mark.parametrize("rows", [[], [(1, 30, 5.0, "icu")], [(p, 30, 7.0, "icu") for p in range(9)]], ids=len)
def test_nobody_one_person_and_ties_are_answered(tmp_path: Path, rows: list[Visit]) -> None:
    with open_clinic(tmp_path, rows, epsilon=9000.0, delta=1e-8) as curator:
        for spent, *_ in SPENT:
            robust.trimmed_mean(curator, "visits", "cost", **spent)
            robust.median(curator, "visits", "cost", **spent)
        robust.unbounded_mean(curator, "visits", "cost", step=0.01, epsilon=1)
        robust.aggregate(curator, "visits", ["age"], len, name="n", groups=9, bounds=(0, 1), epsilon=1)
        json.dumps([robust.interquartile_range(curator, "visits", "cost", step=0.01, epsilon=1).to_dict()])


def test_nulls_and_nan_are_no_values_and_infinities_are_held_at_the_bounds(tmp_path: Path) -> None:
    """Of 1,600 patients a quarter has NULL, a quarter NaN, and nobody knows whose the last row is."""
    known = [1000.0 + patient % 500 for patient in range(1600) if patient % 4 > 1]
    rows: list[Visit] = [
        (patient, 30, (None, math.nan, 1000.0 + patient % 500)[min(patient % 4, 2)], "icu") for patient in range(1600)
    ]
    rows += [(None, 30, 4000.0, "icu"), (5000, 30, math.inf, "icu"), (5001, 30, -math.inf, "icu")]
    with open_clinic(tmp_path, rows, epsilon=9000.0, delta=1e-8) as curator:
        near = [
            robust.trimmed_mean(curator, "visits", "cost", epsilon=50).value,
            robust.median(curator, "visits", "cost", epsilon=50).value,
            robust.quantile(curator, "visits", "cost", 0.5, epsilon=50, per_unit="rows").value,
            robust.unbounded_mean(curator, "visits", "cost", step=0.01, epsilon=100).value,
        ]
        assert [each is not None and abs(each - np.mean(known)) < 60 for each in near] == [True] * 4
        found = robust.unbounded_mean(curator, "visits", "age", step=1, epsilon=100)
        assert abs(found.count - 1602) < 20
        assert abs(robust.unbounded_mean(curator, "visits", "cost", step=1, epsilon=100).count - 802) < 20
    with open_clinic(tmp_path / "rho", rows, epsilon=9000.0, delta=1e-8) as curator:
        both = robust.multivariate_mean(curator, "visits", {"cost": 200.0, "age": 5.0}, rho=50)
        assert abs(both.values["cost"] - np.mean(known)) < 60
        assert abs(both.count - 802) < 20
