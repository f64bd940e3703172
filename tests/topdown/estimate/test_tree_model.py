"""How well areas are known, before anything is read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.estimate.tree_model import TreeModel, model_tree
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from topdown.estimate.dense import ask, ask_all, grow, make_schema

SCHEMA = make_schema(3, 2)
TOTAL, CELLS = ask(SCHEMA), ask_all(SCHEMA)


@dataclass(frozen=True)
class Planned:
    level: int
    query: Query
    variance: float


def model(tree: Geography, *asked: tuple[int, Query, float]) -> TreeModel:
    return model_tree(tree, SCHEMA, [Planned(*each) for each in asked])


def test_one_reading_has_its_own_variance() -> None:
    found = model(grow([2]), (1, CELLS, 5.0))
    assert found.variances(1, CELLS) == pytest.approx(np.full((2, 6), 5.0))
    assert found.variances(1, TOTAL) == pytest.approx(np.full((2, 1), 30.0))
    assert found.variances(0, TOTAL) == pytest.approx(np.full((1, 1), 60.0))


def test_the_counts_of_two_levels_have_the_variances_of_hay_and_others() -> None:
    """A total of variance s and k children of variance s: the top has s k / (k + 1), a child s (k / (k + 1))."""
    for children in (2, 5):
        found = model(grow([children]), (0, TOTAL, 3.0), (1, TOTAL, 3.0))
        assert found.variances(0, TOTAL) == pytest.approx(3 * children / (children + 1))
        assert found.variances(1, TOTAL) == pytest.approx(np.full((children, 1), 3 * children / (children + 1)))


def test_a_single_child_is_the_same_people_counted_twice() -> None:
    found = model(grow([1]), (0, TOTAL, 3.0), (1, TOTAL, 6.0))
    assert found.variances(0, TOTAL) == pytest.approx(2.0)
    assert found.variances(1, TOTAL) == pytest.approx(2.0)


def test_what_is_public_has_no_variance_and_helps_the_rest() -> None:
    found = model(grow([2]), (0, TOTAL, 0.0), (1, TOTAL, 4.0))
    assert found.variances(0, TOTAL) == pytest.approx(0.0, abs=1e-12)
    assert found.variances(1, TOTAL) == pytest.approx(np.full((2, 1), 2.0))


def test_what_is_not_determined_has_infinite_variance() -> None:
    found = model(grow([2], [1, 2]), (0, CELLS, 2.0), (1, TOTAL, 4.0))
    assert np.isfinite(found.variances(0, CELLS)).all()
    assert np.isinf(found.variances(1, CELLS)).all()
    assert np.isfinite(found.variances(1, TOTAL)).all()
    assert np.isfinite(found.variances(2, TOTAL)).tolist() == [[True], [False], [False]]


def test_variances_are_given_by_area() -> None:
    found = model(grow([2], [1, 3]), (0, TOTAL, 1.0), (1, TOTAL, 1.0), (2, CELLS, 2.0))
    whole = found.variances(2, CELLS)
    assert len(np.unique(whole.round(9))) == 2
    assert found.variances(2, CELLS, slice(1, 3)) == pytest.approx(whole[1:3])
    assert found.variances(2, CELLS, np.array([3, 0])) == pytest.approx(whole[[3, 0]])


def test_another_reading_never_hurts_and_a_larger_variance_never_helps() -> None:
    tree = grow([2], [1, 3])
    few = model(tree, (0, TOTAL, 1.0), (2, CELLS, 2.0))
    more = model(tree, (0, TOTAL, 1.0), (2, CELLS, 2.0), (1, ask(SCHEMA, a0=(0, 1, 1)), 4.0))
    worse = model(tree, (0, TOTAL, 1.5), (2, CELLS, 2.0), (1, ask(SCHEMA, a0=(0, 1, 1)), 9.0))
    for level in range(3):
        for query in (TOTAL, CELLS, ask(SCHEMA, a0=(0, 0, 1))):
            assert (more.variances(level, query) <= few.variances(level, query) + 1e-12).all()
            assert (more.variances(level, query) <= worse.variances(level, query) + 1e-12).all()


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ((2, TOTAL, 1.0), "level"),
        ((-1, TOTAL, 1.0), "level"),
        ((0, ask(make_schema(3, 3)), 1.0), "query"),
        ((0, TOTAL, -1.0), "variance"),
        ((0, TOTAL, float("inf")), "variance"),
        ((0, TOTAL, float("nan")), "variance"),
    ],
)
def test_readings_that_cannot_be_are_refused(asked: tuple[int, Query, float], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        model(grow([2]), asked)
