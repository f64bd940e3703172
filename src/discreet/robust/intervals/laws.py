"""How far estimates err by sampling and noise together: the law of a normal error plus Laplace noises.

Sums over people differ from what they estimate by a sampling error, normal by the central limit theorem, and by the
noise that was added to them, whose law is known exactly. Gaussian noise adds to the normal's variance. The tail of a
normal plus one Laplace noise of scale b has a closed form (the normal-Laplace law; Reed, Jorgensen 2004), and that of
several Laplace noises with different scales is a mixture of single ones with weights of both signs (partial fractions
of the characteristic functions 1 / (1 + b^2 t^2)), so that the tail of all together is a sum of closed forms.

Integer noise is at most half a step farther from zero than a real one of the same scale: Pr[|N| >= k] of the discrete
Laplace law is Pr[|L| >= k - 1/2] / cosh(1 / 2b), and rounding moves a Gaussian by half a step at most. That is the
`slack`. Everything is vectorised: one element for each run of a simulation, or just one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.mechanisms import Gaussian, Laplace

special = Later("scipy.special")

SumNoise = Laplace | Gaussian
ThreeNoises = tuple[SumNoise, SumNoise, SumNoise]
"""Those of a count, a sum and a sum of squares."""

Booleans = NDArray[np.bool_]
FactorNoise = tuple[Any, SumNoise]
"""A factor, one for all or one for each run, and the noise that it multiplies."""

APART = 1.03
"""Scales of Laplace noises are taken at least this many times apart: the larger ones grow, to the safe side."""

SMALLEST = 1e-3
"""Scales are taken to be at least this part of the normal's deviation, also on the safe side."""

WIDER = 1.3
"""By how much a first guess of a quantile is made wider: scales may have been, too."""

ROUNDS = 60
"""Steps of a search for a quantile, at the most."""

CLOSE = 1e-9
"""How near to one another, as a part of them, the ends of such a search are when it stops."""


@dataclass(frozen=True, slots=True)
class ErrorLaw:
    """A normal error of some variance plus Laplace noises of some scales, off by at most the slack."""

    variance: Floats
    scales: tuple[Floats, ...]
    slack: Floats

    @classmethod
    def of(cls, variance: Any, terms: Sequence[FactorNoise]) -> ErrorLaw:
        """Return the law of a sampling error of this variance plus factor times noise, added up."""
        whole: Floats = np.maximum(np.asarray(variance, dtype=float), 0.0)
        slack: Floats = np.zeros(())
        scales = []
        for factor, noise in terms:
            size = np.abs(np.asarray(factor, dtype=float))
            slack = slack + size / 2
            if isinstance(noise, Gaussian):
                whole = whole + (size * noise.sigma) ** 2
            else:
                scales.append(size * noise.scale)
        return cls(whole, tuple(scales), slack)

    def divide(self, by: Any) -> ErrorLaw:
        """Return the law of this error over a positive number."""
        return ErrorLaw(self.variance / by**2, tuple(scale / by for scale in self.scales), self.slack / by)

    def plus(self, other: ErrorLaw) -> ErrorLaw:
        """Return the law of the sum of two independent errors."""
        return ErrorLaw(self.variance + other.variance, self.scales + other.scales, self.slack + other.slack)

    @property
    def deviation(self) -> Floats:
        """The standard deviation."""
        total = self.variance + sum((2 * scale**2 for scale in self.scales), np.zeros(()))
        found: Floats = np.sqrt(total)
        return found

    def explain(self, distance: Any) -> Floats:
        """Return the probability of an error of this size or more, either way."""
        far = np.maximum(np.abs(distance) - self.slack, 0.0)
        found: Floats = np.minimum(2 * find_tail(far, self.variance, self.scales), 1.0)
        return found

    def reach(self, miss: float) -> Floats:
        """Return z, so that the error is above z with at most this probability, and below -z likewise."""
        low = np.zeros(np.broadcast_shapes(self.variance.shape, *(scale.shape for scale in self.scales)))
        deviation, scales = np.sqrt(self.variance), sum(self.scales, np.zeros(()))
        each = min(miss, 0.5) / (len(self.scales) + 1)  # of the parts, one of which is as far as its own reach
        near = deviation * find_quantile(2 * each) - scales * np.log(2 * each)
        high = low + np.minimum(WIDER * near, (deviation + scales) * max(1.0, -4 * np.log(miss)))
        found: Floats = _find_place(lambda at: find_tail(at, self.variance, self.scales), low, high, miss) + self.slack
        return found


def _find_place(tail: Callable[[Floats], Floats], low: Floats, high: Floats, miss: float) -> Floats:
    """Return where a falling tail is `miss`, between two places, or by a part in 10^9 beyond: never where it is more.

    Logarithms of tails are nearly straight, so that the place is looked for on the line between two ends; an end that
    stays twice counts half (the Illinois form of the false position), and where there is no line, halfway.
    """

    def exceed(at: Floats) -> Floats:
        found: Floats = np.log(tail(at) / miss)
        return found

    with np.errstate(divide="ignore", invalid="ignore"):
        over, under = exceed(low), exceed(high)
        high, side = np.where(over <= 0, low, high), np.zeros_like(low)
        for _ in range(ROUNDS):
            if np.all(high - low <= CLOSE * high):
                break
            line = low + (high - low) * over / (over - under)
            middle = np.where((line > low) & (line < high), line, (low + high) / 2)
            here = exceed(middle)
            up = here > 0
            over = np.where(up, here, np.where(side < 0, over / 2, over))
            under = np.where(up, np.where(side > 0, under / 2, under), here)
            low, high, side = np.where(up, middle, low), np.where(up, high, middle), np.where(up, 1.0, -1.0)
    return high


@lru_cache(maxsize=256)
def bound_noises(noises: tuple[SumNoise, ...], miss: float) -> float:
    """Return how far the sum of some noises reaches up at most, except with this probability; down likewise."""
    return float(ErrorLaw.of(0.0, [(1.0, noise) for noise in noises]).reach(miss))


def find_quantile(miss: float) -> float:
    """Return how many deviations a normal error reaches either way, except with this probability."""
    return float(-special.ndtri(miss / 2))


def find_reach(sampled: Any, noisy: Any, miss: float) -> Floats:
    """Return how far an error reaches either way that has these variances by sampling and by many noises.

    The noise's is taken large enough for a single Laplace noise, which reaches farther than a normal one.
    """
    z = find_quantile(miss)
    farther = max(1.0, math.log(1 / miss) / (z * math.sqrt(2))) ** 2
    found: Floats = z * np.sqrt(np.asarray(sampled + farther * noisy, dtype=float))
    return found


def find_tail(at: Any, variance: Any, scales: Sequence[Any]) -> Floats:
    """Return Pr[normal + Laplaces > t] for t >= 0, of this variance and these scales."""
    far, whole, *widths = np.broadcast_arrays(*(np.asarray(each, dtype=float) for each in (at, variance, *scales)))
    widest = np.max(widths, axis=0) if widths else np.zeros_like(whole)
    deviation = np.maximum(np.sqrt(whole), np.maximum(1e-6 * widest, 1e-300))
    normal = special.ndtr(-far / deviation)
    if not widths:
        found: Floats = normal
        return found
    ordered = _part(np.sort(np.maximum(np.stack(widths), SMALLEST * deviation), axis=0))
    squares = ordered**2
    total = np.zeros_like(far)
    for place, scale in enumerate(ordered):
        others = [squares[place] / (squares[place] - squares[each]) for each in range(len(ordered)) if each != place]
        weight = np.prod(others, axis=0) if others else 1.0
        total = total + weight * _find_beyond(far, deviation, scale)
    mixed: Floats = np.clip(normal + total, 0.0, 1.0)
    return mixed


def _part(ordered: Floats) -> Floats:
    """Return sorted scales, each at least a little larger than the one before."""
    parted = [ordered[0]]
    for scale in ordered[1:]:
        parted.append(np.maximum(scale, APART * parted[-1]))
    return np.stack(parted)


def _find_beyond(at: Floats, deviation: Floats, scale: Floats) -> Floats:
    """Return how much more likely a normal plus a Laplace noise is to be above t than the normal alone."""
    ratio, far = deviation / scale, at / deviation
    up = ratio**2 / 2 - at / scale + special.log_ndtr(far - ratio)
    down = ratio**2 / 2 + at / scale + special.log_ndtr(-far - ratio)
    found: Floats = (np.exp(np.minimum(up, 0.0)) - np.exp(np.minimum(down, 0.0))) / 2
    return found
