"""What all mechanisms that select by score share: scores in, and the price of a score's sensitivity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from flint import arb

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_up, ratio_up, rounded_up
from discreet.mechanisms.additive import fitting_scale, whole_sensitivity
from discreet.mechanisms.sensitivity import on_grid_l1
from discreet.noise.race import LARGEST_SCALE, SMALLEST_SCALE, Scores, score_array
from discreet.privacy import Loss, Neighbours


@dataclass(frozen=True)
class Selection(ABC):
    """Chooses one of a public list of candidates, likelier the higher its score.

    `scale` is how much score is worth a factor e. A unit moves each score by at most the sensitivity; two scores then
    move apart by twice that, unless the scores are monotone: adding a unit lowers none of them (or raises none). That
    halves the price, under add-remove neighbours only.

    Scores are integers of any size, or reals put on a declared grid, where NaN becomes the grid's public value for
    missing ones and infinities saturate. With a grid, `scale` is in grid steps.
    """

    scale: float
    monotone: bool = False
    grid: Grid | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "scale", float_up(check.real("scale", self.scale, least=SMALLEST_SCALE, most=LARGEST_SCALE))
        )
        check.flag("monotone", self.monotone)
        declared(self.grid)

    @classmethod
    def calibrate(
        cls,
        epsilon: float,
        sensitivity: float = 1,
        monotone: bool = False,
        grid: Grid | None = None,
        neighbours: str = Neighbours.ADD_REMOVE,
    ) -> Self:
        """Return the mechanism that is epsilon-differentially private when scores have this sensitivity."""
        refuse_monotone_replace(monotone, neighbours)
        reach = cls(1.0, monotone, grid)._reach(sensitivity)
        scale = ratio_up(reach, check.positive("epsilon", epsilon))
        return cls(fitting_scale(scale, "epsilon", epsilon, SMALLEST_SCALE, LARGEST_SCALE), monotone, grid)

    def loss(self, sensitivity: float, neighbours: str = Neighbours.ADD_REMOVE) -> Loss:
        """Return the loss of one selection."""
        refuse_monotone_replace(self.monotone, neighbours)
        return self._loss(Fraction(self._reach(sensitivity)) / Fraction(self.scale))

    @abstractmethod
    def _loss(self, epsilon: Fraction) -> Loss:
        """Return the kind of loss that this mechanism keeps."""

    def _reach(self, sensitivity: float) -> int:
        """Return how far two scores move apart, in whole steps."""
        steps = on_grid_l1(sensitivity, self.grid) if self.grid else whole_sensitivity(sensitivity)
        return steps if self.monotone else 2 * steps

    def _scores(self, scores: Any) -> Scores:
        if self.grid is None:
            return score_array(scores)
        points = self.grid.snap(scores)
        if isinstance(points, int):
            raise ParameterError.of_data("scores", scores, "a list of at least one score")
        return score_array(points)

    def _units(self, steps: float) -> float:
        """Return a distance between scores in the units of the scores; rounding to a grid adds up to one step."""
        return ratio_up((Fraction(steps) + 1) * self.grid.step, 1) if self.grid else steps


def refuse_monotone_replace(monotone: bool, neighbours: str) -> None:
    """Refuse the monotone price under replace neighbours, where one unit may raise some scores and lower others."""
    if Neighbours.named(neighbours) is Neighbours.REPLACE and monotone:
        raise ParameterError("neighbours", neighbours, "'add-remove' where monotone is True")


def union_shortfall(scale: float, confidence: float, candidates: int, best: int = 1) -> float:
    """Return scale * ln(candidates / (best * (1 - confidence))), rounded up."""
    many = check.integer("candidates", candidates, least=1)
    top = check.integer("best", best, least=1, most=many)
    miss = 1 - Fraction(check.confidence(confidence))

    def bound() -> arb:
        return ball(scale) * (ball(Fraction(many, top)) / ball(miss)).log()

    return rounded_up(bound)
