"""Noise of a private scale, added and rounded exactly: the integer that infinitely many random bits would give.

A continuous variable is a function of a few uniform reals of which the first bits are known. Balls hold what the bits
leave open; where the rounded sum is not decided yet, more bits are drawn. One draw takes a fraction of a millisecond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from discreet.base.rounding import ball, precision
from discreet.mechanisms.robust.smooth_bounds import SmoothBound
from discreet.noise import bits
from discreet.noise.interval import EXPONENTIAL, NORMAL, Curve, Prefix

Formula = Callable[[Sequence[arb]], arb]


def add_laplace(center: Fraction, scale: SmoothBound) -> int:
    """Return floor(center + scale * X + 1/2) for a Laplace X: an exponential with a fair sign."""
    return _add_rounded(center, scale, (EXPONENTIAL,), lambda parts: parts[0])


def add_student(center: Fraction, scale: SmoothBound, degrees: int) -> int:
    """Return the same for a Student's t: |N| sqrt(d / C) with a fair sign, N normal and C a sum of d squared normals.

    Two squared normals are twice an exponential; an odd one is left.
    """
    pairs, odd = divmod(degrees, 2)

    def combine(parts: Sequence[arb]) -> arb:
        squares = 2 * sum(parts[1 : pairs + 1], arb(0))
        if odd:
            squares += parts[-1] ** 2
        return parts[0] * (degrees / squares).sqrt()

    return _add_rounded(center, scale, (NORMAL, *[EXPONENTIAL] * pairs, *[NORMAL] * odd), combine)


def add_log_normal(center: Fraction, scale: SmoothBound, sigma: float) -> int:
    """Return the same for X e^(sigma Y), X Laplace and Y normal."""
    sign = _draw_sign()
    return _add_rounded(
        center, scale, (EXPONENTIAL, NORMAL), lambda parts: parts[0] * (sign * ball(sigma) * parts[1]).exp()
    )


def _draw_sign() -> int:
    return 1 - 2 * (bits.one_word() >> 63)


def _add_rounded(center: Fraction, scale: SmoothBound, curves: Sequence[Curve], combine: Formula) -> int:
    sign = _draw_sign()
    prefixes = [Prefix(bits.one_word(), 64) for _ in curves]
    size = abs(center.numerator).bit_length() + abs(int(scale.log / 0.69)) + 64
    while True:
        with precision(prefixes[0].count + size):
            parts = [prefix.enclose(curve) for prefix, curve in zip(prefixes, curves, strict=True)]
            known = [part for part in parts if part is not None]
            if len(known) == len(parts):
                noisy = ball(center + Fraction(1, 2)) + sign * scale.enclose() * combine(known)
                whole = noisy.floor().unique_fmpz()
                if whole is not None:
                    return int(whole)
        for prefix in prefixes:
            prefix.extend()
