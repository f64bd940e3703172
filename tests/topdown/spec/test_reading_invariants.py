"""Invariants come from public files: every mistake in them is named before anything is charged."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from discreet.topdown.spec.invariants import NO_MOST
from discreet.topdown.spec.reading import read_spec
from topdown.spec.small_census import AREAS, read_census, refuse_census, write_census

TOTALS = "Region,count\nnorth,100\nsouth,50\n"


def test_a_file_with_other_columns_is_told_which_it_needs_and_shown_a_line(tmp_path: Path) -> None:
    lines = refuse_census(
        tmp_path, totals_csv="area,count\nnorth,100\nsouth,50\n", facilities_csv="Town,type,n\n11,prison,2\n"
    )
    assert lines == [
        'invariants."region totals".exact: the column "Region" of "totals.csv" is missing; its columns are area, '
        "count; it needs the columns Region,count and lines such as north,100",
        'invariants.facilities.facilities: the column "kind" of "facilities.csv" is missing; its columns are Town, '
        "type, n; it needs the columns Town,kind,count and lines such as 11,prison,100",
        'invariants.facilities.facilities: the column "count" of "facilities.csv" is missing; its columns are Town, '
        "type, n; it needs the columns Town,kind,count and lines such as 11,prison,100",
    ]


def test_the_line_that_is_shown_is_one_of_a_right_file(tmp_path: Path) -> None:
    areas = AREAS.replace("north", '"north, and more"') + "land,,33\n"
    (line,) = refuse_census(tmp_path, areas_csv=areas, totals_csv="area\n")[:1]
    columns, _, shown = line.partition("it needs the columns ")[2].partition(" and lines such as ")
    assert (columns, shown) == ("Region,count", '"north, and more",100')
    spec = read_census(tmp_path, areas_csv=areas, totals_csv=f"{columns}\n{shown}\nsouth,50\n")
    assert spec.invariants[0].values.sum() == 150


def test_sections_of_invariants_are_checked_where_files_are_missing(tmp_path: Path) -> None:
    lines = refuse_census(
        tmp_path,
        ('file = "areas.csv"', 'file = "nowhere.csv"'),
        ('level = "Region"', 'level = "Canton"'),
        ('facilities = "facilities.csv"', ""),
    )
    assert [line.partition(":")[0] for line in lines] == [
        "geography.file",
        'invariants."region totals".level',
        "invariants.facilities",
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
        "invariants.\"region totals\": is 'at least 7 for north of Region, kind prison, adult no'; it must be 0 in"
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


MANUAL = Path(__file__).parents[3] / "docs" / "census.md"
OF_THE_MANUAL = """\
[census]
table = "people"
area = "block"
[budget]
rho = 1
delta = 1e-10
[geography]
file = "areas.csv"
levels = ["US", "State", "Block"]
[attributes]
kind = ["household", "nursing"]
[queries]
total = []
kind = ["kind"]
[levels.US]
share = 0
[levels.State]
share = 0
[levels.Block]
share = 1
queries = { kind = 1 }
[invariants."state totals"]
level = "State"
query = "total"
exact = "totals.csv"
[invariants.facilities]
level = "Block"
query = "kind"
facilities = "facilities.csv"
except = ["household"]
"""


def test_the_files_that_the_manual_shows_are_read(tmp_path: Path) -> None:
    totals, facilities = re.findall(r"```csv\n(.*?)```", MANUAL.read_text(encoding="utf-8"), re.DOTALL)
    areas = "US,State,Block\nus,north,10010001\nus,north,10010004\nus,south,20010001\n"
    path = write_census(tmp_path, areas_csv=areas, totals_csv=totals, facilities_csv=facilities)
    path.write_text(OF_THE_MANUAL)
    stated, built = read_spec(path).invariants
    assert stated.values.tolist() == [[417], [183]]
    assert built.values.tolist() == [[0, 1], [0, 2], [0, 0]]
    assert built.most is not None
    assert built.most[2].tolist() == [NO_MOST, 0], "where there is no line, nobody"
