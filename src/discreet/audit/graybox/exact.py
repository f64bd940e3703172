"""How far apart exact results are on two databases: sums by key, distinct units, scores, rows of units."""

from __future__ import annotations

from collections import Counter
from typing import Any

from discreet.engines.result import ExactResult, ExactRows
from discreet.plan.bounded import BoundedPlan
from discreet.query.choices import Choice, Spreads
from discreet.query.draws import Draws

KeyedSums = dict[tuple[Any, ...], int]
"""A number for each set of keys, key and, for ranks, cell; those that are not there are 0."""


def list_sums(exact: ExactResult, place: int) -> KeyedSums:
    """Return a measure over all keys of all sets, in cells where it is counted in them."""
    found: KeyedSums = {}
    for index, each in enumerate(exact.sets):
        keys: list[Any] = list(range(len(each.sums[place]))) if each.keys is None else list(each.keys)
        if place in each.cells:
            for key, cells in zip(keys, each.cells[place], strict=True):
                found.update({(index, key, cell): count for cell, count in cells.items()})
        else:
            found.update({(index, key): value for key, value in zip(keys, each.sums[place], strict=True)})
    return found


def list_units(exact: ExactResult) -> KeyedSums:
    """Return the distinct units of every key that comes from the data."""
    sets = [(index, each) for index, each in enumerate(exact.sets) if each.keys is not None]
    return {(i, key): count for i, each in sets for key, count in zip(each.keys or (), each.units, strict=True)}


def list_undrawn(plan: BoundedPlan, exact: ExactResult, draws: Draws, asked: list[Any]) -> list[str]:
    """Return the mechanisms that were declared for a plan and not asked: what they hide was told as it is.

    Those of measures are asked for every set of public keys. Keys of the data may be none, but are always selected.
    """
    if draws.choice is not None:
        return []
    called = Counter(map(repr, asked))
    wanted: Counter[str] = Counter()
    if any(each.keys is None for each in exact.sets):
        pairs = zip(plan.measures, draws.noises, strict=True)
        wanted.update(repr(noise) for measure, noise in pairs if measure.levels > 0)
    if draws.selection is not None and any(each.keys is not None for each in exact.sets):
        wanted[repr(draws.selection)] += 1
    return sorted((wanted - called).keys())


def list_gaps(one: KeyedSums, other: KeyedSums) -> list[int]:
    """Return where two vectors differ, and how far."""
    return [gap for key in one.keys() | other.keys() if (gap := one.get(key, 0) - other.get(key, 0))]


def find_spreads(plan: BoundedPlan, choice: Choice, one: ExactResult, other: ExactResult) -> Spreads:
    """Return how far apart scores move by which keys are chosen, in one part and in all."""
    moved = [a - b for a, b in zip(*(choice.score.rate(each.sets[0]) for each in (one, other)), strict=True)]
    size = choice.count_each(plan)
    parts = [moved[start : start + size] for start in range(0, len(moved), size)]
    spreads = [max(part) - min(part) for part in parts]
    return Spreads(sum(spreads), sum(each**2 for each in spreads))


def list_changed_units(one: ExactRows, other: ExactRows) -> tuple[list[int], list[int]]:
    """Return the rows of each unit that only the first has, and of each that only the other has.

    A unit is known by its rows alone, so that two with the same rows are told apart from none of them by number.
    """
    first, second = _list_blocks(one), _list_blocks(other)
    gone, come = first - second, second - first
    return [rows for rows, _ in gone.elements()], [rows for rows, _ in come.elements()]


def _list_blocks(rows: ExactRows) -> Counter[tuple[int, bytes]]:
    found: Counter[tuple[int, bytes]] = Counter()
    for first, last in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
        found[int(last - first), rows.points[first:last].tobytes()] += 1
    return found
