"""Every way that a randomiser's coins can fall, with its exact probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeVar

from discreet.local.client import Coins
from discreet.local.client.coins import ONE

R = TypeVar("R", bound=Hashable)


class EnumeratedCoins(Coins):
    """Follows a list of outcomes, and the first outcome of every choice beyond it."""

    def __init__(self, outcomes: list[int]) -> None:
        self.outcomes, self.chances = outcomes, list[list[Fraction]]()

    def words(self, count: int) -> tuple[int, ...]:
        raise AssertionError("a randomiser tosses coins and makes choices; it has no use for words")

    def toss(self, chance: int) -> bool:
        return bool(self._decide([1 - Fraction(chance, ONE), Fraction(chance, ONE)]))

    def toss_exactly(self, chance: Fraction) -> bool:
        return bool(chance) if chance in (0, 1) else bool(self._decide([1 - chance, chance]))

    def toss_each(self, chance: int, count: int) -> list[bool]:
        return [self.toss(chance) for _ in range(count)]

    def choose(self, count: int) -> int:
        return self._decide([Fraction(1, count)] * count)

    def _decide(self, chances: list[Fraction]) -> int:
        self.chances.append(chances)
        if len(self.chances) > len(self.outcomes):
            self.outcomes.append(0)
        return self.outcomes[len(self.chances) - 1]

    @property
    def probability(self) -> Fraction:
        found = Fraction(1)
        for place, chances in zip(self.outcomes, self.chances, strict=True):
            found *= chances[place]
        return found


def find_law(randomise: Callable[[Coins], R]) -> dict[R, Fraction]:
    """Return the exact probability of every result of a randomiser that tosses finitely many coins."""
    law: dict[R, Fraction] = defaultdict(Fraction)
    outcomes: list[int] | None = []
    while outcomes is not None:
        coins = EnumeratedCoins(outcomes)
        result = randomise(coins)
        law[result] += coins.probability
        outcomes = _find_next(coins)
    assert sum(law.values()) == 1
    return dict(law)


def _find_next(coins: EnumeratedCoins) -> list[int] | None:
    """Return the list of outcomes after this one; chances of 0 are followed too, since they cost nothing."""
    outcomes = list(coins.outcomes)
    while outcomes:
        if outcomes[-1] + 1 < len(coins.chances[len(outcomes) - 1]):
            outcomes[-1] += 1
            return outcomes
        outcomes.pop()
    return None
