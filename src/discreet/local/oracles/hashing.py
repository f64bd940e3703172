"""Local hashing, counted by function and bucket where there is a pool of functions, else item by item."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.base.wide import Ints
from discreet.local.client import LocalHashing, MemoisedHashing
from discreet.local.oracles.direct import tell
from discreet.local.oracles.oracle import Batch, Counted, ItemOracle, pack_numbers, unpack_numbers
from discreet.noise import uniform_int

MOST_POOLED = 1 << 26
"""Counts of functions and buckets that are held; with more functions every report is decoded as it comes."""

AT_ONCE = 1 << 22
HALF = np.uint64((1 << 32) - 1)


Hashing = TypeVar("Hashing", LocalHashing, MemoisedHashing)


class BucketsOracle(ItemOracle[Hashing]):
    """Counts reports by function and bucket, or the items that they support."""

    @property
    def pooled(self) -> bool:
        """Whether functions are few enough to be counted one by one."""
        return self.mechanism.pool * self.mechanism.buckets <= MOST_POOLED

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each function and bucket, or for each item."""
        return (self.mechanism.pool, self.mechanism.buckets) if self.pooled else (self.mechanism.size,)

    def encode(self, values: Any) -> Batch:
        """Return a report for each item."""
        items = np.asarray(values).astype(np.uint64)
        seeds = uniform_int(self.mechanism.pool, len(items))
        told = self._tell(find_buckets(seeds, items, self.mechanism.buckets))
        return Batch(seeds, pack_numbers(told, self.mechanism.payload_size))

    @abstractmethod
    def _tell(self, buckets: Ints) -> Ints:
        """Return each bucket, noisy."""

    def count(self, batch: Batch) -> Counted:
        """Return how many reports there are of each function and bucket, or how many support each item."""
        told = unpack_numbers(batch.payloads)
        good = (told < self.mechanism.buckets) & (batch.seeds >= 0) & (batch.seeds < self.mechanism.pool)
        seeds, told = batch.seeds[good], told[good]
        if self.pooled:
            both = seeds * self.mechanism.buckets + told
            found = np.bincount(both, minlength=self.mechanism.pool * self.mechanism.buckets)
            return Counted(found.reshape(self.shape), good)
        items = np.arange(self.mechanism.size, dtype=np.uint64)
        total = np.zeros(self.mechanism.size, dtype=np.int64)
        step = max(1, AT_ONCE // self.mechanism.size)
        for start in range(0, len(seeds), step):
            buckets = find_buckets(seeds[start : start + step, None], items, self.mechanism.buckets)
            total += (buckets == told[start : start + step, None]).sum(axis=0)
        return Counted(total, good)

    def find_supports(self, counts: Ints) -> Ints:
        """Return how many reports support each item."""
        return self.find_supports_of(counts, np.arange(self.mechanism.size)) if self.pooled else counts

    def find_supports_of(self, counts: Ints, items: Ints) -> Ints:
        """Return how many pooled reports support some items: each function adds the count of the item's bucket."""
        keys, total = items.astype(np.uint64), np.zeros(len(items), dtype=np.int64)
        step = max(1, AT_ONCE // max(1, len(items)))
        for start in range(0, self.mechanism.pool, step):
            seeds = np.arange(start, min(start + step, self.mechanism.pool))[:, None]
            total += counts[seeds, find_buckets(seeds, keys, self.mechanism.buckets)].sum(axis=0)
        return total

    def find_spread(self, counts: Ints, squares: float) -> float:
        """Return the variance that a pool's own collisions add.

        Two items share a bucket in 1 / buckets of all functions, and in a pool of them in more or less. An item of
        frequency f moves another's estimate by f times what is too many, times buckets / (buckets - 1): a variance of
        f^2 / (pool (buckets - 1)).
        """
        return squares / (self.mechanism.pool * (self.mechanism.buckets - 1)) if self.pooled else 0.0


class HashingOracle(BucketsOracle[LocalHashing]):
    """Local hashing, in bulk."""

    def _tell(self, buckets: Ints) -> Ints:
        return tell(self.mechanism.response, buckets)


def find_buckets(seeds: Ints, keys: NDArray[np.uint64], buckets: int) -> Ints:
    """Return the buckets of keys, as `client.hashing.find_bucket` does."""
    three = np.uint64(3) * seeds.astype(np.uint64)
    low, high, plus = (_mix(three + np.uint64(place)) for place in range(3))
    upper = (low * (keys & HALF) + high * (keys >> np.uint64(32)) + plus) >> np.uint64(32)
    return ((upper * np.uint64(buckets)) >> np.uint64(32)).astype(np.int64)


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    words = (words + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)
