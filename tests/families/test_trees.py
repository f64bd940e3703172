"""Trees over one ordered column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import Domain, RowBound, Tree


def test_a_tree_counts_every_level_below_its_root() -> None:
    tree = Tree(Domain((7,)), 0, 2)
    assert (tree.widths, tree.lengths, tree.levels) == ((4, 2, 1), (2, 4, 7), 3)
    table = np.array([1, 2, 4, 8, 16, 32, 64])
    assert tree.answer(0, table).tolist() == [15, 112, 3, 12, 48, 64, *table.tolist()]
    assert tree.count_answers(0) == 13


def test_a_root_counts_all_rows() -> None:
    tree = Tree(Domain((7,)), 0, 2, root=True)
    assert tree.lengths == (1, 2, 4, 7)
    assert tree.answer(0, np.ones(7, dtype=int))[0] == 7


@pytest.mark.many
@pytest.mark.parametrize("size", range(1, 40))
@pytest.mark.parametrize("fan_out", [2, 3, 10])
@pytest.mark.parametrize("root", [False, True])
def test_every_node_counts_its_own_values(size: int, fan_out: int, root: bool) -> None:
    tree = Tree(Domain((2, size)), 1, fan_out, root)
    lines = tree.list_rows(0)
    expected = [
        [int(width * node <= value < width * (node + 1)) for value in range(size)]
        for width, length in zip(tree.widths, tree.lengths, strict=True)
        for node in range(length)
    ]
    assert lines.tolist() == expected
    assert (lines.sum(axis=1) > 0).all()
    table = np.random.default_rng(size).integers(0, 99, size)
    assert tree.answer(0, table).tolist() == (lines @ table).tolist()


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("fan_out", [2, 3, 10])
@pytest.mark.parametrize("root", [False, True])
def test_theorem_a_row_lies_in_one_node_of_every_level(size: int, fan_out: int, root: bool) -> None:
    tree = Tree(Domain((size,)), 0, fan_out, root)
    lines, bound = tree.list_rows(0), tree.bound_row(0)
    assert (lines.sum(axis=0) == tree.levels).all()
    assert (bound.l1, bound.l2_squared, bound.signed) == (tree.levels, tree.levels, False)
    pairs = np.abs(lines[:, :, None] - lines[:, None, :]).sum(axis=0)
    assert bound.apart_l1 == bound.apart_l2_squared == max(pairs.max(), tree.levels)


def test_a_tree_multiplies_by_its_levels() -> None:
    tree = Tree(Domain((1000,)), 0, 10)
    assert tree.levels == 3
    assert tree.bound_row(0).bound_l1(2, 1) == 6
    assert tree.bound_row(0).bound_l2_squared(2, 1) == 12
    assert tree.bound_row(0).bound_l1(2, 2) == 12
    assert Tree(Domain((1000,)), 0, 10, root=True).bound_row(0) == RowBound(4, 4, False, 6, 6)


def test_a_column_of_one_value_is_a_count() -> None:
    assert Tree(Domain((1,)), 0, 2).bound_row(0) == RowBound(1, 1, False, 1, 1)
    assert Tree(Domain((1,)), 0, 2).answer(0, np.array([9])).tolist() == [9]


@pytest.mark.parametrize(
    ("column", "fan_out", "root", "message"),
    [(1, 2, False, "ascending"), (0, 1, False, "fan_out"), (0, 2.0, False, "fan_out"), (0, 2, 1, "root")],
)
def test_wrong_trees_are_refused(column: Any, fan_out: Any, root: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Tree(Domain((8,)), column, fan_out, root)


def test_forms_hold_what_makes_a_tree() -> None:
    assert Tree(Domain((8,)), 0, 2).describe() == {"tree": {"sizes": [8], "column": 0, "fan_out": 2}}
    assert Tree(Domain((8,)), 0, 2, True).describe() == {
        "tree": {"sizes": [8], "column": 0, "fan_out": 2, "root": True}
    }
