"""Discrete Laplace and geometric draws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from flint import arb
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.rounding import ball
from discreet.noise.interval import EXPONENTIAL, Inversion, WholeDraws

SMALLEST_SCALE, LARGEST_SCALE = 1e-6, 1e15


def scale_in_range(name: str, value: object) -> float | Fraction:
    """Return a scale that the samplers take: 1e-6 to 1e15, held exactly."""
    return check.real(name, value, least=SMALLEST_SCALE, most=LARGEST_SCALE)


def discrete_laplace(scale: float | Fraction, size: int | tuple[int, ...], *, wide: bool = False) -> NDArray[Any]:
    """Draw integers x with probability proportional to exp(-|x| / scale).

    int64, saturating at its ends; with `wide`, Python ints that never do.
    """
    shape = check.shape("size", size)
    return laplace_draws(scale_in_range("scale", scale), math.prod(shape)).shaped(shape, wide)


def geometric(scale: float | Fraction, size: int | tuple[int, ...], *, wide: bool = False) -> NDArray[Any]:
    """Draw integers k >= 0 with probability proportional to exp(-k / scale): floor(scale * Exponential)."""
    shape = check.shape("size", size)
    law = Inversion(EXPONENTIAL, scale_in_range("scale", scale), lambda: arb(0), signed=False)
    return law.draw(math.prod(shape)).shaped(shape, wide)


def laplace_draws(scale: float | Fraction, count: int) -> WholeDraws:
    """Draw by inverting one tail, with a fair sign.

    With q = exp(-1/scale), Pr[x >= k] = q^k / (1 + q) for k >= 1. Given the sign, and half of the mass of 0 on
    either side, Pr[|x| >= k] = 2 q^k / (1 + q) for k >= 1, so |x| = floor(scale * (-ln u + ln(2 / (1 + q)))).
    """

    def shift() -> arb:
        return ball(scale) * -(((-1 / ball(scale)).exp() + 1) / 2).log()

    return Inversion(EXPONENTIAL, scale, shift, signed=True).draw(count)
