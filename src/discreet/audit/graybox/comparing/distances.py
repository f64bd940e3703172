"""How far apart two databases put what goes into one mechanism, in the norms that its theorem is stated in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.audit.graybox.comparing.gaps import (
    count_changed,
    find_step,
    is_round,
    list_input_gaps,
    list_key_gaps,
    list_points,
    list_values,
    measure_numbers,
    measure_spread,
    measure_vector,
)
from discreet.audit.graybox.comparing.report import Moved
from discreet.audit.graybox.recording.forms import write_form
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.base.check import Exact
from discreet.mechanisms import (
    CountingQueries,
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
from discreet.mechanisms.robust.stable_value import StableValue
from discreet.mechanisms.robust.unbounded import InterquartileRange, UnboundedMean
from discreet.mechanisms.robust.universal import UniversalMean, UniversalQuartiles, UniversalVariance
from discreet.mechanisms.selection import Selection
from discreet.mechanisms.sensitivity import on_grid_l1, on_grid_l2
from discreet.privacy import Neighbours

DeclaredDistance = Fraction | None
"""What a caller declares of a mechanism, in its own norm."""

VALUES = (SmoothNoise, UnboundedMean, InterquartileRange, UniversalMean, UniversalVariance, UniversalQuartiles)
"""Mechanisms that look at all values, and bound by themselves what some of them change."""


def measure_alone(one: TapeEntry, other: TapeEntry, sensitivity: Exact | None) -> tuple[Moved, ...] | None:
    """Return how far apart what went into a mechanism is that nobody but its caller watches, in every norm that its
    theorem needs; nothing where all is the same, and None where it is not and has no number: that is a finding.

    `sensitivity` is what the caller declares, in the mechanism's own norm; some mechanisms are made for theirs.
    """
    wanted = None if sensitivity is None else Fraction(sensitivity)
    try:
        for kinds, rule in RULES:
            if isinstance(one.asked, kinds):
                return tuple(_allow(each, sensitivity) for each in rule(one, other, wanted))
    except Exception:  # a statistic of somebody else's may raise anything
        pass
    return () if write_form(one.value) == write_form(other.value) else None


def _allow(moved: Moved, sensitivity: Exact | None) -> Moved:
    """Return a distance that may be larger than a float, such as a root, by what floats are rounded."""
    if moved.declared is None or not isinstance(sensitivity, float) or sensitivity.is_integer():
        return moved
    return replace(moved, declared=Fraction(moved.declared) * (1 + Fraction(1, 10**9)))


def _measure_plain(one: TapeEntry, other: TapeEntry, wanted: DeclaredDistance) -> tuple[Moved, ...]:
    """Of functions of others: numbers, in L1."""
    return (Moved(one.name, "L1", wanted, measure_numbers(one.value, other.value)),)


def _measure_additive(one: TapeEntry, other: TapeEntry, wanted: DeclaredDistance) -> tuple[Moved, ...]:
    """Noise on numbers: in L1, or in L2 where it is Gaussian."""
    made: Any = one.asked
    if isinstance(made, CountingQueries):
        most = Fraction(made.queries)
        return (measure_vector(one, other, most if wanted is None else min(wanted, most)),)
    if wanted is None:
        return (measure_vector(one, other, None),)
    size = max(1, len(list_points(made, one.value)))
    if is_round(made):
        far = cover_grid(made, wanted, lambda far, grid: on_grid_l2(far, grid, size))
        return (measure_vector(one, other, far**2),)
    return (measure_vector(one, other, cover_grid(made, wanted, lambda far, grid: on_grid_l1(far, grid, size))),)


def cover_grid(made: Any, wanted: Fraction, cover: Callable[[Any, Any], int | float]) -> Fraction:
    """Return how far numbers may move on a mechanism's grid, where the reals may move so far: what its noise covers."""
    grid = getattr(made, "grid", None)
    return wanted if grid is None or wanted == 0 else Fraction(cover(wanted, grid)) * Fraction(grid.step)


def _measure_scores(one: TapeEntry, other: TapeEntry, wanted: DeclaredDistance) -> tuple[Moved, ...]:
    """Scores, and values beside a threshold: the farthest of them; where the price is for monotone ones, how far two of
    them move apart, so that one that rises and one that falls are no such."""
    made: Any = one.asked
    gaps, step = list_input_gaps(one, other), find_step(made)
    far = None if wanted is None else cover_grid(made, wanted, on_grid_l1)
    if made.monotone:
        return (Moved(one.name, "spread of monotone scores", far, measure_spread(gaps) * step),)
    return (Moved(one.name, "most of one score", far, max(map(abs, gaps), default=0) * step),)


def _measure_drawn(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Path lengths, and counts of categories: scores of a mechanism that is made for how far they move."""
    made: Any = one.asked
    inner, rows = replace(one, asked=made.draw), Fraction(getattr(made, "rows", 1))
    return _measure_scores(inner, replace(other, asked=made.draw), rows)


def _measure_answers(one: TapeEntry, other: TapeEntry, wanted: DeclaredDistance) -> tuple[Moved, ...]:
    """Answers of randomized response: how many are others, each in its place."""
    mine, theirs = (list_values(each.value) for each in (one, other))
    changed = sum(write_form(a) != write_form(b) for a, b in zip(mine, theirs, strict=True))
    return (Moved(one.name, "answers", Fraction(1) if wanted is None else wanted, Fraction(changed)),)


def _measure_cells(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Rows in the cells of a quantile, or of keys each unit has one of."""
    rows = Fraction(getattr(one.asked, "rows", 1))
    return (Moved(one.name, "rows", rows, Fraction(sum(map(abs, list_key_gaps(one, other))))),)


def _measure_histogram(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Rows of keys, of so many keys, and of any one key."""
    made: Any = one.asked
    gaps = list_key_gaps(one, other)
    keys = (2 if made.neighbours == Neighbours.REPLACE else 1) * made.groups
    return (
        Moved(one.name, "rows", Fraction(keys * made.rows), Fraction(sum(map(abs, gaps)))),
        Moved(one.name, "rows of one key", Fraction(made.rows), Fraction(max(map(abs, gaps), default=0))),
        Moved(one.name, "keys", Fraction(keys), Fraction(int(np.count_nonzero(gaps)))),
    )


def _measure_keys(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Units of keys: one of each that a unit is in. Of another number of keys nobody knows which is which."""
    mine, theirs = ([max(0, each) for each in list_points(None, entry.value)] for entry in (one, other))
    gaps = [abs(a - b) for a, b in zip(mine, theirs, strict=True)]
    return (
        Moved(one.name, "units of keys", Fraction(one.asked.groups), Fraction(sum(gaps))),
        Moved(one.name, "units of one key", Fraction(1), Fraction(max(gaps, default=0))),
    )


def _measure_stability(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Of a value and its distance to another: the distance, which is 0 on both where the values differ. Of votes: the
    rows of each key, all of which one unit raises, or lowers, under add-remove neighbours."""
    if one.method == "release_mode":
        replaces = Neighbours.named(one.public["neighbours"]) is Neighbours.REPLACE
        gaps = list_key_gaps(one, other)
        far = max(map(abs, gaps), default=0) if replaces else measure_spread(gaps)
        return (Moved(one.name, "rows of one key", Fraction(int(one.public["rows"])), Fraction(far)),)
    (mine, near), (theirs, far) = one.value, other.value
    moved = [Moved(one.name, "distance", Fraction(1), Fraction(abs(int(near) - int(far))))]
    if write_form(mine) != write_form(theirs):
        moved.append(Moved(one.name, "distance of another value", Fraction(0), Fraction(max(0, int(near), int(far)))))
    return tuple(moved)


def _measure_proposal(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """The distance; the point, unless both data are at distance 0, where both are refused; and values, where the
    statistic says how many a unit has."""
    made: Any = one.asked
    pairs, moved = [one.value, other.value], []
    if one.method == "release":
        statistic: Any = one.public["statistic"]
        pairs = [(statistic.point(held), statistic.distance(held, made.proposal)) for held in pairs]
        if hasattr(statistic, "rows"):
            moved.append(Moved(one.name, "values", Fraction(statistic.rows), Fraction(_count_steps(one, other))))
    (mine, near), (theirs, far) = ([int(each) for each in pair] for pair in pairs)
    moved.append(Moved(one.name, "distance", Fraction(1), Fraction(abs(near - far))))
    if max(near, far) >= 1:
        moved.append(Moved(one.name, "point", Fraction(made.proposal), Fraction(abs(mine - theirs))))
    return tuple(moved)


def _measure_values(one: TapeEntry, other: TapeEntry, _: DeclaredDistance) -> tuple[Moved, ...]:
    """Values of a mechanism that looks at all of them: how many are others."""
    rows = getattr(one.asked, "rows", None)
    return (Moved(one.name, "values", None if rows is None else Fraction(rows), Fraction(_count_steps(one, other))),)


def _count_steps(one: TapeEntry, other: TapeEntry) -> int:
    """Return how many steps lie between values: one for each that is replaced, or two where units come or go."""
    gone, come = count_changed(list_values(one.value), list_values(other.value))
    made = [one.asked, one.public.get("statistic")]
    if any(getattr(each, "public_size", False) for each in made) and gone != come:
        raise ValueError("their number is public, and another")
    comes = any(getattr(each, "neighbours", None) == Neighbours.ADD_REMOVE for each in made)
    return gone + come if comes else max(gone, come)


MeasureRule = Callable[[TapeEntry, TapeEntry, DeclaredDistance], tuple[Moved, ...]]

RULES: tuple[tuple[type | tuple[type, ...], MeasureRule], ...] = (
    (type(None), _measure_plain),
    ((Additive, TruncatedLaplace, CountingQueries), _measure_additive),
    ((Selection, SparseVector), _measure_scores),
    ((InverseSensitivity, MostFrequent), _measure_drawn),
    (RandomizedResponse, _measure_answers),
    ((Quantile, SampleThreshold), _measure_cells),
    (StableHistogram, _measure_histogram),
    (KeySelection, _measure_keys),
    (StableValue, _measure_stability),
    (ProposeTestRelease, _measure_proposal),
    (VALUES, _measure_values),
)
"""How what goes into each mechanism is measured. What has no rule must be the same."""


def is_told_well(told: Any) -> bool:
    """Say whether what a mechanism said holds no NaN and no infinity."""
    return not _holds(told, lambda numbers: ~np.isfinite(numbers))


def holds_nan(result: Any) -> bool:
    """Say whether NaN stands anywhere in a result that is made of plain numbers."""
    return _holds(result, np.isnan)


def _holds(told: Any, is_odd: Callable[[Any], Any]) -> bool:
    if isinstance(told, Mapping):
        return any(_holds(each, is_odd) for each in told.values())
    if isinstance(told, list | tuple):
        return any(_holds(each, is_odd) for each in told)
    if not isinstance(told, float | complex | np.ndarray | np.generic):
        return False
    numbers = np.asarray(told)
    return numbers.dtype.kind in "fc" and bool(np.any(is_odd(numbers)))
