"""COPY (SELECT ...) TO STDOUT: its options, old and new, and its formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from discreet.server.wire.commands import AskQuestion, CopyOut, LookUp
from discreet.server.wire.encoding import encode_binary, write_value
from discreet.server.wire.errors import WireError, refuse
from discreet.server.wire.lexing import cut_pieces, unquote
from discreet.server.wire.oids import WireColumn

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + b"\0" * 8
TRAILER = b"\xff\xff"
_NOBODY = LookUp(exp.Select(), 0)


def read_copy(plain: str) -> tuple[str, Callable[[AskQuestion | LookUp], CopyOut]]:
    """Return the query of a COPY, and what makes the command of it."""
    start = re.match(r"COPY\s*\(", plain, re.IGNORECASE)
    if start is None:
        raise refuse("COPY of a table would list its rows", "write COPY (SELECT ...) TO STDOUT")
    depth, at = 1, start.end()
    for _, piece in cut_pieces(plain[at:]):
        depth += (piece == "(") - (piece == ")")
        if not depth:
            break
        at += len(piece)
    inner, rest = plain[start.end() : at], plain[at + 1 :]
    found = re.match(r"\s*TO\s+STDOUT\b(.*)", rest, re.IGNORECASE | re.DOTALL)
    if found is None:
        raise refuse("answers are sent to the client and nowhere else", "write COPY (SELECT ...) TO STDOUT")
    command = _read_options(found[1])
    return inner, lambda query: replace(command, inner=query)


def _read_options(text: str) -> CopyOut:
    words = [piece for kind, piece in cut_pieces(text) if piece.strip() and kind != "comment"]
    if words[:1] and words[0].upper() == "WITH":
        words = words[1:]
    given: dict[str, list[str]] = {}
    if words[:1] == ["("] and words[-1:] == [")"]:
        for part in _split(words[1:-1]):
            given[part[0].upper()] = part[1:]
    else:
        _read_old(words, given)
    form = unquote(given.pop("FORMAT", ["text"])[0])
    if form not in ("text", "csv", "binary"):
        raise WireError("22023", "the formats of COPY are text, csv and binary")
    csv = form == "csv"
    command = CopyOut(_NOBODY, form, "," if csv else "\t", "" if csv else "\\N")
    for name, words in given.items():
        command = _apply(command, name, words)
    return command


def _apply(command: CopyOut, name: str, words: list[str]) -> CopyOut:
    value = unquote(words[0]) if words else "true"
    if name == "HEADER" and value in ("true", "on", "1", "false", "off", "0", "match"):
        return replace(command, header=value in ("true", "on", "1"))
    if name in ("DELIMITER", "QUOTE", "ESCAPE"):
        if len(value) != 1 or value in "\r\n" or not value.isascii():
            raise WireError("22023", f"{name} of COPY is one letter")
        changed: dict[str, Any] = {name.lower(): value}
        return replace(command, **changed)
    if name == "NULL":
        return replace(command, null=value)
    if name == "FORCE_QUOTE":
        names = frozenset(unquote(word) for word in words if word not in "(),")
        return replace(command, quoted=None if "*" in names else names)
    if name == "ENCODING" and value.lower().replace("-", "") in ("utf8", "unicode"):
        return command
    raise WireError("42601", f"the option {name} of COPY is not known with this value")


def _split(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def _read_old(words: list[str], given: dict[str, list[str]]) -> None:
    """Read options as they were written before PostgreSQL 9: WITH CSV HEADER DELIMITER ';'."""
    left = iter(words)
    for word in left:
        match word.upper():
            case "CSV" | "BINARY":
                given["FORMAT"] = [word.lower()]
            case "HEADER":
                given["HEADER"] = ["true"]
            case "DELIMITER" | "NULL" | "QUOTE" | "ESCAPE" as name:
                value = next(left, "")
                given[name] = [next(left, "") if value.upper() == "AS" else value]
            case _:
                raise WireError("42601", f"the option {word[:40]!r} of COPY is not known")


def write_copy(command: CopyOut, columns: Sequence[WireColumn], rows: Sequence[Sequence[object]]) -> Iterator[bytes]:
    """Yield the lines of a copy: text, comma-separated values, or the binary form with its head and its end."""
    if command.form == "binary":
        head = SIGNATURE  # in one message with the first row, as PostgreSQL sends it
        for row in rows:
            yield head + _write_binary(columns, row)
            head = b""
        yield head + TRAILER
        return
    if command.header:
        yield _write_line(command, [column.name for column in columns], columns)
    for row in rows:
        values = [
            None if value is None else write_value(value, column.oid)
            for value, column in zip(row, columns, strict=True)
        ]
        yield _write_line(command, values, columns)


def _write_binary(columns: Sequence[WireColumn], row: Sequence[object]) -> bytes:
    parts = [len(columns).to_bytes(2, "big")]
    for value, column in zip(row, columns, strict=True):
        content = None if value is None else encode_binary(value, column.oid)
        parts += [b"\xff\xff\xff\xff"] if content is None else [len(content).to_bytes(4, "big"), content]
    return b"".join(parts)


def _write_line(command: CopyOut, values: Sequence[str | None], columns: Sequence[WireColumn]) -> bytes:
    if command.form == "csv":
        cells = [_quote(command, value, column.name) for value, column in zip(values, columns, strict=True)]
    else:
        cells = [command.null if value is None else _escape(command, value) for value in values]
    return (command.delimiter.join(cells) + "\n").encode("utf-8", "replace")


def _quote(command: CopyOut, value: str | None, name: str) -> str:
    if value is None:
        return command.null
    special = (command.delimiter, command.quote, "\n", "\r")
    forced = command.quoted is None or name in command.quoted
    if not forced and value != command.null and not any(each in value for each in special) and value != "\\.":
        return value
    inner = value.replace(command.escape, command.escape * 2) if command.escape != command.quote else value
    return command.quote + inner.replace(command.quote, command.escape + command.quote) + command.quote


def _escape(command: CopyOut, value: str) -> str:
    letters = {"\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
    letters[command.delimiter] = letters.get(command.delimiter, "\\" + command.delimiter)
    return "".join(letters.get(letter, letter) for letter in value)
