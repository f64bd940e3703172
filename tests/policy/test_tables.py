"""A table says where its rows come from, whom they are about, and how much one unit may contribute."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.policy import SourceFormat, Table, loads
from support.policies import read, refusal, refusals, table


def only(text: str) -> Table:
    return read(text).table("t")


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("a/*.parquet", SourceFormat.PARQUET),
        ("a.PQ", SourceFormat.PARQUET),
        ("a.csv", SourceFormat.CSV),
        ("a.csv.gz", SourceFormat.CSV),
        ("year=2020/a.csv", SourceFormat.CSV),
        ("a.duckdb", SourceFormat.DUCKDB),
        ("a.db", SourceFormat.DUCKDB),
    ],
)
def test_the_ending_of_a_source_says_what_it_is(source: str, kind: SourceFormat) -> None:
    assert only(table(f'source = "{source}"')).format is kind


def test_another_ending_needs_a_format() -> None:
    assert only(table('source = "a.txt"\nformat = "csv"')).format is SourceFormat.CSV
    line = refusal(table('source = "a.txt"'))
    assert line.startswith('tables.t.source: "a.txt" does not end in .parquet, .csv or .duckdb; write one of format = ')
    assert refusal(table('source = "a.csv"\nformat = "excel"')).startswith('tables.t.format: is "excel"; write one of')


def test_a_table_without_a_source_comes_from_python() -> None:
    found = only(table(""))
    assert (found.source, found.format) == (None, SourceFormat.PYTHON)
    assert refusal(table('format = "csv"')).startswith("tables.t.format: is there without a source; write source")


def test_a_duckdb_file_has_many_tables_and_ours_is_named_or_has_our_name() -> None:
    assert only(table('source = "a.duckdb"')).database_table == "t"
    assert only(table('source = "a.duckdb"\ntable = "main.v"')).database_table == "main.v"
    assert refusal(table('source = "a.csv"\ntable = "v"')) == (
        "tables.t.table: is for duckdb sources and tables of engines; take it out"
    )
    assert refusal(table('table = "v"')).startswith("tables.t.table: is there without a source; name the duckdb file")


def test_a_relative_source_starts_in_the_folder_of_the_policy(tmp_path: Path) -> None:
    relative, absolute = table('source = "a/*.parquet"'), table('source = "/data/b.csv"')
    policy = loads(relative, tmp_path / "policy.toml")
    assert policy.table("t").source == "a/*.parquet"
    assert policy.location(policy.table("t")) == str(tmp_path / "a" / "*.parquet")
    policy = loads(absolute, tmp_path / "policy.toml")
    assert policy.location(policy.table("t")) == "/data/b.csv"


def test_a_folder_whose_name_looks_like_a_pattern_is_no_pattern() -> None:
    for source, location in [("*.csv", "/a[[]1]/*.csv"), ("b.csv", "/a[1]/b.csv")]:
        policy = loads(table(f'source = "{source}"'), "/a[1]/policy.toml")
        assert policy.location(policy.table("t")) == location


@pytest.mark.parametrize(
    "source",
    [
        "${HOME}/a.csv",
        "postgresql://me:hunter2@host/db",
        "https://me@host/a.csv",
        "host=h password=hunter2",
        "s3_secret = hunter2.csv",
        "a.parquet?access_key_id=hunter2",
    ],
)
def test_a_source_with_a_secret_is_refused_and_never_quoted(source: str) -> None:
    lines = refusals(table(f'source = "{source}"'))
    assert lines[0].startswith("tables.t.source: looks as if it held a secret or a place for one; name a file; secrets")
    assert "environment variables only, named by keys that end in _env" in lines[0]
    assert len(lines) == 1
    assert "hunter2" not in lines[0]


def test_an_address_is_no_file() -> None:
    line = refusal(table('source = "https://host/a.csv"'))
    assert line.startswith("tables.t.source: is an address, not a file; name a parquet, csv or duckdb file")


def test_a_private_table_says_whom_its_rows_are_about() -> None:
    line = refusal("[budget]\nepsilon = 1\n[tables.t]\nmax_rows = 1\n")
    assert line.startswith('tables.t: does not say whom its rows are about; write unit = "COLUMN"')
    assert "rows_are_units = true" in line
    assert "public = true" in line
    both = refusal(table('unit = "u"\nrows_are_units = true'))
    assert both == "tables.t: unit and rows_are_units = true contradict each other; keep one of the two"


def test_a_unit_column_names_the_people_unless_another_word_does() -> None:
    assert only(table('unit = "u"\nmax_rows = 2')).identifies == "u"
    assert only(table('unit = "u"\nmax_rows = 2\nidentifies = "p"')).identifies == "p"
    assert only(table("")).identifies is None
    line = refusal(table('rows_are_units = true\nidentifies = "p"'))
    assert line.startswith("tables.t.identifies: is there with rows_are_units")
    assert "name the unit column" in line


def test_where_rows_are_units_every_bound_is_one() -> None:
    found = only(table("rows_are_units = true\nmax_rows = 1"))
    assert (found.max_rows, found.max_groups, found.max_rows_per_group) == (1, 1, 1)
    assert refusal(table("rows_are_units = true\nmax_groups = 3")) == (
        "tables.t.max_groups: is 3, and with rows_are_units a unit has one row; take max_groups out"
    )


def test_a_unit_column_needs_max_rows_or_both_bounds_of_a_question() -> None:
    both = only(table('unit = "u"\nmax_groups = 2\nmax_rows_per_group = 3'))
    assert (both.max_rows, both.max_groups, both.max_rows_per_group) == (None, 2, 3)
    for given in ("", "max_groups = 2", "max_rows_per_group = 3"):
        assert refusal(table(f'unit = "u"\n{given}')) == (
            "tables.t.max_rows: is missing: nothing says how many rows one unit may have; "
            "write max_rows = 20, or max_groups and max_rows_per_group both"
        )


@pytest.mark.parametrize("word", ["size", "max_rows", "max_groups", "max_rows_per_group", "min_count"])
@pytest.mark.parametrize("value", ["0", "-1", "1.0", "true", '"2"'])
def test_counts_are_whole_numbers_of_at_least_one(word: str, value: str) -> None:
    assert only(table(f'unit = "u"\n{"" if word == "max_rows" else "max_rows = 2"}\n{word} = 2')) is not None
    line = refusal(table(f'unit = "u"\n{"" if word == "max_rows" else "max_rows = 2"}\n{word} = {value}'))
    assert line == f"tables.t.{word}: is {value}; write a whole number of at least 1, such as {word} = 10"


@pytest.mark.parametrize(
    "private",
    [
        'unit = "u"',
        "rows_are_units = true",
        'identifies = "p"',
        "size = 5",
        "max_rows = 1",
        "max_groups = 1",
        "max_rows_per_group = 1",
        "min_count = 1",
    ],
)
def test_a_public_table_is_about_nobody(private: str) -> None:
    word = private.split()[0]
    assert refusal(table(f"public = true\n{private}")) == (
        f'tables.t.{word}: is for private tables, and "t" is public: it is about nobody; '
        f"take {word} out, or take public out"
    )


def test_a_public_table_has_types_a_version_and_hidden_columns_and_no_bounds() -> None:
    found = only(table('source = "a.csv"\npublic = true\nversion = "1"\nhidden = ["b"]', 'a = { type = "integer" }'))
    assert (found.public, found.version, found.hidden, found.columns[0].type) == (True, "1", ("b",), "integer")
    lines = refusals(table("public = true", "a = { lower = 0, upper = 1, step = 0.5, values = [1] }"))
    for word, line in zip(("lower", "upper", "step", "values"), lines, strict=True):
        assert line.startswith(f"tables.t.columns.a.{word}: is for private tables")
        assert line.endswith(f"take {word} out")


def test_declared_columns_of_a_csv_file_have_a_type() -> None:
    text = table('source = "a.csv"', "age = {{ {} lower = 0, upper = 9 }}")
    assert refusal(text.format("")) == (
        'tables.t.columns.age: has no type, and csv files bring none; write its type, such as type = "integer"'
    )
    assert only(text.format('type = "float",')).columns[0].type == "float"


def test_a_version_is_text() -> None:
    for value in ("2026", "2026-03-01", '" "'):
        line = refusal(table(f"version = {value}"))
        assert line.startswith("tables.t.version: is ")
        assert line.endswith('write a name in quotes, such as version = "2026-03"')


def test_hidden_is_a_list_of_different_names() -> None:
    assert only(table('hidden = ["a", "b"]')).hidden == ("a", "b")
    assert (
        refusal(table('hidden = "ssn"')) == 'tables.t.hidden: is "ssn"; write a list of names, such as hidden = ["ssn"]'
    )
    assert refusal(table('hidden = ["a", "a"]')) == 'tables.t.hidden: "a" is there twice; write it once'
    line = refusal(table('hidden = ["a"]', 'a = { values = ["x"] }'))
    assert line.startswith("tables.t.columns.a: is hidden, so nobody can use its bounds or values; take them out")


def test_an_unknown_key_of_a_table_is_refused_with_the_nearest_known() -> None:
    assert refusal(table("max_row = 3")) == "tables.t.max_row: is not known; did you mean max_rows?"
    assert refusal(table("SIZE = 3")) == "tables.t.SIZE: is not known; did you mean size?"
