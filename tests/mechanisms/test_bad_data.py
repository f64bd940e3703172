"""Data of the wrong form is refused before any randomness is drawn, and no message quotes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.mechanisms import (
    CountingQueries,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Grid,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TruncatedLaplace,
)
from discreet.noise.bits import replayed
from support.sampling import GeneratorBits, ScriptedBits


@pytest.fixture(autouse=True)
def _no_randomness() -> Iterator[None]:
    """Fail a test that draws: there is not a single word to be had."""
    with replayed(ScriptedBits([])):
        yield


def refused(name: str, release: Callable[[Any], object], data: object) -> ParameterError:
    with pytest.raises(ParameterError, match=rf"^{name} must be") as caught:
        release(data)
    return caught.value


SELECTIONS = [Exponential(1.0), NoisyMax(1.0), NoisyMax(1.0, noise="laplace"), PermuteAndFlip(1.0)]
SECRET = 86420
ADDITIVE = [Laplace(1.0), Gaussian(1.0), DiscreteGaussian(1.0), Staircase(1.0, 1, 1), TruncatedLaplace(1.0, 0, 9)]


def quotes(error: ParameterError) -> bool:
    return str(SECRET) in str(error)


@pytest.mark.parametrize("made", SELECTIONS, ids=repr)
@pytest.mark.parametrize(
    "scores", [[], SECRET, [[SECRET]], [SECRET + 0.5], [str(SECRET)], [SECRET, "x"], {SECRET: 1}, None, [[SECRET], []]]
)
def test_what_is_no_list_of_integer_scores_is_refused_unquoted(made: Any, scores: object) -> None:
    assert not quotes(refused("scores", made.release, scores))


@pytest.mark.parametrize("scores", [[], 1.5, [[1.5]], ["1.5"], {1: 2}, [[1.5], []]])
@pytest.mark.parametrize("kind", [Exponential, NoisyMax, PermuteAndFlip])
def test_on_a_grid_what_is_no_list_of_scores_is_refused(kind: Any, scores: object) -> None:
    with pytest.raises(ParameterError, match=r"^(scores|value) must be"):
        kind(1.0, grid=Grid(0.5)).release(scores)


def test_a_gap_over_nobody_is_refused_unquoted() -> None:
    assert not quotes(refused("scores", NoisyMax.with_gap(1.0).release_with_gap, [SECRET]))


@pytest.mark.parametrize("made", ADDITIVE, ids=lambda made: type(made).__name__)
@pytest.mark.parametrize("value", [SECRET + 0.5, [SECRET + 0.5], str(SECRET), None, [[SECRET], []], {SECRET: 1}, 1j])
def test_what_is_no_integer_is_refused_unquoted(made: Any, value: object) -> None:
    error = refused("value", made.release, value)
    assert not quotes(error)


@pytest.mark.parametrize("value", [str(SECRET), [str(SECRET)], {SECRET: 1}, 1j, [[SECRET], []]])
def test_on_a_grid_what_is_no_real_is_refused_unquoted(value: object) -> None:
    assert not quotes(refused("value", Laplace(1.0, Grid(0.5)).release, value))


def test_ragged_answers_and_queries_are_refused_unquoted() -> None:
    assert not quotes(refused("answers", RandomizedResponse(0.3).release, [[SECRET], []]))
    assert not quotes(refused("values", CountingQueries.calibrate(1.0, 2).release, [[SECRET], []]))


@pytest.mark.parametrize("value", [SECRET + 0.5, [SECRET], str(SECRET), None])
def test_sparse_vector_takes_one_integer_at_a_time(value: object) -> None:
    made = SparseVector(1.0, 1.0)
    assert not quotes(refused("values", lambda v: made.release([v], 0), value))
    assert not quotes(refused("threshold", lambda v: made.release([0], v), value))


@pytest.mark.parametrize("made", [Laplace(1.0), Gaussian(1.0), DiscreteGaussian(1.0), Staircase(1.0, 1, 1)])
def test_missing_entries_of_a_list_count_as_zero_whether_or_not_there_are_any(made: Any) -> None:
    with replayed(GeneratorBits(1)):
        missing = made.release([5, None])
    with replayed(GeneratorBits(1)):
        assert made.release([5, 0]) == missing


def test_masked_entries_count_as_missing() -> None:
    values = np.ma.array([10, 20], mask=[False, True])
    with replayed(GeneratorBits(1)):
        masked = Laplace(1.0).release(values)
    with replayed(GeneratorBits(1)):
        assert Laplace(1.0).release([10, 0]) == masked.tolist()


@pytest.mark.parametrize("grid", [0.01, "0.01", 1])
def test_a_bare_step_is_no_grid(grid: Any) -> None:
    for kind in (Laplace, Gaussian, DiscreteGaussian, Exponential, NoisyMax, PermuteAndFlip):
        with pytest.raises(ParameterError, match=r"grid must be a Grid, such as Grid\(0.01\)"):
            kind(1.0, grid=grid)
