"""Areas in levels are a tree, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.spec.geography import Geography, Level


def level(name: str, areas: str, parents: list[int]) -> Level:
    return Level(name, tuple(areas), np.array(parents, dtype=np.int64))


TREE = Geography((level("top", "w", [0]), level("middle", "ab", [0, 0]), level("leaf", "rstu", [0, 0, 0, 1])))


def test_ancestors_lead_from_leaves_to_every_level() -> None:
    assert [each.tolist() for each in TREE.ancestors] == [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 2, 3]]
    assert TREE.leaves.name == "leaf"
    assert TREE.find_level("middle") == 1
    with pytest.raises(ParameterError, match="one of top, middle, leaf"):
        TREE.find_level("attic")


def test_children_stand_next_to_one_another() -> None:
    assert TREE.leaves.bound_children(2).tolist() == [0, 3, 4]


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ((), "a first level of one area"),
        ((level("top", "ab", [0, 0]),), "a first level of one area"),
        ((level("top", "w", [0]), level("x", "ab", [0])), "areas in the order of their parents"),
        (
            (level("top", "w", [0]), level("x", "ab", [0, 0]), level("y", "cd", [1, 0])),
            "areas in the order of their parents",
        ),
        ((level("top", "w", [0]), level("x", "ab", [0, 0]), level("y", "cd", [1, 1])), "at least one area in each"),
        ((level("top", "w", [0]), level("x", "aa", [0, 0])), "areas of different names"),
    ],
)
def test_what_is_no_tree_is_refused(levels: tuple[Level, ...], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Geography(levels)
