"""Randomized response: every respondent adds the noise to their own answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import nearest_float
from discreet.base.later import Later
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.base.wide import array_of, is_missing, is_real
from discreet.privacy import Loss, RandomizedResponseLoss

special = Later("scipy.special")

DOUBT = 1e-6
"""Relative error allowed for a tail probability: what lies within it counts as inside the interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An unbiased estimate of a fraction with an interval that holds it with at least the confidence asked.

    Being unbiased, the estimate itself may lie a little outside of 0 to 1; the interval does not.
    """

    fraction: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """Answers 0 .. categories-1: the truth with probability 1 - lie, else another category, evenly.

    Theorem (Warner 1965; Kairouz, Bonawitz, Ramage 2016): one answer is epsilon-differentially private, in the local
    model and for replacing the true answer, with epsilon = ln((1 - lie)(categories - 1) / lie). With two categories
    and epsilon the truth is told with probability e^epsilon / (1 + e^epsilon).

    The form for bits in {-1, 1} that keeps the sign with probability 1/2 + bias has lie = 1/2 - bias, and so
    epsilon = ln((1 + 2 bias) / (1 - 2 bias)): more than 2 bias, and more than 4 bias too.
    """

    lie: float
    categories: int = 2

    def __post_init__(self) -> None:
        loss = RandomizedResponseLoss(self.lie, self.categories)
        object.__setattr__(self, "lie", loss.lie)
        object.__setattr__(self, "categories", loss.categories)

    @classmethod
    def calibrate(cls, epsilon: float, categories: int = 2) -> RandomizedResponse:
        """Return the response that is epsilon-differentially private: lie = (k - 1) / (e^epsilon + k - 1)."""
        exponent = check.real("epsilon", epsilon, above=0, most=700)
        others = check.integer("categories", categories, least=2, most=2**50) - 1

        def lie() -> arb:
            return ball(others) / (ball(exponent).exp() + others)

        chance = rounded_up(lie)
        if Fraction(chance) > Fraction(others, others + 1):
            raise ParameterError("epsilon", epsilon, "larger: no float probability lies this close to telling nothing")
        return cls(chance, categories)

    @classmethod
    def from_bias(cls, bias: float) -> RandomizedResponse:
        """Return the response on bits that keeps a bit with probability 1/2 + bias, 0 < bias < 1/2."""
        advantage = check.real("bias", bias, above=0, below=0.5)
        return cls(float_up(Fraction(1, 2) - Fraction(advantage)))

    def release(self, answers: Any) -> Any:
        """Return one randomized answer for each answer in 0 .. categories-1.

        Data never raises: what is outside of the categories (NaN and None too) counts as category 0, and fractions
        are cut off.
        """
        truth = self._categories(answers)
        lies = noise.bernoulli(Fraction(self.lie), truth.shape)
        shift = 1 + noise.uniform_int(self.categories - 1, truth.shape)
        told: NDArray[np.int64] = np.where(lies, (truth + shift) % self.categories, truth)
        return int(told) if told.ndim == 0 else told

    def release_signs(self, bits: Any) -> Any:
        """Return one randomized bit for each bit in {-1, 1} (anything that is not positive counts as -1)."""
        if self.categories != 2:
            raise ParameterError("categories", self.categories, "2 to release signs")
        return 2 * self.release(_numbers("bits", bits) > 0) - 1

    def loss(self) -> Loss:
        """Return the loss of one answer. Its sensitivity is the whole answer, so there is none to give."""
        return RandomizedResponseLoss(self.lie, self.categories)

    def estimate(self, told: Any, category: int = 1, confidence: float = 0.95) -> Estimate:
        """Estimate which fraction of the true answers is `category`, from all randomized answers."""
        answers = self._categories(told).ravel()
        category = check.integer("category", category, least=0, most=self.categories - 1)
        sure = _confidence(confidence)
        if len(answers) == 0:
            raise ParameterError.of_data("told", told, "at least one answer")
        count, total = int((answers == category).sum()), len(answers)
        stay, stray = self._chances()
        fraction = (count / total - stray) / (stay - stray) if stay > stray else 0.5
        return Estimate(float(fraction), *self._interval(count, total, (1 - sure) / 2))

    def interval(self, confidence: float, total: int) -> float:
        """Return the half-width of the estimate's interval when half of `total` true answers are the category."""
        total = check.integer("total", total, least=1)
        sure = _confidence(confidence)
        stay, stray = self._chances()
        low, high = self._interval(round(total * (stay + stray) / 2), total, (1 - sure) / 2)
        return (high - low) / 2

    def _chances(self) -> tuple[float, float]:
        """Return how often a category is reported when it is the truth, and when another one is."""
        return 1 - self.lie, self.lie / (self.categories - 1)

    def _interval(self, count: int, total: int, miss: float) -> tuple[float, float]:
        """Invert the exact distribution of the count: the true numbers that do not make it a rare one.

        With t true answers in the category the count is Binomial(t, stay) + Binomial(total - t, stray), which grows
        with t; the interval holds every t that gives this count, or one further out, at least probability `miss`.
        """
        fewest = _least(lambda t: self._tails(count, t, total)[0] >= miss * (1 - DOUBT), total)
        most = total - _least(lambda s: self._tails(count + 1, total - s, total)[1] >= miss * (1 - DOUBT), total)
        return fewest / total, max(most, fewest) / total

    def _tails(self, count: int, true: int, total: int) -> tuple[float, float]:
        """Return Pr[count or more reports] and Pr[fewer], with `true` true answers of the category."""
        stay, stray = self._chances()
        reach = 10 * math.sqrt(true * stay * (1 - stay)) + 40  # all but 1e-20 of a binomial
        own = np.arange(max(0, int(true * stay - reach)), min(true, int(true * stay + reach)) + 1, dtype=np.float64)
        weight = np.exp(
            special.gammaln(true + 1) - special.gammaln(own + 1) - special.gammaln(true - own + 1)
            + special.xlogy(own, stay) + special.xlog1py(true - own, -stay)
        )  # fmt: skip
        weight /= weight.sum()  # gammaln is off by the same factor everywhere
        needed = count - own  # this many or more among those whose truth is another category
        others = float(total - true)
        sides = []
        for beta, always, never in ((special.betainc, 1.0, 0.0), (special.betaincc, 0.0, 1.0)):
            reached = beta(np.maximum(needed, 1), np.maximum(others - needed + 1, 1), stray)
            sides.append(float(weight @ np.where(needed <= 0, always, np.where(needed > others, never, reached))))
        return sides[0], sides[1]

    def _categories(self, answers: Any) -> NDArray[np.int64]:
        array = _numbers("answers", answers)
        inside = (array >= 0) & (array < self.categories)
        return np.where(inside, array, 0).astype(np.int64)


def _numbers(name: str, values: Any) -> NDArray[Any]:
    """Return numbers as an array; what is missing in an object array becomes NaN."""
    array = array_of(name, values)
    if array.dtype == object:
        if not all(is_missing(entry) or is_real(entry) for entry in array.flat):
            raise ParameterError.of_data(name, values, "category numbers (code text as 0, 1, 2, ... first)")
        floats = [nearest_float(entry) for entry in array.flat]
        return np.array(floats, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind not in "iubf":
        raise ParameterError.of_data(name, values, "category numbers (code text as 0, 1, 2, ... first)")
    return array


def _confidence(value: float) -> float:
    """Return a confidence that float tails can tell from certainty."""
    return float(check.real("confidence", value, above=0, most=1 - 1e-9))


def _least(good: Callable[[int], bool], limit: int) -> int:
    """Return the least whole number up to `limit` at which a monotone condition holds (or the limit)."""
    low, high = -1, limit
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high
