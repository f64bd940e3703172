"""Functions of one unit's rows: those for all units at once keep them apart, and a failure in one quotes no data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.base.canonical import Json, hash_json
from discreet.base.errors import FailedError, OperationError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.door.unit_functions import (
    BATCH,
    BatchFunction,
    ColumnOffsets,
    ColumnSums,
    LinearGradient,
    LogisticGradient,
    PieceCounts,
    apply_function,
)
from discreet.engines.running import RunCancelledError

WEIGHTS = (0.3, -1.7)
FUNCTIONS: tuple[BatchFunction, ...] = (
    ColumnSums(3),
    ColumnOffsets((0.5, -1.25, 3.0)),
    PieceCounts((-1.0, 1 / 3, 2.0)),
    LinearGradient(WEIGHTS),
    LogisticGradient(WEIGHTS),
)

counts = st.lists(st.integers(1, 4), min_size=1, max_size=8)
values = st.floats(-1e3, 1e3) | st.sampled_from([0.1, 1 / 3, -1e-9, 1e200, -1e200])


@dataclass(frozen=True)
class Written:
    """A function that somebody wrote."""

    work: Callable[[Floats], object]
    dimension: int = 2

    def describe(self) -> Json:
        return "written"

    def apply(self, rows: Floats) -> Floats:
        return self.work(rows)  # type: ignore[return-value]


def offsets_of(counts: list[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def test_the_closed_list_is_what_is_tested_here() -> None:
    assert {type(function) for function in FUNCTIONS} == set(BATCH)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: type(each).__name__)
@given(data=st.data())
def test_all_units_at_once_have_the_vectors_of_each_alone_to_the_last_bit(
    function: BatchFunction, data: st.DataObject
) -> None:
    offsets = offsets_of(data.draw(counts))
    rows = data.draw(arrays(np.float64, (int(offsets[-1]), 3), elements=values))
    together = apply_function(function, function.dimension, rows, offsets)
    for unit in range(len(offsets) - 1):
        alone = function.apply(rows[offsets[unit] : offsets[unit + 1]].copy())
        assert together[unit].tobytes() == alone.tobytes()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: type(each).__name__)
def test_a_unit_has_the_same_vector_wherever_it_stands_among_thousands(function: BatchFunction) -> None:
    """Where vectors of a processor end, matrix products and float sums round differently."""
    chance = np.random.default_rng(5)
    rows, offsets = chance.normal(size=(4001, 3)), np.arange(4002)
    together = function.apply_all(rows, offsets)
    for first in (1, 2, 3, 5, 997):
        assert function.apply_all(rows[first:], offsets[: len(offsets) - first]).tobytes() == together[first:].tobytes()


def test_gradients_are_those_of_their_losses() -> None:
    rows = np.array([[1.0, 2.0, 1.0], [0.5, -1.0, 0.0]])

    def loss(weights: Floats, logistic: bool) -> float:
        scores = rows[:, :2] @ weights
        labels = rows[:, 2]
        if logistic:
            return float(np.sum(np.log1p(np.exp(scores)) - labels * scores))
        return float(np.sum((scores - labels) ** 2) / 2)

    for function, logistic in ((LinearGradient(WEIGHTS), False), (LogisticGradient(WEIGHTS), True)):
        at, small = np.array(WEIGHTS), 1e-6
        moved = [
            (loss(at + small * side, logistic) - loss(at - small * side, logistic)) / (2 * small) for side in np.eye(2)
        ]
        assert function.apply(rows) == pytest.approx(moved, rel=1e-6)
    assert ColumnSums(3).apply(rows).tolist() == [1.5, 1.0, 1.0]
    many = len(rows)
    assert ColumnOffsets((0.5, 1.0, -1.0)).apply(rows).tolist() == [1.5 - 0.5 * many, 1.0 - many, 1.0 + many]


def test_scores_beyond_floats_are_no_error() -> None:
    rows = np.array([[1e308, 1e308, 1.0], [-1e308, 1e308, 0.0]])
    found = LogisticGradient((1e308, 1.0)).apply_all(rows, np.array([0, 1, 2]))
    assert found.shape == (2, 2)


def test_weights_are_public_and_stand_in_the_form() -> None:
    forms = [hash_json(each.describe()) for each in (*FUNCTIONS, LinearGradient((0.3, 1.7)), ColumnSums(2))]
    assert len(set(forms)) == len(forms)
    assert [(each.columns, each.dimension) for each in FUNCTIONS] == [(3, 3), (3, 3), (1, 4), (3, 2), (3, 2)]
    for wrong in ((), (math.nan,), (1,), (math.inf, 1.0)):
        with pytest.raises(ParameterError, match="finite floats"):
            LinearGradient(wrong)
    with pytest.raises(ParameterError):
        ColumnSums(0)


def test_a_function_that_somebody_wrote_sees_the_rows_of_one_unit_at_a_time() -> None:
    rows, seen = np.arange(10.0).reshape(5, 2), list[list[list[float]]]()

    def work(mine: Floats) -> Floats:
        seen.append(mine.tolist())
        mine[:] = -1.0  # it has a copy: others' rows stay as they are
        return np.array([len(mine), 0.0])

    found = apply_function(Written(work), 2, rows, offsets_of([2, 1, 2]))
    assert found.tolist() == [[2, 0], [1, 0], [2, 0]]
    assert seen == [[[0, 1], [2, 3]], [[4, 5]], [[6, 7], [8, 9]]]


class Mixing(ColumnSums):
    """Pretends to be of the closed list, and looks at all rows that it is given."""

    __slots__ = ()

    def map_rows(self, rows: Floats) -> Floats:
        return np.broadcast_to(rows.sum(axis=0), rows.shape)


def test_a_function_that_derives_from_the_closed_list_is_not_on_it() -> None:
    rows = np.array([[1.0, 1.0], [100.0, 100.0]])
    found = apply_function(Mixing(2), 2, rows, offsets_of([1, 1]))
    assert found.tolist() == [[1, 1], [100, 100]], "each unit by itself"


@pytest.mark.parametrize("result", [[1, 2], np.array([1, 2], np.int8), np.array([1, 2], np.float32), (True, 2.0)])
def test_whatever_numbers_a_function_returns_are_floats(result: object) -> None:
    found = apply_function(Written(lambda _: result), 2, np.zeros((1, 1)), offsets_of([1]))
    assert found.dtype == np.float64
    assert found.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "result",
    [3.0, [1.0], [1.0, 2.0, 3.0], [[1.0, 2.0]], None, "ab", ["a", "b"], [1j, 2], [None, 1.0], [[1.0], [2.0, 3.0]]],
)
def test_what_is_no_vector_of_the_dimension_is_a_failure_of_the_data(result: object) -> None:
    with pytest.raises(FailedError, match="failed on a unit's rows"):
        apply_function(Written(lambda _: result), 2, np.zeros((1, 1)), offsets_of([1]))


TROUBLES = [ValueError("17 in ward north"), OperationError("x"), RunCancelledError("x"), KeyboardInterrupt()]


@pytest.mark.parametrize("trouble", TROUBLES, ids=lambda each: type(each).__name__)
def test_whatever_a_function_raises_is_a_failure_of_the_data_and_quotes_none(trouble: BaseException) -> None:
    def fail(_: Floats) -> Floats:
        raise trouble

    with pytest.raises(FailedError) as found:
        apply_function(Written(fail), 2, np.zeros((1, 1)), offsets_of([1]))
    assert str(found.value) == f"the function failed on a unit's rows: {type(trouble).__name__}"


def test_pieces_are_counted_from_each_edge_to_the_next() -> None:
    rows = np.array([[-5.0], [0.0], [0.99], [1.0], [7.0], [7.0]])
    assert PieceCounts((0.0, 1.0)).apply(rows).tolist() == [1, 2, 3]
    assert PieceCounts((0.0,)).describe() != PieceCounts((0.0, 1.0)).describe()
    for edges in ((), (1.0, 1.0), (2.0, 1.0), (math.nan,), (math.inf,), (1,)):
        with pytest.raises(ParameterError, match="edges"):
            PieceCounts(edges)
