"""Prices near those of a projection, by an interior point method: where Newton's steps alone would be too many.

Regions that are almost a point, with as many rows as counts, have a dual with a kink at every turn. A path through the
interior passes none of them: some twenty steps are enough whatever the region (Mehrotra 1992). What it returns need not
be exact, since Newton's method finishes from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.base.grid import Floats
from discreet.topdown.solve.region import Region

STEPS = 60
NEAR = 1e-11
"""Where to stop: the mean product of counts and their multipliers, beside the first."""

HUGE = 1e12
"""Prices beyond this, beside the first ones, mean that there is no end."""


@dataclass(eq=False)
class _Point:
    """Counts above 0 (1 where none may be), what rows have beyond their bounds, and the multipliers of all."""

    counts: Floats
    beyond: Floats
    pushes: Floats
    """The multipliers of counts: what keeps them from falling below 0."""
    rows: Floats
    cells: Floats


def find_prices(region: Region, point: Floats, scale: Floats) -> tuple[Floats, Floats] | None:
    """Return the prices of cells and of rows near those of the point's projection; None where they grow without end,
    as they do where rows contradict one another."""
    allowed, loose = region.allowed, ~region.rows.exact
    size = float(np.abs(np.where(allowed, point - region.low, 0.0)).mean()) + 1.0
    at = _Point(
        counts=np.where(allowed, np.maximum(point - region.low, size), 1.0),
        beyond=np.where(loose, size, 1.0),
        pushes=np.where(allowed, size / scale, 0.0),
        rows=np.where(loose, size / scale.mean(), 0.0),
        cells=np.zeros(region.low.shape[1]),
    )
    pairs = int(allowed.sum()) + int(loose.sum())
    first, most = None, HUGE * size / float(scale.min())
    for _ in range(STEPS):
        if not max(float(np.abs(each).max(initial=0.0)) for each in (at.rows, at.cells)) < most:
            return None
        mean = (float((at.counts * at.pushes).sum()) + float((at.beyond * at.rows)[loose].sum())) / pairs
        first = mean if first is None else first
        if mean <= NEAR * first:
            break
        try:
            system = _System(region, point, scale, at)
        except LinAlgError:
            break
        guess = system.solve(0.0, None)
        reach = system.reach(guess)
        after = float(((at.counts + reach * guess.counts) * (at.pushes + reach * guess.pushes))[allowed].sum())
        after += float(((at.beyond + reach * guess.beyond) * (at.rows + reach * guess.rows))[loose].sum())
        move = system.solve(mean * (after / pairs / mean) ** 3, guess)
        step = 0.995 * system.reach(move)
        at.counts = np.where(allowed, at.counts + step * move.counts, 1.0)
        at.beyond = np.where(loose, at.beyond + step * move.beyond, 1.0)
        at.pushes = np.where(allowed, at.pushes + step * move.pushes, 0.0)
        at.rows = at.rows + step * move.rows
        at.cells = at.cells + step * move.cells
    return at.cells, at.rows


class _System:
    """Newton's equations of the interior path at one point, reduced to the rows' prices."""

    def __init__(self, region: Region, point: Floats, scale: Floats, at: _Point) -> None:
        self.region, self.at = region, at
        rows, allowed = region.rows, region.allowed
        self.loose = ~rows.exact
        self.inside = np.where(allowed, at.counts, 0.0)
        spread = rows.spread(at.rows, len(point))
        self.uneven = np.where(allowed, (point - region.low - at.counts) / scale + spread - at.cells + at.pushes, 0.0)
        self.weights = np.where(allowed, 1.0 / (1.0 / scale + at.pushes / at.counts), 0.0)
        self.missing = rows.targets - rows.add_up(self.inside + region.low) + np.where(self.loose, at.beyond, 0.0)
        self.uncounted = np.zeros(point.shape[1]) if region.people is None else region.people - self.inside.sum(axis=0)
        self.totals = self.weights.sum(axis=0)
        weighted = rows.members * self.weights[rows.children]
        matrix = (weighted @ rows.members.T) * (rows.children[:, None] == rows.children)
        if region.people is not None:
            matrix -= (weighted / self.totals) @ weighted.T
        diagonal = np.where(self.loose, at.beyond / np.where(self.loose, at.rows, 1.0), 0.0)
        ridge = 1e-13 * float(matrix.diagonal().max()) + 1e-300
        self.factor = cho_factor(matrix + np.diag(diagonal + ridge))

    def solve(self, aim: float, guess: _Point | None) -> _Point:
        """Return the step towards products of `aim`, corrected by those of a guess."""
        at, rows, allowed = self.at, self.region.rows, self.region.allowed
        products = aim - at.counts * at.pushes
        row_products = aim - at.beyond * at.rows
        if guess is not None:
            products = products - guess.counts * guess.pushes
            row_products = row_products - guess.beyond * guess.rows
        moved = self.weights * (self.uneven + products / at.counts)
        moved = self._keep_sums(moved, self.uncounted)
        safe = np.where(self.loose, at.rows, 1.0)
        wanted = self.missing + np.where(self.loose, row_products / safe, 0.0) - rows.add_up(moved)
        prices = np.asarray(cho_solve(self.factor, wanted))
        pushed = self.weights * rows.spread(prices, len(moved))
        cells = self._find_cells(self.uneven, products, pushed)
        counts = moved + self._keep_sums(pushed, 0.0)
        pushes = np.where(allowed, (products - at.pushes * counts) / at.counts, 0.0)
        beyond = np.where(self.loose, (row_products - at.beyond * prices) / safe, 0.0)
        return _Point(counts, beyond, pushes, prices, cells)

    def reach(self, move: _Point) -> float:
        """Return how far one can go, 1 at most, before something falls to 0."""
        at, allowed, loose = self.at, self.region.allowed, self.loose
        falls = [(at.counts, move.counts, allowed), (at.pushes, move.pushes, allowed)]
        falls += [(at.beyond, move.beyond, loose), (at.rows, move.rows, loose)]
        reached = 1.0
        for now, step, used in falls:
            down = used & (step < 0)
            reached = min(reached, float((-now[down] / step[down]).min(initial=1.0)))
        return reached

    def _keep_sums(self, values: Floats, sums: Floats | float) -> Floats:
        """Return values with the given sums over children, changed by the weights."""
        if self.region.people is None:
            return values
        return np.asarray(values - self.weights * ((values.sum(axis=0) - sums) / self.totals))

    def _find_cells(self, uneven: Floats, products: Floats, pushed: Floats) -> Floats:
        if self.region.people is None:
            return np.zeros(pushed.shape[1])
        moved = self.weights * (uneven + products / self.at.counts) + pushed
        return np.asarray((moved.sum(axis=0) - self.uncounted) / self.totals)
