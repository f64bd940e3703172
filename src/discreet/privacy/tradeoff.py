"""The trade-off curve: how well the best test between two neighbours can do (Dong, Roth, Su 2022)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.base import check
from discreet.base.rounding import float_down, float_up
from discreet.privacy.certified import Certified

POINTS = 200

LARGEST = 700.0
"""e^epsilon leaves the floats not far beyond this."""


def choose_epsilons(furthest: float) -> list[float]:
    """Return the epsilons to know delta at, up to one beyond which delta is too small to matter."""
    return [0.0, *np.geomspace(1e-3, max(furthest, 2e-3), POINTS).tolist()]


def bracket_false_negatives(curve: Sequence[tuple[float, Certified]], alpha: float) -> Certified:
    """Bracket the smallest false-negative rate at false-positive rate alpha, from (epsilon, delta) in rising order.

    It is the supremum over epsilon >= 0 of 1 - delta(epsilon) - e^epsilon alpha and of e^-epsilon (1 - delta(epsilon)
    - alpha), and 0 (Proposition 2.13). Every epsilon gives a lower bound; between two of them delta falls, so the
    values at both ends bound it from above.
    """
    rate = check.real("alpha", alpha, least=0, most=1)
    small, large = float_down(rate), float_up(rate)
    low = high = 0.0
    following = [delta for _, delta in curve[1:]]
    for (epsilon, delta), later in zip(curve, [*following, Certified(0.0, 0.0)], strict=True):
        factor = math.exp(min(epsilon, LARGEST))
        if epsilon <= LARGEST or large == 0:  # beyond, the factor is too small: still an upper bound, but no lower one
            low = max(low, 1 - delta.high - factor * large, (1 - delta.high - large) / factor)
        high = max(high, 1 - later.low - factor * small, (1 - later.low - small) / factor)
    margin = 1e-14
    return Certified(max(0.0, low - margin), max(0.0, min(1.0 - small, high + margin)))
