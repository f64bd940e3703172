"""Noise on exact aggregates: what is recorded in the ledger, and everything that an answer is made from afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.curator import ranks
from discreet.engines.result import Exact
from discreet.plan.bounded import Part
from discreet.query.price import Price


@dataclass(frozen=True, slots=True)
class Released:
    """Noisy whole numbers: `sums[measure][key]`, and `trees[measure][key]` of noisy ranks. Safe to show."""

    sums: tuple[tuple[int, ...], ...]
    trees: dict[int, tuple[ranks.Nodes, ...]]

    def to_bytes(self) -> bytes:
        """Return the form that the ledger keeps."""
        trees = {
            str(measure): [{f"{level}.{index}": count for (level, index), count in nodes.items()} for nodes in each]
            for measure, each in self.trees.items()
        }
        return json.dumps({"version": 1, "sums": self.sums, "trees": trees}, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Released:
        """Return what `to_bytes` wrote."""
        values: dict[str, Any] = json.loads(data)
        trees = {
            int(measure): tuple(
                {(int(name.split(".")[0]), int(name.split(".")[1])): count for name, count in nodes.items()}
                for nodes in each
            )
            for measure, each in values["trees"].items()
        }
        return cls(tuple(tuple(row) for row in values["sums"]), trees)


def release(priced: Price, exact: Exact, shares: dict[int, tuple[Fraction, ...]]) -> Released:
    """Add each measure's noise to its vector over all keys, in whole numbers of any size.

    `shares` are the quantiles asked of each measure of ranks.
    """
    sums: list[tuple[int, ...]] = []
    trees: dict[int, tuple[ranks.Nodes, ...]] = {}
    for place, (measure, noise) in enumerate(zip(priced.bounded.plan.measures, priced.noises, strict=True)):
        if measure.part is Part.RANKS:
            assert measure.grid is not None
            grid = measure.grid
            trees[place] = tuple(ranks.explore(cells, grid, noise, shares[place]) for cells in exact.cells[place])
            sums.append(())
        else:
            sums.append(tuple(int(value) for value in noise.release(list(exact.sums[place]))))
    return Released(tuple(sums), trees)
