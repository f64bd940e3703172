"""Every mutant can be made: its text stands in the source just once, and the tests that must notice it exist."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mutants.every import every_mutant
from mutants.mutant import broken

ROOT = Path(__file__).resolve().parents[2]


def test_every_mutants_text_is_found_exactly_once() -> None:
    assert [wrong for mutant in every_mutant() for wrong in mutant.mistakes(ROOT)] == []


def test_mutants_have_names_of_their_own() -> None:
    names = Counter(mutant.name for mutant in every_mutant())
    assert [name for name, count in names.items() if count > 1] == []


def test_a_text_that_is_missing_or_there_twice_is_noticed() -> None:
    for file, old in [("base/errors.py", "no such text"), ("base/errors.py", "class "), ("no/file.py", "x")]:
        mutant = broken("a", file, old, "y", "tests/mutants/test_mutants.py")
        assert "times" in mutant.mistakes(ROOT)[0]
    assert "there is no" in broken("a", "base/errors.py", "class _Word", "y", "tests/none.py").mistakes(ROOT)[0]
    assert "no test" in broken("a", "base/errors.py", "class _Word", "y").mistakes(ROOT)[0]
    assert "changes nothing" in broken("a", "base/errors.py", "class _Word", "class _Word", "tests").mistakes(ROOT)[0]
