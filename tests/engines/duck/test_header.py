"""The names of csv columns and their separator are read from the first line, and from nothing below it."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from discreet.engines.duck.header import read_headers, split_header, write_clause


@pytest.mark.parametrize(
    ("line", "header"),
    [
        ("id,age", (",", ("id", "age"))),
        ("id;age", (";", ("id", "age"))),
        ("id\tage", ("\t", ("id", "age"))),
        ("id|age", ("|", ("id", "age"))),
        ('"a,b";"c ""d"""', (";", ("a,b", 'c "d"'))),
        ("\ufeffid,age", (",", ("id", "age"))),
        ("alone", (",", ("alone",))),
        ("", (",", ())),
    ],
)
def test_the_separator_is_the_one_that_splits_most(line: str, header: tuple[str, tuple[str, ...]]) -> None:
    assert split_header(line) == header


def test_all_files_of_a_pattern_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,age\n1,2\n")
    (tmp_path / "b.csv").write_text("id;age\n1;2\n")
    found = read_headers(duckdb.connect(), f"{tmp_path}/*.csv")
    assert found == {(",", ("id", "age")), (";", ("id", "age"))}
    assert read_headers(duckdb.connect(), f"{tmp_path}/*.none") == set()


GOOD = 'id,note\n1,one\n2,"two, and more"\n3,"line\nbreak"\n4,"a ""quote"""\n'


@pytest.mark.parametrize("bad", ["5", "5;6;7", "5,6,7,8", 'x"y,1', "\x00,1", "x" * 3_000_000 + ",1", "\ud83d,1"])
def test_a_bad_line_changes_no_other_line(tmp_path: Path, bad: str) -> None:
    file = tmp_path / "a.csv"
    counts = []
    for lines in (GOOD, GOOD + bad + "\n", GOOD.replace("1,one\n", f"1,one\n{bad}\n")):
        file.write_bytes(lines.encode("utf-8", "surrogatepass"))
        select = (
            f"SELECT id, note FROM {write_clause(str(file), (',', ('id', 'note')))} WHERE id IN ('1', '2', '3', '4')"
        )
        counts.append(sorted(duckdb.connect().execute(select).fetchall()))
    assert counts[0] == [("1", "one"), ("2", "two, and more"), ("3", "line\nbreak"), ("4", 'a "quote"')]
    assert counts[1] == counts[2] == counts[0]


def test_nobody_writes_rows_of_others_into_a_cell(tmp_path: Path) -> None:
    """Read from several places at once, cells like these began new rows wherever a reader happened to begin."""
    file = tmp_path / "a.csv"
    rows = (f'{number},"' + "7777777,forged\n" * (number % 90) + '"\n' for number in range(40_000))
    file.write_text("id,note\n" + "".join(rows))
    found = write_clause(str(file), (",", ("id", "note")))
    count = f"SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id = '7777777') FROM {found}"
    assert duckdb.connect().execute(count).fetchall() == [(40_000, 40_000, 0)]


def test_the_first_line_is_read_whatever_comes_after_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,age\n1,\xff\xfe\n" + b"x" * 3_000_000 + b"\n")
    assert read_headers(duckdb.connect(), str(tmp_path / "a.csv")) == {(",", ("id", "age"))}
