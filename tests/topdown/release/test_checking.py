"""The checker of a finished release notices every kind of change to its files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError
from discreet.topdown.making import run
from discreet.topdown.release import tables
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.checking import check
from discreet.topdown.spec.reading import read_spec
from topdown.small_release import SPEC, SmallCensus


@pytest.fixture
def copied(small_release: CensusRelease, tmp_path: Path) -> CensusRelease:
    shutil.copytree(small_release.folder, tmp_path / "copy")
    return CensusRelease.open(tmp_path / "copy")


@pytest.fixture(scope="module")
def csv_release(small_census: SmallCensus, tmp_path_factory: pytest.TempPathFactory) -> CensusRelease:
    """The same release with tables of csv, those of towns in parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "ROWS_AT_ONCE", 200)
        out = tmp_path_factory.mktemp("csv") / "out"
        return run(small_census.path, out, workers=1, replications=0, files="csv")


@pytest.fixture
def copied_csv(csv_release: CensusRelease, tmp_path: Path) -> CensusRelease:
    shutil.copytree(csv_release.folder, tmp_path / "copy")
    return CensusRelease.open(tmp_path / "copy")


def test_tables_of_csv_are_exact_and_have_the_same_rows(
    csv_release: CensusRelease, small_release: CensusRelease
) -> None:
    assert check(csv_release).wrong == ()
    assert len(list(csv_release.find_file("Town", "detailed").glob("part-*.csv"))) > 1
    for level in csv_release.levels:
        for query in csv_release.queries:
            mine, other = csv_release.table(level, query), small_release.table(level, query)
            assert mine.drop_columns(["gls"]).to_pylist() == other.drop_columns(["gls"]).to_pylist()
            assert mine.column("gls").to_pylist() == pytest.approx(other.column("gls").to_pylist(), rel=1e-5, abs=1e-4)
    assert not list((csv_release.folder / "tables").rglob("*.parquet"))


@pytest.mark.many
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"home",10,', '"home",11,', "1 rows are not what the microdata have"),
        ('"home",10,', '"home",10.4,', "1 rows are not what the microdata have"),
        ('"home",10,', '"home",many,', "1 rows are not what the microdata have"),
        ('"home",10,', '"Home",10,', "1 rows are not what the microdata have"),
        ('"area",', '"place",', "has other columns than a table of this query"),
        ('"home",10,', '"home,10,', "cannot be read"),
    ],
    ids=["count", "half", "word", "label", "column", "quote"],
)
def test_any_change_of_a_csv_file_is_found(copied_csv: CensusRelease, old: str, new: str, told: str) -> None:
    path = copied_csv.find_file("Country", "kind")
    lines = path.read_text().splitlines()
    count = lines[1].split(",")[3]
    changed = path.read_text().replace(old.replace("10", count), new.replace("10", count).replace("11", f"{count}1"), 1)
    assert changed != path.read_text()
    path.write_text(changed)
    assert any(told in each and str(path) in each for each in check(copied_csv).wrong)


def test_a_row_that_is_missing_from_a_part_of_csv_is_found(copied_csv: CensusRelease) -> None:
    part = sorted(copied_csv.find_file("Town", "detailed").glob("*.csv"))[-1]
    part.write_text("".join(part.read_text().splitlines(keepends=True)[:-1]))
    assert any("rows of 22 areas, not 330 of 22" in each for each in check(copied_csv).wrong)


@pytest.mark.slow
def test_a_release_in_another_kind_of_file_is_made_anew_for_free_and_leaves_no_old_file(
    copied_csv: CensusRelease, small_census: SmallCensus
) -> None:
    again = run(small_census.path, copied_csv.folder, workers=1, replications=0)
    assert check(again).wrong == ()
    assert not list((again.folder / "tables").rglob("*.csv"))
    assert again.payment is not None
    assert again.payment.receipt.paid == "free"


def test_a_file_that_is_no_table_is_found(copied: CensusRelease) -> None:
    path = copied.find_file("Country", "kind")
    path.write_bytes(b"PAR1 is not all")
    assert any("cannot be read" in each for each in check(copied).wrong)


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
