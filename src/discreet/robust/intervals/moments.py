"""Functions of people's means and mean products: coefficients of a regression, a ratio.

Each is a function of an array of means along the last axis, as `bootstrap_ends.py` takes it: those of scaled columns
first, each between -1 and 1, then those of products of pairs of them. Where there is no such number, it is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.bootstrap_ends import SmoothFunction

MomentPair = tuple[int, int]
"""Places of two columns, the first one not after the second."""


@dataclass(frozen=True, slots=True)
class ScaledColumn:
    """A column with public bounds: where their middle is, and how far each end is from it."""

    middle: float
    half: float

    def write(self, place: int) -> str:
        """Return the column at a place in SQL, between -1 and 1."""
        return f"(({{{place}}} - ({self.middle!r})) / {self.half!r})"

    def to_value(self, scaled: Floats) -> Floats:
        """Return scaled means as means of values."""
        found: Floats = self.middle + self.half * scaled
        return found


def write_entries(scales: Sequence[ScaledColumn], pairs: Sequence[MomentPair] = ()) -> list[str]:
    """Return a person's vector in SQL: scaled columns, then products of pairs, all between -1 and 1."""
    single = [scale.write(place) for place, scale in enumerate(scales)]
    return [*single, *(f"{single[first]} * {single[second]}" for first, second in pairs)]


def list_pairs(columns: int) -> list[MomentPair]:
    """Return all pairs of so many columns, each with itself, too.

    >>> list_pairs(2)
    [(0, 0), (0, 1), (1, 1)]
    """
    return [(first, second) for first in range(columns) for second in range(first, columns)]


def spread_columns(means: Floats, columns: int) -> tuple[Floats, Floats]:
    """Return the means of the columns, and the matrix of their covariances."""
    first, second = np.array(list_pairs(columns)).T
    single, products = means[..., :columns], np.empty((*means.shape[:-1], columns, columns))
    products[..., first, second] = products[..., second, first] = means[..., columns:]
    return single, products - single[..., :, None] * single[..., None, :]


def invert_positive(matrices: Floats) -> Floats:
    """Return the inverse of each symmetric matrix of the last two axes; NaN where it is not positive.

    By Gauss and Jordan, for all of them at once, without exchanging rows: the pivots of a symmetric matrix are all
    above 0 if and only if it is positive (Sylvester), and of such a one no other order is needed.
    """
    left: Floats = np.moveaxis(matrices, (-2, -1), (0, 1)).copy()
    positive = np.ones(matrices.shape[:-2], dtype=bool)
    with np.errstate(all="ignore"):
        for place in range(len(left)):
            pivot = left[place, place].copy()
            positive &= pivot > 0
            row, column = left[place] / pivot, left[:, place].copy()
            left -= column[:, None] * row[None]
            left[place], left[:, place] = row, -column / pivot
            left[place, place] = 1 / pivot
    return np.moveaxis(np.where(positive, left, np.nan), (0, 1), (-2, -1))


def make_ratio(scales: Sequence[ScaledColumn]) -> SmoothFunction:
    """Return the ratio of two means, NaN where the second one is 0."""

    def divide(means: Floats) -> Floats:
        above, below = (scale.to_value(means[..., place]) for place, scale in enumerate(scales))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(below != 0, above / below, np.nan)[..., None]

    return SmoothFunction(divide)


@dataclass(frozen=True, slots=True)
class NormalEquations:
    """A regression on columns of which the last one is the target; they are solved for centred columns.

    A coefficient is told in the values' own units: the intercept, then the slope of each feature.
    """

    middles: Floats
    halves: Floats
    even: bool = False
    """Whether residuals are taken to spread equally, whatever the features are."""

    @classmethod
    def of(cls, scales: Sequence[ScaledColumn], even: bool = False) -> NormalEquations:
        """Return the equations for columns with these public bounds."""
        return cls(np.array([each.middle for each in scales]), np.array([each.half for each in scales]), even)

    def solve(self, means: Floats) -> Floats:
        """Return the coefficients; NaN where the noisy matrix is not positive."""
        single, _, slopes, _ = self._solve(means)
        slopes = slopes * self.halves[-1] / self.halves[:-1]
        real = self.middles + self.halves * single
        first = real[..., -1:] - (slopes * real[..., :-1]).sum(axis=-1, keepdims=True)
        return np.concatenate([first, slopes], axis=-1)

    def limit(self, means: Floats) -> Floats:
        """Return the most that the mean square of one person's part of each coefficient can be.

        It is a number a of the person's features, linear in these, times the residual r: of a^2 and r^2 the mean of one
        and the largest value of the other, whichever is less. Where residuals spread equally, it is both means.
        """
        single, spread, slopes, inverse = self._solve(means)
        away = 1 + np.abs(single)
        left = np.maximum(spread[..., -1, -1] - (slopes * spread[..., :-1, -1]).sum(axis=-1), 0.0)
        largest = away[..., -1] + (np.abs(slopes) * away[..., :-1]).sum(axis=-1)
        places = (self.middles / self.halves + single)[..., :-1]
        turned = np.einsum("...ij,...j->...i", inverse, places)
        widest = np.einsum("...ij,...j->...i", np.abs(inverse), away[..., :-1]) ** 2
        first = (1 + (np.abs(turned) * away[..., :-1]).sum(axis=-1)) ** 2
        widest = np.concatenate([first[..., None], widest], axis=-1)
        usual = np.concatenate(
            [1 + (turned * places).sum(axis=-1)[..., None], np.diagonal(inverse, axis1=-2, axis2=-1)], axis=-1
        )
        if self.even:
            widest = usual
        units = self.halves[-1] / np.concatenate([[1.0], self.halves[:-1]])
        found: Floats = np.minimum(widest * left[..., None], usual * largest[..., None] ** 2) * units**2
        return found

    def _solve(self, means: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return means, covariances, scaled slopes, and the inverse of the features' covariances."""
        single, spread = spread_columns(means, len(self.halves))
        inverse = invert_positive(spread[..., :-1, :-1])
        with np.errstate(over="ignore", invalid="ignore"):
            slopes = np.einsum("...ij,...j->...i", inverse, spread[..., :-1, -1])
        return single, spread, slopes, inverse


def make_regression(scales: Sequence[ScaledColumn], even: bool = False) -> SmoothFunction:
    """Return the coefficients of a linear regression: the intercept, then a slope for each feature."""
    equations = NormalEquations.of(scales, even)
    return SmoothFunction(equations.solve, equations.limit)
