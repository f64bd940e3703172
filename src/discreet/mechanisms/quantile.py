"""Quantiles by the exponential mechanism over ranks, with an interval that the true quantile lies in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down
from discreet.base.wide import LIMIT, integers
from discreet.mechanisms.exponential import Exponential
from discreet.privacy import Loss

INSIDE = 0.5
"""How surely, at the least, the draw of an extreme stays inside the data: for the worst data on the whole grid."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A quantile as a point of the grid, and points that it lies between with at least this confidence."""

    value: int
    low: int
    high: int
    last: int
    confidence: float

    def interval(self, confidence: float, values: int = 1) -> tuple[int, int]:
        """Return points between which the true quantile lies with this confidence, or all of `values` such quantiles.

        The one interval drawn holds up to its own confidence, so it is conservative below; beyond is the whole grid.
        """
        miss = (1 - Fraction(check.confidence(confidence))) / check.integer("values", values, least=1)
        return (self.low, self.high) if miss >= 1 - Fraction(self.confidence) else (0, self.last)


@dataclass(frozen=True)
class Quantile:
    """Draws the point of a public grid at which a share of the values lies below, likelier the nearer in rank.

    The grid is 0 .. points - 1. Of n values, L lie below a point and H at or below it; the target t is share * n. A
    point v is drawn with probability proportional to exp(-distance(v) / scale), with the distance of t from [L, H]
    (McSherry, Talwar 2007; Smith 2011), in whole numbers: all is multiplied by the share's denominator.

    Theorem: a value that is added moves every distance by at most m = max(share, 1 - share), so two of them apart by at
    most 2m, and the loss of one draw has the bounded range rows * 2m / scale (Durfee, Rogers 2019). Proof: the distance
    is max(L - t, t - H, 0); t grows by s = share, L and H by 1 at points above the value, and H by 1 at it. So L - t
    and t - H move by s below the value, by 1 - s above it, and fall by s and 1 - s at it. The bound is attained: for a
    value above the target, points between the two come nearer by s while those below the target fall behind by s. At
    the median 2m is 1; elsewhere a range of 1 does not hold.

    `rows` is how many values one unit can add or remove (twice that where neighbours replace a unit).

    Shares 0 and 1 are the minimum and the maximum. There the target is `depth` ranks inside the data, so far that all
    points outside weigh less than one at the target, whatever the data; but it is never past the middle. It grows by
    some s in [0, 1/2], or in [1/2, 1], as a value is added, so the theorem holds with m = 1.

    Interval: a part `sides` of epsilon goes to two more draws, aimed `reach` ranks below and above share * n. Their
    candidates are pieces of the grid around the value drawn before, wider the farther away, and all that lies below and
    above the grid; [L, H] are the ranks at a piece's ends, for which the theorem's proof is the same. Some candidate is
    at distance 0. Of the lower draw the piece's first point is told: if a true quantile lies below it, L is share * n
    or more, and the piece at least `reach` away. Of k pieces such a one is drawn with probability at most
    k e^(-reach / scale) (McSherry, Talwar 2007), which `reach` makes (1 - confidence) / 2; and so for the upper draw,
    of which the last point is told. A true quantile is any point with at most share * n values below it and at least as
    many at or below it. The minimum needs no draw below it, nor the maximum one above.
    """

    share: Fraction
    points: int
    epsilon: float
    rows: int = 1
    sides: Fraction = Fraction(1, 25)
    confidence: float = 0.999

    def __post_init__(self) -> None:
        epsilon = float_down(check.positive("epsilon", self.epsilon))
        sides = Fraction(check.real("sides", self.sides, least=0, below=1))
        if float_down(epsilon * sides / 2) == 0 < sides or epsilon == 0:
            raise ParameterError("epsilon", self.epsilon, "larger, so that every draw has a part of it")
        for name, value in (
            ("share", Fraction(check.real("share", self.share, least=0, most=1))),
            ("points", check.integer("points", self.points, least=1)),
            ("epsilon", epsilon),
            ("rows", check.integer("rows", self.rows, least=1)),
            ("sides", sides),
            ("confidence", float(check.confidence(self.confidence))),
        ):
            object.__setattr__(self, name, value)
        _ = self.loss()

    @classmethod
    def extreme(cls, low: bool, points: int, epsilon: float, rows: int = 1, **more: Any) -> Quantile:
        """Return the minimum, if `low`, or the maximum."""
        return cls(Fraction(0 if check.flag("low", low) else 1), points, epsilon, rows, **more)

    def release(self, cells: Mapping[int, int]) -> Drawn:
        """Draw from how many values lie at each point of the grid (points without values may be left out).

        Points beyond the grid count at its ends. Without any values every point is as likely.
        """
        table = _Table.of(cells, self.points, self._denominator, self.depth + self.reach)
        middle = self._numerator * table.total
        main = middle
        if self.depth:
            inside = min(self._denominator * self.depth, table.total)
            main += inside if self.share == 0 else -inside
        value = table.draw(main, self.main.scale)
        low, high, last = 0, self.points - 1, self.points - 1
        if self.side is not None:
            aside = self._denominator * self.reach
            if self.share > 0:
                low = min(value, table.draw_piece(value, middle - aside, self.side.scale)[0])
            if self.share < 1:
                high = max(value, table.draw_piece(value, middle + aside, self.side.scale)[1])
        return Drawn(value, low, high, last, self.confidence)

    def loss(self) -> Loss:
        """Return the loss of one release."""
        own = self.main.loss(self.sensitivity)
        return own if self.side is None else own + self.side.loss(self.sensitivity) * self._side_draws

    def rank_error(self, confidence: float) -> float:
        """Return how far the ranks of the value drawn are from the target, at most, with this confidence.

        This is `Exponential.shortfall` (McSherry, Talwar 2007) over the whole grid.
        """
        return self.main.shortfall(confidence, self.points) / self._denominator

    @cached_property
    def depth(self) -> int:
        """How many ranks inside the data an extreme is aimed: 0 for other quantiles."""
        return math.ceil(self.rank_error(INSIDE)) if self.share in (0, 1) else 0

    @cached_property
    def reach(self) -> int:
        """How many ranks below and above the target the ends of the interval are aimed."""
        if self.side is None:
            return 0
        sure = 1 - (1 - Fraction(self.confidence)) / self._side_draws
        return math.ceil(self.side.shortfall(sure, 2 * len(_steps(self.points)) + 5) / self._denominator)  # type: ignore[arg-type]

    @cached_property
    def main(self) -> Exponential:
        """The mechanism that draws the value: its scores are rank distances times the denominator."""
        spent = self._side_draws * Fraction(self._side_epsilon)
        return Exponential.calibrate(float_down(Fraction(self.epsilon) - spent), self.sensitivity)

    @cached_property
    def side(self) -> Exponential | None:
        """The mechanism that draws each end of the interval."""
        return Exponential.calibrate(self._side_epsilon, self.sensitivity) if self._side_epsilon else None

    @property
    def sensitivity(self) -> int:
        """How far one unit moves a score."""
        return self.rows * max(self._numerator, self._denominator - self._numerator)

    @property
    def _denominator(self) -> int:
        return 2 if self.share in (0, 1) else self.share.denominator

    @property
    def _numerator(self) -> int:
        return int(self.share * self._denominator)

    @property
    def _side_draws(self) -> int:
        return 1 if self.share in (0, 1) else 2

    @property
    def _side_epsilon(self) -> float:
        return float_down(self.epsilon * self.sides / self._side_draws)


@dataclass(frozen=True, slots=True)
class _Table:
    """The values: the points that have some, in order, and how many lie below each and below all, times a factor."""

    at: NDArray[Any]
    below: NDArray[Any]
    total: int
    points: int

    @classmethod
    def of(cls, cells: Mapping[int, int], points: int, factor: int, ranks: int) -> _Table:
        """Read the cells; machine integers hold them unless they, or `ranks` more values, are too many."""
        if not isinstance(cells, Mapping):
            raise ParameterError.of_data("cells", cells, "a mapping from grid points to how many values each has")
        at, counts = _whole(list(cells.keys())), np.maximum(_whole(list(cells.values())), 0)
        at = np.minimum(np.maximum(at if points < LIMIT else at.astype(object), 0), points - 1)
        total = sum(counts.tolist())
        kind = np.int64 if points < LIMIT and factor * (total + ranks) < LIMIT // 2 else object
        at, counts = at[counts > 0], counts[counts > 0]
        order = np.argsort(at, kind="stable")
        at, counts = at[order].astype(kind), counts[order].astype(kind)
        if len(at):
            fresh = np.flatnonzero(np.concatenate([[True], at[1:] != at[:-1]]))
            at, counts = at[fresh], np.add.reduceat(counts, fresh)
        below = np.concatenate([np.zeros(1, kind), np.cumsum(counts, dtype=kind)]) * factor
        return cls(at, below, total, points)

    def draw(self, target: int, scale: float) -> int:
        """Draw a point by its ranks' distance from the target.

        Each point with values is one piece, and each gap between two of them is another, as heavy as it is wide.
        """
        gaps = np.concatenate([np.zeros(1, self.at.dtype), self.at + 1])
        ends = np.concatenate([self.at, np.array([self.points], self.at.dtype)])
        widths = np.concatenate([ends - gaps, np.ones_like(self.at)])
        full = np.flatnonzero(widths > 0)
        low, high = (np.concatenate([self.below, side])[full] for side in (self.below[:-1], self.below[1:]))
        weights = widths[full].tolist()
        chosen = noise.gumbel_argmax(-_distances(low, high, target), scale, weights)
        return int(np.concatenate([gaps, self.at])[full[chosen]]) + int(noise.uniform_int(weights[chosen]))

    def draw_piece(self, center: int, target: int, scale: float) -> tuple[int, int]:
        """Draw one of the pieces around a point, each as heavy, or what lies below or above all; return its ends."""
        outward = (0, *_steps(self.points))
        edges = sorted(
            {0, self.points}
            | {max(center - step, 0) for step in outward}
            | {min(center + 1 + step, self.points) for step in outward}
        )
        ranks = self.below[np.searchsorted(self.at, np.array(edges, self.at.dtype))]
        first, last = (np.array([rank], ranks.dtype) for rank in (min(target, 0), max(target, int(self.below[-1]))))
        low, high = np.concatenate([first, ranks]), np.concatenate([ranks, last])
        chosen = noise.gumbel_argmax(-_distances(low, high, target), scale)
        return edges[max(chosen - 1, 0)], edges[min(chosen, len(edges) - 1)] - 1


def _distances(low: NDArray[Any], high: NDArray[Any], target: int) -> NDArray[Any]:
    """Return how far the target is from each interval of ranks."""
    found: NDArray[Any] = np.maximum(np.maximum(low - target, target - high), 0)
    return found


@lru_cache(maxsize=1 << 10)
def _steps(points: int) -> tuple[int, ...]:
    """Return distances 1, 2, 3 and so on, each up to 3/16 more than the one before, below the size of the grid."""
    found = [1]
    while found[-1] < points:
        found.append(max(found[-1] + 1, found[-1] * 19 // 16))
    return tuple(found[:-1])


def _whole(entries: list[Any]) -> NDArray[Any]:
    """Return integers as an int64 array, or as one of Python ints where some are larger."""
    try:
        array = np.array(entries)
    except (ValueError, OverflowError):
        array = np.array(entries, dtype=object)
    if array.dtype == np.int64 and array.ndim == 1:
        return array
    found = integers("cells", entries)
    if isinstance(found, int) or found.ndim != 1:
        raise ParameterError.of_data("cells", entries, "a mapping from grid points to how many values each has")
    return found
