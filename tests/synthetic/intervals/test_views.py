"""What readings say about sets of cells: sums of answers that count each wanted row once, with no answer too many."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.families.conjunctions import Conjunctions
from discreet.families.domain import Domain, RowTable
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree
from discreet.synthetic.counter import TableCounter
from discreet.synthetic.intervals.views import Count, drop_constant, see
from discreet.synthetic.reading import Reading
from synthetic.support.models import measure

DOMAIN = Domain((3, 7, 2))
ROWS = RowTable(DOMAIN, tuple(np.random.default_rng(5).integers(0, size, 400) for size in DOMAIN.sizes))
QUIET = Fraction(600)
"""An epsilon at which noise is 0 but once in 10^40 draws, of a tree of six levels too."""


def read(family: Family) -> Reading:
    (reading,) = measure(TableCounter(ROWS), family, QUIET)
    return reading


@given(st.lists(st.booleans(), min_size=6, max_size=6))
def test_a_marginal_tells_every_set_of_its_columns_cells(flags: list[bool]) -> None:
    wanted = np.array(flags).reshape(3, 2)
    view = see(read(Marginals(DOMAIN, ((0, 1, 2),))), (0, 2))
    assert view is not None
    assert view.count(wanted) == Count(int(ROWS.project((0, 2))[wanted].sum()), 7 * int(wanted.sum()))


def test_a_marginal_in_bins_tells_sets_of_whole_bins() -> None:
    reading = read(Marginals.in_blocks(DOMAIN, (0, 1), (1, 3)))
    view = see(reading, (1,))
    assert view is not None
    truth = ROWS.project((1,))
    assert view.count(np.array([1, 1, 1, 0, 0, 0, 1], dtype=bool)) == Count(int(truth[[0, 1, 2, 6]].sum()), 6)
    assert view.count(np.array([1, 1, 0, 0, 0, 0, 1], dtype=bool)) is None
    total = see(reading, ())
    assert total is not None
    assert total.count(np.array(True)) == Count(400, 9)


@given(st.lists(st.booleans(), min_size=7, max_size=7))
def test_a_tree_tells_every_set_of_values_by_few_nodes(flags: list[bool]) -> None:
    wanted = np.array(flags)
    view = see(read(Tree(DOMAIN, 1, 2)), (1,))
    assert view is not None
    found = view.count(wanted)
    assert found is not None
    assert found.noisy == int(ROWS.project((1,))[wanted].sum())
    assert found.draws <= wanted.sum()
    assert found.draws == {7: 2, 0: 0}.get(int(wanted.sum()), found.draws)


def test_a_tree_tells_the_total() -> None:
    view = see(read(Tree(DOMAIN, 1, 2)), ())
    assert view is not None
    assert view.count(np.array(True)) == Count(400, 2)


def test_single_questions_tell_just_what_they_ask() -> None:
    box = np.array([0, 0, 1, 1, 1, 0, 0], dtype=bool)
    view = see(read(Ranges(DOMAIN, (1,), (((2, 5),),))), (1,))
    assert view is not None
    assert view.count(box) == Count(int(ROWS.project((1,))[box].sum()), 1)
    assert view.count(~box) is None
    both = see(read(Conjunctions(DOMAIN, (((0, 1), (2, 0)),))), (0, 2))
    assert both is not None
    wanted = np.zeros((3, 2), dtype=bool)
    wanted[1, 0] = True
    assert both.count(wanted) == Count(int(ROWS.project((0, 2))[1, 0]), 1)


def test_a_parity_tells_no_count() -> None:
    bits = Domain((2, 2))
    rows = RowTable(bits, (np.array([0, 1, 1]), np.array([0, 1, 0])))
    (reading,) = measure(TableCounter(rows), Parities(bits, (3,)), QUIET)
    view = see(reading, (0, 1))
    assert view is not None
    assert view.count(np.eye(2, dtype=bool)) is None


def test_columns_that_a_reading_does_not_look_at_are_not_seen() -> None:
    reading = read(Marginals(DOMAIN, ((0, 1),)))
    assert see(reading, (0, 2)) is None
    assert see(reading, (2,)) is None


def test_columns_on_which_a_set_does_not_depend_are_dropped() -> None:
    wanted = np.zeros((3, 7, 2), dtype=bool)
    wanted[:, 2:4, :] = True
    kept, columns = drop_constant(wanted, (0, 1, 2))
    assert columns == (1,)
    assert kept.tolist() == [False, False, True, True, False, False, False]
    kept, columns = drop_constant(np.ones((3, 7), dtype=bool), (0, 1))
    assert columns == ()
    assert bool(kept)


def test_huge_answers_do_not_wrap() -> None:
    family = Marginals(Domain((4,)), ((0,),))
    huge = Reading(family, read(Marginals(DOMAIN, ((0,),))).noise, np.full(4, 2**61))
    view = see(huge, (0,))
    assert view is not None
    assert view.count(np.ones(4, dtype=bool)) == Count(2**63, 4)


@pytest.mark.parametrize("fan_out", [2, 3, 10])
def test_ranges_of_a_tree_take_few_nodes_at_every_level(fan_out: int) -> None:
    domain = Domain((100,))
    rows = RowTable(domain, (np.arange(1000) % 100,))
    (reading,) = measure(TableCounter(rows), Tree(domain, 0, fan_out), QUIET)
    view = see(reading, (0,))
    assert view is not None
    wanted = np.zeros(100, dtype=bool)
    wanted[3:97] = True
    found = view.count(wanted)
    assert found is not None
    assert found.noisy == 940
    levels = len(reading.family.lengths) if isinstance(reading.family, Tree) else 0
    assert found.draws <= 2 * (fan_out - 1) * levels
