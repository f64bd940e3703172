"""Models that are the noisy minimum of a loss with a ridge: by noise on the weights, or by noise on the objective.

Everything that shapes them is public: what may be spent, bounds of features, and a noisy number of rows.

**The ridge.** A smaller one leaves more noise, a larger one more bias. Let features have the length a.
- *Output*: noise of deviation L / (ridge mu) in each weight costs about n beta a^2 / 2 times its square in loss, and
  the ridge about ridge / 2 |w|^2. With |w| = E / a, E = `EXPECTED`, the sum is least at
  ridge^3 = 2 n beta a^4 L^2 / (mu E)^2.
- *Objective*: noise is worth 1 / (ridge + what the data say) in each direction, so the ridge may be small. It is the
  least for which curvature costs half of the allowance (`privacy/objective.py`: a^2 terms beside t^2 / 2).

Neither is below what a solver of `MOST_STEPS` steps can do, nor below a ridge that somebody gives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.rounding import rounded_up
from discreet.base.search import least_float
from discreet.curator.door.minima import (
    MinimumNoise,
    ObjectiveNoise,
    OutputNoise,
    bound_output,
    bound_rest,
    cost_push,
)
from discreet.gradients.encoding import FEATURE_STEPS
from discreet.gradients.minimum import MOST_STEPS, bound_log_start, count_steps
from discreet.gradients.objective import EASE, LEAST_RIDGE, MOST_RIDGE, MOST_UNITS, LinearObjective
from discreet.gradients.residuals import HingeResidual, SquaredResidual
from discreet.gradients.slopes import CURVATURES, find_curvature
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource
from discreet.mechanisms import Gaussian
from discreet.privacy.objective import bound_unit_rho

Method = Literal["descent", "output", "objective"]
METHODS = ("descent", "output", "objective")

EXPECTED = {HingeResidual: 4.0, SquaredResidual: 2.0}
EXPECTED_OTHER = 10.0
"""How long weights are taken to be, for features of length 1: those of log losses are the longest."""

OUTPUT_BITS, OBJECTIVE_BITS = 8, 20
"""How near the minimum a solver comes: where weights get noise anyway, and where that noise should be small."""

REST_SHARE = Fraction(1, 64)
"""The part of an allowance for the noise that covers the solver and the rounding of a push."""

CURVATURE_SHARE = 0.5
"""The part of the rest that curvature may cost."""

SLACK = 0.01
"""How much of the root of an allowance may go to units that are more than expected."""


@dataclass(frozen=True, slots=True)
class MinimumSettings:
    """How a minimum was found."""

    method: str
    ridge: float
    steps: int

    def describe(self) -> Json:
        """Return the form of the settings."""
        return {"method": self.method, "ridge": repr(self.ridge), "steps": self.steps}


def check_method(method: str, gradients: LinearGradients) -> None:
    """Refuse a method that is none, or is not for this model."""
    if method not in METHODS:
        raise ParameterError("method", method, f"one of {', '.join(METHODS)}")
    if method != "descent" and type(gradients.residual) not in CURVATURES:
        raise ParameterError("method", method, "descent: this model's loss is not smooth enough for a minimum")
    if method == "objective" and gradients.residual.outputs > 1:
        raise ParameterError("method", method, "descent or output: objective perturbation is for two classes")


def find_noisy_minimum(
    source: GradientSource,
    gradients: LinearGradients,
    slope: int,
    allowance: GaussianAllowance,
    method: str,
    rows: float,
    ridge: float = 0.0,
) -> tuple[Floats, MinimumSettings, float]:
    """Return noisy weights for all of an allowance, how they were found, and a bound on their noise's deviation."""
    draft = LinearObjective(gradients, slope, MOST_RIDGE, min(max(1, math.ceil(rows)), MOST_UNITS))
    objective, noise, deviation = plan_minimum(draft, allowance, method, source.most_rows, source.factor, ridge)
    found = np.array([each / objective.steps for each in source.draw_minimum(objective, noise)])
    settings = MinimumSettings(method, objective.ridge, count_steps(objective))
    return found.reshape(gradients.shape), settings, deviation


def plan_minimum(
    draft: LinearObjective, allowance: GaussianAllowance, method: str, most_rows: int, factor: int, ridge: float = 0.0
) -> tuple[LinearObjective, MinimumNoise, float]:
    """Return the objective with a ridge, its noise, and a bound on its deviation in weights, by public rules."""
    if method == "output":
        return _plan_output(draft, allowance, factor, ridge)
    return _plan_objective(draft, allowance, most_rows, factor, ridge)


def _plan_output(
    draft: LinearObjective, allowance: GaussianAllowance, factor: int, ridge: float
) -> tuple[LinearObjective, MinimumNoise, float]:
    """Return what output perturbation minimises, and its noise."""
    length, residual = draft.gradients.encoding.longest / FEATURE_STEPS, draft.gradients.residual
    weight = find_curvature(residual) * length**4 * float(draft.longest) ** 2
    expected = EXPECTED.get(type(residual), EXPECTED_OTHER)
    wanted = (2 * draft.units * weight / (allowance.mu * expected) ** 2) ** (1 / 3)
    objective = set_ridge(replace(draft, bits=OUTPUT_BITS), max(wanted, ridge))
    noise = allowance.make_noise(bound_output(objective, factor))
    return objective, OutputNoise(noise), noise.sigma / objective.steps


def _plan_objective(
    draft: LinearObjective, allowance: GaussianAllowance, most_rows: int, factor: int, ridge: float
) -> tuple[LinearObjective, MinimumNoise, float]:
    """Return what objective perturbation minimises, and its noises.

    Where the loss is a parabola, a push moves the weights by its product with the inverse of H >= ridge: a weight that
    the data say nothing about has the most noise.
    """
    pushed, entries = allowance.take(1 - REST_SHARE), draft.gradients.entries
    root = float(pushed.rho) ** 0.5
    unit = (root / 2 if factor == 2 else (1 - SLACK) * root / float(1 + EASE)) ** 2
    shift, most = (2 * (1 - CURVATURE_SHARE) * unit) ** 0.5, CURVATURE_SHARE * unit
    rank = min(most_rows, entries)
    _, inverse = least_float(lambda each: each > 0 and _cost_curvature(shift, 1 / each, rank) <= most)
    crowd = float(EASE) * 4 / 2**0.5 * max(2 / (shift * inverse), entries**0.5 * 4 / 3)
    units = min(max(draft.units, math.ceil(crowd / (SLACK * root))), MOST_UNITS)
    wanted = max(float(draft.curvature) * inverse, ridge)
    objective = set_ridge(replace(draft, bits=OBJECTIVE_BITS, units=units), wanted)
    _, sigma = least_float(lambda each: each > 0 and cost_push(objective, each, most_rows, factor) <= pushed.rho)
    output = allowance.take(REST_SHARE).make_noise(bound_rest(objective))
    deviation = math.hypot(sigma / GRADIENT_STEPS / objective.ridge, output.sigma / objective.steps)
    return objective, ObjectiveNoise(Gaussian(sigma), output), deviation


def set_ridge(draft: LinearObjective, ridge: float) -> LinearObjective:
    """Return the objective with this ridge, or with the least that a solver of `MOST_STEPS` steps is enough for."""
    root = 2 * bound_log_start(draft) / (MOST_STEPS - 4)
    least = float(draft.mass * draft.curvature) * root**2 / (1 - root**2)
    return replace(draft, ridge=min(max(ridge, least, LEAST_RIDGE), MOST_RIDGE))


def _cost_curvature(shift: float, curvature: float, rank: int) -> float:
    """Return what curvature costs beside t^2 / 2, about."""
    t, a = Fraction(shift), Fraction(curvature)
    return rounded_up(lambda: bound_unit_rho(t, a, rank)) - shift**2 / 2
