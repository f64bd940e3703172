"""Searching for the least float at which a monotone condition holds."""

from __future__ import annotations

import math
from collections.abc import Callable

LARGEST = 1e300
SMALLEST = 1e-300


def least_float(good: Callable[[float], bool], limit: float = math.inf) -> tuple[float, float]:
    """Return floats (a, b), 2^-50 apart relative to b, such that the condition fails at a and holds at b.

    The condition must hold at every number above one where it holds. Where it fails up to `limit`, that is returned
    as both; (0, 0) where it holds at 0.

    >>> least_float(lambda x: x * x >= 2)[1]
    1.4142135623730...
    """
    if good(0.0):
        return 0.0, 0.0
    low, high = 0.0, min(1.0, limit)
    while not good(high):
        if high >= limit or high > LARGEST:
            return limit, limit
        low, high = high, min(2 * high, limit)
    while low == 0.0:
        if high < SMALLEST:
            return 0.0, high
        if good(high / 2):
            high /= 2
        else:
            low = high / 2
    while high - low > high * 2.0**-50:
        middle = low + (high - low) / 2
        if good(middle):
            high = middle
        else:
            low = middle
    return low, high


def least_int(good: Callable[[int], bool], start: int) -> int:
    """Return the least whole number >= 0 at which a monotone condition holds, searching out from `start`.

    >>> least_int(lambda n: n * n >= 200, start=3)
    15
    """
    low, high = -1, max(start, 0)
    step = 1
    while not good(high):
        low, high, step = high, high + step, 2 * step
    step = 1
    while low == -1 and high >= step and good(high - step):
        high, step = high - step, 2 * step
    if low == -1 and high >= step:
        low = high - step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high
