"""Public grids: how a real number becomes an integer, exactly, and comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import LIMIT, Ints, WideInts, array_of, is_missing, is_real

Floats = NDArray[np.float64]

_ERROR = 2.0**-50
"""Relative error allowed for rounding the step, one division and one addition (3 * 2^-53 would do)."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The multiples of a public step. `snap` sends x to floor(x / step + 1/2), computed without rounding error.

    A float step means the decimal that it prints as: 0.01 is one hundredth. Data never raises: NaN, None and pandas' NA
    become `missing` (a public value, 0 unless declared), and what lies beyond +-2^61 steps, infinities included,
    saturates there; a declared sensitivity must hold after this. Two reals D apart land at most ceil(D / step) steps
    apart: floor(a + b) - floor(a) is at most ceil(b), and saturation moves no two values away from each other.

    >>> Grid(0.5).snap(1.25), Grid(0.5).snap(float("nan")), Grid(0.01).value(7)
    (3, 0, 0.07)
    """

    step: Fraction
    missing: float = 0.0

    def __init__(self, step: float | Fraction, missing: float = 0.0) -> None:
        exact = check.real("step", step, least=1e-100, most=1e100)
        fraction = Fraction(repr(exact)) if isinstance(exact, float) else exact
        if max(fraction.numerator, fraction.denominator) > 10**120:
            raise ParameterError("step", step, "a fraction with at most 120 digits above and below")
        object.__setattr__(self, "step", fraction)
        object.__setattr__(self, "missing", float(check.real("missing", missing)))

    def snap(self, value: object) -> int | Ints:
        """Return the nearest grid points, as whole numbers of steps."""
        array = array_of("value", value)
        if array.dtype == object:
            if not all(is_missing(entry) or is_real(entry) for entry in array.flat):
                raise ParameterError.of_data("value", value, "real numbers")
            floats = np.array([nearest_float(entry) for entry in array.flat], dtype=np.float64)
            floats = floats.reshape(array.shape)
        elif array.dtype.kind in "iubf" and array.dtype.itemsize <= 8:
            floats = array.astype(np.float64)
        else:
            raise ParameterError.of_data("value", value, "real numbers")
        floats = np.where(np.isnan(floats), self.missing, floats)
        low, high = self._bracket(floats)
        points = np.array(np.clip(low, -LIMIT, LIMIT), dtype=np.int64)
        for index in np.flatnonzero(low != high):
            entry = array.flat[index]
            given = np.isfinite(nearest_float(entry))  # else `missing` stands in: infinities are decided already
            points.flat[index] = self._exactly(entry if given else self.missing)
        return int(points) if points.ndim == 0 else points

    def value(self, points: int | Ints | WideInts) -> float | Floats:
        """Return grid points as real numbers, to float precision: a function of the points alone."""
        if isinstance(points, int):
            return nearest_float(points * self.step)
        if points.dtype == object:
            floats = np.array([nearest_float(int(point) * self.step) for point in points.flat], dtype=np.float64)
            return floats.reshape(points.shape)
        scaled: Floats = points.astype(np.float64) * float(self.step.numerator) / float(self.step.denominator)
        return scaled

    def _bracket(self, floats: Floats) -> tuple[Floats, Floats]:
        """Return bounds on each grid point; they differ where the floats alone cannot decide it."""
        with np.errstate(all="ignore"):
            shifted = np.clip(floats / float(self.step) + 0.5, -(2.0**62), 2.0**62)
        may_be_rounded = np.abs(floats) >= 2.0**53  # integers that large need not be floats: decide them exactly
        error = np.where(may_be_rounded, 1.0, 0.0) + np.abs(shifted) * _ERROR + _ERROR
        error = np.where(np.isinf(floats), 0.0, error)
        return np.floor(shifted - error), np.floor(shifted + error)

    def _exactly(self, value: Any) -> int:
        """Round one finite number without error."""
        steps = Fraction(value.item() if isinstance(value, np.generic) else value) / self.step
        return max(-LIMIT, min(LIMIT, math.floor(steps + Fraction(1, 2))))


def declared(grid: object) -> Grid | None:
    """Return a grid or nothing; a bare step is refused with what to write."""
    if grid is None or isinstance(grid, Grid):
        return grid
    raise ParameterError("grid", grid, "a Grid, such as Grid(0.01)")


def nearest_float(value: Any) -> float:
    """Return the nearest float to a number, infinity where it is too large, and NaN where it is missing."""
    try:
        return math.nan if is_missing(value) else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a Decimal's signalling NaN
        return math.nan
