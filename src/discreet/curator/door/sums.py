"""Sums over units: a function of each unit's rows, clipped, checked and added up in whole numbers. For the desk alone.

One unit is one clipped vector, however many rows it has. So under add-remove neighbours a unit moves the sum by at most
the clip, and under replace neighbours, where one unit leaves and another enters, by at most twice that: the triangle
inequality, in L1 and in L2.
"""

from __future__ import annotations

import numpy as np

from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.base.wide import WideInts
from discreet.curator.door.clipping import MOST_ENTRIES, Clip, Norm, clip_vectors, find_most_steps
from discreet.curator.door.unit_functions import BatchFunction, UnitFunction, apply_function
from discreet.engines.result import ExactRows, Points, split_units
from discreet.mechanisms import Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.query.draws import VectorNoise

AT_ONCE = 1 << 22
"""Numbers that are held at once: rows times columns, or units times entries."""


def check_function(plan: RowsPlan, function: UnitFunction, clip: Clip) -> int:
    """Return the dimension of a function, or refuse one that does not fit the plan's rows, or the clip."""
    if not isinstance(function, UnitFunction) or type(clip) is not Clip:
        raise OperationError("a sum is of a function with dimension, describe() and apply(rows), cut by a Clip")
    dimension = function.dimension
    if type(dimension) is not int or not 1 <= dimension <= MOST_ENTRIES:
        raise OperationError(f"a function of a unit's rows has from 1 to {MOST_ENTRIES:,} entries, not {dimension!r}")
    if isinstance(function, BatchFunction) and function.columns != len(plan.columns):
        raise OperationError(f"this function is of {function.columns} columns, and the plan has {len(plan.columns)}")
    if clip.steps > find_most_steps(dimension):
        raise OperationError(f"a clip of vectors of {dimension} entries has at most {find_most_steps(dimension)} steps")
    return dimension


def choose_norm(noise: VectorNoise) -> Norm:
    """Return the norm that a noise protects: L1 for Laplace, L2 for both Gaussians."""
    return Norm.L1 if isinstance(noise, Laplace) else Norm.L2


def bound_sum(plan: RowsPlan, clip: Clip) -> int:
    """Return how far one unit moves the sum, in the clip's norm: twice the clip under replace neighbours."""
    return plan.factor * clip.steps


def bound_rows(plan: RowsPlan) -> int:
    """Return how far one unit moves the number of rows: all that it may keep, under replace neighbours twice that.

    Rows that leave and rows that enter move it in opposite directions, so this is more than it can be.
    """
    return plan.factor * plan.rows


def sum_units(
    plan: RowsPlan, exact: ExactRows, function: UnitFunction, clip: Clip, norm: Norm, dimension: int | None = None
) -> list[int]:
    """Return the sum of all units' clipped vectors, in steps: Python's integers, which do not wrap.

    `dimension` is what was checked and paid for: what a function says of it later has no effect.
    """
    dimension = function.dimension if dimension is None else dimension
    total: WideInts = np.zeros(dimension, dtype=object)
    widest = max(dimension, len(plan.columns))
    for first, last in split_units(exact.offsets, max(1, AT_ONCE // widest)):
        offsets = exact.offsets[first : last + 1]
        rows = to_values(plan, exact.points[offsets[0] : offsets[-1]])
        vectors = apply_function(function, dimension, rows, offsets - offsets[0])
        total = total + clip_vectors(vectors, clip, norm).sum(axis=0)
    return [int(each) for each in total]


def to_values(plan: RowsPlan, points: Points) -> Floats:
    """Return grid points as real numbers: each a function of its point alone."""
    values = points.astype(np.float64)
    for place, column in enumerate(plan.columns):
        step, center = column.grid.step, float(column.grid.center)
        values[:, place] = values[:, place] * float(step.numerator) / float(step.denominator) + center
    return values
