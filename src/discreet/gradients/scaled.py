"""Rows that are scaled down to a length, in whole numbers, each by itself.

A unit has m rows, and may move a sum by so much. So each of its rows gets a longest length, a function of m and of
public facts, and a row that is longer is scaled down: with a its length rounded up and t the longest allowed, each
entry x becomes sign(x) floor(|x| t / a). Then the squares add up to at most t^2, which is checked in whole numbers; a
row that failed would count as nothing.

What a row becomes depends on the row and on how many rows its unit has, to the last bit: a unit's absence leaves all
others as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, PlaceArray, round_roots_up

LONGEST = 1 << 30
"""Longer than every row: its square is a whole number of 64 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class ScaledRows:
    """Rows in whole numbers held by floats: `ones` stands at a row's places and at its intercept."""

    numbers: Floats
    """Features that are numbers, and what else a sum needs beside them: a column each."""
    ones: Floats
    places: PlaceArray


def find_limits(offsets: Ints, limit: Callable[[int], int]) -> Ints:
    """Return the longest length that each row may have, from how many rows its unit has."""
    counts = np.diff(offsets)
    sizes, where = np.unique(counts, return_inverse=True)
    found = np.array([limit(max(1, size)) for size in sizes.tolist()], dtype=np.int64)
    return np.asarray(np.repeat(found[where], counts), dtype=np.int64)


def scale_rows(rows: EncodedRows, beside: Ints, limits: Ints) -> ScaledRows:
    """Return rows with more columns beside their numbers, none longer than its limit, the intercept included.

    Entries are at most `FEATURE_STEPS`, so all squares are exact in floats, and all products in whole numbers.
    """
    numbers = np.hstack([rows.numbers, beside.astype(np.float64)])
    ones = np.full(len(numbers), float(FEATURE_STEPS))
    counted = len(rows.places) + 1
    lengths = round_roots_up(_square(numbers, ones, counted))
    over = np.flatnonzero(lengths > limits)
    if len(over):
        numbers[over] = _floor_ratio(numbers[over], limits[over, None], lengths[over, None])
        ones[over] = _floor_ratio(ones[over], limits[over], lengths[over])
    failed = _square(numbers, ones, counted) > np.minimum(limits, LONGEST) ** 2
    if failed.any():
        numbers[failed], ones[failed] = 0.0, 0.0
    return ScaledRows(numbers, ones, rows.places)


def _square(numbers: Floats, ones: Floats, counted: int) -> Ints:
    """Return the square of each row's length; `ones` stands there so many times."""
    return np.asarray((numbers * numbers).sum(axis=1) + counted * ones * ones, dtype=np.int64)


def _floor_ratio(values: Floats, allowed: Ints, lengths: Ints) -> Floats:
    """Return values times allowed over lengths, rounded towards zero, in whole numbers."""
    whole = np.abs(values).astype(np.int64) * allowed // lengths
    return np.asarray(np.sign(values) * whole)
