"""Medians, quantiles, minimum and maximum: how far the data are from being sensitive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base import check
from discreet.mechanisms.robust.order_gaps import OrderGaps
from discreet.mechanisms.robust.smooth_bounds import SmoothBound, find_smooth_gap
from discreet.mechanisms.robust.sorted_values import SortedValues, check_bounds, check_share

NEVER = 2**62
"""The distance of every data set to one that no data set can be."""


@dataclass(frozen=True)
class OrderStatistic:
    """The value of rank i = ceil(share * n) among n values in public bounds; of rank 1, the minimum, at share 0.

    Without values it is a bound: the upper one for the minimum (rank 1 of none), else the lower one (rank 0).
    One unit has up to `rows` values.

    Theorem, under both neighbour relations. Let G_w be the widest gap x_v - x_u with u <= i <= v and v - u <= w.
    (a) A unit moves the value by at most G_rows. (b) For neighbours D and D', G_w(D) <= G_(w + rows)(D').
    Proof. What neighbours do is up to `rows` steps of one value: added, removed, or replaced (under replace, as many
    values as possible are paired). i' - i is 0 or 1 for one more value, 0 or -1 for one fewer, 0 for one replaced. By
    the lemma of `SortedValues`, the pair (u, v) of D finds (u, v + 1) in D + z, (u - 1, v) in D - z, (u - 1, v) where a
    value grew and (u, v + 1) where one shrank: these are at least as far apart, one wider, and hold i'. That is (b)
    for one step, and steps add up. For (a), the same lemma puts the new value between x_(i - 1) and x_(i + 1) after one
    step, on the one or the other side of x_i: by induction between x_(i - w) and x_(i + w) after w.

    So the distance, the least k with G_((k + 1) rows) > proposal, moves by at most 1 between neighbours; and where it
    is at least 1, no neighbour's value is further away than the proposal. And the largest (x_v - x_u) b^(v - u - rows)
    over pairs with u <= i <= v and v - u >= rows, which is the largest G_(rows + k) b^k, is a smooth bound with base b.
    """

    share: Fraction
    low: int
    high: int
    rows: int = 1

    def __post_init__(self) -> None:
        low, high = check_bounds(self.low, self.high)
        object.__setattr__(self, "share", check_share("share", self.share))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))

    def order(self, values: Any) -> SortedValues:
        """Return the values in order, held between the bounds."""
        return SortedValues.of(values, self.low, self.high)

    def rank(self, size: int) -> int:
        """Return the rank that is asked for among this many values."""
        return math.ceil(self.share * size) if self.share else 1

    def value(self, values: Any) -> Fraction:
        """Return the exact value: private."""
        return Fraction(self.point(values))

    def point(self, values: Any) -> int:
        """Return the same: values are whole numbers already."""
        ordered = self.order(values)
        return ordered.at(self.rank(ordered.size))

    def distance(self, values: Any, proposal: int) -> int:
        """Return how many units, at the least, must change before a unit can move the value by more than this."""
        ordered = self.order(values)
        rank = self.rank(ordered.size)
        width = OrderGaps(ordered, rank, rank).find_cost(proposal)
        return NEVER if width is None else max(0, -(-width // self.rows) - 1)

    def find_smooth(self, values: Any, base: Fraction) -> SmoothBound:
        """Return the smooth bound with this base: private."""
        ordered = self.order(values)
        return find_smooth_gap(ordered, self.rank(ordered.size), self.rows, base)
