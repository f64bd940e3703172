"""Noise on exact aggregates: what is recorded in the ledger, and everything that an answer is made from afterwards."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.curator.release import rank_tree
from discreet.engines.result import ExactResult, GroupedSums, KeyValues
from discreet.mechanisms.key_selection import KeySelection
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.quantile import Drawn, Quantile
from discreet.plan.bounded import Part
from discreet.plan.expressions import Constant
from discreet.query.price import Price

Shares = dict[int, tuple[Fraction, ...]]
"""The quantiles that are asked of each tree of ranks."""


@dataclass(frozen=True, slots=True)
class ReleasedSet:
    """Noisy whole numbers of one set of keys: sums, trees of noisy ranks and drawn quantiles, by measure and key.

    `keys` are those that were selected, sorted; None where they are public.
    """

    sums: tuple[tuple[int, ...], ...]
    trees: dict[int, tuple[rank_tree.Nodes, ...]] = field(default_factory=dict)
    drawn: dict[int, tuple[Drawn, ...]] = field(default_factory=dict)
    keys: tuple[KeyValues, ...] | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """What was released, of every set of keys. Safe to show."""

    sets: tuple[ReleasedSet, ...]

    def to_bytes(self) -> bytes:
        """Return the form that the ledger keeps."""
        written = [_written(each) for each in self.sets]
        return json.dumps({"version": 2, "sets": written}, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Released:
        """Return what `to_bytes` wrote; answers of the first version had one set, without selected keys."""
        values: dict[str, Any] = json.loads(data)
        return cls(tuple(_read(each) for each in (values["sets"] if values["version"] > 1 else [values])))


def _written(found: ReleasedSet) -> dict[str, Any]:
    trees = {
        str(measure): [{f"{level}.{index}": count for (level, index), count in nodes.items()} for nodes in each]
        for measure, each in found.trees.items()
    }
    drawn = {
        str(measure): [[one.value, one.low, one.high, one.last, one.confidence] for one in each]
        for measure, each in found.drawn.items()
    }
    keys = None if found.keys is None else [[_plain(value) for value in key] for key in found.keys]
    return {"sums": found.sums, "trees": trees, "drawn": drawn, "keys": keys}


def _read(values: dict[str, Any]) -> ReleasedSet:
    trees = {
        int(measure): tuple(
            {(int(name.split(".")[0]), int(name.split(".")[1])): count for name, count in nodes.items()}
            for nodes in each
        )
        for measure, each in values["trees"].items()
    }
    drawn = {int(measure): tuple(Drawn(*one) for one in each) for measure, each in values.get("drawn", {}).items()}
    listed = values.get("keys")
    keys = None if listed is None else tuple(tuple(_value(value) for value in key) for key in listed)
    return ReleasedSet(tuple(tuple(row) for row in values["sums"]), trees, drawn, keys)


def _plain(value: Constant) -> Any:
    """Return a key as JSON in which dates, times and fractions are none of the plain types."""
    if isinstance(value, dt.datetime):
        return {"timestamp": value.isoformat()}
    if isinstance(value, dt.date):
        return {"date": value.isoformat()}
    return {"number": str(value)} if isinstance(value, Fraction) else value


def _value(value: Any) -> Constant:
    if not isinstance(value, dict):
        found: Constant = value
        return found
    if "timestamp" in value:
        return dt.datetime.fromisoformat(value["timestamp"])
    return dt.date.fromisoformat(value["date"]) if "date" in value else Fraction(value["number"])


def release(priced: Price, exact: ExactResult, shares: Shares) -> Released:
    """Keep the keys that may be shown, and add each measure's noise to its vector over all of these."""
    return Released(tuple(_released(priced, each, shares) for each in exact.sets))


def _released(priced: Price, found: GroupedSums, shares: Shares) -> ReleasedSet:
    if found.keys is None:
        return _noisy(priced, found, shares, {})
    if priced.counted is None:
        assert isinstance(priced.selection, KeySelection)
        kept = priced.selection.release(np.array(found.units, dtype=np.int64))
        return _noisy(priced, _of(found, [place for place, chosen in enumerate(kept) if chosen]), shares, {})
    noise = priced.noises[priced.counted]
    assert isinstance(priced.selection, KeyThreshold)
    assert not isinstance(noise, Quantile)
    exact = list(found.sums[priced.counted])
    counts = [int(value) for value in noise.release(exact)] if exact else []
    kept = priced.selection.release(counts)
    places = _sorted(found, [place for place, chosen in enumerate(kept) if chosen])
    return _noisy(priced, _of(found, places), shares, {priced.counted: tuple(counts[place] for place in places)})


def _sorted(found: GroupedSums, places: list[int]) -> list[int]:
    keys = found.keys or ()
    return sorted(places, key=lambda place: [(str(type(value)), value) for value in keys[place]])


def _of(found: GroupedSums, places: list[int]) -> GroupedSums:
    """Return a set with these keys alone, sorted; the others are not looked at again."""
    places = _sorted(found, places)
    sums = tuple(tuple(row[place] for place in places) for row in found.sums)
    cells = {measure: tuple(each[place] for place in places) for measure, each in found.cells.items()}
    return GroupedSums(sums, cells, tuple((found.keys or ())[place] for place in places))


def _noisy(priced: Price, found: GroupedSums, shares: Shares, done: dict[int, tuple[int, ...]]) -> ReleasedSet:
    """Return a set with noise; `done` are measures that have theirs already."""
    sums: list[tuple[int, ...]] = []
    trees: dict[int, tuple[rank_tree.Nodes, ...]] = {}
    drawn: dict[int, tuple[Drawn, ...]] = {}
    for place, (measure, noise) in enumerate(zip(priced.bounded.plan.measures, priced.noises, strict=True)):
        if isinstance(noise, Quantile):
            drawn[place] = tuple(noise.release(cells) for cells in found.cells[place])
            sums.append(())
        elif measure.part is Part.RANKS:
            assert measure.grid is not None
            grid = measure.grid
            trees[place] = tuple(rank_tree.explore(cells, grid, noise, shares[place]) for cells in found.cells[place])
            sums.append(())
        elif place in done:
            sums.append(done[place])
        else:
            exact = list(found.sums[place])
            sums.append(tuple(int(value) for value in noise.release(exact)) if exact else ())
    return ReleasedSet(tuple(sums), trees, drawn, found.keys)
