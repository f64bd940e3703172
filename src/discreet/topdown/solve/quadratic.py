"""The counts of a region nearest to the estimates: a convex quadratic program, solved with a proof of how well.

The objective is f(d) = sum over children of d_c' P_c d_c, where d = x - z holds all cells: those that the region leaves
out are 0 in x, and their estimates stay in the objective. Leaving out what was measured there would let the people who
belong there go anywhere.

Steps (after Moré, Toraldo 1991, with the steps of Birgin, Martínez, Raydan 2000 between faces):

* projected gradient steps of Barzilai and Borwein's length, each with the exact minimum along its segment, find which
  counts are 0 and which bounds hold;
* conjugate gradients on that face of the region find its minimum, soon, since few of P's eigenvalues are large;
* where that is outside the region, ever shorter parts of the way to it are projected onto the face, until one gains
  enough, or else the way ends at the first bound that it meets. Then the smaller face is explored.

The objective falls with every step, and a face's minimum is never met twice: in exact numbers the descent is finite.

Theorem (the gap). Let g be the gradient at a point x of the region, and u prices of its rows A x = b, A x >= b, of any
sign for the former and >= 0 for the latter. With h = g - A'u and m_i the least h in cell i over the children that may
have it, every y of the region has f(y) >= f(x) - gap, where

    gap = sum over children and cells of x (h - m) + u'(A x - b).

Proof. f is convex, so f(y) - f(x) >= g'(y - x) = h'(y - x) + u'(A y - A x), where h'y >= sum of m_i X_i = sum of m x,
and u'A y >= u'b. At the root there is no X. There, for any e and s >= 0 with k = h + 2 s P e >= 0, f is at least
f(x) - gap with gap = s^2 e'P e + k'x + u'(A x - b): the value of the Lagrangian with multipliers k and u is least at
d + s e, by its gradient. Here e is 1 everywhere, and prices of exact rows are lowered first where that makes h >= 0.
Every term is non-negative: nothing cancels. (All of this holds up to the rounding of floats.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from discreet.base.grid import Floats
from discreet.noise.coin import Bools
from discreet.topdown.solve.precision import Precision
from discreet.topdown.solve.projection import LEAST_DAMPING, EmptyRegionError, RowSystem, project, start_prices
from discreet.topdown.solve.region import Region

AIM = 1e-8
CERTIFIED = 1e-7
"""The gap at which to stop, and the largest that is called certified: beside the objective, or 1 where that is larger.

The objective is a sum of squares in units of the noise: differences below 1 in it mean nothing to anybody."""

PATIENCE = 20
"""Rounds in which the gap is not halved, after which we stop: floats can do no better, or it would take too long."""
SEARCHES, DEPTH = 12, 10
"""The most projected gradient steps in a round, and the most faces, each within the one before."""
CONJUGATE = 100
ENOUGH, ENOUGH_AGAIN = 0.1, 1e-8
"""A face is left when a step gains less than this part of the best one's gain; less, if we were on it before."""
SUFFICIENT, SHRINK = 0.1, 0.25
"""The part of its promise that a projected step must gain, and by how much it is shortened where it does not."""


@dataclass(frozen=True, eq=False)
class QuadraticObjective:
    """f(d) = sum of d'P d + linear'd + constant, of the cells of a region."""

    precision: Precision
    linear: Floats
    constant: float

    def curve(self, direction: Floats) -> Floats:
        """Return how the gradient changes along a direction."""
        return 2 * self.precision.apply(direction)

    def find_gradient(self, deviations: Floats) -> Floats:
        """Return the gradient."""
        return self.curve(deviations) + self.linear

    def evaluate(self, deviations: Floats, gradient: Floats) -> float:
        """Return the value, from the gradient at the same point."""
        return 0.5 * float((deviations * (gradient + self.linear)).sum()) + self.constant


@dataclass(frozen=True, eq=False)
class Minimum:
    """Deviations of a region, their objective, and by how much at most it is above the least."""

    deviations: Floats
    objective: float
    gap: float
    products: int
    """How often the precision was applied."""

    @property
    def is_certified(self) -> bool:
        """Whether the gap is as small as was asked for."""
        return self.gap <= CERTIFIED * max(self.objective, 1.0)


def minimise(region: Region, objective: QuadraticObjective) -> Minimum:
    """Return where the objective is least in the region, up to a certified gap.

    Raises `EmptyRegionError` where the region is empty.
    """
    return _Descent(region, objective).run()


class _Descent:
    """One descent: where it is, its gradient, and the prices of the last projection."""

    def __init__(self, region: Region, objective: QuadraticObjective) -> None:
        self.region, self.objective = region, objective
        lipschitz = objective.precision.lipschitz[:, None]
        self.scale = 0.5 / np.maximum(lipschitz, 1e-9 * lipschitz.max() + 1e-300)
        self.length = 1.0
        self.free = np.zeros(region.low.shape, dtype=bool)
        self.products = 0
        self.at, self.prices = project(region, np.zeros(region.low.shape), self.scale, start_prices(region))
        self.gradient = self._find_gradient()

    def run(self) -> Minimum:
        """Descend until the gap is small, or nothing more is gained."""
        value, best, mark, stalled = np.inf, -np.inf, np.inf, 0
        while stalled < PATIENCE:
            try:
                self._search()
            except EmptyRegionError:
                stalled = PATIENCE
            for _ in range(DEPTH):
                prices, is_least = self._explore()
                if is_least:
                    break
            self.gradient = self._find_gradient()
            value = self.objective.evaluate(self.at, self.gradient)
            best = max(best, self._bound(prices), self._bound(self.prices.rows))
            if value - best <= AIM * max(value, 1.0):
                break
            mark, stalled = (value - best, 0) if value - best <= mark / 2 else (mark, stalled + 1)
        return Minimum(self.at, value, max(value - best, 0.0), self.products)

    def _search(self) -> None:
        """Take projected gradient steps until the face stays the same."""
        for place in range(SEARCHES):
            scale = self.length * self.scale
            end, self.prices = project(self.region, self.at - scale * self._reduce(), scale, self.prices)
            same = np.array_equal(self.at > self.region.low, end > self.region.low)
            move, curved = self._go(end)
            bend = float((move * curved).sum())
            if bend <= 0:
                break
            self.length = float(np.clip((move * move / self.scale).sum() / bend, 1.0, 1e6))
            if same and place >= 2:
                break

    def _go(self, end: Floats) -> tuple[Floats, Floats]:
        """Go towards a point of the region, to the least objective on the way; return the whole way and its curve."""
        move = end - self.at
        curved = self._curve(move)
        slope, bend = self._slope(move), float((move * curved).sum())
        if slope >= 0:
            return move, np.zeros_like(curved)
        if bend * (1 - 1e-9) <= -slope:
            self.at, self.gradient = end, self.gradient + curved
        else:
            part = -slope / bend
            self.at, self.gradient = self.at + part * move, self.gradient + part * curved
        return move, curved

    def _slope(self, move: Floats) -> float:
        """Return the slope along a way to a point of the region, with the prices taken off the gradient first.

        Sums stay as they are, and so do rows that hold already: there prices change nothing, but save digits.
        """
        rows = self.region.rows
        growth = rows.add_up(move)
        growth[np.abs(growth) <= 2 * self.region.tolerance] = 0.0
        return float((self._reduce() * move).sum()) + float(self.prices.rows @ growth)

    def _reduce(self) -> Floats:
        """Return the gradient without the prices: near the minimum it is near 0 wherever a count is free."""
        return self.gradient + self.prices.cells - self.region.rows.spread(self.prices.rows, len(self.at))

    def _explore(self) -> tuple[Floats, bool]:
        """Minimise on the face of the region that we are on, by conjugate gradients.

        Return the prices of all rows there, and whether its minimum is in the region.
        """
        region, rows = self.region, self.region.rows
        free = region.allowed & (self.at > region.low)
        working = rows.exact | (rows.add_up(self.at) <= rows.targets + region.tolerance)
        enough = ENOUGH_AGAIN if np.array_equal(free, self.free) else ENOUGH
        self.free = free
        face = RowSystem(region, rows.pick(working), self.scale, free, LEAST_DAMPING)
        step, turned = np.zeros_like(self.at), np.zeros_like(self.at)
        steepest, found = face.project(self.gradient)
        direction, left = -steepest, steepest / self.scale
        squared = float((steepest * left).sum())
        noise, most = 1e-28 * float((self.scale * free * self.gradient**2).sum()), 0.0
        for _ in range(CONJUGATE):
            if squared <= noise:
                break
            curved = self._curve(direction)
            bend = float((direction * curved).sum())
            if bend <= 0:
                break
            part = squared / bend
            step, turned = step + part * direction, turned + part * curved
            gain = 0.5 * part * squared
            most = max(most, gain)
            if gain < enough * most:
                break
            steepest, more = face.project(left + part * curved)
            found, left = found + more, steepest / self.scale
            before, squared = squared, float((steepest * left).sum())
            direction = (squared / before) * direction - steepest
        is_least = self._land(step, turned, working)
        prices = np.zeros(len(rows))
        prices[working] = found
        prices[~rows.exact] = np.maximum(prices[~rows.exact], 0.0)
        return prices, is_least

    def _land(self, step: Floats, turned: Floats, working: Bools) -> bool:
        """Take a step along a face as far as it helps, and say whether it was possible to take all of it.

        `turned` is how the step changes the gradient.
        """
        region, rows = self.region, self.region.rows
        growth, spare = rows.add_up(step), rows.add_up(self.at) - rows.targets
        with np.errstate(divide="ignore", invalid="ignore"):
            cells = np.where(step < 0, (region.low - self.at) / step, np.inf).min()
            sums = np.where((growth < 0) & ~working, -np.maximum(spare, 0.0) / growth, np.inf).min(initial=np.inf)
        inside = min(1.0, float(cells), float(sums))
        face = replace(region, allowed=region.allowed & (self.at > region.low))
        promise = -float((step * turned).sum()) / 2 - self._slope(step)
        part = 1.0
        while part > inside:
            try:
                end, _ = project(face, self.at + part * step, self.scale, start_prices(region))
            except EmptyRegionError:
                break
            move = end - self.at
            slope, curved = self._slope(move), self._curve(move)
            gain = -slope - float((move * curved).sum()) / 2
            if gain >= SUFFICIENT * part * (2 - part) * promise:
                self.at, self.gradient = end, self.gradient + curved
                return False
            part *= SHRINK
        self.at = np.maximum(self.at + inside * step, region.low)
        self.gradient = self.gradient + inside * turned
        return inside == 1.0

    def _bound(self, prices: Floats) -> float:
        """Return a number that the objective is nowhere below in the region; any prices will do, good ones best."""
        region, rows = self.region, self.region.rows
        value = self.objective.evaluate(self.at, self.gradient)
        counts = region.count(self.at)
        steep = self.gradient - rows.spread(prices, len(self.at))
        spare = rows.add_up(self.at) - rows.targets
        if region.people is not None:
            least = np.where(region.allowed, steep, np.inf).min(axis=0)
            return value - float(prices @ spare) - float((counts * (steep - least)).sum())
        prices = prices.copy()
        for row in np.flatnonzero(rows.exact):
            members = rows.members[row] > 0
            lowest = float(steep[0, members].min(initial=0.0))
            steep[0, members] -= lowest
            prices[row] += lowest
        ones = np.where(region.allowed, 1.0, 0.0)
        grown = self._curve(ones)
        with np.errstate(divide="ignore", invalid="ignore"):
            needs = np.where(region.allowed & (steep < 0), -steep / np.maximum(grown, 0.0), 0.0)
        needed = float(needs.max(initial=0.0))
        lifted = steep + needed * grown
        if not np.isfinite(needed) or np.any(region.allowed & (grown < 0) & (lifted < 0)):
            return -np.inf
        squares = 0.5 * needed**2 * float((ones * grown).sum())
        return value - float(prices @ spare) - squares - float((counts * lifted).sum())

    def _find_gradient(self) -> Floats:
        self.products += 1
        return self.objective.find_gradient(self.at)

    def _curve(self, direction: Floats) -> Floats:
        self.products += 1
        return self.objective.curve(direction)
