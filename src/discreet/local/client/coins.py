"""Exact coins: a chance is a whole number of 2^64ths, and a coin is one comparison of 64 random bits with it.

So every probability of the local model is a known fraction. No float decides a coin, and the epsilon of a report is
computed from the chances that are tossed, not from those that were wished for.
"""

from __future__ import annotations

import hashlib
import hmac
import math
import os
import struct
from abc import ABC, abstractmethod
from fractions import Fraction

from .errors import ClientError

ONE = 1 << 64
"""A chance of 1."""

LEAST_EPSILON = 1e-9
"""The least epsilon that chances are computed for."""

BUFFER = 512
"""Words that are read ahead of single coins."""


class Coins(ABC):
    """A source of uniform 64-bit words, and the coins and choices that are made of them."""

    @abstractmethod
    def words(self, count: int) -> tuple[int, ...]:
        """Return so many fresh words."""

    def word(self) -> int:
        """Return one fresh word."""
        return self.words(1)[0]

    def toss(self, chance: int) -> bool:
        """Return True with probability chance / 2^64, exactly."""
        return self.word() < chance

    def toss_each(self, chance: int, count: int) -> list[bool]:
        """Return so many tosses, each True with probability chance / 2^64."""
        return [word < chance for word in self.words(count)]

    def toss_exactly(self, chance: Fraction) -> bool:
        """Return True with a probability from 0 to 1, exactly: the first 64 binary digits that differ decide."""
        while True:
            whole, chance = divmod(chance * ONE, 1)
            word = self.word()
            if word != whole:
                return word < whole

    def choose(self, count: int) -> int:
        """Return a whole number from 0 to count - 1, each equally likely, for up to 2^64 of them."""
        limit = ONE - ONE % count
        while True:
            word = self.word()
            if word < limit:
                return word % count

    def choose_subset(self, count: int, size: int) -> set[int]:
        """Return so many different numbers below count, each set of them equally likely (Floyd's method)."""
        chosen: set[int] = set()
        for last in range(count - size, count):
            drawn = self.choose(last + 1)
            chosen.add(last if drawn in chosen else drawn)
        return chosen


class SystemCoins(Coins):
    """Coins of the operating system's CSPRNG. None is used twice: not by two threads, and not by a forked child.

    Words that are read ahead belong to one process, and change hands with its mark in one step: a thread that comes
    between would otherwise use words which the parent uses too.
    """

    def __init__(self) -> None:
        self._ahead: tuple[object, list[int]] = (None, [])

    def words(self, count: int) -> tuple[int, ...]:
        """Return so many fresh words."""
        return struct.unpack(f"<{count}Q", os.urandom(8 * count))

    def word(self) -> int:
        """Return one fresh word."""
        here, (owner, held) = (_Process.mark, os.getpid()), self._ahead
        if owner != here or not held:
            held = list(self.words(BUFFER))
            self._ahead = (here, held)
        try:
            return held.pop()
        except IndexError:  # another thread took the last one
            return self.words(1)[0]


class _Process:
    """Which process this is. Its number is not enough: numbers come back, and two namespaces have the same ones."""

    mark: object = object()

    @classmethod
    def renew(cls) -> None:
        """Take a new mark, as a forked child."""
        cls.mark = object()


os.register_at_fork(after_in_child=_Process.renew)


class KeyedCoins(Coins):
    """Coins that are a function of a secret and of what they are for: the same again, each time.

    HMAC-SHA256 of a label and a counter, four words at a time. To whoever lacks the secret they are fresh coins, as
    long as HMAC is a pseudorandom function; permanent noise of the local model rests on that.
    """

    def __init__(self, secret: bytes, label: bytes) -> None:
        self._secret, self._label, self._used, self._held = secret, label, 0, list[int]()

    def words(self, count: int) -> tuple[int, ...]:
        """Return the next words."""
        while len(self._held) < count:
            block = self._used.to_bytes(8, "big") + self._label
            self._held += struct.unpack("<4Q", hmac.new(self._secret, block, hashlib.sha256).digest())
            self._used += 1
        taken, self._held = self._held[:count], self._held[count:]
        return tuple(taken)


def read_chance(name: str, value: object) -> int:
    """Return a chance between 0 and 1 that says something: a whole number of 2^64ths."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < ONE:
        raise ClientError(f"{name} is {value!r}; write a whole number of 2^64ths, above 0 and below 2^64")
    return value


def take_chance(fraction: float | Fraction) -> int:
    """Return the chance just below a probability, so that what is realised tells no more than what was wished."""
    return min(max(1, math.floor(Fraction(fraction) * ONE)), ONE - 1)


def bound_log(ratio: Fraction) -> float:
    """Return the logarithm of a ratio, rounded up: above by at most some 2^-48."""
    if ratio == 1:
        return 0.0
    return math.nextafter(math.log(ratio) + 2.0**-50 * (1 + abs(math.log(ratio))), math.inf)


def check_epsilon(epsilon: object, most: float = 20.0) -> float:
    """Return an epsilon that one report may have: below the least, whole 2^64ths would be too coarse to hold it."""
    if isinstance(epsilon, int | float | Fraction) and epsilon is not True and LEAST_EPSILON <= epsilon <= most:
        return float(epsilon)
    raise ClientError(f"epsilon is {epsilon!r}; write a number from {LEAST_EPSILON:g} to {most:g}, for one report")


def check_count(name: str, value: object, least: int, most: int) -> int:
    """Return a whole number between bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ClientError(f"{name} is {value!r}; write a whole number from {least} to {most:,}")
    return value
