"""The laws of all releases on one grid: tilted, composed, and what lies above the grid."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from discreet.base.grid import Floats
from discreet.privacy.accountant.grid_law import GridLaws, GridReach
from discreet.privacy.accountant.pairs import UNIT, DominatingPair, Releases
from discreet.privacy.accountant.stacking import stack_pairs
from discreet.privacy.accountant.transforms import Powers, Tilted, compose_powers

LawMaker = Callable[[DominatingPair, float, GridReach], GridLaws]


class StackedLaws:
    """Laws on one grid, one row each: row i holds one pair's masses, `counts[i]` times composed."""

    def __init__(self, laws: GridLaws, counts: Floats) -> None:
        self.laws, self.counts, self.losses = laws, counts, laws.losses
        last = laws.masses.shape[1] - 1 - np.argmax(laws.masses[:, ::-1] > 0, axis=1)
        self.top = float(counts @ self.losses[np.arange(len(last)), last])
        with np.errstate(divide="ignore"):
            self._logs = np.log(laws.masses)

    def tilt(self, tilt: float) -> tuple[Floats, Floats]:
        """Return each row's masses times e^(tilt L), normalised, and the log of what they were divided by."""
        exponent = self.losses * tilt
        exponent += self._logs
        peak = exponent.max(axis=1)
        exponent -= np.where(np.isfinite(peak), peak, 0.0)[:, None]
        weights = np.exp(exponent, out=exponent)
        totals = weights.sum(axis=1)
        weights /= np.maximum(totals, 1e-320)[:, None]
        with np.errstate(divide="ignore"):
            return weights, peak + np.log(totals)

    def find_cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return these laws' part of the log moment generating function at `tilt` and of its two derivatives."""
        weights, logs = self.tilt(tilt)
        means = np.einsum("ij,ij->i", weights, self.losses)
        squares = np.einsum("ij,ij,ij->i", weights, self.losses, self.losses)
        spread = np.maximum(squares - means**2, self.laws.step**2 / 16)
        return float(self.counts @ logs), float(self.counts @ means), float(self.counts @ spread)

    def find_lower_cumulant(self, theta: float, top: float) -> float:
        """Bound these laws' part of ln E_Q[e^(-theta min(L, top))] from above, leaving out what is below the grid."""
        _, logs = self.tilt(-(theta + 1))
        with np.errstate(divide="ignore"):
            above = np.log(self.laws.beyond_q * (1 + 1e-6) * math.exp(-theta * top) + self.laws.infinite)
        return float(self.counts @ np.logaddexp(logs, above))

    def list_powers(self, tilt: float) -> Powers:
        """Return each row, tilted, with how often it occurs."""
        weights, logs = self.tilt(tilt)
        powers: Powers = []
        for row, first, count, log in zip(weights, self.laws.firsts, self.counts, logs, strict=True):
            used = np.flatnonzero(row)
            part = row[used[0] : used[-1] + 1]
            start = int(first) + int(used[0])
            reach = self.laws.step * max(abs(start), abs(start + len(part)))
            doubt = 4 * UNIT * (4 + tilt * reach + abs(log))
            powers.append((Tilted(start, part, float(log), relative=doubt), int(count)))
        return powers


class ComposedLaws:
    """The laws of all releases on one grid."""

    def __init__(self, releases: Releases, step: float, reach: GridReach, maker: LawMaker) -> None:
        groups = stack_pairs([pair for pair, _ in releases])
        self.step, self.reach = step, reach
        self.blocks = [
            StackedLaws(maker(pair, step, reach), np.array([releases[index][1] for index in members], dtype=np.float64))
            for members, pair in groups
        ]
        self.count = sum(count for _, count in releases)
        self.offset = self._add_up(lambda laws: laws.offset)
        self.shift = self._add_up(lambda laws: laws.shift)
        self.top = sum(block.top for block in self.blocks)
        self.below_lack = self._add_up(lambda laws: laws.below_lack)
        """A bound on E_Q[1 - e^L'] for the sum L' of the losses that lie below their grid, none of them positive."""
        self.infinite = -math.expm1(self._add_up(lambda laws: np.log1p(-np.minimum(laws.infinite, 1 - UNIT))))
        """The P-mass of all outcomes where some release has infinite loss."""
        log_q = self._add_up(lambda laws: np.log1p(-np.minimum(laws.beyond_q, 1 - UNIT)))
        log_ratio = self._add_up(
            lambda laws: np.log1p(-np.minimum(laws.beyond_excess / np.maximum(1 - laws.beyond_q, UNIT), 1 - UNIT))
        )
        self.beyond_q = -math.expm1(log_q)
        """The Q-mass of all outcomes where some release lies above the top of its grid."""
        self.beyond_excess = math.exp(log_q) * -math.expm1(log_ratio)
        """Their P-mass minus that Q-mass."""

    def find_cumulants(self, tilt: float) -> tuple[float, float, float]:
        """Return the total loss's log moment generating function at `tilt`, its slope and its second derivative."""
        found = [block.find_cumulants(tilt) for block in self.blocks]
        return sum(value for value, _, _ in found), sum(mean for _, mean, _ in found), sum(bend for _, _, bend in found)

    def compose(self, tilt: float) -> Tilted:
        """Compose all laws under a tilt.

        Where a release has no mass on its grid, all of it lies beyond, or is infinite: no outcome of all is on theirs.
        """
        if not all(block.laws.masses.any(axis=1).all() for block in self.blocks):
            return Tilted(0, np.zeros(1), 0.0)
        return compose_powers([power for block in self.blocks for power in block.list_powers(tilt)])

    def find_lower_tail(self, scale: float) -> list[tuple[float, float]]:
        """Return (theta, c), some near this scale: E_Q[(1 - e^(S - d))+] <= e^(c + theta d) for every real d, where

        S is the sum of all releases but one that lies above its grid, and none lies below it. With w the largest value
        of (1 - e^-y) e^(-theta y), c is ln w plus the sum of ln E_Q[e^(-theta min(L, top))] over all releases. The one
        left out only makes it larger: by Jensen's inequality its part is not negative.
        """
        thetas = [scale * 3.0**power for power in range(-3, 4)]
        top = min(self.reach.top, 1e300)
        found = []
        for theta in thetas:
            value = sum(block.find_lower_cumulant(theta, top) for block in self.blocks)
            if math.isfinite(value):
                found.append((theta, value + find_log_largest_weight(theta)))
        return found

    def _add_up(self, part: Callable[[GridLaws], Floats]) -> float:
        return math.fsum(float(block.counts @ part(block.laws)) for block in self.blocks)


def find_log_largest_weight(tilt: float) -> float:
    """Return ln of the largest value of (1 - e^-y) e^(-tilt y) over y >= 0, which is t^t / (t + 1)^(t + 1)."""
    return -tilt * math.log1p(1 / tilt) - math.log1p(tilt)
