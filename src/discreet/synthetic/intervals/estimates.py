"""Estimates with intervals: the model's number of rows, and where the true one lies as far as readings tell.

A reading that looks at a question's columns gives an unbiased count with a known noise. The readings of one step are
averaged by their precision, and the law of the average's noise is exact (`noise_sums`). Across steps that would be
wrong: which sets a later step measures, and with how much noise, depends on earlier noise (a set is chosen *because*
the model looks wrong there), and given that choice the earlier noise has another law.

Theorem (a union bound over steps). Let a step's weights and its miss m_j be functions of the plan, the question and
earlier steps, and let the m_j add up to m at most, whatever happens. Given the past, the step's noise has its own law,
so its interval misses with probability m_j at most; all of them cover but with probability E[sum m_j] <= m. So does
what they have in common. Here the j-th step that is used has m / (j (j + 1)), and the plan's last step, which is known
as the last before it is drawn, all that is left: m / j.

The question must be chosen without looking at the readings. Rows are those that the table's policy keeps. Where no
reading tells, there is no interval: a model's error there has no bound that could be known without looking at data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.answers.numbers import format_percent
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.families.domain import ColumnSet
from discreet.query.placing import choose_places
from discreet.synthetic.fitting import FittedModel
from discreet.synthetic.intervals.noise_sums import MOST_NODES, bound_noises
from discreet.synthetic.intervals.views import CellMask, Count, View, drop_constant, see
from discreet.synthetic.transcript import Transcript, find_places

FINEST = 16
"""The weight of a step's most precise reading; the others have whole weights below, by their precision.

It is 1 where noise is so wide that the law of an average with other weights would take too many points.
"""

WORTH = 0.8
"""A later step is used where its deviation is at most this part of the best before it."""

MOST_ESTIMATES = 1 << 16
"""Cells that get an interval each."""

UNTOLD = "no interval: no reading tells this count"

RowInterval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RowEstimate:
    """A number of rows: the model's, and an interval that holds the true one with at least this confidence, or None."""

    value: float
    interval: RowInterval | None
    confidence: float

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:,.1f} rows ({UNTOLD})"
        low, high = math.floor(self.interval[0]), math.ceil(self.interval[1])
        return f"{self.value:,.1f} rows ({low:,} .. {high:,} at {format_percent(self.confidence)})"


@dataclass(frozen=True, slots=True, eq=False)
class CellEstimates:
    """Numbers of rows by cell, an axis for each column; NaN for ends that nothing tells."""

    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    values: Floats
    low: Floats
    high: Floats
    confidence: float
    together: bool
    """Whether all intervals hold at once with that confidence, and not each on its own."""

    def to_table(self) -> pa.Table:
        """Return a row for each cell: what its values are, in words, how many rows, and from where to where."""
        grid = np.indices(self.values.shape).reshape(len(self.columns), -1)
        named = {
            name: pa.array(labels, pa.string()).take(pa.array(places))
            for name, labels, places in zip(self.columns, self.labels, grid, strict=True)
        }
        ends = {"low": self.low, "high": self.high}
        missing = np.isnan(self.low).ravel()
        made = {name: pa.array(each.ravel(), mask=missing) for name, each in ends.items()}
        arrays = [*named.values(), pa.array(self.values.ravel()), *made.values()]
        return pa.table(arrays, names=[*named, "rows", *made])


def estimate_where(
    transcript: Transcript, fit: FittedModel, where: Mapping[str, Any], confidence: float = 0.95
) -> RowEstimate:
    """Return how many rows have some of these values in every one of these columns."""
    sure = float(check.confidence(confidence))
    columns = find_places(transcript, list(where))
    wanted = np.ones((), dtype=bool)
    for place in columns:
        column = transcript.columns[place]
        chosen = np.zeros(column.size, dtype=bool)
        chosen[choose_places(column, where[column.name])] = True
        wanted = np.logical_and.outer(wanted, chosen)
    wanted, columns = drop_constant(wanted, columns)
    value = float(fit.project(columns)[wanted].sum()) if wanted.any() else 0.0
    if not wanted.any():
        return RowEstimate(0.0, (0.0, 0.0), sure)
    return RowEstimate(value, find_interval(_see_all(transcript, columns), wanted, 1 - sure), sure)


def estimate_cells(
    transcript: Transcript, fit: FittedModel, columns: ColumnSet, confidence: float = 0.95, together: bool = False
) -> CellEstimates:
    """Return how many rows lie in each cell of some columns."""
    sure = float(check.confidence(confidence))
    values = fit.project(columns)
    if values.size > MOST_ESTIMATES:
        raise ParameterError("columns", columns, f"fewer: {values.size:,} cells are more than {MOST_ESTIMATES:,}")
    miss = (1 - sure) / (values.size if check.flag("together", together) else 1)
    seen = _see_all(transcript, columns)
    low, high = np.full(values.shape, math.nan), np.full(values.shape, math.nan)
    for cell in np.ndindex(values.shape) if any(seen) else ():
        wanted = np.zeros(values.shape, dtype=bool)
        wanted[cell] = True
        if (found := find_interval(seen, wanted, miss)) is not None:
            low[cell], high[cell] = found
    chosen = [transcript.columns[place] for place in columns]
    labels = tuple(tuple(column.describe_places()) for column in chosen)
    return CellEstimates(tuple(column.name for column in chosen), labels, values, low, high, sure, together)


def find_interval(steps: Sequence[Sequence[View]], wanted: CellMask, miss: float) -> RowInterval | None:
    """Return an interval that misses the true number of rows with at most this probability; None where none tells."""
    used, best = 0, math.inf
    found: list[RowInterval] = []
    for place, views in enumerate(steps):
        step = _average(views, wanted)
        if step is None or step.deviation > WORTH * best:
            continue
        used, best = used + 1, step.deviation
        last = place == len(steps) - 1
        found.append(step.find_ends(miss / used if last else miss / (used * (used + 1))))
    if not found:
        return None
    low, high = max(end for end, _ in found), min(end for _, end in found)
    if low > high:  # one of them missed, whichever: all that is left to say is what they cover between them
        low, high = min(end for end, _ in found), max(end for _, end in found)
    return max(low, 0.0), max(high, 0.0)


@dataclass(frozen=True, slots=True)
class _Average:
    """The counts of a step's readings, averaged with whole weights."""

    weighed: tuple[tuple[int, View, Count], ...]

    @property
    def total_weight(self) -> int:
        return sum(weight for weight, _, _ in self.weighed)

    @property
    def deviation(self) -> float:
        """The standard deviation of the average."""
        squares = sum(weight**2 * view.reading.variance * count.draws for weight, view, count in self.weighed)
        return math.sqrt(squares) / self.total_weight

    def find_ends(self, miss: float) -> RowInterval:
        """Return an interval that misses with at most this probability, given everything before the step."""
        middle = sum(weight * count.noisy for weight, _, count in self.weighed)
        reach = bound_noises(((weight, view.reading.noise, count.draws) for weight, view, count in self.weighed), miss)
        return (middle - reach) / self.total_weight, (middle + reach) / self.total_weight


def _average(views: Sequence[View], wanted: CellMask) -> _Average | None:
    """Return what the readings of one step tell together; weights depend on noises, and not on answers."""
    counts = [(view, count) for view in views if (count := view.count(wanted)) is not None]
    if not counts:
        return None
    variances = [view.reading.variance * count.draws for view, count in counts]
    widest = math.sqrt(max(view.reading.variance for view, _ in counts))
    finest = FINEST if 2 * FINEST * (10 * math.sqrt(sum(variances)) + 60 * widest) < MOST_NODES else 1
    weights = [round(finest * min(variances) / variance) for variance in variances]
    kept = [(weight, view, count) for weight, (view, count) in zip(weights, counts, strict=True) if weight]
    return _Average(tuple(kept))


def _see_all(transcript: Transcript, columns: ColumnSet) -> list[list[View]]:
    """Return the readings of each step that look at these columns."""
    return [[view for each in step if (view := see(each, columns)) is not None] for step in transcript.steps]
