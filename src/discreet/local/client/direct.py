"""k-ary randomised response: the item itself, or another one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .mechanism import ItemMechanism, Randomised, count_bytes, grow

MOST_ITEMS = 1 << 32


@dataclass(frozen=True)
class DirectResponse(ItemMechanism):
    """Tells the item with a chance of `truth`, else another one, evenly.

    Theorem (Kairouz, Bonawitz, Ramage 2016): epsilon = ln(truth (size - 1) / (1 - truth)), which is the least noise
    of all mechanisms where size < 3 e^epsilon + 2.
    """

    kind: ClassVar[str] = "direct"

    size: int
    truth: int

    def __post_init__(self) -> None:
        check_count("size", self.size, 2, MOST_ITEMS)
        read_chance("truth", self.truth)

    @classmethod
    def calibrate(cls, epsilon: float, size: int) -> DirectResponse:
        """Return the response whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        return cls(size, take_chance(grown / (grown + check_count("size", size, 2, MOST_ITEMS) - 1)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        ratio = self.supported / self.strayed
        return bound_log(max(ratio, 1 / ratio))

    @property
    def supported(self) -> Fraction:
        """The chance that a report is the item."""
        return Fraction(self.truth, ONE)

    @property
    def strayed(self) -> Fraction:
        """The chance that a report is one given other item."""
        return (1 - self.supported) / (self.size - 1)

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return count_bytes(self.size - 1)

    def randomise(self, value: int, coins: Coins) -> Randomised:
        """Return a noisy item."""
        return Randomised(0, self.tell(value, coins).to_bytes(self.payload_size, "little"))

    def tell(self, item: int, coins: Coins) -> int:
        """Return the item or another one; coins of both kinds are tossed, whichever is told."""
        honest, shift = coins.toss(self.truth), 1 + coins.choose(self.size - 1)
        return item if honest else (item + shift) % self.size
