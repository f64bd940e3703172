"""Sums over the rows of each group: how many rows, their features and, where asked for, the features' squares.

A row belongs to one group: the class that its label names, or the public centre that is nearest. It adds
v = (1, its features, and for each number x also x^2 - 1/2) to its own group and nothing to others, so all groups
together are moved by no more than |v| (a row changes one group only, and a unit's rows add up by the triangle
inequality). Squares are centred because x^2 + (x^2 - 1/2)^2 <= 5/4, where x^2 + x^4 could be 2.

A row's group is a function of its own whole numbers: of its label, or of the exact products of its features with the
whole numbers of centres, all below 2^53. Of centres that are equally near the first counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.base import check
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
from discreet.gradients.scaled import find_limits, scale_rows

AT_ONCE = 1 << 14
MOST_GROUPS = 1 << 10
MOST_WIDTH = 1 << 20


@dataclass(frozen=True, slots=True)
class LabelGroups:
    """Groups by label, from 0 on; a row with any other label belongs to none, and counts as nothing."""

    count: int

    def __post_init__(self) -> None:
        check_field(self, "count", least=1, most=MOST_GROUPS)

    def find(self, rows: EncodedRows) -> Ints:
        """Return each row's group, or -1."""
        return np.where((rows.labels >= 0) & (rows.labels < self.count), rows.labels, -1)

    def check(self, encoding: Encoding) -> None:
        """Refuse what does not fit the encoding."""

    def describe(self) -> Json:
        """Return the form of the groups."""
        return {"labels": self.count}


@dataclass(frozen=True, slots=True)
class NearestGroups:
    """Groups by the nearest of public centres, in steps of features: a line for each."""

    centres: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.centres) <= MOST_GROUPS:
            raise ParameterError("centres", len(self.centres), f"between 1 and {MOST_GROUPS}")
        held = tuple(
            tuple(check.integer("centre", each, least=-FEATURE_STEPS, most=FEATURE_STEPS) for each in centre)
            for centre in self.centres
        )
        object.__setattr__(self, "centres", held)

    @property
    def count(self) -> int:
        """How many groups there are."""
        return len(self.centres)

    def find(self, rows: EncodedRows) -> Ints:
        """Return each row's group: the one with the largest 2 x c - |c|^2, which is |x|^2 less the distance's square.

        With at most 2^20 entries of at most 2^12 every sum is below 2^46.
        """
        parts = list(zip(find_slices(rows.encoding.features), rows.encoding.features, strict=True))
        centres = np.array(self.centres, dtype=np.float64)
        numbers = [part.start for part, each in parts if isinstance(each, NumberFeature)]
        scores: Floats = 2.0 * (rows.numbers @ centres[:, numbers].T)
        for places, part in zip(
            rows.places, [part for part, each in parts if isinstance(each, PlaceFeature)], strict=True
        ):
            scores += (2.0 * FEATURE_STEPS * centres[:, part].T)[places]
        scores -= (centres * centres).sum(axis=1)
        return np.asarray(scores.argmax(axis=1), dtype=np.int64)

    def check(self, encoding: Encoding) -> None:
        """Refuse what does not fit the encoding."""
        if any(len(centre) != encoding.width - 1 for centre in self.centres):
            raise ParameterError("centres", self.centres, f"of {encoding.width - 1} numbers, as the features are")

    def describe(self) -> Json:
        """Return the form of the groups."""
        return {"nearest": [list(centre) for centre in self.centres]}


@dataclass(frozen=True)
class FeatureSums:
    """For each group its rows, their features and, where asked for, the centred squares of those that are numbers."""

    encoding: Encoding
    groups: LabelGroups | NearestGroups
    clip: int
    """How far one unit may move them in L2, in steps."""
    squares: bool = False

    def __post_init__(self) -> None:
        if type(self.encoding) is not Encoding or type(self.groups) not in (LabelGroups, NearestGroups):
            raise OperationError("grouped sums are of an Encoding, by LabelGroups or NearestGroups")
        if type(self.squares) is not bool:
            raise ParameterError("squares", self.squares, "True or False")
        check_field(self, "clip", least=FEATURE_STEPS, most=1 << 60)
        if self.width > MOST_WIDTH:
            raise ParameterError("features", self.width, f"at most {MOST_WIDTH:,} numbers for each group")
        self.groups.check(self.encoding)

    @property
    def width(self) -> int:
        """How many numbers a group has: features, rows, and squares."""
        return self.encoding.width + self.squares * count_numbers(self.encoding)

    @property
    def steps(self) -> int:
        """What 1 is, in whole steps."""
        return FEATURE_STEPS

    @property
    def entries(self) -> int:
        """How many numbers there are in all."""
        return self.width * self.groups.count

    @property
    def row_time(self) -> int:
        """Nanoseconds that a row may take: measured, rounded up."""
        near = isinstance(self.groups, NearestGroups)
        return 1000 + len(self.encoding.features) * 150 + near * self.groups.count * (20 + len(self.encoding.features))

    def describe(self) -> Json:
        """Return the form of the sums."""
        return {
            "grouped": self.encoding.describe(),
            "groups": self.groups.describe(),
            "squares": self.squares,
            "clip": self.clip,
        }

    @cached_property
    def _parts(self) -> list[slice]:
        return find_slices(self.encoding.features)

    def sum(self, rows: EncodedRows, offsets: Ints) -> list[int]:
        """Return the sums of all units, group by group, in steps: features, then rows, then squares."""
        limits = find_limits(offsets, lambda many: self.clip // many)
        total: WideInts = np.zeros((self.groups.count, self.width), dtype=object)
        for first in range(0, len(rows), AT_ONCE):
            block = rows.take(first, first + AT_ONCE)
            total = total + self._sum_block(block, limits[first : first + AT_ONCE])
        return [int(each) for each in total.ravel()]

    def _sum_block(self, rows: EncodedRows, limits: Ints) -> Ints:
        """Return the sums of some rows: whole numbers below 2^26 each, so sums of a block are exact in floats."""
        count, numbers = self.groups.count, rows.numbers.shape[1]
        held = rows.numbers.astype(np.int64)
        beside = held * held // FEATURE_STEPS - FEATURE_STEPS // 2
        scaled = scale_rows(rows, beside if self.squares else beside[:, :0], limits)
        groups = self.groups.find(rows)
        kept = groups >= 0
        groups, ones = groups[kept], scaled.ones[kept]
        found = np.zeros((count, self.width))
        for at in range(scaled.numbers.shape[1]):
            line = np.bincount(groups, scaled.numbers[kept, at], count)
            found[:, self._find_column(at, numbers)] = line
        placed = [part for part, each in zip(self._parts, self.encoding.features, strict=True) if _is_placed(each)]
        for places, part in zip(rows.places, placed, strict=True):
            size = part.stop - part.start
            found[:, part] = np.bincount(groups * size + places[kept], ones, count * size).reshape(count, size)
        found[:, self.encoding.width - 1] = np.bincount(groups, ones, count)
        return found.astype(np.int64)

    def _find_column(self, at: int, numbers: int) -> int:
        if at >= numbers:
            return self.encoding.width + at - numbers
        starts = [
            part.start for part, each in zip(self._parts, self.encoding.features, strict=True) if not _is_placed(each)
        ]
        return int(starts[at])


def bound_groups(encoding: Encoding, squares: bool = False) -> int:
    """Return how far one row moves grouped sums, in steps: a clip of as much, times a unit's rows, cuts nothing."""
    numbers = count_numbers(encoding)
    quarter = FEATURE_STEPS**2 // 4
    return round_root_up(4 * quarter * (len(encoding.features) + 1) + squares * numbers * quarter)


def bound_mean_noise(counted: Floats, sigma: float) -> Floats:
    """Return a bound on the standard deviation of the noise in each group's means, from noisy numbers of rows.

    With noises e and f of deviation sigma on a sum and on the number n, the mean m moves by (e - m f) / n to first
    order, and |m| is at most 1. Nothing is known of a mean beyond that: the bound is at most 1.
    """
    return np.asarray(np.minimum(math.sqrt(2) * sigma / np.maximum(counted, max(sigma, 1.0)), 1.0))


def count_numbers(encoding: Encoding) -> int:
    """Return how many features are numbers."""
    return sum(isinstance(each, NumberFeature) for each in encoding.features)


def _is_placed(feature: object) -> bool:
    return isinstance(feature, PlaceFeature)
