"""Local hashing: a noisy bucket of the item, under a hash function that is public and drawn anew for each report."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .direct import DirectResponse
from .mechanism import ItemMechanism, Randomised, count_bytes, grow

MOST_KEYS = 1 << 64
ALL_SEEDS = 1 << 32
WORD = ONE - 1
HALF = (1 << 32) - 1


@dataclass(frozen=True)
class LocalHashing(ItemMechanism):
    """Hashes the item into one of `buckets`, and tells the bucket by randomised response.

    Theorem (Wang, Blocki, Li, Jha 2017): the hash function is chosen without looking at the item, so epsilon is that of
    the response over buckets; e^epsilon + 1 buckets err least. With `pool` functions instead of 2^32 (fast local
    hashing, Cormode, Maddock, Maple 2021) reports are counted by function and bucket, and decoding takes no longer for
    more reports; items that share more buckets than others in the pool then err together.
    """

    kind: ClassVar[str] = "hashing"

    size: int
    buckets: int
    truth: int
    pool: int = ALL_SEEDS

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_KEYS)
        check_count("buckets", self.buckets, 2, 1 << 16)
        check_count("pool", self.pool, 1, ALL_SEEDS)
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, size: int, pool: int = ALL_SEEDS, buckets: int | None = None) -> LocalHashing:
        """Return the hashing whose epsilon is this one, or a little less; `buckets` is the best number, if left out."""
        grown = grow(check_epsilon(epsilon, 11.0))
        buckets = max(2, round(grown) + 1) if buckets is None else buckets
        return cls(size, buckets, take_chance(grown / (grown + buckets - 1)), pool)

    @property
    def response(self) -> DirectResponse:
        """How a bucket is told."""
        return DirectResponse(self.buckets, self.truth)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported * (self.buckets - 1) / (1 - self.supported)
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that a report's bucket is the item's own."""
        return Fraction(self.truth, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that a report's bucket is another item's: over all functions, every bucket is equally likely."""
        return Fraction(1, self.buckets)

    @property
    def seeds(self) -> int:
        """How many hash functions there are."""
        return self.pool

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return count_bytes(self.buckets - 1)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a function's seed and a noisy bucket."""
        seed = coins.choose(self.pool)
        bucket = self.response.tell(find_bucket(seed, value, self.buckets), coins)
        return Randomised(seed, bucket.to_bytes(self.payload_size, "little"))


def find_bucket(seed: int, key: int, buckets: int) -> int:
    """Return the bucket of a key of up to 64 bits: multiply, add and shift, over the key's two halves.

    With coefficients that are uniform the 32 upper bits of a sum are pairwise independent (Dietzfelbinger 1996). Here
    they are mixed from the seed.
    """
    low, high, plus = (mix(3 * seed + place) for place in range(3))
    upper = ((low * (key & HALF) + high * (key >> 32) + plus) & WORD) >> 32
    return (upper * buckets) >> 32


def mix(word: int) -> int:
    """Return a word whose bits all depend on all bits of another (the finaliser of SplitMix64, Steele et al. 2014)."""
    word = (word + 1) * 0x9E3779B97F4A7C15 & WORD
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31
