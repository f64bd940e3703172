"""Gaussian draws on the integers: the real Gaussian rounded, and the discrete Gaussian."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.rounding import ball
from discreet.noise.coin import exponential_coin
from discreet.noise.interval import CHUNK, INT64, NORMAL, Floats, Inversion, WholeDraws
from discreet.noise.laplace import laplace_draws, scale_in_range


def rounded_gaussian(sigma: float | Fraction, size: int | tuple[int, ...], *, wide: bool = False) -> NDArray[Any]:
    """Draw a real Gaussian of standard deviation sigma and round it to the nearest integer.

    int64, saturating at its ends; with `wide`, Python ints that never do.
    """
    shape = check.shape("size", size)
    law = Inversion(NORMAL, scale_in_range("sigma", sigma), lambda: arb(fmpq(1, 2)), signed=True)
    return law.draw(math.prod(shape)).shaped(shape, wide)


def discrete_gaussian(sigma: float | Fraction, size: int | tuple[int, ...], *, wide: bool = False) -> NDArray[Any]:
    """Draw integers x with probability proportional to exp(-x^2 / (2 sigma^2)).

    Rejection from the discrete Laplace of scale t = floor(sigma) + 1 (Canonne, Kamath, Steinke 2020, Algorithm 3):
    y is kept with probability exp(-(|y| - sigma^2 / t)^2 / (2 sigma^2)). Half to three quarters are kept.
    """
    shape = check.shape("size", size)
    sigma = scale_in_range("sigma", sigma)
    count = math.prod(shape)
    values = np.empty(count, dtype=np.int64)
    beyond: dict[int, int] = {}
    filled = 0
    while filled < count:
        proposed, kept = _propose(sigma, min(CHUNK, int((count - filled) * 1.4) + 16))
        kept = kept[: count - filled]
        values[filled : filled + len(kept)] = proposed.values[kept]
        for source, whole in proposed.beyond.items():
            for position in np.flatnonzero(kept == source):
                beyond[filled + int(position)] = whole
        filled += len(kept)
    return WholeDraws(values, beyond).shaped(shape, wide)


def _propose(sigma: float | Fraction, count: int) -> tuple[WholeDraws, NDArray[np.intp]]:
    """Return Laplace proposals and the positions of those that the coin keeps."""
    scale = math.floor(sigma) + 1
    proposed = laplace_draws(float(scale), count)
    center = Fraction(sigma) ** 2 / scale
    twice_variance = 2 * Fraction(sigma) ** 2

    def exact(index: int) -> arb:
        value = proposed.beyond.get(index, int(proposed.values[index]))
        return ball((abs(value) - center) ** 2 / twice_variance)

    size: Floats = np.abs(proposed.values).astype(np.float64)
    off = size - float(center)
    exponent = off * off / float(twice_variance)
    # The float steps err by 2^-51 relative to their own results; off errs by 2^-52 of either operand.
    slack = 2.0**-51 * (size + float(center))
    error = (2 * np.abs(off) + slack) * slack / float(twice_variance) + 2.0**-50 * exponent
    error[size >= INT64] = np.inf
    return proposed, np.flatnonzero(exponential_coin(exponent, error, exact))
