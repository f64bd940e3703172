"""Bits of a Hadamard matrix, counted by row and decoded by one transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.families.hadamard import transform
from discreet.local.client import HadamardBit
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, toss
from discreet.noise import uniform_int


class HadamardOracle(ItemOracle[HadamardBit]):
    """Counts bits by row."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each row and bit."""
        return (self.mechanism.seeds, 2)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        items = np.asarray(values, dtype=np.int64)
        rows = uniform_int(self.mechanism.seeds, len(items))
        bit = find_entries(rows, items + 1) ^ ~toss(self.mechanism.truth, len(items))
        return Batch(rows, bit.astype(np.uint8)[:, None])

    def count(self, batch: Batch) -> Counted:
        """Return how many reports there are of each row and bit."""
        bit = batch.payloads[:, 0].astype(np.int64)
        good = (bit < 2) & (batch.seeds >= 0) & (batch.seeds < self.mechanism.seeds)
        found = np.bincount(2 * batch.seeds[good] + bit[good], minlength=2 * self.mechanism.seeds)
        return Counted(found.reshape(self.shape), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how many reports agree with each item's column: half of all, and half of the transform."""
        transformed = transform(counts[:, 0] - counts[:, 1]).astype(np.int64)
        return (int(counts.sum()) + transformed[1 : self.mechanism.size + 1]) // 2


def find_entries(rows: Ints, columns: Ints) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Say where entries of a Hadamard matrix are -1: row and column share an odd number of bits."""
    return np.asarray(np.bitwise_count(rows & columns) & 1, dtype=bool)
