"""The fast Walsh-Hadamard transform, beside its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.families.hadamard import BITS, list_signs, split_bits, transform


def by_definition(numbers: list[int]) -> list[int]:
    return [
        sum(number * (-1) ** (cell & mask).bit_count() for cell, number in enumerate(numbers))
        for mask in range(len(numbers))
    ]


@pytest.mark.parametrize("bits", range(9))
@pytest.mark.parametrize("size", [10, 2**20, 2**40, 2**54, 2**62, 2**63 - 1])
def test_theorem_whole_numbers_are_transformed_exactly_whatever_their_size(bits: int, size: int) -> None:
    numbers = np.random.default_rng(bits).integers(-size, size, 1 << bits)
    assert [int(each) for each in transform(numbers)] == by_definition(numbers.tolist())


@pytest.mark.parametrize("most", [2**24, 2**53])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_theorem_no_step_rounds_at_the_ends_of_what_floats_hold(most: int, beyond: int) -> None:
    numbers = np.zeros(1 << 7, dtype=np.int64)
    numbers[:] = most // (1 << 7)
    numbers[5] += beyond
    assert transform(numbers).tolist() == by_definition(numbers.tolist())


@pytest.mark.parametrize("bits", [0, 1, BITS, BITS + 1, 13])
def test_twice_transformed_is_a_multiple(bits: int) -> None:
    numbers = np.random.default_rng(1).integers(-99, 99, 1 << bits)
    assert (transform(transform(numbers)) == numbers << bits).all()
    floats = numbers / 7
    assert transform(transform(floats)) == pytest.approx(floats * 2**bits, abs=1e-8)
    assert floats.tolist() == (numbers / 7).tolist(), "what is handed in is not changed"


def test_large_tables_agree_with_butterflies() -> None:
    numbers = np.random.default_rng(1).integers(0, 9, 1 << 16)
    found = transform(numbers)
    table: NDArray[Any] = numbers.reshape((2,) * 16)
    for axis in range(16):
        zeros, ones = np.take(table, 0, axis), np.take(table, 1, axis)
        table = np.stack([zeros + ones, zeros - ones], axis)
    assert (found == table.ravel()).all()


@pytest.mark.parametrize("bits", range(40))
def test_all_bits_are_transformed_in_as_few_products_as_can_be(bits: int) -> None:
    parts = split_bits(bits)
    assert sum(parts) == bits
    assert len(parts) == -(-bits // BITS)
    assert all(1 <= part <= BITS for part in parts)


def test_signs_are_parities() -> None:
    signs = list_signs(3)
    with pytest.raises(ValueError, match="read-only"):
        signs[0, 0] = 2
    assert list_signs(3, "float32").dtype == np.float32
    assert signs.tolist() == [[(-1) ** (row & column).bit_count() for column in range(8)] for row in range(8)]


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 2), ()])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match=r"2\^k numbers in one dimension"):
        transform(np.zeros(shape))
