"""Where gradients come from: a desk within a run, or rows in memory.

What learns sees this only. So what a benchmark measures, and what an estimator fits in memory, is the code that runs on
private rows at a desk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.curator.door.desk import Desk
from discreet.curator.door.minima import MinimumNoise, draw_minimum
from discreet.curator.door.moments import RowMoments
from discreet.gradients.encoding import EncodedRows, Encoding
from discreet.gradients.objective import LinearObjective
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients, Weights, hold_weights, sum_gradients
from discreet.learn.allowance import GaussianAllowance
from discreet.mechanisms import Gaussian
from discreet.plan.rows_plan import RowsPlan

COUNT_SHARE = Fraction(1, 100)
"""The part of an allowance that the number of rows is counted for, where it is not public."""


class GradientSource(ABC):
    """Noisy sums over units, each for a part of an allowance."""

    most_rows: int
    """How many rows a unit has at most."""
    factor: int
    """2 under replace neighbours."""

    def count(self, allowance: GaussianAllowance) -> float:
        """Return the noisy number of rows, at least 1."""
        noise = allowance.make_noise(self.factor * self.most_rows)
        return float(max(1, self.draw_count(noise)))

    def find_rows(self, size: int | None, allowance: GaussianAllowance) -> tuple[float, GaussianAllowance]:
        """Return the number of rows, and what is left of an allowance: they are counted unless their size is public."""
        if size is not None:
            return float(size), allowance
        return self.count(allowance.take(COUNT_SHARE)), allowance.take(1 - COUNT_SHARE)

    def sum(self, gradients: LinearGradients, weights: Floats, allowance: GaussianAllowance) -> Floats:
        """Return the noisy sum of gradients at some weights, in the gradients' own numbers."""
        noise = allowance.make_noise(self.factor * gradients.clip)
        drawn = self.draw_gradients(gradients, hold_weights(weights), noise)
        return np.array([each / GRADIENT_STEPS for each in drawn]).reshape(gradients.shape)

    def moments(self, moments: RowMoments, allowance: GaussianAllowance) -> tuple[Floats, float]:
        """Return noisy sums of products or of groups, and their noise's standard deviation, in their own numbers."""
        noise = allowance.make_noise(self.factor * moments.clip)
        drawn = self.draw_moments(moments, noise)
        return np.array([each / moments.steps for each in drawn]), noise.sigma / moments.steps

    @abstractmethod
    def draw_count(self, noise: Gaussian) -> int:
        """Return the number of rows, with noise."""

    @abstractmethod
    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        """Return the sum of gradients in steps, with noise."""

    @abstractmethod
    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        """Return sums of products or of groups in steps, with noise."""

    @abstractmethod
    def draw_minimum(self, objective: LinearObjective, noise: MinimumNoise) -> Sequence[int]:
        """Return the weights that minimise an objective in its steps, with noise."""


class DeskSource(GradientSource):
    """Sums at a desk, over the rows of one plan."""

    def __init__(self, desk: Desk, plan: RowsPlan) -> None:
        self._desk, self._plan = desk, plan
        self.most_rows, self.factor = plan.rows, plan.factor

    def draw_count(self, noise: Gaussian) -> int:
        """Return the number of rows, with noise."""
        return self._desk.count_rows(self._plan, noise)

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        """Return the sum of gradients in steps, with noise."""
        return self._desk.sum_gradients(self._plan, gradients, weights, noise)

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        """Return sums of products or of groups in steps, with noise."""
        return self._desk.sum_moments(self._plan, moments, noise)

    def draw_minimum(self, objective: LinearObjective, noise: MinimumNoise) -> Sequence[int]:
        """Return the weights that minimise an objective in its steps, with noise."""
        return self._desk.minimise(self._plan, objective, noise)


class MemorySource(GradientSource):
    """Sums over points in memory: those of unit u are `points[offsets[u]:offsets[u + 1]]`, or each row is one.

    No unit has more than `most_rows`: a public number, which is never taken from the rows.
    """

    def __init__(self, points: Ints, offsets: Ints | None = None, factor: int = 1, most_rows: int = 1) -> None:
        self._points = points
        self._offsets = np.arange(len(points) + 1) if offsets is None else offsets
        if bool((np.diff(self._offsets) > most_rows).any()):
            raise ParameterError("most_rows", most_rows, "enough: keep no more rows of any unit before")
        self.most_rows, self.factor = most_rows, factor
        self._encoded: tuple[Encoding, EncodedRows] | None = None

    def draw_count(self, noise: Gaussian) -> int:
        """Return the number of rows, with noise."""
        return int(noise.release(len(self._points)))

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        """Return the sum of gradients in steps, with noise."""
        rows, single = self._encode(gradients.encoding), self.most_rows == 1
        exact = sum_gradients(gradients, rows, self._offsets, weights, single)
        return list(noise.release(exact))

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        """Return sums of products or of groups in steps, with noise."""
        return list(noise.release(moments.sum(self._encode(moments.encoding), self._offsets)))

    def draw_minimum(self, objective: LinearObjective, noise: MinimumNoise) -> Sequence[int]:
        """Return the weights that minimise an objective in its steps, with noise."""
        return draw_minimum(objective, noise, self._encode(objective.gradients.encoding), self._offsets)

    def _encode(self, encoding: Encoding) -> EncodedRows:
        if self._encoded is None or self._encoded[0] != encoding:
            self._encoded = encoding, encoding.encode(self._points)
        return self._encoded[1]
