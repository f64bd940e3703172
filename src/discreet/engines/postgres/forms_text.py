"""Forms of functions on texts: letters are code points, and only the letters of ASCII have two cases.

Every text here is collated "C", where it is read, made or written as a constant: so are the results. In this
collation LOWER and UPPER change no letters but those of ASCII.
"""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.postgres.literals import collate_bytewise, write_constant, write_text
from discreet.engines.postgres.once import compute_once
from discreet.engines.shapes import Form, read_pattern, write_call, write_infix
from discreet.plan.expressions import Call, Literal
from discreet.plan.patterns import write_pattern

FARTHEST = 2**31 - 1
"""Positions and lengths beyond this mean this: no text is longer."""


def _held(value: str, least: int) -> str:
    """Return a whole number held between `least` and the farthest; NULL stays NULL."""
    held = f"CASE WHEN {value} < {least} THEN {least} WHEN {value} > {FARTHEST} THEN {FARTHEST} ELSE {value} END"
    return f"CAST({held} AS INTEGER)"


def _substring(arguments: list[str], made: Call) -> str:
    """Positions count from 1, or from the end where negative; a negative length is 0."""

    def body(a: str, start: str, count: str = "") -> str:
        place = f"CASE WHEN {start} < 0 THEN length({a}) + 1 + {_held(start, -FARTHEST)} ELSE {_held(start, 0)} END"
        return f"substring({a}, {place}{f', {_held(count, 0)}' if count else ''})"

    return compute_once(arguments, made.arguments, body)


def _side(word: str) -> Form:
    def form(arguments: list[str], made: Call) -> str:
        return compute_once(arguments, made.arguments, lambda a, count: f"{word}({a}, {_held(count, -FARTHEST)})")

    return form


def _like(arguments: list[str], made: Call) -> str:
    """A constant pattern is written with backslashes, PostgreSQL's own way to escape."""
    pattern = made.arguments[1]
    escape = made.arguments[2].value if len(made.arguments) > 2 and isinstance(made.arguments[2], Literal) else None
    if isinstance(pattern, Literal) and isinstance(pattern.value, str):
        return f"({arguments[0]} LIKE {write_text(_escaped(pattern.value, escape if isinstance(escape, str) else ''))})"
    return f"({arguments[0]} LIKE {arguments[1]} ESCAPE '')"


def _escaped(pattern: str, escape: str) -> str:
    found, letters = "", iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            found += "\\" + next(letters, escape)
        else:
            found += "\\\\" if letter == "\\" else letter
    return found


def _trimmed(word: str) -> Form:
    """Spaces only, and none of Unicode's other blanks, where no characters are given."""
    return lambda arguments, made: f"{word}({arguments[0]}, {arguments[1] if len(arguments) > 1 else write_text(' ')})"


def _padded(word: str) -> Form:
    def form(arguments: list[str], made: Call) -> str:
        length = made.arguments[1]
        assert isinstance(length, Literal)
        assert isinstance(length.value, int)
        return f"{word}({arguments[0]}, {length.value}, {arguments[2]})"

    return form


def _ends(arguments: list[str], made: Call) -> str:
    return compute_once(arguments, made.arguments, lambda a, b: f"(right({a}, length({b})) = {b})")


def _to_text(arguments: list[str], made: Call) -> str:
    """Dates are written as 2026-03-01: sessions pin that."""
    given, value = made.arguments[0].type, arguments[0]
    if given is Type.TEXT:
        return value
    if given is Type.BOOLEAN:
        return compute_once(
            arguments,
            made.arguments,
            lambda a: collate_bytewise(f"CASE WHEN {a} THEN 'true' WHEN NOT {a} THEN 'false' END"),
        )
    return collate_bytewise(f"CAST({value} AS TEXT)")


def _whole(word: str) -> Form:
    inner = write_call(word)
    return lambda arguments, made: f"CAST({inner(arguments, made)} AS BIGINT)"


def _concat(arguments: list[str], made: Call) -> str:
    empty = write_constant("", Type.TEXT)
    return f"({' || '.join(f'coalesce({each}, {empty})' for each in arguments)})"


def _part(arguments: list[str], made: Call) -> str:
    """The empty text where there are not so many parts; which one is a constant."""
    place = made.arguments[2]
    assert isinstance(place, Literal)
    return f"split_part({arguments[0]}, {arguments[1]}, {write_constant(place.value, Type.INTEGER)}::integer)"


def _replaced(option: str) -> Form:
    def form(arguments: list[str], made: Call) -> str:
        pattern = write_text(write_pattern(read_pattern(made), "\\U{:08X}", "^", "$"))
        return f"regexp_replace({arguments[0]}, {pattern}, {arguments[2]}{option})"

    return form


TEXTS: dict[str, Form] = {
    "like": _like,
    "lower": lambda arguments, made: f"lower({collate_bytewise(arguments[0])})",
    "upper": lambda arguments, made: f"upper({collate_bytewise(arguments[0])})",
    "reverse": write_call("reverse"),
    "length": _whole("length"),
    "strlen": _whole("octet_length"),
    "strpos": _whole("strpos"),
    "split_part": _part,
    "starts_with": write_call("starts_with"),
    "ends_with": _ends,
    "contains": lambda arguments, made: f"(strpos({arguments[0]}, {arguments[1]}) > 0)",
    "substring": _substring,
    "left": _side("left"),
    "right": _side("right"),
    "trim": _trimmed("btrim"),
    "ltrim": _trimmed("ltrim"),
    "rtrim": _trimmed("rtrim"),
    "replace": write_call("replace"),
    "regexp_replace": _replaced(""),
    "regexp_replace_all": _replaced(", 'g'"),
    "join": write_infix("||"),
    "concat": _concat,
    "lpad": _padded("lpad"),
    "rpad": _padded("rpad"),
    "as_text": _to_text,
}
