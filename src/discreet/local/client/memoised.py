"""Values that are reported again and again: permanent noise that is remembered, and fresh noise on top of it.

Permanent noise is a function of a secret and of the value, so it cannot be averaged away while the value stays the
same: however many reports there are of one value, they tell no more than its permanent noise does (`constant`). A value
that changes is another matter. Permanent noises of different values are independent, so reports tell when it changed:
the literature's bound for a lifetime (distinct values times `constant`) does not hold for that. `bound_lifetime` does,
for all pairs of sequences of values.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from .coins import ONE, Coins, KeyedCoins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .direct import DirectResponse
from .errors import ClientError
from .hashing import ALL_SEEDS, MOST_KEYS, find_bucket
from .mechanism import ItemMechanism, Randomised, count_bytes, grow
from .unary import MOST_BITS, UnaryEncoding

MOST_BUCKETS = 64


class MemoisedMechanism(ItemMechanism):
    """A mechanism in two steps: permanent noise of an item, and a report of what is remembered so."""

    remembers: ClassVar[bool] = True

    @property
    @abstractmethod
    def constant(self) -> float:
        """What all reports of a value that never changes tell together at most, rounded up."""

    @abstractmethod
    def bound_lifetime(self, reports: int) -> float:
        """Return what so many reports tell at most, however the value changes, rounded up."""

    @abstractmethod
    def recall(self, value: int, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose permanent noise is a function of the secret and the value."""

    def sum_epsilon(self, reports: int) -> Fraction:
        """Return what so many reports tell at most: their permanent noise is shared, so they do not just add up."""
        return Fraction(self.bound_lifetime(reports)) if reports else Fraction(0)


@dataclass(frozen=True)
class MemoisedUnary(MemoisedMechanism):
    """A bit for each item (L-OSUE, Arcolezi et al. 2021): permanently noisy, and noisy again in every report.

    The item's own bit is remembered as set with a chance of `keep`, other bits with `flip`; a report has a remembered
    bit as it is with a chance of `truth`. What is remembered of a bit depends on its number and on whether it is the
    item's, not on the item: so bits that belong to neither of two sequences have the same law under both.
    """

    kind: ClassVar[str] = "memoised-unary"

    size: int
    keep: int
    flip: int
    truth: int

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_BITS)
        for name in ("keep", "flip", "truth"):
            read_chance(name, getattr(self, name))
        if self.truth <= ONE // 2:
            raise ClientError("truth is at most one half; write more: a report has most remembered bits as they are")

    @classmethod
    def calibrate(cls, constant: float, epsilon: float, size: int) -> MemoisedUnary:
        """Return the mechanism that tells `constant` of a value in all its reports, and `epsilon` in one."""
        _check_order(constant, epsilon)
        permanent = UnaryEncoding.calibrate(constant, size)
        least, most = ONE // 2 + 1, ONE - 1
        while most - least > 1:
            middle = (least + most) // 2
            found = cls(size, permanent.keep, permanent.flip, middle)
            least, most = (middle, most) if found.epsilon <= epsilon else (least, middle)
        return cls(size, permanent.keep, permanent.flip, least)

    @property
    def _step(self) -> float:
        """What the fresh noise of one bit tells of what is remembered."""
        return bound_log(Fraction(self.truth, ONE - self.truth))

    @property
    def supported(self) -> Fraction:
        """The chance that a report has the item's own bit set."""
        return _blend(Fraction(self.keep, ONE), Fraction(self.truth, ONE))

    @property
    def strayed(self) -> Fraction:
        """The chance that a report has another item's bit set."""
        return _blend(Fraction(self.flip, ONE), Fraction(self.truth, ONE))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported * (1 - self.strayed) / (self.strayed * (1 - self.supported))
        return bound_log(max(ratio, 1 / ratio))

    @property
    def constant(self) -> float:
        """What all reports of a value that never changes tell together at most: its two permanent bits."""
        return UnaryEncoding(self.size, self.keep, self.flip).epsilon

    def bound_lifetime(self, reports: int) -> float:
        """Return what so many reports tell at most, however the value changes.

        Theorem. In each report at most two bits differ between two sequences, and a bit's report is at most
        truth / (1 - truth) times likelier for one remembered bit than for the other: 2 T steps of it. And of a single
        bit all T reports together tell at most T / 2 steps and what its two permanent bits add, as `_bound_group` has
        it for two buckets; there are `size` of them.
        """
        if check_count("reports", reports, 1, 1 << 40) == 1:
            return self.epsilon
        groups = sum(_bound_group([1 - Fraction(each, ONE), Fraction(each, ONE)]) for each in (self.keep, self.flip))
        whole = self.size * (reports * self._step / 2 + groups)
        return min(2 * reports * self._step, whole) * (1 + 2.0**-45)

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return -(-self.size // 8)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a first report: its permanent noise is forgotten."""
        remembered = coins.toss_each(self.flip, self.size)
        remembered[value] = coins.toss(self.keep)
        return self._repeat(remembered, coins)

    def recall(self, value: int, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose permanent noise is a function of the secret and the value."""
        remembered = KeyedCoins(secret, b"other").toss_each(self.flip, self.size)
        remembered[value] = KeyedCoins(secret, b"own" + value.to_bytes(8, "big")).toss(self.keep)
        return self._repeat(remembered, coins)

    def _repeat(self, remembered: list[bool], coins: Coins) -> Randomised:
        told = coins.toss_each(self.truth, self.size)
        found = sum((bit == kept) << place for place, (bit, kept) in enumerate(zip(remembered, told, strict=True)))
        return Randomised(0, found.to_bytes(self.payload_size, "little"))


@dataclass(frozen=True)
class MemoisedHashing(MemoisedMechanism):
    """A bucket of the item (LOLOHA, Arcolezi et al. 2023): permanently noisy, and noisy again in every report.

    A person keeps one hash function for a lifetime. Values that share a bucket share its permanent noise, so there are
    only as many permanent noises as there are buckets; few buckets tell less of changes.
    """

    kind: ClassVar[str] = "memoised-hashing"

    size: int
    buckets: int
    permanent: int
    instant: int
    pool: int = ALL_SEEDS

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_KEYS)
        check_count("buckets", self.buckets, 2, MOST_BUCKETS)
        check_count("pool", self.pool, 1, ALL_SEEDS)
        for name in ("permanent", "instant"):
            chance = read_chance(name, getattr(self, name))
            if chance * self.buckets <= ONE:
                raise ClientError(f"{name} is {chance}; write more than 2^64 / buckets: the own bucket is told oftener")

    @classmethod
    def calibrate(
        cls, constant: float, epsilon: float, size: int, buckets: int | None = None, pool: int = ALL_SEEDS
    ) -> MemoisedHashing:
        """Return the mechanism that tells `constant` of a value in all its reports, and `epsilon` in one.

        The number of buckets with the least variance is taken, if none is given.
        """
        _check_order(constant, epsilon)
        several = range(2, MOST_BUCKETS + 1) if buckets is None else [buckets]
        found = [cls._calibrate(constant, epsilon, size, each, pool) for each in several]
        return min(found, key=lambda each: each.variance())

    @classmethod
    def _calibrate(cls, constant: float, epsilon: float, size: int, buckets: int, pool: int) -> MemoisedHashing:
        permanent = DirectResponse.calibrate(constant, buckets)
        grown = grow(epsilon)
        told, stray = grown / (grown + buckets - 1), permanent.strayed
        # supported = instant * permanent + (1 - instant) * stray, over the other buckets evenly
        chance = (told - stray) / (permanent.supported - stray)
        return cls(size, buckets, permanent.truth, take_chance(chance), pool)

    @property
    def remembered(self) -> DirectResponse:
        """How a bucket is remembered."""
        return DirectResponse(self.buckets, self.permanent)

    @property
    def told(self) -> DirectResponse:
        """How what is remembered is told."""
        return DirectResponse(self.buckets, self.instant)

    @property
    def supported(self) -> Fraction:
        """The chance that a report's bucket is the item's own."""
        kept, told = self.remembered, self.told
        return kept.supported * told.supported + (1 - kept.supported) * told.strayed

    @property
    def strayed(self) -> Fraction:
        """The chance that a report's bucket is another item's: over all functions, every bucket is equally likely."""
        return Fraction(1, self.buckets)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return bound_log(self.supported * (self.buckets - 1) / (1 - self.supported))

    @property
    def constant(self) -> float:
        """What all reports of a value that never changes tell together at most: its permanent bucket."""
        return self.remembered.epsilon

    def bound_lifetime(self, reports: int) -> float:
        """Return what so many reports tell at most, however the value changes.

        Theorem. Let e be the epsilon of the fresh response and T the reports. A report is at most e^e times likelier
        for one remembered bucket than for another: T e in all. And reports are never likelier than truth^T, whatever
        the sequence, and those of one bucket never less likely than `_bound_group` says: T e (1 - 1/g) and a constant
        for each of at most g buckets that occur.
        """
        if check_count("reports", reports, 1, 1 << 40) == 1:
            return self.epsilon
        step, kept = self.told.epsilon, self.remembered
        constant = _bound_group([kept.supported, *[kept.strayed] * (self.buckets - 1)])
        grouped = reports * step * (1 - 1 / self.buckets) + min(self.buckets, reports) * constant
        return min(reports * step, grouped) * (1 + 2.0**-45)

    @property
    def seeds(self) -> int:
        """How many hash functions there are."""
        return self.pool

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return count_bytes(self.buckets - 1)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a first report: its permanent noise and its function are forgotten."""
        seed = coins.choose(self.pool)
        return self._repeat(seed, self.remembered.tell(find_bucket(seed, value, self.buckets), coins), coins)

    def recall(self, value: int, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose function and permanent noise are functions of the secret, and of the bucket."""
        seed = KeyedCoins(secret, b"function").choose(self.pool)
        bucket = find_bucket(seed, value, self.buckets)
        remembered = self.remembered.tell(bucket, KeyedCoins(secret, b"bucket" + bucket.to_bytes(8, "big")))
        return self._repeat(seed, remembered, coins)

    def _repeat(self, seed: int, remembered: int, coins: Coins) -> Randomised:
        return Randomised(seed, self.told.tell(remembered, coins).to_bytes(self.payload_size, "little"))


def _bound_group(chances: list[Fraction]) -> float:
    """Return how much less likely reports of one remembered value can be than truth^n and the other factors say.

    Theorem. Let a value be remembered as x with the chance w_x, x of g, and let n reports have n_x times the value x.
    They have the probability sum_x w_x t^(n_x) s^(n - n_x), with t the chance to tell x and s that of another. By the
    inequality of the means it is at least g (prod w_x)^(1/g) s^n (t/s)^(n/g). So -ln of it, beside n ln t, is at most
    n ln(t/s) (1 - 1/g) - ln(g (prod w_x)^(1/g)); the last term is returned, rounded up.
    """
    product = Fraction(1)
    for chance in chances:
        product *= chance * len(chances)
    return bound_log(1 / product) / len(chances)


def _blend(chance: Fraction, truth: Fraction) -> Fraction:
    return chance * truth + (1 - chance) * (1 - truth)


def _check_order(constant: Any, epsilon: Any) -> None:
    if check_epsilon(epsilon) >= check_epsilon(constant):
        raise ClientError(f"one report tells {epsilon!r} and all of one value {constant!r}: write less for one report")
