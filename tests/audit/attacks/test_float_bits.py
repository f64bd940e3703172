"""Bits of floats: float noise is told from its last bits, whole numbers are not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from discreet.audit.attacks.float_bits import MOST_COUNT, FloatBits, can_come_of, read_bits
from discreet.audit.attacks.people import Secret
from discreet.audit.suite.counting import count_in_floats
from discreet.base.errors import ParameterError


@pytest.fixture(scope="module")
def found() -> FloatBits:
    return read_bits(outputs=40_000)


@pytest.mark.parametrize("count", [0, 1, 7, 300, 100_000])
def test_what_a_count_gave_can_come_of_it(count: int) -> None:
    assert can_come_of(count, count_in_floats(count, 20_000)).all()


def test_most_answers_of_float_noise_can_come_of_one_count_alone(found: FloatBits) -> None:
    assert found.in_floats.certain > 0.6
    assert found.in_floats.right > 0.8
    assert found.in_floats.epsilon > 10 * found.claimed


def test_answers_of_ours_tell_no_more_than_epsilon_allows(found: FloatBits) -> None:
    assert found.ours.certain == 0.0
    assert found.ours.right <= found.bound + 5 * math.sqrt(0.25 / found.outputs)
    assert found.ours.epsilon < 0.2  # a bound at 95 % confidence; the exact check is that of the audit's suite


def test_large_counts_hide_the_bits() -> None:
    answers = count_in_floats(10**6, 5_000)
    assert can_come_of(10**6 - 1, answers).mean() > 0.99
    small = count_in_floats(1, 5_000)
    assert can_come_of(0, small).mean() < 0.5


def test_the_largest_count_still_has_guesses_by_how_far_an_answer_is_away() -> None:
    largest = read_bits(MOST_COUNT, outputs=20_000)
    for read in (largest.in_floats, largest.ours):
        assert read.certain == 0.0
        assert read.right > 0.5 + (largest.bound - 0.5) / 4


def test_the_count_of_a_secret_is_told_with_its_words() -> None:
    found = read_bits(Secret(np.arange(9) < 4, "ill = yes in people.csv"), outputs=1_000)
    told = " ".join(str(found).split())
    assert "is one person counted (ill = yes in people.csv): is the true count 4 or 3?" in told
    assert "for the owner's eyes only" in told
    assert "curator was" not in told


def test_it_is_told_and_written(found: FloatBits) -> None:
    assert "of the answers can come of one of the two counts alone" in str(found)
    assert found.to_dict()["ours"]["certain"] == 0.0


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="count"):
        read_bits(0)
    with pytest.raises(ParameterError, match="count must be a whole number >= 1 and <= 1125899906842624"):
        read_bits(10**18)
    with pytest.raises(ParameterError, match="outputs"):
        read_bits(outputs=10)


def test_a_float_between_those_that_can_be_drawn_is_noticed() -> None:
    drawn = count_in_floats(0, 2_000)
    beside = np.nextafter(np.nextafter(drawn, 0.0), 0.0)
    assert can_come_of(0, beside).mean() < 0.6
