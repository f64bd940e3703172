"""How many people an analysis of variance and a log-rank test need, from public guesses alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.mechanisms import Laplace
from discreet.robust.designs.planning import RUNS, STEPS, MeanDesign, check_design, draw_sums, list_noises
from discreet.robust.intervals.laws import Booleans
from discreet.robust.intervals.sums import ValueScale
from discreet.robust.people import MOST_GROUPS
from discreet.robust.survival.life_tables import NoisyLifeTable, explain_equal_survival
from discreet.robust.testing.contingency import draw_noise
from discreet.robust.testing.decisions import reject_equal_means

SIMULATED = 199
"""Simulations of each p-value: it is valid however few they are, and loses about a hundredth of power."""

MOST_INTERVALS = 100


@dataclass(frozen=True, slots=True)
class VarianceDesign:
    """An analysis of variance: groups of equal sizes with these means, and one `deviation` within each.

    The deviation is that of people's values after clamping to `bounds`.
    """

    means: tuple[float, ...]
    deviation: float
    bounds: tuple[float, float]
    epsilon: float
    size: float = 0.05

    def __post_init__(self) -> None:
        if not 2 <= len(self.means) <= MOST_GROUPS:
            raise ParameterError("means", self.means, f"one for each of 2 to {MOST_GROUPS} groups")
        for mean in self.means:
            MeanDesign((mean, mean), self.deviation, self.bounds, self.epsilon, 2, self.size)

    @property
    def words(self) -> str:
        """What it is called in a picture."""
        return f"means {', '.join(f'{mean:g}' for mean in self.means)}, epsilon {float(self.epsilon):g}"

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""
        return any(mean != self.means[0] for mean in self.means)

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""
        low, high = self.bounds
        scale = ValueScale((low + high) / 2, (high - low) / 2 / STEPS, -STEPS, STEPS)
        noises, spread = list_noises(self.epsilon, STEPS), self.deviation / scale.step
        each = people // len(self.means)
        groups = [draw_sums(each, scale.to_steps(mean), spread, noises, scale, rng) for mean in self.means]
        return reject_equal_means(groups, self.size, SIMULATED)


@dataclass(frozen=True, slots=True)
class SurvivalDesign:
    """A log-rank test of two groups of equal sizes over some `intervals` of time.

    In each interval a share of those at risk, the group's hazard, has the event; of the others a share is `leaving`.
    """

    hazards: tuple[float, float]
    intervals: int
    epsilon: float
    leaving: float = 0.0
    size: float = 0.05

    def __post_init__(self) -> None:
        if len(self.hazards) != 2:
            raise ParameterError("hazards", self.hazards, "one for each of two groups")
        for hazard in self.hazards:
            check.real("hazards", hazard, above=0, below=1)
        check.real("leaving", self.leaving, least=0, below=1)
        check.integer("intervals", self.intervals, least=1, most=MOST_INTERVALS)
        check_design(self.epsilon, 2, self.size)

    @property
    def words(self) -> str:
        """What it is called in a picture."""
        return f"hazards {self.hazards[0]:g} and {self.hazards[1]:g}, epsilon {float(self.epsilon):g}"

    @property
    def differs(self) -> bool:
        """Whether there is anything to find."""
        return self.hazards[0] != self.hazards[1]

    def reject(self, people: int, rng: np.random.Generator) -> Booleans:
        """Return which of the simulated samples of so many people in all are rejected."""
        noise, life = Laplace(1 / float(self.epsilon)), (self.leaving, self.intervals)
        first, second = (draw_lives(hazard, *life, people // 2, RUNS, noise, rng) for hazard in self.hazards)
        found: Booleans = explain_equal_survival(first, second)[0] <= self.size
        return found


def draw_lives(
    hazard: float, leaving: float, intervals: int, people: int, runs: int, noise: Laplace, rng: np.random.Generator
) -> NoisyLifeTable:
    """Return noisy life tables: in each interval a share has the event, and a share of the rest leaves."""
    shares, left = [], 1.0
    for _ in range(intervals):
        shares += [left * hazard, left * (1 - hazard) * leaving]
        left *= (1 - hazard) * (1 - leaving)
    drawn = rng.multinomial(people, [*shares, left], runs)
    cells = drawn + draw_noise(noise, drawn.shape, rng)
    return NoisyLifeTable(cells[:, 0:-1:2], cells[:, 1:-1:2], cells[:, -1], noise)
