"""First reports of values that are reported again and again, in bulk. They are counted like those of one step."""

from __future__ import annotations

from discreet.base.wide import Ints
from discreet.local.client import MemoisedHashing, MemoisedUnary
from discreet.local.oracles.direct import tell
from discreet.local.oracles.hashing import BucketsOracle
from discreet.local.oracles.oracle import Bools, toss
from discreet.local.oracles.unary import BitsOracle, toss_bits


class MemoisedUnaryOracle(BitsOracle[MemoisedUnary]):
    """Two steps of noise on every bit."""

    def _toss_bits(self, items: Ints) -> Bools:
        size = self.mechanism.size
        remembered = toss_bits(self.mechanism.keep, self.mechanism.flip, items, size)
        return remembered == toss(self.mechanism.truth, len(items) * size).reshape(len(items), size)


class MemoisedHashingOracle(BucketsOracle[MemoisedHashing]):
    """Two responses over buckets."""

    def _tell(self, buckets: Ints) -> Ints:
        return tell(self.mechanism.told, tell(self.mechanism.remembered, buckets))
