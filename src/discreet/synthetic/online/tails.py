"""How far sums of independent noises reach, at probabilities as small as a union over many questions needs.

The law of one noise is put on a lattice, every value rounded up, so that a sum on the lattice is never below the sum.
It is tilted (Esscher 1932): with M the moment generating function at theta, P(sum >= z) is M^count times the sum over
j >= z of exp(-theta j) g(j), where g is the law of `count` tilted noises. Theta is chosen so that z lies in the middle
of g: a convolution by transforms, whose errors are absolute, then gives tails of 1e-100 to many digits.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, logsumexp

from discreet.base.grid import Floats
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.laplace_sums import bound_factors

CountNoise = Laplace | Gaussian

SPARE = 1e-9
"""More than what the transforms and what lies beyond the lattice add, relative to a tail."""

ERROR = 1e-15
"""More than the transform's own error at one place, which is added everywhere."""

BEYOND = 45.0
"""What is cut off has this many nats less than the probability that is looked for."""


def bound_equal_sum(noise: CountNoise, count: int, log_miss: float) -> int:
    """Return k with Pr[|sum of `count` such noises| > k] <= exp(log_miss).

    Log probabilities are rounded down to quarters and large counts up to their first five bits, so that few of these
    have to be computed. More noises reach further: the law of a sum is symmetric and log-concave, so it has one peak,
    and adding a symmetric noise makes it no narrower (Birnbaum 1948).
    """
    log_side = math.floor(4 * (log_miss - math.log(2))) / 4
    grain = 1 << max(0, count.bit_length() - 5)
    return _bound(isinstance(noise, Laplace), _get_scale(noise), -(-count // grain) * grain, log_side)


def bound_weighted_sum(terms: tuple[tuple[float, CountNoise], ...], miss: float) -> float:
    """Return z with Pr[|sum of factor * noise| > z] <= miss; where both kinds are there, each gets half of it."""
    laplace = tuple((factor, noise.scale) for factor, noise in terms if isinstance(noise, Laplace))
    normal = [(factor, noise.sigma) for factor, noise in terms if isinstance(noise, Gaussian)]
    side = miss / 2 / (2 if laplace and normal else 1)
    width = bound_factors(laplace, side) if laplace else 0.0
    if normal:
        sigma = math.sqrt(math.fsum((factor * sigma) ** 2 for factor, sigma in normal))
        rounding = math.fsum(abs(factor) for factor, _ in normal) / 2  # each is a real Gaussian, rounded to a whole one
        width += _quantile(math.log(side)) * sigma + rounding
    return width * (1 + 1e-9)


def _get_scale(noise: CountNoise) -> float:
    return noise.scale if isinstance(noise, Laplace) else noise.sigma


def _quantile(log_tail: float) -> float:
    """Return z with Pr[Z > z] <= exp(log_tail) for a standard Gaussian."""
    if log_tail >= math.log(0.5):
        return 0.0
    found: float = brentq(lambda z: float(log_ndtr(-z)) - log_tail, 0.0, math.sqrt(-2 * log_tail) + 1)
    return found * (1 + 1e-9)


@lru_cache(maxsize=1 << 16)
def _bound(laplace: bool, scale: float, count: int, log_tail: float) -> int:
    """Return the least whole number, about, beyond which the sum lies with probability exp(log_tail) at most.

    Whatever theta is, what is found is a bound: theta decides only how many digits the tail has.
    """
    fine = 1 << max(5, math.ceil(math.log2(2 * math.sqrt(count))))
    reach = (BEYOND - log_tail) if laplace else math.sqrt(2 * (BEYOND - log_tail))
    most = math.ceil(fine * reach)
    places = np.arange(-most, most + 1)
    theta = _tilt(laplace, count, log_tail) / fine
    tilted = _write_law(laplace, scale, scale / fine, most) + theta * places
    total = float(logsumexp(tilted))
    shares = np.exp(tilted - total)
    mean = float(shares @ places)
    spread = math.sqrt(count * float(shares @ (places - mean) ** 2))
    center, above, below = round(count * mean), math.ceil(8 * spread + BEYOND / theta), math.ceil(2 * spread)
    size = 1 << math.ceil(math.log2(2 * max(above, most) + 2))
    wrapped = np.zeros(size)
    np.add.at(wrapped, places % size, shares)
    law = np.fft.irfft(np.fft.rfft(wrapped) ** count, size).clip(0.0) + ERROR
    offsets = np.arange(-below, above + 1)
    tails = np.cumsum((law[(center + offsets) % size] * np.exp(-theta * offsets))[::-1])[::-1]
    allowed = math.exp(min(700.0, log_tail - count * total + theta * center)) * (1 - SPARE)
    first = int(np.searchsorted(-tails, -allowed)) - below  # tails fall: the first that is no more than allowed
    return max(0, math.ceil((center + first - 1) * scale / fine * (1 + 1e-9)))


def _tilt(laplace: bool, count: int, log_tail: float) -> float:
    """Return theta, in scales, at which the exponent of Chernoff's bound is this log probability, about."""
    if not laplace:
        return math.sqrt(-2 * log_tail / count)

    def exponent(s: float) -> float:
        return count * (-math.log1p(-s * s) - 2 * s * s / (1 - s * s)) - log_tail

    lowest = 1e-6
    return lowest if exponent(lowest) <= 0 else float(brentq(exponent, lowest, 1 - 1e-9))


def _write_law(laplace: bool, scale: float, step: float, most: int) -> Floats:
    """Return the logs of the probabilities of one noise on the lattice, rounded up; its lower end takes what is below.

    That of a place is Pr[(j - 1) step < noise <= j step]. It is a difference of tails on the side where these are
    small, so that it has many digits there.
    """
    ends = np.floor(np.arange(-most - 1, most + 1) * step)
    low, high = ends[:-1], ends[1:]
    upper = high >= 0
    near = np.where(upper, _log_above(laplace, scale, low), _log_above(laplace, scale, -high - 1))
    far = np.where(upper, _log_above(laplace, scale, high), _log_above(laplace, scale, -low - 1))
    with np.errstate(divide="ignore"):
        logs: Floats = near + np.log(-np.expm1(np.minimum(far - near, 0.0)))
    logs[0] = near[0]
    kept: Floats = np.where(np.isfinite(logs), logs, -1e300)
    return kept


def _log_above(laplace: bool, scale: float, at: Floats) -> Floats:
    """Return the log of Pr[noise > k] at whole numbers k, of a noise that is symmetric."""
    if not laplace:
        found: Floats = log_ndtr(-(at + 0.5) / scale)
        return found
    rate = 1 / scale
    below = np.log1p(np.exp(-rate))
    positive = -rate * (np.maximum(at, 0.0) + 1) - below
    negative = np.log1p(-np.exp(-rate * np.maximum(-at, 1.0) - below))
    both: Floats = np.where(at >= 0, positive, negative)
    return both
