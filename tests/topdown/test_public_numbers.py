"""What is public already is found, level by level, and a plan says which part of rho is spent on it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import ParameterError
from discreet.topdown import public_numbers
from discreet.topdown.forecasting import plan, plan_for_targets
from discreet.topdown.planning.expected_errors import plan_errors
from discreet.topdown.planning.targets import plan_targets
from discreet.topdown.public_numbers import find_public
from topdown.small_release import SPEC, SmallCensus, write_small_census
from topdown.spec.small_census import AREAS, read_census


def test_totals_of_a_level_fix_those_of_all_levels_above(tmp_path: Path) -> None:
    assert find_public(read_census(tmp_path)) == {(0, "total"), (1, "total")}


def test_nothing_public_fixes_nothing(tmp_path: Path) -> None:
    stated = '[invariants."region totals"]\nlevel = "Region"\nquery = "total"\nexact = "totals.csv"\n'
    assert find_public(read_census(tmp_path, (stated, ""))) == frozenset()


def test_one_area_of_which_nothing_is_said_leaves_a_query_open(tmp_path: Path) -> None:
    spec = read_census(tmp_path, areas_csv=AREAS + "land,,33\n")
    assert find_public(spec) == frozenset()
    assert find_public(spec, published=True) == {(1, "total")}, "but that area is not published there"


def test_what_a_share_still_buys_for_areas_that_skip_a_level_is_said(tmp_path: Path) -> None:
    spec = read_census(
        tmp_path, ("{ facility = 1 }", '{ facility = "1/2", total = "1/2" }'), areas_csv=AREAS + "land,,33\n"
    )
    found = plan_errors(spec, public=find_public(spec, published=True))
    assert "  Region / total: 12.50%, which buys one more count of 1 that skips the level\n" in str(found)
    assert found.find("Region", "total").areas == 2


def test_areas_are_looked_at_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = find_public(read_census(tmp_path))
    monkeypatch.setattr(public_numbers, "NUMBERS_AT_ONCE", 1)
    assert find_public(read_census(tmp_path)) == wanted


def test_a_query_whose_other_answers_nobody_can_be_in_is_fixed_by_the_total(tmp_path: Path) -> None:
    spec = read_census(
        tmp_path,
        ('[zeros.young_prisoners]\nkind = ["prison"]\nadult = ["no"]', '[zeros.facilities]\nfacility = ["facility"]'),
        facilities_csv="Town,kind,count\n",
    )
    assert find_public(spec) == {(level, query) for level in (0, 1) for query in ("total", "kind", "facility")}


def test_a_plan_says_which_part_of_rho_is_spent_on_what_is_public(small_census: SmallCensus) -> None:
    found = plan(small_census.path)
    assert [(each.level, each.query) for each in found.wasted] == [("Region", "total")]
    text = str(found)
    assert "15.00% of rho buys nothing: what it measures is public already, by the invariants" in text
    assert "  Region / total: 15.00%\n" in text
    assert "take these queries out of the spec" in text
    told = found.to_dict()
    assert Fraction(told["wasted"]) == Fraction(3) * Fraction(15, 100)
    assert [each["query"] for each in told["errors"] if each["public"] and Fraction(each["rho"])] == ["total"]


def test_a_plan_that_wastes_nothing_says_nothing(tmp_path: Path) -> None:
    census = write_small_census(tmp_path, spec=SPEC.replace('{ total = "1/2", detailed = "1/2" }', "{ detailed = 1 }"))
    found = plan(census.path)
    assert found.wasted == ()
    assert "buys nothing" not in str(found)


@pytest.mark.slow
def test_wanted_errors_of_public_numbers_take_no_share(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    wanted, public = {("Town", "kind"): Fraction(3)}, find_public(spec)
    both = {**wanted, ("Region", "total"): Fraction(1)}
    alone = plan_targets(spec, wanted)
    assert plan_targets(spec, both, public=public).allocation == alone.allocation
    assert plan_targets(spec, both).rho > alone.rho
    with pytest.raises(ParameterError, match="not public already"):
        plan_targets(spec, {("Region", "total"): Fraction(1)}, public=public)


def test_a_command_for_wanted_errors_knows_what_is_public(small_census: SmallCensus) -> None:
    with pytest.raises(ParameterError, match="not public already"):
        plan_for_targets(small_census.path, {("Region", "total"): Fraction(1)})
