"""What is known of children is known of their parent: by brute force on small trees, and in words where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.propagation import propagate
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("kind", ("a", "b", "c")),))
TOTAL, KIND = Query("total", SCHEMA), Query("kind", SCHEMA, (QueryPart(0, (0, 1, 2)),))
PAIRS = Query("pairs", SCHEMA, (QueryPart(0, (0, 0, 1)),))


def make_tree(*sizes: int) -> Geography:
    """Return a whole, its parts, and so many smallest areas in each part."""
    parents = np.repeat(np.arange(len(sizes)), sizes)
    return Geography(
        (
            Level("whole", ("w",), np.zeros(1, dtype=np.int64)),
            Level("part", tuple(f"p{each}" for each in range(len(sizes))), np.zeros(len(sizes), dtype=np.int64)),
            Level("leaf", tuple(f"l{each}" for each in range(sum(sizes))), parents),
        )
    )


def state(name: str, level: int, query: Query, values: object, exact: bool = True, most: object = None) -> Invariant:
    high = None if most is None else np.array(most, dtype=np.int64)
    return Invariant(name, level, query, np.array(values, dtype=np.int64), exact, high)


def list_tables(people: int) -> Iterator[Ints]:
    """Yield all counts of three kinds with at most so many people of each."""
    for counts in product(range(people + 1), repeat=3):
        yield np.array(counts)


def keeps(table: Ints, area: int, invariants: tuple[Invariant, ...] | list[Invariant]) -> bool:
    """Say whether the counts of an area keep what is known of it."""
    for each in invariants:
        answers, low = each.query.answer(table), each.values[area]
        high = low if each.exact else np.full(low.shape, NO_MOST)
        if each.most is not None:
            high = np.minimum(high, each.most[area])
        if np.any(answers < low) or np.any(answers > high):
            return False
    return True


def test_exact_totals_add_up() -> None:
    tree = make_tree(2, 1)
    whole, parts, leaves = propagate(tree, SCHEMA, [state("t", 2, TOTAL, [[3], [4], [5]])])
    assert [each.values.tolist() for (each,) in (whole, parts, leaves)] == [[[12]], [[7], [5]], [[3], [4], [5]]]
    assert all(each.exact for (each,) in (whole, parts, leaves))


def test_lower_bounds_add_up_and_places_where_nobody_is_remain_empty_where_all_are() -> None:
    tree = make_tree(2, 1)
    most = [[NO_MOST, 0, NO_MOST], [NO_MOST, 0, 0], [NO_MOST, NO_MOST, 0]]
    facilities = state("f", 2, KIND, [[0, 0, 2], [0, 0, 0], [0, 1, 0]], exact=False, most=most)
    (whole,), (parts,), _ = propagate(tree, SCHEMA, [facilities])
    assert whole.values.tolist() == [[0, 1, 2]]
    assert whole.most is None
    assert parts.values.tolist() == [[0, 0, 2], [0, 1, 0]]
    assert parts.most is not None
    assert (parts.most == 0).tolist() == [[False, True, False], [False, False, True]]


def test_nothing_is_said_of_levels_below_the_invariant() -> None:
    tree = make_tree(2, 1)
    whole, parts, leaves = propagate(tree, SCHEMA, [state("t", 1, TOTAL, [[7], [5]])])
    assert leaves == ()
    assert parts[0].values.tolist() == [[7], [5]]
    assert whole[0].values.tolist() == [[12]]


def test_without_invariants_nothing_is_known() -> None:
    assert propagate(make_tree(1, 2), SCHEMA, []) == ((), (), ())


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 1)] * 3, *[st.integers(0, 2)] * 3), min_size=2, max_size=2))
def test_for_one_query_a_parent_has_children_exactly_where_it_keeps_what_was_propagated(
    drawn: list[tuple[int, ...]],
) -> None:
    low = np.array([each[:3] for each in drawn])
    high = low + np.array([each[3:] for each in drawn])
    tree = make_tree(2)
    bounds = state("b", 2, KIND, low, exact=False, most=high)
    _, known, leaves = propagate(tree, SCHEMA, [bounds])
    possible = [{tuple(table.tolist()) for table in list_tables(3) if keeps(table, area, leaves)} for area in (0, 1)]
    sums = {tuple(np.add(first, second).tolist()) for first, second in product(*possible)}
    for table in list_tables(7):
        assert keeps(table, 0, known) == (tuple(table.tolist()) in sums)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(0, 1)] * 3, st.integers(0, 2)), min_size=2, max_size=2),
)
def test_with_exact_totals_and_lower_bounds_of_one_query_too(drawn: list[tuple[int, ...]]) -> None:
    low = np.array([each[:3] for each in drawn])
    totals = low.sum(axis=1) + np.array([each[3] for each in drawn])
    tree = make_tree(2)
    stated = [state("b", 2, KIND, low, exact=False), state("t", 2, TOTAL, totals[:, None])]
    _, known, leaves = propagate(tree, SCHEMA, stated)
    most = int(totals.max())
    possible = [{tuple(table.tolist()) for table in list_tables(most) if keeps(table, area, leaves)} for area in (0, 1)]
    sums = {tuple(np.add(first, second).tolist()) for first, second in product(*possible)}
    for table in list_tables(int(totals.sum())):
        assert keeps(table, 0, known) == (tuple(table.tolist()) in sums)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 6), min_size=2, max_size=2), st.integers(0, 3), st.integers(0, 3))
def test_with_several_queries_it_never_forbids_what_has_children(
    drawn: list[tuple[int, ...]], first: int, second: int
) -> None:
    low = np.array([[each[0], 0, each[1]] for each in drawn]) // 2
    high = low + np.array([each[2:5] for each in drawn])
    pairs = np.array([[NO_MOST, first + 1], [second + 2, NO_MOST]])
    totals = np.minimum(low.sum(axis=1) + np.array([each[5] for each in drawn]), high.sum(axis=1))
    stated = [
        state("k", 2, KIND, low, exact=False, most=high),
        state("p", 2, PAIRS, np.zeros((2, 2)), exact=False, most=pairs),
        state("t", 2, TOTAL, totals[:, None]),
    ]
    possible = [[table for table in list_tables(4) if keeps(table, area, stated)] for area in range(2)]
    try:
        _, known, _ = propagate(make_tree(2), SCHEMA, stated)
    except ParameterError:
        assert not possible[0] or not possible[1]
        return
    for one, other in product(*possible):
        assert keeps(one + other, 0, known)


def test_totals_with_places_where_nobody_is_bound_the_parent_from_above() -> None:
    tree = make_tree(2)
    most = [[NO_MOST, 0, NO_MOST], [NO_MOST, NO_MOST, 0]]
    stated = [
        state("f", 2, KIND, np.zeros((2, 3)), exact=False, most=most),
        state("t", 2, TOTAL, [[5], [3]]),
    ]
    _, known, _ = propagate(tree, SCHEMA, stated)
    (kinds,) = [each for each in known if each.query is KIND]
    assert kinds.most is not None
    assert kinds.values.tolist() == [[0, 0, 0]]
    assert kinds.most.tolist() == [[NO_MOST, 3, 5]]


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        (
            [state("leaves", 2, TOTAL, [[3], [4], [5]]), state("parts", 1, TOTAL, [[7], [6]])],
            r"invariants\.parts must be what agrees with leaves, by which it is 5 in query total; got '6 for p1",
        ),
        (
            [state("low", 2, TOTAL, [[3], [4], [5]], exact=False), state("parts", 1, TOTAL, [[6], [6]])],
            r"invariants\.parts must be what agrees with low, by which it is at least 7 .* got '6 for p0 of part'",
        ),
        (
            [state("exact", 1, TOTAL, [[6], [6]]), state("low", 1, TOTAL, [[7], [0]], exact=False)],
            r"invariants\.low must be what agrees with exact, by which it is 6 .* got 'at least 7 for p0 of part'",
        ),
        (
            [state("kinds", 1, KIND, [[1, 2, 3], [0, 0, 0]]), state("totals", 1, TOTAL, [[7], [0]])],
            r"numbers that agree in query .*: kinds and totals contradict one another; got 'at least 7 and at most 6",
        ),
        (
            [state("kinds", 1, KIND, [[1, 2, 3], [0, 0, 0]]), state("pairs", 1, PAIRS, [[3, 3], [1, 0]])],
            r"kinds and pairs contradict one another; got 'at least 1 and at most 0 for p1 of part, kind a or b'",
        ),
        (
            [state("odd", 1, TOTAL, [[2], [2]], exact=False, most=[[3], [1]])],
            r"invariants\.odd must be numbers that agree; got 'at least 2 and at most 1 for p1 of part'",
        ),
        ([state("short", 1, TOTAL, [[2]])], r"invariants\.short must be a number for each area and answer"),
    ],
)
def test_contradictions_are_named_with_the_area(stated: list[Invariant], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        propagate(make_tree(2, 1), SCHEMA, stated)


def test_queries_that_share_no_answers_contradict_one_another_by_their_totals() -> None:
    schema = CensusSchema((Attribute("a", (0, 1)), Attribute("b", (0, 1))))
    first, second = (Query(name, schema, (QueryPart(place, (0, 1)),)) for place, name in enumerate("ab"))
    stated = [
        Invariant("firsts", 1, first, np.array([[3, 3]]), exact=False),
        Invariant("seconds", 1, second, np.array([[0, 0]]), exact=False, most=np.array([[2, 3]])),
    ]
    tree = Geography((Level("w", ("w",), np.zeros(1, dtype=np.int64)), Level("l", ("x",), np.zeros(1, dtype=np.int64))))
    with pytest.raises(ParameterError, match="firsts and seconds contradict one another"):
        propagate(tree, schema, stated)


def test_nobody_is_counted_where_nobody_can_be() -> None:
    schema = CensusSchema(SCHEMA.attributes, ({"kind": frozenset([1])},))
    kind = Query("kind", schema, KIND.parts)
    tree = make_tree(1)
    with pytest.raises(ParameterError, match="zeros say that nobody can be counted there"):
        propagate(tree, schema, [Invariant("k", 2, kind, np.array([[1, 1, 1]]))])
    with pytest.raises(ParameterError, match="contradict one another"):
        propagate(
            tree,
            schema,
            [
                Invariant("k", 2, kind, np.zeros((1, 3), dtype=np.int64), exact=False, most=np.array([[2, 9, 2]])),
                Invariant("t", 2, Query("total", schema), np.array([[5]])),
            ],
        )
