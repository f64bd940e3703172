"""A clock for neighbours: whether an operation takes so much longer on one of two databases that time tells which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_SECONDS, MOST_SHARE = 0.1, 0.2
"""How far two times may lie apart: this long, and this part of the shorter one."""

ROUNDS = 7


def tells(one: float, other: float) -> bool:
    """Say whether two times lie farther apart than is allowed."""
    return abs(one - other) > MOST_SECONDS + MOST_SHARE * min(one, other)


@dataclass(frozen=True, slots=True)
class Timed:
    """How long something takes on a database and on another, in seconds."""

    base: float
    other: float

    @property
    def apart(self) -> float:
        """How many seconds lie between them."""
        return abs(self.base - self.other)

    @property
    def tells(self) -> bool:
        """Whether they lie farther apart than is allowed."""
        return tells(self.base, self.other)


def measure_again(base: Callable[[], float], other: Callable[[], float], rounds: int = ROUNDS) -> Timed:
    """Return the least times of some rounds, in turn; they end with the first after which nothing is told.

    Other work on the machine makes single runs longer, and never shorter.
    """
    found = Timed(float("inf"), float("inf"))
    for _ in range(rounds):
        found = Timed(min(found.base, base()), min(found.other, other()))
        if not found.tells:
            break
    return found
