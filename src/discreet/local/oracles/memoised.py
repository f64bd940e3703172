"""First reports of values that are reported again and again, in bulk. They are counted like those of one step."""

from __future__ import annotations

from discreet.base.wide import Ints
from discreet.local.client import MemoisedHashing, MemoisedUnary
from discreet.local.oracles.direct import tell
from discreet.local.oracles.hashing import BucketsOracle
from discreet.local.oracles.oracle import Bytes
from discreet.local.oracles.packed_coins import toss_bytes
from discreet.local.oracles.unary import BitsOracle, cut_lines, toss_lines


class MemoisedUnaryOracle(BitsOracle[MemoisedUnary]):
    """Two steps of noise on every bit."""

    def _toss_lines(self, items: Ints) -> Bytes:
        remembered = toss_lines(self.mechanism.keep, self.mechanism.flip, items, self.mechanism.size)
        told = toss_bytes(self.mechanism.truth, remembered.size).reshape(remembered.shape)
        return cut_lines(~(remembered ^ told), self.mechanism.size)


class MemoisedHashingOracle(BucketsOracle[MemoisedHashing]):
    """Two responses over buckets."""

    def _tell(self, buckets: Ints) -> Ints:
        return tell(self.mechanism.told, tell(self.mechanism.remembered, buckets))
