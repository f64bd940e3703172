"""Forms of functions on texts: letters are code points, and only the letters of ASCII have two cases."""

from __future__ import annotations

import string

from discreet.base.types import Type
from discreet.engines.shapes import Form, read_pattern, write_call, write_infix
from discreet.engines.spark.literals import cast_working, write_constant, write_text
from discreet.engines.spark.once import compute_once
from discreet.plan.expressions import Call, Literal
from discreet.plan.patterns import write_pattern

FARTHEST = 2**31 - 2
"""Positions and lengths beyond this mean this: no text is longer, and Spark counts in 32 bits."""

LOWER, UPPER = write_text(string.ascii_lowercase), write_text(string.ascii_uppercase)


def _position(argument: str, made: Call, place: int, least: int) -> str:
    """Return a whole number held between `least` and the farthest; NULL stays NULL."""
    given = made.arguments[place]
    if isinstance(given, Literal) and isinstance(given.value, int):
        return f"CAST({max(least, min(given.value, FARTHEST))} AS INT)"

    def body(x: str) -> str:
        held = f"CASE WHEN {x} < {least} THEN {least} WHEN {x} > {FARTHEST} THEN {FARTHEST} ELSE {x} END"
        return f"CAST({held} AS INT)"

    return compute_once(body, cast_working(argument, Type.INTEGER))


def _substring(arguments: list[str], made: Call) -> str:
    """Positions count from 1, or from the end where negative; a negative length is 0.

    What lies before the beginning takes its share of the length; Spark takes position 0 for 1.
    """
    start = _position(arguments[1], made, 1, -FARTHEST)
    if len(arguments) == 2:
        return f"substring({arguments[0]}, {start})"
    length = _position(arguments[2], made, 2, 0)
    return compute_once(
        lambda s, p, n: f"substring({s}, {p}, {n} - (CASE WHEN {p} = 0 THEN 1 ELSE 0 END))", arguments[0], start, length
    )


def _left(arguments: list[str], made: Call) -> str:
    """A negative count leaves out so many letters of the end."""
    count = _position(arguments[1], made, 1, -FARTHEST)
    return compute_once(
        lambda s, n: f"substring({s}, 1, CASE WHEN {n} < 0 THEN greatest(length({s}) + {n}, 0) ELSE {n} END)",
        arguments[0],
        count,
    )


def _right(arguments: list[str], made: Call) -> str:
    """A negative count leaves out so many letters of the beginning."""
    count = _position(arguments[1], made, 1, -FARTHEST)
    return compute_once(
        lambda s, n: (
            f"substring({s}, CASE WHEN {n} < 0 THEN 1 - {n} ELSE - {n} END, "
            f"CASE WHEN {n} < 0 THEN {FARTHEST} ELSE {n} END)"
        ),
        arguments[0],
        count,
    )


def _like(arguments: list[str], made: Call) -> str:
    """LIKE as a regular expression: Spark's own misses letters beyond 16 bits, and takes a backslash for an escape.

    Between two %, the first place where the part fits is as good as any other, so that nothing is tried twice.
    """
    pattern, letter = made.arguments[1], made.arguments[2] if len(made.arguments) > 2 else None
    assert isinstance(pattern, Literal)
    assert letter is None or isinstance(letter, Literal)
    if pattern.value is None or (letter is not None and letter.value is None):
        return write_constant(None, Type.BOOLEAN)
    first, *others = _parts(str(pattern.value), None if letter is None else str(letter.value))
    between = "".join(f"(?>.*?{each})" for each in others[:-1])
    end = f".*{others[-1]}" if others else ""
    whole = rf"(?s)\A{first}{between}{end}\z"
    return f"({arguments[0]} RLIKE {write_text(whole)})"


def _parts(pattern: str, escape: str | None) -> list[str]:
    """Return what stands between every two %, as regular expressions of one length each."""
    parts, letters = [""], iter(pattern)
    for letter in letters:
        if letter == escape:
            parts[-1] += _itself(next(letters, letter))
        elif letter == "%":
            parts.append("")
        else:
            parts[-1] += "." if letter == "_" else _itself(letter)
    return parts


def _itself(letter: str) -> str:
    return f"\\x{{{ord(letter):X}}}"


def _trimmed(side: str) -> Form:
    """Spaces only, and none of Unicode's other blanks, where no characters are given."""
    return lambda arguments, made: (
        f"trim({side} {arguments[1] if len(arguments) > 1 else write_text(' ')} FROM {arguments[0]})"
    )


def _padded(word: str) -> Form:
    def form(arguments: list[str], made: Call) -> str:
        length = made.arguments[1]
        assert isinstance(length, Literal)
        assert isinstance(length.value, int)
        return f"{word}({arguments[0]}, {length.value}, {arguments[2]})"

    return form


def _part(arguments: list[str], made: Call) -> str:
    """The empty text where there are not so many parts."""
    return f"split_part({arguments[0]}, {arguments[1]}, {_position(arguments[2], made, 2, -FARTHEST)})"


def _replaced(arguments: list[str], made: Call) -> str:
    """Spark replaces all matches: where only the first is meant, what stands before it is found along with it."""
    pattern, put = read_pattern(made), made.arguments[2]
    assert isinstance(put, Literal)
    kept = str(put.value).replace("$", "\\$")
    written = write_pattern(pattern, "\\x{{{:X}}}", "\\A", "\\z", "+")
    if made.function == "regexp_replace" and not pattern.begins:
        written, kept = rf"\A((?s:.*?)){written}", f"$1{kept}"
    return f"regexp_replace({arguments[0]}, {write_text(written)}, {write_text(kept)})"


TEXTS: dict[str, Form] = {
    "like": _like,
    "lower": lambda arguments, made: f"translate({arguments[0]}, {UPPER}, {LOWER})",
    "upper": lambda arguments, made: f"translate({arguments[0]}, {LOWER}, {UPPER})",
    "reverse": write_call("reverse"),
    "length": write_call("length"),
    "strlen": write_call("octet_length"),
    "strpos": write_call("instr"),
    "split_part": _part,
    "starts_with": write_call("startswith"),
    "ends_with": write_call("endswith"),
    "contains": write_call("contains"),
    "substring": _substring,
    "left": _left,
    "right": _right,
    "trim": _trimmed("BOTH"),
    "ltrim": _trimmed("LEADING"),
    "rtrim": _trimmed("TRAILING"),
    "replace": write_call("replace"),
    "regexp_replace": _replaced,
    "regexp_replace_all": _replaced,
    "join": write_infix("||"),
    "concat": lambda arguments, made: f"concat_ws('', {', '.join(arguments)})",
    "lpad": _padded("lpad"),
    "rpad": _padded("rpad"),
    "as_text": lambda arguments, made: f"CAST({arguments[0]} AS STRING)",
}
