"""Tail probabilities of the discrete Gaussian, Pr[X = x] proportional to exp(-x^2 / (2 sigma^2)), in balls."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

from flint import arb, ctx, fmpq

from discreet.base.rounding import ball

_SUMMED = 16
"""Below this sigma the terms are added one by one; above it Euler-Maclaurin takes over."""

_ORDER = 8
"""Correction terms kept: with sigma >= 16 the rest is a part in 10^14 or less of any tail down to 1e-30."""


def compute_upper_tail(sigma: float, start: int) -> arb:
    """Return a ball around Pr[X >= start]."""
    if start <= 0:
        return 1 - compute_upper_tail(sigma, 1 - start)
    if sigma < _SUMMED:
        return _sum_from(sigma, start) / (1 + 2 * _sum_from(sigma, 1))
    # Poisson summation: the sum over all integers is sigma sqrt(2 pi) (1 + 2 sum_k exp(-2 pi^2 sigma^2 k^2)).
    ripple = (-2 * (arb.pi() * ball(sigma)) ** 2).exp() * 3
    total = ball(sigma) * (2 * arb.pi()).sqrt() * (1 + ripple * arb(mid=fmpq(1, 2), rad=fmpq(1, 2)))
    return _sum_by_euler_maclaurin(sigma, start) / total


def _sum_from(sigma: float, start: int) -> arb:
    """Add exp(-x^2 / (2 sigma^2)) for x >= start >= 1; what is left out is below a geometric series."""
    inverse = 1 / Fraction(sigma) ** 2
    term = (-ball(start**2 * inverse / 2)).exp()
    shrink, step = (-ball((2 * start + 1) * inverse / 2)).exp(), (-ball(inverse)).exp()
    smallest = arb(2) ** -ctx.prec
    total = term
    while True:
        rest = term * shrink / (1 - shrink)
        if not rest > total * smallest:
            return total + rest.union(arb(0))
        term *= shrink  # the ratio of neighbouring terms itself shrinks by exp(-1 / sigma^2) a step
        shrink *= step
        total += term


def _sum_by_euler_maclaurin(sigma: float, start: int) -> arb:
    """Sum f(x) = exp(-x^2 / (2 sigma^2)) over x >= start by the midpoint form of Euler-Maclaurin.

    With a = start - 1/2 the sum is the integral of f from a, minus the sum over j = 1 .. p of
    B_2j(1/2) / (2j)! f^(2j-1)(a), within 2 max|B_2p| / (2p)! <= 5 (2 pi)^-2p times the integral of |f^(2p)|.
    Derivatives are Hermite polynomials: f^(n)(x) = (-1/sigma)^n He_n(x / sigma) f(x).
    """
    width = ball(sigma)
    edge = Fraction(2 * start - 1, 2)
    z = ball(edge / Fraction(sigma))
    total = width * (arb.pi() / 2).sqrt() * (z * arb(fmpq(1, 2)).sqrt()).erfc()
    height = (-(z**2) / 2).exp()
    for j in range(1, _ORDER + 1):
        at_half = ball(-(1 - Fraction(2, 4**j))) * arb.bernoulli(2 * j)  # B_2j(1/2) = -(1 - 2^(1-2j)) B_2j
        derivative = -_compute_hermite(2 * j - 1, z) * height / width ** (2 * j - 1)
        total -= at_half / factorial(2 * j) * derivative
    roughness = arb(0)
    for power, size in _list_hermite_sizes(2 * _ORDER):
        half = arb(fmpq(power + 1, 2))
        roughness += size * arb(2) ** (half - 1) * (z**2 / 2).gamma_upper(half)
    rest = 5 * roughness * width / (2 * arb.pi() * width) ** (2 * _ORDER)
    return total + rest * arb(mid=0, rad=1)


def _compute_hermite(order: int, z: arb) -> arb:
    before, here = arb(1), z
    for n in range(1, order):
        before, here = here, z * here - n * before
    return here


def _list_hermite_sizes(order: int) -> list[tuple[int, int]]:
    """Return (power, |coefficient|) of the probabilists' Hermite polynomial."""
    return [
        (order - 2 * m, factorial(2 * m) // (factorial(m) * 2**m) * comb(order, 2 * m)) for m in range(order // 2 + 1)
    ]
