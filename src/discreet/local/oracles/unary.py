"""Unary encoding, counted bit by bit."""

from __future__ import annotations

import os
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import UnaryEncoding
from discreet.local.oracles.oracle import Batch, Bytes, Counted, Item, ItemOracle, find_padded, sum_bits, toss
from discreet.local.oracles.packed_coins import toss_bytes

AT_ONCE = 1 << 20
"""Bytes that are tossed together."""


class BitsOracle(ItemOracle[Item]):
    """Counts how often each item's bit was set."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each item."""
        return (self.mechanism.size,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item; threads share the work."""
        items, width = np.asarray(values, dtype=np.int64), self.mechanism.payload_size
        payloads = np.empty((len(items), width), dtype=np.uint8)
        step = max(1, AT_ONCE // width)

        def fill(start: int) -> None:
            payloads[start : start + step] = self._toss_lines(items[start : start + step])

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(fill, range(0, len(items), step)))
        return Batch(np.zeros(len(items), dtype=np.int64), payloads)

    @abstractmethod
    def _toss_lines(self, items: Ints) -> Bytes:
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

    def _toss_lines(self, items: Ints) -> Bytes:
        return toss_lines(self.mechanism.keep, self.mechanism.flip, items, self.mechanism.size)


def toss_lines(keep: int, flip: int, items: Ints, size: int) -> Bytes:
    """Return a line of bits for each item: its own is set with one chance, all others with another."""
    width = -(-size // 8)
    lines = toss_bytes(flip, len(items) * width).reshape(len(items), width)
    own, mask = (np.arange(len(items)), items >> 3), (1 << (items & 7)).astype(np.uint8)
    lines[own] = np.where(toss(keep, len(items)), lines[own] | mask, lines[own] & ~mask)
    return cut_lines(lines, size)


def cut_lines(lines: Bytes, size: int) -> Bytes:
    """Clear the bits of lines beyond the last item's."""
    lines[:, -1] &= np.uint8(255 >> (8 * lines.shape[1] - size))
    return lines
