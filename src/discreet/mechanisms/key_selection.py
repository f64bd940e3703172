"""Private selection of keys: which keys may be shown at all, by how many units each has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, down, float_down, floor_of, precision, ratio_down, rounded_down, up
from discreet.base.wide import Ints, integers
from discreet.noise import bits
from discreet.noise.interval import Prefix
from discreet.privacy import ApproximateLoss, Certified, Loss

SMALLEST_EPSILON, SMALLEST_DELTA = 1e-15, 1e-300
"""The least that one key may get: counts that are always kept then stay below 2^61, and floats do not underflow."""

ERROR = 2.0**-38
"""Relative error assumed of a probability in floats: 16 times what exponents up to 700 can be off."""


@dataclass(frozen=True)
class KeySelection:
    """Keeps a key with n distinct units with the largest probability that (epsilon, delta) allows; never at n = 0.

    `groups` is how many keys one unit can be in at most (twice that where neighbours replace a unit). Each key is
    decided alone, with epsilon_0 = epsilon / groups and the delta_0 of which 1 - (1 - delta_0)^groups = delta; these
    compose to (epsilon, delta) (Kairouz, Oh, Viswanath 2015).

    Theorem (Desfontaines, Voss, Gipson, Mandayam 2022): of all ways to decide one key there is one that
    keeps it most often whatever n is, p(0) = 0 and

        p(n) = min(e^epsilon_0 p(n - 1) + delta_0, 1 - e^-epsilon_0 (1 - p(n - 1) - delta_0), 1).

    The first is least up to some `rise`, the second from there on until p reaches 1.
    """

    epsilon: float
    delta: float
    groups: int = 1

    def __post_init__(self) -> None:
        epsilon = float_down(check.positive("epsilon", self.epsilon))
        delta = float_down(check.real("delta", self.delta, above=0, below=0.5))
        groups = check.integer("groups", self.groups, least=1)
        if ratio_down(epsilon, groups) < SMALLEST_EPSILON:
            raise ParameterError("epsilon", self.epsilon, f"at least {SMALLEST_EPSILON:g} for each of {groups} groups")
        if delta_each(delta, groups) < SMALLEST_DELTA:
            raise ParameterError("delta", self.delta, f"at least {SMALLEST_DELTA:g} for each of {groups} groups")
        for name, value in (("epsilon", epsilon), ("delta", delta), ("groups", groups)):
            object.__setattr__(self, name, value)

    def release(self, counts: Any) -> Any:
        """Say which keys are kept, by their numbers of distinct units: True or False for a number, a list, an array."""
        whole = integers("counts", counts)
        law = self._law
        if isinstance(whole, int):
            return bool(law.toss(np.array([_held(whole, law.sure)]))[0])
        if whole.dtype == object:
            whole = np.array([_held(int(count), law.sure) for count in whole.flat], dtype=np.int64).reshape(whole.shape)
        held: Ints = np.clip(whole.astype(np.int64), 0, law.sure)
        kept = law.toss(held.ravel()).reshape(whole.shape)
        return kept.tolist() if isinstance(counts, list | tuple) else kept

    def loss(self) -> Loss:
        """Return the loss of the whole selection, of however many keys."""
        return ApproximateLoss(Fraction(self.epsilon), Fraction(self.delta))

    @property
    def threshold(self) -> tuple[int, int]:
        """From how many units on a key is ever kept, which is 1, and from how many always."""
        return 1, self._law.sure

    @property
    def each(self) -> tuple[float, float]:
        """The epsilon_0 and delta_0 that one key is decided with, rounded down."""
        return self._law.epsilon, self._law.delta

    def probability(self, count: int) -> Certified:
        """Return the probability that a key with so many units is kept, between two floats."""
        with precision():
            found = self.probability_ball(count)
            return Certified(max(0.0, down(found)), min(1.0, up(found)))

    def probability_ball(self, count: int) -> arb:
        """Return a ball around that probability, at the precision in force."""
        return self._law.probability(_held(check.integer("count", count), self._law.sure))

    @property
    def _law(self) -> _Law:
        return _law(self.epsilon, self.delta, self.groups)


@dataclass(frozen=True, slots=True)
class _Law:
    """The probabilities of one key in closed form, with q = 1 - p and c = delta / (e^epsilon - 1).

    p(n) = c (e^(n epsilon) - 1) up to n = rise; q(rise + m) = q(rise) e^(-m epsilon) - c (1 - e^(-m epsilon)) after it.
    """

    epsilon: float
    delta: float
    rise: int
    sure: int

    def probability(self, count: int) -> arb:
        if count <= 0 or count >= self.sure:
            return arb(int(count > 0))
        if count <= self.rise:
            return _rising(self.epsilon, self.delta, count)
        fall = -ball(self.epsilon) * (count - self.rise)
        return 1 - _missing(self.epsilon, self.delta, self.rise) * fall.exp() - _lift(self) * fall.expm1()

    def estimate(self, counts: Ints) -> Floats:
        """Return the probabilities of counts strictly between 0 and `sure`, each within ERROR of itself.

        The terms of the falling branch are at most 1 and p at least 1/2 there, so nothing cancels.
        """
        with precision():
            missing, lift = float(_missing(self.epsilon, self.delta, self.rise)), float(_lift(self))
        early = np.minimum(counts, self.rise).astype(np.float64)
        grown = np.exp((early - 1) * self.epsilon) * (np.expm1(-early * self.epsilon) / np.expm1(-self.epsilon))
        fall = np.maximum(counts - self.rise, 0) * -self.epsilon
        late = 1 - missing * np.exp(fall) - lift * np.expm1(fall)
        found: Floats = np.where(counts <= self.rise, self.delta * grown, late)
        return found

    def toss(self, counts: Ints) -> NDArray[np.bool_]:
        """Say which counts, from 0 to `sure`, are kept: where a uniform real lies below p, floats first, balls then."""
        kept: NDArray[np.bool_] = counts >= self.sure
        open_ = np.flatnonzero((counts > 0) & ~kept)
        words = bits.words(len(open_))
        uniform = (words.astype(np.float64) + 0.5) * 2.0**-64
        chance = self.estimate(counts[open_])
        ahead = chance - uniform
        kept[open_] = ahead > 0
        slack = ERROR * chance + 2.0**-50 * uniform + 2.0**-62
        for index in np.flatnonzero(~(np.abs(ahead) > slack)):
            kept[open_[index]] = self.toss_exactly(int(counts[open_[index]]), int(words[index]))
        return kept

    def toss_exactly(self, count: int, word: int) -> bool:
        """Compare the uniform real that begins with this word, with as many more bits as it takes."""
        prefix = Prefix(word, 64)
        while True:
            with precision(prefix.count + 64):
                chance = self.probability(count)
                low, high = (arb(fmpq(prefix.whole + side, 1 << prefix.count)) for side in (0, 1))
                if high <= chance:
                    return True
                if low >= chance:
                    return False
            prefix.extend()


def _held(count: int, sure: int) -> int:
    return max(0, min(count, sure))


@lru_cache(maxsize=1 << 10)
def delta_each(delta: float, groups: int) -> float:
    """Return a delta_0 of which 1 - (1 - delta_0)^groups is delta, rounded down."""
    return delta if groups == 1 else rounded_down(lambda: -((-ball(delta)).log1p() / groups).expm1())


@lru_cache(maxsize=1 << 10)
def _law(epsilon: float, delta: float, groups: int) -> _Law:
    """Find where p turns and where it reaches 1.

    With y = e^-epsilon, it rises to n + 1 while p(n) <= (1 - delta) / (1 + e^epsilon), so while e^(n epsilon) is at
    most (1 - y + 2 delta y) / ((1 + y) delta); q(rise + m) > 0 while e^(m epsilon) < 1 + q(rise) / c. Neither is ever
    an equality: e^epsilon is transcendental, and as polynomials in it both sides agree at delta = 1/2 only.
    """
    own, small = ratio_down(epsilon, groups), delta_each(delta, groups)

    def turn() -> arb:
        y, gap = (-ball(own)).exp(), -(-ball(own)).expm1()
        return ((gap + 2 * ball(small) * y) / ((1 + y) * ball(small))).log() / ball(own)

    rise = 1 + floor_of(turn)

    def end() -> arb:
        y, gap = (-ball(own)).exp(), -(-ball(own)).expm1()
        return 1 + (y + _missing(own, small, rise) / ball(small) * gap).log() / ball(own)

    return _Law(own, small, rise, rise + floor_of(end) + 1)


def _rising(epsilon: float, delta: float, count: int) -> arb:
    own = ball(epsilon)
    if count == 1:
        return ball(delta)
    return ball(delta) * (own * (count - 1)).exp() * (-own * count).expm1() / (-own).expm1()


def _missing(epsilon: float, delta: float, rise: int) -> arb:
    return 1 - _rising(epsilon, delta, rise)


def _lift(law: _Law) -> arb:
    """Return c = delta / (e^epsilon - 1)."""
    return ball(law.delta) * (-ball(law.epsilon)).exp() / -(-ball(law.epsilon)).expm1()
