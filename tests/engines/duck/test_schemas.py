"""Schemas for drafts: names and types of columns, from files, patterns, folders and databases."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.duck.schemas import read_schemas
from support.clinic import VISITS, visits

COLUMNS = {"patient_id": Type.INTEGER, "age": Type.INTEGER, "cost": Type.FLOAT, "ward": Type.TEXT}


def found(folder: Path, *sources: str) -> list[tuple[str, str, dict[str, Type | None]]]:
    tables, _ = read_schemas([str(folder / source) for source in sources], folder / "policy.toml")
    return tables


def test_a_file_a_pattern_and_a_folder_of_parquet(tmp_path: Path) -> None:
    (tmp_path / "visits").mkdir()
    pq.write_table(visits(VISITS), tmp_path / "visits" / "one.parquet")
    assert found(tmp_path, "visits/one.parquet") == [("one", "visits/one.parquet", COLUMNS)]
    assert found(tmp_path, "visits/*.parquet") == [("visits", "visits/*.parquet", COLUMNS)]
    assert found(tmp_path, "visits") == [("visits", "visits/*.parquet", COLUMNS)]


def test_a_csv_file_has_names_and_no_types_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a b.csv").write_text("x,y\n1,2\n")
    ((name, place, columns),) = found(tmp_path, "a b.csv")
    assert (name, place, list(columns)) == ("a_b", "a b.csv", ["x", "y"])


def test_every_table_of_a_database_and_names_made_different(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute("CREATE TABLE t (a INTEGER)")
            connection.execute("CREATE TABLE u (b DATE)")
    tables, renamed = read_schemas([str(tmp_path / f"{n}.duckdb") for n in ("one", "two")], tmp_path / "policy.toml")
    assert [name for name, _, _ in tables] == ["t", "u", "t_2", "u_2"]
    assert renamed == {"t_2": "t", "u_2": "u"}


@pytest.mark.parametrize(
    ("source", "told"), [("nothing.parquet", "no such file"), ("x.txt", ".parquet"), ("empty", "in this folder")]
)
def test_what_cannot_be_read_is_named_with_a_remedy(tmp_path: Path, source: str, told: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.txt").write_text("secret")
    with pytest.raises(PolicyError, match=told) as refusal:
        found(tmp_path, source)
    assert "secret" not in str(refusal.value)


def test_a_broken_file_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_text("secret")
    with pytest.raises(PolicyError, match="cannot be read") as refusal:
        found(tmp_path, "broken.parquet")
    assert "secret" not in str(refusal.value)
