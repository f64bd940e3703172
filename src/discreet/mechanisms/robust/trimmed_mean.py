"""The mean of the middle values: how far the data are from being sensitive."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.mechanisms.robust.order_gaps import OrderGaps
from discreet.mechanisms.robust.order_statistic import NEVER
from discreet.mechanisms.robust.smooth_bounds import LEAST, SmoothBound, check_base
from discreet.mechanisms.robust.sorted_values import SortedValues, check_bounds, check_share
from discreet.privacy import Neighbours

MOST_PARTS = 1_000
"""A trim is the nearest fraction with a denominator of at most this: costs, in its parts, are whole numbers of 64 bits,
however many values there are."""

BELOW_HALF = Fraction(MOST_PARTS // 2 - 1, MOST_PARTS - 1)

LOCAL = 3
"""How many steps outward the gap reaches that bounds what one value moves."""


@dataclass(frozen=True)
class TrimmedMean:
    """The mean of the values between the shares `trim` and 1 - trim, in public bounds; a value cut in two counts so.

    With a = trim (the nearest fraction of at most 1,000 parts) it is the integral of x_(ceil s) for s from a n to
    (1 - a) n, over (1 - 2a) n; the middle of the bounds, rounded down, where there are no values. One unit has up to
    `rows` values. It is told on a public grid: `fineness` points to a whole number.

    Theorem. Let cost(u, v) = max(0, a n - u) + max(0, v - (1 - a) n), G_c the widest gap x_v - x_u of a pair of cost at
    most c, and C = (1 - a) / (1 - 2a) under add-remove, 1 / (1 - 2a) under replace.
    (a) Adding, removing or replacing one value moves the mean by at most C G_3 / max(1, n).
    (b) For data one such step apart, each pair finds one at least as far apart that costs at most 1 more.

    Proof of (b). With a value z more, take (u + 1, v + 1), (u, v + 1) or (u, v) for z below x_u, between, or from x_v
    on: the cost grows by at most a, 2a or a. With the value of rank j less, take (u - 1, v - 1), (u, v - 1) or (u, v)
    for j <= u, between, or from v on: it grows by at most 1 - a, 0 or 1 - a. With a value replaced by a larger one take
    (u - 1, v), by a smaller one (u, v + 1).
    Proof of (a). The mean of D + z rises with z, so that it lies between those for z = high and z = low. For z = high
    the window moves from [a n, (1 - a) n] to [a (n + 1), (1 - a)(n + 1)] over the same order: the integral loses a A
    and wins (1 - a) B, averages over what leaves and what enters, so that the mean m moves by (a (m - A) + (1 - a)(B -
    m)) / ((1 - 2a)(n + 1)), at most (1 - a)(B - A) / ((1 - 2a)(n + 1)). A is at least x_u for u = ceil(a n), which
    costs 0, and B at most x_v for v = ceil((1 - a)(n + 1)), which costs less than 2. z = low is the mirror image.
    Removing z is adding it to D - z: a pair there of cost below 2 finds one here of cost below 3. Replacing a value by
    a larger one moves the order by at most one rank, so the integral wins at most B - A over one whole rank. Without
    values, the gap of ranks 0 and 1 is that of the bounds.

    For a unit: by (a) and (b) along a path of `rows` steps, it moves the mean by at most U_0 = rows * C * G_(3 + rows -
    1) / max(1, n - (rows - 1)), and U_k = rows * C * G_(3 + rows - 1 + k rows) / max(1, n - (rows - 1) - k rows) has
    U_k(D) <= U_(k + 1)(D'). (With `public_size` every unit has exactly `rows` values and is replaced by one with as
    many: n is the same in all of them.) So the least k with U_k > proposal moves by at most 1 between neighbours. By
    single values the same holds, with k for k rows: the largest U_k b^k is a smooth bound with base b. (1 / n is part
    of it: it grows to 1 as values are taken away, and is discounted as the gaps are.)
    """

    trim: Fraction
    low: int
    high: int
    rows: int = 1
    fineness: int = 1
    neighbours: str = Neighbours.ADD_REMOVE
    public_size: bool = False

    def __post_init__(self) -> None:
        low, high = check_bounds(self.low, self.high)
        share = check_share("trim", self.trim, below=0.5)
        object.__setattr__(self, "trim", min(share.limit_denominator(MOST_PARTS), BELOW_HALF))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "fineness", check.integer("fineness", self.fineness, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        if check.flag("public_size", self.public_size) and self.neighbours is not Neighbours.REPLACE:
            raise ParameterError("public_size", True, "said of units that are replaced: who comes or goes changes it")

    def order(self, values: Any) -> SortedValues:
        """Return the values in order, held between the bounds."""
        return SortedValues.of(values, self.low, self.high)

    def value(self, values: Any) -> Fraction:
        """Return the exact value, in grid points: private."""
        ordered, (top, whole) = self.order(values), self._parts
        if not ordered.size:
            return Fraction((self.low + self.high) // 2 * self.fineness)
        start, end = top * ordered.size, (whole - top) * ordered.size
        first, last = start // whole, -(-end // whole)  # these ranks, from 0, have some weight: all of it inside
        kept = ordered.values[first:last].tolist()
        total = whole * sum(kept) - (start - first * whole) * kept[0] - (last * whole - end) * kept[-1]
        return Fraction(total * self.fineness, (whole - 2 * top) * ordered.size)

    def point(self, values: Any) -> int:
        """Return the nearest grid point to the value: means d points apart land at most ceil(d) points apart."""
        return math.floor(self.value(values) + Fraction(1, 2))

    def distance(self, values: Any, proposal: int) -> int:
        """Return how many units, at the least, must change before a unit can move the value by more than this."""
        ordered = self.order(values)
        gaps, size = self.gaps(ordered), ordered.size
        if self.factor * self.rows * (self.high - self.low) / self.count(size, NEVER) <= proposal:
            return NEVER  # by public numbers alone: where the size counts here, it is public
        near, far = -1, 1
        while self.local(gaps, size, far * self.rows) <= proposal:
            near, far = far, 2 * far
        while far - near > 1:
            middle = (near + far) // 2
            near, far = (near, middle) if self.local(gaps, size, middle * self.rows) > proposal else (middle, far)
        return far

    def find_smooth(self, values: Any, base: Fraction) -> SmoothBound:
        """Return the smooth bound with this base: private.

        In O(k^2) for the k steps after which the bounds' own distance, discounted, cannot win. With r the range, what k
        steps can give is at most C rows r b^k / count(k). Its logarithm is convex up to where the count is 1 (or falls
        throughout), so that beyond a k where it is below what was found, and that end also looked at, nothing wins.
        """
        ordered, exact = self.order(values), check_base(base)
        gaps, size, span = self.gaps(ordered), ordered.size, self.high - self.low
        end = max(0, size - self.rows)
        best = SmoothBound(LEAST, exact, 0)
        last = SmoothBound(self.local(gaps, size, end), exact, end)
        if last.exceeds(best):
            best = last
        for steps in itertools.count():
            most = SmoothBound(self.factor * self.rows * span / self.count(size, steps), exact, steps)
            if most.log < best.surely:
                return best
            found = SmoothBound(self.local(gaps, size, steps), exact, steps)
            if found.exceeds(best):
                best = found
        raise AssertionError("counting never ends")

    def local(self, gaps: OrderGaps, size: int, steps: int) -> Fraction:
        """Return how far a unit can move the value, in grid points, once that many values have changed."""
        widest = gaps.find_widest(gaps.unit * (LOCAL + self.rows - 1 + steps))
        return self.factor * self.rows * widest / self.count(size, steps)

    def count(self, size: int, steps: int) -> int:
        """Return how few values there can be on a unit's way from data that many steps away, and at least 1."""
        lost = 0 if self.public_size else self.rows - 1 + steps
        return max(1, size - lost)

    def gaps(self, ordered: SortedValues) -> OrderGaps:
        """Return the pairs around the values that are kept, with costs in parts of a step."""
        top, whole = self._parts
        start, end = top * ordered.size, (whole - top) * ordered.size
        first, last = -(-start // whole), end // whole
        return OrderGaps(ordered, first, last, whole, (whole * first - start, end - whole * last))

    @property
    def factor(self) -> Fraction:
        """C, in grid points."""
        kept = 1 - self.trim if self.neighbours == Neighbours.ADD_REMOVE else Fraction(1)
        return kept / (1 - 2 * self.trim) * self.fineness

    @property
    def _parts(self) -> tuple[int, int]:
        return self.trim.numerator, self.trim.denominator
