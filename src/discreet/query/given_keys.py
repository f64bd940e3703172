"""Keys that an analyst hands in: a list of values, rows of several, or a frame with columns named like the keys.

They are the analyst's own, so that showing them again tells nothing. They take the place of every public domain, and no
condition narrows them: each key that was handed in appears, and rows with other keys are in no group.
"""

from __future__ import annotations

import csv
import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.base.canonical import hash_json
from discreet.base.errors import DiscreetError, QueryError
from discreet.base.forms import describe_constant
from discreet.base.types import Type
from discreet.plan.bounded import sort_rows
from discreet.plan.expressions import Column, Constant, Expression, Literal, Reference, Slot
from discreet.plan.question import Question
from discreet.plan.scales import find_scale, has_places
from discreet.query.bound import MOST_KEYS
from discreet.query.bounding.joint_keys import KeyRows
from discreet.query.scalars.constants import parse_moment, to_literal

MOST_LETTERS = 4_000
"""Letters of one key."""

MOST_WRITTEN = 10_000_000
"""Letters of all keys."""

PLAIN = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?")
WORDS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class WrittenKeys:
    """Keys as texts, by the names of their columns: what they mean follows from the type of the key."""

    columns: Mapping[str, Sequence[str]]

    @classmethod
    def read(cls, path: Path) -> WrittenKeys:
        """Return the keys of a CSV file whose first line has their names."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                lines = [line for line in csv.reader(file, strict=True) if line]
        except OSError as trouble:
            raise DiscreetError(f"{path} cannot be read ({trouble.strerror}); name a readable file") from None
        except (UnicodeDecodeError, csv.Error):
            raise DiscreetError(f"{path} is no CSV in UTF-8; write names in line 1 and a key in each other") from None
        if not lines or any(len(line) != len(lines[0]) for line in lines):
            raise DiscreetError(f"{path}: the first line has the names of keys, and all others as many values")
        if len({name.casefold() for name in lines[0]}) < len(lines[0]):
            raise DiscreetError(f"{path}: two columns have one name; leave one out")
        return cls({name: [line[at] for line in lines[1:]] for at, name in enumerate(lines[0])})


def read_keys(given: object, question: Question) -> KeyRows:
    """Return the rows of keys that were handed in for a question, typed and sorted; refuse what is no such row."""
    if not question.keys:
        raise QueryError("keys are for questions with GROUP BY; leave keys out, or group by something")
    names = name_keys(question)
    columns, ordered = _list_columns(given), _follows_groups(question)
    rows = _list_rows(given, names, ordered) if columns is None else _list_named_rows(columns, names)
    if not rows:
        raise QueryError("keys is empty; hand in at least one, or leave keys out")
    if len(rows) > MOST_KEYS:
        raise QueryError(f"keys has {len(rows):,} rows, and {MOST_KEYS:,} are answered at once; hand in fewer")
    for name, key in zip(names, question.keys, strict=True):
        if key.type is Type.FLOAT:
            raise QueryError(f"{name[0]} is float, and such numbers are no keys; group by CAST(... AS INTEGER)")
    texts = isinstance(given, WrittenKeys)
    read = [
        tuple(_read(value, key, name[0], texts) for value, key, name in zip(row, question.keys, names, strict=True))
        for row in rows
    ]
    if sum(len(value) for row in read for value in row if isinstance(value, str)) > MOST_WRITTEN:
        raise QueryError(f"the keys have more than {MOST_WRITTEN:,} letters together; hand in fewer")
    seen: set[tuple[Constant, ...]] = set()
    for row in read:
        if row in seen:
            shown = ", ".join(str(value) for value in row)
            raise QueryError(f"keys has {shown!r:.100} twice; hand in each key once")
        seen.add(row)
    return sort_rows(read)


def describe_keys(rows: KeyRows) -> str:
    """Return how many keys were handed in, and a hash of them: what the ledger's text says of them.

    >>> describe_keys((("north",), ("south",)))
    '2 keys handed in, a0ccd38221a8'
    """
    hashed = hash_json([[describe_constant(value) for value in row] for row in rows])
    return f"{len(rows):,} {'key' if len(rows) == 1 else 'keys'} handed in, {hashed[:12]}"


def name_keys(question: Question) -> list[list[str]]:
    """Return the names that each key goes by: those of the answer's columns, and that of a column itself."""
    found: list[list[str]] = [[] for _ in question.keys]
    for name, output in question.finish.outputs:
        if isinstance(output, Reference) and output.slot is Slot.KEY:
            found[output.index].append(name)
    for names, key in zip(found, question.keys, strict=True):
        if isinstance(key, Column) and not isinstance(key, Reference):
            names.append(key.name)
    return [names or [f"key {place + 1}"] for place, names in enumerate(found)]


def _follows_groups(question: Question) -> bool:
    """Return whether the answer shows its keys in the order of GROUP BY, so that rows without names mean one thing."""
    shown = [each.index for _, each in question.finish.outputs if isinstance(each, Reference) and each.slot is Slot.KEY]
    return shown == sorted(shown)


def _list_named_rows(columns: Mapping[str, Sequence[object]], names: list[list[str]]) -> list[Sequence[object]]:
    """Return rows of a frame's values, in the order of the question's keys."""
    chosen = [_pick(columns, each) for each in names]
    if len({len(each) for each in chosen}) > 1:
        raise QueryError("the columns of keys have different lengths; hand in rows of equal length")
    return list(zip(*chosen, strict=True))


def _list_rows(given: object, names: list[list[str]], ordered: bool) -> list[Sequence[object]]:
    """Return rows of values, in the order of the question's keys."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise QueryError(
            f"keys takes a list of values, a list of rows, or a frame with columns {_listed(names)}; "
            f"not {type(given).__name__}"
        )
    return [_to_row(each, names, ordered) for each in given]


def _list_columns(given: object) -> Mapping[str, Sequence[object]] | None:
    """Return the columns of a frame: of pandas, polars or Arrow, or lists by their names."""
    if isinstance(given, WrittenKeys):
        return given.columns
    if isinstance(given, Mapping):
        return {str(name): list(each) for name, each in given.items()}
    frame: Any = given
    if hasattr(frame, "column_names") and hasattr(frame, "to_pydict"):
        return dict(frame.to_pydict())
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):
        return {str(name): frame[name].to_list() for name in frame.columns}
    return None


def _pick(columns: Mapping[str, Sequence[object]], names: list[str]) -> Sequence[object]:
    folded = {name.casefold(): each for name, each in columns.items()}
    for name in names:
        if name.casefold() in folded:
            return folded[name.casefold()]
    there = ", ".join(repr(name) for name in columns) or "none"
    raise QueryError(f"keys has no column {names[0]!r}, only {there:.200}; name its columns like the keys")


def _to_row(given: object, names: list[list[str]], ordered: bool) -> Sequence[object]:
    if isinstance(given, Mapping):
        return [_pick({str(name): [value] for name, value in given.items()}, each)[0] for each in names]
    row = given if isinstance(given, list | tuple) else (given,)
    if len(row) != len(names):
        raise QueryError(
            f"a row of keys has {len(row)} values, and the question has {len(names)} keys; hand in {_listed(names)}"
        )
    if not ordered:
        raise QueryError(
            f"GROUP BY has the keys {_listed(names)} in another order than SELECT; hand in dicts or a frame, or write "
            "them in one order"
        )
    return row


def _listed(names: list[list[str]]) -> str:
    return ", ".join(each[0] for each in names)


def _read(value: Any, key: Expression, name: str, texts: bool) -> Constant:
    """Return one value of a key, exactly, or refuse it."""
    kind = key.type
    if type(value).__module__ == "numpy":
        value = value.item()
    if texts and isinstance(value, str) and kind is not Type.TEXT:
        value = _read_text(value.strip(), kind)
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value):
        raise QueryError(f"keys has a missing value for {name}, and NULL is no key; leave it out")
    if isinstance(value, dt.datetime) and kind is Type.DATE and value.time() == dt.time() and value.tzinfo is None:
        value = value.date()
    if isinstance(value, str) and kind in (Type.DATE, Type.TIMESTAMP):
        value = parse_moment(value, kind)
    found = to_literal(value, f"a key for {name}")
    if kind is Type.DECIMAL and isinstance(found.value, int | Fraction) and not isinstance(found.value, bool):
        number, scale = Fraction(found.value), find_scale(key)
        if has_places(number, scale):
            return number
        raise QueryError(f"{name} has {scale} digits behind the point, and keys has {value}; hand in rounded values")
    if found.type is not kind or _is_too_large(found):
        raise QueryError(f"{name} is {kind}, and keys has {str(value)!r:.100} for it; hand in values of its type")
    return found.value


def _read_text(text: str, kind: Type) -> object:
    if kind is Type.INTEGER and text.lstrip("+-").isdecimal() and text.isascii() and len(text) < 40:
        return int(text)
    if kind is Type.DECIMAL and PLAIN.fullmatch(text):
        return Decimal(text)
    if kind is Type.BOOLEAN:
        return WORDS.get(text.lower(), text)
    return text or None


def _is_too_large(found: Literal) -> bool:
    if isinstance(found.value, str):
        return len(found.value) > MOST_LETTERS
    return found.type is Type.INTEGER and isinstance(found.value, int) and abs(found.value) >= 1 << 63
