"""The prefix extending method: a person tells the beginning of a word, as long as the own group's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .coins import Coins, check_count
from .domain import MOST_WORD_BITS
from .hashing import LocalHashing
from .mechanism import Mechanism, Randomised, check_part
from .sketch import MOST_CELLS

MOST_FIRST = 24
"""Bits of the first group's prefixes: the collector tries all of them."""


@dataclass(frozen=True)
class PrefixExtending(Mechanism):
    """Tells a prefix of a word of `bits` bits by local hashing; a group of people tells prefixes of the same length.

    The first group's prefixes have `first` bits, and each later group's `step` bits more, up to the whole word. Theorem
    (Wang, Li, Jha 2019): the group is drawn without looking at the word, so epsilon is that of the hashing. A collector
    looks for prefixes that extend the frequent ones of the group before: a few at a time, never all words.
    """

    kind: ClassVar[str] = "prefix"
    takes: ClassVar[str] = "word"

    bits: int
    first: int
    step: int
    hashing: LocalHashing

    def __post_init__(self) -> None:
        check_count("bits", self.bits, 2, MOST_WORD_BITS)
        check_count("first", self.first, 1, min(self.bits, MOST_FIRST))
        check_count("step", self.step, 1, MOST_FIRST)
        check_part("hashing", self.hashing, LocalHashing)
        check_count("size of the hashing", self.hashing.size, 1 << self.bits, 1 << self.bits)
        check_count("counts of groups, functions and buckets", self.seeds * self.hashing.buckets, 1, MOST_CELLS)

    @classmethod
    def calibrate(
        cls, epsilon: float, bits: int, first: int = 12, step: int = 6, pool: int = 1 << 12
    ) -> PrefixExtending:
        """Return the method whose epsilon is this one, or a little less."""
        size = 1 << check_count("bits", bits, 2, MOST_WORD_BITS)
        return cls(bits, min(first, bits), step, LocalHashing.calibrate(epsilon, size, pool))

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many bits each group's prefixes have."""
        return (*range(self.first, self.bits, self.step), self.bits)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return self.hashing.epsilon

    @property
    def seeds(self) -> int:
        """How many pairs of a group and a hash function there are."""
        return len(self.lengths) * self.hashing.seeds

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return self.hashing.payload_size

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return group * functions + function, and a noisy bucket of the group's prefix."""
        group = coins.choose(len(self.lengths))
        seed, payload = self.hashing.randomise(value >> (self.bits - self.lengths[group]), coins)
        return Randomised(group * self.hashing.seeds + seed, payload)
