"""Functions on texts give what Python gives on code points."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from discreet.base.types import Type
from discreet.engines.duck.forms import write_sql
from discreet.engines.duck.forms_text import FARTHEST
from discreet.plan.expressions import Call, Column
from discreet.plan.patterns import parse_pattern, write_pattern
from discreet.query.scalars.calls import lower_ascii
from support.worst_values import compared, every, nasty


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    return nasty()


def substring(text: str, start: int, length: int | None = None) -> str:
    """DuckDB's: from 1, or from the end; a part before the beginning takes its share of the length."""
    start = max(-FARTHEST, min(start, FARTHEST))
    length = length if length is None else min(length, FARTHEST)
    first = start - 1 if start > 0 else -1 if start == 0 else len(text) + start
    last = len(text) if length is None else first + max(length, 0)
    return text[max(first, 0) : max(last, 0)]


def left(text: str, count: int) -> str:
    return text[:count] if count >= 0 else text[: max(len(text) + count, 0)]


def right(text: str, count: int) -> str:
    size = min(count, len(text)) if count >= 0 else max(len(text) + count, 0)
    return text[len(text) - size :]


def padded(left_side: bool) -> Callable[[str, int, str], str]:
    def rule(text: str, length: int, fill: str) -> str:
        missing = fill * max(length - len(text), 0)
        return missing + text if left_side and missing else (text + missing)[:length]

    return rule


def upper(text: str) -> str:
    return "".join(letter.upper() if letter.isascii() else letter for letter in text)


def to_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(pattern: str) -> str:
    return write_pattern(parse_pattern(pattern), "\\U{:08X}", r"\A", r"\Z")


def split_part(text: str, between: str, place: int) -> str:
    parts = text.split(between)
    index = place - 1 if place > 0 else len(parts) + place
    return parts[index] if 0 <= index < len(parts) else ""


REFERENCES: dict[str, Callable[..., Any]] = {
    "lower": lower_ascii,
    "upper": upper,
    "reverse": lambda text: text[::-1],
    "length": len,
    "strlen": lambda text: len(text.encode()),
    "split_part": split_part,
    "regexp_replace": lambda text, pattern, put: re.sub(read(pattern), lambda _: put, text, count=1),
    "regexp_replace_all": lambda text, pattern, put: re.sub(read(pattern), lambda _: put, text),
    "strpos": lambda text, searched: text.find(searched) + 1,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": lambda text, searched: searched in text,
    "substring": substring,
    "left": left,
    "right": right,
    "trim": lambda text, letters=" ": text.strip(letters) if letters else text,
    "ltrim": lambda text, letters=" ": text.lstrip(letters) if letters else text,
    "rtrim": lambda text, letters=" ": text.rstrip(letters) if letters else text,
    "replace": str.replace,
    "join": lambda a, b: a + b,
    "lpad": padded(True),
    "rpad": padded(False),
}


@pytest.mark.many
@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_values_are_those_of_python(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    def wanted(*given: Any) -> Any:
        return None if None in given else REFERENCES[name](*given)

    assert compared(connection, name, wanted) >= 80


def test_concat_leaves_nulls_out(connection: duckdb.DuckDBPyConnection) -> None:
    assert compared(connection, "concat", lambda *given: "".join(each or "" for each in given)) > 100


def test_texts_of_values(connection: duckdb.DuckDBPyConnection) -> None:
    """DuckDB hands dates beyond Python's out as their ends or as texts: what is not of the years 1 to 9999 is NULL."""

    def wanted(value: Any) -> Any:
        if value is None:
            return None
        return value.isoformat() if isinstance(value, dt.date) else to_text(value)

    for made in every("as_text"):
        listed = ", ".join(write_sql(each) for each in (*made.arguments, made))
        rows = connection.execute(f"SELECT {listed} FROM t").fetchall()
        if made.arguments[0].type is Type.DATE:
            rows = [(given, found) for given, found in rows if found is not None]
        assert all(found == wanted(given) for given, found in rows)
    dates = connection.execute(
        f"SELECT count({write_sql(next(each for each in every('as_text') if _of_dates(each)))}) FROM t"
    )
    assert dates.fetchall() == [(5,)]


def _of_dates(made: Call) -> bool:
    return isinstance(made.arguments[0], Column) and made.arguments[0].type is Type.DATE
