"""How far one unit can move a query: the numbers a mechanism's scale is made from, always rounded up.

L1 sensitivities of integer queries are whole numbers; L2 sensitivities are floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid
from discreet.base.rounding import ball, float_up, rounded_up
from discreet.privacy import Neighbours

ADD_REMOVE = Neighbours.ADD_REMOVE


def counting(neighbours: str = ADD_REMOVE) -> int:
    """Return the sensitivity of a count, or of a statistical query that sums some q: X -> [0, 1] over units: 1.

    Under either relation one unit's term moves within [0, 1].
    """
    Neighbours.named(neighbours)
    return 1


def histogram_l1(neighbours: str = ADD_REMOVE) -> int:
    """Return the L1 sensitivity of a histogram in which a unit lies in one cell: 1, or 2 under replace."""
    return 1 if Neighbours.named(neighbours) is Neighbours.ADD_REMOVE else 2


def histogram_l2(neighbours: str = ADD_REMOVE) -> float:
    """Return the L2 sensitivity of a histogram in which a unit lies in one cell: 1, or sqrt(2) under replace."""
    return l2([1] * histogram_l1(neighbours))


def bounded_sum(lower: float, upper: float, neighbours: str = ADD_REMOVE) -> float | Fraction | int:
    """Return the sensitivity of a sum with one term in [lower, upper] per unit.

    max(|lower|, |upper|) under add-remove; upper - lower under replace. Whole bounds give a whole number.

    >>> bounded_sum(-3, 10), bounded_sum(-3, 10, "replace")
    (10, 13)
    """
    low, high = (Fraction(check.real(name, x)) for name, x in (("lower", lower), ("upper", upper)))
    if low > high:
        raise ParameterError("upper", upper, f"at least lower, which is {lower!r}")
    add_remove = Neighbours.named(neighbours) is Neighbours.ADD_REMOVE
    furthest = max(abs(low), abs(high)) if add_remove else high - low
    return int(furthest) if furthest.denominator == 1 else furthest


def maximum(sensitivities: Iterable[float]) -> float | Fraction:
    """Return the sensitivity of the largest of several queries: the largest of theirs.

    If every query moves by at most d, so does their maximum: |max f - max f'| <= max |f - f'|.
    """
    return max(_each(sensitivities))


def distance_to_set() -> int:
    """Return the sensitivity of the Hamming distance to a set of databases: 1, under either relation.

    The distance counts the units that must change, so one more change moves it by at most one.
    """
    return 1


def l1(sensitivities: Iterable[float]) -> float | int:
    """Return the L1 sensitivity of a vector of queries: the sum of theirs."""
    total = sum((Fraction(each) for each in _each(sensitivities)), Fraction(0))
    return int(total) if total.denominator == 1 else rounded_up(lambda: ball(total))


def l2(sensitivities: Iterable[float]) -> float:
    """Return the L2 sensitivity of a vector of queries: the root of the sum of their squares, rounded up."""
    total = sum((Fraction(each) ** 2 for each in _each(sensitivities)), Fraction(0))
    return rounded_up(lambda: ball(total).sqrt())


def on_grid_l1(sensitivity: float, grid: Grid, dim: int = 1) -> int:
    """Return the L1 sensitivity, in whole grid steps, of a real vector that is put on a grid.

    D / step + dim is the textbook bound. Coordinate i moves by at most ceil(d_i / step) < d_i / step + 1 steps, so
    the whole number of steps lies strictly below it: at most ceil(D / step) + dim - 1.

    >>> on_grid_l1(50, Grid(0.01)), on_grid_l1(0.015, Grid(0.01), dim=3)
    (5000, 4)
    """
    steps = Fraction(check.positive("sensitivity", sensitivity)) / grid.step
    return math.ceil(steps) + check.integer("dim", dim, least=1) - 1


def on_grid_l2(sensitivity: float, grid: Grid, dim: int = 1) -> float:
    """Return the L2 sensitivity, in grid steps, of a real vector that is put on a grid: D / step + sqrt(dim).

    On one coordinate it is a whole number of steps, ceil(D / step).
    """
    steps = Fraction(check.positive("sensitivity", sensitivity)) / grid.step
    dim = check.integer("dim", dim, least=1)
    if dim == 1:
        return float_up(math.ceil(steps))
    return rounded_up(lambda: ball(steps) + arb(dim).sqrt())


def _each(sensitivities: Iterable[float]) -> list[float | Fraction]:
    each = [check.positive("sensitivity", sensitivity) for sensitivity in sensitivities]
    if not each:
        raise ParameterError("sensitivities", each, "at least one number")
    return each
