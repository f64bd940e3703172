"""Unary encoding, counted bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import UnaryEncoding
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, find_padded, sum_bits, toss

AT_ONCE = 1 << 24
"""Bits that are tossed together."""


class UnaryOracle(ItemOracle[UnaryEncoding]):
    """Counts how often each bit was set."""

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
            own = items[start : start + step]
            found = toss(self.mechanism.flip, len(own) * size).reshape(len(own), size)
            found[np.arange(len(own)), own] = toss(self.mechanism.keep, len(own))
            payloads[start : start + step] = np.packbits(found, axis=1, bitorder="little")
        return Batch(np.zeros(len(items), dtype=np.int64), payloads)

    def count(self, batch: Batch) -> Counted:
        """Return how often each bit was set."""
        good = find_padded(batch.payloads, self.mechanism.size) & (batch.seeds == 0)
        payloads = batch.payloads if good.all() else batch.payloads[good]
        return Counted(sum_bits(payloads, self.mechanism.size), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how often each bit was set."""
        return counts
