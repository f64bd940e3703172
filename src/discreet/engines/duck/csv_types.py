"""Types that the first rows of a csv file would fit, as a proposal to its owner; nothing else takes types from rows.

A type that was guessed would be an answer about the rows, so a draft only proposes it, and the owner who confirms it
makes it public.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import duckdb

from discreet.base.types import Type
from discreet.engines.duck.literals import quote_name

SAMPLED = 1_000
"""Rows that are looked at."""

_WHOLE = r"[+-]?(0|[1-9]\d{0,17})"
_DAY = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
FORMS = (
    (Type.BOOLEAN, re.compile(r"true|false", re.IGNORECASE)),
    (Type.INTEGER, re.compile(_WHOLE, re.ASCII)),
    (Type.FLOAT, re.compile(rf"({_WHOLE})?\.\d+|{_WHOLE}(\.\d*)?([eE][+-]?\d{{1,3}})?", re.ASCII)),
    (Type.DATE, re.compile(_DAY, re.ASCII)),
    (Type.TIMESTAMP, re.compile(rf"{_DAY}[T ]\d\d:\d\d(:\d\d(\.\d{{1,9}})?)?(Z|[+-]\d\d:?\d\d)?", re.ASCII)),
)
"""Types in the order in which they are tried, and how their values are written. A number that begins with a zero is
text: it may be a code, of which zeros are a part.
"""


def propose_types(cursor: duckdb.DuckDBPyConnection, clause: str, names: Iterable[str]) -> dict[str, Type | None]:
    """Return for each column the narrowest type that all its cells in the first rows fit; text where there is none."""
    listed = list(names)
    columns = ", ".join(quote_name(name) for name in listed)
    rows = cursor.execute(f"SELECT {columns} FROM {clause} LIMIT {SAMPLED}").fetchall()
    return {name: propose_type(row[place] for row in rows) for place, name in enumerate(listed)}


def propose_type(cells: Iterable[str | None]) -> Type:
    """Return the narrowest type that all these cells fit; empty ones are NULL.

    >>> [propose_type(cells).value for cells in (["1", "20"], ["1", "2.5"], ["007"], ["2026-01-31", None], [])]
    ['integer', 'float', 'text', 'date', 'text']
    """
    told = [cell for cell in cells if cell is not None and cell.strip()]
    fitting = (kind for kind, form in FORMS if told and all(form.fullmatch(cell.strip()) for cell in told))
    return next(fitting, Type.TEXT)
