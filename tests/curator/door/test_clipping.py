"""Clipping: whatever a vector holds, what is left of it is whole, within the clip, and depends on nothing else."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from discreet.base.errors import FailedError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.door.clipping import Clip, Norm, bound_lengths, check_lengths, clip_vectors, find_most_steps

entries = st.one_of(
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 2.0**31, 1e30]),
)
shapes = st.tuples(st.integers(1, 6), st.integers(1, 5))
vectors = arrays(np.float64, shapes, elements=entries)
steps = st.sampled_from([1.0, 0.001, 1e-100, 1e100, Fraction(1, 3)])
clips = st.builds(Clip, st.integers(1, find_most_steps(5)), steps)
norms = st.sampled_from(Norm)


def is_within(vector: list[int], clip: Clip, norm: Norm) -> bool:
    """Recompute in Python's integers."""
    if norm is Norm.L1:
        return sum(map(abs, vector)) <= clip.steps
    return sum(entry * entry for entry in vector) <= clip.steps**2


@settings(max_examples=400)
@given(vectors, clips, norms)
def test_no_vector_is_longer_than_the_clip_whatever_it_holds(found: Floats, clip: Clip, norm: Norm) -> None:
    clipped = clip_vectors(found, clip, norm)
    assert clipped.dtype == np.int64
    assert all(is_within(vector, clip, norm) for vector in clipped.tolist())


@given(vectors, clips, norms)
def test_a_vector_is_clipped_alike_whoever_else_is_there(found: Floats, clip: Clip, norm: Norm) -> None:
    together = clip_vectors(found, clip, norm)
    alone = [clip_vectors(found[place : place + 1], clip, norm)[0] for place in range(len(found))]
    assert (together == np.array(alone)).all()


@given(arrays(np.float64, (3, 4), elements=st.floats(-100, 100)), norms)
def test_a_vector_within_the_clip_is_truncated_towards_zero_and_nothing_else(found: Floats, norm: Norm) -> None:
    assert (clip_vectors(found, Clip(1000, 1.0), norm) == np.trunc(found)).all()


def test_a_long_vector_keeps_its_direction() -> None:
    for long in ([3e5, -4e5], [3e200, -4e200]):
        (clipped,) = clip_vectors(np.array([long]), Clip(1000, 1.0), Norm.L2)
        assert np.abs(clipped - [600, -800]).max() <= 1
    (clipped,) = clip_vectors(np.array([[3.0, -1.0]]), Clip(2, 1.0), Norm.L1)
    assert clipped.tolist() == [1, 0], "3 * 2 / 4 and 1 * 2 / 4, towards zero"


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_a_vector_with_an_entry_that_is_no_finite_number_counts_as_nothing(wrong: float) -> None:
    for norm in Norm:
        clipped = clip_vectors(np.array([[1.0, wrong], [1.0, 2.0]]), Clip(10, 1.0), norm)
        assert clipped.tolist() == [[0, 0], [1, 2]]


@given(st.lists(st.integers(-find_most_steps(3), find_most_steps(3)), min_size=3, max_size=3))
def test_lengths_are_rounded_up_exactly_up_to_the_largest_entries(vector: list[int]) -> None:
    points: Ints = np.array([vector])
    square = sum(entry * entry for entry in vector)
    assert int(bound_lengths(points, Norm.L2)[0]) == (math.isqrt(square - 1) + 1 if square else 0)
    assert int(bound_lengths(points, Norm.L1)[0]) == sum(map(abs, vector))


@given(st.integers(1, 2**31 - 1), st.sampled_from([-1, 0, 1]))
def test_lengths_next_to_a_whole_number_are_not_rounded_down(root: int, beside: int) -> None:
    """Squares of this size are no floats: the root that floats give is one too small here and there."""
    square = root * root + beside
    parts = [math.isqrt(square)]
    rest = square - parts[0] ** 2
    while rest:
        parts.append(math.isqrt(rest))
        rest -= parts[-1] ** 2
    found = int(bound_lengths(np.array([parts], dtype=np.int64), Norm.L2)[0])
    assert found == (math.isqrt(square - 1) + 1 if square else 0)


def test_the_check_refuses_a_vector_that_is_one_step_too_long() -> None:
    for norm, vector in ((Norm.L1, [3, -2]), (Norm.L2, [3, 4])):
        length = 5
        check_lengths(np.array([vector]), Clip(length, 1.0), norm)
        with pytest.raises(FailedError, match="longer than its clip"):
            check_lengths(np.array([vector]), Clip(length - 1, 1.0), norm)


def test_a_clip_is_public_and_its_float_step_is_the_decimal_that_it_prints_as() -> None:
    assert Clip(5, 0.1) == Clip(5, Fraction(1, 10))
    assert Clip(5, 0.1).describe() == {"steps": 5, "step": "1/10"}
    for steps, step in ((0, 1.0), (2**31 + 1, 1.0), (5, 0.0), (5, math.inf), (5, -1.0)):
        with pytest.raises(ParameterError):
            Clip(steps, step)
