"""What the best attacker can be right about, however clever: bounds from epsilon and delta alone.

A secret bit was tossed like a fair coin, and an attacker who knows everything else guesses it from a release.
"""

from __future__ import annotations

import math

from discreet.base import check
from discreet.privacy.neighbours import Neighbours


def bound_right_guesses(epsilon: float, delta: float = 0.0, neighbours: str = Neighbours.REPLACE) -> float:
    """Return how often a bit of one person is guessed right at most, on average.

    Theorem, replace neighbours (Kairouz, Oh, Viswanath 2015): a table and the same with the other bit are neighbours,
    so the guess that is right with one is made with the other at least e^-epsilon times as often, less delta: at most
    (e^epsilon + delta) / (1 + e^epsilon) are right. At epsilon 1 that is e / (1 + e) = 73.1 %.

    Add-remove neighbours: both tables are neighbours of the one without the person, and have a share of e^-epsilon (1 -
    2 delta) of their releases in common: at most 1 - e^-epsilon (1 - 2 delta) / 2 are right. At epsilon 1 that is
    1 - 1 / 2e = 81.6 %, less than the 88.1 % that replacing somebody in two steps would give.

    >>> round(bound_right_guesses(1.0), 3), round(bound_right_guesses(1.0, neighbours="add-remove"), 3)
    (0.731, 0.816)
    """
    loss, miss = float(check.positive("epsilon", epsilon)), float(check.delta("delta", delta))
    if Neighbours.named(neighbours) is Neighbours.REPLACE:
        return min(1.0, (1 + miss * math.exp(-loss)) / (1 + math.exp(-loss)))
    return min(1.0, 1 - math.exp(-loss) * max(0.0, 1 - 2 * miss) / 2)


def bound_caught(epsilon: float, delta: float, false_alarms: float) -> float:
    """Return the share of members that is found at most, where so many outsiders are taken for members.

    It is the definition itself: e^epsilon times the false alarms plus delta; and from its other direction
    1 - e^-epsilon (1 - delta - false alarms), which is less where there are many of them.
    """
    loss, miss = float(check.positive("epsilon", epsilon)), float(check.delta("delta", delta))
    share = float(check.real("false_alarms", false_alarms, least=0, most=1))
    straight = (math.exp(min(0.0, loss + math.log(share))) if share else 0.0) + miss
    return min(1.0, straight, 1 - math.exp(-loss) * (1 - miss - share))
