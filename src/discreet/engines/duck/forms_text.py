"""Forms of functions on texts: letters are code points, and only the letters of ASCII have two cases."""

from __future__ import annotations

import string

from discreet.base.types import Type
from discreet.engines.duck.literals import cast_working, write_text
from discreet.engines.duck.once import compute_once, hold_within
from discreet.engines.shapes import Form, read_pattern, write_call, write_infix
from discreet.plan.expressions import Call, Literal
from discreet.plan.patterns import write_pattern

FARTHEST = 2**31 - 1
"""Positions and lengths beyond this mean this: no text is longer, and DuckDB refuses to count further than 2^32."""

LOWER, UPPER = write_text(string.ascii_lowercase), write_text(string.ascii_uppercase)

FIRST_DAY, LAST_DAY = "DATE '0001-01-01'", "DATE '9999-12-31'"


def _position(argument: str, made: Call, place: int, least: int) -> str:
    """Return a whole number held between `least` and the farthest; NULL stays NULL."""
    given = made.arguments[place]
    if isinstance(given, Literal) and isinstance(given.value, int):
        return f"CAST({max(least, min(given.value, FARTHEST))} AS BIGINT)"

    def body(x: str) -> str:
        held = f"CASE WHEN {x} < {least} THEN {least} WHEN {x} > {FARTHEST} THEN {FARTHEST} ELSE {x} END"
        return f"CAST({held} AS BIGINT)"

    return compute_once(body, cast_working(argument, Type.INTEGER))


def _substring(arguments: list[str], made: Call) -> str:
    """Positions count from 1, or from the end where negative; a negative length is 0."""
    parts = [arguments[0], _position(arguments[1], made, 1, -FARTHEST)]
    if len(arguments) > 2:
        parts.append(_position(arguments[2], made, 2, 0))
    return f"substring({', '.join(parts)})"


def _side(word: str) -> Form:
    return lambda arguments, made: f"{word}({arguments[0]}, {_position(arguments[1], made, 1, -FARTHEST)})"


def _like(arguments: list[str], made: Call) -> str:
    escape = f" ESCAPE {arguments[2]}" if len(arguments) > 2 else ""
    return f"({arguments[0]} LIKE {arguments[1]}{escape})"


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


def _reversed(arguments: list[str], made: Call) -> str:
    """By letters; DuckDB's own REVERSE keeps some of them together, and its `array_to_string` writes its list twice."""
    return f"list_aggregate(list_reverse(string_split({arguments[0]}, '')), 'string_agg', '')"


def _part(arguments: list[str], made: Call) -> str:
    """The empty text where there are not so many parts. DuckDB's own SPLIT_PART writes its text twice."""
    value, between = arguments[:2]
    place = _position(arguments[2], made, 2, -FARTHEST)

    def body(x: str) -> str:
        return f"(CASE WHEN {x} IS NOT NULL THEN coalesce(string_split({x}, {between})[{place}], '') END)"

    return compute_once(body, value)


def _replaced(option: str) -> Form:
    def form(arguments: list[str], made: Call) -> str:
        pattern = write_text(write_pattern(read_pattern(made), "\\x{{{:X}}}", "\\A", "\\z"))
        return f"regexp_replace({arguments[0]}, {pattern}, {arguments[2]}{option})"

    return form


def _to_text(arguments: list[str], made: Call) -> str:
    """Dates are written as 2026-03-01, which has room for the years 1 to 9999 only."""
    value = hold_within(arguments[0], FIRST_DAY, LAST_DAY) if made.arguments[0].type is Type.DATE else arguments[0]
    return f"CAST({value} AS VARCHAR)"


TEXTS: dict[str, Form] = {
    "like": _like,
    "lower": lambda arguments, made: f"translate({arguments[0]}, {UPPER}, {LOWER})",
    "upper": lambda arguments, made: f"translate({arguments[0]}, {LOWER}, {UPPER})",
    "reverse": _reversed,
    "length": write_call("length"),
    "strlen": write_call("strlen"),
    "strpos": write_call("strpos"),
    "split_part": _part,
    "starts_with": write_call("starts_with"),
    "ends_with": write_call("suffix"),
    "contains": write_call("contains"),
    "substring": _substring,
    "left": _side("left"),
    "right": _side("right"),
    "trim": _trimmed("trim"),
    "ltrim": _trimmed("ltrim"),
    "rtrim": _trimmed("rtrim"),
    "replace": write_call("replace"),
    "regexp_replace": _replaced(""),
    "regexp_replace_all": _replaced(", 'g'"),
    "join": write_infix("||"),
    "concat": write_call("concat"),
    "lpad": _padded("lpad"),
    "rpad": _padded("rpad"),
    "as_text": _to_text,
}
