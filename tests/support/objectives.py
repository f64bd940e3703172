"""Objectives from the definition, apart from the source: gradients in balls, and minima by Newton's method.

For a function that is strongly convex with the constant `ridge`, a point is no farther from the minimum than its
gradient over the ridge: so gradients in balls prove how near a minimum is, whoever found it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb

from discreet.base.grid import Floats
from discreet.base.rounding import ball, precision, up
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS
from discreet.gradients.objective import LinearObjective
from discreet.gradients.residuals import RESIDUAL_STEPS, HingeResidual, SoftmaxResidual, SquaredResidual
from discreet.gradients.sums import GRADIENT_STEPS
from support.encoded import expand_features

BITS = 200


def find_true_slopes(objective: LinearObjective, scores: list[arb], label: int) -> list[arb]:
    """Return the slopes of one row's loss, in balls."""
    residual = objective.gradients.residual
    if isinstance(residual, SoftmaxResidual):
        if not 0 <= label < residual.classes:
            return [arb(0)] * residual.classes
        most = max(scores, key=lambda score: float(score.mid()))
        parts = [(score - most).exp() for score in scores]
        total = sum(parts, arb(0))
        return [part / total - (place == label) for place, part in enumerate(parts)]
    (score,) = scores
    cut = ball(Fraction(objective.slope, RESIDUAL_STEPS))
    if isinstance(residual, SquaredResidual):
        found = (score - ball(Fraction(label, RESIDUAL_STEPS))).min(arb(residual.threshold) / RESIDUAL_STEPS)
        found = found.max(-arb(residual.threshold) / RESIDUAL_STEPS)
    elif label not in (0, 1):
        return [arb(0)]
    elif isinstance(residual, HingeResidual):
        sign = 2 * label - 1
        found = -sign * (1 - sign * score).max(arb(0)).min(arb(1))
    else:
        found = 1 / (1 + (-score).exp()) - label
    return [found.max(-cut).min(cut)]


def find_shares(objective: LinearObjective, points: Ints, offsets: Ints) -> list[Fraction]:
    """Return the weight of each row, from the definition."""
    lengths = objective.gradients.encoding.encode(points).lengths.tolist()
    found, whole = [], objective.weigh(len(offsets) - 1)
    for first, last in pairwise(offsets.tolist()):
        total, allowed = sum(lengths[first:last]), objective.gradients.clip // objective.slope
        share = Fraction(1) if total <= allowed else Fraction(math.nextafter(allowed / total, 0))
        found += [whole * share] * (last - first)
    return found


def find_true_gradient(
    objective: LinearObjective, points: Ints, offsets: Ints, weights: list[Fraction], push: Any = None, bits: int = BITS
) -> float:
    """Return the length of the gradient at some weights, rounded up; a push is in the steps of gradients."""
    encoding, outputs = objective.gradients.encoding, objective.gradients.residual.outputs
    labels = encoding.encode(points).labels.tolist()
    with precision(bits):
        held = [ball(each) for each in weights]
        total = [ball(Fraction(objective.ridge)) * each for each in held]
        if push is not None:
            total = [each + ball(Fraction(one) / GRADIENT_STEPS) for each, one in zip(total, push, strict=True)]
        shares = find_shares(objective, points, offsets)
        for line, label, share in zip(points.tolist(), labels, shares, strict=True):
            features = [ball(Fraction(x, FEATURE_STEPS)) for x in expand_features(encoding, line)]
            scores = [
                sum((x * held[at * outputs + output] for at, x in enumerate(features)), arb(0))
                for output in range(outputs)
            ]
            slopes = find_true_slopes(objective, scores, label)
            for at, x in enumerate(features):
                for output in range(outputs):
                    total[at * outputs + output] += ball(share) * slopes[output] * x
        return math.hypot(*(up(abs(each)) for each in total)) * (1 + 1e-12)


def minimise_by_newton(objective: LinearObjective, points: Ints, offsets: Ints, push: Any = None) -> Floats:
    """Return the minimum of an objective of one score, by Newton's method with a line search."""
    encoding, residual = objective.gradients.encoding, objective.gradients.residual
    rows = [expand_features(encoding, line) for line in points.tolist()]
    matrix = np.array(rows, dtype=np.float64).reshape(-1, encoding.width) / FEATURE_STEPS
    labels = encoding.encode(points).labels
    shares = np.array([float(each) for each in find_shares(objective, points, offsets)])
    b = np.zeros(encoding.width) if push is None else np.array(push, dtype=np.float64) / GRADIENT_STEPS
    cut = objective.slope / RESIDUAL_STEPS

    def find_slopes(scores: Floats) -> tuple[Floats, Floats]:
        if isinstance(residual, SquaredResidual):
            slopes, bends = scores - labels / RESIDUAL_STEPS, np.ones_like(scores)
            held = min(cut, residual.threshold / RESIDUAL_STEPS)
        elif isinstance(residual, HingeResidual):
            signs = 2.0 * labels - 1
            margins = 1 - signs * scores
            slopes, held = np.asarray(-signs * np.clip(margins, 0, 1), dtype=np.float64), cut
            bends = ((margins > 0) & (margins < 1)).astype(np.float64)
        else:
            odds = 0.5 * (1 + np.tanh(scores / 2))
            slopes, bends, held = odds - labels, odds * (1 - odds), cut
        known = np.ones(len(labels)) if isinstance(residual, SquaredResidual) else (labels >= 0) & (labels <= 1)
        return np.clip(slopes, -held, held) * known, bends * (np.abs(slopes) < held) * known

    def find_gradient(weights: Floats) -> Floats:
        slopes, _ = find_slopes(matrix @ weights)
        return np.asarray(matrix.T @ (shares * slopes) + objective.ridge * weights + b)

    weights = -b / objective.ridge
    for _ in range(300):
        gradient = find_gradient(weights)
        if np.linalg.norm(gradient) < 1e-13 * objective.ridge:
            break
        bends = find_slopes(matrix @ weights)[1]
        hessian = (matrix * (shares * bends)[:, None]).T @ matrix + objective.ridge * np.eye(len(weights))
        step, size = np.linalg.solve(hessian, gradient), 1.0
        while size > 1e-8 and step @ find_gradient(weights - size * step) < -0.5 * abs(step @ gradient):
            size /= 2
        weights = weights - size * step
    return weights
