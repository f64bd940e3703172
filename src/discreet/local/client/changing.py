"""A bit that changes seldom: a person's whole history is protected, for a declared most of changes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

from .coins import ONE, Coins, bound_log, check_count, check_epsilon, read_chance, take_chance
from .errors import ClientError
from .mechanism import grow


class ChangingReport(NamedTuple):
    """A report of one interval: intervals of level h are 2^h periods long, and numbered from 0."""

    level: int
    interval: int
    bit: bool


@dataclass(frozen=True)
class ChangingBit:
    """Reports of a bit over `periods`, a power of two, for people whose bit changes at most `changes` times.

    A person draws a level and the number of one change, both without looking, and keeps them. After each interval of
    that level it sends a bit: noise alone, but after the interval in which that change happened. There it sends the
    change's direction with a chance of `truth`. The bit is 0 before the first period, so changes go up and down by
    turns, and later changes than the declared ones count as none.

    Theorem (after Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019): all reports of a lifetime together
    are epsilon-differentially private for any two histories, with epsilon = ln(truth / (1 - truth)). Given level and
    change, the reports of a history are even but in one interval. For another history that is another interval, or
    none, or the same: one factor is at most 2 truth, the other at least 2 (1 - truth), and their ratio at most
    truth / (1 - truth).
    """

    kind: ClassVar[str] = "changing"

    periods: int
    changes: int
    truth: int

    def __post_init__(self) -> None:
        check_count("periods", self.periods, 1, 1 << 20)
        check_count("changes", self.changes, 1, self.periods)
        if self.periods & (self.periods - 1):
            raise ClientError(f"periods is {self.periods}; write a power of two")
        if read_chance("truth", self.truth) <= ONE // 2:
            raise ClientError("truth is at most one half; write more: a change is told oftener than its opposite")

    @classmethod
    def calibrate(cls, epsilon: float, periods: int, changes: int) -> ChangingBit:
        """Return the protocol whose epsilon for a whole lifetime is this one, or a little less."""
        grown = grow(check_epsilon(epsilon))
        return cls(periods, changes, take_chance(grown / (grown + 1)))

    @property
    def epsilon(self) -> float:
        """What all reports of a lifetime tell at most, rounded up."""
        return bound_log(Fraction(self.truth, ONE - self.truth))

    @property
    def levels(self) -> int:
        """How many lengths of intervals there are."""
        return self.periods.bit_length()

    def start(self, coins: Coins) -> ChangingPerson:
        """Return a person's state before the first period."""
        return ChangingPerson(self, coins.choose(self.levels), 1 + coins.choose(self.changes))


@dataclass
class ChangingPerson:
    """What a person's device keeps: a level, the number of a change, the last bit, and how often it changed."""

    protocol: ChangingBit
    level: int
    watched: int
    period: int = 0
    last: bool = False
    changed: int = 0
    seen: bool = False
    """Whether the watched change happened in the interval that is under way."""

    def observe(self, bit: bool, coins: Coins) -> ChangingReport | None:
        """Take in the bit of the next period; return a report where an interval of the level ends with it."""
        if self.period >= self.protocol.periods:
            raise ClientError(f"all {self.protocol.periods} periods are over: start a new metric")
        self.period += 1
        if bool(bit) != self.last:
            self.last, self.changed = bool(bit), self.changed + 1
            self.seen = self.seen or self.changed == self.watched
        if self.period % (1 << self.level):
            return None
        direction = self.watched % 2 == 1
        honest, even = coins.toss(self.protocol.truth), coins.toss(ONE // 2)
        told = (direction == honest) if self.seen else even
        self.seen = False
        return ChangingReport(self.level, (self.period >> self.level) - 1, told)
