"""Released measures to aggregates: the value of each, and an interval that the truth lies in.

The truth is the aggregate of the bounded data: clamped values of the rows that are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.curator import ranks
from discreet.curator.ratio import mean_interval
from discreet.curator.release import Released
from discreet.plan.bounded import Grid, Measure
from discreet.plan.question import COUNTS, Aggregate, Kind
from discreet.query.price import Price, step_of

Interval = tuple[float, float]

REMARKS = {
    **dict.fromkeys((*COUNTS, Kind.SUM), "exact"),
    Kind.MEAN: "conservative: Fieller's, from the noise of sum and count",
    **dict.fromkeys(
        (Kind.VARIANCE_POP, Kind.VARIANCE, Kind.DEVIATION_POP, Kind.DEVIATION),
        "conservative: the noise of count, sum and squares bounded at once",
    ),
    Kind.QUANTILE: "conservative: all noisy ranks bounded at once",
}


@dataclass(frozen=True)
class Values:
    """The aggregates of a question, by aggregate and key."""

    aggregates: tuple[Aggregate, ...]
    priced: Price
    released: Released

    def value(self, aggregate: int, key: int) -> int | float | None:
        """Return the estimate: unbiased for counts and sums, inside the declared bounds for the rest."""
        asked = self.aggregates[aggregate]
        first, measures = self._measures(aggregate)
        if asked.kind is Kind.QUANTILE:
            assert first.grid is not None
            assert asked.share is not None
            point = ranks.quantile(self.released.trees[measures[0]][key], first.grid, asked.share)
            return float(first.grid.center + (first.grid.lower + point) * first.grid.step)
        noisy = [self.released.sums[measure][key] for measure in measures]
        if asked.kind in COUNTS:
            return noisy[0]
        if asked.kind is Kind.SUM:
            total = noisy[0] * step_of(first)
            return round(total) if asked.type.value == "integer" else float(total)
        grid = self._grid(aggregate)
        if noisy[0] <= 0:
            return None
        mean = Fraction(noisy[1], noisy[0])
        if asked.kind is Kind.MEAN:
            inside = max(min(mean, Fraction(grid.upper)), Fraction(grid.lower))
            return float(grid.center + inside * grid.step)
        squares = Fraction(noisy[2], noisy[0]) - mean**2
        return _spread(asked.kind, float(max(squares, Fraction(0)) * grid.step**2), noisy[0], grid)

    def interval(self, aggregate: int, key: int, miss: float) -> Interval:
        """Return an interval that misses the truth with at most this probability."""
        asked = self.aggregates[aggregate]
        first, measures = self._measures(aggregate)
        if asked.kind is Kind.QUANTILE:
            assert first.grid is not None
            assert asked.share is not None
            nodes, noise = self.released.trees[measures[0]][key], self.priced.noises[measures[0]]
            low, high = ranks.interval(nodes, first.grid, noise, asked.share, miss)
            base = first.grid.center + first.grid.lower * first.grid.step
            return float(base + low * first.grid.step), float(base + high * first.grid.step)
        each = 1 - miss / len(measures)
        boxes = []
        for measure in measures:
            width, noisy = self.priced.noises[measure].interval(each), self.released.sums[measure][key]
            boxes.append((noisy - width, noisy + width))
        if asked.kind in COUNTS:
            return boxes[0]
        if asked.kind is Kind.SUM:
            step = step_of(first)
            return float(boxes[0][0] * step), float(boxes[0][1] * step)
        if asked.kind is Kind.MEAN:
            noises = [self.priced.noises[measure] for measure in measures]
            sums = [self.released.sums[measure][key] for measure in measures]
            return mean_interval(sums[1], sums[0], noises[1], noises[0], self._grid(aggregate), miss)
        return _ratio(asked.kind, boxes, self._grid(aggregate))

    def _measures(self, aggregate: int) -> tuple[Measure, tuple[int, ...]]:
        measures = self.priced.bounded.sources[aggregate]
        return self.priced.bounded.plan.measures[measures[0]], measures

    def _grid(self, aggregate: int) -> Grid:
        grid = self.priced.bounded.plan.measures[self.priced.bounded.sources[aggregate][1]].grid
        assert grid is not None
        return grid


def _spread(kind: Kind, variance: float, count: int, grid: Grid) -> float | None:
    """Return a variance or a deviation, at most what the bounds allow."""
    most = float(((grid.upper - grid.lower) * grid.step / 2) ** 2)
    variance = min(variance, most)
    if kind in (Kind.VARIANCE, Kind.DEVIATION):
        if count < 2:
            return None
        variance *= count / (count - 1)
    return math.sqrt(variance) if kind in (Kind.DEVIATION, Kind.DEVIATION_POP) else variance


def _ratio(kind: Kind, boxes: list[tuple[int, int]], grid: Grid) -> Interval:
    """Return what a spread can be, for every count, sum and sum of squares inside their boxes."""
    step = float(grid.step)
    lowest, highest = grid.lower * step, grid.upper * step
    fewest = max(boxes[0][0], 2 if kind in (Kind.VARIANCE, Kind.DEVIATION) else 1)
    most = max(boxes[0][1], fewest)
    low, high = _divided(boxes[1], fewest, most)
    low, high = max(low * step, lowest), min(high * step, highest)
    if boxes[0][0] <= 0 or low > high:
        low, high = lowest, highest
    squares = _divided(boxes[2], fewest, most) if boxes[0][0] > 0 else (0.0, math.inf)
    near = 0.0 if low <= 0 <= high else min(low**2, high**2)
    far = max(low**2, high**2)
    bound = ((highest - lowest) / 2) ** 2
    small, large = max(0.0, squares[0] * step**2 - far), min(squares[1] * step**2 - near, bound)
    large = max(small, large)
    if kind in (Kind.VARIANCE, Kind.DEVIATION):
        small, large = small * most / max(most - 1, 1), large * fewest / (fewest - 1)
    if kind in (Kind.DEVIATION, Kind.DEVIATION_POP):
        small, large = math.sqrt(small), math.sqrt(large)
    return small, large


def _divided(box: tuple[int, int], fewest: int, most: int) -> Interval:
    low, high = box
    return low / (most if low >= 0 else fewest), high / (fewest if high >= 0 else most)
