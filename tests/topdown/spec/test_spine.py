"""A public list of areas becomes a tree: unbalanced ones get stand-ins, and levels can be regrouped."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.topdown.spec.spine import Spine, build_spine, regroup_level

LEVELS = ("Land", "County", "Tract", "Block")


def build(rows: Sequence[str]) -> Spine:
    """Return the tree of rows such as "land c1 t1 b1", with - for an empty cell."""
    columns = zip(*(row.split() for row in rows), strict=True)
    return build_spine(LEVELS, [pa.array([None if each == "-" else each for each in one]) for one in columns])


BALANCED = ["land c1 t1 b1", "land c1 t1 b2", "land c1 t2 b3", "land c2 t3 b4"]


def test_areas_stand_in_the_order_of_their_names_within_their_parents() -> None:
    spine = build([BALANCED[place] for place in (3, 1, 0, 2)])
    assert [level.areas for level in spine.geography.levels] == [
        ("land",),
        ("c1", "c2"),
        ("t1", "t2", "t3"),
        ("b1", "b2", "b3", "b4"),
    ]
    assert [level.parents.tolist() for level in spine.geography.levels] == [[0], [0, 0], [0, 0, 1], [0, 0, 1, 2]]
    assert not any(marks.any() for marks in spine.stand_ins)


def test_an_area_that_skips_levels_has_stand_ins_of_the_same_name() -> None:
    spine = build([*BALANCED, "land c2 - b5", "land - - b6", "land - t4 b7", "land - t4 b8"])
    land, county, tract, block = spine.geography.levels
    assert set(county.areas) == {"c1", "c2", "b6", "t4"}
    assert set(tract.areas) == {"t1", "t2", "t3", "b5", "b6", "t4"}
    assert {county.areas[place] for place in np.flatnonzero(spine.stand_ins[1])} == {"b6", "t4"}
    assert {tract.areas[place] for place in np.flatnonzero(spine.stand_ins[2])} == {"b5", "b6"}
    parents = {name: county.areas[tract.parents[place]] for place, name in enumerate(tract.areas)}
    assert (parents["b5"], parents["b6"], parents["t4"]) == ("c2", "b6", "t4")
    assert len(block) == 8
    assert len(land) == 1


def test_published_areas_are_the_real_ones() -> None:
    spine = build([*BALANCED, "land c2 - b5", "land - - b6"])
    counties = spine.find_published("County")
    assert counties.areas == ("c1", "c2")
    found = dict(zip(spine.geography.leaves.areas, counties.places.tolist(), strict=True))
    assert found == {"b1": 0, "b2": 0, "b3": 0, "b4": 1, "b5": 1, "b6": -1}
    assert spine.find_published("Block").places.tolist() == list(range(6))
    with pytest.raises(ParameterError, match="level must be one of Land, County, Tract, Block"):
        spine.find_published("Shire")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([*BALANCED, "land c2 t9 b1"], r"geography\.Block must be in one row only"),
        ([*BALANCED, "land c2 t1 b9"], r"geography\.Tract must be in one area of County only, and it is in 'c\d' and"),
        ([*BALANCED, "land - t1 b9"], r"geography\.Tract must be in one area of County only"),
        ([*BALANCED, "sea c3 t9 b9"], r"geography\.Land must be the one name of the whole .* got 'land', 'sea'"),
        (
            [*BALANCED, "- c3 t9 b9"],
            r"geography\.Land must be the name of the whole in every row: no area is an orphan",
        ),
        ([*BALANCED, "land c3 t9 -"], r"geography\.Block must be a name in every row"),
        ([*BALANCED, "land c2 - t1"], r"geography\.Tract must be another name, or a cell in every row.* got 't1'"),
    ],
)
def test_what_is_no_tree_is_refused(rows: list[str], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        build(rows)


def test_an_empty_list_and_levels_that_are_none_are_refused() -> None:
    empty = pa.array([], pa.string())
    with pytest.raises(ParameterError, match="a row for each smallest area"):
        build_spine(("a", "b"), [empty, empty])
    for levels in (("a", "a"), ("a",), ("a", "b", "c")):
        with pytest.raises(ParameterError, match="at least two different levels"):
            build_spine(levels, [empty, empty])


def test_names_are_texts_and_keep_their_zeros() -> None:
    spine = build_spine(("L", "B"), [pa.array(["x"] * 3), pa.array(["01", "1", "NA"])])
    assert spine.geography.leaves.areas == ("01", "1", "NA")


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(2, 12))
def test_regrouping_makes_groups_of_about_the_wanted_size_within_the_level_above(sizes: list[int], wanted: int) -> None:
    rows = [
        f"land c{county:02} t{county:02}{block // 3:02} b{county:02}{block:02}"
        for county, size in enumerate(sizes)
        for block in range(size)
    ]
    before = build(rows)
    spine = regroup_level(before, "Tract", wanted)
    county, tract, block = spine.geography.levels[1:]
    children = np.bincount(block.parents)
    for place, size in enumerate(sizes):
        groups = children[tract.parents == place]
        assert groups.sum() == size
        assert groups.max() - groups.min() <= 1
        assert len(groups) == 1 or wanted / 2 <= size / len(groups) <= 1.5 * wanted
        assert abs(len(groups) - size / wanted) <= 0.5 or len(groups) == 1
    assert block.areas == before.geography.leaves.areas
    assert county.areas == before.geography.levels[1].areas
    assert spine.find_published("Tract").areas == before.geography.levels[2].areas
    assert np.array_equal(spine.find_published("Tract").places, before.geography.ancestors[2])


def test_two_levels_can_be_regrouped_and_both_stay_published() -> None:
    rows = [f"land c{n // 8} t{n // 2:02} b{n:02}" for n in range(32)]
    before = build(rows)
    spine = regroup_level(regroup_level(before, "County", 4), "Tract", 3)
    assert set(spine.regrouped) == {"County", "Tract"}
    for name, place in (("County", 1), ("Tract", 2)):
        assert np.array_equal(spine.find_published(name).places, before.geography.ancestors[place])


@pytest.mark.parametrize(("level", "children"), [("Land", 3), ("Block", 3), ("Shire", 3), ("Tract", 1), ("Tract", 2.5)])
def test_only_levels_in_between_are_regrouped(level: str, children: int) -> None:
    with pytest.raises(ParameterError):
        regroup_level(build(BALANCED), level, children)
