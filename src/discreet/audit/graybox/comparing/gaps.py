"""How far apart numbers are that go into one mechanism on two databases: one by one, and together in some norm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from discreet.audit.graybox.comparing.report import Moved
from discreet.audit.graybox.recording.forms import write_form
from discreet.audit.graybox.recording.tape import TapeEntry
from discreet.base.wide import integers
from discreet.mechanisms import CountingQueries, DiscreteGaussian, Gaussian, TruncatedLaplace
from discreet.mechanisms.robust.sorted_values import SortedValues

ROUND = (Gaussian, DiscreteGaussian)
"""Noises whose price is stated in L2."""


def join_runs(pairs: Iterable[tuple[TapeEntry, TapeEntry]]) -> list[tuple[TapeEntry, TapeEntry]]:
    """Return pairs of calls with all questions to one run of a sparse vector as one call: they are paid for together.

    What failed on either side is left out.
    """
    joined: list[tuple[TapeEntry, TapeEntry]] = []
    runs: dict[int, tuple[TapeEntry, TapeEntry]] = {}
    for pair in pairs:
        run = pair[0].run
        if any(each.failed is not None for each in pair):
            continue
        if run is None:
            joined.append(pair)
            continue
        if run not in runs:
            one, other = (replace(each, value=[], fresh=[], shape=None) for each in pair)
            runs[run] = one, other
            joined.append(runs[run])
        for whole, each in zip(runs[run], pair, strict=True):
            whole.value.append(each.value)
            whole.fresh.append(each.fresh)
    return joined


def list_points(mechanism: Any, value: Any) -> list[int]:
    """Return what a mechanism makes of what went into it: whole numbers, in steps of its grid where it has one."""
    grid = find_grid(mechanism)
    points = integers("value", value) if grid is None else grid.snap(value)
    found = [int(each) for each in np.ravel(np.array(points, dtype=object)).tolist()]
    if isinstance(mechanism, TruncatedLaplace):
        return [min(max(each, mechanism.lower), mechanism.upper) for each in found]
    return found


def find_grid(mechanism: Any) -> Any:
    """Return the grid on which a mechanism rounds, if it has one."""
    return getattr(mechanism.noise if isinstance(mechanism, CountingQueries) else mechanism, "grid", None)


def find_step(mechanism: Any) -> Fraction:
    """Return how much one whole number is worth."""
    grid = find_grid(mechanism)
    return Fraction(1) if grid is None else Fraction(grid.step)


def list_input_gaps(one: TapeEntry, other: TapeEntry) -> list[int]:
    """Return by how much each number differs: of questions to one run, all of them; of a range, on each piece of it."""
    if one.method == "release_from":
        return _list_range_gaps(one, other)
    if one.run is not None:
        return [int(a) - int(b) for a, b in zip(one.value, other.value, strict=True)]
    mine, theirs = (list_points(each.asked, each.value) for each in (one, other))
    return [a - b for a, b in zip(mine, theirs, strict=True)]


def _list_range_gaps(one: TapeEntry, other: TapeEntry) -> list[int]:
    """Return by how much the score of each piece of a public range differs, where pieces of both are cut apart."""
    mine, theirs = (_cut_range(each) for each in (one, other))
    ends = [(min(pieces), max(pieces)) for pieces in (mine, theirs)]
    if ends[0] != ends[1]:
        raise ValueError("these are pieces of two different ranges")
    gaps, scores = [], [0, 0]
    for edge in sorted(mine.keys() | theirs.keys())[:-1]:
        scores = [pieces.get(edge, before) for pieces, before in zip((mine, theirs), scores, strict=True)]
        gaps.append(scores[0] - scores[1])
    return gaps


def _cut_range(entry: TapeEntry) -> dict[int, int]:
    """Return where the pieces of a range begin, and the score of each; and the range's end, with none."""
    edges, scores = entry.value
    whole = [int(edge) for edge in edges]
    points, last, reached = list_points(entry.asked, scores), whole[-1], whole[0]
    found: dict[int, int] = {}
    for (first, end), score in zip(pairwise(whole), points, strict=True):
        first, end = max(reached, min(first, last)), max(reached, min(end, last))
        if first < end:
            found[first] = score
        reached = end
    return {**found, last: 0}


def measure_vector(one: TapeEntry, other: TapeEntry, declared: Fraction | float | None, call: str = "") -> Moved:
    """Return how far apart two vectors are: in L1, or the square of it in L2 where the noise is Gaussian.

    `declared` is in the same: an L2 sensitivity is squared already.
    """
    gaps, step = list_input_gaps(one, other), find_step(one.asked)
    if is_round(one.asked):
        return Moved(call or one.name, "L2", declared, sum(gap * gap for gap in gaps) * step**2, squared=True)
    return Moved(call or one.name, "L1", declared, sum(map(abs, gaps)) * step)


def is_round(mechanism: Any) -> bool:
    """Say whether a mechanism's price is stated in L2."""
    return isinstance(mechanism.noise if isinstance(mechanism, CountingQueries) else mechanism, ROUND)


def measure_spread(gaps: list[int]) -> int:
    """Return how far two numbers move apart, one of which may be one that nobody moves."""
    return max([0, *gaps]) - min([0, *gaps])


def list_key_gaps(one: TapeEntry, other: TapeEntry) -> list[int]:
    """Return by how much the count of each key differs; keys without a count, and below 0, have 0."""
    mine, theirs = ({write_form(key): count for key, count in dict(each.value).items()} for each in (one, other))
    return [_count(mine, key) - _count(theirs, key) for key in mine.keys() | theirs.keys()]


def _count(counts: Mapping[Any, Any], key: Any) -> int:
    return max(0, int(counts.get(key, 0)))


def list_values(value: Any) -> list[Any]:
    """Return values one by one."""
    held = value.values if isinstance(value, SortedValues) else value
    if isinstance(held, str | bytes | Mapping):
        raise TypeError("these are no values")
    values: list[Any] = np.ravel(np.asarray(held if hasattr(held, "__len__") else list(held), dtype=object)).tolist()
    return values


def count_changed(mine: list[Any], theirs: list[Any]) -> tuple[int, int]:
    """Return how many of some values are gone, and how many are new, in whatever order they come."""
    first, second = (Counter("nan" if each != each else each for each in values) for values in (mine, theirs))
    return (first - second).total(), (second - first).total()


def measure_numbers(mine: Any, theirs: Any) -> Fraction:
    """Return how far apart two numbers, lists, arrays or dictionaries of them are in L1, exactly."""
    if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        if list(map(write_form, mine)) != list(map(write_form, theirs)):
            raise ValueError("these have other keys")
        return sum((measure_numbers(mine[key], theirs[key]) for key in mine), Fraction(0))
    if isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray):
        mine, theirs = mine.tolist(), theirs.tolist()
    if isinstance(mine, list | tuple) and isinstance(theirs, list | tuple):
        return sum((measure_numbers(a, b) for a, b in zip(mine, theirs, strict=True)), Fraction(0))
    if write_form(mine) == write_form(theirs):
        return Fraction(0)
    if not (isinstance(mine, Real) and isinstance(theirs, Real)):
        raise TypeError("these are no numbers")
    return abs(_to_fraction(mine) - _to_fraction(theirs))


def _to_fraction(number: Any) -> Fraction:
    return Fraction(number.item() if isinstance(number, np.generic) else number)
