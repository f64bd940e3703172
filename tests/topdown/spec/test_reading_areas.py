"""Geographies come from a public file: every mistake in it is named before anything is charged."""

from __future__ import annotations

from pathlib import Path

import pytest

from topdown.spec.small_census import AREAS, refuse_census

LEVELS = 'levels = ["Country", "Region", "Town"]'


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


def test_all_that_is_no_tree_is_told_at_once(tmp_path: Path) -> None:
    levels = 'levels = ["Country", "Region", "District", "Town"]'
    areas = ("land,north,a,1", "land,south,a,2", "sea,south,b,3", "land,,c,4", "land,c,d,5", "land,north,e,5")
    lines = refuse_census(
        tmp_path,
        (LEVELS, levels),
        ("[levels.Town]", '[levels.District]\nshare = "0"\n[levels.Town]'),
        areas_csv="\n".join(["Country,Region,District,Town", *areas]) + "\n",
    )
    for told in (
        "geography.Country: is 'land', 'sea'; it must be the one name of the whole",
        "geography.Town: is '5'; it must be in one row only",
        "geography.District: is 'a'; it must be in one area of Region only",
        "geography.Region: is 'c'; it must be another name",
    ):
        assert any(line.startswith(told) for line in lines), told


def test_a_file_with_other_columns_is_told_which_it_needs(tmp_path: Path) -> None:
    (line,) = refuse_census(tmp_path, areas_csv=AREAS.replace("Town", "place"))
    assert line == (
        'geography.file: the column "Town" of "areas.csv" is missing; its columns are Country, Region, place; '
        "it needs the columns Country,Region,Town"
    )
