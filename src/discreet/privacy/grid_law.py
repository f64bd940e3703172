"""Losses put on a grid: one law that dominates them (pessimistic) and one that they dominate (optimistic).

Masses are P-masses of L at the multiples of the step. Every float error moves mass to the safe side. Pairs of one
family are handled together, one row each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.privacy.pairs import ATOM_ERROR, ERROR, SAMPLED_ERROR, UNIT, Floats, Pair

BULK = 0.01
"""A cell with more of the mass than this has the grid moved so that nothing of it is lost in rounding."""

ATTEMPTS = 12
"""How often cells are moved, for pairs on their own."""

TINY = 1e-6
"""The part of a step by which a cell's loss may lie below its point and still count as on it: part of `offset`."""


@dataclass(frozen=True, eq=False)
class GridLaws:
    """Masses at shift + first * step, shift + (first + 1) * step, ..., and a mass at infinity: one row a law."""

    step: float
    firsts: NDArray[np.int64]
    masses: Floats
    infinite: Floats
    offset: Floats
    """How far losses may lie from their grid points on the unsafe side, by round-off: below where it is positive."""
    shift: Floats

    @property
    def losses(self) -> Floats:
        """The losses that the masses lie at."""
        return self.shift[:, None] + self.step * (self.firsts[:, None] + np.arange(self.masses.shape[1]))


def span(pair: Pair, tail: float) -> tuple[float, float]:
    """Return an interval that all of L but a P-mass of `tail` on either side lies in, in every row."""
    low, high = pair.low, pair.high
    if pair.above is not None and pair.below is not None:
        above, below = pair.above, pair.below
        high = _first_below(lambda x: float(above(np.array([x]))[0].max()), tail, high)
        low = -_first_below(lambda x: float(below(np.array([-x]))[0].max()), tail, -low)
    if pair.atoms.size:
        inside = pair.above is not None
        low = min(low, float(pair.atoms.min())) if inside else float(pair.atoms.min())
        high = max(high, float(pair.atoms.max())) if inside else float(pair.atoms.max())
    return low, high


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


def _points(step: float, first: int, last: int) -> Floats:
    points: Floats = step * np.arange(first, last + 1, dtype=np.float64)
    return points


def pessimistic(pair: Pair, step: float, tail: float) -> GridLaws:
    """Connect the dots (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022).

    Mass between two grid points is split between them so that its P- and its Q-mass stay the same: a spread of the
    likelihood ratio that keeps its mean, which only raises the (convex) privacy curve. The upper tail goes to infinity,
    the lower one up to the first point.
    """
    low, high = span(pair, tail)
    first, last = math.floor(low / step), math.ceil(high / step) + 1
    points = _points(step, first, last)
    masses = np.zeros((pair.rows, len(points)))
    infinite = np.full(pair.rows, pair.infinite)
    share = -math.expm1(-step)
    if pair.above is not None and pair.below is not None:
        p, q, error_p, error_q = pair.cells(points)
        tilt = np.exp(np.minimum(points[:-1], 700.0))
        later = (p - q * tilt + error_p + (error_q + q * 4 * UNIT) * tilt) / share
        later = np.where(points[:-1] > 700, p + error_p, np.clip(later, 0.0, p + error_p))  # there e^x leaves floats
        masses[:, 1:] += later
        masses[:, :-1] += p + error_p - later
        masses[:, :1] += pair.below(points[:1])[0] * (1 + SAMPLED_ERROR)
        infinite += (pair.above(points[-1:])[0] * (1 + SAMPLED_ERROR)).reshape(-1)
    if pair.atoms.size:
        place = np.clip(np.floor(pair.atoms / step * (1 + 4 * UNIT)).astype(np.int64) - first, 0, len(points) - 2)
        off = pair.atoms - points[place]
        doubt = 4 * UNIT * np.abs(pair.atoms)
        later = np.clip(-np.expm1(-off) / share * (1 + 8 * UNIT) + doubt / step, 0.0, 1.0)
        later = np.where(np.abs(off) <= 4 * doubt, 0.0, later)  # on the grid, but for round-off: see `offset`
        _put(masses, place + 1, pair.masses * (1 + ATOM_ERROR) * later)
        _put(masses, place, pair.masses * (1 + ATOM_ERROR) * (1 - later))
    offset = np.full(pair.rows, -24 * UNIT * float(np.max(np.abs(points))))
    return GridLaws(step, np.full(pair.rows, first), masses, infinite, offset, np.zeros(pair.rows))


def _put(masses: Floats, place: NDArray[np.int64], added: Floats) -> None:
    """Add to each row's masses at its places."""
    rows, size = masses.shape
    flat = (place.reshape(rows, -1) + size * np.arange(rows)[:, None]).ravel()
    masses += np.bincount(flat, weights=added.ravel(), minlength=masses.size).reshape(rows, size)


def optimistic(pair: Pair, step: float, tail: float) -> GridLaws:
    """Forget where in a cell the loss lies, and round what is left down.

    Telling only the cell is post-processing, which lowers the curve; its loss ln(P(cell) / Q(cell)) is then rounded
    down to the grid. Cells reach about half a step to either side of their point, moved so that hardly anything is
    lost in the rounding: by the mean of their neighbours' excess, then up where the cell's loss is still below its
    point. Atoms off the grid lose up to a step; so a slightly smaller pair of the same family with its atoms on the
    grid stands in where there is one, else the grid is moved to where the heaviest atom or cell lies, and many atoms
    to a step are treated like a density.
    """
    pair = pair.gathered(step).snapped(step)
    low, high = span(pair, tail)
    first, last = math.floor(low / step) - 1, math.ceil(high / step) + 1
    points = _points(step, first, last)
    shift = _atom_shift(pair, step)
    masses = np.zeros((pair.rows, len(points)))
    slack = 16 * UNIT * (float(np.max(np.abs(points))) + step) if pair.above is None else TINY * step
    if pair.above is not None and pair.below is not None:
        losses, kept, end, shift = _cells(pair, points, step, shift)
        place = np.floor((losses + slack - shift) / step).astype(np.int64) - first
        _put(masses, np.clip(place, 0, len(points) - 1), np.where(place >= 0, kept, 0.0))
        rest = min(math.floor((end - shift) / step) - first, len(points) - 1)
        masses[:, rest : rest + 1] += pair.above(np.array([end]))[0].reshape(-1, 1) * (1 - SAMPLED_ERROR)
    if pair.atoms.size:
        place = np.floor((pair.atoms + slack - shift) / step).astype(np.int64) - first
        _put(masses, np.clip(place, 0, len(points) - 1), np.where(place >= 0, pair.masses * (1 - ATOM_ERROR), 0.0))
    offset = slack + 8 * UNIT * float(np.max(np.abs(points)) + abs(shift))
    every = np.ones(pair.rows)
    return GridLaws(
        step, np.full(pair.rows, first), masses, pair.infinite * (1 - ERROR) * every, offset * every, shift * every
    )


def _atom_shift(pair: Pair, step: float) -> float:
    """Return how far to move the grid so that the heaviest atom lies on it."""
    if pair.rows > 1 or not pair.atoms.size or pair.masses.max() < BULK:
        return 0.0
    at = float(pair.atoms[0, np.argmax(pair.masses[0])])
    return at - step * round(at / step)


def _cells(pair: Pair, points: Floats, step: float, shift: float) -> tuple[Floats, Floats, float, float]:
    """Return a lower bound on each cell's loss and on its mass, where the last cell ends, and the grid's shift.

    Any cells would do; these are moved a few times, and those that lose least in rounding are kept.
    """
    bounds = np.append(points - step / 2, points[-1] + step / 2) + shift
    best, least = (points[None, :], np.zeros((pair.rows, len(points))), float(bounds[-1]), shift), math.inf
    slack, grain = TINY * step, pair.grain
    for attempt in range(ATTEMPTS if pair.rows == 1 else 1):
        p, q, error_p, error_q = pair.cells(bounds)
        with np.errstate(divide="ignore", invalid="ignore"):
            doubt = error_p / p + error_q / q + 4 * UNIT * (1 + np.abs(points))
            losses = np.log(p / q) - doubt
        sound = (p > 0) & (q > 0) & (doubt < 0.1)
        losses = np.where(sound, losses, points + shift)
        kept = np.where(sound, np.maximum(p - error_p, 0.0), 0.0)
        anchor = _anchor(pair, bounds, p)
        if anchor is not None and sound[0, anchor]:
            shift = float(losses[0, anchor] - points[anchor])
        excess = losses - points - shift
        lost = float(np.sum(kept * (excess - step * np.floor(excess / step + TINY))))
        if lost < least:
            best, least = (losses, kept, float(bounds[-1]), shift), lost
        inner = np.where((bounds[:-1] > pair.low) & (bounds[1:] < pair.high), excess, 0.0)
        if np.abs(inner).max() <= slack and (anchor is not None or excess.min() >= -slack):
            break
        if attempt % 6 < 3:
            mean = inner.mean(axis=0)
            moves = -0.5 * (np.append(mean, mean[-1]) + np.append(mean[0], mean))
        else:
            lack = np.where(excess < -slack, 2 * np.abs(excess) + doubt + grain, 0.0).max(axis=0, initial=0.0)
            moves = np.maximum(np.append(lack, 0.0), np.append(0.0, lack))
        bounds = np.maximum.accumulate(bounds + np.clip(np.nan_to_num(moves), -step / 4, step / 4))
    return best


def _anchor(pair: Pair, bounds: Floats, masses: Floats) -> int | None:
    """Return the cell that the grid is moved for: one at the end of the support cannot be moved on both sides."""
    if pair.rows > 1:
        return None
    ends = np.where((bounds[:-1] <= pair.low) | (bounds[1:] >= pair.high), masses[0], 0.0)
    cell = int(np.argmax(ends if ends.max() > BULK else masses[0]))
    return cell if masses[0, cell] > max(BULK, float(pair.masses.max(initial=0.0))) else None
