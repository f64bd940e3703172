"""Patterns mean what Python's and DuckDB's engines mean by them, and those that could mean two things are refused."""

from __future__ import annotations

import re

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plan.patterns import MOST_TRIES, Letters, PatternError, parse_pattern, write_pattern

PATTERNS = (
    r"[0-9]+",
    r"Dr\.? ",
    r"^\s*[a-z]+-",
    r"[^a-z0-9]",
    r"\d{2,3}$",
    r"a.b",
    r"[\s_.-]+",
    r"x?y{2}",
    r"é+",
    r"\W",
    r"^a{1,}b*$",
    r"\$\^\\",
    r"[\]a]b",
)
CONNECTION = duckdb.connect(":memory:", config={"threads": 1})


def find(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return the matches of what is written for engines like DuckDB's."""
    written = write_pattern(parse_pattern(pattern), "\\U{:08X}", r"\A", r"\Z")
    return [each.span() for each in re.finditer(written, text)]


@pytest.mark.many
@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text("ab019-_. éDrxy$^\\]\n\t😀", max_size=12))
def test_what_is_written_means_the_pattern(pattern: str, text: str) -> None:
    plain = pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern
    wanted = [each.span() for each in re.finditer(plain, text, re.ASCII)]
    if r"\W" not in pattern and r"\s" not in pattern:  # these are other letters in Python
        assert find(pattern, text) == wanted
    assert all(low < high for low, high in find(pattern, text))
    given = pattern.replace("'", "''"), text.replace("'", "''")
    (found,) = CONNECTION.execute("SELECT regexp_replace(?, ?, '#', 'g')", [given[1], given[0]]).fetchall()[0]
    spans, made, place = find(pattern, text), "", 0
    for low, high in spans:
        made, place = made + text[place:low] + "#", high
    assert found == made + text[place:]


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("", "found where there is nothing"),
        ("^$", "found where there is nothing"),
        ("[0-9]*", "found where there is nothing"),
        ("a|b", "groups and alternatives"),
        ("(ab)+", "groups and alternatives"),
        ("a+?", "lazy and repeated"),
        ("a{2}{3}", "lazy and repeated"),
        ("[0-9]+x", "stands at the end of the pattern"),
        (" +$", "stands at the end of the pattern"),
        ("^a*ab", "could belong to it"),
        ("a?.b", "could belong to it"),
        ("[a-f]{1,3}[^x]", "could belong to it"),
        ("a?b?a", "could belong to it"),
        ("*a", "where a letter is expected"),
        ("a^b", "where a letter is expected"),
        ("a$b", "where a letter is expected"),
        ("a{x}", "how often"),
        ("a{3,1}", "the fewest first"),
        ("a{0}b", "the fewest first"),
        ("a{101}", "0 to 100 times"),
        ("[a-z", "ends with ]"),
        ("[]", "ends with ]"),
        ("[z-a]", "from the lesser letter"),
        ("[[:alpha:]]", "sets inside of sets"),
        (r"[\D]", "inside of a set"),
        (r"[\d-z]", "ranges of plain letters"),
        (r"\1a", "behind a backslash"),
        (r"\bword", "behind a backslash"),
        (r"\pL", "behind a backslash"),
        ("a\\", "behind a backslash"),
        ("a\x00", "control characters"),
        ("a{100}b{100}c", f"more than {MOST_TRIES} letters"),
        ("a" * 201, "more than 200 letters"),
    ],
)
def test_what_is_refused(pattern: str, part: str) -> None:
    with pytest.raises(PatternError, match=re.escape(part)):
        parse_pattern(pattern)


def test_sets_meet_where_one_letter_is_in_both() -> None:
    digits, letters, others = Letters(((48, 57),)), Letters(((97, 122),)), Letters(((48, 57),), True)
    assert not digits.meets(letters)
    assert not digits.meets(others)
    assert letters.meets(others)
    assert others.meets(Letters(((97, 97),), True))
    assert Letters(((0, 0x10FFFF),), True).covered == ()


@pytest.mark.parametrize(
    ("text", "tries", "overlaps"),
    [
        ("a[^b]{100,}", 101, True),
        ("[0-9]{1,3}[.][0-9]{1,3}", 7, True),
        ("x?[ab]{9}y[xz]", 12, True),
        ("[a-z]{1,50}", 50, False),
        ("Dr[.] [0-9]+", 5, False),
        ("^a[^b]{9}a", 11, False),
    ],
)
def test_a_pattern_says_how_far_it_looks_and_whether_matches_begin_inside_of_others(
    text: str, tries: int, overlaps: bool
) -> None:
    pattern = parse_pattern(text)
    assert (pattern.tries, pattern.overlaps) == (tries, overlaps)
