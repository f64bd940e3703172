"""Gradients of a compiled loss over encoded rows: a unit's rows are its own, and no program tells anybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.gradients.compiled.compiled_gradients import CompiledGradients, count_batches, write_features
from discreet.gradients.compiled.programs import identify_program
from discreet.gradients.compiled.states import pack_state, shape_like, unpack_state
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.noise.device.frame import jax_modules
from servers.accelerated import require_jax

ENCODING = Encoding((NumberFeature(0, 0, 10), PlaceFeature(1, 3)), LabelColumn(2, 0, 3, -1, 2))
"""A number, three places, and two classes: NULL is at -1, and what is not declared at 2."""


@pytest.fixture(autouse=True)
def jax_is_here() -> None:
    require_jax()


def linear_loss(parameters: Any, example: Any) -> Any:
    jax, _ = jax_modules()
    x, y = example
    return -jax.nn.log_softmax(x @ parameters)[y]


def gradients_of(loss: Any = linear_loss, rows: int = 2, classes: int = 2) -> CompiledGradients:
    start = np.zeros((4, 2), dtype=np.float32)
    return CompiledGradients(loss, start, ENCODING, classes, 1 << 4, rows, 4, 1.0)


def points_of(rows: list[tuple[int, int, int]]) -> Any:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def test_features_are_numbers_from_minus_1_to_1_and_a_1_at_each_place() -> None:
    found = write_features(ENCODING.encode(points_of([(0, 0, 1), (5, 2, 1), (10, 1, 2), (99, 9, 1)])))
    assert found.dtype == np.float32
    assert found.tolist() == [[-1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 1, 0], [1, 0, 0, 1]]
    assert np.abs(write_features(ENCODING.encode(points_of([(3, 0, 1)])))[0, 0] + 0.4) < 1 / FEATURE_STEPS


def test_a_unit_s_rows_are_its_own_first_ones_whoever_else_is_there() -> None:
    points = points_of([(place, place % 3, 1 + place % 2) for place in range(10)])
    offsets = np.array([0, 3, 4, 8, 10])
    encoded = ENCODING.encode(points)
    whole = gradients_of().arrange(encoded, offsets)
    assert whole.places.tolist() == [[0, 1], [3, -1], [4, 5], [8, 9]]
    for unit in range(4):
        first, last = offsets[unit], offsets[unit + 1]
        alone = gradients_of().arrange(ENCODING.encode(points[first:last]), np.array([0, last - first]))
        for mine, theirs in zip(alone.columns, whole.columns, strict=True):
            kept, own = alone.places[0], whole.places[unit]
            assert np.array_equal(mine[kept[kept >= 0]], theirs[own[own >= 0]])


def test_rows_of_no_class_are_left_out() -> None:
    """A unit of such rows alone is no unit; a row behind them moves up."""
    encoded = ENCODING.encode(points_of([(1, 0, 0), (2, 0, 1), (3, 0, 3), (4, 0, 0), (5, 0, 2)]))
    found = gradients_of().arrange(encoded, np.array([0, 2, 4, 5]))
    assert found.places.tolist() == [[1, -1], [4, -1]]
    assert found.columns[1][[1, 4]].tolist() == [0, 1]
    assert gradients_of().arrange(ENCODING.encode(points_of([])), np.array([0])).units == 0


def test_labels_that_are_numbers_are_all_taken() -> None:
    encoded = ENCODING.encode(points_of([(1, 0, 0), (2, 0, 3)]))
    found = gradients_of(classes=0).arrange(encoded, np.array([0, 2]))
    assert found.columns[1].dtype == np.float32
    assert found.columns[1].tolist() == [-1 / 16, 2 / 16]


def _debug(x: Any) -> Any:
    jax_modules()[0].debug.callback(lambda each: None, x)
    return x


def _print(x: Any) -> Any:
    jax_modules()[0].debug.print("{}", x)
    return x


def _call(x: Any) -> Any:
    jax, _ = jax_modules()
    return jax.pure_callback(lambda each: each, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def _nested(x: Any) -> Any:
    jax, _ = jax_modules()
    return jax.lax.cond(x > 0, jax.jit(_call), lambda each: each, x)


@pytest.mark.parametrize("function", [_debug, _print, _call, _nested])
def test_a_program_that_calls_back_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError, match="callbacks and prints"):
        identify_program("loss", function, np.float32(1))


def test_programs_are_known_by_what_they_compute_and_not_by_their_names() -> None:
    x = np.float32(1)

    def double(value: Any) -> Any:
        return value * 2

    def twice(number: Any) -> Any:
        return number * 2

    assert identify_program("loss", double, x) == identify_program("loss", twice, x)
    assert identify_program("loss", double, x) != identify_program("loss", lambda each: each * 3, x)
    assert gradients_of().program == gradients_of().program
    assert gradients_of().describe() == gradients_of().describe()
    assert gradients_of().describe() != gradients_of(rows=1).describe()


def test_a_state_comes_back_from_its_bytes() -> None:
    state = ({"a": np.arange(6, dtype=np.float32).reshape(2, 3)}, (np.int32(7), np.float32(0.5)))
    found = unpack_state(pack_state(state), state)
    assert found[0]["a"].tolist() == state[0]["a"].tolist()
    assert (found[1][0].dtype, int(found[1][0]), float(found[1][1])) == (np.int32, 7, 0.5)
    with pytest.raises(ParameterError):
        unpack_state(pack_state(state) + b"more", state)
    assert shape_like(state[0], np.arange(6.0))["a"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_step_makes_batches_enough_for_all_samples_but_freak_ones() -> None:
    assert count_batches(1000, 256, sampled=False) == 4
    assert count_batches(1024, 256, sampled=True) == -(-(1024 + 8 * 32) // 256)
    assert count_batches(1, 512, sampled=True) == 1
