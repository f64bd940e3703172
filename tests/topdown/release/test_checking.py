"""The checker of a finished release notices every kind of change to its files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.checking import check
from discreet.topdown.spec.reading import read_spec
from topdown.small_release import SPEC, SmallCensus


@pytest.fixture
def copied(small_release: CensusRelease, tmp_path: Path) -> CensusRelease:
    shutil.copytree(small_release.folder, tmp_path / "copy")
    return CensusRelease.open(tmp_path / "copy")


def test_an_untouched_copy_is_exact(copied: CensusRelease) -> None:
    found = check(copied)
    assert found.is_exact
    assert found.rows == sum(len(copied.table(level, query)) for level in copied.levels for query in copied.queries)
    assert "all exact" in str(found)
    assert found.to_dict()["exact"] is True


@pytest.mark.parametrize(
    ("level", "query"), [("Country", "total"), ("District", "adult x colour"), ("Town", "detailed")]
)
def test_a_count_that_is_one_too_many_is_found(copied: CensusRelease, level: str, query: str) -> None:
    path = copied.find_file(level, query)
    table = pq.read_table(path)
    place = table.column_names.index("count")
    changed = pa.array([table.column("count")[0].as_py() + 1, *table.column("count").to_pylist()[1:]])
    pq.write_table(table.set_column(place, "count", changed), path)
    (wrong,) = check(copied).wrong
    assert str(path) in wrong
    assert "1 rows are not what the microdata have" in wrong


def test_missing_rows_doubled_rows_and_missing_files_are_found(copied: CensusRelease) -> None:
    path = copied.find_file("Town", "kind")
    table = pq.read_table(path)
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), path)
    assert any("there twice" in each for each in check(copied).wrong)
    empty = table.filter(pc.not_equal(table.column("area"), "t21"))
    pq.write_table(empty, path)
    assert any("63 rows of 21 areas, not 66 of 22" in each for each in check(copied).wrong)
    path.unlink()
    assert any("is missing" in each for each in check(copied).wrong)


def test_people_who_break_an_invariant_or_a_zero_are_found(copied: CensusRelease) -> None:
    path = copied.folder / "microdata.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0] |= {"kind": "prison", "adult": "no"}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    assert any("where nobody can be" in each for each in check(copied).wrong)
    rows[0] |= {"kind": "school", "adult": "yes", "town": "t0"}
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    assert any(each.startswith("Town t0: facilities") for each in check(copied).wrong)
    pq.write_table(pa.Table.from_pylist(rows[1:], table.schema), path)
    wrong = check(copied).wrong
    assert any("region totals" in each for each in wrong)
    assert any("599 rows, not 600" in each for each in wrong)


def test_another_spec_is_refused(copied: CensusRelease, small_census: SmallCensus) -> None:
    other = small_census.folder / "other.toml"
    other.write_text(SPEC.replace("rho = 3\n", "rho = 2\n"))
    with pytest.raises(DiscreetError, match="not the spec"):
        check(copied, read_spec(other))
    assert check(copied.folder, small_census.path).is_exact
