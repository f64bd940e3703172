"""The sequence fragment puzzle: a piece of a word with a short hash of the whole, and the whole word's sketch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import Coins, check_count, check_epsilon
from .domain import MOST_WORD_BITS
from .errors import ClientError
from .hadamard import HadamardBit
from .mechanism import MOST_SEEDS, Mechanism, Randomised, check_part
from .sketch import MOST_CELLS, CountMeanSketch, HadamardSketch, digest

MOST_PIECES = 1 << 16
PIECE_BLOCK = (1 << 32) - 1
"""The block that a puzzle piece is taken from: no function of a sketch uses it."""


@dataclass(frozen=True)
class FragmentPuzzle(Mechanism):
    """Tells a fragment of `span` bits of a word, at a random position, and the whole word, each with its own noise.

    With the fragment goes a puzzle piece, one of `pieces` hashes of the whole word: a collector puts fragments of the
    same piece together to words which nobody listed before, and looks these up in the sketch of whole words. Theorem
    (Apple 2017; sequential composition, Dwork et al. 2006): the position is drawn without looking at the word, and the
    two noisy reports of it are independent, so epsilon is the sum of theirs. A fragment with its piece is one of a few
    hundred thousand items, so it is told by a Hadamard bit as it stands: without a hash function it collides with none.
    """

    kind: ClassVar[str] = "puzzle"
    takes: ClassVar[str] = "word"

    bits: int
    span: int
    pieces: int
    fragment: HadamardBit
    whole: CountMeanSketch | HadamardSketch

    def __post_init__(self) -> None:
        check_count("bits", self.bits, 2, MOST_WORD_BITS)
        check_count("span", self.span, 1, min(self.bits, 24))
        check_count("pieces", self.pieces, 1, MOST_PIECES)
        if self.bits % self.span:
            raise ClientError(f"span is {self.span}; write a number that divides the {self.bits} bits of a word")
        check_part("fragment", self.fragment, HadamardBit)
        check_part("whole", self.whole, CountMeanSketch, HadamardSketch)
        items = self.pieces << self.span
        check_count("size of the fragment", self.fragment.size, items, items)
        check_count("counts of positions and fragments", self.positions * self.fragment.seeds, 1, MOST_CELLS)
        check_count("seeds", self.seeds, 1, MOST_SEEDS)

    @classmethod
    def calibrate(
        cls,
        epsilon: float,
        bits: int,
        span: int,
        pieces: int = 256,
        functions: int = 1024,
        buckets: int = 1024,
        share: float = 0.5,
    ) -> FragmentPuzzle:
        """Return the puzzle whose epsilon is this one, or a little less; fragments get this share of it."""
        total = check_epsilon(epsilon)
        if not isinstance(share, int | float | Fraction) or not 0 < share < 1:
            raise ClientError(f"share is {share!r}; write a number between 0 and 1: the fragments' part of epsilon")
        items = check_count("pieces", pieces, 1, MOST_PIECES) << check_count("span", span, 1, 24)
        part = total * float(share)
        fragment = HadamardBit.calibrate(part, items)
        return cls(bits, span, pieces, fragment, HadamardSketch.calibrate(total - part, functions, buckets))

    @property
    def positions(self) -> int:
        """How many fragments a word has."""
        return self.bits // self.span

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up: what its two halves tell."""
        return math.nextafter(self.fragment.epsilon + self.whole.epsilon, math.inf)

    @property
    def seeds(self) -> int:
        """How many triples of a position and the seeds of both halves there are."""
        return self.positions * self.fragment.seeds * self.whole.seeds

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return self.fragment.payload_size + self.whole.payload_size

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return both noisy halves, and their seeds with the position in one number."""
        position = coins.choose(self.positions)
        first = self.fragment.randomise(self.find_item(value, position), coins)
        second = self.whole.randomise(write_word(value), coins)
        seed = (position * self.fragment.seeds + first.seed) * self.whole.seeds + second.seed
        return Randomised(seed, first.payload + second.payload)

    def find_item(self, word: int, position: int) -> int:
        """Return the item of a fragment with the word's piece: the piece stands above."""
        fragment = word >> (self.bits - self.span * (position + 1)) & ((1 << self.span) - 1)
        return find_piece(word, self.pieces) << self.span | fragment


def find_piece(word: int, pieces: int) -> int:
    """Return the puzzle piece of a word: a short hash of it."""
    return (int.from_bytes(digest(PIECE_BLOCK, write_word(word))[:4], "big") * pieces) >> 32


def write_word(word: int) -> bytes:
    """Return the bytes that stand for a word in a sketch."""
    return word.to_bytes(8, "big")
