"""The nearest point of the region, exactly, for all cells at once.

Without rows the region is a simplex for each cell. The nearest point to v in the norm of weights 1 / s is
d = max(v - s t, low), with one price t for each cell that makes its sum right. The sum falls in t, is convex and
piecewise linear, so Newton's steps reach its root in finitely many steps, from the left after the first (Michelot
1986, Condat 2016): no sorting, and hardly any steps at all from the last prices.

With rows A d = b (or >= b) there is a price u for each row, of any sign (or >= 0). For given u the rest is the case
above with v + s A'u in place of v. The dual function of u is concave, with a continuous, piecewise linear gradient
b - A d(u). Newton's steps on it, damped until they ascend (Levenberg 1944), converge; bounds on u are kept by projection,
as Bertsekas (1982) does.
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

FIRST_DAMPING = 0.01
STUCK = 1.0
LEAST_DAMPING = 1e-9
"""Beside the largest curvature: it is singular where rows say the same thing twice, or where nothing is free to move."""


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


def project(region: Region, point: Floats, scale: Floats, start: Prices) -> tuple[Floats, Prices]:
    """Return the point of the region nearest to another, and its prices; `scale` is s, a number for each child.

    Raises `EmptyRegionError` where the rows cannot hold.
    """
    if not len(region.rows):
        found, cells = _meet_sums(region, point, scale, start.cells)
        return found, Prices(cells, start.rows)
    solved = _meet_rows(region, point, scale, start)
    if solved is None:
        solved = _meet_rows(region, point, scale, Prices(*find_prices(region, point, scale)))
    if solved is None:
        raise EmptyRegionError("no counts keep all invariants")
    return solved


def _meet_rows(region: Region, point: Floats, scale: Floats, start: Prices) -> tuple[Floats, Prices] | None:
    """Return the nearest deviations that keep all rows, and their prices; None where the start was too far away."""
    exact, prices, damping = region.rows.exact, start.rows, LEAST_DAMPING
    found, cells = _meet_sums(region, point + scale * _spread(region, prices), scale, start.cells)
    missing = region.rows.targets - region.rows.add_up(found)
    wrong, value = _find_worst(exact, prices, missing), _value(found, point, scale, prices, missing)
    for _ in range(STEPS):
        if wrong <= region.rounding:
            break
        working = exact | (prices > 0) | (missing > 0)
        free = region.allowed & (found > region.low)
        trial = prices.copy()
        trial[working] += RowSystem(region, region.rows.pick(working), scale * free, damping).solve(missing[working])
        trial[~exact] = np.maximum(trial[~exact], 0.0)
        moved, moved_cells = _meet_sums(region, point + scale * _spread(region, trial), scale, cells)
        left = region.rows.targets - region.rows.add_up(moved)
        change, before = trial - prices, wrong
        reached = _value(moved, point, scale, trial, left)
        if (
            _find_worst(exact, trial, left) <= wrong / 2
            or left @ change >= 0
            or reached - value >= 0.01 * (missing @ change)
        ):
            found, cells, prices, missing, value = moved, moved_cells, trial, left, reached
            wrong, damping = _find_worst(exact, prices, missing), max(damping / 8, LEAST_DAMPING)
        else:
            damping = max(16 * damping, FIRST_DAMPING)
        if before <= region.tolerance and wrong >= before / 2:
            break
    return (found, Prices(cells, prices)) if wrong <= region.tolerance else None


def _find_worst(exact: Bools, prices: Floats, missing: Floats) -> float:
    """Return by how much rows that must be equal are not, or others are too small."""
    return float(np.where(exact | (prices > 0), np.abs(missing), np.maximum(missing, 0.0)).max())


class RowSystem:
    """How much each row grows with the prices of all rows, while each cell's sum stays: a small dense matrix."""

    def __init__(self, region: Region, rows: Rows, weights: Floats, damping: float) -> None:
        """Weights are the scale where a deviation is free to move, and 0 elsewhere; damping shortens prices."""
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
        largest = max(float(sizes.max()), float(weights.max()), 1e-300)
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


def _value(found: Floats, point: Floats, scale: Floats, prices: Floats, missing: Floats) -> float:
    """Return the dual function: half the squared distance, and what is paid for what is missing."""
    moved = found - point
    return 0.5 * float((moved * moved / scale).sum()) + float(prices @ missing)


def _meet_sums(region: Region, point: Floats, scale: Floats, prices: Floats) -> tuple[Floats, Floats]:
    """Return the nearest deviations with the right sum in each cell, and the prices of the cells."""
    low, allowed = region.low, region.allowed
    if region.people is None:
        return np.where(allowed, np.maximum(point, low), low), prices
    for _ in range(len(low) + 8):
        free = allowed & (point - scale * prices > low)
        slopes = (scale * free).sum(axis=0)
        before, prices = (
            prices,
            (np.where(free, point, low).sum(axis=0) - region.sums) / np.where(slopes > 0, slopes, 1),
        )
        if not slopes.all():
            first = np.where(allowed, (point - low - region.people) / scale, -np.inf).max(axis=0)
            prices = np.where(slopes > 0, prices, first)
        elif (np.abs(prices - before) * slopes <= 1e-15 * (region.sizes + np.abs(prices) * slopes)).all():
            break
    return np.where(allowed, np.maximum(point - scale * prices, low), low), prices
