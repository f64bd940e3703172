"""Files: comma-separated values and JSON that come back as they went in, and Parquet."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from json.encoder import py_encode_basestring
from pathlib import Path
from uuid import uuid4

from discreet.answers.fields import Field, Row, is_finite, to_utc
from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError

FORMATS = ("csv", "json", "parquet")


def choose_format(path: Path, format: str | None) -> str:
    """Return the format that was named, else the one that the file's ending names."""
    if format is not None:
        return check.choice("format", format, FORMATS)
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise ParameterError("path", str(path), "a file that ends in .csv, .json or .parquet, or format=... beside it")
    return ending


def write_csv(fields: tuple[Field, ...], rows: tuple[Row, ...]) -> str:
    """Return the table as comma-separated values (RFC 4180, lines end in a line feed), every number exact.

    A missing value is empty, an empty text is `""`: readers that look at quotes can tell them apart.
    """
    lines = [[field.name for field in fields], *rows]
    alone = len(fields) == 1
    return "".join(",".join(_csv_cell(value, alone) for value in line) + "\n" for line in lines)


def _csv_cell(value: object, alone: bool) -> str:
    if value is None:
        return '""' if alone else ""
    text = value if isinstance(value, str) else plain_text(value)
    if not text or text != text.strip() or any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def plain_text(value: object) -> str:
    """Return a value in the one form that files use: ISO 8601 times, the shortest exact text of floats."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return to_utc(value).isoformat().removesuffix("+00:00") + "Z"
    return value.isoformat() if isinstance(value, date) else str(value)


def write_json(value: object) -> str:
    """Return a value as JSON. Numbers of any width are JSON numbers, digit by digit.

    JSON has no word for what is not finite: those are the texts `NaN`, `Infinity` and `-Infinity`.

    >>> print(write_json({"n": 2**70, "x": (0.5, None, float("inf"))}))
    {"n": 1180591620717411303424, "x": [0.5, null, "Infinity"]}
    """
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_json_string(str(key))}: {write_json(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(write_json(part) for part in value) + "]"
    if isinstance(value, float | Decimal) and not is_finite(value):
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    if isinstance(value, str):
        return _json_string(value)
    text = plain_text(value)
    return text if isinstance(value, bool | int | float | Decimal) else _json_string(text)


def write_json_document(parts: Mapping[str, object]) -> str:
    """Return a JSON object with one part per line, and one row per line in parts that are lists of rows."""
    lines = [f"{_json_string(key)}: {_spread(part)}" for key, part in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def save_parquet(table: object, path: Path) -> None:
    """Write an Arrow table with its schema's metadata."""
    import pyarrow.parquet

    with writing(path):
        pyarrow.parquet.write_table(table, path)


def save_text(text: str, path: Path) -> None:
    """Write text as it is: UTF-8, no line ending changed."""
    with writing(path), path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say plainly what is wrong where a file cannot be written; the answer is not lost by it."""
    try:
        yield
    except OSError as trouble:
        reason = trouble.strerror or type(trouble).__name__
        raise DiscreetError(f"{path} cannot be written ({reason}); name a file in a folder that exists") from None


def describe_columns(fields: Iterable[Field]) -> list[dict[str, object]]:
    """Return the fields as JSON values."""
    return [
        {"name": field.name, "type": str(field.type), "noisy": field.noisy}
        | ({"interval": field.remark} if field.remark else {})
        for field in fields
    ]


def _spread(part: object) -> str:
    if isinstance(part, list | tuple) and part and isinstance(part[0], list | tuple | Mapping):
        return "[\n  " + ",\n  ".join(write_json(row) for row in part) + "\n]"
    return write_json(part)


def _json_string(text: str) -> str:
    encoded: str = py_encode_basestring(text)
    return encoded


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a file to write beside another, which takes its place once it is whole and on the disk.

    A run that ends halfway leaves the old file as it was.
    """
    part = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with writing(path):
            if path.is_dir():
                raise DiscreetError(f"{path} cannot be written (it is a folder); name a file")
            yield part
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
