"""Unary encoding, counted bit by bit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import UnaryEncoding
from discreet.local.oracles.oracle import Batch, Bools, Counted, Item, ItemOracle, find_padded, sum_bits, toss

AT_ONCE = 1 << 24
"""Bits that are tossed together."""


class BitsOracle(ItemOracle[Item]):
    """Counts how often each item's bit was set."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each item."""
        return (self.mechanism.size,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        items = np.asarray(values, dtype=np.int64)
        payloads = np.empty((len(items), self.mechanism.payload_size), dtype=np.uint8)
        step = max(1, AT_ONCE // self.mechanism.size)
        for start in range(0, len(items), step):
            found = self._toss_bits(items[start : start + step])
            payloads[start : start + step] = np.packbits(found, axis=1, bitorder="little")
        return Batch(np.zeros(len(items), dtype=np.int64), payloads)

    @abstractmethod
    def _toss_bits(self, items: Ints) -> Bools:
        """Return a line of noisy bits for each item."""

    def count(self, batch: Batch) -> Counted:
        """Return how often each bit was set."""
        good = find_padded(batch.payloads, self.mechanism.size) & (batch.seeds == 0)
        payloads = batch.payloads if good.all() else batch.payloads[good]
        return Counted(sum_bits(payloads, self.mechanism.size), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how often each bit was set."""
        return counts


class UnaryOracle(BitsOracle[UnaryEncoding]):
    """Unary encoding, in bulk."""

    def _toss_bits(self, items: Ints) -> Bools:
        return toss_bits(self.mechanism.keep, self.mechanism.flip, items, self.mechanism.size)


def toss_bits(keep: int, flip: int, items: Ints, size: int) -> Bools:
    """Return a line of bits for each item: its own is set with one chance, all others with another."""
    found = toss(flip, len(items) * size).reshape(len(items), size)
    found[np.arange(len(items)), items] = toss(keep, len(items))
    return found
