"""One of many attributes, counted by the oracle of each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.local.client import Sampled
from discreet.local.oracles.oracle import Batch, Counted, Oracle
from discreet.noise import uniform_int


class PartCounts(NamedTuple):
    """What was counted of one attribute."""

    reports: int
    counts: Ints


class SampledOracle(Oracle[Sampled]):
    """Counts the reports of each attribute as its own oracle does, one after the other, and how many they are."""

    def __init__(self, mechanism: Sampled, parts: Sequence[Oracle[Any]]) -> None:
        super().__init__(mechanism)
        self.parts = tuple(parts)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many reports each attribute has, and all counts in a line."""
        return (len(self.parts) + sum(int(np.prod(part.shape)) for part in self.parts),)

    def encode(self, values: Any) -> Batch:
        """Return a report for each record, of which every attribute is as its oracle encodes it."""
        rows = list(values)
        return self.encode_columns(list(zip(*rows, strict=True)) if rows else [[] for _ in self.parts])

    def encode_columns(self, columns: Sequence[Any]) -> Batch:
        """Return a report for each record; there is a column for each attribute, a sequence or an array."""
        sizes = {len(column) for column in columns}
        if len(columns) != len(self.parts) or len(sizes) != 1:
            raise ParameterError.of_data("values", columns, f"{len(self.parts)} columns of one length")
        chosen = uniform_int(len(columns), sizes.pop())
        seeds = chosen * self.mechanism.each_seeds
        payloads = np.zeros((len(chosen), self.mechanism.payload_size), dtype=np.uint8)
        for place, (part, column) in enumerate(zip(self.parts, columns, strict=True)):
            lines = np.flatnonzero(chosen == place)
            held = column[lines] if isinstance(column, np.ndarray) else [column[line] for line in lines]
            made = part.encode(held)
            seeds[lines] += made.seeds
            payloads[lines, : made.payloads.shape[1]] = made.payloads
        return Batch(seeds, payloads)

    def count(self, batch: Batch) -> Counted:
        """Return the reports and counts of each attribute; what fills a payload up is zeros."""
        chosen, inner = np.divmod(batch.seeds, self.mechanism.each_seeds)
        good = np.zeros(len(batch), dtype=bool)
        reports, found = [], []
        for place, part in enumerate(self.parts):
            width = part.mechanism.payload_size
            lines = np.flatnonzero((chosen == place) & ~batch.payloads[:, width:].any(axis=1))
            counts, sound = part.count(Batch(inner[lines], batch.payloads[lines, :width]))
            good[lines] = sound
            reports.append(int(sound.sum()))
            found.append(counts.ravel())
        return Counted(np.concatenate([np.array(reports, dtype=np.int64), *found]), good)

    def split(self, counts: Ints) -> tuple[PartCounts, ...]:
        """Return what was counted of each attribute."""
        sizes = [int(np.prod(part.shape)) for part in self.parts]
        ends = pairwise(accumulate(sizes, initial=len(self.parts)))
        return tuple(
            PartCounts(int(counts[place]), counts[start:end].reshape(part.shape))
            for place, (part, (start, end)) in enumerate(zip(self.parts, ends, strict=True))
        )
