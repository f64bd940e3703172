"""The best of several tries, of which a secret coin each says whether it counts: only the winner is seen.

**What is run.** T tries, independent of each other, each a release of its own that loses no more than `base`; what a
try returns holds a score. Each counts with probability p, by a secret coin, and at least one does: coins that all fell
on the other side are tossed again. Of those that count, the one with the highest score is the result, of equal ones the
first. All tries are run whatever the coins say; neither they nor the losers are ever seen.

**Theorem.** Let every try have D_a(M(x) || M(x')) <= d for some order a > 1, and Pr[M(x') in S] <= t(Pr[M(x) in S]) for
every event S, for all neighbours x and x'. Then the result has

    D_a <= d + (ln E + (T - 1) ln R) / (a - 1),   E = p T / (1 - (1 - p)^T),   R = max (1 - p u)^a (1 - p t(u))^(1 - a),

the maximum over u in [0, 1]. E is how many tries count on average.

Proof. Try i wins with outcome y if it counts, has that outcome, and no other that counts beats it:

    Pr[(i, y) wins] = p m_i(y) * product over j != i of (1 - p u_j) / (1 - (1 - p)^T),

m_i(y) the probability of the outcome and u_j that of "try j beats (i, y)", an event of try j alone. So

    e^((a - 1) D_a) = sum over i, y of p m_i^a m_i'^(1 - a) / (1 - (1 - p)^T)
                      * product over j != i of (1 - p u_j)^a (1 - p u_j')^(1 - a)

where each factor of the product is at most R >= 1, since it grows with u_j' <= t(u_j), and the sum over y of
m_i^a m_i'^(1 - a) is at most e^((a - 1) d). There are T tries, and p T / (1 - (1 - p)^T) = E.

This is the theorem of Papernot and Steinke (2022, Theorem 6; after Liu and Talwar 2019) with a coin for each try in
the place of a Poisson number of tries. With coins the tries need not be alike: they may be of different settings in a
public order, so that how long all of them take is public too. (Settings that were drawn for each try would have to be
as secret as their number: with a public order and a Poisson number of tries the theorem does not hold.)

**Also**: whoever saw all tries that count would see no more than a release of each, so with G = 1 - p + p e^((a - 1) d)

    D_a <= ln((G^T - (1 - p)^T) / (1 - (1 - p)^T)) / (a - 1),

which is less for small orders. Where `base` has a pure epsilon, the limit of the theorem as a grows is one as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import ball, down, float_up, precision, rounded_up, up
from discreet.privacy.amounts import read_decimal, state_amount
from discreet.privacy.certified import Certified
from discreet.privacy.loss import Loss
from discreet.privacy.losses.renyi import RenyiLoss

MOST_TRIES = 10_000

LINES, FAR = 32, 6
"""How many lines bound what an event's probability becomes, on each side of the middle, and how steep the last is."""

STEEPEST = 600
"""Slopes beyond e to this power are left out: they would leave the range of floats."""

ORDERS = tuple(1 + Fraction(2.0 ** (step / 4)) for step in range(-12, 57))
"""Orders that are converted to (epsilon, delta)."""

CELL, CELLS = Fraction(101, 100), 2000
"""How far apart the orders are of which a rho is made, and how many there are at most."""


@dataclass(frozen=True, eq=False, repr=False)
class BestOfLoss(Loss):
    """The best of `tries` releases that lose no more than `base`, of which each counts with probability `chance`.

    The theorem and its proof are above. A base has Renyi divergences of all orders: no delta of its own.
    """

    kind = "best-of"
    base: Loss
    tries: int
    chance: Exact

    def __post_init__(self) -> None:
        if not isinstance(self.base, Loss) or not math.isfinite(self.base.zcdp()):
            raise ParameterError("base", self.base, "a loss without a delta, such as GaussianLoss, ZcdpLoss, PureLoss")
        self._store(
            tries=check.integer("tries", self.tries, least=1, most=MOST_TRIES),
            chance=state_amount("chance", self.chance, above=0, below=1),
        )

    @property
    def exact_chance(self) -> Fraction:
        """The probability that a try counts, as coins are tossed."""
        return read_decimal(self.chance)

    @property
    def mean(self) -> float:
        """How many tries count on average."""
        some = 1 - (1 - self.exact_chance) ** self.tries
        return float(self.exact_chance * self.tries / some)

    @property
    def pure(self) -> float:
        """The limit of the theorem as the order grows, or all tries together if that is less."""
        each = self.base.pure
        if not math.isfinite(each):
            return math.inf
        ratio = min(self._find_ratio(), each)  # all tries together lose no more
        return float_up(Fraction(each) + (self.tries - 1) * Fraction(ratio))

    def zcdp(self) -> float:
        """Return the least of three bounds: by orders, by the pure epsilon, and for all tries together."""
        together = float_up(Fraction(self.base.zcdp()) * self.tries)
        return min(self._rho, together, super().zcdp())

    def epsilon(self, delta: Exact) -> Certified:
        """Return the least epsilon of all orders; scores that are all the same show the loss of one try."""
        if check.delta("delta", delta) == 0:
            return super().epsilon(delta)
        high = min(self._curve.epsilon(delta).high, self.pure)
        return Certified(min(self.base.epsilon(delta).low, high), high)

    def _renyi(self, order: Exact) -> float:
        size = self.base.renyi(order)
        return min(
            rounded_up(lambda: self._add_selection(order, size)),
            rounded_up(lambda: self._add_all(ball(order), ball(size))),
        )

    def _group(self, size: int) -> Loss:
        """The best of releases that each lose what theirs lose for so many people."""
        return BestOfLoss(self.base.group(size), self.tries, self.chance)

    def _delta(self, epsilon: Exact) -> tuple[arb, arb]:
        low = ball(self.base._certified_delta(epsilon).low)
        if epsilon >= self.pure:
            return arb(0), arb(0)
        return low, self._curve._delta(epsilon)[1]

    @cached_property
    def _curve(self) -> RenyiLoss:
        return RenyiLoss(list(ORDERS), [Fraction(self.renyi(order)) for order in ORDERS])

    def _add_selection(self, order: Exact, size: float) -> arb:
        """Return the bound of the theorem."""
        beaten = (self.tries - 1) * ball(self._find_factor(order))
        return ball(size) + (self._find_mean().log() + beaten) / (ball(order) - 1)

    def _add_all(self, order: arb, size: arb) -> arb:
        """Return the bound for whoever saw all tries that count."""
        chance = ball(self.exact_chance)
        grown = (1 - chance + chance * ((order - 1) * size).exp()) ** self.tries
        none = (1 - chance) ** self.tries
        return ((grown - none) / (1 - none)).log() / (order - 1)

    def _find_mean(self) -> arb:
        chance = ball(self.exact_chance)
        return chance * self.tries / (1 - (1 - chance) ** self.tries)

    def _find_factor(self, order: Exact) -> float:
        """Return ln R, rounded up: floats lose less than eight times their last bit, of each of two numbers."""
        kept, moved = self._ends
        given = float(order)
        values = given * kept - (given - 1) * moved + given * (np.abs(kept) + np.abs(moved)) * 2.0**-50
        return max(0.0, float(values.max()))

    def _find_ratio(self) -> float:
        """Return the limit of ln R / (a - 1) as a grows, which no order exceeds: ln(1 - p u) is not above 0."""
        kept, moved = self._ends
        values = kept - moved + (np.abs(kept) + np.abs(moved)) * 2.0**-50
        return max(0.0, float(values.max()))

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Return ln(1 - p u), rounded up, and ln(1 - p u'), rounded down, where R, bounded by lines, can be largest.

        t(u) is at most k u + c for every line of `_list_lines`. On an interval where one such line is used, the slope
        of a ln(1 - p u) - (a - 1) ln(1 - p (k u + c)) has the sign of (a - 1) k - a (1 - p c) + p k u, which grows with
        u: so it is largest at an end of the interval. Whichever intervals are chosen, the bound is true.
        """
        lines = self._list_lines()
        cuts = [Fraction(0)]
        for (steep, near), (flat, far) in pairwise(lines):
            meet = (far - near) / (steep - flat) if steep > flat else cuts[-1]
            cuts.append(min(max(cuts[-1], Fraction(float(meet))), Fraction(1)))
        cuts.append(Fraction(1))
        kept, moved = [], []
        with precision():
            chance = ball(self.exact_chance)
            for (slope, start), ends in zip(lines, pairwise(cuts), strict=True):
                for end in ends:
                    kept.append(up((1 - chance * ball(end)).log()))
                    moved.append(down((1 - chance * ball(slope * end + start)).log()))
        return np.array(kept), np.array(moved)

    def _list_lines(self) -> list[tuple[Fraction, Fraction]]:
        """Return lines (slope k, start c), steepest first, with t(u) <= k u + c.

        Pr[M(x') in S] <= e^e Pr[M(x) in S] + delta(e), and by the event's complement, with x and x' changed,
        Pr[M(x') in S] <= 1 - e^-e (1 - delta(e) - Pr[M(x) in S]). What lies above 1 bounds nothing.
        """
        scale = Fraction(rounded_up(lambda: (2 * ball(self.base.zcdp())).sqrt()))
        steep, flat = [], []
        for step in range(LINES + 1):
            epsilon = scale * FAR * step / LINES
            if epsilon > STEEPEST:
                break
            delta = Fraction(self.base._certified_delta(epsilon).high)
            with precision():
                grown, shrunk = ball(epsilon).exp(), (-ball(epsilon)).exp()
                steep.append((Fraction(up(grown)), delta))
                slope = Fraction(down(shrunk))
            flat.append((slope, 1 - slope * (1 - delta)))
        return [*reversed(steep), *flat, (Fraction(0), Fraction(1))]

    @cached_property
    def _rho(self) -> float:
        """Return the largest D_a / a of all orders a, rounded up, where a try has D_a <= r a.

        Up to some order the bound for all tries counts: ln E[e^(x K)] / x grows with x = a (a - 1) r, for whatever
        number K of tries. From there on the theorem's, r + ln E / (a (a - 1)) + (T - 1) ln R / ((a - 1) a): its last
        term, without the 1 / a, grows with a, so between two orders it is at most that of the greater.
        """
        rho = Fraction(self.base.zcdp())
        if rho == 0:
            return 0.0

        def find_before(order: Fraction) -> float:
            return rounded_up(lambda: self._add_all(ball(order), ball(order * rho)) / ball(order))

        def find_after(order: Fraction, later: Fraction | None) -> float:
            def bound() -> arb:
                first = ball(order)
                ratio = ball(self._find_ratio()) if later is None else ball(self._find_factor(later)) / ball(later - 1)
                return ball(rho) + self._find_mean().log() / (first * (first - 1)) + (self.tries - 1) * ratio / first

            return rounded_up(bound)

        low, high = 0.0, 40.0
        for _ in range(30):
            middle = (low + high) / 2
            order = 1 + Fraction(2.0 ** (middle - 20))
            low, high = (middle, high) if find_before(order) < find_after(order, order) else (low, middle)
        order = 1 + Fraction(2.0 ** (low - 20))
        found = find_before(order)
        for _ in range(CELLS):
            if find_after(order, None) <= found:
                return found
            later = Fraction(float(order * CELL))
            found = max(found, find_after(order, later))
            order = later
        return max(found, find_after(order, None))

    def _write_parameters(self) -> dict[str, Any]:
        return {**super()._write_parameters(), "base": self.base.to_dict()}

    @classmethod
    def _from_parameters(cls, **parameters: Any) -> Loss:
        return cls(**{**parameters, "base": Loss.from_dict(parameters["base"])})
