"""Columns that a table lacks, or has as another type, are named with file and key before anything is charged."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.topdown.forecasting import plan
from discreet.topdown.making import run
from discreet.topdown.measure.inspecting import inspect
from topdown.small_release import POLICY, SPEC, SmallCensus, write_small_census

COLUMNS = POLICY.partition("[tables.people.columns]")[0]
"""The policy without a word on columns: their types are the source's."""


def write(folder: Path, *changes: tuple[str, str], policy: str = COLUMNS) -> SmallCensus:
    """Return a small census whose spec is changed after it was written."""
    found = write_small_census(folder)
    spec = SPEC
    for old, new in changes:
        assert spec.count(old) == 1, old
        spec = spec.replace(old, new)
    found.path.write_text(spec)
    (folder / "policy.toml").write_text(policy)
    return found


def refuse(census: SmallCensus) -> list[str]:
    """Return what a run is refused for, line by line: a plan and an inspection say the same, and nothing is charged."""
    with pytest.raises(PolicyError) as found:
        run(census.path, workers=1, replications=0)
    lines = str(found.value).splitlines()
    told = plan(census.path)
    assert told.budget is not None
    assert list(told.budget.refusals) == lines
    assert not told.budget.is_admitted
    assert "a run is refused:\n" in str(told)
    with pytest.raises(PolicyError) as looked:
        inspect(census.path)
    assert str(looked.value).splitlines() == lines
    assert census.count_charges() == 0
    assert all(line.startswith(f"{census.path}: ") for line in lines)
    return [line.removeprefix(f"{census.path}: ") for line in lines]


def test_every_column_that_is_not_there_is_told_at_once(tmp_path: Path) -> None:
    census = write(
        tmp_path,
        ('area = "town"', 'area = "twon"'),
        ("[attributes]\n", "[attributes]\nhat = [1, 2]\n"),
    )
    hat, area = refuse(census)
    assert hat.startswith('attributes.hat: there is no column "hat" in people; name a column of people that questions')
    assert area == (
        'census.area: there is no column "twon" in people; name a column of people that questions may use '
        "(did you mean 'town'?)"
    )


def test_values_of_another_type_than_the_column_are_told(tmp_path: Path) -> None:
    census = write(
        tmp_path,
        ("colour = [1, 2, 3]", 'colour = ["1", "2", "3"]'),
        ('adult = ["no", "yes"]', "adult = [false, true]"),
        ('\nadult = ["no"]', "\nadult = [false]"),
    )
    adult, colour = refuse(census)
    assert adult == "attributes.adult: values has false, which no column of type text holds; " + (
        'write text in quotes, such as values = ["north", "south"]'
    )
    assert colour.startswith('attributes.colour: values has "1", which no column of type integer holds; write whole')


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pa.array([0.5] * 600), "is not a column of texts or of whole numbers; it is float"),
        (pa.array(range(600)), "'t0' is not a whole number as SQL writes it: town is a column of such"),
    ],
)
def test_a_column_that_cannot_hold_the_areas_is_told(tmp_path: Path, column: pa.Array, told: str) -> None:
    census = write(tmp_path)
    table = pq.read_table(tmp_path / "people.parquet")
    pq.write_table(table.set_column(1, "town", column), tmp_path / "people.parquet")
    (line,) = refuse(census)
    assert line.startswith('census.area: "town" cannot hold the areas of geography.file: ')
    assert told in line


def test_without_a_ledger_columns_are_looked_at_all_the_same(tmp_path: Path) -> None:
    import shutil

    census = write(tmp_path, ('area = "town"', 'area = "twon"'))
    shutil.rmtree(tmp_path / ".discreet")
    told = plan(census.path)
    assert told.budget is not None
    assert "discreet init" in told.budget.unknown
    (line,) = told.budget.refusals
    assert line.startswith(f'{census.path}: census.area: there is no column "twon"')


def test_a_source_that_is_not_there_is_told_and_the_rest_of_the_plan_with_it(tmp_path: Path) -> None:
    census = write(tmp_path)
    (tmp_path / "people.parquet").unlink()
    told = plan(census.path)
    assert told.budget is not None
    assert told.budget.refusals
    assert str(tmp_path / "policy.toml") in told.budget.refusals[0]
    assert told.epsilon > 0


@pytest.mark.slow
def test_a_refused_run_leaves_its_folder_to_the_mended_spec(tmp_path: Path) -> None:
    census = write(tmp_path, ('area = "town"', 'area = "twon"'))
    refuse(census)
    census.path.write_text(SPEC)
    assert plan(census.path).note == ""
    run(census.path, workers=1, replications=0)
    assert census.count_charges() == 1
    census.path.write_text(SPEC.replace("rho = 3", "rho = 2"))
    assert "holds the release of another spec; name another folder" in plan(census.path).note
    assert "note: " in str(plan(census.path))
