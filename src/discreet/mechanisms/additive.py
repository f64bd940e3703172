"""What all mechanisms that add integer noise share: values in, noisy values out, intervals around them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid
from discreet.base.rounding import ball, rounded_up
from discreet.base.wide import integers, is_wide, wide_add
from discreet.mechanisms import sensitivity as sensitivities
from discreet.noise.laplace import LARGEST_SCALE, SMALLEST_SCALE


@dataclass(frozen=True)
class Additive(ABC):
    """Adds noise to an integer of any size, an integer array, or reals put on a declared grid.

    Without a grid all numbers are integers. With one, values, sensitivities and intervals are in the units of the
    values; the noise's own parameters are in grid steps.
    """

    @property
    @abstractmethod
    def grid(self) -> Grid | None:
        """The grid that reals are put on, if any."""

    @property
    def dim(self) -> int:
        """How many numbers one release has at most: each costs some rounding on a grid."""
        return 1

    @abstractmethod
    def _draw(self, shape: tuple[int, ...], wide: bool) -> NDArray[Any]:
        """Draw the noise."""

    @abstractmethod
    def _half_width(self, miss: Callable[[], arb]) -> int:
        """Return the least k with Pr[|noise| > k] <= miss, a probability given as a ball formula."""

    def release(self, value: Any) -> Any:
        """Return the value with noise: a number for a number, a list for a list, an array for an array."""
        points = self.grid.snap(value) if self.grid else integers("value", value)
        if self.grid and np.size(points) > self.dim:
            raise ParameterError.of_data("value", value, f"{_count(self.dim)} on a grid (calibrate with dim= for more)")
        noisy = wide_add(points, self._draw(np.shape(points), is_wide(points)))
        told = self.grid.value(noisy) if self.grid else noisy
        return told.tolist() if isinstance(value, list | tuple) and isinstance(told, np.ndarray) else told

    def interval(self, confidence: float, values: int = 1) -> Any:
        """Return a half-width: the truth lies within it of the released value with at least this confidence.

        With `values`, all of that many values released together do, at once. On a grid, rounding to it is included;
        that of floats beyond 15 digits, and saturation, are not.
        """
        sure = Fraction(check.confidence(confidence))
        count = check.integer("values", values, least=1)
        steps = self._half_width(lambda: 1 - ball(sure) if count == 1 else -(ball(sure).log() / count).expm1())
        grid = self.grid
        return rounded_up(lambda: ball((steps + Fraction(1, 2)) * grid.step)) if grid else steps

    def _steps_l1(self, sensitivity: float, dim: int) -> int:
        """Return an L1 sensitivity in the whole steps that the noise is measured in."""
        check.integer("dim", dim, least=1)
        if self.grid:
            return sensitivities.on_grid_l1(sensitivity, self.grid, dim)
        return whole_sensitivity(sensitivity)

    def _steps_l2(self, sensitivity: float, dim: int) -> float | Fraction:
        """Return an L2 sensitivity in the steps that the noise is measured in."""
        check.integer("dim", dim, least=1)
        if self.grid:
            return sensitivities.on_grid_l2(sensitivity, self.grid, dim)
        return check.positive("sensitivity", sensitivity)


def _count(dim: int) -> str:
    return "one number" if dim == 1 else f"at most {dim} numbers"


def fitting_scale(
    scale: float, name: str, target: object, smallest: float = SMALLEST_SCALE, largest: float = LARGEST_SCALE
) -> float:
    """Return a calibrated scale that the samplers take: never less noise than asked, or an error about the target."""
    if scale > largest:
        raise ParameterError(name, target, f"larger here: it asks for noise of scale {scale:.3g}, beyond {largest:g}")
    return max(scale, smallest)


def whole_sensitivity(sensitivity: object) -> int:
    """Return the sensitivity of an integer query: a whole number, at least 1."""
    number = check.real("sensitivity", sensitivity, above=0)
    if Fraction(number).denominator != 1:
        raise ParameterError("sensitivity", sensitivity, "a whole number for integers (or declare a grid for reals)")
    return int(number)
