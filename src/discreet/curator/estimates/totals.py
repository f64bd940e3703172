"""How far a total errs: the sum of independent noises of one law, one for each row that is added up."""

from __future__ import annotations

import math

from discreet.base.later import Later
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.laplace_sums import bound_sum

special = Later("scipy.special")

EXACT = 16
"""Rows up to which each number of them has a bound of its own."""


def bound_total(noise: Laplace | Gaussian, count: int, miss: float) -> float:
    """Return z with Pr[|sum of so many noises| > z] <= miss.

    Noises are symmetric with one peak, so that more of them never reach less far: larger numbers of rows are rounded
    up by a sixteenth at most, and few different bounds are ever computed. Rounding a Gaussian moves it by a half.
    """
    if count <= 1:
        return float(noise.interval(1 - miss)) if count else 0.0
    rows = _round_up(count)
    if isinstance(noise, Gaussian):
        reach = float(-special.ndtri(miss / 2)) * math.sqrt(rows) * float(noise.sigma) * (1 + 1e-9)
        return reach + count / 2
    return bound_sum(noise.scale, ((1, rows),), miss / 2)


def _round_up(count: int) -> int:
    """Return a number at most one part in 16 larger, of which there are few.

    >>> [_round_up(each) for each in (3, 16, 33, 1000)]
    [3, 16, 34, 1024]
    """
    if count <= EXACT:
        return count
    unit = 1 << (count.bit_length() - 5)
    return -(-count // unit) * unit
