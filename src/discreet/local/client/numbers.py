"""Numbers from -1 to 1, told by an output that stands for them without bias; and the simplest such one, of a bit."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, take_chance
from .mechanism import Mechanism, Randomised, count_bytes, grow


class NumberMechanism(Mechanism):
    """A mechanism over numbers from -1 to 1. Each of its outputs stands for a number, whose mean is the true one.

    A number is first rounded to one of a few, up or down by an exact coin, so that its mean stays. Privacy does not
    rest on that coin: whatever it does, a report's law is a mixture of those of the few.
    """

    takes: ClassVar[str] = "number"

    @property
    @abstractmethod
    def outputs(self) -> int:
        """How many outputs there are."""

    @abstractmethod
    def tell(self, value: Fraction, coins: Coins) -> int:
        """Return a noisy output."""

    @abstractmethod
    def find_value(self, output: int) -> Fraction:
        """Return the number that an output stands for: right on average, and mostly outside of -1 to 1."""

    @abstractmethod
    def variance(self, value: Fraction) -> Fraction:
        """Return the variance of what a report of a number stands for, exactly."""

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return count_bytes(self.outputs - 1)

    def randomise(self, value: Fraction, coins: Coins) -> Randomised:
        """Return the number of an output."""
        return Randomised(0, self.tell(value, coins).to_bytes(self.payload_size, "little"))


@dataclass(frozen=True)
class OneBitMean(NumberMechanism):
    """Rounds the number to -1 or 1 and tells this with a chance of `truth`, else the other one.

    Theorem (Warner 1965; Duchi, Jordan, Wainwright 2018): epsilon = ln(truth / (1 - truth)), and the chance of a 1 is
    affine in the number. It stands for +-1 / (2 truth - 1), so the variance at x is 1 / (2 truth - 1)^2 - x^2.
    """

    kind: ClassVar[str] = "one-bit"

    truth: int

    def __post_init__(self) -> None:
        check_count("truth", self.truth, ONE // 2 + 1, ONE - 1)

    @classmethod
    def calibrate(cls, epsilon: float) -> OneBitMean:
        """Return the mechanism whose epsilon is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        return cls(take_chance(grown / (grown + 1)))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return bound_log(Fraction(self.truth, ONE - self.truth))

    @property
    def outputs(self) -> int:
        """Two: a bit."""
        return 2

    def tell(self, value: Fraction, coins: Coins) -> int:
        """Return a noisy bit."""
        end = round_by_coin(value, 1, coins)
        return end if coins.toss(self.truth) else 1 - end

    def find_value(self, output: int) -> Fraction:
        """Return the number that a bit stands for."""
        return Fraction((2 * output - 1) * ONE, 2 * self.truth - ONE)

    def variance(self, value: Fraction) -> Fraction:
        """Return the variance of what a report of a number stands for, exactly."""
        return self.find_value(1) ** 2 - value**2


def round_by_coin(value: Fraction, steps: int, coins: Coins) -> int:
    """Return a whole number from 0 at -1 to `steps` at 1: one of the two next to a number, right on average."""
    whole, rest = divmod((1 + value) / 2 * steps, 1)
    return int(whole) + coins.toss_exactly(rest)
