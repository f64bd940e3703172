"""What does not fit is much or little, and said in words and for programs alike, whoever looked."""

from __future__ import annotations

import doctest
from dataclasses import dataclass

import pytest

from discreet.curator.owner import misfits
from discreet.curator.owner.fit import TableFit
from discreet.curator.owner.misfits import LookedAt, Misfit
from discreet.topdown.measure.inspection import CensusInspection


@dataclass(frozen=True)
class Look(LookedAt):
    looked_at: tuple[Misfit, ...]


@pytest.mark.parametrize(("count", "of", "weighs", "to_do"), [(5, 100, True, False), (6, 100, True, True)])
def test_more_than_a_twentieth_is_something_to_do(count: int, of: int, weighs: bool, to_do: bool) -> None:
    assert Misfit("town", "no area", "of the rows are nowhere", count, of, weighs).to_do is to_do
    assert not Misfit("town", "no area", "of the rows are nowhere", count, of, weighs=False).to_do


def test_of_nothing_nothing_is_missing() -> None:
    assert Misfit("town", "no area", "of the rows are nowhere", 0, 0).share == 0.0


def test_a_misfit_is_told_to_people_and_to_programs() -> None:
    found = Misfit("town", "no area", "of the rows are nowhere", 6, 100)
    assert str(found) == "6.0 % of the rows are nowhere (6 of 100)"
    assert found.to_dict() == {
        "what": "town",
        "kind": "no area",
        "words": "of the rows are nowhere",
        "count": 6,
        "of": 100,
        "share": 0.06,
        "to_do": True,
    }


def test_what_was_looked_for_and_not_found_is_no_misfit() -> None:
    few, much, none = (
        Misfit("town", kind, "of the rows", count, 100) for kind, count in (("a", 1), ("b", 9), ("c", 0))
    )
    look = Look((few, much, none))
    assert look.misfits == (few, much)
    assert look.count_much() == 1
    assert look.find("town", "c") is none


def test_policies_and_censuses_are_looked_at_alike() -> None:
    assert issubclass(TableFit, LookedAt)
    assert issubclass(CensusInspection, LookedAt)
    for name in ("misfits", "count_much"):
        assert name not in vars(TableFit)
        assert name not in vars(CensusInspection)


def test_shares_are_written_as_people_read_them() -> None:
    assert doctest.testmod(misfits).failed == 0
