"""Learning by one noisy minimum: noise on its weights, or in what is minimised, instead of in every step of a descent.

Everything that shapes it is public: what may be spent, how long a gradient can be, and a noisy number of rows. What it
costs is the desk's to say (`curator/door/minima.py`); here the objective is chosen, and the noise that spends just
what may be spent.

**How much slopes are cut.** A slope cut at a part of its longest lowers the noise by as much, and the loss stays
convex. `SLOPES` has the part for each method.

**Which ridge.** *Output*: noise on weights shrinks with the ridge, and so do the weights. It is such that the noise in
the score of a row has the deviation `SPREAD`, beside how far scores go until slopes are flat: .7 for logistic.
*Objective*: the theorem charges for the push and for how much one unit bends the objective beside the ridge
(`privacy/objective.py`). The ridge is the least, to a tenth, for which bending costs no more than `BEND` of it. Both
grow with 1 / mu and not with the rows, so that more rows are tempered less. No ridge is so small that the solver would
take more steps than a desk allows.

**How many units to expect.** As many as rows were counted, about: more only make the solver slower. Where few are
expected, a unit's leaving moves the weights of all others (`gradients/objective.py`): of `ENOUGH` sqrt(d / rho) and
more, that adds less than a fiftieth to the root of rho.

`bench/learning.py` measures it beside descent, which errs no more on Adult at any epsilon, and takes far less time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.curator.door.minima import (
    MinimumNoise,
    ObjectiveNoise,
    OutputNoise,
    bound_output,
    bound_rest,
    cost_push,
)
from discreet.gradients.encoding import FEATURE_STEPS
from discreet.gradients.minimum import MOST_STEPS, count_steps
from discreet.gradients.objective import EASE, LEAST_RIDGE, MOST_RIDGE, MOST_UNITS, LinearObjective
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.gradients.slopes import CURVATURES, find_curvature
from discreet.gradients.sums import GRADIENT_STEPS, MOST_CLIP, LinearGradients, hold_weights
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

Method = Literal["output", "objective"]
METHODS: tuple[Method, ...] = get_args(Method)

SLOPES: dict[Method, float] = {"output": 0.5, "objective": 0.7}
"""Where slopes are cut, as a part of the longest."""

SPREAD = 0.175
"""The standard deviation of the noise in a row's score, as a part of the longest slope over the curvature."""

BEND = Fraction(1, 3)
"""The part of rho that pays for how a unit bends the objective."""

REST = Fraction(1, 50)
"""The part of rho that pays for the noise which covers the solver and the rounding of a push."""

BITS: dict[Method, int] = {"output": 8, "objective": 13}
"""How near the minimum the solver comes."""

ENOUGH = 20
"""How many units are expected at least, in the root of entries over rho."""

RIDGES = 2 ** (1 / 8)
"""Ridges are looked for in steps of this factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Perturbed:
    """The weights of a noisy minimum, in whole steps, and how it was found."""

    weights: list[int]
    rows: float
    method: Method
    objective: LinearObjective
    noise: float
    """A bound on the standard deviation of the noise in a weight."""

    def describe(self) -> Json:
        """Return the form of it: weights, line by line, and public facts."""
        objective = self.objective
        settings: Json = {
            "method": self.method,
            "ridge": repr(objective.ridge),
            "clip": repr(float(objective.longest)),
            "slope": repr(objective.slope / objective.gradients.residual.longest),
            "units": objective.units,
            "steps": count_steps(objective),
        }
        return {
            "weights": list(self.weights),
            "rows": round(self.rows),
            "settings": settings,
            "noise": repr(self.noise),
        }


def check_method(method: Method, gradients: LinearGradients) -> None:
    """Refuse a loss for which no theorem bounds how far a minimum moves: that follows from public facts."""
    if type(gradients.residual) not in CURVATURES:
        raise ParameterError("method", method, "descent: a minimum is bounded for logistic, svc and huber")
    if method == "objective" and gradients.residual.outputs > 1:
        raise ParameterError("method", method, "output or descent: the objective is pushed for two classes or a number")


def perturb(
    source: GradientSource,
    gradients: LinearGradients,
    method: Method,
    allowance: GaussianAllowance,
    size: int | None = None,
    length: float | None = None,
) -> Perturbed:
    """Return the weights of a noisy minimum, for all of an allowance; rows are counted unless their number is public.

    `length` is how long most rows' features are, if that is public; those of longer rows weigh less. Noise that could
    not be drawn for few rows is refused whatever was counted: a rehearsal counts many.
    """
    check_method(method, gradients)
    rows, left = source.find_rows(size, allowance)
    length = gradients.encoding.longest / FEATURE_STEPS if length is None else length
    choose_noise(choose_objective(gradients, method, left, 1.0, length, source), method, left, source)
    objective = choose_objective(gradients, method, left, rows, length, source)
    noise = choose_noise(objective, method, left, source)
    weights = np.array([each / objective.steps for each in source.draw_minimum(objective, noise)])
    held = hold_weights(weights.reshape(gradients.shape)).ravel().tolist()
    return Perturbed(held, rows, method, objective, bound_deviation(objective, noise))


def choose_objective(
    gradients: LinearGradients,
    method: Method,
    allowance: GaussianAllowance,
    rows: float,
    length: float,
    source: GradientSource,
) -> LinearObjective:
    """Return what is minimised, from what may be spent, the number of rows, and public bounds."""
    residual = gradients.residual
    slope = residual.longest if residual.outputs > 1 else max(1, round(SLOPES[method] * residual.longest))
    clip = round(length * FEATURE_STEPS * slope * source.most_rows**0.5)
    held = replace(gradients, clip=min(max(FEATURE_STEPS, clip), MOST_CLIP))
    units = max(rows, ENOUGH * math.sqrt(gradients.entries / float(allowance.rho)))
    plain = LinearObjective(held, slope, 1.0, min(math.ceil(units), MOST_UNITS), BITS[method])
    if method == "output":
        moved = max(1 + float(EASE), source.factor) * float(plain.longest) * length
        spread = SPREAD * residual.longest / RESIDUAL_STEPS / find_curvature(residual)
        ridge = hold_ridge(moved / (spread * allowance.mu))
    else:
        spent = allowance.take(1 - REST).rho
        sigma = find_least_push(plain, spent, source) / math.sqrt(1 - BEND)
        ridge = find_ridge(
            plain, LEAST_RIDGE, lambda each: cost_push(each, sigma, source.most_rows, source.factor) <= spent
        )
    return replace(plain, ridge=find_ridge(plain, ridge, lambda each: count_steps(each) <= MOST_STEPS))


def choose_noise(
    objective: LinearObjective, method: Method, allowance: GaussianAllowance, source: GradientSource
) -> MinimumNoise:
    """Return the noise that costs all of an allowance, or hardly less."""
    if method == "output":
        return OutputNoise(allowance.make_noise(bound_output(objective, source.factor)))
    spent = allowance.take(1 - REST).rho
    low = find_least_push(objective, spent, source)
    high = low / math.sqrt(1 - BEND)
    for _ in range(10):
        middle = (low + high) / 2
        fits = cost_push(objective, middle, source.most_rows, source.factor) <= spent
        low, high = (low, middle) if fits else (middle, high)
    return ObjectiveNoise(allowance.hold_noise(high), allowance.take(REST).make_noise(bound_rest(objective)))


def find_least_push(objective: LinearObjective, rho: Fraction, source: GradientSource) -> float:
    """Return the deviation of a push that would cost rho if nothing were bent, in the steps of gradients."""
    return max(1 + float(EASE), source.factor) * objective.gradients.clip / math.sqrt(2 * float(rho))


def find_ridge(objective: LinearObjective, ridge: float, fits: Callable[[LinearObjective], bool]) -> float:
    """Return the least ridge, to a tenth, from this one upwards with which an objective fits; larger ones do too."""
    low, high = -1, math.ceil(math.log(MOST_RIDGE / ridge, RIDGES))
    if not fits(replace(objective, ridge=MOST_RIDGE)):
        raise ParameterError("method", "a minimum", "descent: no ridge is large enough for these features")
    while high - low > 1:
        middle = (low + high) // 2
        held = hold_ridge(ridge * RIDGES**middle)
        low, high = (low, middle) if fits(replace(objective, ridge=held)) else (middle, high)
    return hold_ridge(ridge * RIDGES**high)


def hold_ridge(ridge: float) -> float:
    """Return a ridge that an objective can have."""
    return min(max(ridge, LEAST_RIDGE), MOST_RIDGE)


def bound_deviation(objective: LinearObjective, noise: MinimumNoise) -> float:
    """Return a bound on how far noise moves a weight: a standard deviation.

    A push moves a minimum by at most its length over the ridge: as far, where the data say nothing about a weight.
    """
    if isinstance(noise, OutputNoise):
        return noise.noise.sigma / objective.steps
    return math.hypot(
        noise.push.sigma / GRADIENT_STEPS / objective.ridge,
        noise.output.sigma / objective.steps,
    )
