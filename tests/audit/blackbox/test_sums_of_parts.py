"""A score that adds up what each number of an output tells."""

from __future__ import annotations

import numpy as np

from discreet.audit.blackbox.sums_of_parts import learn_sum
from discreet.base.grid import Floats


def say_bits(generator: np.random.Generator, chances: list[float], outputs: int) -> Floats:
    return (generator.random((outputs, len(chances))) < chances).astype(np.float64)


def test_independent_bits_are_rated_by_the_sum_of_their_ratios() -> None:
    generator = np.random.default_rng(1)
    one, other = [0.5, 0.5, 0.6, 0.3], [0.4, 0.5, 0.5, 0.4]
    rate = learn_sum(say_bits(generator, one, 200_000), say_bits(generator, other, 200_000))
    rows = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 1]])
    truth = [
        sum(np.log((p if bit else 1 - p) / (q if bit else 1 - q)) for bit, p, q in zip(row, one, other, strict=True))
        for row in rows
    ]
    assert np.allclose(rate(rows), truth, atol=0.03)


def test_outputs_that_tell_nothing_are_rated_near_0() -> None:
    generator = np.random.default_rng(2)
    first, second = (say_bits(generator, [0.5] * 12, 3_000) for _ in range(2))
    assert np.abs(learn_sum(first, second)(first)).max() < 0.05


def test_what_only_one_input_says_is_rated_high() -> None:
    generator = np.random.default_rng(3)
    first, second = say_bits(generator, [0.5, 0.3], 4_000), say_bits(generator, [0.5, 0.0], 4_000)
    rate = learn_sum(first, second)
    assert rate(np.array([[1.0, 1.0]]))[0] > 3
    assert rate(np.array([[1.0, 0.0]]))[0] < 0


def test_numbers_are_told_apart_from_frequent_ones() -> None:
    generator = np.random.default_rng(4)

    def draw(shift: float) -> Floats:
        told = generator.random((50_000, 3)) < 0.5
        return np.where(told, generator.normal(shift, 1.0, (50_000, 3)), -1_000.0)

    rate = learn_sum(draw(0.2), draw(0.0))
    assert abs(rate(np.full((1, 3), -1_000.0))[0]) < 0.05
    assert rate(np.full((1, 3), 2.0))[0] > 0.6


def test_numbers_that_are_always_equal_are_no_trouble() -> None:
    assert (learn_sum(np.zeros((50, 2)), np.zeros((50, 2)))(np.zeros((5, 2))) == 0).all()
