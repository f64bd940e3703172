"""Losses put on a grid: one law that dominates them (pessimistic) and one that they dominate (optimistic).

Masses are P-masses of L at the multiples of the step. What lies above the grid is kept as two numbers, its Q-mass and
how much more P-mass it has. Every float error moves mass to the safe side. Pairs of one family are handled together,
one row each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.privacy.accountant.binned_atoms import bin_atoms
from discreet.privacy.accountant.pairs import ATOM_ERROR, ERROR, SAMPLED_ERROR, UNIT, DominatingPair

BULK = 0.01
"""A cell with more of the mass than this has the grid moved so that nothing of it is lost in rounding."""

ATTEMPTS = 12
"""How often cells are moved at most, for pairs on their own."""

SHIFTS = 3
"""How often in a row they are moved by the mean of their neighbours' excess, and how often up."""

TINY = 1e-6
"""The part of a step by which a cell's loss may always lie below its point and still count as on it."""


@dataclass(frozen=True)
class GridReach:
    """Which losses a grid holds: all but a P-mass of `tail` on either side, and none outside [bottom, top]."""

    tail: float
    bottom: float = -math.inf
    top: float = math.inf

    def find_ends(self, pair: DominatingPair) -> tuple[float, float, bool]:
        """Return the interval of losses that the grid of this pair must hold, and whether `top` cuts it off."""
        low, high = find_span(pair, self.tail)
        return max(min(low, 0.0), self.bottom), min(max(high, 0.0), self.top), high > self.top


@dataclass(frozen=True, eq=False)
class GridLaws:
    """Masses at shift + first * step, shift + (first + 1) * step, ..., and what lies above: one row a law."""

    step: float
    firsts: NDArray[np.int64]
    masses: Floats
    infinite: Floats
    """The P-mass that counts as infinite loss: the least part of it, and the tails, lie where Q has mass too."""
    beyond_q: Floats
    """The Q-mass above the top: rounded down in a pessimistic law, up in an optimistic one."""
    beyond_excess: Floats
    """The P-mass above the top minus that Q-mass, rounded the other way."""
    below_lack: Floats
    """The Q-mass below the grid minus its P-mass, rounded up."""
    offset: Floats
    """How far losses may lie from their grid points on the unsafe side, by round-off: below where it is positive."""
    shift: Floats

    @property
    def losses(self) -> Floats:
        """The losses that the masses lie at."""
        return self.shift[:, None] + self.step * (self.firsts[:, None] + np.arange(self.masses.shape[1]))


def find_span(pair: DominatingPair, tail: float) -> tuple[float, float]:
    """Return an interval that all of L but a P-mass of `tail` on either side lies in, in every row."""
    found = pair.spans.get(tail) or _search_span(pair, tail)
    if tail not in pair.spans:
        pair.spans.clear()
        pair.spans[tail] = found
    return found


def _search_span(pair: DominatingPair, tail: float) -> tuple[float, float]:
    low, high = pair.low, pair.high
    if pair.above is not None and pair.below is not None:
        above, below = pair.above, pair.below
        high = _find_first_below(lambda x: float(above(np.array([x])).p.max()), tail, high)
        low = -_find_first_below(lambda x: float(below(np.array([-x])).p.max()), tail, -low)
    if pair.atoms.size:
        inside = pair.above is not None
        least, greatest = _find_atom_span(pair, tail)
        low, high = (min(low, least), max(high, greatest)) if inside else (least, greatest)
    return low, high


def _find_atom_span(pair: DominatingPair, tail: float) -> tuple[float, float]:
    """Return the least and the greatest atom, those left out that together have no more mass than `tail`."""
    if pair.rows > 1 or pair.atoms.shape[1] < 3:
        return float(pair.atoms.min()), float(pair.atoms.max())
    order = np.argsort(pair.atoms[0])
    atoms, masses = pair.atoms[0, order], pair.masses[0, order]
    low = int(np.searchsorted(np.cumsum(masses), tail, side="right"))
    high = len(atoms) - 1 - int(np.searchsorted(np.cumsum(masses[::-1]), tail, side="right"))
    return (float(atoms[low]), float(atoms[high])) if low <= high else (float(atoms[0]), float(atoms[-1]))


def _find_first_below(tail_at: Callable[[float], float], tail: float, end: float) -> float:
    """Return a point, to a part in a thousand, beyond which the tail is at most `tail` (or the end of the support).

    Losses may be of any size: the search starts from the least of them.
    """
    if math.isfinite(end):
        return end
    high = 1e-16
    while tail_at(high) > tail:
        high *= 4
    low = high / 4
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if tail_at(middle) > tail else (low, middle)
    return high


def _make_points(step: float, first: int, last: int) -> Floats:
    points: Floats = step * np.arange(first, last + 1, dtype=np.float64)
    return points


def make_pessimistic(pair: DominatingPair, step: float, reach: GridReach) -> GridLaws:
    """Connect the dots (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022).

    Mass between two grid points is split between them so that its P- and its Q-mass stay the same: a spread of the
    likelihood ratio that keeps its mean, which only raises the (convex) privacy curve. What lies below the grid goes up
    to its first point; what lies above keeps its P- and Q-mass where the top of the reach cut it off, and else,
    being no more than a tail, counts as infinite.
    """
    low, high, cut = reach.find_ends(pair)
    first, last = math.floor(low / step), math.ceil(high / step) + 1
    points = _make_points(step, first, last)
    masses = np.zeros((pair.rows, len(points)))
    infinite = np.full(pair.rows, pair.infinite)
    beyond_q, excess, lack = np.zeros((3, pair.rows))
    share = -math.expm1(-step)
    if pair.above is not None and pair.below is not None:
        cells = pair.measure_cells(points)
        grown = np.expm1(np.minimum(points[:-1], 700.0))
        gain = cells.excess - cells.q * grown + cells.error_excess + cells.error_q * np.abs(grown)
        gain += 4 * UNIT * (np.abs(cells.excess) + cells.q * np.abs(grown))
        whole = cells.p + cells.error_p
        later = np.where(points[:-1] > 700, whole, np.clip(gain / share, 0.0, whole))  # there e^x leaves floats
        masses[:, 1:] += later
        masses[:, :-1] += whole - later
        under, over = pair.measure_below(float(points[0])), pair.measure_above(float(points[-1]))
        masses[:, 0] += under.p * (1 + SAMPLED_ERROR)
        lack += np.maximum(-under.excess, 0.0) * (1 + 4 * UNIT) + under.error_excess
        if cut:
            beyond_q += np.maximum(over.q - over.error_q, 0.0)
            excess += np.maximum(over.excess, 0.0) * (1 + 4 * UNIT) + over.error_excess
        else:
            infinite += over.p * (1 + SAMPLED_ERROR)
    if pair.atoms.size:
        above, lower = pair.atoms > points[-1] + 8 * UNIT * abs(points[-1]), pair.atoms < points[0]
        q, more = _measure_atoms(pair, above)
        if cut:
            beyond_q += q * (1 - 2 * ATOM_ERROR)
            excess += more * (1 + 2 * ATOM_ERROR)
        else:
            infinite += (q + more) * (1 + 2 * ATOM_ERROR)
        lack += np.maximum(-_measure_atoms(pair, lower)[1], 0.0) * (1 + 2 * ATOM_ERROR)
        place = np.clip(np.floor(pair.atoms / step * (1 + 4 * UNIT)).astype(np.int64) - first, 0, len(points) - 2)
        off = pair.atoms - points[place]
        doubt = 4 * UNIT * np.abs(pair.atoms)
        later = np.clip(-np.expm1(-off) / share * (1 + 8 * UNIT) + doubt / step, 0.0, 1.0)
        later = np.where(np.abs(off) <= 4 * doubt, 0.0, later)  # on the grid, but for round-off: see `offset`
        held = np.where(above, 0.0, pair.masses * (1 + ATOM_ERROR))
        _put(masses, place + 1, held * later)
        _put(masses, place, held * (1 - later))
    offset = np.full(pair.rows, -24 * UNIT * float(np.max(np.abs(points))) - pair.doubt)
    firsts = np.full(pair.rows, first)
    return GridLaws(step, firsts, masses, infinite, beyond_q, excess, lack, offset, np.zeros(pair.rows))


def _measure_atoms(pair: DominatingPair, chosen: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the Q-mass of the chosen atoms, and how much more P-mass they have, for each row."""
    losses, masses = np.where(chosen, pair.atoms, 0.0), np.where(chosen, pair.masses, 0.0)
    with np.errstate(over="ignore"):
        return (masses * np.exp(-losses)).sum(axis=1), (masses * -np.expm1(-losses)).sum(axis=1)


def _put(masses: Floats, place: NDArray[np.int64], added: Floats) -> None:
    """Add to each row's masses at its places."""
    rows, size = masses.shape
    flat = (place.reshape(rows, -1) + size * np.arange(rows)[:, None]).ravel()
    masses += np.bincount(flat, weights=added.ravel(), minlength=masses.size).reshape(rows, size)


def make_optimistic(pair: DominatingPair, step: float, reach: GridReach) -> GridLaws:
    """Forget where in a cell the loss lies, and round what is left down.

    Telling only the cell is post-processing, which lowers the curve; its loss ln(P(cell) / Q(cell)) is then rounded
    down to the grid. Cells reach about half a step to either side of their point, moved so that hardly anything is
    lost in the rounding: by the mean of their neighbours' excess, then up where the cell's loss is still below its
    point. Atoms off the grid lose up to a step; so a slightly smaller pair of the same family with its atoms on the
    grid stands in where there is one, else the grid is moved to where the heaviest atom or cell lies, and many atoms
    to a step are treated like a density.
    """
    pair = bin_atoms(pair, step).snap_to_grid(step)
    low, high, _ = reach.find_ends(pair)
    first, last = math.floor(low / step) - 1, math.ceil(high / step) + 1
    points = _make_points(step, first, last)
    shift = _find_atom_shift(pair, step)
    masses = np.zeros((pair.rows, len(points)))
    beyond_q, excess = np.zeros((2, pair.rows))
    slack = 16 * UNIT * (float(np.max(np.abs(points))) + step) if pair.above is None else _choose_slack(pair, step)
    end = float(points[-1]) + step / 2
    if pair.above is not None and pair.below is not None:
        losses, kept, end, shift = _merge_cells(pair, points, step, shift)
        place = np.floor((losses + slack - shift) / step).astype(np.int64) - first
        _put(masses, np.clip(place, 0, len(points) - 1), np.where(place >= 0, kept, 0.0))
        over = pair.measure_above(end)
        beyond_q += over.q + over.error_q
        excess += np.maximum(over.excess - over.error_excess, 0.0)
    if pair.atoms.size:
        above = pair.atoms > end
        q, more = _measure_atoms(pair, above)
        beyond_q += q * (1 + 2 * ATOM_ERROR)
        excess += np.maximum(more, 0.0) * (1 - 2 * ATOM_ERROR)
        place = np.floor((pair.atoms + slack - shift) / step).astype(np.int64) - first
        kept = np.where((place >= 0) & ~above, pair.masses * (1 - ATOM_ERROR), 0.0)
        _put(masses, np.clip(place, 0, len(points) - 1), kept)
    offset = slack + 8 * UNIT * float(np.max(np.abs(points)) + abs(shift)) + pair.doubt
    every = np.ones(pair.rows)
    firsts = np.full(pair.rows, first)
    infinite = pair.infinite * (1 - ERROR) * every
    return GridLaws(step, firsts, masses, infinite, beyond_q, excess, 0 * every, offset * every, shift * every)


def _choose_slack(pair: DominatingPair, step: float) -> float:
    """Return how far a cell's loss may lie below its point and still count as on it: part of `offset`.

    Cells of many atoms end between two of them, so their losses cannot be had closer than that.
    """
    return TINY * step + (pair.grain if pair.grain < step / 8 else 0.0)


def _find_atom_shift(pair: DominatingPair, step: float) -> float:
    """Return how far to move the grid so that the heaviest atom lies on it."""
    if pair.rows > 1 or not pair.atoms.size or pair.masses.max() < BULK:
        return 0.0
    at = float(pair.atoms[0, np.argmax(pair.masses[0])])
    return at - step * round(at / step)


def _merge_cells(
    pair: DominatingPair, points: Floats, step: float, shift: float
) -> tuple[Floats, Floats, float, float]:
    """Return a lower bound on each cell's loss and on its mass, where the last cell ends, and the grid's shift.

    Any cells would do; these are moved a few times, and those that lose least in rounding are kept.
    """
    bounds = np.append(points - step / 2, points[-1] + step / 2) + shift
    best, least = (points[None, :], np.zeros((pair.rows, len(points))), float(bounds[-1]), shift), math.inf
    slack, grain = _choose_slack(pair, step), pair.grain
    for attempt in range(ATTEMPTS if pair.rows == 1 else 1):
        p, q, excess, error_p, error_q, error_excess = pair.measure_cells(bounds)
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = np.log1p(np.maximum(excess / q, -1.0))
            doubt = error_excess / p + np.abs(excess) / p * (error_q / q) + 8 * UNIT * (np.abs(losses) + np.abs(points))
            losses = losses - doubt
        sound = (p > 0) & (q > 0) & (doubt < 0.1) & np.isfinite(losses)
        losses = np.where(sound, losses, points + shift)
        kept = np.where(sound, np.maximum(p - error_p, 0.0), 0.0)
        anchor = _find_anchor(pair, bounds, p)
        if anchor is not None and sound[0, anchor]:
            shift = float(losses[0, anchor] - points[anchor])
        off = losses - points - shift
        lost = float(np.sum(kept * (off - step * np.floor((off + slack) / step))))
        if lost < least:
            best, least = (losses, kept, float(bounds[-1]), shift), lost
        inner = np.where((bounds[:-1] > pair.low) & (bounds[1:] < pair.high), off, 0.0)
        whole = off.min() >= -slack
        if (np.abs(inner).max() <= slack and (anchor is not None or whole)) or (whole and attempt > SHIFTS):
            break
        if attempt % (2 * SHIFTS) < SHIFTS:
            mean = inner.mean(axis=0)
            moves = -0.5 * (np.append(mean, mean[-1]) + np.append(mean[0], mean))
        else:
            lack = np.where(off < -slack, 2 * np.abs(off) + doubt + grain, 0.0).max(axis=0, initial=0.0)
            moves = np.maximum(np.append(lack, 0.0), np.append(0.0, lack))
        bounds = np.maximum.accumulate(bounds + np.clip(np.nan_to_num(moves), -step / 4, step / 4))
    return best


def _find_anchor(pair: DominatingPair, bounds: Floats, masses: Floats) -> int | None:
    """Return the cell that the grid is moved for: one at the end of the support cannot be moved on both sides."""
    if pair.rows > 1:
        return None
    ends = np.where((bounds[:-1] <= pair.low) | (bounds[1:] >= pair.high), masses[0], 0.0)
    cell = int(np.argmax(ends if ends.max() > BULK else masses[0]))
    return cell if masses[0, cell] > max(BULK, float(pair.masses.max(initial=0.0))) else None
