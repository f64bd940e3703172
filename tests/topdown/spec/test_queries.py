"""Queries are partitions of cells: everybody is counted in exactly one answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

SCHEMA = CensusSchema((Attribute("a", (0, 1, 2)), Attribute("b", ("x", "y")), Attribute("c", (0, 1, 2, 3))))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    parts = []
    for place, size in enumerate(SCHEMA.shape):
        if draw(st.booleans()):
            groups = draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size))
            order = sorted(set(groups))
            parts.append(QueryPart(place, tuple(order.index(each) for each in groups)))
    return Query("q", SCHEMA, tuple(parts))


@given(queries(), st.integers(0, 2**32 - 1))
def test_answers_are_the_sums_of_their_cells(query: Query, seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 9, (2, 5, SCHEMA.cells))
    answers = query.answer(cells)
    assert answers.shape == (2, 5, query.size)
    for answer in range(query.size):
        assert np.array_equal(answers[..., answer], cells[..., query.places == answer].sum(axis=-1))


@given(queries())
def test_everybody_is_counted_once(query: Query) -> None:
    one_each = np.eye(SCHEMA.cells, dtype=np.int64)
    assert (query.answer(one_each).sum(axis=-1) == 1).all()
    assert sorted(set(query.places.tolist())) == list(range(query.size))


@given(queries(), st.integers(0, 2**32 - 1))
def test_spreading_is_the_transpose_of_answering(query: Query, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, weights = random.integers(0, 9, SCHEMA.cells), random.integers(0, 9, query.size)
    assert query.answer(cells) @ weights == cells @ query.spread(weights)


def test_the_total_has_one_answer_and_whole_parts_are_known() -> None:
    total = Query("total", SCHEMA)
    assert (total.size, total.shape, total.answer(np.ones(SCHEMA.cells)).tolist()) == (1, (), [24.0])
    assert QueryPart(0, (0, 1, 2)).is_whole
    assert not QueryPart(0, (1, 0, 2)).is_whole
    assert hash(total) == hash(Query("total", SCHEMA))


@pytest.mark.parametrize("groups", [(0, 2), (1, 1), (-1, 0), ()])
def test_groups_are_numbered_without_a_gap(groups: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="numbers from 0 on, none left out"):
        QueryPart(0, groups)


def test_parts_are_of_the_schema_and_in_its_order() -> None:
    with pytest.raises(ParameterError, match="each attribute once"):
        Query("q", SCHEMA, (QueryPart(1, (0, 1)), QueryPart(0, (0, 1, 2))))
    with pytest.raises(ParameterError, match="each attribute once"):
        Query("q", SCHEMA, (QueryPart(1, (0, 1)), QueryPart(1, (0, 0))))
    with pytest.raises(ParameterError, match="a group for each value"):
        Query("q", SCHEMA, (QueryPart(0, (0, 1)),))


def test_an_answer_says_who_is_counted_in_it() -> None:
    grouped = Query("q", SCHEMA, (QueryPart(1, (0, 1)), QueryPart(2, (0, 0, 1, 1))))
    assert [grouped.describe(answer) for answer in (0, 3)] == ["b x, c 0 or 1", "b y, c 2 or 3"]
    assert Query("all", SCHEMA, (QueryPart(2, (0, 0, 0, 0)),)).describe(0) == "c 0 or 1 or 2 or ..."
    assert Query("total", SCHEMA).describe(0) == ""
