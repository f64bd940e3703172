"""A finished release: what lies in its folder, its receipt, its measurements."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.privacy import GaussianLoss
from discreet.topdown.release.census_release import CensusRelease
from topdown.small_release import SmallCensus


def test_the_receipt_says_what_it_cost_and_between_whom_the_guarantee_holds(small_release: CensusRelease) -> None:
    told = json.loads((small_release.folder / "receipt.json").read_text())
    assert told == small_release.receipt
    assert told["rho"] == "3"
    assert Fraction(told["spent"]) <= 3
    assert [each["delta"] for each in told["epsilon"]] == ["1/10000000000", "1/100000000000"]
    for each in told["epsilon"]:
        exact = GaussianLoss(Fraction(6) ** Fraction(1, 2)).epsilon(Fraction(each["delta"]))
        assert each["epsilon"] == pytest.approx(exact.high, rel=1e-6)
    assert told["neighbours"] == "replace"
    assert "replaced" in told["protects"]
    assert [each["name"] for each in told["invariants"]] == ["region totals", "facilities"]
    assert "holds between databases that have the same answers to total in every area of Region" in told["guarantee"][0]
    assert small_release.charge.paid == "charged"
    assert float(small_release.charge.charge.rho) == pytest.approx(3)


def test_measurements_are_published_with_their_noise(small_census: SmallCensus, small_release: CensusRelease) -> None:
    told = small_release.told["measurements"]
    assert [(each["level"], each["query"]) for each in told][:3] == [
        ("Country", "detailed"),
        ("Region", "total"),
        ("Region", "detailed"),
    ]
    town = next(each for each in told if (each["level"], each["query"]) == ("Town", "detailed"))
    values = np.asarray(small_release.measurement("Town", "detailed").column("value")).reshape(22, 18)
    off = values - small_census.truth
    assert 0.7 < off.std() / town["sigma"] < 1.3
    assert not np.array_equal(values[:, 0], small_census.truth[:, 0])


def test_areas_have_their_people_and_simulated_errors(small_release: CensusRelease) -> None:
    table = small_release.areas()
    assert len(table) == 1 + 2 + 7 + 22
    assert table.column("parent").null_count == 1
    assert table.column("total_error").null_count == 0


def test_it_shows_itself_and_names_what_there_is(small_release: CensusRelease) -> None:
    shown = str(small_release)
    assert "600 people" in shown
    assert "Town 22" in shown
    assert "certified" in shown
    assert small_release.levels == ("Country", "Region", "District", "Town")
    with pytest.raises(ParameterError, match="Country / total"):
        small_release.table("Canton", "total")


def test_a_folder_without_a_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DiscreetError, match="no finished release"):
        CensusRelease.open(tmp_path)
