"""Which tilt to compose laws under: the one whose Chernoff bound is best where the answer lies."""

from __future__ import annotations

import math
from collections.abc import Callable

from discreet.privacy.accountant.composed_laws import ComposedLaws, find_log_largest_weight
from discreet.privacy.accountant.pairs import LEAST


def find_tilt_for_delta(laws: ComposedLaws, log_delta: float) -> float:
    """Return the tilt t with the least Chernoff bound on epsilon at this delta.

    For every t > 0, delta(e) <= e^(K(t) - t e) c(t) with K the log moment generating function of the total loss and
    c(t) = t^t / (t + 1)^(t + 1), the largest value of (1 - e^-y) e^(-t y). K + ln c is convex, so the bound on e falls
    and then rises with t; it rises where K - t K' - ln(1 + t) <= ln delta. That holds also where a few far losses make
    K' jump: a saddle point would lie beyond the jump, and what matters far below it.
    """

    def rises(tilt: float) -> bool:
        value, slope, _ = laws.find_cumulants(tilt)
        return value - tilt * slope - math.log1p(tilt) <= log_delta

    return _find_least(rises, laws)


def find_tilt_for_epsilon(laws: ComposedLaws, epsilon: float) -> float:
    """Return the tilt that puts the middle of the total loss at epsilon."""
    return _find_least(lambda tilt: laws.find_cumulants(tilt)[1] >= epsilon, laws)


def bound_by_chernoff(laws: ComposedLaws, tilt: float, delta: float) -> float:
    """Return a quick bound on epsilon at this delta, or infinity where too much lies above the grid."""
    rest = delta - (laws.infinite + laws.beyond_q + laws.beyond_excess) * (1 + 1e-9) - LEAST
    if rest <= delta / 2:
        return math.inf
    value, _, _ = laws.find_cumulants(tilt)
    largest = find_log_largest_weight(tilt)
    bound = (value + largest - math.log(rest)) / tilt - laws.offset
    return max(0.0, bound + 1e-9 * (abs(value) + abs(largest) + abs(math.log(rest))) / tilt)


def _find_least(enough: Callable[[float], bool], laws: ComposedLaws) -> float:
    """Return the least tilt that is enough, to 7 %, searching out from the inverse of the total loss's deviation."""
    _, _, spread = laws.find_cumulants(0.0)
    unit = 1 / math.sqrt(spread) if spread > 0 else 1.0
    low, high = unit, 8 * unit
    while not enough(high) and high < 1e9 * unit:
        low, high = high, 8 * high
    while enough(low) and low > 1e-3 * unit:
        low, high = low / 8, low
    for _ in range(5):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
