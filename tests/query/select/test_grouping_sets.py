"""GROUPING SETS, ROLLUP and CUBE: groupings of their own, with the rows of DuckDB."""

from __future__ import annotations

import pytest

from support.hospital import asked, refusal
from support.oracle import ENGINE, assert_same


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("ward", [(0,)]),
        ("ward, sick", [(0, 1)]),
        ("()", [()]),
        ("ROLLUP (ward, sick)", [(0, 1), (0,), ()]),
        ("CUBE (ward, sick)", [(0, 1), (0,), (1,), ()]),
        ("GROUPING SETS ((ward), (sick), ())", [(0,), (1,), ()]),
        ("GROUPING SETS (ward, (ward, sick))", [(0,), (0, 1)]),
        ("ward, ROLLUP (sick)", [(0, 1), (0,)]),
        ("ROLLUP ((ward, sick))", [(0, 1), ()]),
        ("ward, ward", [(0,)]),
        ("GROUPING SETS ((ward), (ward))", [(0,)]),
    ],
)
def test_which_keys_each_grouping_has(group: str, sets: list[tuple[int, ...]]) -> None:
    assert list(asked(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY {group}").sets) == sets


@pytest.mark.parametrize(
    "group", ["ROLLUP (ward, sick)", "CUBE (ward, sick)", "GROUPING SETS ((ward), (sick), ())", "ward, sick"]
)
def test_every_grouping_has_the_rows_of_duckdb(group: str) -> None:
    assert_same(f"SELECT ward, sick, COUNT(*) AS n, SUM(cost) AS c FROM visits GROUP BY {group}")


def test_what_is_refused() -> None:
    many = ", ".join(f"age + {place}" for place in range(7))
    assert "CUBE takes 6 columns" in refusal(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY CUBE ({many})")
    rolled = ", ".join(f"ROLLUP (age + {place}, age * {place})" for place in range(2, 6))
    assert "81 groupings at once" in refusal(ENGINE, f"SELECT COUNT(*) FROM visits GROUP BY {rolled}")
    assert "would be about single people" in refusal(
        ENGINE, "SELECT COUNT(*) FROM visits GROUP BY CUBE (ward, patient)"
    )
