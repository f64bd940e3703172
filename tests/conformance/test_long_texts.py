"""Texts without end are NULL on every engine, and the longest that a question makes of others fail nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from conformance.data import World
from conformance.placing import placed
from discreet.engines.engines import Engines
from discreet.policy.model import USUAL_LONGEST
from support.hospital import answered, refusal

LONGEST = 1_500
LETTERS = ["a" * LONGEST, "\U0001f600" * LONGEST, "a" * (LONGEST + 1), "\u00e9" * (LONGEST + 1)]
USUAL = ["a" * USUAL_LONGEST, "\u00e9" * USUAL_LONGEST, "a" * (USUAL_LONGEST + 1), "\u00e9" * (USUAL_LONGEST + 1)]
NOTES = pa.table({"person": pa.array(range(4), pa.int64()), "note": LETTERS, "usual": USUAL})
BY_NAME = pa.table({"name": USUAL})
POLICY = """
[budget]
epsilon = 1
[tables.notes]
unit = "person"
max_rows = 2
[tables.notes.columns]
note = { longest = 1_500 }
[tables.names]
unit = "name"
max_rows = 2
"""
WORLD = World("notes", POLICY, {"notes": NOTES, "names": BY_NAME})
LONG = f"REPLACE(note, 'a', '{'b' * 62}')"


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def test_texts_with_more_letters_than_the_policy_says_are_null(engines: Engines) -> None:
    found = answered(engines, "SELECT COUNT(note), SUM(LEAST(COALESCE(LENGTH(note), 0), 300000)) FROM notes")
    assert sorted(sum(sums) for sums in found.sets[0].sums) == [2, 2 * LONGEST]
    found = answered(engines, "SELECT COUNT(usual), SUM(LEAST(COALESCE(LENGTH(usual), 0), 300000)) FROM notes")
    assert sorted(sum(sums) for sums in found.sets[0].sums) == [2, 2 * USUAL_LONGEST]


def test_rows_whose_unit_is_too_long_are_dropped(engines: Engines) -> None:
    assert answered(engines, "SELECT COUNT(*) FROM names").sets[0].sums == ((2,),)


@pytest.mark.slow
def test_no_row_is_too_long_for_an_engine(engines: Engines) -> None:
    """Two texts of a row, each 62 times as long, are in one piece with the row where it is sorted and hashed."""
    texts = f"COUNT(DISTINCT {LONG}), COUNT(DISTINCT {LONG} || 'c')"
    found = answered(engines, f"SELECT {texts} FROM notes")
    assert [sums[0] for sums in found.sets[0].sums] == [2, 2]
    assert "128 times" in refusal(engines, f"SELECT {texts}, COUNT(DISTINCT {LONG} || 'd') FROM notes")
