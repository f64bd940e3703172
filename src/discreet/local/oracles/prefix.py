"""Prefixes of words, counted by group, hash function and bucket."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import PrefixExtending
from discreet.local.oracles.hashing import HashingOracle
from discreet.local.oracles.oracle import Batch, Counted, Oracle, unpack_numbers
from discreet.noise import uniform_int


class PrefixOracle(Oracle[PrefixExtending]):
    """Counts reports by group, hash function and bucket."""

    def __init__(self, mechanism: PrefixExtending) -> None:
        super().__init__(mechanism)
        self.hashing = HashingOracle(mechanism.hashing)

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each group, function and bucket."""
        return (len(self.mechanism.lengths), *self.hashing.shape)

    def encode(self, values: Any) -> Batch:
        """Return a report for each word, a whole number."""
        words, lengths = np.asarray(values, dtype=np.uint64), np.array(self.mechanism.lengths)
        groups = uniform_int(len(lengths), len(words))
        prefixes = words >> (self.mechanism.bits - lengths[groups]).astype(np.uint64)
        seeds, payloads = self.hashing.encode(prefixes)
        return Batch(groups * self.mechanism.hashing.pool + seeds, payloads)

    def count(self, batch: Batch) -> Counted:
        """Return how many reports there are of each group, function and bucket."""
        buckets = self.mechanism.hashing.buckets
        told = unpack_numbers(batch.payloads)
        good = (told < buckets) & (batch.seeds >= 0) & (batch.seeds < self.mechanism.seeds)
        found = np.bincount(batch.seeds[good] * buckets + told[good], minlength=self.mechanism.seeds * buckets)
        return Counted(found.reshape(self.shape), good)

    def find_supports_of(self, counts: Ints, group: int, prefixes: Any) -> Ints:
        """Return how many of a group's reports support some prefixes."""
        return self.hashing.find_supports_of(counts[group], prefixes)
