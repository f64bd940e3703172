"""Public files keep their texts as they are, and say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.policy import loads
from discreet.policy.problems import Problems
from discreet.policy.section import Section
from discreet.topdown.spec.files import PublicColumns, PublicFolder, read_counts


def read(folder: Path, name: str, *columns: str, policy: str | None = None) -> PublicColumns:
    """Return columns of a file, or raise what is wrong with them."""
    problems = Problems("census.toml")
    section = Section(problems, ("geography",), {"file": name}, ("file",))
    known = None if policy is None else loads(policy, folder / "policy.toml")
    found = PublicFolder(folder, known).read(section, "file", columns)
    problems.refuse()
    assert found is not None
    return found


def test_csv_keeps_zeros_and_names_that_look_like_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('\ufeffArea,Name\n007,NA\n"1,5",null\n8,\n', encoding="utf-8")
    found = read(tmp_path, "a.csv", "Area", "Name")
    assert found["Area"].to_pylist() == ["007", "1,5", "8"]
    assert found["Name"].to_pylist() == ["NA", "null", None]


def test_parquet_takes_texts_whole_numbers_and_dictionaries_and_no_floats(tmp_path: Path) -> None:
    table = pa.table(
        {
            "n": [1, 2],
            "t": pa.array(["x", ""]).dictionary_encode(),
            "l": pa.array(["u", None], pa.large_string()),
            "f": [0.5, 1.0],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    found = read(tmp_path, "a.parquet", "n", "t", "l")
    assert [found[name].to_pylist() for name in "ntl"] == [["1", "2"], ["x", None], ["u", None]]
    with pytest.raises(PolicyError, match='the column "f" is of type double; write texts or whole numbers'):
        read(tmp_path, "a.parquet", "f")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"no parquet")
    (tmp_path / "latin.csv").write_bytes("Area\nK\xf6ln\n".encode("latin-1"))
    (tmp_path / "folder.csv").mkdir()
    for name in ("broken.parquet", "latin.csv", "folder.csv"):
        with pytest.raises(PolicyError, match=f'geography.file: "{name}" cannot be read'):
            read(tmp_path, name, "Area")
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(PolicyError, match=r"geography\.file: there is no file"):
            read(tmp_path, name, "Area")


POLICY = """\
[budget]
epsilon = 1
[tables.people]
source = "{}"
rows_are_units = true
"""


@pytest.mark.parametrize(
    "source",
    ["people.parquet", "p*.parquet", "**/*.parquet", "./people.parquet", "{folder}/people.parquet"],
)
def test_private_rows_are_no_public_file(tmp_path: Path, source: str) -> None:
    pq.write_table(pa.table({"Area": ["x"]}), tmp_path / "people.parquet")
    policy = POLICY.format(source.replace("{folder}", str(tmp_path)))
    with pytest.raises(PolicyError, match="holds a private table"):
        read(tmp_path, "people.parquet", "Area", policy=policy)
    (tmp_path / "other.pq").hardlink_to(tmp_path / "people.parquet")
    with pytest.raises(PolicyError, match="holds a private table"):
        read(tmp_path, "other.pq", "Area", policy=policy)
    (tmp_path / "linked.parquet").symlink_to(tmp_path / "people.parquet")
    with pytest.raises(PolicyError, match="holds a private table"):
        read(tmp_path, "linked.parquet", "Area", policy=policy)


def test_counts_are_whole_numbers(tmp_path: Path) -> None:
    problems = Problems("census.toml")
    section = Section(problems, ("invariants",), {}, None)
    counts = read_counts(section, "exact", pa.array(["0", " 12 ", "999999999999999"]))
    assert counts is not None
    assert counts.tolist() == [0, 12, 999999999999999]
    for wrong in ("-1", "1.0", "", "x", "9" * 16, "१"):
        assert read_counts(section, "exact", pa.array(["1", wrong])) is None
    assert read_counts(section, "exact", pa.array(["1", None])) is None
    with pytest.raises(PolicyError, match='the count of row 2 is "-1"'):
        problems.refuse()
