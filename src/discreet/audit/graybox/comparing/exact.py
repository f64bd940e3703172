"""How far apart exact results are on two databases: sums by key, distinct units, scores, rows of units."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from discreet.audit.graybox.recording.tape import TapeEntry
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


@dataclass(frozen=True, slots=True)
class Askings:
    """How often each mechanism is to be asked for a plan, and about how many numbers in all, by its form."""

    times: Counter[str]
    numbers: Counter[str]
    """Of noise that is added to sums alone: how many ranks a tree is asked about depends on what it said."""


def count_askings(plan: BoundedPlan, exact: ExactResult, draws: Draws, inner: list[TapeEntry]) -> Askings:
    """Return how often each mechanism is to be asked: neither more, for one price, nor less, which shows what is exact.

    Once for each set of keys; drawn quantiles for each key, and trees of ranks for each key and level; choices in each
    of their parts. Of keys of the data it is those that the selection in `inner` has kept.
    """
    found = Askings(Counter(), Counter())
    if draws.choice is not None:
        found.times[repr(draws.choice.pick)] += draws.choice.parts
        return found
    selected = iter([each.told for each in inner if each.asked == draws.selection])
    for each in exact.sets:
        kept = None if each.keys is None else sum(map(bool, next(selected, ())))
        if each.keys is not None:
            found.times[repr(draws.selection)] += 1
        for place, (measure, noise) in enumerate(zip(plan.measures, draws.noises, strict=True)):
            every = len(each.cells[place] if measure.in_cells else each.sums[place])
            many = every if kept is None or place == draws.counted else kept
            found.times[repr(noise)] += many * measure.levels if measure.in_cells else min(many, 1)
            found.numbers[repr(noise)] += 0 if measure.in_cells else many
    return found


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
