"""Geographies and invariants come from public files: every mistake in them is named before anything is charged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.topdown.spec.invariants import NO_MOST
from topdown.spec.small_census import AREAS, read_census, refuse_census

LEVELS = 'levels = ["Country", "Region", "Town"]'
TOTALS = "Region,count\nnorth,100\nsouth,50\n"


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ('levels = ["Country"]', "geography.levels: is ['Country']; write at least two columns"),
        ('levels = ["Country", "Town", "Town"]', 'geography.levels: "Town" is there twice'),
        ("", "geography.levels: is []"),
        ('levels = "Country"', 'geography.levels: is "Country"'),
        (
            'levels = ["Country", "Shire", "Town"]',
            'geography.file: the column "Shire" of "areas.csv" is missing; its columns are Country, Region, Town',
        ),
        (f"{LEVELS}\n[geography.regroup]\nTown = 3", "geography.regroup.Town: is not known"),
        (f"{LEVELS}\n[geography.regroup]\nRegion = 1", "geography.regroup.Region: is 1; it must be a whole number"),
        (f"{LEVELS}\n[geography.regroup]\nRegion = 2.5", "geography.regroup.Region: is 2.5"),
    ],
)
def test_levels_are_columns_of_the_file(tmp_path: Path, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (LEVELS, new))[0].startswith(told)


@pytest.mark.parametrize(
    ("areas", "told"),
    [
        (
            AREAS + "land,south,11\n",
            "geography.Town: is '11'; it must be in one row only: a row for each smallest area",
        ),
        (
            AREAS.replace("land,south,21", "elsewhere,south,21"),
            "geography.Country: is 'elsewhere', 'land'; it must be the one name of the whole in every row",
        ),
        (
            AREAS.replace("land,south,21", ",south,21"),
            "geography.Country: is nothing in row 3, area '21'; it must be the name of the whole in every row: no area",
        ),
        (AREAS.replace("north,12", "north,"), "geography.Town: is nothing in row 2; it must be a name in every row"),
        ("Country,Region,Town\n", "geography: is 'no row'; it must be a row for each smallest area"),
        (
            AREAS.replace("land,south,21", "land,,21") + "land,21,23\n",
            "geography.Region: is '21'; it must be another name, or a cell in every row",
        ),
        ("", 'geography.file: the column "Country" of "areas.csv" is missing; its columns are none'),
        ("Country,Region,Town\nland,north\n", 'geography.file: "areas.csv" cannot be read'),
        ("Country,Region,Town,Town\n", 'geography.file: the column "Town" of "areas.csv" is twice'),
    ],
)
def test_the_list_of_areas_is_a_tree(tmp_path: Path, areas: str, told: str) -> None:
    lines = refuse_census(tmp_path, areas_csv=areas, facilities_csv="Town,kind,count\n")
    assert lines[0].startswith(told)


def test_an_area_with_two_parents_is_refused_with_both(tmp_path: Path) -> None:
    levels = 'levels = ["Country", "Region", "District", "Town"]'
    areas = "Country,Region,District,Town\nland,north,a,1\nland,south,a,2\n"
    lines = refuse_census(
        tmp_path,
        (LEVELS, levels),
        ("[levels.Town]", '[levels.District]\nshare = "0"\n[levels.Town]'),
        areas_csv=areas,
    )
    assert lines == [
        "geography.District: is 'a'; it must be in one area of Region only, and it is in 'south' and 'north': "
        "names are unique within a level"
    ] or lines == [
        "geography.District: is 'a'; it must be in one area of Region only, and it is in 'north' and 'south': "
        "names are unique within a level"
    ]


@pytest.mark.parametrize(
    ("totals", "told"),
    [
        (TOTALS + "east,3\n", 'Region "east" in row 3 is not known; write names of Region'),
        (TOTALS + "east,3\nwest,4\n", 'Region "east" in row 3 is not known, and 1 more'),
        (TOTALS + "north,100\n", '"north" is there twice for one answer'),
        ("Region,count\nnorth,100\n", '"south" of Region has no number for each answer of total'),
        (TOTALS.replace("50", "-50"), 'the count of row 2 is "-50"; write whole numbers from 0'),
        (TOTALS.replace("50", "50.5"), 'the count of row 2 is "50.5"'),
        (TOTALS.replace("50", "5e1"), 'the count of row 2 is "5e1"'),
        (TOTALS.replace("50", ""), 'the count of row 2 is ""'),
        (TOTALS.replace("50", "1" * 17), 'the count of row 2 is "11111111111111111"'),
        (TOTALS.replace("count", "people"), 'the column "count" of "totals.csv" is missing'),
        (TOTALS.replace("south", ""), 'Region "" in row 2 is not known'),
    ],
)
def test_every_area_has_one_whole_number(tmp_path: Path, totals: str, told: str) -> None:
    (line,) = refuse_census(tmp_path, totals_csv=totals)
    assert line.startswith(f'invariants."region totals".exact: {told}')


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('level = "Town"', 'level = "Village"', 'invariants.facilities.level: is "Village", no level; write one of'),
        ('level = "Town"', "", "invariants.facilities.level: is missing"),
        ('query = "kind"', 'query = "sort"', 'invariants.facilities.query: is "sort", no query'),
        ('query = "kind"', "", "invariants.facilities.query: is missing"),
        ('facilities = "facilities.csv"', "", "invariants.facilities: names no file; write one of exact"),
        (
            'facilities = "facilities.csv"',
            'facilities = "facilities.csv"\nexact = "x.csv"',
            "invariants.facilities: has exact and facilities",
        ),
        ('facilities = "facilities.csv"', "facilities = 3", "invariants.facilities.facilities: is 3, not text"),
        (
            'facilities = "facilities.csv"',
            'facilities = "no.csv"',
            "invariants.facilities.facilities: there is no file",
        ),
        ('facilities = "facilities.csv"', 'facilities = "people.parquet"', "invariants.facilities.facilities: "),
        ('except = ["home"]', 'except = ["ship"]', "invariants.facilities.except: is ['ship']; write a list of values"),
        ('except = ["home"]', 'except = "home"', 'invariants.facilities.except: is "home"'),
        ('except = ["home"]', 'except = ["prison"]', 'invariants.facilities.except: "11" has such facilities'),
        (
            'query = "total"\nexact = "totals.csv"',
            'query = "total"\nexact = "totals.csv"\nexcept = ["home"]',
            'invariants."region totals".except: goes with facilities of a query by one attribute',
        ),
    ],
)
def test_an_invariant_says_where_of_what_and_from_which_file(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert refuse_census(tmp_path, (old, new))[0].startswith(told)


def test_what_is_public_is_never_read_from_private_rows(tmp_path: Path) -> None:
    (line,) = refuse_census(tmp_path, ('exact = "totals.csv"', 'exact = "people.parquet"'))
    assert line == (
        'invariants."region totals".exact: "people.parquet" holds a private table, and what is public is never read '
        "from private rows; name a public file of its own"
    )
    (line,) = refuse_census(tmp_path, ('file = "areas.csv"', f'file = "../{tmp_path.name}/people.parquet"'))
    assert "holds a private table" in line


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"totals_csv": TOTALS.replace("100", "1")}, "invariants: is 'at least 2 and at most 1 for north of Region'"),
        (
            {"facilities_csv": "Town,kind,count\n22,school,51\n"},
            "invariants: is 'at least 51 and at most 50 for south of Region'",
        ),
    ],
)
def test_more_facilities_than_people_are_a_contradiction(tmp_path: Path, files: dict[str, str], told: str) -> None:
    (line,) = refuse_census(tmp_path, **files)
    assert line.startswith(told)
    assert "region totals" in line
    assert "contradict one another" in line


def test_children_that_do_not_add_up_to_their_parent_are_a_contradiction(tmp_path: Path) -> None:
    stated = '[invariants.country]\nlevel = "Country"\nquery = "total"\nexact = "country.csv"\n'
    (line,) = refuse_census(
        tmp_path,
        ("[invariants.facilities]", f"{stated}[invariants.facilities]"),
        country_csv="Country,count\nland,151\n",
    )
    assert line == (
        "invariants.country: is '151 for land of Country'; it must be what agrees with region totals, "
        "by which it is 150 in query total"
    )


def test_people_in_impossible_cells_are_a_contradiction(tmp_path: Path) -> None:
    rows = [f"{region},{kind},{age},7" for region in ("north", "south") for kind in "hps" for age in ("no", "yes")]
    names = {"h": "home", "p": "prison", "s": "school"}
    rows = [",".join(names.get(part, part) for part in row.split(",")) for row in rows]
    (line,) = refuse_census(
        tmp_path,
        ('query = "total"\nexact = "totals.csv"', 'query = "detailed"\nexact = "totals.csv"'),
        totals_csv="\n".join(["Region,kind,adult,count", *rows]) + "\n",
    )
    assert line.startswith(
        "invariants.\"region totals\": is 'at least 7 for north of Region'; it must be 0 in answer 2"
    )
    assert "zeros say that nobody can be counted there" in line


def test_lower_bounds_say_nothing_where_they_have_no_line(tmp_path: Path) -> None:
    spec = read_census(tmp_path, ('facilities = "facilities.csv"\nexcept = ["home"]', 'at_least = "facilities.csv"'))
    bounds = spec.invariants[1]
    assert bounds.values.sum() == 4
    assert bounds.most is None


def test_totals_of_a_level_say_nothing_of_its_stand_ins(tmp_path: Path) -> None:
    spec = read_census(tmp_path, areas_csv=AREAS + "land,,33\n")
    totals = spec.invariants[0]
    places = [spec.geography.levels[1].areas.index(each) for each in ("north", "south", "33")]
    assert not totals.exact
    assert totals.most is not None
    assert totals.values[places, 0].tolist() == [100, 50, 0]
    assert totals.most[places, 0].tolist() == [100, 50, NO_MOST]
    assert np.flatnonzero(spec.spine.stand_ins[1]).tolist() == [places[2]]
    assert "the same answers to total" in spec.guarantee[0]


def test_invariants_that_leave_nothing_to_protect_are_refused(tmp_path: Path) -> None:
    every = [("Town", "kind", "adult", "count")]
    every += [(town, kind, adult, "1") for town in ("11", "12", "21", "22") for kind, adult in POSSIBLE]
    text = "".join(",".join(line) + "\n" for line in every)
    wrong = (
        'level = "Region"\nquery = "total"\nexact = "totals.csv"',
        'level = "Town"\nquery = "detailed"\nexact = "all.csv"',
    )
    (told,) = refuse_census(tmp_path, wrong, all_csv=text)
    assert told.startswith('invariants."region totals".exact: it gives every count of every smallest area')


POSSIBLE = [("home", "no"), ("home", "yes"), ("prison", "yes"), ("school", "no"), ("school", "yes")]
