"""Subset selection: a random set of items which holds the own one more often than others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .mechanism import ItemMechanism, Randomised, grow
from .unary import MOST_BITS


@dataclass(frozen=True)
class SubsetSelection(ItemMechanism):
    """Tells a set of `chosen` items, which holds the own one with a chance of `truth`; all else about it is even.

    Theorem (Ye, Barg 2018; Wang et al. 2019): sets with the item are all equally likely, and so are those without it,
    so epsilon = ln[truth (size - chosen) / ((1 - truth) chosen)]. With size / (e^epsilon + 1) chosen items the
    variance is the least of all mechanisms, at every size.
    """

    kind: ClassVar[str] = "subset"

    size: int
    chosen: int
    truth: int

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_BITS)
        check_count("chosen", self.chosen, 1, self.size - 1)
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, size: int) -> SubsetSelection:
        """Return the selection whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        check_count("size", size, 2, MOST_BITS)
        chosen = max(1, round(size / (grown + 1)))
        return cls(size, chosen, take_chance(chosen * grown / (chosen * grown + size - chosen)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported * (self.size - self.chosen) / ((1 - self.supported) * self.chosen)
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that the set holds the item."""
        return Fraction(self.truth, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that the set holds one given other item."""
        with_own = self.supported * (self.chosen - 1)
        return (with_own + (1 - self.supported) * self.chosen) / (self.size - 1)

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has: a bit for each item."""
        return -(-self.size // 8)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a set of items as bits, the first in the lowest place."""
        held = coins.toss(self.truth)
        others = coins.choose_subset(self.size - 1, self.chosen - held)
        found = held << value
        for other in others:
            found |= 1 << (other + (other >= value))
        return Randomised(0, found.to_bytes(self.payload_size, "little"))
