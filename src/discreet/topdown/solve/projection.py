"""The nearest point of the region, exactly, for all cells at once.

Without rows the region is a simplex for each cell. The nearest point to v in the norm of weights 1 / s is
d = max(v - s t, low), with one price t for each cell that makes its sum right. The sum falls in t, is convex and
piecewise linear, so Newton's steps reach its root in finitely many steps, from the left after the first (Michelot
1986, Condat 2016): no sorting, and hardly any steps at all from the last prices.

With rows A d = b (or >= b) there is a price u for each row, of any sign (or >= 0). For given u the rest is the case
above with v + s A'u in place of v. The dual function of u is concave, with a continuous, piecewise linear gradient
b - A d(u). Newton's steps on it are damped until they ascend (Levenberg 1944), and bounds on u are kept by projection
(Bertsekas 1982). A handful of them ends at the solution, exactly; where they do not, they start again from the prices
of an interior point method (`interior`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from discreet.base.errors import DiscreetError
from discreet.base.grid import Floats
from discreet.noise.coin import Bools
from discreet.topdown.solve.interior import find_prices
from discreet.topdown.solve.region import Region, Rows

STEPS = 25
"""Newton steps after which to look for a better start; a few are the rule."""

LEAST_DAMPING, FIRST_DAMPING, STUCK = 1e-9, 0.01, 1.0
"""What is added to the curvature, beside its largest: always, since rows may say the same thing twice; after a step
that did not ascend; and for a row in which nothing is free to move."""


class EmptyRegionError(DiscreetError):
    """No point keeps all rows, or none was found; the caller relaxes them and says so."""


@dataclass(frozen=True, eq=False)
class Prices:
    """What one more person would cost, in a sum over children (for each cell) and in a row."""

    cells: Floats
    rows: Floats


def start_prices(region: Region) -> Prices:
    """Return prices of 0."""
    return Prices(np.zeros(region.low.shape[1]), np.zeros(len(region.rows)))


def project(region: Region, point: Floats, scale: Floats, paid: Prices) -> tuple[Floats, Prices]:
    """Return the point of the region nearest to another, v, and its prices; `scale` is s, a number for each child.

    `paid` are prices near those sought, and `point` is v - s (t - A'u) with these: only the changes of prices are
    computed, and small ones keep all digits. Raises `EmptyRegionError` where the rows cannot hold.
    """
    if not len(region.rows):
        found, more = _meet_sums(region, point, scale)
        return found, Prices(paid.cells + more, paid.rows)
    solved = _meet_rows(region, point, scale, paid)
    if solved is None:
        unpaid = point + scale * (paid.cells - _spread(region, paid.rows))
        near = find_prices(region, unpaid, scale)
        if near is not None:
            cells, rows = near
            solved = _meet_rows(region, unpaid - scale * (cells - _spread(region, rows)), scale, Prices(cells, rows))
    if solved is None:
        raise EmptyRegionError("no counts keep all invariants")
    return solved


def _meet_rows(region: Region, point: Floats, scale: Floats, paid: Prices) -> tuple[Floats, Prices] | None:
    """Return the nearest deviations that keep all rows, and their prices; None where those paid are too far away.

    Every accepted change of prices is paid at once, out of the point. So rows hold to the last digit: what rounding
    there is moves the point that is projected, by nothing that anybody would notice.
    """
    exact, damping = region.rows.exact, LEAST_DAMPING
    found, cells = _meet_sums(region, point, scale)
    point, cells, prices = point - scale * cells, paid.cells + cells, paid.rows
    missing = region.rows.targets - region.rows.add_up(found)
    wrong = _find_worst(exact, prices, missing)
    for _ in range(STEPS):
        if wrong <= region.rounding:
            break
        working = exact | (prices > 0) | (missing > 0)
        free = region.allowed & (found > region.low)
        trial, before = prices.copy(), wrong
        trial[working] += RowSystem(region, region.rows.pick(working), scale, free, damping).solve(missing[working])
        trial[~exact] = np.maximum(trial[~exact], 0.0)
        change = trial - prices
        pushed = scale * _spread(region, change)
        moved, more = _meet_sums(region, point + pushed, scale)
        left = region.rows.targets - region.rows.add_up(moved)
        gain = _measure(moved - point, scale) - _measure(found - point, scale) + float(change @ left)
        worst = _find_worst(exact, trial, left)
        if worst <= wrong / 2 or left @ change >= 0 or gain >= 0.01 * (missing @ change):
            found, prices, missing, wrong = moved, trial, left, worst
            point, cells = point + pushed - scale * more, cells + more
            damping = max(damping / 8, LEAST_DAMPING)
        else:
            damping = max(16 * damping, FIRST_DAMPING)
        if before <= region.tolerance and wrong >= before / 2:
            break
    return (found, Prices(cells, prices)) if wrong <= region.tolerance else None


def _measure(move: Floats, scale: Floats) -> float:
    """Return half the squared length."""
    return 0.5 * float((move * move / scale).sum())


def _find_worst(exact: Bools, prices: Floats, missing: Floats) -> float:
    """Return by how much rows that must be equal are not, or others are too small."""
    return float(np.where(exact | (prices > 0), np.abs(missing), np.maximum(missing, 0.0)).max())


class RowSystem:
    """How much each row grows with the prices of all rows, while each cell's sum stays: a small dense matrix."""

    def __init__(self, region: Region, rows: Rows, scale: Floats, free: Bools, damping: float) -> None:
        """Of deviations only those move that are free; damping shortens prices."""
        weights = scale * free
        self.rows, self.weights = rows, weights
        self.totals = None
        if region.people is not None:
            totals = weights.sum(axis=0)
            self.totals = np.where(totals > 0, totals, 1.0)
        if not len(rows):
            return
        weighted = rows.members * weights[rows.children]
        self.matrix = (weighted @ rows.members.T) * (rows.children[:, None] == rows.children)
        if self.totals is not None:
            self.matrix -= (weighted / self.totals) @ weighted.T
        sizes = self.matrix.diagonal()
        largest = max(float(sizes.max()), float(scale.max()))
        damped = np.where(sizes > 1e-6 * largest, damping, max(damping, STUCK))
        self.factor = cho_factor(self.matrix + np.diag(damped * largest))

    def solve(self, growth: Floats) -> Floats:
        """Return prices that make the rows grow so much, or less where that takes large ones."""
        return np.asarray(cho_solve(self.factor, growth))

    def project(self, values: Floats) -> tuple[Floats, Floats]:
        """Return s (values - t - A'u) on the free deviations, which keeps all sums, and the prices u.

        So it is the steepest direction along a face of the region, where `values` is a gradient.
        """
        found = self.weights * values
        if self.totals is not None:
            found -= self.weights * (found.sum(axis=0) / self.totals)
        if not len(self.rows):
            return found, np.empty(0)
        grown = self.rows.add_up(found)
        prices = self.solve(grown)
        prices += self.solve(grown - self.matrix @ prices)
        spread = self.weights * self.rows.spread(prices, len(values))
        if self.totals is not None:
            spread -= self.weights * (spread.sum(axis=0) / self.totals)
        return found - spread, prices


def _spread(region: Region, prices: Floats) -> Floats:
    return region.rows.spread(prices, len(region.low))


def _meet_sums(region: Region, point: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """Return the nearest deviations with the right sum in each cell, and the prices of the cells."""
    low, allowed, prices = region.low, region.allowed, np.zeros(point.shape[1])
    if region.people is None:
        return np.where(allowed, np.maximum(point, low), low), prices
    for _ in range(len(low) + 8):
        free = allowed & (point - scale * prices > low)
        slopes = (scale * free).sum(axis=0)
        before, excess = prices, np.where(free, point, low).sum(axis=0) - region.sums
        prices = excess / np.where(slopes > 0, slopes, 1.0)
        if not slopes.all():
            first = np.where(allowed, (point - low - region.people) / scale, -np.inf).max(axis=0)
            prices = np.where(slopes > 0, prices, first)
        elif (np.abs(prices - before) * slopes <= 1e-15 * (region.sizes + np.abs(prices) * slopes)).all():
            break
    return np.where(allowed, np.maximum(point - scale * prices, low), low), prices
