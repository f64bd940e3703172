"""Exact noisy argmax: who wins when every score gets a continuous noise, decided without rounding.

Each contender's noise is a real number of which only the first bits are known. Float intervals sort out nearly
all contenders; the few that still overlap are refined in ball arithmetic, with more bits, until one is ahead.
Two reals are equal with probability 0, so there are no ties to break: the winner is the one that infinitely
many bits would show.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, precision
from discreet.base.wide import Ints, WideInts, integers
from discreet.noise import bits
from discreet.noise.interval import EXPONENTIAL, INT64, LOG_ERROR, SMALLEST, Prefix

Scores = Ints | WideInts
RaceWeights = list[int] | NDArray[np.int64]
"""Whole numbers above 0: an array where 64 bits hold them, which is read faster."""


SMALLEST_SCALE, LARGEST_SCALE = 1e-100, 1e100

_TOP = np.uint64(2**64 - 2**34)
"""Words at or above this leave 1 - u too uncertain for a float Gumbel variable."""


HEAVIEST = 1 << 900
"""RaceWeights from here on are too large for the float stage: balls decide."""

_KNOWN = 45.0
"""No noise that is read from a known word is larger than 64 ln 2, beyond the logarithm of its weight."""

_NEAR = 100.0
"""Contenders further behind than this, beyond the logarithm of the largest weight, are first left out."""

_FAR = 1e300
"""Scores further behind than this are cut there in the float stage, where only their upper bound is used."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A continuous noise read from one word: floats with error bounds, and balls that hold its true value."""

    estimate: Callable[[NDArray[np.uint64]], tuple[Floats, Floats]]
    enclose: Callable[[Prefix, bool], arb | None]
    signed: bool = False
    greatest: bool = False
    """Whether a weight w stands for w such noises, of which the greatest counts."""


def gumbel_argmax(scores: Scores, scale: float | Fraction, weights: RaceWeights | None = None) -> int:
    """Return index i with probability proportional to weights[i] * exp(scores[i] / scale), exactly."""
    scores = score_array(scores)
    return _race(scores, scale, GUMBEL_NOISE, _check_weights(scores, weights)).winner


def exponential_argmax(scores: Scores, scale: float | Fraction, weights: RaceWeights | None = None) -> int:
    """Return the index of the largest scores[i] + scale * E_i, for independent exponential E_i of mean 1.

    With weights, E_i is the largest of weights[i] such: as if each score stood there so often. Its distribution is
    (1 - e^-x)^w, so that -ln(1 - e^(-T / w)) has it for an exponential T of mean 1 (inversion): one draw for all w.
    """
    scores = score_array(scores)
    weights = _check_weights(scores, weights)
    return _race(scores, scale, EXPONENTIAL_NOISE if weights is None else GREATEST_NOISE, weights).winner


def _check_weights(scores: Scores, weights: RaceWeights | None) -> RaceWeights | None:
    if weights is None:
        return None
    whole = isinstance(weights, np.ndarray) and weights.dtype == np.int64 and weights.ndim == 1
    if not (whole or isinstance(weights, list)) or len(weights) != len(scores):
        raise ParameterError.of_data("weights", weights, "a list with one whole number for each score")
    if whole and bool(np.all(np.asarray(weights) > 0)):
        return weights
    if all(type(weight) is int and weight > 0 for weight in weights):
        return weights
    return [check.integer("weights", weight, least=1) for weight in weights]


def laplace_argmax(scores: Scores, scale: float | Fraction) -> tuple[int, int]:
    """Return the index of the largest scores[i] + scale * L_i, for independent Laplace L_i, and its lead.

    The lead is how far the winner is ahead of the runner-up, rounded down; it takes at least two scores.
    """
    scores = score_array(scores)
    if len(scores) < 2:
        raise ParameterError.of_data("scores", scores, "at least two, since the lead is over a runner-up")
    result = _race(scores, scale, LAPLACE_NOISE, lead=True)
    return result.winner, result.lead


def score_array(scores: object) -> Scores:
    """Return a list of at least one integer score as an array: int64 within +-2^61, or Python ints."""
    array = integers("scores", scores)
    if isinstance(array, int) or array.ndim != 1 or len(array) == 0:
        raise ParameterError.of_data("scores", scores, "a list of at least one integer")
    return array


@dataclass(frozen=True, slots=True)
class Result:
    """The winner's index and, where it was asked for, its lead (else 0)."""

    winner: int
    lead: int


class _Contender:
    """One score with its noise, known to some bits."""

    def __init__(self, index: int, behind: int, weight: int, word: int, variable: Variable) -> None:
        self.index, self.behind, self.weight, self.variable = index, behind, weight, variable
        self.negative = variable.signed and word > INT64
        self.prefix = Prefix(word & INT64, 63) if variable.signed else Prefix(word, 64)

    def position(self, scale: Fraction) -> arb | None:
        """Return a ball around noise + ln(weight) - behind / scale, or nothing while it may be unbounded."""
        if self.variable.greatest:
            found = _enclose_greatest(self.prefix, self.weight)
            return None if found is None else found - ball(self.behind / scale)
        noise = self.variable.enclose(self.prefix, self.negative)
        return None if noise is None else noise + arb(self.weight).log() - ball(self.behind / scale)


def _race(
    scores: Scores,
    scale: float | Fraction,
    variable: Variable,
    weights: RaceWeights | None = None,
    lead: bool = False,
) -> Result:
    exact_scale = Fraction(check.real("scale", scale, least=SMALLEST_SCALE, most=LARGEST_SCALE))
    best = scores.max()
    behind = best - scores  # exact: int64 scores lie within +-2^61
    words = bits.words(len(scores))
    near = _find_near(behind, float(exact_scale), weights, words)
    found = _sort_out(near, behind, exact_scale, weights, words, variable, lead) if len(near) < len(scores) else None
    if found is None or not found[1] > _KNOWN - _NEAR + 1:
        found = _sort_out(np.arange(len(scores)), behind, exact_scale, weights, words, variable, lead)
    return _decide(found[0], exact_scale, lead)


def _find_near(
    behind: Scores, scale: float, weights: RaceWeights | None, words: NDArray[np.uint64]
) -> NDArray[np.intp]:
    """Return the contenders that can win where the front of these is not far behind either.

    The position of every other one is below `_KNOWN - _NEAR`, since its word is known: so it cannot win where one of
    these (or, for a lead, two) is above that for sure. All are returned where a list of weights may hold larger ones.
    """
    if behind.dtype != np.int64 or isinstance(weights, list):
        return np.arange(len(behind))
    heaviest = 1.0 if weights is None else float(weights.max())
    with np.errstate(over="ignore"):
        far = behind.astype(np.float64) / scale > (_NEAR + math.log(heaviest)) * (1 + 2.0**-40)
    known = (words & np.uint64(INT64) >= np.uint64(SMALLEST)) & (words < _TOP)
    return np.flatnonzero(~(far & known))


def _sort_out(
    places: NDArray[np.intp],
    behind: Scores,
    scale: Fraction,
    weights: RaceWeights | None,
    words: NDArray[np.uint64],
    variable: Variable,
    lead: bool,
) -> tuple[list[_Contender], float]:
    """Return those of some contenders that floats do not show to lose, and how far ahead the front is for sure."""
    all_of_them = len(places) == len(behind)
    chosen = weights if all_of_them or not isinstance(weights, np.ndarray) else weights[places]
    low, high = _positions(behind[places], float(scale), chosen, variable, words[places])
    if lead and len(low) < 2:
        return [], -math.inf
    threshold = float(np.partition(low, -2)[-2] if lead else low.max())
    kept = [int(place) for place in places[high >= threshold]]
    made = [
        _Contender(i, int(behind[i]), 1 if weights is None else int(weights[i]), int(words[i]), variable) for i in kept
    ]
    return made, threshold


def _positions(
    behind: Scores, scale: float, weights: RaceWeights | None, variable: Variable, words: NDArray[np.uint64]
) -> tuple[Floats, Floats]:
    """Return float bounds on every contender's position."""
    beyond = np.asarray(behind > _FAR, dtype=bool)
    with np.errstate(all="ignore"):
        distance = np.where(beyond, _FAR, behind).astype(np.float64) / scale
    far = beyond | ~(distance < _FAR)
    distance = np.where(far, _FAR, distance)
    log_weight = np.zeros(len(behind))
    if variable.greatest:
        noise, error = _estimate_greatest(words, np.ones(len(words), np.int64) if weights is None else weights)
    else:
        log_weight = log_weight if weights is None else _estimate_logs(weights)
        noise, error = variable.estimate(words)
    position = noise - distance + log_weight
    error = error + 2.0**-50 * (np.abs(noise) + distance) + 2.0**-46 * np.abs(log_weight)
    return np.where(far, -np.inf, position - error), position + error


def _decide(contenders: list[_Contender], scale: Fraction, lead: bool) -> Result:
    """Refine until one contender is ahead of all others (and its lead lies between two integers)."""
    while True:
        if len(contenders) == 1 and not lead:
            return Result(contenders[0].index, 0)
        behind_bits = max(contender.behind.bit_length() for contender in contenders)
        with precision(contenders[0].prefix.count + behind_bits + 64):
            places = [contender.position(scale) for contender in contenders]
            known = [place for place in places if place is not None]
            if len(known) == len(places) and lead:
                settled = _settled(contenders, known, scale)
                if settled is not None:
                    return settled
            elif known and not lead:
                front = _greatest([place.lower() for place in known])
                contenders = [
                    contender
                    for contender, place in zip(contenders, places, strict=True)
                    if place is None or not (place < front)
                ]
        if len(contenders) > 1:
            for contender in contenders:
                contender.prefix.extend()


def _settled(contenders: list[_Contender], places: list[arb], scale: Fraction) -> Result | None:
    """Return the winner and its lead where the balls decide both."""
    lows = [place.lower() for place in places]
    first = next(i for i, low in enumerate(lows) if all(low >= other for other in lows))
    others = places[:first] + places[first + 1 :]
    nearest = _greatest([place.lower() for place in others]).union(_greatest([place.upper() for place in others]))
    ahead = (places[first] - nearest) * ball(scale)
    whole = ahead.floor().unique_fmpz()
    if ahead > 0 and whole is not None:
        return Result(contenders[first].index, int(whole))
    return None


def _greatest(points: list[arb]) -> arb:
    greatest = points[0]
    for point in points[1:]:
        if point > greatest:
            greatest = point
    return greatest


def _uniform(words: NDArray[np.uint64], bit_count: int) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return w, a bound on |ln(u / w)|, and where the words say too little."""
    w = words.astype(np.float64) + 0.5
    spread = 2.0**-51 + 1.0 / w
    return w * 2.0**-bit_count, spread, words < np.uint64(SMALLEST)


def _estimate_exponential(words: NDArray[np.uint64], bit_count: int = 64) -> tuple[Floats, Floats]:
    w, spread, unknown = _uniform(words, bit_count)
    value = EXPONENTIAL.estimate(w)
    return value, np.where(unknown, np.inf, spread + value * LOG_ERROR)


def _estimate_laplace(words: NDArray[np.uint64]) -> tuple[Floats, Floats]:
    value, error = _estimate_exponential(words & np.uint64(INT64), 63)
    return np.where(words > np.uint64(INT64), -value, value), error


def _estimate_gumbel(words: NDArray[np.uint64]) -> tuple[Floats, Floats]:
    """Estimate -ln(-ln(1 - u)); small u, known to full relative precision, are the large values that win."""
    w, spread, unknown = _uniform(words, 64)
    unknown |= words >= _TOP
    w[unknown] = 0.5
    exponential = -np.log1p(-w)
    value = -np.log(exponential)
    # d ln E / d ln u = u / ((1 - u) E), which varies by less than a factor 2 inside the interval.
    error = 2 * spread * w / ((1.0 - w) * exponential) + LOG_ERROR * (1 + np.abs(value))
    return value, np.where(unknown, np.inf, error)


def _estimate_logs(weights: RaceWeights) -> Floats:
    if isinstance(weights, np.ndarray):
        return np.log(weights.astype(np.float64))
    return np.array([math.log(weight) for weight in weights])


def _estimate_greatest(words: NDArray[np.uint64], weights: RaceWeights) -> tuple[Floats, Floats]:
    """Estimate -ln(1 - e^(-T / w)) with T = -ln(1 - u): as T grows by a factor, it falls by no more than its log."""
    w, spread, unknown = _uniform(words, 64)
    unknown |= words >= _TOP
    if isinstance(weights, np.ndarray):
        sizes = weights.astype(np.float64)
    else:
        sizes = np.array([float(min(weight, HEAVIEST)) for weight in weights])
    unknown |= sizes >= HEAVIEST
    w[unknown] = 0.5
    exponential = -np.log1p(-w)
    value = -np.log(-np.expm1(-exponential / sizes))
    error = 2 * spread * w / ((1.0 - w) * exponential) + LOG_ERROR * (1 + np.abs(value))
    return value, np.where(unknown, np.inf, error)


def _enclose_greatest(prefix: Prefix, weight: int) -> arb | None:
    whole, end = prefix.whole, 1 << prefix.count
    if whole == 0 or whole + 1 == end:
        return None
    times = [-(1 - arb(fmpq(edge, end))).log() for edge in (whole, whole + 1)]
    ends = [-(-(-time / weight).expm1()).log() for time in times]
    return ends[0].union(ends[1])


def _enclose_exponential(prefix: Prefix, negative: bool) -> arb | None:
    value = prefix.enclose(EXPONENTIAL)
    return -value if negative and value is not None else value


def _enclose_gumbel(prefix: Prefix, negative: bool) -> arb | None:
    whole, end = prefix.whole, 1 << prefix.count
    if whole == 0 or whole + 1 == end:
        return None
    ends = [-(-(1 - arb(fmpq(edge, end))).log()).log() for edge in (whole, whole + 1)]
    return ends[0].union(ends[1])


EXPONENTIAL_NOISE = Variable(_estimate_exponential, _enclose_exponential)
LAPLACE_NOISE = Variable(_estimate_laplace, _enclose_exponential, signed=True)
GREATEST_NOISE = Variable(_estimate_exponential, _enclose_exponential, greatest=True)
GUMBEL_NOISE = Variable(_estimate_gumbel, _enclose_gumbel)
