"""Exact output distributions, written down a second time and apart from the source: lists of python-flint balls.

Every number is a ball of 256 bits that contains the true probability, so a comparison that holds is proven.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, wraps
from itertools import product
from typing import ParamSpec, TypeVar

import numpy as np
from flint import arb, arb_poly, ctx, fmpq
from numpy.typing import NDArray
from scipy import special

P = ParamSpec("P")
R = TypeVar("R")
Law = Sequence[arb]
Exact = int | float | Fraction

TOLERANCE = 1e-12
"""How closely a loss that is called exact must agree with the sum."""

_BITS = 256
_OUTSIDE = 1e-40
"""The probability of noise beyond what is summed; it is carried along as a ball."""


def exactly(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function at 256 bits."""

    @wraps(function)
    def precise(*args: P.args, **named: P.kwargs) -> R:
        with ctx.workprec(_BITS):
            return function(*args, **named)

    return precise


@exactly
def ball(value: Exact) -> arb:
    exact = Fraction(value)
    return arb(fmpq(exact.numerator, exact.denominator))


@dataclass(frozen=True)
class Noise:
    """Symmetric integer noise: the probabilities of 0 .. reach, and a bound on all that lies beyond."""

    masses: tuple[arb, ...]
    outside: arb

    @property
    def reach(self) -> int:
        return len(self.masses) - 1

    def at(self, point: int) -> arb:
        return self.masses[abs(point)] if abs(point) <= self.reach else arb(0).union(self.outside)

    def floats(self, reach: int) -> NDArray[np.float64]:
        """Return the probabilities of -reach .. reach, with what lies beyond added to both ends."""
        inner = np.array([float(self.at(point)) for point in range(-reach, reach + 1)])
        rest = (1 - inner.sum()) / 2
        inner[0] += rest
        inner[-1] += rest
        clipped: NDArray[np.float64] = np.clip(inner, 0.0, 1.0)
        return clipped


@lru_cache
@exactly
def laplace(scale: float, outside: float = _OUTSIDE) -> Noise:
    fall = (-1 / ball(scale)).exp()
    reach = math.ceil(scale * -math.log(outside)) + 1
    share = (1 - fall) / (1 + fall)
    return Noise(tuple(share * fall**k for k in range(reach + 1)), 2 * fall ** (reach + 1) / (1 + fall))


@lru_cache
@exactly
def discrete_gaussian(sigma: float, outside: float = _OUTSIDE) -> Noise:
    reach = _gaussian_reach(sigma, outside)
    twice = 2 * ball(sigma) ** 2
    weights = [(-(arb(k) ** 2) / twice).exp() for k in range(reach + 2)]
    shrink = (-arb(2 * reach + 3) / twice).exp()
    rest = weights[reach + 1] / (1 - shrink)
    total = weights[0] + 2 * sum(weights[1:-1], arb(0)) + 2 * rest.union(arb(0))
    return Noise(tuple(weight / total for weight in weights[:-1]), 2 * rest / total)


@lru_cache
@exactly
def rounded_gaussian(sigma: float, outside: float = _OUTSIDE) -> Noise:
    reach = _gaussian_reach(sigma, outside)
    width = ball(sigma) * arb(2).sqrt()
    beyond = [((arb(k) - ball(Fraction(1, 2))) / width).erfc() / 2 for k in range(reach + 2)]
    return Noise(tuple(beyond[k] - beyond[k + 1] for k in range(reach + 1)), 2 * beyond[-1])


@lru_cache
@exactly
def staircase(epsilon: float, width: int, tread: int, outside: float = _OUTSIDE) -> Noise:
    fall = (-ball(epsilon)).exp()
    flights = math.ceil(-math.log(outside) / epsilon) + 1
    flight = tread + (width - tread) * fall
    total = 2 * flight / (1 - fall) - 1
    heights = [fall ** (number + late) for number in range(flights) for late in _stairs(width, tread)]
    return Noise(tuple(height / total for height in heights), 2 * fall**flights * flight / (1 - fall) / total)


def _stairs(width: int, tread: int) -> list[int]:
    return [0] * tread + [1] * (width - tread)


def _gaussian_reach(sigma: float, outside: float) -> int:
    return math.ceil(sigma * math.sqrt(-2 * math.log(outside))) + 2


@exactly
def hockey_stick(first: Law, second: Law, epsilon: Exact) -> arb:
    """Return the sum over outcomes of max(0, first - e^epsilon second)."""
    grow = ball(epsilon).exp()
    return sum(((p - grow * q).max(arb(0)) for p, q in zip(first, second, strict=True)), arb(0))


@exactly
def shifted_hockey_stick(noise: Noise, shift: Sequence[int], epsilon: Exact) -> arb:
    """Return the hockey stick between noise on a point and on one `shift` away, in as many dimensions."""
    inside = range(-noise.reach, noise.reach + 1)
    first = [arb(1)]
    second = [arb(1)]
    for move in shift:
        first = [p * noise.at(x) for p in first for x in inside]
        second = [q * noise.at(x - move) for q in second for x in inside]
    return hockey_stick(first, second, epsilon) + len(shift) * noise.outside.union(arb(0))


@exactly
def loss_range(first: Law, second: Law) -> tuple[arb, arb]:
    """Return the least and the greatest log ratio over all outcomes."""
    ratios = [(p / q).log() for p, q in zip(first, second, strict=True)]
    least = greatest = ratios[0]
    for ratio in ratios[1:]:
        least, greatest = least.min(ratio), greatest.max(ratio)
    return least, greatest


@exactly
def worst_loss(first: Law, second: Law) -> arb:
    """Return the largest log ratio over all outcomes, in either direction."""
    least, greatest = loss_range(first, second)
    return greatest.max(-least)


@exactly
def covers(noise: Noise, width: int, confidence: float, values: int = 1) -> bool:
    """Say whether `values` noises all lie within `width` with at least this confidence."""
    inside = sum((noise.at(x) for x in range(-width, width + 1)), arb(0))
    return bool(inside**values >= ball(confidence))


@exactly
def at_most(value: arb, bound: Exact, slack: float = 1e-30) -> bool:
    """Say whether a ball lies below a bound (the slack is for the tails left out of the sum)."""
    return bool(value <= ball(bound) + ball(slack))


def softmax(scores: Sequence[int], scale: Exact, weights: Sequence[int] | None = None) -> Law:
    """Return the law of the exponential mechanism."""
    return _softmax(tuple(scores), scale, tuple(weights or [1] * len(scores)))


@lru_cache
@exactly
def _softmax(scores: tuple[int, ...], scale: Exact, weights: tuple[int, ...]) -> Law:
    heights = [w * (ball(s - max(scores)) / ball(scale)).exp() for s, w in zip(scores, weights, strict=True)]
    total = sum(heights, arb(0))
    return [height / total for height in heights]


@lru_cache
@exactly
def permute_and_flip(scores: tuple[int, ...], scale: Exact) -> Law:
    """Candidate i's coin, and a uniform choice among the heads: p_i * integral over z of prod (1 - p_j + p_j z).

    Expanded, the product is the sum over all sets of other heads, and z^n integrates to the share 1 / (n + 1).
    """
    coins = [(ball(s - max(scores)) / ball(scale)).exp() for s in scores]
    return [
        coin * _times([arb_poly([1 - c, c]) for j, c in enumerate(coins) if j != i]).integral()(arb(1))
        for i, coin in enumerate(coins)
    ]


@lru_cache
@exactly
def exponential_max(scores: tuple[int, ...], scale: Exact) -> Law:
    """Return who is largest after exponential noise, by inclusion and exclusion over who stays below.

    Candidate i with noise z beats j with probability 1 - e^-(z + ahead_j), once z is above all the leads of others.
    """
    by_score = {}
    for own in set(scores):
        start = ball(max(scores) - own) / ball(scale)
        # In y = e^-(z - start) the integrand is y times the product of 1 - e^-(start + ahead) y.
        inner = arb_poly([1])
        for other, count in (Counter(scores) - Counter([own])).items():
            inner = inner * arb_poly([1, -(-(start + ball(own - other) / ball(scale))).exp()]) ** count
        by_score[own] = (-start).exp() * inner.integral()(arb(1))
    return [by_score[score] for score in scores]


@lru_cache
@exactly
def laplace_max(scores: tuple[int, ...], scale: Exact) -> Law:
    """Return who is largest after Laplace noise: the integral of f_i prod F_j, piece by piece between the scores.

    With y = e^-x (x in units of the scale) the integrand on a piece is a polynomial in y times a power of y.
    """
    edges = sorted(set(scores))
    ends = [None, *(ball(edge) / ball(scale) for edge in edges), None]
    pieces = [(set(edges[:number]), ends[number], ends[number + 1]) for number in range(len(edges) + 1)]
    by_score = {own: sum((_piece(scores, scale, own, *piece) for piece in pieces), arb(0)) for own in edges}
    return [by_score[score] for score in scores]


def _piece(scores: Sequence[int], scale: Exact, own: int, passed: set[int], low: arb | None, high: arb | None) -> arb:
    """Integrate over one piece for a candidate of score `own`, where the scores in `passed` lie below it."""
    place = {score: ball(score) / ball(scale) for score in set(scores)}
    others = Counter(scores) - Counter([own])
    factor, power = ((place[own] if own in passed else -place[own]).exp() / 2, 1 if own in passed else -1)
    inner = arb_poly([1])
    for score, count in others.items():
        if score in passed:
            inner = inner * arb_poly([1, -place[score].exp() / 2]) ** count
        else:
            factor, power = factor * ((-place[score]).exp() / 2) ** count, power - count
    return factor * sum((inner[k] * _power_between(power + k, low, high) for k in range(len(inner))), arb(0))


def _power_between(power: int, low: arb | None, high: arb | None) -> arb:
    """Integrate e^(-power x) from low to high; a missing end is the infinity where it vanishes."""
    if power == 0:
        assert low is not None
        assert high is not None
        return high - low
    at_low = arb(0) if low is None else (-power * low).exp()
    at_high = arb(0) if high is None else (-power * high).exp()
    return (at_low - at_high) / power


def _times(factors: Iterable[arb_poly]) -> arb_poly:
    result = arb_poly([1])
    for factor in factors:
        result = result * factor
    return result


def moves(dimension: int, sensitivity: int, monotone: bool) -> Iterator[tuple[int, ...]]:
    """Yield every way in which one unit can move scores of this sensitivity."""
    if not monotone:
        yield from product(range(-sensitivity, sensitivity + 1), repeat=dimension)
        return
    for sign in (1, -1):
        yield from product(range(0, sign * (sensitivity + 1), sign), repeat=dimension)


def moved(scores: Sequence[int], move: Sequence[int]) -> tuple[int, ...]:
    return tuple(score + step for score, step in zip(scores, move, strict=True))


def binomial_excess_p(count: int, total: int, probability: float) -> float:
    """Return Pr[Binomial(total, probability) >= count]: small where `count` is too often."""
    return 1.0 if count == 0 else float(special.betainc(count, total - count + 1, probability))


@exactly
def response_composed_delta(count: int, epsilon: Exact, at: Exact) -> arb:
    """Return delta(at) of `count` randomized responses: the binomial law of how many of them lie, tail to tail.

    Terms fall by a ratio that itself falls towards few lies, so what is left out is below a geometric series.
    """
    odds = ball(epsilon).exp()
    gap = (count - Fraction(at) / Fraction(epsilon)) / 2  # fewer lies than this: the loss is above `at`
    most = min(count, math.ceil(gap) - 1)
    if most < 0:
        return arb(0)
    choose = (arb(count + 1).lgamma() - arb(most + 1).lgamma() - arb(count - most + 1).lgamma()).exp()
    share = 1 / (1 + odds)
    term = choose * share**most * (1 - share) ** (count - most)
    total, lies = arb(0), most
    while True:
        total += term * -(ball(at) - (count - 2 * lies) * ball(epsilon)).expm1()
        if lies == 0:
            return total
        shrink = odds * lies / (count - lies + 1)
        if shrink < 1 and term * shrink / (1 - shrink) < total * ball(Fraction(1, 2**80)):
            return total + (term * shrink / (1 - shrink)).union(arb(0))
        term *= shrink
        lies -= 1


@exactly
def response(epsilon: Exact, leak: Exact = 0) -> tuple[Law, Law]:
    """Return randomized response at two neighbours; it tells all with probability `leak`."""
    odds, rest = ball(epsilon).exp(), 1 - ball(leak)
    first = [rest * odds / (1 + odds), rest / (1 + odds), ball(leak), arb(0)]
    return first, [first[1], first[0], first[3], first[2]]


@exactly
def laplace_outcomes(scale: Exact, shift: int) -> tuple[Law, Law]:
    """Return discrete Laplace noise and the same moved by `shift`, over outcomes <= 0, 1, ..., shift - 1, >= shift."""
    fall = (-1 / ball(scale)).exp()
    inner = [(1 - fall) / (1 + fall) * fall**x for x in range(1, shift)]
    first = [1 / (1 + fall), *inner, fall**shift / (1 + fall)]
    return first, first[::-1]


@exactly
def gaussian_outcomes(sigma: float, shift: int) -> tuple[Law, Law]:
    """Return discrete Gaussian noise and the same moved by `shift`, with what lies far out as balls."""
    noise = discrete_gaussian(sigma)
    inside = range(-noise.reach, noise.reach + shift + 1)
    return [noise.at(x) for x in inside], [noise.at(x - shift) for x in inside]


@exactly
def product_delta(factors: Sequence[tuple[Law, Law]], epsilon: Exact) -> arb:
    """Return the hockey stick of independent releases, summed over all their joint outcomes."""
    first, second = [arb(1)], [arb(1)]
    for one, other in factors:
        first = [p * a for p in first for a in one]
        second = [q * b for q in second for b in other]
    return hockey_stick(first, second, epsilon)


@exactly
def mixed(first: Law, second: Law, rate: Exact) -> Law:
    """Return the law of `first` with probability `rate`, else `second`."""
    return [ball(rate) * p + (1 - ball(rate)) * q for p, q in zip(first, second, strict=True)]


@exactly
def normal_above(point: arb) -> arb:
    """Return Pr[N(0, 1) > point]."""
    return (point / arb(2).sqrt()).erfc() / 2
