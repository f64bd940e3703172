"""A rehearsal: learning without rows, so that all that could fail after a charge is refused before it.

The code that learns runs as it will, over sums of 0 instead of noisy ones. Every draw meets the checks that the desk
makes of it, and the time that a unit's row takes is added up over all draws. Which sums are drawn, and with which
noise, does not depend on earlier results, with one exception: the number of rows, with which the clip of a descent and
the ridge of a minimum grow. So rows are counted as more than there can be: clips and the noises of sums are the largest
that can occur. A solver is taken to make as many steps as a desk allows. Nothing private is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.curator.door.gradients import check_gradients, find_row_time
from discreet.curator.door.minima import MinimumNoise, OutputNoise, check_minimum
from discreet.curator.door.moments import RowMoments, check_moments
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.minimum import MOST_STEPS
from discreet.gradients.objective import LinearObjective
from discreet.gradients.sums import LinearGradients, Weights
from discreet.learn.source import GradientSource
from discreet.mechanisms import Gaussian
from discreet.plan.rows_plan import RowsPlan

MOST_COUNT = 1 << 48
"""More rows than a table can have."""

COUNT_TIME = 100
"""Nanoseconds that a row takes to be counted: measured, rounded up."""


LARGER = 2.0
"""How much larger the noise of a minimum may be with fewer rows: less than so many times."""


class Rehearsal(GradientSource):
    """Sums of 0, and what they would take."""

    def __init__(self, plan: RowsPlan) -> None:
        self._plan = plan
        self.most_rows, self.factor = plan.rows, plan.factor
        self.row_time = 0

    def draw_count(self, noise: Gaussian) -> int:
        """Return more rows than there can be."""
        self.row_time += COUNT_TIME
        return MOST_COUNT

    def draw_gradients(self, gradients: LinearGradients, weights: Weights, noise: Gaussian) -> Sequence[int]:
        """Return nothing but 0."""
        check_gradients(self._plan, gradients, weights, noise)
        self.row_time += find_row_time(gradients)
        return [0] * gradients.entries

    def draw_moments(self, moments: RowMoments, noise: Gaussian) -> Sequence[int]:
        """Return nothing but 0."""
        check_moments(self._plan, moments, noise)
        self.row_time += moments.row_time
        return [0] * moments.entries

    def draw_minimum(self, objective: LinearObjective, noise: MinimumNoise) -> Sequence[int]:
        """Return nothing but 0."""
        check_minimum(self._plan, objective, noise)
        for each in (noise.noise,) if isinstance(noise, OutputNoise) else (noise.push, noise.output):
            Gaussian(LARGER * each.sigma)
        self.row_time += find_row_time(objective.gradients) * MOST_STEPS
        return [0] * objective.gradients.entries

    def check_time(self) -> None:
        """Refuse draws for which one unit's rows could take too long, all of them together."""
        check_unit_time(self._plan, self.row_time)
