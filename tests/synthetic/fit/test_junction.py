"""Junction trees: every set lies in a clique, cliques stay small, and large trees are planted quickly."""

from __future__ import annotations

import time

import pytest

from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet, Domain
from discreet.synthetic.fit.junction import plant_tree
from synthetic.support.tiny import list_sets


@pytest.mark.parametrize(
    ("sets", "widest"),
    [
        (((0, 1), (1, 2), (2, 3), (3, 4)), 2),
        (((0, 1), (1, 2), (2, 3), (3, 4), (0, 4)), 3),
        (list_sets(5, 2), 5),
        ((), 1),
    ],
)
def test_cliques_are_as_wide_as_they_must_be(sets: tuple[ColumnSet, ...], widest: int) -> None:
    tree = plant_tree(Domain((2,) * 5), sets)
    assert max(len(clique) for clique in tree.cliques) == widest
    for place in range(1, len(tree.cliques)):
        earlier = {name for clique in tree.cliques[:place] for name in clique}
        assert set(tree.cliques[place]) & earlier == set(tree.separators[place]), "the running intersection"
        assert tree.parents[place] < place


def test_cliques_are_chosen_by_size_and_refused_when_too_large_together() -> None:
    tree = plant_tree(Domain((2, 9, 2, 3)), ((0, 1), (0, 2), (0, 3)))
    assert tree.find_clique((0,)) == tree.cliques.index((0, 2))
    assert tree.find_clique((1, 2)) is None
    with pytest.raises(ParameterError, match="at most 16,777,216 cells in all"):
        plant_tree(Domain((2000,) * 12), tuple((place, place + 1) for place in range(0, 12, 2)))


def test_a_chain_of_a_thousand_columns_is_planted_in_seconds() -> None:
    began = time.process_time()
    tree = plant_tree(Domain((2,) * 1000), tuple((place, place + 1) for place in range(999)))
    assert len(tree.cliques) == 999
    assert time.process_time() - began < 60
