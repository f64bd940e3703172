"""Renyi divergences of Gaussian noise on a Poisson sample, rounded up (Mironov, Talwar, Zhang 2019).

A_a = E_Q[(1 - q + q e^(mu x - mu^2/2))^a] for x standard normal; the divergence is ln A_a / (a - 1).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import acb, arb

from discreet.base.check import Exact
from discreet.base.rounding import ball, precision, up

MOST_TERMS = 20_000
"""The largest whole order whose sum is taken term by term."""

INTEGRATED = 30.0
"""Orders between whole ones are integrated while order * mu is at most this."""


def bound_sampled_gaussian_renyi(mu: Fraction, rate: float, order: Exact) -> float:
    """Return a bound on the divergence of this order: exact but for rounding at whole orders up to MOST_TERMS.

    Between whole orders the logarithm of A is convex, so the line between its neighbours bounds it; where the integral
    is easy it is better. Beyond MOST_TERMS a bound with two terms is used.
    """
    if mu == 0:
        return 0.0
    if rate == 1:
        with precision():
            return up(ball(order) * ball(mu) ** 2 / 2)
    whole = math.floor(order)
    if whole >= MOST_TERMS:
        return _bound_by_two_terms(mu, rate, order)
    with precision():
        share = ball(Fraction(order) - whole)
        low, high = _find_log_moment(mu, rate, whole), _find_log_moment(mu, rate, whole + 1)
        found = up(((1 - share) * low + share * high) / (ball(order) - 1))
    if whole < order and order * mu <= INTEGRATED:
        found = min(found, _integrate(mu, rate, order))
    return max(0.0, found)


@lru_cache(maxsize=4096)
def _find_log_moment(mu: Fraction, rate: float, order: int) -> arb:
    """Return ln A_a for a whole order: the sum over j of C(a, j) (1 - q)^(a - j) q^j e^((j^2 - j) mu^2 / 2)."""
    with precision():
        odds, growth = ball(rate) / (1 - ball(rate)), (ball(mu) ** 2).exp()
        term = (1 - ball(rate)) ** order
        total, step = term, odds
        for j in range(order):
            term = term * step * (order - j) / (j + 1)
            step = step * growth
            total = total + term
        return total.log()


def _bound_by_two_terms(mu: Fraction, rate: float, order: Exact) -> float:
    """Return a bound at very large orders.

    (x + y)^a <= s^(1 - a) x^a + (1 - s)^(1 - a) y^a for every s in (0, 1), by convexity; here s = 1 / a.
    """
    with precision():
        a, q, m = ball(order), ball(rate), ball(mu)
        few = (a - 1) * a.log() + a * (1 - q).log()
        many = -(a - 1) * (1 - 1 / a).log() + a * q.log() + (a * a - a) * m * m / 2
        larger = few.max(many)
        total = larger + ((few - larger).exp() + (many - larger).exp()).log()
        return min(up(total / (a - 1)), up(a * m * m / 2))


def _integrate(mu: Fraction, rate: float, order: Exact) -> float:
    """Integrate the density ratio's power, rigorously, where the integrand lives; bound the rest by Gaussian tails.

    The ratio 1 - q + q e^(mu x - mu^2/2) is below 1 + e^(mu x), so beyond [-T, T] the integrand is below
    2^a (1 + e^(a mu x)) phi(x), whose tails are closed forms.
    """
    reach = float(order) * float(mu) + math.sqrt(2 * (float(order) * math.log(2 / rate) + 60))
    with precision(192):
        m, q, a = ball(mu), ball(rate), ball(order)
        root = (2 * arb.pi()).sqrt()

        def integrand(x: acb, analytic: bool) -> acb:
            ratio = 1 - q + q * (m * x - m * m / 2).exp()
            return ratio.pow(a, analytic=analytic) * (-(x * x) / 2).exp() / root

        middle = acb.integral(integrand, acb(-reach), acb(reach), rel_tol=arb(2) ** -100).real
        tail = arb(reach)
        plain = (tail / arb(2).sqrt()).erfc()
        shifted = (a * a * m * m / 2).exp() * ((tail - a * m) / arb(2).sqrt()).erfc()
        total = middle + (arb(2) ** a * (plain + shifted)).union(arb(0))
        return up(total.log() / (a - 1))
