"""How far apart two databases put what goes into one mechanism, in the norm that its price is stated in."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.audit.graybox.report import Moved
from discreet.audit.graybox.tape import TapeEntry
from discreet.mechanisms import (
    CountingQueries,
    DiscreteGaussian,
    Gaussian,
    KeySelection,
    Quantile,
    RandomizedResponse,
    SparseVector,
    TruncatedLaplace,
)
from discreet.mechanisms.additive import Additive
from discreet.mechanisms.robust.inverse_sensitivity import InverseSensitivity, MostFrequent
from discreet.mechanisms.robust.propose_test_release import ProposeTestRelease
from discreet.mechanisms.robust.sample_threshold import SampleThreshold
from discreet.mechanisms.robust.smooth_noises import SmoothNoise
from discreet.mechanisms.robust.stable_histogram import StableHistogram
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.mechanisms.selection import Selection
from discreet.privacy import Loss, Neighbours

ROUND = (Gaussian, DiscreteGaussian)
"""Noises whose price is stated in L2."""

UNIVERSAL = (UniversalMean, UniversalVariance, UniversalQuartiles)
VALUES = (SmoothNoise, ProposeTestRelease, UnboundedMean, InterquartileRange, *UNIVERSAL)
"""Mechanisms that look at all values, and bound by themselves what some of them change."""


def list_points(mechanism: Any, value: Any) -> tuple[list[int], Fraction]:
    """Return what went into a mechanism as whole numbers, and how much one of them is worth."""
    grid = getattr(mechanism, "grid", None)
    points = value if grid is None else grid.snap(value)
    flat = np.ravel(np.array(points, dtype=object)).tolist()
    return [int(each) for each in flat], Fraction(1) if grid is None else Fraction(grid.step)


def measure_gaps(one: TapeEntry, other: TapeEntry) -> tuple[list[int], Fraction]:
    """Return by how much each number differs, and how much one is worth."""
    (mine, step), (theirs, _) = (list_points(each.asked, each.value) for each in (one, other))
    return [a - b for a, b in zip(mine, theirs, strict=True)], step


def measure_vector(one: TapeEntry, other: TapeEntry, declared: Fraction | float | None, call: str = "") -> Moved:
    """Return how far apart two vectors are: in L1, or the square of it in L2 where the noise is Gaussian.

    `declared` is in the same: an L2 sensitivity is squared already.
    """
    gaps, step = measure_gaps(one, other)
    noise = one.asked.noise if isinstance(one.asked, CountingQueries) else one.asked
    if isinstance(noise, ROUND):
        return Moved(call or one.name, "L2", declared, sum(gap * gap for gap in gaps) * step**2, squared=True)
    return Moved(call or one.name, "L1", declared, sum(map(abs, gaps)) * step)


def measure_alone(one: TapeEntry, other: TapeEntry, sensitivity: float | None) -> Moved | None:
    """Return how far apart what went into a mechanism is that nobody but its caller watches; None where that has no
    number.

    `sensitivity` is what the caller declares, in the mechanism's own norm; some mechanisms are made for theirs.
    """
    made, name = one.asked, one.name
    if made is None:
        return _measure_plain(one, other, sensitivity)
    wanted = None if sensitivity is None else Fraction(sensitivity)
    if isinstance(made, Additive | TruncatedLaplace | CountingQueries):
        if isinstance(made, CountingQueries):
            wanted = Fraction(made.queries) if wanted is None else wanted
        is_round = isinstance(made.noise if isinstance(made, CountingQueries) else made, ROUND)
        square = wanted is not None and is_round and not isinstance(made, CountingQueries)
        return measure_vector(one, other, wanted**2 if square and wanted is not None else wanted)
    if isinstance(made, Selection | SparseVector):
        gaps, step = measure_gaps(one, other)
        return Moved(name, "most of one score", wanted, max(map(abs, gaps), default=0) * step)
    if isinstance(made, InverseSensitivity | MostFrequent):
        gaps, _ = measure_gaps(one, other)
        return Moved(name, "most of one", Fraction(getattr(made, "rows", 1)), Fraction(max(map(abs, gaps), default=0)))
    if isinstance(made, RandomizedResponse):
        mine, theirs = np.ravel(one.value), np.ravel(other.value)
        return Moved(name, "answers", Fraction(1), Fraction(_count_changed(mine.tolist(), theirs.tolist())))
    if isinstance(made, Quantile | StableHistogram | SampleThreshold):
        return Moved(name, "rows", _count_made_for(made), Fraction(sum(map(abs, _list_counts(one, other)))))
    if isinstance(made, KeySelection) and np.shape(one.value) == np.shape(other.value):
        gaps, _ = measure_gaps(one, other)
        return Moved(name, "units of keys", Fraction(made.groups), Fraction(sum(map(abs, gaps))))
    return measure_values(one, other)


def measure_values(one: TapeEntry, other: TapeEntry) -> Moved | None:
    """Return how many values are others that went into a mechanism which looks at all of them; None of other ones."""
    if not isinstance(one.asked, VALUES) or not isinstance(one.value, list | tuple | np.ndarray):
        return None
    changed = _count_changed(np.ravel(one.value).tolist(), np.ravel(other.value).tolist())
    rows = getattr(one.asked, "rows", None)
    return Moved(one.name, "values", None if rows is None else Fraction(rows), Fraction(changed))


def _measure_plain(one: TapeEntry, other: TapeEntry, sensitivity: float | None) -> Moved | None:
    """Return how far apart numbers are in L1; None of what is no number."""
    try:
        pairs = [np.ravel(np.array(each.value, dtype=np.float64)).tolist() for each in (one, other)]
        apart = sum((abs(Fraction(a) - Fraction(b)) for a, b in zip(*pairs, strict=True)), Fraction(0))
    except (TypeError, ValueError, OverflowError):
        return None
    return Moved(one.name, "L1", None if sensitivity is None else Fraction(sensitivity), apart)


def _list_counts(one: TapeEntry, other: TapeEntry) -> list[int]:
    mine, theirs = dict(one.value), dict(other.value)
    return [int(mine.get(key, 0)) - int(theirs.get(key, 0)) for key in mine.keys() | theirs.keys()]


def _count_made_for(made: Quantile | StableHistogram | SampleThreshold) -> Fraction:
    """Return how many rows a unit may move altogether."""
    if isinstance(made, StableHistogram):
        times = 2 if made.neighbours == Neighbours.REPLACE else 1
        return Fraction(times * made.groups * made.rows)
    return Fraction(getattr(made, "rows", 1))


def _count_changed(mine: list[Any], theirs: list[Any]) -> int:
    """Return how many of some values are others, in whatever order they come: those gone, or those come."""
    first, second = (Counter("nan" if each != each else each for each in values) for values in (mine, theirs))
    return max((first - second).total(), (second - first).total())


def find_loss(moved: Moved, entry: TapeEntry) -> Loss | None:
    """Return what a mechanism loses on inputs so far apart; None where they are the same."""
    if moved.observed == 0:
        return None
    made = entry.asked
    if isinstance(made, CountingQueries):
        made = made.noise
    if isinstance(made, Additive):
        far = math.sqrt(moved.observed) if moved.squared else _plain(moved.observed)
        size = int(np.size(np.array(entry.value, dtype=object)))
        lost: Loss = made.loss(far, dim=max(1, size))  # type: ignore[attr-defined]
        return lost
    if isinstance(made, Selection | SparseVector):
        return made.loss(_plain(moved.observed))
    if isinstance(made, TruncatedLaplace):
        return made.loss(int(moved.observed), dim=1)
    loss: Loss = made.loss()
    return loss


def _plain(number: Fraction | float) -> float:
    return int(number) if float(number).is_integer() else float(number)


def is_told_well(told: Any) -> bool:
    """Say whether what a mechanism said holds no NaN and no infinity."""
    if isinstance(told, float):
        return math.isfinite(told)
    if isinstance(told, np.ndarray):
        return told.dtype.kind not in "fc" or bool(np.isfinite(told).all())
    if isinstance(told, Mapping):
        return all(is_told_well(each) for each in told.values())
    if isinstance(told, list | tuple):
        return all(is_told_well(each) for each in told)
    return True
