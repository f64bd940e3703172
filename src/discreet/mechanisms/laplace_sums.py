"""How far sums of independent Laplace noises reach: their law by convolution, every step rounded outwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats

FINE = 32
"""Lattice points for one scale of the widest term."""

SLACK = 1e-10
"""More than the transforms' errors, and what lies beyond the lattice, add up to."""


@dataclass(frozen=True, slots=True)
class SumLaw:
    """A law that is never below that of a sum of noises, which is symmetric: (first + i) * step has shares[i].

    Off by at most `SLACK` in all.
    """

    step: float
    first: int
    shares: Floats

    @property
    def values(self) -> Floats:
        """What the sum may be, rounded up."""
        found = np.arange(self.first, self.first + len(self.shares), dtype=np.float64) * np.float64(self.step)
        return found + np.abs(found) * 1e-9


def bound_sum(scale: float, terms: tuple[tuple[int, int], ...], miss: float) -> float:
    """Return z with Pr[sum > z] <= miss, of `count` discrete Laplace noises times `factor` for each (factor, count)."""
    counts: dict[int, int] = {}
    for factor, count in terms:
        if factor and count:
            counts[abs(factor)] = counts.get(abs(factor), 0) + count
    return _bound(tuple((float(factor), scale, count) for factor, count in sorted(counts.items())), miss)


def bound_factors(terms: tuple[tuple[float, float], ...], miss: float) -> float:
    """Return z with Pr[sum > z] <= miss, for the sum of factor * noise for each (factor, scale)."""
    return _bound(tuple((abs(factor), scale, 1) for factor, scale in terms if factor), miss)


def find_sum_law(scale: float, terms: tuple[tuple[int, int], ...]) -> SumLaw:
    """Return the law of such a sum, rounded up: `count` noises times `factor` for each (factor, count)."""
    return _find_sum_law(tuple((float(abs(factor)), scale, count) for factor, count in terms if factor and count))


@lru_cache(maxsize=1 << 14)
def _bound(terms: tuple[tuple[float, float, int], ...], miss: float) -> float:
    """Bound a sum of (factor, scale, count). Infinite where miss is as small as what is cut off."""
    if not terms:
        return 0.0
    if miss <= 2 * SLACK:
        return math.inf
    law = _find_sum_law(terms)
    beyond = np.cumsum(law.shares[::-1])[::-1]  # beyond[i]: the probability of i and more
    first = int(np.flatnonzero(beyond <= miss - SLACK)[0])
    return (law.first + first - 1) * law.step * (1 + 1e-9)


def _find_sum_law(terms: tuple[tuple[float, float, int], ...]) -> SumLaw:
    """Return the law of a sum of (factor, scale, count).

    Every term is rounded up to a lattice, so the sum of rounded terms is never below the sum, and its law is a
    convolution of finite ones. The lattice spans 40 scales of each term, and of the sum 60 of the widest term's and 10
    standard deviations: what is cut off, or folded back by the transform, has probability below 1e-12 (Chernoff's bound
    at the lesser of half the widest term's rate and 8.6 deviations).
    """
    step = max(factor * scale for factor, scale, _ in terms) / FINE
    spread = math.sqrt(2 * math.fsum(count * (factor * scale) ** 2 for factor, scale, count in terms)) / step
    rounded = sum(count for _, _, count in terms)
    reach = 10 * spread + 60 * FINE + rounded
    size = 1 << math.ceil(math.log2(2 * reach))
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for factor, scale, count in terms:
        one = np.fft.rfft(_round_up(scale, step / factor, size))
        spectrum *= one if count == 1 else one**count
    return SumLaw(step, -(size // 2), np.roll(np.fft.irfft(spectrum, size), size // 2))


def _round_up(scale: float, step: float, size: int) -> Floats:
    """Return the law of a noise in steps, rounded up; negative numbers of steps stand at the end."""
    most = math.ceil(40 * scale / step)
    edges = np.arange(-most - 1, most + 1) * step
    below = _below(np.floor(edges), scale)
    shares = np.diff(below)
    shares[0] += float(below[0])
    found = np.zeros(size)
    found[np.arange(-most, most + 1) % size] = shares
    return found


def _below(at: Floats, scale: float) -> Floats:
    """Return Pr[noise <= k] at whole numbers k."""
    rate = 1 / scale
    tail = np.exp(-rate * np.where(at < 0, -at, at + 1)) / (1 + math.exp(-rate))
    found: Floats = np.where(at < 0, tail, 1 - tail)
    return found
