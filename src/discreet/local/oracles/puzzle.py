"""Fragments of words, counted by position, and whole words by their sketch."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.local.client import CountMeanSketch, FragmentPuzzle
from discreet.local.client.puzzle import find_piece, write_word
from discreet.local.oracles.hadamard import HadamardOracle
from discreet.local.oracles.oracle import Batch, Counted, Oracle
from discreet.local.oracles.sketch import CountMeanOracle, HadamardSketchOracle, SketchOracle
from discreet.noise import uniform_int
from discreet.noise.coin import Bools


class PuzzleOracle(Oracle[FragmentPuzzle]):
    """Counts fragments position by position, then whole words: one list of counts."""

    def __init__(self, mechanism: FragmentPuzzle) -> None:
        super().__init__(mechanism)
        self.fragment = HadamardOracle(mechanism.fragment)
        self.whole: SketchOracle[Any] = (
            CountMeanOracle(mechanism.whole)
            if isinstance(mechanism.whole, CountMeanSketch)
            else HadamardSketchOracle(mechanism.whole)
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """All counts in a line."""
        return (self.mechanism.positions * int(np.prod(self.fragment.shape)) + int(np.prod(self.whole.shape)),)

    def encode(self, values: Any) -> Batch:
        """Return a report for each word, a whole number."""
        words, mechanism = np.asarray(values, dtype=np.uint64), self.mechanism
        listed, back = np.unique(words, return_inverse=True)
        pieces = np.array([find_piece(int(word), mechanism.pieces) for word in listed], dtype=np.int64)[back]
        positions = uniform_int(mechanism.positions, len(words))
        below = (mechanism.bits - mechanism.span * (positions + 1)).astype(np.uint64)
        fragments = (words >> below & np.uint64((1 << mechanism.span) - 1)).astype(np.int64)
        first = self.fragment.encode(pieces << mechanism.span | fragments)
        second = self.whole.encode([write_word(int(word)) for word in words])
        seeds = (positions * mechanism.fragment.seeds + first.seeds) * mechanism.whole.seeds + second.seeds
        return Batch(seeds, np.hstack([first.payloads, second.payloads]))

    def count(self, batch: Batch) -> Counted:
        """Return how many fragments and words were told as what; a report counts with both its halves or not at all."""
        good = (batch.seeds >= 0) & (batch.seeds < self.mechanism.seeds)
        counts, sound = self._count(batch, good)
        if (sound != good).any():
            counts, sound = self._count(batch, sound)
        return Counted(counts, sound)

    def _count(self, batch: Batch, wanted: Bools) -> tuple[Ints, Bools]:
        """Return the counts of the reports that are wanted, and which of these have two sound halves."""
        sound, cut = wanted.copy(), self.mechanism.fragment.payload_size
        upper, inner = np.divmod(batch.seeds, self.mechanism.whole.seeds)
        positions, rows = np.divmod(upper, self.mechanism.fragment.seeds)
        found = []
        for position in range(self.mechanism.positions):
            lines = np.flatnonzero(wanted & (positions == position))
            counts, good = self.fragment.count(Batch(rows[lines], batch.payloads[lines, :cut]))
            sound[lines] &= good
            found.append(counts.ravel())
        lines = np.flatnonzero(wanted)
        counts, good = self.whole.count(Batch(inner[lines], batch.payloads[lines, cut:]))
        sound[lines] &= good
        return np.concatenate([*found, counts.ravel()]), sound

    def split(self, counts: Ints) -> tuple[Ints, Ints]:
        """Return the counts of fragments, by position, and those of whole words."""
        cut = self.shape[0] - int(np.prod(self.whole.shape))
        return counts[:cut].reshape(-1, *self.fragment.shape), counts[cut:].reshape(self.whole.shape)
