"""Means, variances and interquartile ranges of values that nobody bounded: the bounds are found privately."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.base import check
from discreet.base.rounding import float_down
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.sorted_values import SortedValues
from discreet.privacy import Loss, Neighbours, PureLoss

REACH = 2**40
"""Values are held within this many grid points of 0: a million million."""

FINE = 2**20
"""Squares are counted in parts of the largest: a millionth."""

HALF, QUARTER, MOST = Fraction(1, 2), Fraction(1, 4), Fraction(9, 10)


@dataclass(frozen=True)
class Located:
    """What was released: a center, a radius around it, how many values there are, and the sums around the center.

    Values further from the center than the radius counted as at that distance: the mean is that of values so held.
    """

    center: int
    radius: int
    count: int
    total: int
    squares: int

    @property
    def mean(self) -> float:
        """The mean of the values, in grid points."""
        return float(self.center + Fraction(self.total, max(1, self.count)))

    @property
    def variance(self) -> float:
        """Their variance, in squared grid points: never negative."""
        size = max(1, self.count)
        second = Fraction(max(0, self.squares) * self.radius**2, FINE * size)
        return float(max(Fraction(0), second - Fraction(self.total, size) ** 2))


@dataclass(frozen=True)
class UnboundedMean:
    """The mean and the variance of whole numbers without bounds: pure epsilon-differential privacy.

    In the spirit of Dong and Yi (2023), whose estimators err less; from mechanisms that are here. A private median is
    the center; four times a private quantile of the distances from it, by powers of two, is the radius; then come a
    noisy count, and noisy sums of the distances and of their squares, held within the radius.

    Theorem. Each of the five is private for one fifth of epsilon, given what came before it: the first two are
    `Quantile`; given a public radius r one unit moves the count by at most `rows`, the sum by rows * r, and the sum of
    squares, in parts of r^2 / 2^20 rounded down, by rows * 2^20 (twice that where neighbours replace a unit). Pure
    losses add up under adaptive composition (Dwork, McSherry, Nissim, Smith 2006). No size, bound or scale comes from
    the data but through these releases.
    """

    epsilon: float
    rows: int = 1
    neighbours: str = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        fitting_scale(4 * REACH * self.moved / self.part, "epsilon", self.epsilon)  # so that no radius is too large

    @property
    def moved(self) -> int:
        """How many values one unit adds or removes."""
        return self.rows if self.neighbours == Neighbours.ADD_REMOVE else 2 * self.rows

    @cached_property
    def part(self) -> float:
        """The epsilon of each of the five releases."""
        return float_down(Fraction(self.epsilon) / 5)

    def release(self, values: Any) -> Located:
        """Return the five numbers, with their noise."""
        held = [int(value) for value in SortedValues.of(values, -REACH, REACH).values]
        center = find_quantile(held, HALF, self.part, self.moved)
        around = [value - center for value in held]
        radius = self._find_radius(around)
        kept = [max(-radius, min(radius, value)) for value in around]
        return Located(
            center,
            radius,
            self._add_noise(len(kept), 1),
            self._add_noise(sum(kept), radius),
            self._add_noise(sum(value * value * FINE // radius**2 for value in kept), FINE),
        )

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return PureLoss(Fraction(self.part) * 5)

    def _find_radius(self, around: list[int]) -> int:
        """Return four times the power of two within which nine tenths of the distances lie.

        An extreme would be drawn far too large now and then; a tenth of the values keeps it from that.
        """
        digits = Counter(abs(value).bit_length() for value in around)
        points = (2 * REACH).bit_length() + 1
        drawn = Quantile(MOST, points, self.part, self.moved, sides=Fraction(0)).release(digits)
        return int(min(4 * 2**drawn.value, 2 * REACH))

    def _add_noise(self, exact: int, each: int) -> int:
        """Return a sum to which one value adds at most `each`, with noise."""
        return int(Laplace.calibrate(self.part, each * self.moved).release(exact))


def find_quantile(held: list[int], share: Fraction, epsilon: float, rows: int) -> int:
    """Return a private quantile of whole numbers within the reach: its error is in ranks, whatever the reach."""
    cells = Counter(value + REACH for value in held)
    return Quantile(share, 2 * REACH + 1, epsilon, rows, sides=Fraction(0)).release(cells).value - REACH


@dataclass(frozen=True)
class InterquartileRange:
    """The distance of the two quartiles of whole numbers without bounds: two `Quantile` draws, half of epsilon each."""

    epsilon: float
    rows: int = 1
    neighbours: str = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))

    @cached_property
    def part(self) -> float:
        """The epsilon of each quartile."""
        return float_down(Fraction(self.epsilon) / 2)

    def release(self, values: Any) -> int:
        """Return the distance of the quartiles drawn; 0 where they come out in the wrong order."""
        held = [int(value) for value in SortedValues.of(values, -REACH, REACH).values]
        moved = self.rows if self.neighbours == Neighbours.ADD_REMOVE else 2 * self.rows
        first, last = (find_quantile(held, share, self.part, moved) for share in (QUARTER, 1 - QUARTER))
        return max(0, last - first)

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return PureLoss(Fraction(self.part) * 2)
