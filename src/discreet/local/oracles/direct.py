"""k-ary randomised response, counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import DirectResponse
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, pack_numbers, toss, unpack_numbers
from discreet.noise import uniform_int


class DirectOracle(ItemOracle[DirectResponse]):
    """Counts how often each item was told."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each item."""
        return (self.mechanism.size,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        told = tell(self.mechanism, np.asarray(values, dtype=np.int64))
        return Batch(np.zeros(len(told), dtype=np.int64), pack_numbers(told, self.mechanism.payload_size))

    def count(self, batch: Batch) -> Counted:
        """Return how often each item was told."""
        told = unpack_numbers(batch.payloads)
        good = (told < self.mechanism.size) & (batch.seeds == 0)
        return Counted(np.bincount(told[good], minlength=self.mechanism.size), good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how often each item was told."""
        return counts


def tell(response: DirectResponse, items: Ints) -> Ints:
    """Return each item or another one, as `DirectResponse.tell` does."""
    honest = toss(response.truth, len(items))
    shift = 1 + uniform_int(response.size - 1, len(items))
    return np.where(honest, items, (items + shift) % response.size)
