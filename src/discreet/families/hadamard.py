"""The fast Walsh-Hadamard transform: all 2^k parities of a table of 2^k cells at once, by products of small matrices.

The transform of a table t has sum over x of t(x) (-1)^(number of ones that x and y share) at y. On k bits it is the
transform on a few of them, then on the next few, and so on. On a few bits it is a product with a small matrix of 1 and
-1, which BLAS multiplies at the speed of the processor; butterflies, two numbers at a time, wait for memory k times.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.base.errors import ParameterError
from discreet.families.whole import EXACT_FLOAT, EXACT_SHORT, add_magnitudes, hold

BITS = 5
"""Bits that one product transforms at most: with more there is more to compute, with fewer more to read and write."""

MOST_SHORT = 1 << 21
"""Numbers up to which shorter floats are used: beyond, one row more or less would be seen in the time it takes."""


def transform(numbers: ArrayLike) -> NDArray[Any]:
    """Return the Walsh-Hadamard transform of 2^k numbers in one dimension.

    Exact on whole numbers. Theorem: let M be the sum of their magnitudes. Every number that any order of the sums meets
    is a sum of some entries with signs, a whole number of magnitude at most M, and so are the products with 1 and -1.
    Floats of 64 bits hold all whole numbers up to 2^53 and those of 32 bits all up to 2^24, so where M is no larger no
    step rounds, whatever BLAS does first. Where M is larger the sums are made in integers, and beyond 64 bits in
    Python's.
    """
    held = hold(numbers)
    if held.ndim != 1 or held.size == 0 or held.size & (held.size - 1):
        raise ParameterError("numbers", held.shape, "2^k numbers in one dimension")
    if held.dtype == np.float64:
        return _multiply(held)
    if held.dtype == np.int64:
        most = add_magnitudes(held)
        if most <= EXACT_FLOAT:
            short = most <= EXACT_SHORT and held.size <= MOST_SHORT
            floats = held.astype(np.float32 if short else np.float64)
            return _multiply(floats).astype(np.int64)
    return _add_and_subtract(held)


def split_bits(bits: int) -> list[int]:
    """Return how many bits each product transforms: as few products as can be, of about the same size.

    >>> split_bits(11), split_bits(0)
    ([4, 4, 3], [])
    """
    products = -(-bits // BITS)
    return [bits // products + (place < bits % products) for place in range(products)]


@lru_cache(maxsize=32)
def list_signs(bits: int, kind: str = "int8") -> NDArray[Any]:
    """Return the matrix of the transform on a few bits, to be read only: 1 and -1.

    >>> list_signs(1).tolist()
    [[1, 1], [1, -1]]
    """
    signs = np.ones((1, 1), dtype=kind)
    for _ in range(bits):
        signs = np.block([[signs, signs], [signs, -signs]])
    signs.flags.writeable = False
    return signs


def _multiply(floats: NDArray[Any]) -> NDArray[Any]:
    """Return the transform of floats, a few bits at a time, from the last ones: two tables of memory."""
    here, there = floats, np.empty_like(floats)
    done = 0
    for bits in split_bits(floats.size.bit_length() - 1):
        signs = list_signs(bits, floats.dtype.name)
        if done == 0:
            np.matmul(here.reshape(-1, 1 << bits), signs, out=there.reshape(-1, 1 << bits))
        else:
            cube = (-1, 1 << bits, 1 << done)
            np.matmul(signs, here.reshape(cube), out=there.reshape(cube))
        here, there = there, np.empty_like(floats) if here is floats else here
        done += bits
    return here if done else floats.copy()


def _add_and_subtract(whole: NDArray[Any]) -> NDArray[Any]:
    """Return the transform of whole numbers of any type: butterflies."""
    table = whole.copy()
    width = 1
    while width < table.size:
        pairs = table.reshape(-1, 2, width)
        differences = pairs[:, 0] - pairs[:, 1]
        pairs[:, 0] += pairs[:, 1]
        pairs[:, 1] = differences
        width *= 2
    return table
