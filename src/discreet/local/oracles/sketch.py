"""Count-mean sketches, counted by function and bucket, and how many reports support a text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from discreet.base.wide import Ints
from discreet.families.hadamard import transform
from discreet.local.client import CountMeanSketch, HadamardSketch, SketchMechanism
from discreet.local.client.sketch import digest
from discreet.local.oracles.hadamard import find_entries
from discreet.local.oracles.oracle import Batch, Counted, Oracle, find_padded, sum_bits, toss
from discreet.local.oracles.unary import UnaryOracle
from discreet.noise import uniform_int

S = TypeVar("S", bound=SketchMechanism)


class SketchOracle(Oracle[S]):
    """An oracle over texts: nothing is decoded but the texts that somebody asks for."""

    @abstractmethod
    def find_table(self, counts: Ints) -> Ints:
        """Return how many reports of each function support each bucket."""

    @abstractmethod
    def find_sizes(self, counts: Ints) -> Ints:
        """Return how many reports each function has."""

    def find_supports_of(self, table: Ints, texts: Sequence[bytes]) -> Ints:
        """Return how many reports support each text: every function adds the support of the text's bucket."""
        lines = np.arange(self.mechanism.functions)
        return np.array([table[lines, self.find_buckets(text)].sum() for text in texts], dtype=np.int64)

    def find_buckets(self, text: bytes) -> Ints:
        """Return the bucket of a text under every function, as `client.sketch.find_text_bucket` does."""
        blocks = -(-self.mechanism.functions // 8)
        words = np.frombuffer(b"".join(digest(block, text) for block in range(blocks)), dtype=">u4")
        return (words[: self.mechanism.functions].astype(np.int64) * self.mechanism.buckets) >> 32

    def find_squares(self, table: Ints, sizes: Ints) -> float:
        """Return an estimate of the sum of squared frequencies, over all texts that anybody has, listed or not."""
        own, missed = float(self.mechanism.supported), float(self.mechanism.missed)
        return estimate_squares(table, sizes, own, missed)

    def find_own_buckets(self, functions: Ints, texts: Sequence[bytes]) -> Ints:
        """Return the bucket of each text under a function of its own; equal digests are made once."""
        known: dict[bytes, int] = {}
        places = np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)
        listed, blocks = list(known), functions >> 3
        pairs, back = np.unique(places << 32 | blocks, return_inverse=True)
        made = b"".join(digest(int(pair & 0xFFFFFFFF), listed[pair >> 32]) for pair in pairs)
        words: Ints = np.frombuffer(made, dtype=">u4").reshape(-1, 8)[back, functions & 7].astype(np.int64)
        return (words * self.mechanism.buckets) >> 32


class CountMeanOracle(SketchOracle[CountMeanSketch]):
    """Counts how often each bit was set, function by function; a last column counts reports."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each function and bit, and one more for its reports."""
        return (self.mechanism.functions, self.mechanism.buckets + 1)

    def encode(self, values: Any) -> Batch:
        """Return a report for each text, in bytes."""
        functions = uniform_int(self.mechanism.functions, len(values))
        buckets = self.find_own_buckets(functions, values)
        return Batch(functions, UnaryOracle(self.mechanism.response).encode(buckets).payloads)

    def count(self, batch: Batch) -> Counted:
        """Return how often each bit was set in reports of each function, and how many these are."""
        functions, buckets = self.mechanism.functions, self.mechanism.buckets
        good = find_padded(batch.payloads, buckets) & (batch.seeds >= 0) & (batch.seeds < functions)
        order = np.flatnonzero(good)[np.argsort(batch.seeds[good], kind="stable")]
        counts = np.zeros(self.shape, dtype=np.int64)
        counts[:, -1] = np.bincount(batch.seeds[good], minlength=functions)
        ends = np.cumsum(counts[:, -1])
        for function in np.flatnonzero(counts[:, -1]):
            lines = order[ends[function] - counts[function, -1] : ends[function]]
            counts[function, :-1] = sum_bits(batch.payloads[lines], buckets)
        return Counted(counts, good)

    def find_table(self, counts: Ints) -> Ints:
        """Return how often each bit was set."""
        return counts[:, :-1]

    def find_sizes(self, counts: Ints) -> Ints:
        """Return how many reports each function has."""
        return counts[:, -1]


class HadamardSketchOracle(SketchOracle[HadamardSketch]):
    """Counts bits by function and row; one transform for each function gives the support of its buckets."""

    @property
    def shape(self) -> tuple[int, ...]:
        """A count for each function, row and bit."""
        return (self.mechanism.functions, self.mechanism.buckets, 2)

    def encode(self, values: Any) -> Batch:
        """Return a report for each text, in bytes."""
        buckets = self.mechanism.buckets
        functions, rows = uniform_int(self.mechanism.functions, len(values)), uniform_int(buckets, len(values))
        bit = find_entries(rows, self.find_own_buckets(functions, values)) ^ ~toss(self.mechanism.truth, len(values))
        return Batch(functions * buckets + rows, bit.astype(np.uint8)[:, None])

    def count(self, batch: Batch) -> Counted:
        """Return how many reports there are of each function, row and bit."""
        bit = batch.payloads[:, 0].astype(np.int64)
        good = (bit < 2) & (batch.seeds >= 0) & (batch.seeds < self.mechanism.seeds)
        found = np.bincount(2 * batch.seeds[good] + bit[good], minlength=2 * self.mechanism.seeds)
        return Counted(found.reshape(self.shape), good)

    def find_table(self, counts: Ints) -> Ints:
        """Return how many reports agree with each bucket's column: half of all, and half of the transform."""
        signed = counts[:, :, 0] - counts[:, :, 1]
        transformed = np.array([transform(line) for line in signed], dtype=np.int64)
        return (self.find_sizes(counts)[:, None] + transformed) // 2

    def find_sizes(self, counts: Ints) -> Ints:
        """Return how many reports each function has."""
        sizes: Ints = counts.sum(axis=(1, 2))
        return sizes


def estimate_squares(table: Ints, sizes: Ints, own: float, missed: float) -> float:
    """Return an estimate of the sum of squared frequencies from how many reports support each bucket of each function.

    Of a function's n reports X support a bucket of frequency g, each with the chance p = missed + (own - missed) g. So
    two of them, each counted as 1 - missed or -missed, have the product (own - missed)^2 g^2 on average. The mean over
    all pairs of reports of one function, added up over buckets, is F + (1 - F) / buckets over random functions, F being
    what is asked.
    """
    pairs = float((sizes.astype(float) * (sizes - 1)).sum())
    if pairs == 0 or own <= missed:
        return 1.0
    buckets, reports = table.shape[1], sizes.astype(float)[:, None]
    products = (table - missed * reports) ** 2 - (1 - 2 * missed) * table - missed**2 * reports
    found = float(products.sum()) / (pairs * (own - missed) ** 2)
    return min(max(float((buckets * found - 1) / (buckets - 1)), 0.0), 1.0)
