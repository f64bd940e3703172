"""Tables: every area and answer with count, interval, unbiased estimate and margins; large ones in parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.topdown.making import run
from discreet.topdown.release import rows as release_rows
from discreet.topdown.release import tables
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.checking import check
from discreet.topdown.release.tables import plan_tables
from topdown.small_release import SmallCensus


def test_a_table_has_a_row_for_each_area_and_each_answer_that_somebody_can_be_in(small_release: CensusRelease) -> None:
    table = small_release.table("Town", "detailed")
    names = ["level", "area", "kind", "adult", "colour", "count", "low", "high", "margin", "gls", "gls_margin"]
    assert table.column_names == names
    assert len(table) == 22 * 15
    assert set(table.column("colour").to_pylist()) == {1, 2, 3}
    rows = table.select(["kind", "adult"]).to_pylist()
    assert {"kind": "prison", "adult": "no"} not in rows
    assert small_release.table("Region", "facility").column("facility").to_pylist() == ["home", "facility"] * 2


def test_areas_that_stand_in_for_a_skipped_level_are_in_no_table(small_release: CensusRelease) -> None:
    areas = set(small_release.table("District", "total").column("area").to_pylist())
    assert areas == {f"d{number}" for number in range(1, 6)}


def test_unbiased_estimates_are_consistent_too(small_release: CensusRelease) -> None:
    towns = np.asarray(small_release.table("Town", "total").column("gls")).sum()
    assert towns == pytest.approx(600, abs=1e-6)
    whole = small_release.table("Country", "kind")
    assert np.asarray(whole.column("gls")).sum() == pytest.approx(600, abs=1e-6)
    assert np.asarray(whole.column("count")).sum() == 600


def test_every_cell_has_margins_and_public_totals_have_none_to_fear(small_release: CensusRelease) -> None:
    for level in small_release.levels:
        for query in small_release.queries:
            table = small_release.table(level, query)
            columns = ("count", "low", "high", "margin", "gls_margin")
            count, low, high, margin, known = (np.asarray(table.column(name)) for name in columns)
            assert [table.schema.field(name).type for name in columns[:4]] == [pa.int64()] * 4
            assert low.min() >= 0
            assert (low <= high).all()
            assert (high - low <= 2 * known + 1).all(), "never wider than the unbiased estimate's"
            assert np.array_equal(margin, np.maximum(count - low, high - count))
    assert np.asarray(small_release.table("Region", "total").column("margin")).max() == 0


@pytest.mark.slow
def test_published_areas_of_a_regrouped_level_are_sums_of_their_towns(regrouped_release: CensusRelease) -> None:
    districts = regrouped_release.table("District", "detailed")
    assert set(districts.column("area").to_pylist()) == {f"d{number}" for number in range(1, 6)}
    assert check(regrouped_release).wrong == ()
    towns = regrouped_release.table("Town", "detailed").to_pylist()
    for row in regrouped_release.table("District", "total").to_pylist():
        inside = {f"t{4 * (int(row['area'][1:]) - 1) + place}" for place in range(4)}
        assert row["count"] == sum(town["count"] for town in towns if town["area"] in inside)
        estimate = sum(
            each["gls"] for each in regrouped_release.table("Town", "total").to_pylist() if each["area"] in inside
        )
        assert row["gls"] == pytest.approx(estimate, abs=1e-6)
        assert row["gls_margin"] > 0


@pytest.mark.slow
def test_large_tables_are_written_in_parts_that_are_read_as_one(
    small_census: SmallCensus, small_release: CensusRelease, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 100)
    parts = run(small_census.path, tmp_path / "parts", workers=1, replications=0)
    path = parts.find_file("Town", "detailed")
    assert path.is_dir()
    assert len(list(path.iterdir())) == 4
    assert check(parts).wrong == ()
    assert len(pq.read_table(path)) == len(small_release.table("Town", "detailed"))
    counts = parts.table("Town", "detailed").column("count")
    assert counts.to_pylist() == small_release.table("Town", "detailed").column("count").to_pylist()


def test_parts_hold_every_area_once() -> None:
    (plan,) = plan_tables([("Block", 1001)], {"all": release_rows.ROWS_AT_ONCE // 100})
    pieces = [plan.cut(part) for part in range(plan.parts)]
    assert [area for each in pieces for area in range(each.start, each.stop)] == list(range(1001))
    assert plan.find_file(0, 3).name == "part-00003.parquet"
