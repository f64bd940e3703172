"""Dong and Yi's universal estimators: means, variances and interquartile ranges of values that nobody bounded.

Each is pure and needs no guess of where values lie or how far they spread (Dong, Yi 2023, "Universal private
estimators"). Theirs are for a public number of values of which one is replaced; here that number is private, one unit
has up to `rows` values, and both neighbour relations hold. Their sample of epsilon n values, in which the range of a
mean is looked for, is left out: the sparse vector's noise leaves out as large a share of the tails of all values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.sorted_values import SortedValues
from discreet.mechanisms.robust.unbounded import FINE, REACH
from discreet.mechanisms.robust.universal_parts import (
    TOP,
    WholePoints,
    draw_quantile,
    find_radius,
    find_range,
    find_scale,
    make_radius_run,
    make_scale_run,
    pair_up,
)
from discreet.privacy import Loss, Neighbours, PureLoss

BUCKETS = 2**14
"""Quartiles are looked for in parts of a private scale: theirs are a part in n, but here n is private."""

Shares = tuple[Fraction, ...]


@dataclass(frozen=True)
class _Universal(ABC):
    """What the three have in common: how epsilon is shared out, and what neighbours do."""

    epsilon: float
    rows: int = 1
    neighbours: str = Neighbours.ADD_REMOVE

    shares: ClassVar[Shares]
    """Of epsilon, for one private step after another; they add up to 1."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        try:
            self._make_all()
        except ParameterError:
            wanted = "larger, so that the noise of every step can be drawn"
            raise ParameterError("epsilon", self.epsilon, wanted) from None

    @abstractmethod
    def _make_all(self) -> None:
        """Make every mechanism of a release for the largest numbers that can come: what cannot run is refused now.

        Once values are seen it would be too late: whether noise is too large must not follow a radius that was drawn.
        """

    def _make_range(self, parts: tuple[float, ...]) -> None:
        make_radius_run(parts[0], self.rows)
        Quantile(Fraction(1, 2), 2 * REACH + 1, parts[1], self.moved, sides=Fraction(0))
        make_radius_run(parts[2], self.rows)

    @property
    def moved(self) -> int:
        """How many values one unit adds or removes: a replaced value is two of them."""
        return self.rows if self.neighbours == Neighbours.ADD_REMOVE else 2 * self.rows

    @property
    def parts(self) -> tuple[float, ...]:
        """The epsilon of each step."""
        return tuple(float_down(Fraction(self.epsilon) * share) for share in self.shares)

    def loss(self) -> Loss:
        """Return the loss of one release: pure losses of steps that see what came before add up."""
        return PureLoss(sum(Fraction(part) for part in self.parts))

    def _hold(self, values: Any) -> WholePoints:
        return SortedValues.of(values, -REACH, REACH).values


def _add_noise(exact: int, moved: int, epsilon: float) -> int:
    """Return a whole number that one unit moves by at most so much, with noise."""
    return int(Laplace.calibrate(epsilon, moved).release(exact))


@dataclass(frozen=True)
class HeldMean:
    """What was released for a mean: a center, a radius, how many values there are, and their sum around the center."""

    center: int
    radius: int
    count: int
    total: int

    @property
    def mean(self) -> float:
        """The mean of values held within the radius, in grid points."""
        return float(self.center + Fraction(self.total, max(1, self.count)))


@dataclass(frozen=True)
class UniversalMean(_Universal):
    """The mean of whole numbers without bounds: pure epsilon-differential privacy.

    A private range of at most four times the values' width (`find_range`), then a noisy count and a noisy sum of
    distances from the center, held within the radius.

    Theorem. The five steps are private for their shares of epsilon, each given those before it: a unit adds or removes
    up to `rows` values, or replaces as many, so that it moves the count by at most `rows` and the sum by rows * radius
    (2 rows * radius where it replaces them). The error is O(width log log width / (epsilon n)): that of noise for a
    range that somebody knew, but for the logarithms.
    """

    shares: ClassVar[Shares] = (Fraction(1, 8), Fraction(1, 8), Fraction(1, 4), Fraction(1, 8), Fraction(3, 8))

    def _make_all(self) -> None:
        self._make_range(self.parts[:3])
        Laplace.calibrate(self.parts[3], self.rows)
        Laplace.calibrate(self.parts[4], self.moved << TOP)

    def release(self, values: Any) -> HeldMean:
        """Return the four numbers, with their noise."""
        held = self._hold(values)
        first, middle, last, counting, adding = self.parts
        center, radius = find_range(held, (first, middle, last), self.rows, self.moved)
        around = (held - center).clip(-radius, radius)
        count = _add_noise(len(held), self.rows, counting)
        return HeldMean(center, radius, count, _add_noise(sum(around.tolist()), self.moved * radius, adding))


@dataclass(frozen=True)
class PairedSquares:
    """What was released for a variance: a radius, how many pairs there are, and the sum of their squares in `unit`s."""

    radius: int
    count: int
    total: int

    @property
    def unit(self) -> int:
        """What squares are counted in: a millionth of the largest, or 1."""
        return find_unit(self.radius)

    @property
    def variance(self) -> float:
        """Half the mean squared distance of two values, in squared grid points: never negative."""
        return float(Fraction(max(0, self.total) * self.unit, 2 * max(1, self.count)))


def find_unit(radius: int) -> int:
    """Return what squared distances within a radius are counted in."""
    return max(1, radius**2 // FINE)


@dataclass(frozen=True)
class UniversalVariance(_Universal):
    """The variance of whole numbers without bounds: pure epsilon-differential privacy.

    Half the mean squared distance of two values drawn at random is the variance; no mean is needed. Values are paired
    at random, a private radius of the distances is found, and the squares of what is held within it are added up.

    Theorem. One step of a neighbour (a value added, removed or replaced) changes one pair (the lemma of
    `universal_parts`): it moves the radius's questions as `find_radius` says, the number of pairs by at most 1, and the
    sum of squares, each between 0 and radius^2 and rounded down to its unit, by at most radius^2 / unit. There are
    `rows` steps, under both relations. Given the pairs, the three are private for their shares of epsilon one after
    another; and random pairs lose no more than any fixed ones.
    """

    shares: ClassVar[Shares] = (Fraction(1, 4), Fraction(1, 8), Fraction(5, 8))

    def _make_all(self) -> None:
        make_radius_run(self.parts[0], self.rows)
        Laplace.calibrate(self.parts[1], self.rows)
        Laplace.calibrate(self.parts[2], 2 * FINE * self.rows)  # no radius has more units in its square

    def release(self, values: Any) -> PairedSquares:
        """Return the three numbers, with their noise."""
        distances = pair_up(self._hold(values))
        finding, counting, adding = self.parts
        radius = find_radius(distances, finding, self.rows)
        unit = find_unit(radius)
        total = sum(each * each // unit for each in distances.clip(0, radius).tolist())
        count = _add_noise(len(distances), self.rows, counting)
        return PairedSquares(radius, count, _add_noise(total, self.rows * (radius**2 // unit), adding))


@dataclass(frozen=True)
class DrawnQuartiles:
    """What was released for an interquartile range: both quartiles, in buckets of this many grid points."""

    bucket: int
    first: int
    last: int

    @property
    def width(self) -> int:
        """The distance of the quartiles in grid points; 0 where they come out in the wrong order."""
        return max(0, self.last - self.first) * self.bucket


@dataclass(frozen=True)
class UniversalQuartiles(_Universal):
    """The distance of the quartiles of whole numbers without bounds: pure epsilon-differential privacy.

    A private scale, from the distances of random pairs, says how finely values are looked at; a private range where
    they are; then either quartile is drawn by ranks within it.

    Theorem. The six steps are private for their shares of epsilon, each given those before it (`find_scale`,
    `find_range`, `Quantile`): putting values into buckets of a size that was released is done value by value. The error
    is O(log(2^14 width / interquartile range) / epsilon) ranks: neither the grid's fineness nor its reach matters.
    """

    shares: ClassVar[Shares] = (*[Fraction(1, 12)] * 4, Fraction(1, 3), Fraction(1, 3))

    def _make_all(self) -> None:
        make_scale_run(self.parts[0], self.rows)
        self._make_range(self.parts[1:4])
        for part in self.parts[4:]:
            Quantile(Fraction(1, 4), 2 * (1 << TOP) + 1, part, self.moved, sides=Fraction(0))

    def release(self, values: Any) -> DrawnQuartiles:
        """Return the buckets' size and both quartiles that are drawn."""
        held = self._hold(values)
        parts = self.parts
        bucket = max(1, find_scale(pair_up(held), parts[0], self.rows) // BUCKETS)
        places = (held + bucket // 2) // bucket
        center, radius = find_range(places, (parts[1], parts[2], parts[3]), self.rows, self.moved)
        first, last = (
            draw_quantile(places, share, center, radius, part, self.moved)
            for share, part in ((Fraction(1, 4), parts[4]), (Fraction(3, 4), parts[5]))
        )
        return DrawnQuartiles(bucket, first, last)
