"""Which areas look alike."""

from __future__ import annotations

from discreet.topdown.estimate.kinds import find_subtree_kinds, find_tree_kinds
from topdown.estimate.dense import grow


def test_areas_with_subtrees_of_one_shape_are_of_one_kind() -> None:
    tree = grow([4], [2, 1, 2, 2], [1, 3, 2, 3, 1, 1, 1])
    subtrees = find_subtree_kinds(tree)
    assert [len(kinds) for kinds in subtrees] == [1, 3, 3, 1]
    one, two, three, four = subtrees[1].of
    assert one == three
    assert len({one, two, four}) == 3
    assert [kinds.of[kinds.first].tolist() for kinds in subtrees] == [list(range(len(kinds))) for kinds in subtrees]


def test_areas_that_symmetries_exchange_are_of_one_kind() -> None:
    tree = grow([3], [2, 1, 2], [1, 3, 2, 3, 1])
    trees = find_tree_kinds(tree, find_subtree_kinds(tree))
    assert [len(kinds) for kinds in trees] == [1, 2, 3, 3]
    first, second, lone, third, fourth = trees[2].of
    assert (first, second) == (fourth, third)
    assert lone not in (first, second)
    leaves = trees[3].of
    assert set(leaves[[0, 9]]) == {leaves[0]}
    assert len(set(leaves[1:4])) == 1
    assert leaves[0] != leaves[4] != leaves[1]
