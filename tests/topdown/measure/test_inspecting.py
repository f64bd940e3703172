"""The owner's look at the rows before the charge: every number is what counting row by row gives, on every engine."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.data import World
from conformance.placing import placed
from discreet.topdown.measure.inspecting import IMPOSSIBLE, NO_SUCH_AREA, NO_SUCH_VALUE, inspect
from discreet.topdown.measure.inspection import CensusInspection
from discreet.topdown.spec.reading import read_spec
from support.cli import Ran, run
from topdown.small_release import POLICY, SmallCensus, write_small_census

Rows = list[dict[str, Any]]
ODD_TOWNS = ("t99", "", "T1", "t1 ", "x", "ein langer Name", "t100", None)
KNOWN = {"kind": ("home", "prison", "school"), "adult": ("no", "yes"), "colour": (1, 2, 3)}
ZERO = "kind prison with adult no"


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> SmallCensus:
    return write_small_census(tmp_path_factory.mktemp("inspected"))


def spoil(census: SmallCensus, seed: int = 5) -> Rows:
    """Return the people with rows of all kinds that a release would leave out or could not have."""
    random = np.random.default_rng(seed)
    rows: Rows = pq.read_table(census.folder / "people.parquet").to_pylist()
    for row in rows:
        if random.random() < 0.1:
            row["town"] = ODD_TOWNS[random.integers(len(ODD_TOWNS))]
        if random.random() < 0.05:
            row["kind"] = (None, "boat", "Home")[random.integers(3)]
        if random.random() < 0.05:
            row["colour"] = (None, 0, 4, -3)[random.integers(4)]
        if random.random() < 0.05:
            row["kind"], row["adult"] = "prison", "no"
    return rows


def write(census: SmallCensus, folder: Path, rows: Rows, policy: str = POLICY) -> Path:
    """Write a census with these rows, and without a ledger."""
    shutil.copytree(census.folder, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".discreet"))
    pq.write_table(make_people(rows), folder / "people.parquet")
    (folder / "policy.toml").write_text(policy)
    return folder / "census.toml"


def make_people(rows: Rows) -> pa.Table:
    kinds = {"person": pa.int64(), "town": pa.string(), "kind": pa.string(), "adult": pa.string(), "colour": pa.int64()}
    return pa.table({name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()})


def is_known(row: dict[str, Any], name: str) -> bool:
    return row[name] in KNOWN[name]


def has_area(row: dict[str, Any]) -> bool:
    return re.fullmatch(r"t(1?[0-9]|2[01])", row["town"] or "") is not None


def is_counted(row: dict[str, Any]) -> bool:
    return has_area(row) and all(is_known(row, name) for name in KNOWN)


def check_numbers(found: CensusInspection, rows: Rows) -> None:
    """Compare with a count row by row, where every row is a unit of its own."""
    counted = [row for row in rows if is_counted(row)]
    assert (found.rows, found.counted) == (len(rows), len(counted))
    assert found.find("town", NO_SUCH_AREA).count == sum(not has_area(row) for row in rows)
    for name in KNOWN:
        assert found.find(name, NO_SUCH_VALUE).count == sum(not is_known(row, name) for row in rows), name
    impossible = sum(row["kind"] == "prison" and row["adult"] == "no" for row in counted)
    assert found.find(ZERO, IMPOSSIBLE).count == impossible > 0
    towns = Counter(row["town"] for row in counted)
    assert found.empty[-1].empty == 22 - len(towns)


def test_rows_that_fit_are_said_to_fit(census: SmallCensus) -> None:
    found = inspect(census.path)
    assert found.to_do == 0
    assert found.misfits == ()
    assert [(each.level, each.empty, each.first) for each in found.empty if each.empty] == [("Town", 1, ("t21",))]
    told = str(found)
    assert told.startswith("for the owner's eyes only")
    assert "publish what" in told
    assert "ok     every row is counted" in told
    assert "ok     region totals: every public number is what the rows have (2)" in told


def test_every_number_is_that_of_a_count_row_by_row(census: SmallCensus, tmp_path: Path) -> None:
    rows = spoil(census)
    found = inspect(write(census, tmp_path, rows))
    check_numbers(found, rows)
    assert found.find("person", "no unit").count == 0
    assert found.find("max_rows", "rows lost").count == 0
    assert "to do  town: " in str(found)
    assert found.to_do >= 3


def test_public_numbers_that_the_rows_do_not_have_are_named_the_largest_first(
    census: SmallCensus, tmp_path: Path
) -> None:
    rows = spoil(census)
    totals, facilities = inspect(write(census, tmp_path, rows)).invariants
    regions = Counter(1 + int(row["town"][1:]) // 12 for row in rows if is_counted(row))
    public = dict(line.split(",") for line in (tmp_path / "totals.csv").read_text().split()[1:])
    gaps = {f"r{region}": (regions[region], int(public[f"r{region}"])) for region in (1, 2)}
    assert (totals.off, totals.of, totals.areas) == (2, 2, 2)
    assert {each.area: (each.counted, each.low) for each in totals.largest} == gaps
    assert abs(totals.largest[0].off) >= abs(totals.largest[1].off) > 0
    assert f"r1: {gaps['r1'][0]} rows, and {gaps['r1'][1]} is public" in str(totals)
    listed = [line.split(",") for line in (tmp_path / "facilities.csv").read_text().split()[1:]]
    places = {(town, kind) for town, kind, _ in listed}
    inside = Counter((row["town"], row["kind"]) for row in rows if is_counted(row) and row["kind"] != "home")
    missing = [place for place in places if not inside[place]]
    unknown = [place for place in inside if place not in places]
    assert facilities.off == len(missing) + len(unknown) > 0
    assert len(facilities.largest) == min(5, facilities.off)
    assert all(each.high == 0 or each.counted < each.low for each in facilities.largest)


def test_units_with_more_rows_than_the_limit_and_rows_of_nobody_are_counted(
    census: SmallCensus, tmp_path: Path
) -> None:
    rows = pq.read_table(census.folder / "people.parquet").to_pylist()
    for row in rows[:30]:
        row["person"] = 1000 + row["person"] % 10
    for row in rows[30:37]:
        row["person"] = None
    found = inspect(write(census, tmp_path, rows))
    assert (found.find("max_rows", "units beyond").count, found.find("max_rows", "units beyond").of) == (10, 573)
    assert (found.find("max_rows", "rows lost").count, found.find("max_rows", "rows lost").of) == (20, 593)
    assert (found.find("person", "no unit").count, found.find("person", "no unit").of) == (7, 600)
    assert found.counted == 573
    twice = write(census, tmp_path / "twice", rows, POLICY.replace("max_rows = 1", "max_rows = 2"))
    assert inspect(twice).find("max_rows", "rows lost").count == 10
    assert inspect(twice).counted == 583


def test_rows_that_are_units_have_no_limit(census: SmallCensus, tmp_path: Path) -> None:
    rows = spoil(census)
    policy = POLICY.replace('unit = "person"\nmax_rows = 1', "rows_are_units = true")
    found = inspect(write(census, tmp_path, rows, policy))
    check_numbers(found, rows)
    assert {each.kind for each in found.looked_at} == {NO_SUCH_AREA, NO_SUCH_VALUE, IMPOSSIBLE}


def test_a_table_without_rows_is_something_to_do(census: SmallCensus, tmp_path: Path) -> None:
    found = inspect(write(census, tmp_path, []))
    assert found.counted == 0
    assert "to do  there are no rows to count" in str(found)
    assert found.to_do == 3, "nobody, and none of the public numbers"


def test_regrouped_levels_are_told_by_the_areas_that_people_know(tmp_path: Path) -> None:
    found = inspect(write_small_census(tmp_path, regroup=True).path)
    assert {each.level: each.of for each in found.empty} == {"Country": 1, "Region": 2, "District": 5, "Town": 22}


@pytest.fixture(params=["postgres", pytest.param("spark", marks=pytest.mark.long)])
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path, census: SmallCensus) -> Iterator[tuple[Any, Rows]]:
    """A policy whose people lie on another engine, and these people."""
    rows = spoil(census)
    world = World("inspected", POLICY.replace('source = "people.parquet"\n', ""), {"people": make_people(rows)})
    with placed(world, request, tmp_path) as engines:
        yield engines.policy, rows


def test_every_engine_counts_the_same(elsewhere: tuple[Any, Rows], census: SmallCensus, tmp_path: Path) -> None:
    policy, rows = elsewhere
    found = inspect(replace(read_spec(census.path), policy=policy))
    check_numbers(found, rows)
    assert found.to_dict() == inspect(write(census, tmp_path / "here", rows)).to_dict()


def test_the_command_charges_nothing_writes_nothing_and_needs_no_ledger(census: SmallCensus, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in sorted((census.folder / ".discreet").rglob("*")) if path.is_file()}
    assert "of which a release counts 600" in run("census", "inspect", census.path)
    after = {path: path.read_bytes() for path in sorted((census.folder / ".discreet").rglob("*")) if path.is_file()}
    assert after == before
    path = write(census, tmp_path, spoil(census))
    ran = Ran("census", "inspect", path, "--format", "json")
    assert ran.code == 1
    assert "for the owner's eyes only" in json.loads(ran.out)["for"]
    assert not (tmp_path / ".discreet").exists()
    assert "--analyst" not in run("census", "inspect", "--help")
    assert "discreet census inspect" in " ".join(run("census", "run", "--help").split())
