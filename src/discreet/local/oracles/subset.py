"""Subset selection, counted item by item."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import SubsetSelection
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, find_padded, sum_bits, toss
from discreet.noise import bits

AT_ONCE = 1 << 20
LAST = np.uint64((1 << 64) - 1)


class SubsetOracle(ItemOracle[SubsetSelection]):
    """Counts how often each item was in a set."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each item."""
        return (self.mechanism.size,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        items, size = np.asarray(values, dtype=np.int64), self.mechanism.size
        payloads = np.empty((len(items), self.mechanism.payload_size), dtype=np.uint8)
        step = max(1, AT_ONCE // size)
        for start in range(0, len(items), step):
            payloads[start : start + step] = self._choose(items[start : start + step])
        return Batch(np.zeros(len(items), dtype=np.int64), payloads)

    def _choose(self, items: Ints) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return sets for some items: of chosen others the last makes room where the own one is held."""
        lines, held = np.arange(len(items)), toss(self.mechanism.truth, len(items))
        found = np.zeros((len(items), self.mechanism.size), dtype=bool)
        taken = choose_others(items, self.mechanism.size, self.mechanism.chosen)
        found[lines[:, None], taken] = True
        found[lines, taken[:, -1]] = ~held
        found[lines, items] = held
        return np.packbits(found, axis=1, bitorder="little")

    def count(self, batch: Batch) -> Counted:
        """Return how often each item was in a set; a set of another size is not sound."""
        chosen = np.bitwise_count(batch.payloads).sum(axis=1, dtype=np.int64)
        good = find_padded(batch.payloads, self.mechanism.size) & (chosen == self.mechanism.chosen)
        good &= batch.seeds == 0
        return Counted(sum_bits(batch.payloads[good], self.mechanism.size), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how often each item was in a set."""
        return counts


def choose_others(items: Ints, size: int, chosen: int) -> Ints:
    """Return for each item so many others, each set of them equally likely, and so each of them to be the last.

    Those with the smallest random words are chosen, the largest of them last. Where the next one is equal to it, the
    words are drawn again: what is left treats all others alike.
    """
    found = np.empty((len(items), chosen), dtype=np.int64)
    left = np.arange(len(items))
    while len(left):
        keys = bits.words(len(left) * size).reshape(len(left), size).copy()
        keys[np.arange(len(left)), items[left]] = LAST
        found[left] = keys.argpartition(chosen - 1, axis=1)[:, :chosen]
        last = np.take_along_axis(keys, found[left][:, -1:], axis=1)
        left = left[(keys <= last).sum(axis=1) != chosen]
    return found
