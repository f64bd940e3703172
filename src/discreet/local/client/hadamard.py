"""One bit of the item's column in a Hadamard matrix, at a random row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .mechanism import ItemMechanism, Randomised, grow


@dataclass(frozen=True)
class HadamardBit(ItemMechanism):
    """Tells the entry of the item's column in a random row of a Hadamard matrix, or its opposite.

    Theorem (Warner 1965): the row is drawn without looking at the item, so epsilon = ln(truth / (1 - truth)). Two
    columns agree in half of the rows, so any other item is supported by half of the reports. A report has one bit and
    a row; decoding is one fast transform. The first column has no sign that tells anything, and no item.
    """

    kind: ClassVar[str] = "hadamard"

    size: int
    truth: int

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, (1 << 26) - 1)
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, size: int) -> HadamardBit:
        """Return the mechanism whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        return cls(size, take_chance(grown / (grown + 1)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported / (1 - self.supported)
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that the told bit is that of the item's column."""
        return Fraction(self.truth, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that the told bit is that of another column: of two, half the rows agree."""
        return Fraction(1, 2)

    @property
    def seeds(self) -> int:
        """How many rows the matrix has: a power of two above the number of items."""
        return 1 << self.size.bit_length()

    @property
    def payload_size(self) -> int:
        """A byte, which is 0 or 1."""
        return 1

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a row and a noisy bit: 1 where the entry is -1."""
        row = coins.choose(self.seeds)
        bit = (row & (value + 1)).bit_count() & 1
        return Randomised(row, bytes([bit if coins.toss(self.truth) else 1 - bit]))
