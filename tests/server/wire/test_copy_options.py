"""COPY: its options, old and new, and lines that can be read back."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from discreet.server.wire import oids
from discreet.server.wire.commands import CopyOut, LookUp
from discreet.server.wire.copy_options import SIGNATURE, read_copy, write_copy
from discreet.server.wire.errors import WireError
from discreet.server.wire.oids import WireColumn

QUERY = LookUp(exp.Select(), 0)
COLUMNS = (WireColumn("a", oids.TEXT), WireColumn("n", oids.INT8))
TEXTS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r"))


def read(options: str) -> CopyOut:
    inner, build = read_copy(f"COPY (SELECT 1, (2), ')') TO STDOUT {options}")
    assert inner == "SELECT 1, (2), ')'"
    return build(QUERY)


@pytest.mark.parametrize(
    ("options", "command"),
    [
        ("", CopyOut(QUERY)),
        ("WITH CSV HEADER", CopyOut(QUERY, "csv", ",", "", True)),
        ("CSV DELIMITER AS ';' NULL 'none'", CopyOut(QUERY, "csv", ";", "none")),
        ("(FORMAT csv, HEADER true, QUOTE '''')", CopyOut(QUERY, "csv", ",", "", True, "'")),
        ("WITH (FORMAT binary)", CopyOut(QUERY, "binary")),
        ("(FORMAT csv, FORCE_QUOTE *)", CopyOut(QUERY, "csv", ",", "", quoted=None)),
        ("(FORMAT csv, FORCE_QUOTE (a, b), ENCODING 'UTF8')", CopyOut(QUERY, "csv", ",", "", quoted=frozenset("ab"))),
    ],
)
def test_options_are_read(options: str, command: CopyOut) -> None:
    assert read(options) == command


@pytest.mark.parametrize(
    "options", ["(FORMAT xml)", "(DELIMITER 'ab')", "(DELIMITER E'\\n')", "WITH MAGIC", "(ENCODING 'LATIN1')", "(OIDS)"]
)
def test_options_that_cannot_be_are_refused(options: str) -> None:
    with pytest.raises(WireError):
        read(options)


@given(st.lists(st.tuples(TEXTS, st.integers(-9, 9)), max_size=5))
def test_comma_separated_values_are_read_back(rows: list[tuple[str, int]]) -> None:
    written = b"".join(write_copy(CopyOut(QUERY, "csv", ",", "", True, quoted=None), COLUMNS, rows)).decode()
    found = list(csv.reader(io.StringIO(written, newline="")))
    assert found == [["a", "n"], *([text, str(number)] for text, number in rows)]


@given(st.lists(st.tuples(st.one_of(st.none(), TEXTS), st.integers(-9, 9)), max_size=5))
def test_lines_of_text_have_their_cells_and_nulls(rows: list[tuple[str | None, int]]) -> None:
    written = b"".join(write_copy(CopyOut(QUERY), COLUMNS, rows)).decode()
    lines = written.split("\n")[:-1]
    assert len(lines) == len(rows)
    for line, (text, number) in zip(lines, rows, strict=True):
        first, second = line.split("\t")
        assert int(second) == number
        assert (first == "\\N") == (text is None)


def test_missing_values_and_empty_texts_are_told_apart_in_csv() -> None:
    command = CopyOut(QUERY, "csv", ",", "")
    assert list(write_copy(command, COLUMNS, [(None, 1), ("", 2), ('a"b', 3)])) == [b",1\n", b'"",2\n', b'"a""b",3\n']


def test_a_binary_copy_has_a_head_and_an_end() -> None:
    parts = list(write_copy(CopyOut(QUERY, "binary"), COLUMNS, [("x", None)]))
    assert parts == [SIGNATURE + b"\0\2\0\0\0\1x\xff\xff\xff\xff", b"\xff\xff"]
    assert list(write_copy(CopyOut(QUERY, "binary"), COLUMNS, [])) == [SIGNATURE + b"\xff\xff"]
