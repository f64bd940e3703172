"""How an inspection is told: the largest differences, singular and plural, and never more names than there are."""

from __future__ import annotations

import pytest

from discreet.curator.owner.misfits import Misfit
from discreet.topdown.measure.inspection import CensusInspection, EmptyAreas, InvariantFit, PublicGap
from discreet.topdown.spec.invariants import NO_MOST


@pytest.mark.parametrize(
    ("low", "high", "counted", "off", "told"),
    [
        (5, 5, 1, -4, "north, school: 1 row, and 5 is public"),
        (5, 5, 1_200, 1_195, "north, school: 1,200 rows, and 5 is public"),
        (2, NO_MOST, 0, -2, "north, school: 0 rows, and at least 2 is public"),
        (0, 3, 4, 1, "north, school: 4 rows, and at most 3 is public"),
        (0, 3, 2, 0, "north, school: 2 rows, and at most 3 is public"),
    ],
)
def test_a_gap_says_what_is_public_and_what_the_rows_have(
    low: int, high: int, counted: int, off: int, told: str
) -> None:
    gap = PublicGap("north", "school", low, high, counted)
    assert gap.off == off
    assert str(gap) == told
    assert gap.to_dict()["high"] == (None if high == NO_MOST else high)


def test_more_differences_than_are_named_are_said_to_be_more() -> None:
    gap = PublicGap("north", "", 5, 5, 1)
    assert str(InvariantFit("totals", "Region", "total", 2, 9, 2, (gap,))).endswith(
        "north: 1 row, and 5 is public, and more"
    )
    assert str(InvariantFit("totals", "Region", "total", 1, 9, 1, (gap,))).endswith("and 5 is public")
    assert str(EmptyAreas("Town", 2, 9, ("a", "b"))) == "2 of 9 areas have nobody: a, b"
    assert str(EmptyAreas("Town", 3, 9, ("a", "b"))) == "3 of 9 areas have nobody: a, b, ..."


def test_what_is_to_do_is_much_that_does_not_fit_and_every_invariant_that_differs() -> None:
    few, much = (Misfit("town", "no such area", "of the rows are nowhere", count, 100) for count in (5, 6))
    fits = InvariantFit("totals", "Region", "total", 0, 9, 0, ())
    gaps = InvariantFit("other", "Region", "total", 1, 9, 1, (PublicGap("north", "", 5, 5, 1),))
    assert CensusInspection("people", 100, 95, (few,), (fits,), ()).to_do == 0
    found = CensusInspection("people", 100, 94, (few, much), (fits, gaps), (EmptyAreas("Town", 0, 9, ()),))
    assert found.to_do == 2
    lines = [line[:5].strip() for line in str(found).splitlines() if line[5:7] == "  "]
    assert lines == ["note", "to do", "ok", "to do"]
