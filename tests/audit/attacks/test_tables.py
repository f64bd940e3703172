"""Tables of one's own: what is read, how values are compared, and what is said of tables that do not do."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from discreet.audit.attacks import encode_attributes, find_secret, link, read_people, releasing, tables, telling
from discreet.audit.attacks.tables import MISSING, find_texts
from discreet.base.errors import DiscreetError, ParameterError

TWICE = pa.Table.from_arrays([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])


def test_a_csv_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("ward,ill\nnorth,1\nsouth,0\n")
    assert find_secret(read_people(tmp_path / "people.csv"), "ill").bits.tolist() == [True, False]


def test_a_parquet_file_has_no_columns_but_its_own(tmp_path: Path) -> None:
    (tmp_path / "year=2026").mkdir()
    pyarrow.parquet.write_table(pa.table({"ill": [1, 0]}), tmp_path / "year=2026" / "people.parquet")
    assert read_people(str(tmp_path / "year=2026" / "people.parquet")).column_names == ["ill"]


def test_missing_values_are_a_value_of_their_own() -> None:
    assert find_texts(pa.table({"ward": ["a", "b", None, "a"]}), "ward") == ["a", "b", MISSING, "a"]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("people.txt", "a\n1\n", "path must be a file that ends in .csv or .parquet"),
        ("people.csv", None, "there is no file"),
        ("people.csv", "a,b\n1\n", "cannot be read as csv"),
        ("people.csv", "a,b\n", "has no rows"),
        ("people.csv", "a,b,a\n1,2,3\n", "people.csv has the column 'a' twice; give every column a name of its own"),
        ("people.csv", "a,a,a\n1,2,3\n", "the column 'a' 3 times"),
        ("people.parquet", "no parquet at all", r"cannot be read as parquet \(Parquet magic bytes not found[^.]*\)$"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path: Path, name: str, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(DiscreetError, match=words):
        read_people(tmp_path / name)


def test_a_parquet_file_with_two_columns_of_one_name_is_refused(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(TWICE, tmp_path / "people.parquet")
    with pytest.raises(DiscreetError, match="has the column 'a' twice"):
        read_people(tmp_path / "people.parquet")


def test_what_is_no_path_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"path must be the path of a file that ends in .csv or .parquet; got 3"):
        read_people(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [{"a": [1, 0]}, [1, 2], "people.csv"])
def test_what_is_no_table_is_refused(table: Any) -> None:
    for attack in (find_secret, lambda given, name: link(given, [name], "b")):
        with pytest.raises(ParameterError, match=r"table must be an Arrow table, as read_people.* returns it; got"):
            attack(table, "a")


@pytest.mark.parametrize(("table", "words"), [(TWICE, "'a' twice"), (TWICE.slice(0, 0), "no rows")])
def test_tables_that_do_not_do_are_refused(table: pa.Table, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        find_secret(table, "a")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ([], "columns must be a list of one or more names"),
        (None, "columns must be a list of one or more names"),
        ("ward", "columns must be a list of one or more names of columns; got 'ward'"),
        (["ward", "ward"], "columns must be columns that are named once each; 'ward' is there twice"),
        (["wrad"], r"columns must be one of ward, ill \(did you mean 'ward'\?\); got 'wrad'"),
    ],
)
def test_columns_are_named_once_each_in_a_list(columns: Any, words: str) -> None:
    table = pa.table({"ward": ["a", "b"], "ill": [1, 0]})
    for attack in (encode_attributes, lambda given, names: link(given, names, "ill")):
        with pytest.raises(ParameterError, match=words):
            attack(table, columns)


@pytest.mark.parametrize("module", [tables, releasing, telling])
def test_examples_in_the_source_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0
