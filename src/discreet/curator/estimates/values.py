"""Released measures to aggregates: the value of each, and an interval that the truth lies in.

The truth is the aggregate of the bounded data: clamped values of the rows that are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from discreet.base.exact import to_float
from discreet.curator.estimates import covariance
from discreet.curator.estimates.arithmetic import Interval
from discreet.curator.estimates.fieller import bound_mean
from discreet.curator.estimates.moments import COUNT_PART, bound_variance, grow_sample
from discreet.curator.estimates.totals import bound_total
from discreet.curator.release import rank_tree
from discreet.curator.release.released import Released, ReleasedSet
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import Measure, Part, write_order
from discreet.plan.expressions import Constant
from discreet.plan.grid import ClampedGrid
from discreet.plan.question import COUNTS, MEANS, PAIRED, RANKED, SUMS, Aggregate, AggregateKind
from discreet.query.draws import AdditiveNoise
from discreet.query.price import Price, find_step

REMARKS = {
    **dict.fromkeys((*COUNTS, *SUMS), "exact"),
    **dict.fromkeys(MEANS, "conservative: Fieller's, from the noise of sum and count"),
    **dict.fromkeys(
        (AggregateKind.VARIANCE_POP, AggregateKind.VARIANCE, AggregateKind.DEVIATION_POP, AggregateKind.DEVIATION),
        "conservative: the joint noise of count, sum and squares",
    ),
    AggregateKind.QUANTILE: "conservative: from noisy counts around the value",
    AggregateKind.LEAST: "an extreme quantile, some ranks inside the data; conservative",
    AggregateKind.GREATEST: "an extreme quantile, some ranks inside the data; conservative",
    **dict.fromkeys(PAIRED, "conservative: the joint noise of count, sums and products"),
}


@dataclass(frozen=True, slots=True)
class ReleasedRow:
    """A row of released values: its set, its place in it, and its keys, NULL where the set does not group by one."""

    set: int
    place: int
    keys: tuple[Constant, ...]


@dataclass(frozen=True)
class Values:
    """The aggregates of a question, by aggregate and row."""

    aggregates: tuple[Aggregate, ...]
    priced: Price
    released: Released

    @cached_property
    def rows(self) -> list[ReleasedRow]:
        """All rows, set by set, sorted by key in each: by its value, or in the order that the policy lists."""
        plan, found = self.priced.bounded.plan, []
        for index, (chosen, released) in enumerate(zip(plan.sets, self.released.sets, strict=True)):
            for place, values in self._list_keys(index, released):
                keys: list[Constant] = [None] * len(plan.keys)
                for key, value in zip(chosen.keys, values, strict=True):
                    keys[key] = value
                found.append(ReleasedRow(index, place, tuple(keys)))
        return found

    def _list_keys(self, index: int, released: ReleasedSet) -> Iterable[tuple[int, tuple[Constant, ...]]]:
        """Return the keys of a set with their places: all of them, or the chosen ones in their order."""
        plan = self.priced.bounded.plan
        if released.chosen is None:
            listed = enumerate(plan.combinations(index) if released.keys is None else released.keys)
            places, declared = plan.sets[index].keys, dict(self.priced.bounded.declared)
            if released.keys is None and declared.keys() & set(places):
                return sorted(listed, key=lambda each: self._rank(places, each[1]))
            # keys that go together may stand apart
            return sorted(listed, key=lambda each: write_order(each[1])) if plan.joint else listed
        every = list(plan.combinations(index))
        return ((place, every[place]) for part in released.chosen for place in part)

    @cached_property
    def _ranks(self) -> dict[int, dict[Constant, int]]:
        """Where each value of a key stands in the policy's order, by the key's place."""
        declared = self.priced.bounded.declared
        return {key: {value: rank for rank, value in enumerate(values)} for key, values in declared}

    def _rank(self, places: tuple[int, ...], values: tuple[Constant, ...]) -> list[Any]:
        """Return what a row of public keys is ordered by."""
        plain = write_order(values)
        ranks = [self._ranks.get(place) for place in places]
        return [own if rank is None else rank[value] for rank, value, own in zip(ranks, values, plain, strict=True)]

    def value(self, aggregate: int, row: ReleasedRow) -> int | float | None:
        """Return the estimate: unbiased for counts and sums, inside the declared bounds for the rest."""
        asked = self.aggregates[aggregate]
        first, measures = self._measures(aggregate)
        if asked.kind in RANKED:
            return float(_at(first, self._quantile(asked, measures[0], first, row)))
        noisy = self._noisy(measures, row)
        if asked.kind in COUNTS:
            return noisy[0]
        if asked.kind in SUMS:
            total = noisy[0] * find_step(first)
            return round(total) if asked.type.value == "integer" else to_float(total)
        if noisy[0] <= 0:
            return None
        if asked.kind in PAIRED:
            return covariance.estimate_covariance(asked.kind, noisy, self._grids(aggregate))
        grid = self._grids(aggregate)[0]
        mean = Fraction(noisy[1], noisy[0])
        if asked.kind in MEANS:
            inside = max(min(mean, Fraction(grid.upper)), Fraction(grid.lower))
            return float(grid.center + inside * grid.step)
        squares = Fraction(noisy[2], noisy[0]) - mean**2
        return _spread(asked.kind, float(max(squares, Fraction(0)) * grid.step**2), noisy[0], grid)

    def interval(self, aggregate: int, row: ReleasedRow, miss: float) -> Interval:
        """Return an interval that misses the truth with at most this probability."""
        asked = self.aggregates[aggregate]
        first, measures = self._measures(aggregate)
        if asked.kind in RANKED:
            low, high = self._quantile_interval(asked, measures[0], first, row, miss)
            return float(_at(first, low)), float(_at(first, high))
        noises, noisy = self._noises(measures), self._noisy(measures, row)
        if asked.kind in COUNTS or asked.kind in SUMS:
            width = noises[0].interval(1 - miss)
            if asked.kind in COUNTS:
                return noisy[0] - width, noisy[0] + width
            step = find_step(first)
            return to_float((noisy[0] - width) * step, math.inf), to_float((noisy[0] + width) * step, math.inf)
        if asked.kind in PAIRED:
            return covariance.bound_covariance(asked.kind, noisy, noises, self._grids(aggregate), miss)
        grid = self._grids(aggregate)[0]
        if asked.kind in MEANS:
            return bound_mean(noisy[1], noisy[0], noises[1], noises[0], grid, miss)
        return _bound_spread(asked.kind, noisy, noises, grid, miss)

    def bound_total(self, aggregate: int, count: int, miss: float) -> float | None:
        """Return how far a count or sum, added up over so many rows, errs except with this probability.

        The noises of different rows are independent. Nothing where values were inferred, whose noises are not.
        """
        first, measures = self._measures(aggregate)
        (noise,) = self._noises(measures)
        step = Fraction(1) if self.aggregates[aggregate].kind in COUNTS else find_step(first)
        return bound_total(noise, count, miss) * float(step)

    def _quantile(self, asked: Aggregate, measure: int, first: Measure, row: ReleasedRow) -> int:
        released = self.released.sets[row.set]
        if measure in released.drawn:
            return released.drawn[measure][row.place].value
        assert first.grid is not None
        assert asked.share is not None
        return rank_tree.estimate_quantile(released.trees[measure][row.place], first.grid, asked.share)

    def _quantile_interval(
        self, asked: Aggregate, measure: int, first: Measure, row: ReleasedRow, miss: float
    ) -> tuple[int, int]:
        released = self.released.sets[row.set]
        if measure in released.drawn:
            return released.drawn[measure][row.place].interval(1 - miss)
        assert first.grid is not None
        assert asked.share is not None
        (noise,) = self._noises((measure,))
        return rank_tree.bound_quantile(released.trees[measure][row.place], first.grid, noise, asked.share, miss)

    def _noisy(self, measures: tuple[int, ...], row: ReleasedRow) -> list[int]:
        released = self.released.sets[row.set]
        return [released.sums[measure][row.place] for measure in measures]

    def _noises(self, measures: tuple[int, ...]) -> list[AdditiveNoise]:
        found = [self.priced.noises[measure] for measure in measures]
        return [noise for noise in found if not isinstance(noise, Quantile)]

    def _measures(self, aggregate: int) -> tuple[Measure, tuple[int, ...]]:
        measures = self.priced.bounded.sources[aggregate]
        return self.priced.bounded.plan.measures[measures[0]], measures

    def _grids(self, aggregate: int) -> list[ClampedGrid]:
        """Return the grids of an aggregate's sums."""
        plan = self.priced.bounded.plan
        found = [plan.measures[place] for place in self.priced.bounded.sources[aggregate]]
        return [each.grid for each in found if each.part in (Part.SUM, Part.DISTINCT_SUM) and each.grid is not None]


def _at(measure: Measure, point: int) -> Fraction:
    """Return the value of a point of rank_tree."""
    assert measure.grid is not None
    return measure.grid.center + (measure.grid.lower + point) * measure.grid.step


def _spread(kind: AggregateKind, variance: float, count: int, grid: ClampedGrid) -> float | None:
    """Return a variance or a deviation, at most what the bounds allow."""
    most = float(((grid.upper - grid.lower) * grid.step / 2) ** 2)
    variance = min(variance, most)
    if kind in (AggregateKind.VARIANCE, AggregateKind.DEVIATION):
        if count < 2:
            return None
        variance *= count / (count - 1)
    return math.sqrt(variance) if kind in (AggregateKind.DEVIATION, AggregateKind.DEVIATION_POP) else variance


def _bound_spread(
    kind: AggregateKind, noisy: list[int], noises: list[AdditiveNoise], grid: ClampedGrid, miss: float
) -> Interval:
    """Return what a variance or a deviation can be; that of a sample also by how few values there may be."""
    sample = kind in (AggregateKind.VARIANCE, AggregateKind.DEVIATION)
    small, large = bound_variance(noisy, noises, grid, miss * (1 - COUNT_PART) if sample else miss)
    if sample:
        large *= grow_sample(noisy[0], noises[0], miss * COUNT_PART)
    small, large = small * float(grid.step) ** 2, large * float(grid.step) ** 2
    root = kind in (AggregateKind.DEVIATION, AggregateKind.DEVIATION_POP)
    return (math.sqrt(small), math.sqrt(large)) if root else (small, large)
