"""Newton's method on the dual: with a dense Hessian where answers are few, by conjugate gradients where they are many.

A *form* knows how to turn exponents into a distribution (a table, a quotient, a tree). The method keeps the exponents
Q^T theta beside theta and adds Q^T step to them: computed anew from a theta whose parts are huge and cancel (two
measurements that contradict each other), they would lose the digits that matter. What rounding does to them is as if
the prior had been changed by as little.

The line search looks at slopes. F is concave along a step, so a slope that has not changed its sign is proof of a rise,
where the difference of two values of F would be lost in rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.base.grid import Floats
from discreet.synthetic.fit.objective import Objective

TOLERANCE = 1e-3
"""Residuals, in standard deviations of the noise, at which a fit has converged."""

MOST_ROUNDED = 0.1
"""The largest residual of a fit that is called converged where rounding allows no smaller one."""

REACH = 2.0
"""How far a theta goes in the first step, at most."""

LEAST_REACH = 0.3
"""How far a theta goes at most, where longer steps had to be cut."""

SOON = 20
"""Steps after which the optimum is followed from a larger slack."""

MOST_STEPS = 200
MOST_PRODUCTS = 400
"""Products with the Hessian in one step."""

ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""What rounding may leave of a residual, relative to the numbers it is a difference of, and to the exponents: shares
are known no better than to the last digit of their logarithms."""


Scaling = Callable[[Floats], Floats]
"""A linear map that is symmetric and positive."""


class TiltedModel(Protocol):
    """A distribution p_theta: its normaliser, and means and covariances of the questions."""

    log_z: float
    means: Floats

    def multiply(self, values: Floats) -> Floats:
        """Return Cov_p(Q) times values."""

    def find_variances(self) -> Floats:
        """Return the variance of each question, or something near it: it only decides how fast a fit is."""

    def write_scaling(self, slack: Floats) -> Scaling:
        """Return what multiplies by something near the inverse of Cov_p(Q) + slack: it decides how fast a fit is."""

    def find_covariance(self) -> Floats:
        """Return Cov_p(Q), a square array."""


Point = TypeVar("Point", bound=TiltedModel)
PointOut = TypeVar("PointOut", bound=TiltedModel, covariant=True)


class FitForm(Protocol[PointOut]):
    """How distributions are held: what turns thetas into exponents, and exponents into a distribution."""

    @property
    def few(self) -> bool:
        """Whether covariances are best computed as a whole."""

    def spread(self, theta: Floats) -> Floats:
        """Return the exponents Q^T theta, in the form's own shape."""

    def tilt(self, exponents: Floats) -> PointOut:
        """Return the distribution proportional to prior * exp(exponents)."""


@dataclass(frozen=True, slots=True)
class FitReport:
    """How a fit ended: what it took, and how far from the optimum it may be."""

    steps: int
    products: int
    residual: float
    """The largest residual, in standard deviations of the noise."""
    gap: float
    """How many nats the estimate may lie above the least of the objective."""
    converged: bool
    kappa: float
    total: float


@dataclass(slots=True)
class Standing(Generic[Point]):
    """Where the method stands, and what it took to get there."""

    theta: Floats
    exponents: Floats
    point: Point
    steps: int = 0
    products: int = 0
    most_products: int | None = None

    @property
    def left(self) -> int:
        """How many products the next step may take."""
        return MOST_PRODUCTS if self.most_products is None else min(MOST_PRODUCTS, self.most_products - self.products)


def climb(
    form: FitForm[Point],
    objective: Objective,
    start: Floats | None = None,
    tolerance: float = TOLERANCE,
    rough: float = 0.0,
    most_products: int | None = None,
) -> tuple[Floats, Point, FitReport]:
    """Return the theta that maximises F, its distribution, and how well it is known.

    The method ends where every residual is below the tolerance, or their root mean square is below `rough`. It also
    ends where it took `most_products` with the Hessian: each step rises, so what it has is better than where it began.

    Answers that contradict each other by far more than their noise put p into a corner, where most directions are flat
    and some very steep. Where Newton's method does not converge soon we follow the optimum from a large slack, where it
    lies near the prior, down to the true one: near an optimum for ten times the slack the method is quick.
    """
    theta = np.zeros(len(objective.shares)) if start is None else start.astype(np.float64)
    exponents = form.spread(theta)
    place = Standing(theta, exponents, form.tilt(exponents), most_products=most_products)
    gradient, met = _approach(form, objective, place, tolerance, SOON, REACH, rough)
    if not met and most_products is None:
        place.theta, place.exponents = np.zeros_like(theta), np.zeros_like(exponents)
        place.point = form.tilt(place.exponents)
        factor = float((np.abs(objective.shares - place.point.means) / objective.slack).max())
        while factor > 1:
            looser = replace(objective, slack=objective.slack * factor)
            _approach(form, looser, place, 0.1, SOON, np.inf)
            factor /= 10
        gradient, met = _approach(form, objective, place, tolerance, MOST_STEPS, np.inf, rough)
    residuals = gradient / objective.deviation
    worst = float(np.abs(residuals).max(initial=0.0))
    report = FitReport(
        place.steps,
        place.products,
        worst,
        float(residuals @ residuals / 2),
        met and (worst <= max(tolerance, MOST_ROUNDED) or rough > 0),
        objective.kappa,
        objective.total,
    )
    return place.theta, place.point, report


def _approach(
    form: FitForm[Point],
    objective: Objective,
    place: Standing[Point],
    tolerance: float,
    most: int,
    reach: float,
    rough: float = 0.0,
) -> tuple[Floats, bool]:
    """Move a place to the optimum in at most so many steps; return the gradient there, and whether it is small."""
    for step_number in range(most + 1):
        gradient = objective.shares - place.point.means - objective.slack * place.theta
        sizes = np.abs(objective.shares) + np.abs(place.point.means) + objective.slack * np.abs(place.theta)
        sizes += float(np.abs(place.exponents).max(initial=0.0))
        met = bool((np.abs(gradient) <= tolerance * objective.deviation + ROUNDING * sizes).all())
        met = met or _find_size(gradient / objective.deviation) < rough
        if met or step_number == most or place.left <= 0:
            break
        step, used = _find_step(form.few, objective, place, gradient, reach)
        place.products += used
        found = _search(form, objective, place, step, float(gradient @ step))
        if found is None:
            break
        length, place.exponents, place.point = found
        reach = 3 * reach if length == 1 else max(reach * length, LEAST_REACH)
        place.theta = place.theta + length * step
        place.steps += 1
    return gradient, met


def _find_size(residuals: Floats) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(residuals**2))) if len(residuals) else 0.0


def _find_step(
    few: bool, objective: Objective, place: Standing[Point], gradient: Floats, reach: float
) -> tuple[Floats, int]:
    """Return Newton's step, damped where a theta would go further than `reach`, and how many products it took.

    Shares grow like exponentials of thetas, and Newton's method takes them for straight lines: a cell that must grow a
    thousandfold is sent e^1000 too far, and a line search would hold all others back with it. So each theta has a
    damping of its own, added to the diagonal; near the optimum there is none.
    """
    point = place.point
    damping = np.maximum(np.abs(gradient) / reach - objective.slack, 0.0)
    if few:
        covariance = point.find_covariance()
        damped = objective.slack + np.maximum(damping - np.diagonal(covariance), 0.0)
        return _solve(covariance, damped, gradient), 0
    variances = point.find_variances().clip(0)
    damped = objective.slack + np.maximum(damping - variances, 0.0)
    worst = float(np.abs(gradient / objective.deviation).max())
    return _conjugate(point, damped, point.write_scaling(damped), gradient, min(0.1, worst), place.left)


def scale_each(variances: Floats, slack: Floats) -> Scaling:
    """Return what scales each question by its own variance."""
    scale = 1 / (variances.clip(0) + slack)
    return lambda values: scale * values


def _solve(covariance: Floats, slack: Floats, gradient: Floats) -> Floats:
    """Return (covariance + slack)^-1 gradient: scaled to a diagonal of ones, and refined once."""
    scale = 1 / np.sqrt(np.diagonal(covariance).clip(0) + slack)
    matrix = covariance * scale[:, None] * scale
    np.fill_diagonal(matrix, 1.0)
    wanted = gradient * scale
    jitter = 0.0
    while True:
        try:
            factor = cho_factor(matrix + jitter * np.eye(len(matrix)), lower=True, check_finite=False)
            break
        except LinAlgError:
            jitter = max(10 * jitter, 1e-15 * len(matrix))
    found = cho_solve(factor, wanted, check_finite=False)
    found += cho_solve(factor, wanted - matrix @ found, check_finite=False)
    return np.asarray(found * scale)


def _conjugate(
    point: TiltedModel, slack: Floats, scale: Scaling, gradient: Floats, share: float, most: int
) -> tuple[Floats, int]:
    """Return a rough solution of the Newton equation, better near the optimum, and the products that it took."""
    step = np.zeros_like(gradient)
    left = gradient.copy()
    direction = scale(left)
    size = float(left @ direction)
    enough = size * share**2
    used = 0
    while used < most and size > enough:
        image = point.multiply(direction) + slack * direction
        used += 1
        with np.errstate(over="ignore", invalid="ignore"):
            bend = float(direction @ image)
        if not 0 < bend < np.inf:
            break
        length = size / bend
        step += length * direction
        left -= length * image
        conditioned = scale(left)
        with np.errstate(over="ignore", invalid="ignore"):
            size, before = float(left @ conditioned), size
        if not np.isfinite(size):  # rounding has eaten the directions: the line search sees what the step is worth
            break
        direction = conditioned + (size / before) * direction
    return (step if used else scale(gradient)), used


def _search(
    form: FitForm[Point], objective: Objective, place: Standing[Point], step: Floats, slope: float
) -> tuple[float, Floats, Point] | None:
    """Return how far to go along a step, with the exponents and the distribution there; None where nothing rises."""
    if not slope > 0:
        return None
    change = form.spread(step)
    length = 1.0
    for _ in range(60):
        reached = place.exponents + length * change
        tilted = form.tilt(reached)
        there = objective.shares - tilted.means - objective.slack * (place.theta + length * step)
        now = float(there @ step)
        if now >= 0:
            return length, reached, tilted
        linear = float((objective.shares - objective.slack * (place.theta + length / 2 * step)) @ step)
        rise = length * linear - (tilted.log_z - place.point.log_z)
        noise = ROUNDING * (1 + abs(tilted.log_z) + abs(length * linear))
        if now >= -slope / 2 and rise >= 1e-4 * length * slope - noise:
            return length, reached, tilted
        length *= float(np.clip(slope / (slope - now), 0.05, 0.5))
    return None
