"""Weights of questions: how a probability of missing is shared out among all that can be asked of one histogram.

Theorem (union bound). Let w(S) >= 0 for every set S of cells, with sum at most 1, chosen before the noise is drawn. If
for each S the noise of S exceeds its half-width with probability at most miss * w(S), then with probability 1 - miss no
set at all exceeds its own. So the intervals hold for sets that were chosen after a look at the histogram.

Half of the weight goes to products of sets of values, column by column; of each column's weight a quarter to all of
it, a quarter to single values, a quarter to runs of neighbouring values, a quarter to any set of values. The other half
goes to all sets of cells: by their number of cells, and evenly among those of one number.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

CellFlags = NDArray[np.bool_]
"""Which cells a question counts: one axis for each column, and its last place for what is none of the values."""


def weigh_cells(cells: CellFlags) -> float:
    """Return the log of the weight of a set of cells that is not empty."""
    total, count = cells.size, int(cells.sum())
    chosen = float(gammaln(total + 1) - gammaln(count + 1) - gammaln(total - count + 1))
    general = -math.log(total) - chosen
    axes = range(cells.ndim)
    sides = [np.asarray(cells.any(axis=tuple(each for each in axes if each != axis))) for axis in axes]
    if math.prod(int(side.sum()) for side in sides) != count:
        return math.log(0.5) + general - 1e-9
    product = math.fsum(_weigh_side(side) for side in sides)
    return math.log(0.5) + max(general, product) - 1e-9


def _weigh_side(side: CellFlags) -> float:
    """Return the log of the weight of a set of values of one column."""
    values = len(side) - 1
    if side.all():
        return math.log(0.25)
    any_set = -(values + 1) * math.log(2)
    if side[-1]:
        return math.log(0.25) + any_set
    places = np.flatnonzero(side)
    if places[-1] - places[0] + 1 != len(places):
        return math.log(0.25) + any_set
    runs = -math.log(values * (values + 1) / 2)
    single = -math.log(values) if len(places) == 1 else -math.inf
    return math.log(0.25) + max(any_set, runs, single)
