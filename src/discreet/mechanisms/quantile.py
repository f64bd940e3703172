"""Quantiles drawn by ranks, with an interval that the true quantile lies in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.cells import Cells
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_down, ratio_up, rounded_down
from discreet.base.wide import LIMIT, integers
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.laplace_sums import bound_sum
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.privacy import Loss, PureLoss

INSIDE = 0.5
"""How surely, at the least, the draw of an extreme stays inside the data: for the worst data on the whole grid."""

CORE = Fraction(5, 2)
"""How many scales a value's ranks are narrowed by on each side, at most."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A quantile as a point of the grid, and noisy counts of the pieces around it (none: there is no interval).

    The noise of each count is discrete Laplace of this scale.
    """

    value: int
    points: int
    share: Fraction
    scale: float = 0.0
    counts: tuple[int, ...] = ()

    def interval(self, confidence: float, values: int = 1) -> tuple[int, int]:
        """Return points between which the true quantile lies with this confidence, or all of `values` such quantiles.

        Theorem. A true quantile is any point with at most share * n values below it, and at least as many at or below.
        For an edge e between pieces let G(e) = (1 - share) * below(e) - share * above(e), with the values below e and
        at or above it: where G(e) > 0 all quantiles are below e, and where G(e) < 0 none is. G never falls as e grows.
        Its noisy value is off by a sum of noises with known factors; let Pr[that sum > z] <= miss / 2. The upper end
        is the least edge from which on *every* edge has a noisy G above its z (minus one point). It is too low only if
        the last edge with G <= 0, which no noise decides, is one of these, hence with probability at most miss / 2.
        So no union over edges is needed. The lower end is the same from the other side.
        """
        miss = (1 - Fraction(check.confidence(confidence))) / check.integer("values", values, least=1)
        if not self.counts:
            return 0, self.points - 1
        edges, (over, under) = list_edges(self.value, self.points), self._factors
        most, total, below = len(self.counts), sum(self.counts), 0
        ranks, reaches = [], []
        for place, count in enumerate(self.counts[:-1]):
            below += count
            ranks.append(over * below - under * (total - below))
            reaches.append(bound_sum(self.scale, ((over, place + 1), (under, most - place - 1)), float(miss / 2)))
        low, high = 0, self.points - 1
        for edge, rank, reach in reversed(list(zip(edges[1:-1], ranks, reaches, strict=True))):
            if rank <= reach or self.share == 1:  # no count proves that nothing lies above
                break
            high = edge - 1
        for edge, rank, reach in zip(edges[1:-1], ranks, reaches, strict=True):
            if -rank <= reach or self.share == 0:
                break
            low = edge
        return min(low, self.value), max(high, self.value)

    @property
    def _factors(self) -> tuple[int, int]:
        return self.share.denominator - self.share.numerator, self.share.numerator


@lru_cache(maxsize=1 << 12)
def list_edges(center: int, points: int) -> tuple[int, ...]:
    """Return where pieces of the grid begin, and the grid's end: the center alone, then 1, 2, 4, ... points outward.

    >>> list_edges(10, 100)
    (0, 3, 7, 9, 10, 11, 12, 14, 18, 26, 42, 74, 100)
    """
    outward = [(1 << power) - 1 for power in range(points.bit_length() + 1)]
    around = {center - step for step in outward} | {center + 1 + step for step in outward}
    return tuple(sorted({0, points} | {edge for edge in around if 0 < edge < points}))


@dataclass(frozen=True)
class Quantile:
    """Draws the point of a public grid at which a share of the values lies below, likelier the nearer in rank.

    The grid is 0 .. points - 1. Of n values, L lie below a point and H at or below it; the target t is share * n. The
    score of a point is the distance of t from its core [L + h, H - h], with h = min((H - L) / 2, k): from its middle
    rank where it has few values, and from all but the outermost k of its ranks where it has many, so that a value that
    many rows share is found too. k is public: `CORE` scales of the draw (0 for extremes). Scores are whole numbers: all
    is multiplied by twice the share's denominator.

    Theorem: a value that is added moves every score by at most m = max(share, 1 - share), so two of them apart by at
    most 2m. Proof: the score is max(L + h - t, t - H + h, 0); t grows by s = share. At points below the value L, H
    and h stay, so that both terms move by s; above it L and H grow by 1, and both move by 1 - s. At it H grows by 1
    and h by at most 1/2, so L + h - t moves by -s to 1/2 - s, and t - H + h by s - 1 to s - 1/2. The bound is attained:
    for a value above the target, points between the two come nearer by s while those below the target fall behind by s.

    With `pure` the draw is permute-and-flip (McKenna, Sheldon 2020): rows * 2m / scale is its epsilon, and its loss has
    no smaller range than that of any pure one. Otherwise it is the exponential mechanism (McSherry, Talwar 2007; Smith
    2011), which errs a little more and whose loss has the *bounded range* rows * 2m / scale (Durfee, Rogers 2019): a
    quarter of the zCDP. Points of equal score are drawn in one piece, as heavy as it is wide (`noise.race`).

    `rows` is how many values one unit can add or remove (twice that where neighbours replace a unit).

    Shares 0 and 1 are the minimum and the maximum. There the target is `depth` ranks inside the data, so far that all
    points outside weigh less than one at the target, whatever the data; but it is never past the middle. It grows by
    some s in [0, 1/2], or in [1/2, 1], as a value is added, so the theorem holds with m = 1.

    Interval: a part `sides` of epsilon goes to noisy counts of the pieces of the grid around the value drawn before,
    twice as wide with every step outward. The pieces are disjoint, so a unit moves all counts together by at most
    `rows`, and Laplace noise of scale rows / epsilon is epsilon-differentially private. `Drawn.interval` says what the
    counts prove.
    """

    share: Fraction
    points: int
    epsilon: float
    rows: int = 1
    sides: Fraction = Fraction(1, 20)
    pure: bool = True

    def __post_init__(self) -> None:
        epsilon = float_down(check.positive("epsilon", self.epsilon))
        sides = Fraction(check.real("sides", self.sides, least=0, below=1))
        if float_down(epsilon * sides) == 0 < sides or epsilon == 0:
            raise ParameterError("epsilon", self.epsilon, "larger, so that every draw has a part of it")
        for name, value in (
            ("share", Fraction(check.real("share", self.share, least=0, most=1))),
            ("points", check.integer("points", self.points, least=1)),
            ("epsilon", epsilon),
            ("rows", check.integer("rows", self.rows, least=1)),
            ("sides", sides),
            ("pure", check.flag("pure", self.pure)),
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
        table = _Table.of(cells, self.points, self._factor, self.depth)
        target = 2 * self._numerator * table.total
        if self.depth:
            inside = min(self._factor * self.depth, self._denominator * table.total)
            target += inside if self.share == 0 else -inside
        value = table.draw(target, self.main.scale, self.core, self.pure)
        if self.side is None:
            return Drawn(value, self.points, self.share)
        exact = table.count_pieces(list_edges(value, self.points), self._factor)
        counts = tuple(int(count) for count in self.side.release(exact))
        return Drawn(value, self.points, self.share, self.side.scale, counts)

    def loss(self) -> Loss:
        """Return the loss of one release."""
        own = self.main.loss(self.sensitivity)
        return own if self.side is None else own + PureLoss(Fraction(self._side_epsilon))

    @property
    def row_rho(self) -> Fraction:
        """The zCDP of one release for a unit with one value: with n values it is n^2 times that.

        A pure loss e is (e^2 / 2)-zCDP (Bun, Steinke 2016), one of bounded range e is (e^2 / 8)-zCDP (Cesar, Rogers
        2021).
        """
        own, sides = Fraction(self._main_epsilon), Fraction(self._side_epsilon)
        return (own**2 / (2 if self.pure else 8) + sides**2 / 2) / self.rows**2

    @classmethod
    def find_epsilon(cls, square: Fraction, sides: Fraction = Fraction(1, 20)) -> float:
        """Return the epsilon, rounded down, at which the exponential mechanism and its counts cost this zCDP at most.

        For a unit with all its rows in one group.
        """
        each = (1 - sides) ** 2 / 8 + sides**2 / 2
        return rounded_down(lambda: ball(square / each).sqrt())

    def rank_error(self, confidence: float) -> float:
        """Return how far the ranks of the value drawn are from the target, at most, with this confidence.

        This is the shortfall of the draw (McSherry, Talwar 2007; no larger for permute-and-flip) over the whole grid:
        some core is within k of the target.
        """
        return (self.main.shortfall(confidence, self.points) + self.core) / self._factor

    @cached_property
    def depth(self) -> int:
        """How many ranks inside the data an extreme is aimed: 0 for other quantiles."""
        return math.ceil(self.rank_error(INSIDE)) if self.share in (0, 1) else 0

    @cached_property
    def core(self) -> int:
        """By how much the ranks of a point are narrowed on each side, at most, in the units of scores."""
        return 0 if self.share in (0, 1) else math.floor(CORE * Fraction(self.main.scale))

    @cached_property
    def main(self) -> PermuteAndFlip | Exponential:
        """The mechanism that draws the value: its scores are rank distances times a whole number."""
        kind = PermuteAndFlip if self.pure else Exponential
        return kind.calibrate(self._main_epsilon, self.sensitivity)

    @cached_property
    def side(self) -> Laplace | None:
        """The noise of the counts that the interval is made from."""
        if not self._side_epsilon:
            return None
        return Laplace(fitting_scale(ratio_up(self.rows, Fraction(self._side_epsilon)), "epsilon", self.epsilon))

    @property
    def sensitivity(self) -> int:
        """How far one unit moves a score."""
        return 2 * self.rows * max(self._numerator, self._denominator - self._numerator)

    @property
    def _factor(self) -> int:
        return 2 * self._denominator

    @property
    def _denominator(self) -> int:
        return 2 if self.share in (0, 1) else self.share.denominator

    @property
    def _numerator(self) -> int:
        return int(self.share * self._denominator)

    @property
    def _main_epsilon(self) -> float:
        return float_down(Fraction(self.epsilon) - Fraction(self._side_epsilon))

    @property
    def _side_epsilon(self) -> float:
        return float_down(Fraction(self.epsilon) * self.sides)


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
        if isinstance(cells, Cells):
            at, counts = cells.points, np.maximum(cells.counts, 0)
        else:
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

    def draw(self, target: int, scale: float, core: int, pure: bool) -> int:
        """Draw a point by the distance of its core from the target.

        Each point with values is one piece, and each gap between two of them is another, as heavy as it is wide.
        """
        gaps = np.concatenate([np.zeros(1, self.at.dtype), self.at + 1])
        ends = np.concatenate([self.at, np.array([self.points], self.at.dtype)])
        widths = np.concatenate([ends - gaps, np.ones_like(self.at)])
        full = np.flatnonzero(widths > 0)
        narrowed = min(core, int(self.below[-1]))  # as machine integers hold it; no count is larger
        half = np.minimum((self.below[1:] - self.below[:-1]) // 2, narrowed)  # counts are times an even factor
        low = np.concatenate([self.below, self.below[:-1] + half])[full]
        high = np.concatenate([self.below, self.below[1:] - half])[full]
        weights = widths[full] if widths.dtype == np.int64 else widths[full].tolist()
        choose = noise.exponential_argmax if pure else noise.gumbel_argmax
        chosen = choose(-_distances(low, high, target), scale, weights)
        return int(np.concatenate([gaps, self.at])[full[chosen]]) + int(noise.uniform_int(int(weights[chosen])))

    def count_pieces(self, edges: tuple[int, ...], factor: int) -> list[int]:
        """Return how many values lie from each edge to the next."""
        ranks = self.below[np.searchsorted(self.at, np.array(edges, self.at.dtype))]
        return [(int(after) - int(before)) // factor for before, after in pairwise(ranks)]


def _distances(low: NDArray[Any], high: NDArray[Any], target: int) -> NDArray[Any]:
    """Return how far the target is from each interval of ranks."""
    found: NDArray[Any] = np.maximum(np.maximum(low - target, target - high), 0)
    return found


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
