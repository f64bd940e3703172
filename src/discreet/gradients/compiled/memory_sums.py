"""Who samples the units, adds up their integers and adds the noise: here from arrays in memory.

`NoisySums` is the seam between an optimiser and private rows. What crosses it is public: the parameters one way, sums
with noise the other. A desk can stand in for `MemorySums` without a change to the training loop.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.gradients.compiled.unit_sums import Move, PhysicalBatch, UnitSums
from discreet.gradients.compiled.whole_steps import WholeSteps
from discreet.noise import bernoulli, rounded_gaussian
from discreet.noise.device.frame import jax_modules, wide
from discreet.noise.device.gaussian import PendingDraws, begin_rounded_gaussian

RowPlaces = NDArray[np.int64]

MOST_AHEAD = 1 << 24
"""Draws made ahead, of sixteen bytes each."""


class NoisySums(ABC):
    """Makes the releases of a schedule, one for each step, in whole steps of a grid."""

    grid: WholeSteps
    """What one whole step is."""

    @abstractmethod
    def release(self, parameters: Any) -> Any:
        """Return noisy sums of integers in one line, leaf after leaf: a fresh sample and fresh noise each time."""

    def advance(self, move: Move, state: Any) -> Any:
        """Return move(state, a release at the parameters, which the state has first)."""
        noisy = self.release(state[0])
        with wide():
            return move(state, noisy)


@dataclass(frozen=True, slots=True)
class RowsOfUnits:
    """Rows in memory with the places of each unit's kept rows: `places[u]` holds at most `rows` of them, then -1."""

    columns: Any
    places: RowPlaces

    @property
    def units(self) -> int:
        """How many units there are: private."""
        return len(self.places)

    def fill(self, chosen: RowPlaces, slots: int, least: int = 1) -> Iterator[PhysicalBatch]:
        """Yield the rows of the chosen units in physical batches of one shape: as many as needed, and `least` of them.

        Slots that are left over hold zeros and are marked; a unit's slots beyond its rows repeat its first row.
        """
        jax, _ = jax_modules()
        for start in range(0, max(least * slots, len(chosen)), slots):
            part = self.places[chosen[start : start + slots]]
            kept = np.zeros((slots, self.places.shape[1]), dtype=bool)
            kept[: len(part)] = part >= 0
            taken = np.where(part >= 0, part, part[:, :1])

            def pick(column: Any, taken: RowPlaces = taken) -> Any:
                found = np.zeros((slots, taken.shape[1], *column.shape[1:]), dtype=column.dtype)
                found[: len(taken)] = column[taken]
                return found

            yield PhysicalBatch(jax.tree.map(pick, self.columns), kept)


def group_rows(columns: Any, count: int, units: Any, rows: int) -> RowsOfUnits:
    """Return rows by unit, the first `rows` of each unit in their order; without units, every row is a unit.

    Which rows a unit keeps depends on its own rows alone.
    """
    if units is None:
        return RowsOfUnits(columns, np.arange(count, dtype=np.int64)[:, None])
    names = np.asarray(units)
    if names.shape != (count,):
        raise ParameterError("units", names.shape, f"one unit for each of the {count} rows")
    if names.dtype.kind not in "iuU":
        raise ParameterError("units", names.dtype, "whole numbers or texts")
    _, labels = np.unique(names, return_inverse=True)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels) if count else np.zeros(0, dtype=np.int64)
    ranks = np.arange(count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places = np.full((len(sizes), rows), -1, dtype=np.int64)
    first = ranks < rows
    places[labels[order][first], ranks[first]] = order[first]
    return RowsOfUnits(columns, places)


class NoiseAhead:
    """Exact noise made on the device for some steps at once, each part of it given out once and never kept.

    Noise depends on nothing private, so the next is under way while a step is computed.
    """

    def __init__(self, sigma: float, coordinates: int) -> None:
        self._sigma, self._coordinates = sigma, coordinates
        self._steps = 8 if 8 * coordinates <= MOST_AHEAD else 1
        self._draws: Any = None
        self._used = self._steps
        with wide():
            self._starts = [jax_modules()[1].asarray(step * coordinates) for step in range(self._steps)]
        self._pending = self._begin()
        self.undecided = 0

    def take(self) -> tuple[Any, Any]:
        """Return an array of draws and where those of this step begin in it, both on the device."""
        if self._used == self._steps:
            self._draws = self._pending.finish()
            self.undecided += self._pending.undecided
            self._used = 0
            self._pending = self._begin()
        start = self._starts[self._used]
        self._used += 1
        return self._draws, start

    def _begin(self) -> PendingDraws:
        return begin_rounded_gaussian(self._sigma, self._steps * self._coordinates)


class MemorySums(NoisySums):
    """Noisy sums over arrays in memory: exact coins, checked integers, exact noise.

    Theorem (Poisson sampling of the Gaussian mechanism, see `SampledLoss`): each unit's coin is independent with
    probability exactly `rate`, and a unit adds an integer vector of norm at most K, whatever its rows hold and whoever
    else is there. So one release has the loss SampledLoss(GaussianLoss(K / sigma), rate).
    """

    def __init__(
        self,
        sums: UnitSums,
        grid: WholeSteps,
        rows: RowsOfUnits,
        rate: float,
        multiplier: float,
        slots: int,
        device: bool,
        least: int = 1,
    ) -> None:
        self.grid, self._sums, self._rows = grid, sums, rows
        self._rate, self._sigma, self._slots, self._least = rate, multiplier * grid.steps, slots, least
        self._ahead = NoiseAhead(self._sigma, grid.coordinates) if device else None

    def release(self, parameters: Any) -> Any:
        """Return the noisy sums of one step: noise first, and the sums of every physical batch added to it."""
        last, noisy, start = self._add_to_last(parameters)
        return self._sums.add(parameters, last, noisy, start)

    def advance(self, move: Move, state: Any) -> Any:
        """Return move(state, noisy sums of one step)."""
        last, noisy, start = self._add_to_last(state[0])
        return self._sums.add_and_move(move, state, last, noisy, start)

    def _add_to_last(self, parameters: Any) -> tuple[PhysicalBatch, Any, Any]:
        """Sample, draw, and add the sums of all physical batches but one; return that, and what it is added to."""
        chosen = np.flatnonzero(bernoulli(self._rate, self._rows.units))
        noisy, start = self._draw()
        batches = self._rows.fill(chosen, self._slots, self._least)
        last = next(batches)
        for batch in batches:
            noisy, start, last = self._sums.add(parameters, last, noisy, start), 0, batch
        return last, noisy, start

    def _draw(self) -> tuple[Any, Any]:
        """Return fresh noise for every coordinate, and where it begins."""
        if self._ahead is None:
            return rounded_gaussian(self._sigma, self.grid.coordinates), 0
        return self._ahead.take()
