"""Noise on exact aggregates: which keys may be shown, and every measure with its noise. Only the desk calls this."""

from __future__ import annotations

import numpy as np

from discreet.curator.release import rank_tree
from discreet.curator.release.choosing import choose
from discreet.curator.release.released import Released, ReleasedSet
from discreet.engines.result import ExactResult, GroupedSums
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Drawn, Quantile
from discreet.plan.bounded import BoundedPlan, Part
from discreet.query.draws import Draws


def release(plan: BoundedPlan, exact: ExactResult, draws: Draws) -> Released:
    """Keep the keys that may be shown, and add each measure's noise to its vector over all of these.

    With a choice nothing is released but the places of the chosen: no score, and no noisy score either.
    """
    if draws.choice is not None:
        (found,) = exact.sets
        return Released((ReleasedSet((), chosen=choose(plan, found, draws.choice)),))
    return Released(tuple(_release_set(plan, each, draws) for each in exact.sets))


def _release_set(plan: BoundedPlan, found: GroupedSums, draws: Draws) -> ReleasedSet:
    if found.keys is None:
        return _add_noise(plan, found, draws, {})
    if draws.counted is None:
        assert isinstance(draws.selection, KeySelection)
        kept = draws.selection.release(np.array(found.units, dtype=np.int64))
        kept_keys = [place for place, chosen in enumerate(kept) if chosen]
        return _add_noise(plan, _select_keys(found, kept_keys), draws, {})
    noise = draws.noises[draws.counted]
    assert isinstance(draws.selection, KeyThreshold)
    assert not isinstance(noise, Quantile)
    exact = list(found.sums[draws.counted])
    counts = [int(value) for value in noise.release(exact)] if exact else []
    kept = draws.selection.release(counts)
    places = _sort_keys(found, [place for place, chosen in enumerate(kept) if chosen])
    done = {draws.counted: tuple(counts[place] for place in places)}
    return _add_noise(plan, _select_keys(found, places), draws, done)


def _sort_keys(found: GroupedSums, places: list[int]) -> list[int]:
    keys = found.keys or ()
    return sorted(places, key=lambda place: [(str(type(value)), value) for value in keys[place]])


def _select_keys(found: GroupedSums, places: list[int]) -> GroupedSums:
    """Return a set with these keys alone, sorted; the others are not looked at again."""
    places = _sort_keys(found, places)
    sums = tuple(tuple(row[place] for place in places) for row in found.sums)
    cells = {measure: tuple(each[place] for place in places) for measure, each in found.cells.items()}
    return GroupedSums(sums, cells, tuple((found.keys or ())[place] for place in places))


def _add_noise(plan: BoundedPlan, found: GroupedSums, draws: Draws, done: dict[int, tuple[int, ...]]) -> ReleasedSet:
    """Return a set with noise; `done` are measures that have theirs already."""
    quantiles = dict(draws.quantiles)
    sums: list[tuple[int, ...]] = []
    trees: dict[int, tuple[rank_tree.Nodes, ...]] = {}
    drawn: dict[int, tuple[Drawn, ...]] = {}
    for place, (measure, noise) in enumerate(zip(plan.measures, draws.noises, strict=True)):
        if isinstance(noise, Quantile):
            drawn[place] = tuple(noise.release(cells) for cells in found.cells[place])
            sums.append(())
        elif measure.part is Part.RANKS:
            assert measure.grid is not None
            grid = measure.grid
            trees[place] = tuple(
                rank_tree.explore(cells, grid, noise, quantiles[place]) for cells in found.cells[place]
            )
            sums.append(())
        elif place in done:
            sums.append(done[place])
        else:
            exact = list(found.sums[place])
            sums.append(tuple(int(value) for value in noise.release(exact)) if exact else ())
    return ReleasedSet(tuple(sums), trees, drawn, found.keys)
