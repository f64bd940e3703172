"""Sums of products over units: the second moments of features, the intercept and the label, each pair once.

A row is z = (its features, the intercept, and its label where that is asked for), in whole numbers of at most S =
`FEATURE_STEPS`. What is summed is the upper triangle of z z': every product of two entries, once.

**How far a row moves it.** The squares of all pairs, counted once, add up to (|z|^4 + z_1^4 + z_2^4 + ...) / 2, and no
entry is above S: so a row of squared length at most T moves the sum by at most sqrt((T^2 + S^2 T) / 2) in L2, or by T
where T is below S^2. That is less than T, the length of the whole matrix, by up to the root of 2.

**Clipped.** A unit of m rows may move it by K. So each of its rows may have the largest T with
m sqrt((T^2 + S^2 T) / 2) <= K, and is scaled down to it where it is longer (`gradients/scaled.py`). A row that is
scaled keeps its direction: where the label is a linear function of the features, it is the same function after.

**Exact.** A product is at most 2^24, and a block has at most 2^14 rows: all sums are below 2^53, so that products of
float matrices are exact in whatever order they add. Blocks are added in integers of Python.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.base.errors import OperationError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints, WideInts
from discreet.gradients.encoding import (
    FEATURE_STEPS,
    EncodedRows,
    Encoding,
    NumberFeature,
    PlaceFeature,
    check_field,
    find_slices,
    round_root_up,
)
from discreet.gradients.scaled import ScaledRows, find_limits, scale_rows

MOMENT_STEPS = FEATURE_STEPS**2
"""What a product of 1 is, in whole steps."""

AT_ONCE = 1 << 14
"""Rows that are multiplied together: fewer than 2^53 / `MOMENT_STEPS`."""

MOST_CLIP = 1 << 60
"""The longest clip, in steps."""

DENSE_COST, SPARSE_COST = 15, 10
"""Nanoseconds that a row takes for each column of a dense matrix, and for each pair counted by place: measured."""

IntMatrix = NDArray[np.int64]


@dataclass(frozen=True)
class FeatureMoments:
    """All products of two entries of a row: of its features and the intercept, and of its label where that counts."""

    encoding: Encoding
    clip: int
    """How far one unit may move them in L2, in steps."""
    labelled: bool = True

    def __post_init__(self) -> None:
        if type(self.encoding) is not Encoding or type(self.labelled) is not bool:
            raise OperationError("moments are of an Encoding, with the label or without")
        check_field(self, "clip", least=MOMENT_STEPS, most=MOST_CLIP)
        label = self.encoding.label
        if self.labelled and max(-label.low, label.high) > FEATURE_STEPS:
            raise ParameterError("label", label.high, f"between -{FEATURE_STEPS} and {FEATURE_STEPS}, like a feature")

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return self.encoding.width + self.labelled

    @property
    def steps(self) -> int:
        """What 1 is, in whole steps."""
        return MOMENT_STEPS

    @property
    def entries(self) -> int:
        """How many products there are: every pair once."""
        return self.width * (self.width + 1) // 2

    @property
    def row_time(self) -> int:
        """Nanoseconds that a row may take: measured, rounded up."""
        return 1000 + 40 * self.width + self.width**2 // 30

    def describe(self) -> Json:
        """Return the form of the moments."""
        return {"moments": self.encoding.describe(), "labelled": self.labelled, "clip": self.clip}

    @cached_property
    def order(self) -> Ints:
        """Where each entry of a row in `(numbers, label, intercept, places)` belongs."""
        parts = list(zip(find_slices(self.encoding.features), self.encoding.features, strict=True))
        numbers = [part.start for part, each in parts if isinstance(each, NumberFeature)]
        placed = [at for part, each in parts if isinstance(each, PlaceFeature) for at in range(part.start, part.stop)]
        label = [self.encoding.width] * self.labelled
        return np.array([*numbers, *label, self.encoding.width - 1, *placed], dtype=np.int64)

    def sum(self, rows: EncodedRows, offsets: Ints) -> list[int]:
        """Return the sum over all units, line by line of the upper triangle, in steps.

        Rows of unit u are `rows[offsets[u]:offsets[u + 1]]`.
        """
        limits = find_limits(offsets, lambda many: find_longest(self.clip // many))
        total: WideInts = np.zeros((self.width, self.width), dtype=object)
        sizes = [each.size for each in self.encoding.features if isinstance(each, PlaceFeature)]
        for first in range(0, len(rows), AT_ONCE):
            block = rows.take(first, first + AT_ONCE)
            beside = block.labels[:, None][:, : int(self.labelled)]
            total = total + _multiply(scale_rows(block, beside, limits[first : first + AT_ONCE]), sizes)
        found = np.empty_like(total)
        found[np.ix_(self.order, self.order)] = total
        return [int(each) for each in found[np.triu_indices(self.width)]]

    def unfold(self, entries: Floats) -> Floats:
        """Return the whole matrix of an upper triangle, line by line."""
        found = np.zeros((self.width, self.width))
        found[np.triu_indices(self.width)] = entries
        return np.asarray(found + np.triu(found, 1).T)


def bound_moments(encoding: Encoding, labelled: bool = True) -> int:
    """Return how far one row moves the moments, in steps: a clip of as much, times a unit's rows, cuts nothing."""
    label = max(-encoding.label.low, encoding.label.high) if labelled else 0
    return bound_products(round_root_up(MOMENT_STEPS * (len(encoding.features) + 1) + label**2))


def bound_products(length: int) -> int:
    """Return how far a row of this length moves all products in L2, each pair once, rounded up."""
    square = length**2
    return round_root_up((square**2 + min(square, MOMENT_STEPS) * square + 1) // 2)


def find_longest(bound: int) -> int:
    """Return the longest length of a row that moves all products by at most this bound."""
    square = (math.isqrt(MOMENT_STEPS**2 + 8 * bound**2) - MOMENT_STEPS) // 2 if bound > MOMENT_STEPS else bound
    length = math.isqrt(max(0, square))
    while length and bound_products(length) > bound:
        length -= 1
    return length


def _multiply(rows: ScaledRows, sizes: list[int]) -> IntMatrix:
    """Return z' z over all rows, with z = (numbers, ones, places): whole numbers, exact."""
    plain = np.column_stack([rows.numbers, rows.ones])
    begins = plain.shape[1] + np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
    width = int(begins[-1])
    if DENSE_COST * width <= SPARSE_COST * len(sizes) * (plain.shape[1] + len(sizes)):
        dense = np.zeros((len(plain), width))
        dense[:, : plain.shape[1]] = plain
        for places, begin in zip(rows.places, begins[:-1], strict=True):
            dense[np.arange(len(plain)), begin + places] = rows.ones
        return (dense.T @ dense).astype(np.int64)
    found = np.zeros((width, width))
    found[: plain.shape[1], : plain.shape[1]] = plain.T @ plain
    weighted, squares = plain * rows.ones[:, None], rows.ones * rows.ones
    for at, (places, size) in enumerate(zip(rows.places, sizes, strict=True)):
        begin = int(begins[at])
        for column in range(plain.shape[1]):
            line = np.bincount(places, weighted[:, column], size)
            found[begin : begin + size, column] = found[column, begin : begin + size] = line
        found[np.arange(begin, begin + size), np.arange(begin, begin + size)] = np.bincount(places, squares, size)
        for other in range(at):
            both = places.astype(np.int64) * sizes[other] + rows.places[other]
            pairs = np.bincount(both, squares, size * sizes[other]).reshape(size, sizes[other])
            start = int(begins[other])
            found[begin : begin + size, start : start + sizes[other]] = pairs
            found[start : start + sizes[other], begin : begin + size] = pairs.T
    return found.astype(np.int64)
