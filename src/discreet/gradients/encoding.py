"""Features on integer grids: what a row's grid points become before a gradient is computed.

A number is scaled to [-1, 1] by public bounds and held as a whole number of at most `FEATURE_STEPS`. A place (a
category, or a bin) has a weight of its own for each value, and is 1 there. Everything is computed from one row's points
and from public facts, in whole numbers: no other row can change it.

**How long a row is.** The squares of a row's features add up to at most `FEATURE_STEPS`^2 for each feature, whatever
the row holds: a row of f features, with the intercept, is no longer than `FEATURE_STEPS` * sqrt(f + 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints

FEATURE_STEPS = 1 << 12
"""What a feature of 1 is, in whole steps."""

PlaceArray = NDArray[np.int32]


def check_field(holder: object, name: str, *, least: int, most: int | None = None) -> None:
    """Hold a field of a frozen value to a whole number of Python's own: others wrap where they grow."""
    object.__setattr__(holder, name, check.integer(name, getattr(holder, name), least=least, most=most))


@dataclass(frozen=True, slots=True)
class NumberFeature:
    """A number between two grid points, scaled to [-1, 1], or to [0, 1] with the lower one at 0."""

    column: int
    lower: int
    upper: int
    centred: bool = True

    def __post_init__(self) -> None:
        check_field(self, "column", least=0)
        check_field(self, "lower", least=-(1 << 40), most=1 << 40)
        check_field(self, "upper", least=self.lower + 1, most=1 << 40)

    @property
    def width(self) -> int:
        """One weight."""
        return 1

    def scale(self, points: Ints) -> Floats:
        """Return features of at most `FEATURE_STEPS`: whole numbers, rounded towards zero."""
        held = np.clip(points, self.lower, self.upper)
        if self.centred:
            doubled = 2 * held - (self.lower + self.upper)
            size = np.abs(doubled) * FEATURE_STEPS // (self.upper - self.lower)
            return np.asarray(np.sign(doubled) * size, dtype=np.float64)
        return np.asarray((held - self.lower) * FEATURE_STEPS // (self.upper - self.lower), dtype=np.float64)

    def describe(self) -> Json:
        """Return the form of the feature."""
        return {"number": self.column, "between": [self.lower, self.upper], "centred": self.centred}


@dataclass(frozen=True, slots=True)
class PlaceFeature:
    """One of so many places, the first at a public point: a weight for each. What is beyond counts as the nearest."""

    column: int
    size: int
    first: int = 0

    def __post_init__(self) -> None:
        check_field(self, "column", least=0)
        check_field(self, "size", least=1, most=1 << 20)
        check_field(self, "first", least=-(1 << 40), most=1 << 40)

    @property
    def width(self) -> int:
        """One weight for each place."""
        return self.size

    def describe(self) -> Json:
        """Return the form of the feature."""
        return {"places": self.column, "size": self.size, "first": self.first}

    def locate(self, points: Ints) -> Ints:
        """Return places, counted from 0."""
        return np.asarray(np.clip(points, self.first, self.first + self.size - 1) - self.first)


@dataclass(frozen=True, slots=True)
class LabelColumn:
    """What is predicted: points from `lower` to `upper`, sent evenly to whole numbers from `low` to `high`."""

    column: int
    lower: int
    upper: int
    low: int
    high: int

    def __post_init__(self) -> None:
        check_field(self, "column", least=0)
        check_field(self, "lower", least=-(1 << 40), most=1 << 40)
        check_field(self, "upper", least=self.lower + 1, most=1 << 40)
        check_field(self, "low", least=-(1 << 20), most=1 << 20)
        check_field(self, "high", least=self.low, most=1 << 20)

    def scale(self, points: Ints) -> Ints:
        """Return labels, rounded down to whole numbers; points beyond count as the nearest."""
        held = np.clip(points, self.lower, self.upper) - self.lower
        return np.asarray(held * (self.high - self.low) // (self.upper - self.lower) + self.low)

    def describe(self) -> Json:
        """Return the form of the label."""
        return {"label": self.column, "between": [self.lower, self.upper], "to": [self.low, self.high]}


Feature = NumberFeature | PlaceFeature


@dataclass(frozen=True, slots=True)
class Encoding:
    """The features of a row in the order of their weights, the intercept last, and its label."""

    features: tuple[Feature, ...]
    label: LabelColumn

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features or any(type(each) not in (NumberFeature, PlaceFeature) for each in self.features):
            raise ParameterError("features", self.features, "at least one NumberFeature or PlaceFeature")
        if type(self.label) is not LabelColumn:
            raise ParameterError("label", self.label, "a LabelColumn")

    @property
    def width(self) -> int:
        """How many weights one output has, the intercept's included."""
        return sum(each.width for each in self.features) + 1

    @property
    def columns(self) -> int:
        """How many columns of points are needed."""
        return max(self.label.column, *(each.column for each in self.features)) + 1

    @property
    def longest(self) -> int:
        """How long a row's features can be, in steps, rounded up."""
        return round_root_up(FEATURE_STEPS**2 * (len(self.features) + 1))

    def describe(self) -> Json:
        """Return the form of the encoding."""
        return {"features": [each.describe() for each in self.features], "label": self.label.describe()}

    def encode(self, points: Ints) -> EncodedRows:
        """Return the features of rows of points."""
        numbers = [each for each in self.features if isinstance(each, NumberFeature)]
        placed = [each for each in self.features if isinstance(each, PlaceFeature)]
        matrix = np.empty((len(points), len(numbers)))
        for at, number in enumerate(numbers):
            matrix[:, at] = number.scale(points[:, number.column])
        places = np.empty((len(placed), len(points)), dtype=np.int32)
        for at, place in enumerate(placed):
            places[at] = place.locate(points[:, place.column])
        squares = FEATURE_STEPS**2 * (len(placed) + 1) + (matrix * matrix).sum(axis=1).astype(np.int64)
        return EncodedRows(
            self, matrix, places, round_roots_up(squares), self.label.scale(points[:, self.label.column])
        )


@dataclass(frozen=True, slots=True, eq=False)
class EncodedRows:
    """Rows as features: whole numbers in floats, places of each feature that has them, lengths, and labels.

    Sums of squares of whole numbers below 2^12 are exact in floats for up to 2^29 of them.
    """

    encoding: Encoding
    numbers: Floats
    places: PlaceArray
    lengths: Ints
    """How long each row's features are, rounded up, the intercept included."""
    labels: Ints

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, first: int, last: int) -> EncodedRows:
        """Return some of the rows."""
        return EncodedRows(
            self.encoding,
            self.numbers[first:last],
            self.places[:, first:last],
            self.lengths[first:last],
            self.labels[first:last],
        )


def find_slices(features: Sequence[Feature]) -> list[slice]:
    """Return which weights belong to each feature."""
    found, begin = [], 0
    for each in features:
        found.append(slice(begin, begin + each.width))
        begin += each.width
    return found


def round_root_up(square: int) -> int:
    """Return the least whole number whose square is not below this one."""
    root = math.isqrt(square)
    return root + (root * root < square)


def round_roots_up(squares: Ints) -> Ints:
    """Return the least whole numbers whose squares are not below these, which are below 2^62."""
    roots: Ints = np.sqrt(squares.astype(np.float64)).astype(np.int64)  # off by one at most, which whole numbers tell
    roots -= roots * roots > squares
    roots += roots * roots < squares
    return roots
