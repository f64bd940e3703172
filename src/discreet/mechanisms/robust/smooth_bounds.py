"""Smooth bounds: how far a unit can move a statistic, on these data or, discounted, on data some changes away.

S is a smooth bound with base b < 1 if no unit moves the statistic by more than S(D), and S(D) <= S(D') / b for data one
value apart; then S(D) <= e^t S(D') for neighbours, with t = -rows ln b (Nissim, Raskhodnikova, Smith 2007). If A_k
bounds what a unit moves on all data k values away, and A_k(D) <= A_(k + 1)(D') for data one value apart, then the
maximum of A_k b^k is one. It must be exact: were S rounded, S(D) <= e^t S(D') could fail. So b is a rational number, S
is kept as factor * b^power, floats only sort out what is far from the maximum, and t is rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, precision, rounded_up
from discreet.mechanisms.robust.order_gaps import OrderGaps
from discreet.mechanisms.robust.sorted_values import SortedValues

LEAST = Fraction(1, 2**64)
"""No smooth bound is smaller, in grid points. The larger of a smooth bound and a public number is one too, and how long
it takes to find it, and to draw noise for it, is bounded so where many values are alike."""

BASE_BITS = 32
"""Bases are whole multiples of 2^-32: their powers are whole numbers, shifted."""

MARGIN = 1e-9
"""Logarithms that differ by more are told apart by floats, others exactly."""

RELATIVE = 1e-14
"""The same, relative to the logarithms: dozens of times what the few steps of their computation err by."""


@dataclass(frozen=True)
class SmoothBound:
    """factor * base^power, exactly: far too long to write down where many values are alike."""

    factor: Fraction
    base: Fraction
    power: int

    def enclose(self) -> arb:
        """Return a ball around it, at the precision in force."""
        return ball(self.factor) * (ball(self.base).log() * self.power).exp()

    @property
    def exact(self) -> Fraction:
        """The number itself."""
        return self.factor * self.base**self.power

    @property
    def log(self) -> float:
        """Its natural logarithm, as a float; minus infinity for 0."""
        if not self.factor:
            return -math.inf
        return _log(self.factor) + self.power * _log(self.base)

    @property
    def surely(self) -> float:
        """A float below its logarithm, by more than floats can err."""
        log = self.log
        return log - MARGIN - RELATIVE * abs(log) if self.factor else log

    def exceeds(self, other: SmoothBound) -> bool:
        """Say whether it is the larger of two bounds with the same base."""
        if not self.factor or other.log < self.surely:
            return bool(self.factor)
        if self.log < other.surely:
            return False
        power = self.power - other.power
        return self.factor * self.base ** max(power, 0) > other.factor * self.base ** max(-power, 0)


def _log(number: Fraction) -> float:
    return math.log(number.numerator) - math.log(number.denominator) if number < Fraction(1, 2) else _log_near(number)


def _log_near(number: Fraction) -> float:
    """Return the logarithm where the difference of two would lose digits."""
    return math.log1p(float(number - 1)) if number < 2 else math.log(number.numerator) - math.log(number.denominator)


def choose_base(smoothness: float | Fraction, rows: int = 1) -> Fraction:
    """Return the least multiple of 2^-32 at which neighbours' bounds differ by a factor of e^smoothness at most."""
    exact = Fraction(check.positive("smoothness", smoothness))
    count = check.integer("rows", rows, least=1)
    with precision():
        top = (ball(-exact / count).exp() * 2**BASE_BITS).upper().ceil().unique_fmpz()
    if top is None or not 0 < int(top) < 2**BASE_BITS:
        raise ParameterError(
            "smoothness", smoothness, f"at least {count * 2.0 ** (1 - BASE_BITS):.2g} for {count} rows"
        )
    return Fraction(int(top), 2**BASE_BITS)


def bound_smoothness(base: Fraction, rows: int = 1) -> float:
    """Return t = -rows ln base, rounded up: neighbours' bounds differ by a factor of at most e^t."""
    exact = check_base(base)
    return rounded_up(lambda: -ball(exact).log() * check.integer("rows", rows, least=1))


def check_base(base: object) -> Fraction:
    """Return a base: a rational number between 0 and 1."""
    return Fraction(check.real("base", base, above=0, below=1))


def find_smooth_gap(ordered: SortedValues, rank: int, rows: int, base: Fraction) -> SmoothBound:
    """Return the largest (x_v - x_u) b^(v - u - rows) over ranks u <= rank <= v that are at least `rows` apart.

    Where that is below `LEAST`, it is that.

    Lemma. For each u let v(u) be the last v at which this is largest: it never falls as u grows. For if v' > v is at
    least as good as v for u, then for u' > u as well: x_u' >= x_u, and (x_v' - x_u') b^v' - (x_v - x_u') b^v = (x_v' -
    x_u) b^v' - (x_v - x_u) b^v + (x_u' - x_u)(b^v - b^v'). And v(u), if it is far enough from u', is so from u. So
    halving the u's halves the v's of either half: all is done in O(n log n). Pairs further apart than where the bounds'
    own distance, discounted, is below a pair already found are never looked at; nor are halves that cannot win.
    """
    search = _Search(ordered, rank, rows, check_base(base))
    return search.run()


class _Search:
    """Pairs of j ranks below and i above the rank: which has the largest discounted gap."""

    def __init__(self, ordered: SortedValues, rank: int, rows: int, base: Fraction) -> None:
        self.rows, self.base, self.rate = rows, base, _log(base)
        self.best = SmoothBound(LEAST, base, 0)
        gaps, size = OrderGaps(ordered, rank, rank), ordered.size
        left, right = max(rank, rows), max(size + 1 - rank, rows)
        width = rows
        while width < left + right:
            self.keep(gaps.find_widest(width), width)
            width *= 2
        self.keep(ordered.high - ordered.low, left + right)
        reach = (math.log(ordered.high - ordered.low) - self.best.surely) / -self.rate
        most = rows + math.ceil(min(reach, 2.0**60))
        self.lower = ordered.take(rank - np.arange(min(left, most) + 1))
        self.upper = ordered.take(rank + np.arange(min(right, most) + 1))

    def keep(self, gap: int, width: int) -> None:
        """Hold a pair if it is the best yet."""
        found = SmoothBound(Fraction(gap), self.base, width - self.rows)
        if found.exceeds(self.best):
            self.best = found

    def run(self) -> SmoothBound:
        """Return the best of all pairs."""
        parts = [(0, len(self.lower) - 1, 0, len(self.upper) - 1)]
        while parts:
            near, far, first, last = parts.pop()
            if near > far or self.cannot_win(near, far, first, last):
                continue
            middle = (near + far) // 2
            at = self.find_partner(middle, first, last)
            if at is None:
                parts += [(middle + 1, far, first, last)]
                continue
            self.keep(int(self.upper[at] - self.lower[middle]), middle + at)
            parts += [(near, middle - 1, at, last), (middle + 1, far, first, at)]
        return self.best

    def cannot_win(self, near: int, far: int, first: int, last: int) -> bool:
        """Say whether the widest gap of a part, at the least width of it, is below what was found."""
        widest = int(self.upper[last] - self.lower[far])
        if widest <= 0:
            return True
        return math.log(widest) + max(0, near + first - self.rows) * self.rate < self.best.surely

    def find_partner(self, below: int, first: int, last: int) -> int | None:
        """Return the last best number of ranks above, for this number below; nothing where all are too near."""
        start = max(first, self.rows - below)
        if start > last:
            return None
        gaps = self.upper[start : last + 1] - self.lower[below]
        with np.errstate(divide="ignore"):
            logs = np.log(gaps.astype(np.float64)) + np.arange(len(gaps)) * self.rate
        top = float(logs.max())
        if top == -math.inf:
            return last
        slack = MARGIN + RELATIVE * (abs(top) + len(gaps) * abs(self.rate))
        chosen, *others = np.flatnonzero(logs > top - slack).tolist()
        for other in others:
            behind = SmoothBound(Fraction(int(gaps[chosen])), self.base, 0)
            if not behind.exceeds(SmoothBound(Fraction(int(gaps[other])), self.base, other - chosen)):
                chosen = other
        return start + int(chosen)
