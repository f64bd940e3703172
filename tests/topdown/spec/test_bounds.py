"""Bounds on answers: they meet, add up, and sharpen one another without losing anything that can be."""

from __future__ import annotations

import numpy as np

from discreet.topdown.spec.bounds import AnswerBounds, forget_implied, map_answers, sharpen
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("kind", ("a", "b", "c")),))
TOTAL, KIND = Query("total", SCHEMA), Query("kind", SCHEMA, (QueryPart(0, (0, 1, 2)),))
PAIRS, OTHER = (Query(str(groups), SCHEMA, (QueryPart(0, groups),)) for groups in ((0, 0, 1), (0, 1, 1)))


def bound(query: Query, low: list[list[int]], high: list[list[int]]) -> AnswerBounds:
    return AnswerBounds(query, np.array(low, dtype=np.int64), np.array(high, dtype=np.int64), (query.name,))


def test_answers_of_a_finer_query_lie_within_those_of_a_coarser() -> None:
    inside = map_answers(KIND, PAIRS)
    assert inside is not None
    assert inside.tolist() == [0, 0, 1]
    assert map_answers(PAIRS, KIND) is None
    assert map_answers(PAIRS, OTHER) is None


def test_unknown_upper_bounds_stay_unknown_in_sums() -> None:
    children = bound(TOTAL, [[1], [2], [3]], [[5], [NO_MOST], [4]])
    parents = children.add_up(np.array([0, 2]))
    assert parents.low.tolist() == [[3], [3]]
    assert parents.high.tolist() == [[NO_MOST], [4]]


def test_a_fine_answer_is_at_most_what_the_others_leave_and_at_least_what_they_lack() -> None:
    kinds, total = sharpen([bound(KIND, [[1, 2, 0]], [[NO_MOST, 4, 2]]), bound(TOTAL, [[9]], [[9]])])
    assert kinds.low.tolist() == [[3, 2, 0]]
    assert kinds.high.tolist() == [[7, 4, 2]]
    assert (total.low.tolist(), total.high.tolist()) == ([[9]], [[9]])


def test_a_coarse_answer_is_bounded_by_its_fine_ones() -> None:
    _, total = sharpen([bound(KIND, [[1, 2, 0]], [[3, 4, 2]]), bound(TOTAL, [[0]], [[NO_MOST]])])
    assert (total.low.tolist(), total.high.tolist()) == ([[3]], [[9]])


def test_what_follows_from_a_coarser_query_is_forgotten_but_no_zero_and_nothing_exact() -> None:
    kinds = bound(KIND, [[0, 2, 0]], [[7, 2, 0]])
    kept, _ = forget_implied([kinds, bound(TOTAL, [[9]], [[9]])])
    assert kept.high.tolist() == [[NO_MOST, 2, 0]]
    sharper = bound(KIND, [[0, 2, 0]], [[6, 2, 0]])
    kept, _ = forget_implied([sharper, bound(TOTAL, [[9]], [[9]])])
    assert kept.high.tolist() == [[6, 2, 0]]


def test_invariants_become_bounds_and_bounds_invariants() -> None:
    values = np.array([[1, 2, 3]])
    exact = AnswerBounds.of_invariant(Invariant("n", 0, KIND, values))
    assert exact.to_invariant(4).exact
    low = AnswerBounds.of_invariant(Invariant("n", 0, KIND, values, exact=False)).to_invariant(4)
    assert (low.exact, low.most, low.level, low.name) == (False, None, 4, "n")
    both = AnswerBounds.of_invariant(Invariant("n", 0, KIND, values, False, np.array([[1, 9, 9]]))).to_invariant(4)
    assert both.most is not None
    assert both.most.tolist() == [[1, 9, 9]]
    assert bound(TOTAL, [[0]], [[NO_MOST]]).is_empty
    assert not bound(TOTAL, [[0]], [[0]]).is_empty
