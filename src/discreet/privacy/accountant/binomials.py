"""Binomial laws with a proven error: exact in whole numbers where successes or failures are few, else in floats.

Masses are right to ATOM_ERROR, relatively, and what is left out at both ends has a bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.base.grid import Floats

REACH = 14
"""How many standard deviations a law reaches to either side, where it is computed in floats."""

TOP = 1 << 448
"""The weight of the likeliest count, where weights are whole numbers."""

LEAST_WEIGHT = 1 << 248
"""Counts with less weight than this are left out: a part of 2^-200 of the likeliest."""


@dataclass(frozen=True, eq=False)
class CountLaw:
    """The law of a count: the mass of first + i, and a bound on what lies outside."""

    first: int
    masses: Floats
    outside: float

    @property
    def spread(self) -> float:
        """The standard deviation, about."""
        return len(self.masses) / (2 * REACH)


@dataclass(frozen=True)
class CountBlock:
    """Neighbouring counts: the least of them, their mass, and by how much their mean exceeds the least."""

    least: int
    mass: float
    excess: float


def find_law(trials: int, share: Fraction) -> CountLaw:
    """Return the law of how many of so many trials succeed, each with probability `share`."""
    expected = trials * share
    reach = REACH * math.sqrt(expected * (1 - share)) + 2
    near = 2 * reach <= min(expected, trials - expected)
    first, masses = _add_deviances(trials, share, math.ceil(reach)) if near else _multiply_ratios(trials, share)
    last = first + len(masses) - 1
    above = _bound_series(float(masses[-1]), (trials - last) * share, (last + 1) * (1 - share))
    below = _bound_series(float(masses[0]), first * (1 - share), (trials - first + 1) * share)
    return CountLaw(first, masses, above + below)


def _bound_series(end: float, numerator: Fraction, denominator: Fraction) -> float:
    """Bound what lies beyond a mass: the next ratio is numerator / denominator, and those behind it are smaller."""
    if numerator == 0:
        return 0.0
    ratio = float(numerator / denominator)
    return 1.001 * end * ratio / (1 - ratio)


def _multiply_ratios(trials: int, share: Fraction) -> tuple[int, Floats]:
    """Return the law from the ratios of neighbouring masses, in whole numbers.

    Each step out from the likeliest count is rounded down and so loses a part of at most 2^-248.
    """
    hit, miss = share.numerator, share.denominator - share.numerator
    likeliest = min(trials, math.floor((trials + 1) * share))
    above, below = [], []
    weight = TOP
    for count in range(likeliest, trials):
        weight = weight * ((trials - count) * hit) // ((count + 1) * miss)
        if weight < LEAST_WEIGHT:
            break
        above.append(weight)
    weight = TOP
    for count in range(likeliest, 0, -1):
        weight = weight * (count * miss) // ((trials - count + 1) * hit)
        if weight < LEAST_WEIGHT:
            break
        below.append(weight)
    weights = [*reversed(below), TOP, *above]
    total = sum(weights)
    return likeliest - len(below), np.array([each / total for each in weights])


def _add_deviances(trials: int, share: Fraction, reach: int) -> tuple[int, Floats]:
    """Return the law in floats, from `reach` below the expected number m = trials share to as much above.

    With x = (count - m) / m, y likewise for failures, and h(x) = (1 + x) ln(1 + x) - x, the mass is proportional to
    e^(-D) ((1 + x)(1 + y))^(-1/2) e^(-s(count) - s(trials - count)), where D = m h(x) + (trials - m) h(y) and
    s(c) = 1 / (12 c) - 1 / (360 c^3) + ... is what Stirling's formula leaves out (as in Loader 2000). Here |x| and |y|
    are at most 1/2 and counts at least 390: two terms of s leave 1e-16, and D, at most 130, is right to 10 units of
    round-off: that is 2e-13 of a mass.
    """
    expected = trials * share
    middle = math.floor(expected)
    steps = np.arange(-reach, reach + 1, dtype=np.float64)
    off = steps - float(expected - middle)
    m, rest = float(expected), float(trials - expected)
    x, y = off / m, -off / rest
    deviance = m * _find_growth(x) + rest * _find_growth(y)
    counts = middle + steps
    masses = np.exp(-deviance - _complete_stirling(counts) - _complete_stirling(trials - counts))
    masses /= np.sqrt((1 + x) * (1 + y))
    return middle - reach, masses / masses.sum()


def _find_growth(x: Floats) -> Floats:
    """Return (1 + x) ln(1 + x) - x = x^2 / 2 - x^3 / 6 + x^4 / 12 - ..., for |x| <= 1/2."""
    largest, terms = float(np.abs(x).max()), 2
    while largest ** (terms - 1) > 1e-17:
        terms += 1
    found = np.full_like(x, 1 / (terms * (terms - 1)))
    for i in range(terms - 1, 1, -1):
        found *= -x
        found += 1 / (i * (i - 1))
    found *= x * x
    return found


def _complete_stirling(counts: Floats) -> Floats:
    inverse = 1 / counts
    found: Floats = inverse * (1 / 12 - inverse * inverse / 360)
    return found


def choose_edges(law: CountLaw, blocks: int) -> list[int]:
    """Return the edges of about so many blocks: fine in the middle of the law, coarse far out."""
    size = len(law.masses)
    if size <= blocks:
        return list(range(law.first, law.first + size + 1))
    middle, spread = int(np.argmax(law.masses)), law.spread
    low, high = math.asinh(-middle / spread), math.asinh((size - middle) / spread)
    inner = middle + np.floor(spread * np.sinh(np.linspace(low, high, blocks + 1)[1:-1]))
    return [law.first + edge for edge in sorted({0, *(int(edge) for edge in inner if 0 < edge < size), size})]


def join_counts(law: CountLaw, edges: list[int]) -> list[CountBlock]:
    """Return neighbouring counts joined to blocks, each from one of the rising edges up to the next."""
    blocks = []
    for start, end in pairwise(edges):
        masses = law.masses[start - law.first : end - law.first]
        mass = float(masses.sum())
        blocks.append(CountBlock(start, mass, float((masses * np.arange(len(masses))).sum()) / mass))
    return blocks
