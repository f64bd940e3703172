"""Public numbers that contradict one another end a run with their names before anything is charged."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import DiscreetError
from discreet.topdown.making import run
from topdown.small_release import write_small_census

ELSEWHERE = """
[invariants."country total"]
level = "Country"
query = "total"
exact = "country.csv"
"""


def test_totals_below_the_facilities_that_are_known(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    (tmp_path / "totals.csv").write_text("Region,count\nr1,0\nr2,600\n")
    with pytest.raises(DiscreetError, match="facilities and region totals contradict one another"):
        run(census.path)
    assert census.count_charges() == 0


def test_totals_of_two_levels_that_do_not_add_up(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    census.path.write_text(census.path.read_text() + ELSEWHERE)
    (tmp_path / "country.csv").write_text("Country,count\nland,599\n")
    with pytest.raises(DiscreetError, match=r"country total.*agrees with region totals, by which it is 600"):
        run(census.path)
    assert census.count_charges() == 0


def test_facilities_where_nobody_can_be(tmp_path: Path) -> None:
    census = write_small_census(tmp_path)
    everyone = census.path.read_text().replace('kind = ["prison"]\nadult = ["no"]', 'kind = ["prison"]')
    census.path.write_text(everyone)
    with pytest.raises(DiscreetError, match="zeros say that nobody can be counted there"):
        run(census.path)
    assert census.count_charges() == 0
