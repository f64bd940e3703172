"""What was released of a plan: the numbers that are recorded, and that everything in an answer is made from."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from discreet.base.errors import LedgerError
from discreet.curator.release.rank_tree import Nodes
from discreet.engines.result import KeyValues
from discreet.mechanisms.quantile import Drawn
from discreet.plan.expressions import Constant

VERSION, NEWER_VERSION, SEVERAL_VERSION, COUNTED_VERSION = 3, 4, 5, 6
"""The versions of the form in which released numbers are recorded: plain ones; where quantiles were drawn or
candidates chosen; of several releases of one statement, each of which is written in its own; and where what was left
out was counted. What a version means never changes. Quantiles of version 3 had another interval; they were drawn at
another price, so that no question asks for them any more.
"""


@dataclass(frozen=True, slots=True)
class ReleasedSet:
    """Noisy whole numbers of one set of keys: sums, trees of noisy ranks and drawn quantiles, by measure and key.

    `keys` are those that were selected from the data, sorted; None where they are public.
    """

    sums: tuple[tuple[int, ...], ...]
    trees: dict[int, tuple[Nodes, ...]] = field(default_factory=dict)
    drawn: dict[int, tuple[Drawn, ...]] = field(default_factory=dict)
    keys: tuple[KeyValues, ...] | None = None
    chosen: tuple[tuple[int, ...], ...] | None = None
    """The places of candidates that were chosen by score, in each part of them; then nothing else was released."""


@dataclass(frozen=True, slots=True)
class Released:
    """What was released, of every set of keys, and of every release beside it. Safe to show."""

    sets: tuple[ReleasedSet, ...]
    beside: tuple[Released, ...] = ()
    left_out: int | None = None
    """The noisy count of what limits left out, where it was asked for."""

    def to_bytes(self) -> bytes:
        """Return the form that the ledger keeps."""
        if self.beside:
            parts = [json.loads(each.to_bytes()) for each in (replace(self, beside=()), *self.beside)]
            return json.dumps({"version": SEVERAL_VERSION, "releases": parts}, separators=(",", ":")).encode()
        values: dict[str, Any] = {"version": self._version, "sets": [_written(each) for each in self.sets]}
        if self.left_out is not None:
            values["left_out"] = self.left_out
        return json.dumps(values, separators=(",", ":")).encode()

    @property
    def _version(self) -> int:
        """The least version that has all of this: records stay readable to programs that know no more."""
        if self.left_out is not None:
            return COUNTED_VERSION
        return NEWER_VERSION if any(each.drawn or each.chosen is not None for each in self.sets) else VERSION

    @classmethod
    def from_bytes(cls, data: bytes) -> Released:
        """Return what `to_bytes` wrote."""
        values: dict[str, Any] = json.loads(data)
        if values.get("version") == SEVERAL_VERSION:
            first, *others = (cls._read(each) for each in values["releases"])
            return replace(first, beside=tuple(others))
        return cls._read(values)

    @classmethod
    def _read(cls, values: dict[str, Any]) -> Released:
        version = values.get("version")
        old = version == VERSION and any(each["drawn"] for each in values["sets"])
        if version not in (VERSION, NEWER_VERSION, COUNTED_VERSION) or old:
            raise LedgerError(f"a recorded answer has version {version}, and this program reads 3 to 6")
        return cls(tuple(_read(each) for each in values["sets"]), left_out=values.get("left_out"))


def _written(found: ReleasedSet) -> dict[str, Any]:
    if found.chosen is not None:
        return {"chosen": found.chosen}
    trees = {
        str(measure): [{f"{level}.{index}": count for (level, index), count in nodes.items()} for nodes in each]
        for measure, each in found.trees.items()
    }
    drawn = {
        str(measure): [[one.value, one.points, str(one.share), one.scale, one.counts] for one in each]
        for measure, each in found.drawn.items()
    }
    keys = None if found.keys is None else [[_plain(value) for value in key] for key in found.keys]
    return {"sums": found.sums, "trees": trees, "drawn": drawn, "keys": keys}


def _read(values: dict[str, Any]) -> ReleasedSet:
    if "chosen" in values:
        return ReleasedSet((), chosen=tuple(tuple(part) for part in values["chosen"]))
    trees = {
        int(measure): tuple(
            {(int(name.split(".")[0]), int(name.split(".")[1])): count for name, count in nodes.items()}
            for nodes in each
        )
        for measure, each in values["trees"].items()
    }
    drawn = {int(measure): tuple(_drawn(*one) for one in each) for measure, each in values["drawn"].items()}
    listed = values["keys"]
    keys = None if listed is None else tuple(tuple(_value(value) for value in key) for key in listed)
    return ReleasedSet(tuple(tuple(row) for row in values["sums"]), trees, drawn, keys)


def _drawn(value: int, points: int, share: str, scale: float, counts: list[int]) -> Drawn:
    return Drawn(value, points, Fraction(share), scale, tuple(counts))


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
