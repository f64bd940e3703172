"""Unary encoding: a bit for each item, all of them noisy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .mechanism import ItemMechanism, Randomised, grow

MOST_BITS = 1 << 20


@dataclass(frozen=True)
class UnaryEncoding(ItemMechanism):
    """Sets the item's own bit with a chance of `keep`, and every other bit with a chance of `flip`.

    Theorem: two items differ in two bits, so epsilon = ln[keep (1 - flip) / (flip (1 - keep))]. Symmetric: keep and
    flip add up to 1 (basic RAPPOR, Erlingsson et al. 2014). Optimised: keep is 1/2 (Wang et al. 2017), which errs
    less, with the variance 4 e^epsilon / (e^epsilon - 1)^2 of an absent item.
    """

    kind: ClassVar[str] = "unary"

    size: int
    keep: int
    flip: int

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_BITS)
        read_chance("keep", self.keep)
        read_chance("flip", self.flip)

    @classmethod
    def calibrate(cls, epsilon: float, size: int, symmetric: bool = False) -> UnaryEncoding:
        """Return the encoding whose epsilon is this one, or a little less."""
        if symmetric:
            grown = grow(check_epsilon(epsilon) / 2)
            keep = take_chance(grown / (grown + 1))
            return cls(size, keep, ONE - keep)
        grown = grow(check_epsilon(epsilon))
        return cls(size, ONE // 2, ONE - take_chance(grown / (grown + 1)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported * (1 - self.strayed) / (self.strayed * (1 - self.supported))
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that the item's own bit is set."""
        return Fraction(self.keep, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that another item's bit is set."""
        return Fraction(self.flip, ONE)

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return -(-self.size // 8)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return noisy bits, the first in the lowest place."""
        bits = coins.toss_each(self.flip, self.size)
        bits[value] = coins.toss(self.keep)
        found = int("".join("1" if bit else "0" for bit in reversed(bits)), 2)
        return Randomised(0, found.to_bytes(self.payload_size, "little"))
