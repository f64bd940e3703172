"""Texts without end are NULL on every engine, and the longest that a question makes of others fail nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from conformance.data import World
from conformance.placing import placed
from discreet.engines.engines import Engines
from discreet.policy.model import MOST_LONGEST
from support.hospital import answered, refusal

TEXTS = ["a" * MOST_BYTES, "a" * (MOST_BYTES + 1), "\u00e9" * (MOST_BYTES // 2), "\u00e9" * (MOST_BYTES // 2) + "a"]
NOTES = pa.table({"person": pa.array(range(1, 5), pa.int64()), "note": pa.array(TEXTS, pa.string())})
POLICY = """
[budget]
epsilon = 1
[tables.notes]
unit = "person"
max_rows = 2
"""
WORLD = World("notes", POLICY, {"notes": NOTES})
LONG = f"REPLACE(note, 'a', '{'b' * 62}')"


@pytest.fixture(params=["duckdb", "postgres", "spark"])
def engines(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engines]:
    with placed(WORLD, request, tmp_path) as found:
        yield found


def test_texts_are_read_up_to_one_length(engines: Engines) -> None:
    found = answered(engines, "SELECT COUNT(*), COUNT(note), SUM(LEAST(COALESCE(LENGTH(note), 0), 300000)) FROM notes")
    assert sorted(sum(sums) for sums in found.sets[0].sums) == [2, 4, MOST_BYTES + MOST_BYTES // 2]


def test_no_row_is_too_long_for_an_engine(engines: Engines) -> None:
    """Two texts of a row, each 62 times as long, are in one piece with the row where it is sorted and hashed."""
    texts = f"COUNT(DISTINCT {LONG}), COUNT(DISTINCT {LONG} || 'c')"
    found = answered(engines, f"SELECT {texts} FROM notes")
    assert [sums[0] for sums in found.sets[0].sums] == [2, 2]
    assert "128 times" in refusal(engines, f"SELECT {texts}, COUNT(DISTINCT {LONG} || 'd') FROM notes")
