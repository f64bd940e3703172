"""Count-mean sketches: a noisy bucket of any text, under one of a few public hash functions (Apple 2017)."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .errors import ClientError
from .mechanism import Mechanism, Randomised, grow
from .unary import UnaryEncoding

MOST_FUNCTIONS = 1 << 20
MOST_CELLS = 1 << 26
"""Counts of functions and buckets that a collector holds."""


class SketchMechanism(Mechanism):
    """A mechanism over texts: a hash function is drawn without looking, and the text's bucket under it is told noisily.

    A report supports its own bucket with a chance of `supported`, and another bucket with `missed`. Over hash functions
    that are drawn at random, another text falls into the own bucket in 1 of `buckets` cases; so a report supports it
    with a chance of `strayed`, and an estimate needs these two only, as for items.
    """

    takes: ClassVar[str] = "text"
    functions: int
    buckets: int

    @property
    @abstractmethod
    def supported(self) -> Fraction:
        """The chance that a report supports the bucket of its text."""

    @property
    @abstractmethod
    def missed(self) -> Fraction:
        """The chance that a report supports one given other bucket."""

    @property
    def strayed(self) -> Fraction:
        """The chance that a report supports the bucket of another text, over all hash functions."""
        return self.missed + (self.supported - self.missed) / self.buckets

    def variance(self, frequency: float = 0.0) -> float:
        """Return the variance of an estimated frequency, times the number of reports, without that of collisions."""
        own, stray = float(self.supported), float(self.strayed)
        inside = frequency * own * (1 - own) + (1 - frequency) * stray * (1 - stray)
        return inside / (own - stray) ** 2


@dataclass(frozen=True)
class CountMeanSketch(SketchMechanism):
    """Tells all `buckets` bits of the text's row: its own is set with a chance of `keep`, any other with `flip`.

    Theorem (Apple 2017): the function is drawn without looking at the text, so epsilon is that of unary encoding over
    buckets. Apple's is symmetric: every bit is flipped with a chance of 1 / (e^(epsilon/2) + 1).
    """

    kind: ClassVar[str] = "count-mean"

    functions: int
    buckets: int
    keep: int
    flip: int

    def __post_init__(self) -> None:
        _check_sizes(self.functions, self.buckets)
        read_chance("keep", self.keep)
        read_chance("flip", self.flip)

    @classmethod
    def calibrate(cls, epsilon: float, functions: int, buckets: int, symmetric: bool = True) -> CountMeanSketch:
        """Return the sketch whose epsilon is this one, or a little less; not symmetric, it errs less."""
        found = UnaryEncoding.calibrate(epsilon, check_count("buckets", buckets, 2, MOST_CELLS), symmetric)
        return cls(functions, buckets, found.keep, found.flip)

    @property
    def response(self) -> UnaryEncoding:
        """How a bucket is told."""
        return UnaryEncoding(self.buckets, self.keep, self.flip)

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return self.response.epsilon

    @property
    def supported(self) -> Fraction:
        """The chance that the bit of the text's bucket is set."""
        return Fraction(self.keep, ONE)

    @property
    def missed(self) -> Fraction:
        """The chance that one given other bit is set."""
        return Fraction(self.flip, ONE)

    @property
    def seeds(self) -> int:
        """How many hash functions there are."""
        return self.functions

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return self.response.payload_size

    def randomise(self, value: bytes, coins: Coins) -> Randomised:
        """Return a function and noisy bits, the first in the lowest place."""
        function = coins.choose(self.functions)
        bucket = find_text_bucket(function, value, self.buckets)
        return Randomised(function, self.response.randomise(bucket, coins).payload)


@dataclass(frozen=True)
class HadamardSketch(SketchMechanism):
    """Tells one bit: the entry of the bucket's column in a random row of a Hadamard matrix, or its opposite.

    Theorem (Apple 2017; Warner 1965): function and row are drawn without looking at the text, so epsilon =
    ln(truth / (1 - truth)). Two columns agree in half of the rows, so any other bucket is supported by half of the
    reports. The first column, which is all ones, is a bucket's as well: it is orthogonal to all others.
    """

    kind: ClassVar[str] = "hadamard-mean"

    functions: int
    buckets: int
    truth: int

    def __post_init__(self) -> None:
        _check_sizes(self.functions, self.buckets)
        if self.buckets & (self.buckets - 1):
            raise ClientError(f"buckets is {self.buckets}; write a power of two, for a Hadamard matrix")
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, functions: int, buckets: int) -> HadamardSketch:
        """Return the sketch whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        return cls(functions, buckets, take_chance(grown / (grown + 1)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported / (1 - self.supported)
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that the told bit is that of the bucket's column."""
        return Fraction(self.truth, ONE)

    @property
    def missed(self) -> Fraction:
        """The chance that the told bit is that of another column."""
        return Fraction(1, 2)

    @property
    def seeds(self) -> int:
        """How many pairs of a function and a row there are."""
        return self.functions * self.buckets

    @property
    def payload_size(self) -> int:
        """A byte, which is 0 or 1."""
        return 1

    def randomise(self, value: bytes, coins: Coins) -> Randomised:
        """Return function * buckets + row, and a noisy bit: 1 where the entry is -1."""
        function, row = coins.choose(self.functions), coins.choose(self.buckets)
        bit = (row & find_text_bucket(function, value, self.buckets)).bit_count() & 1
        return Randomised(function * self.buckets + row, bytes([bit if coins.toss(self.truth) else 1 - bit]))


def find_text_bucket(function: int, text: bytes, buckets: int) -> int:
    """Return the bucket of a text: function 8 b + w takes word w of the digest of block b.

    A word has 32 bits, so a bucket is likelier than another one by at most buckets / 2^32 of its chance.
    """
    start = function % 8 * 4
    word = int.from_bytes(digest(function // 8, text)[start : start + 4], "big")
    return (word * buckets) >> 32


def digest(block: int, text: bytes) -> bytes:
    """Return SHA-256 of a block's number, in four bytes, and a text: eight words of 32 bits."""
    return hashlib.sha256(block.to_bytes(4, "big") + text).digest()


def _check_sizes(functions: object, buckets: object) -> None:
    most = MOST_CELLS // check_count("functions", functions, 1, MOST_FUNCTIONS)
    check_count("buckets", buckets, 2, most)
