"""Marginals, of values and of bins."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families import Domain, Marginals, RowBound
from support.families import random_rows

DOMAIN = Domain((2, 3, 2))
BINS = ((), (1, 0, 1), ())


def test_a_marginal_is_the_table_of_its_columns() -> None:
    family = Marginals(DOMAIN, ((1, 2), (), (0,)))
    assert [family.find_columns(group) for group in range(family.groups)] == [(1, 2), (), (0,)]
    assert [family.count_answers(group) for group in range(family.groups)] == [6, 1, 2]
    assert family.answer(0, np.arange(6).reshape(3, 2)).tolist() == [0, 1, 2, 3, 4, 5]
    assert family.answer(1, np.array(7)).tolist() == [7]
    assert family.list_rows(0).tolist() == np.eye(6).tolist()


def test_all_marginals_of_an_order_and_up_to_it() -> None:
    assert Marginals.of_order(DOMAIN, 2).sets == ((0, 1), (0, 2), (1, 2))
    assert Marginals.of_order(DOMAIN, 0).sets == ((),)
    assert Marginals.up_to(DOMAIN, 2).sets == ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    assert Marginals.up_to(DOMAIN, 1, BINS).bins == BINS
    assert Marginals.of_order(Domain((2,) * 14), 3).groups == 364


def test_bins_merge_values_that_need_not_be_neighbours() -> None:
    family = Marginals(DOMAIN, ((0, 1),), BINS)
    assert family.find_answer_shape(0) == (2, 2)
    assert family.answer(0, np.array([[1, 10, 100], [2, 20, 200]])).tolist() == [10, 101, 20, 202]
    assert family.spread_back(0, np.array([1, 2, 3, 4])).tolist() == [[2, 1, 2], [4, 3, 4]]


def test_a_row_lies_in_one_bin() -> None:
    family = Marginals.of_order(DOMAIN, 3, BINS)
    lines = family.list_rows(0)
    for place, (first, second, third) in enumerate(product(range(2), range(3), range(2))):
        cell = np.ravel_multi_index((first, (1, 0, 1)[second], third), (2, 2, 2))
        assert lines[:, place].tolist() == [int(each == cell) for each in range(8)]
    assert family.bound_row(0) == RowBound(1, 1)


def test_blocks_of_neighbours_make_a_grid() -> None:
    family = Marginals.in_blocks(Domain((5, 2, 4)), (0, 2), (2, 3))
    assert family.find_answer_shape(0) == (3, 2)
    table = random_rows(family.domain).project((0, 2))
    blocks = [table[2 * row : 2 * row + 2, 3 * place : 3 * place + 3].sum() for row in range(3) for place in range(2)]
    assert family.answer(0, table).tolist() == blocks
    assert Marginals.in_blocks(DOMAIN, (0, 1), (1, 1)) == Marginals(DOMAIN, ((0, 1),))


@pytest.mark.parametrize(
    ("sets", "bins", "message"),
    [
        ((), (), "at least one"),
        ([(0,)], (), "a tuple of sets"),
        (((1, 0),), (), "ascending"),
        (((0, 3),), (), "ascending"),
        (((0,), (0,)), (), "different sets"),
        (((0,),), ((),), "each of 3 columns"),
        (((0,),), ((0,), (), ()), "the bin of each of 2 values"),
        (((0,),), ((0, 2), (), ()), "none left out"),
        (((0,),), ((0, -1), (), ()), "bin must be"),
        (((0,),), ([0, 1], (), ()), "the bin of each of 2 values"),
    ],
)
def test_wrong_sets_and_bins_are_refused(sets: Any, bins: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Marginals(DOMAIN, sets, bins)


def test_wrong_orders_and_widths_are_refused() -> None:
    for make in (Marginals.of_order, Marginals.up_to):
        with pytest.raises(ParameterError, match="order"):
            make(DOMAIN, 4)
    with pytest.raises(ParameterError, match="a width for each of 2 columns"):
        Marginals.in_blocks(DOMAIN, (0, 1), (1,))
    with pytest.raises(ParameterError, match="width"):
        Marginals.in_blocks(DOMAIN, (0,), (3,))


def test_a_marginal_with_too_many_cells_is_refused_at_once() -> None:
    with pytest.raises(ParameterError, match="1,000,000,000 cells are more than"):
        Marginals.of_order(Domain((1000,) * 3), 3)


def test_forms_tell_sizes_sets_and_bins_apart() -> None:
    form = {"marginals": {"sizes": [2, 3, 2], "sets": [[0], [1, 2]]}}
    assert Marginals(DOMAIN, ((0,), (1, 2))).describe() == form
    assert Marginals(DOMAIN, ((0,), (1, 2)), ((), (), ())).describe() == form
    assert Marginals(DOMAIN, ((0,),), BINS).describe() == {
        "marginals": {"sizes": [2, 3, 2], "sets": [[0]], "bins": [[], [1, 0, 1], []]}
    }
