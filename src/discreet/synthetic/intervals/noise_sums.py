"""How far sums of independent noises reach: discrete Laplace and discrete Gaussian, times whole numbers.

The sum T of whole numbers has a whole value, and a real characteristic function f, as noises are symmetric. So
Pr[|T| <= k] = (1 / pi) times the integral of f(t) sin((k + 1/2) t) / sin(t / 2) over 0 to pi. The sum over N equally
spaced points in place of the integral is exact for T modulo N (Poisson), so it errs by at most Pr[|T| >= N - k].
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.base.search import least_int
from discreet.mechanisms import DiscreteGaussian, Laplace
from discreet.query.draws import VectorNoise
from discreet.synthetic.reading import find_variance

NoiseTerm = tuple[int, VectorNoise, int]
"""A whole factor, a noise, and how many independent draws of it are added up."""

MOST_NODES = 1 << 20
"""Points of a sum that is taken whole."""

SLACK = 1e-10
"""More than rounding, and what lies beyond one period, add up to."""

CUT = 1e-4
"""What points left out may add to the probability of a miss, as a part of it; it is allowed for."""


def bound_noises(terms: Iterable[NoiseTerm], miss: float) -> int:
    """Return k with Pr[|sum of factor * noise| > k] <= miss: nearly the least such k.

    One noise alone has its mechanism's own, certified bound. Where the law is out of reach (a miss below 1e-8, another
    noise, or factors that need too many points), every draw is held to its share of the miss instead.
    """
    counts: dict[tuple[int, VectorNoise], int] = {}
    for factor, noise, count in terms:
        if factor and count:
            counts[abs(factor), noise] = counts.get((abs(factor), noise), 0) + count
    shared = math.gcd(*(factor for factor, _ in counts)) if counts else 1
    merged = tuple((factor // shared, noise, count) for (factor, noise), count in counts.items())
    return shared * _bound(merged, miss)


@lru_cache(maxsize=1 << 14)
def _bound(terms: tuple[NoiseTerm, ...], miss: float) -> int:
    draws = sum(count for _, _, count in terms)
    if not draws:
        return 0
    if draws == 1:
        ((factor, noise, _),) = terms
        return factor * int(noise.interval(1 - miss))
    deviation = math.sqrt(sum(factor**2 * find_variance(noise) * count for factor, noise, count in terms))
    # By Chernoff's bound with exp(t T), t the lesser of 1 / (2 widest) and 8.6 / deviation, T lies beyond half of a
    # period with probability below 1e-12: each noise has E exp(t x) <= exp(0.58 t^2 variance) there.
    widest = max(factor * _find_width(noise) for factor, noise, _ in terms)
    period = 2 * math.ceil(10 * deviation + 60 * widest) + 15
    known = all(isinstance(noise, Laplace | DiscreteGaussian) for _, noise, _ in terms)
    if not known or miss < 100 * SLACK or (nodes := _count_nodes(terms, period, miss)) > MOST_NODES:
        return _bound_each(terms, miss / draws)
    at: Floats = np.arange(1, nodes + 1, dtype=np.float64) * (2 * math.pi / period)
    heights = _transform(terms, at) / np.sin(at / 2)
    allowed = miss * (1 - CUT) - SLACK

    def is_covered(reach: int) -> bool:
        inside = (2 * reach + 1 + 2 * float(np.sin((reach + 0.5) * at) @ heights)) / period
        return 1 - inside <= allowed

    return least_int(is_covered, start=math.floor(2 * deviation))


def _bound_each(terms: tuple[NoiseTerm, ...], miss: float) -> int:
    """Return the sum of bounds that every draw keeps but with this probability: a union bound."""
    return sum(factor * count * int(noise.interval(1 - miss)) for factor, noise, count in terms)


def _count_nodes(terms: tuple[NoiseTerm, ...], period: int, miss: float) -> int:
    """Return how many points are needed: all of one half, or those before f stays small.

    Where all factors are 1, f falls on (0, pi). As sin(t / 2) >= t / pi there, points after the n-th add up to at most
    f(t_n) * log(N / 2n).
    """
    every = period // 2
    nodes = 64
    while all(factor == 1 for factor, _, _ in terms) and nodes < every:
        height = float(_transform(terms, np.array([2 * math.pi * nodes / period]))[0])
        if abs(height) * math.log(every / nodes + 1) <= miss * CUT:
            return nodes
        nodes *= 2
    return every


def _transform(terms: tuple[NoiseTerm, ...], at: Floats) -> Floats:
    """Return the characteristic function of the sum."""
    found = np.ones(len(at))
    for factor, noise, count in terms:
        found *= _transform_one(noise, factor * at) ** count
    return found


def _transform_one(noise: VectorNoise, at: Floats) -> Floats:
    """Return a noise's characteristic function: that of a discrete Gaussian by Poisson's formula where it is wide."""
    if isinstance(noise, Laplace):
        q, rest = math.exp(-1 / noise.scale), math.expm1(-1 / noise.scale)
        return np.asarray(1 / (1 + 4 * q / rest**2 * np.sin(at / 2) ** 2))
    sigma = float(noise.sigma)
    if sigma < 1:
        whole = np.arange(1, 40)
        weights = np.exp(-(whole**2) / (2 * sigma**2))
        return np.asarray((1 + 2 * np.cos(np.outer(at, whole)) @ weights) / (1 + 2 * weights.sum()))
    near = np.remainder(at + math.pi, 2 * math.pi) - math.pi
    turns = 2 * math.pi * np.arange(-2, 3)
    weights = np.exp(-((sigma * turns) ** 2) / 2).sum()
    return np.asarray(np.exp(-((sigma * (near[:, None] + turns)) ** 2) / 2).sum(axis=1) / weights)


def _find_width(noise: VectorNoise) -> float:
    return float(noise.scale if isinstance(noise, Laplace) else noise.sigma)
