"""Regular expressions that mean the same on every engine, and take no longer on one than on another.

A pattern is a row of letters, each one out of a set and so many times. There are no groups, alternatives or lazy
repetitions, and no set that may be there more or fewer times has a letter of what can follow it. So from where a match
begins there is one way to go on: engines that take the first way, those that take the longest and those that never go
back find the same match. None is empty, so that all of them also go on from the same place.

What may repeat without limit stands at the end, or behind ^. Elsewhere a search that begins anew at every letter would
go through a long row of them again and again.
"""

from __future__ import annotations

from dataclasses import dataclass

CodeRanges = tuple[tuple[int, int], ...]
"""Code points from, to."""

LAST = 0x10FFFF
MOST_TIMES, LONGEST_PATTERN, MOST_TRIES = 100, 200, 200

DIGITS: CodeRanges = ((0x30, 0x39),)
WORDS: CodeRanges = (*DIGITS, (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
BLANKS: CodeRanges = ((9, 10), (12, 13), (32, 32))
"""What RE2, DuckDB's engine, takes for digits, letters of words and blanks: those of ASCII."""

CLASSES = {"d": DIGITS, "w": WORDS, "s": BLANKS}
CONTROLS = {"t": 9, "n": 10, "r": 13}


class PatternError(Exception):
    """Why a pattern is not answered."""


@dataclass(frozen=True, slots=True)
class Letters:
    """One letter out of a set, or, where negated, none out of it; from `least` to `most` times, None for any number."""

    ranges: CodeRanges
    negated: bool = False
    least: int = 1
    most: int | None = 1

    @property
    def varies(self) -> bool:
        """Say whether it may be there more or fewer times."""
        return self.least != self.most

    @property
    def covered(self) -> CodeRanges:
        """The code points that it can be."""
        if not self.negated:
            return self.ranges
        found, place = [], 0
        for low, high in sorted(self.ranges):
            if place < low:
                found.append((place, low - 1))
            place = max(place, high + 1)
        return (*found, (place, LAST)) if place <= LAST else tuple(found)

    def meets(self, other: Letters) -> bool:
        """Say whether one letter can be both."""
        return any(low <= end and start <= high for low, high in self.covered for start, end in other.covered)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Letters one after the other; `begins` and `ends`: only at the beginning of the text, and up to its end."""

    letters: tuple[Letters, ...]
    begins: bool = False
    ends: bool = False

    @property
    def least(self) -> int:
        """The fewest letters of a match."""
        return sum(each.least for each in self.letters)

    @property
    def tries(self) -> int:
        """How many letters a search looks at, at most, before it begins anew, or before it has found a match."""
        return sum(each.most if each.most is not None else max(each.least, 1) for each in self.letters)

    @property
    def overlaps(self) -> bool:
        """Say whether a match can begin inside of another that has begun, so that many may be under way at once.

        Engines that go through a text once then hold all of these, and there are too many sets of them to be known.
        """
        if self.begins:
            return False
        first = next((place for place, each in enumerate(self.letters) if each.least), 0)
        starts = self.letters[: first + 1]
        return any(start.meets(each) for start in starts for each in self.letters[1:] if each is not start)


def parse_pattern(text: str) -> Pattern:
    r"""Return what a pattern means, or raise the reason why it is not answered.

    >>> pattern = parse_pattern(r"Dr\.? [0-9]+")
    >>> [(each.least, each.most) for each in pattern.letters]
    [(1, 1), (1, 1), (0, 1), (1, 1), (1, None)]
    """
    if len(text) > LONGEST_PATTERN:
        raise PatternError(f"the pattern has more than {LONGEST_PATTERN} letters; write a shorter one")
    begins = text.startswith("^")
    ends = text.endswith("$") and not _is_escaped(text, len(text) - 1)
    place, end = int(begins), len(text) - int(ends)
    found: list[Letters] = []
    while place < end:
        letters, place = _read_letters(text, place, end)
        found.append(letters)
    pattern = Pattern(tuple(found), begins, ends)
    _check(pattern)
    return pattern


def _check(pattern: Pattern) -> None:
    if pattern.least == 0:
        raise PatternError("the pattern is found where there is nothing; write + instead of *, or a letter beside it")
    if pattern.tries > MOST_TRIES:
        raise PatternError(f"the pattern could look at more than {MOST_TRIES} letters; repeat fewer of them")
    for place, each in enumerate(pattern.letters):
        last = place == len(pattern.letters) - 1 and not pattern.ends
        if each.most is None and not last and not pattern.begins:
            raise PatternError(
                "what may repeat without limit stands at the end of the pattern, or behind ^ at its beginning; "
                f"elsewhere write how often at most, as in {{1,{MOST_TIMES}}}"
            )
        for follower in pattern.letters[place + 1 :] if each.varies else ():
            if each.meets(follower):
                raise PatternError(
                    "behind a repetition stands a letter that could belong to it, and engines differ on which it is; "
                    "write a letter that is not in it"
                )
            if follower.least:
                break


def _read_letters(text: str, place: int, end: int) -> tuple[Letters, int]:
    """Return one set of letters with how often it is there, and where it ends."""
    letter = text[place]
    if letter in "()|":
        raise PatternError("groups and alternatives are not answered; write a set such as [ab], or CASE WHEN")
    if letter in "*+?{}]^$":
        raise PatternError(f"{letter} stands where a letter is expected; write \\{letter} for the letter itself")
    if letter == "[":
        found, place = _read_set(text, place + 1, end)
    elif letter == "\\":
        found, place = _read_escape(text, place + 1, end)
    else:
        found, place = (Letters(((10, 10),), True) if letter == "." else _one(_code(letter))), place + 1
    least, most, place = _read_times(text, place, end)
    return Letters(found.ranges, found.negated, least, most), place


def _read_times(text: str, place: int, end: int) -> tuple[int, int | None, int]:
    sign = text[place] if place < end else ""
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if sign in simple:
        least, most = simple[sign]
        place += 1
    elif sign == "{":
        closing = text.find("}", place, end)
        first, comma, second = text[place + 1 : closing].partition(",")
        given = [first, *([second] if second else [])]
        if closing < 0 or not all(each.isascii() and each.isdecimal() and len(each) < 4 for each in given):
            raise PatternError("write how often as {3}, {1,3} or {1,}, or \\{ for the letter itself")
        least = int(first)
        most = int(second) if second else None if comma else least
        place = closing + 1
    else:
        return 1, 1, place
    if max(least, most or 0) > MOST_TIMES or (most is not None and not max(least, 1) <= most):
        raise PatternError(f"letters repeat from 0 to {MOST_TIMES} times, the fewest first")
    if text[place : place + 1] in ("?", "+", "*", "{") and place < end:
        raise PatternError("lazy and repeated repetitions are not answered; write how often once")
    return least, most, place


def _read_set(text: str, place: int, end: int) -> tuple[Letters, int]:
    negated = text[place : place + 1] == "^"
    place += int(negated)
    ranges: list[tuple[int, int]] = []
    while place < end and text[place] != "]":
        if text[place] == "[":
            raise PatternError("write \\[ for the letter itself; sets inside of sets are not answered")
        escaped = text[place] == "\\"
        found, place = _read_escape(text, place + 1, end) if escaped else (_one(_code(text[place])), place + 1)
        if found.negated:
            raise PatternError("inside of a set \\D, \\W and \\S are not answered; write [^0-9]")
        low = found.ranges[0][0]
        if text[place : place + 1] == "-" and place + 1 < end and text[place + 1] != "]":
            if len(found.ranges) > 1 or found.ranges == DIGITS or text[place + 1] in "\\[":
                raise PatternError("write ranges of plain letters, as in a-z, and \\- for the letter itself")
            high = _code(text[place + 1])
            if high < low:
                raise PatternError("a range goes from the lesser letter to the greater, as in a-z")
            found, place = Letters(((low, high),)), place + 2
        ranges += found.ranges
    if place >= end or not ranges:
        raise PatternError("a set has letters and ends with ], as in [a-z]")
    return Letters(tuple(sorted(ranges)), negated), place + 1


def _read_escape(text: str, place: int, end: int) -> tuple[Letters, int]:
    letter = text[place] if place < end else ""
    if letter.lower() in CLASSES:
        return Letters(CLASSES[letter.lower()], letter.isupper()), place + 1
    if letter in CONTROLS:
        return _one(CONTROLS[letter]), place + 1
    if not letter or letter.isalnum() or not letter.isascii() or ord(letter) < 32:
        listed = "\\d \\w \\s \\t \\n \\r and signs such as \\."
        raise PatternError(f"behind a backslash stands one of {listed}")
    return _one(ord(letter)), place + 1


def _one(code: int) -> Letters:
    return Letters(((code, code),))


def _code(letter: str) -> int:
    code = ord(letter)
    if (code < 32 and code not in CONTROLS.values()) or 0xD800 <= code < 0xE000:
        raise PatternError("control characters are not answered in a pattern, but for \\t, \\n and \\r")
    return code


def _is_escaped(text: str, place: int) -> bool:
    before = place
    while before and text[before - 1] == "\\":
        before -= 1
    return (place - before) % 2 == 1


def write_pattern(pattern: Pattern, code: str, start: str, end: str, possessive: str = "") -> str:
    """Return a pattern in an engine's words: how a code point is written, both ends, and a mark of never going back."""
    found = start if pattern.begins else ""
    for each in pattern.letters:
        ranges = "".join(_write_range(each_range, code) for each_range in each.ranges)
        found += f"[{'^' if each.negated else ''}{ranges}]"
        if each.most is None:
            found += f"{{{each.least},}}{possessive}"
        elif each.varies:
            found += f"{{{each.least},{each.most}}}{possessive}"
        elif each.least > 1:
            found += f"{{{each.least}}}"
    return found + (end if pattern.ends else "")


def _write_range(given: tuple[int, int], code: str) -> str:
    low, high = given
    return code.format(low) if low == high else f"{code.format(low)}-{code.format(high)}"
