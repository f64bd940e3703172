"""The values that were read at a level, as the least squares estimate takes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.estimate.area_matrices import Areas
from discreet.topdown.estimate.block_basis import BlockBasis, QueryTransform
from discreet.topdown.estimate.level_frame import find_norm
from discreet.topdown.estimate.tree_model import UpwardModel
from discreet.topdown.readings import LevelReading

AGREED = 1e-6
"""How far public numbers may be from their estimate, beside the largest of them, if they do not contradict."""


@dataclass(frozen=True, eq=False)
class LevelValues:
    """The readings of one level, with the way of each query into the coordinates of a basis.

    Values are read some areas at a time, so that they may lie in a file.
    """

    readings: tuple[LevelReading, ...]
    transforms: tuple[QueryTransform, ...]
    cells: int

    def lift(self, areas: Areas) -> tuple[Floats | None, Floats | None]:
        """Return the sum of Q'y / variance over noisy readings, and of Q'y / norm over public ones; None of none."""
        noisy: Floats | None = None
        public: Floats | None = None
        for reading, transform in zip(self.readings, self.transforms, strict=True):
            values = np.asarray(reading.values[areas], dtype=np.float64)
            if reading.variance > 0:
                noisy = transform.lift(values / reading.variance, noisy)
            else:
                public = transform.lift(values / find_norm(reading.query), public)
        return noisy, public

    def add_up(self, starts: Ints) -> LevelValues:
        """Return the sums of the values of areas that follow one another, from each start to the next."""
        summed = [replace(each, values=add_rows(each.values, starts, np.int64)) for each in self.readings]
        return replace(self, readings=tuple(summed))

    def check_public(self, coordinates: Floats, areas: Areas) -> None:
        """Refuse public numbers that contradict one another, or those of the areas below."""
        for reading, transform in zip(self.readings, self.transforms, strict=True):
            if reading.variance == 0:
                values = reading.values[areas]
                most = AGREED * (1 + np.abs(values).max(initial=0))
                if np.abs(transform.answer(coordinates) - values).max(initial=0.0) > most:
                    raise ParameterError("public numbers", reading.query.name, "numbers that agree with the others")


def collect_values(basis: BlockBasis, readings: Sequence[LevelReading], areas: int) -> LevelValues:
    """Return the readings of a level, made sure to have a number for each answer in each of so many areas."""
    for each in readings:
        if each.values.shape != (areas, each.query.size):
            raise ParameterError("reading.values", each.values.shape, f"{areas} rows of {each.query.size} answers")
    transforms = tuple(basis.find_transform(each.query) for each in readings)
    return LevelValues(tuple(readings), transforms, basis.schema.cells)


def add_rows(values: NDArray[Any], starts: Ints, width: type) -> NDArray[Any]:
    """Return the sums of rows from each start to the next: as `reduceat`, which takes ten times as long."""
    found: NDArray[Any] = np.empty((len(starts), values.shape[1]), dtype=width)
    for place, (start, stop) in enumerate(pairwise([*starts, len(values)])):
        values[start:stop].sum(axis=0, dtype=width, out=found[place])
    return found


def estimate_upward(
    model: UpwardModel, lifted: tuple[Floats | None, Floats | None], areas: Areas, sums: Floats | None = None
) -> Floats:
    """Return the estimates z of some areas from lifted readings and the sums of their children's z."""
    noisy, public = lifted
    found = np.zeros((len(model.precision.kinds[areas]), model.precision.basis.schema.cells))
    if noisy is not None:
        found += model.covariance.multiply(noisy, areas)
    if public is not None:
        found += model.from_public.multiply(public, areas)
    if sums is not None:
        found += model.from_sum.multiply(sums, areas)
    return found
