"""A pair's loss put on a grid: one law that dominates it (pessimistic) and one that it dominates (optimistic).

Masses are P-masses of L at the multiples of the step. Every float error moves mass to the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.privacy.pairs import ERROR, SAMPLED_ERROR, UNIT, Floats, Pair


@dataclass(frozen=True, eq=False)
class GridLaw:
    """Masses at first * step, (first + 1) * step, ..., and a mass at infinity."""

    step: float
    first: int
    masses: Floats
    infinite: float
    offset: float = 0.0
    """How far losses may lie from their grid points on the unsafe side, by round-off: below where it is positive."""

    @property
    def losses(self) -> Floats:
        """The losses that the masses lie at."""
        return _points(self.step, self.first, self.first + len(self.masses) - 1)


def _points(step: float, first: int, last: int) -> Floats:
    points: Floats = step * np.arange(first, last + 1, dtype=np.float64)
    return points


def span(pair: Pair, tail: float) -> tuple[float, float]:
    """Return an interval that all of L but a P-mass of `tail` on either side lies in."""
    low, high = pair.low, pair.high
    if pair.above is not None and pair.below is not None:
        above, below = pair.above, pair.below
        high = _first_below(lambda x: float(above(np.array([x]))[0][0]), tail, high)
        low = -_first_below(lambda x: float(below(np.array([-x]))[0][0]), tail, -low)
    if len(pair.atoms):
        inside = pair.above is not None
        low = min(low, float(pair.atoms.min())) if inside else float(pair.atoms.min())
        high = max(high, float(pair.atoms.max())) if inside else float(pair.atoms.max())
    return low, high


def _off_grid(pair: Pair, step: float) -> bool:
    """Say whether the pair has atoms that do not lie on the grid."""
    ratios = pair.atoms / step
    return bool(np.any(np.abs(ratios - np.rint(ratios)) > 1e-6))


def _first_below(tail_at: Callable[[float], float], tail: float, end: float) -> float:
    """Return a point, to a part in a thousand, beyond which the tail is at most `tail` (or the end of the support)."""
    if math.isfinite(end):
        return end
    high = 1e-12
    while tail_at(high) > tail:
        high *= 2
    low = high / 2
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if tail_at(middle) > tail else (low, middle)
    return high


def pessimistic(pair: Pair, step: float, tail: float) -> GridLaw:
    """Connect the dots (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022).

    Mass between two grid points is split between them so that its P- and its Q-mass stay the same: a spread of the
    likelihood ratio that keeps its mean, which only raises the (convex) privacy curve. The upper tail goes to infinity,
    the lower one up to the first point.
    """
    low, high = span(pair, tail)
    first, last = math.floor(low / step), math.ceil(high / step) + 1
    points = _points(step, first, last)
    masses = np.zeros(len(points))
    infinite = pair.infinite
    share = -math.expm1(-step)
    if pair.above is not None and pair.below is not None:
        p, q, error_p, error_q = pair.cells(points)
        tilt = np.exp(np.minimum(points[:-1], 700.0))
        later = (p - q * tilt + error_p + (error_q + q * 4 * UNIT) * tilt) / share
        later = np.where(points[:-1] > 700, p + error_p, np.clip(later, 0.0, p + error_p))  # there e^x leaves floats
        masses[1:] += later
        masses[:-1] += p + error_p - later
        masses[0] += float(pair.below(points[:1])[0][0]) * (1 + SAMPLED_ERROR)
        infinite += float(pair.above(points[-1:])[0][0]) * (1 + SAMPLED_ERROR)
    if len(pair.atoms):
        place = np.clip(np.floor(pair.atoms / step).astype(np.int64) - first, 0, len(points) - 2)
        off = pair.atoms - points[place]
        later = np.clip(-np.expm1(-off) / share * (1 + 8 * UNIT) + 4 * UNIT * np.abs(pair.atoms) / step, 0.0, 1.0)
        np.add.at(masses, place + 1, pair.masses * (1 + ERROR) * later)
        np.add.at(masses, place, pair.masses * (1 + ERROR) * (1 - later))
    return GridLaw(step, first, masses, infinite, -4 * UNIT * float(np.max(np.abs(points))))


def optimistic(pair: Pair, step: float, tail: float) -> GridLaw:
    """Forget where in a cell the loss lies, and round what is left down.

    Telling only the cell is post-processing, which lowers the curve; its loss ln(P(cell) / Q(cell)) is then rounded
    down to the grid. Cells reach about half a step to either side of their point, moved so that hardly anything is
    lost in the rounding: by the mean of their neighbours' excess, then up where the cell's loss is still below its
    point.
    """
    low, high = span(pair, tail)
    first, last = math.floor(low / step), math.ceil(high / step)
    points = _points(step, first, last)
    masses = np.zeros(len(points))
    offset = 4 * UNIT * float(np.max(np.abs(points)))
    if pair.above is not None and pair.below is not None:
        bounds = np.append(points - step / 2, points[-1] + step / 2)
        smoothing, attempts = (0, 1) if _off_grid(pair, step) else (3, 8)  # there atoms lose more than cells can save
        for attempt in range(attempts):
            p, q, error_p, error_q = pair.cells(bounds)
            with np.errstate(divide="ignore", invalid="ignore"):
                doubt = error_p / p + error_q / q + 4 * UNIT * (1 + np.abs(points))
                excess = np.log(p / q) - points - doubt
            sound = (p > 0) & (q > 0) & (doubt < 0.1)
            excess = np.where(sound, excess, 0.0)
            if attempt >= smoothing and excess.min() >= 0:
                break
            if attempt < smoothing:
                inner = np.where((bounds[:-1] > pair.low) & (bounds[1:] < pair.high), excess, 0.0)
                bounds -= 0.5 * (np.append(inner, inner[-1]) + np.append(inner[0], inner))
            else:
                lack = np.where(excess < 0, 2 * np.abs(excess) + doubt, 0.0)
                bounds += np.maximum(np.append(lack, 0.0), np.append(0.0, lack))
        kept = np.where(sound, np.maximum(p - error_p, 0.0), 0.0)
        held = excess >= 0
        masses += np.where(held, kept, 0.0)
        masses[:-1] += np.where(held, 0.0, kept)[1:]  # a cell begins above the point before its own
        masses[-1] += float(pair.above(bounds[-1:])[0][0]) * (1 - SAMPLED_ERROR)
    if len(pair.atoms):
        place = np.floor(pair.atoms / step + 2.0**-30).astype(
            np.int64
        )  # atoms of a lattice are on the grid, but for round-off
        offset += max(0.0, float(np.max(step * place - pair.atoms))) * (1 + ERROR) + 4 * UNIT * float(
            np.max(np.abs(pair.atoms))
        )
        inside = place >= first
        np.add.at(masses, np.clip(place - first, 0, len(points) - 1)[inside], pair.masses[inside] * (1 - ERROR))
    return GridLaw(step, first, masses, pair.infinite * (1 - ERROR), offset)
