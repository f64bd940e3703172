"""Descent with momentum on noisy gradients of all rows, and the mean of its last steps.

Everything that shapes it is public: what may be spent, how long a gradient can be, and a noisy number of rows. So
nothing is tuned on the data, and nothing has to be paid for tuning.

**How long to descend.** With T steps of rate r and momentum m the weights travel a *time* t = r T / (1 - m). A step's
noise has the standard deviation K sqrt(T) / (mu n) for each weight (K the clip, n the rows), and all of it together
moves a weight that the data say nothing about by about t K / (mu n), however many steps there are. So a time of
`PATIENCE` * mu n / K leaves noise of a few units in weights that do not matter, and far less in those that do. To stop
there is to regularise: it does what a ridge of about 1 / t would do.

**How much to clip.** A clip below the longest possible gradient cuts rows that are predicted badly, and lowers the
noise on all, at the price of a bias: coefficients come out too large. Where the time without a clip is `LONG` nothing
is clipped; where it is shorter, down to `LEAST_CLIP` of the longest (`bench/learning.py` shows what that gains).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.gradients.encoding import FEATURE_STEPS
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients, hold_weights
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.kinds import find_kind
from discreet.learn.source import GradientSource

STEPS = 200
PATIENCE = 2.0
"""Time, in units of mu times the number of rows."""

LONG = 10_000.0
"""A time that needs no clip to gain more."""

LEAST_CLIP = 0.4
"""The least clip, as a part of the longest gradient of a row."""

MOST_RATE = 4.0
"""The largest step, for features of length 1 and a curvature of 1/4."""

LEAST_MOMENTUM, MOST_MOMENTUM = 0.9, 0.98


@dataclass(frozen=True, slots=True)
class DescentSettings:
    """How a descent goes: in features of length at most 1."""

    steps: int
    rate: float
    momentum: float
    tail: int
    """Of how many last steps the mean is taken."""

    def describe(self) -> Json:
        """Return the form of the settings."""
        return {"steps": self.steps, "rate": repr(self.rate), "momentum": repr(self.momentum), "tail": self.tail}


def choose_settings(
    mu: float, rows: float, length: float, clip: float, curvature: float, patience: float = 1.0
) -> DescentSettings:
    """Return settings for what may be spent, the number of rows, and public bounds.

    `length` is how long a row's features can be, `clip` how long a unit's gradient, and `curvature` the largest second
    derivative of the loss by its score; `patience` says how many times as long as usual to descend.
    """
    time = PATIENCE * patience * mu * rows * length / clip
    most = MOST_RATE / (4 * curvature)
    momentum = min(max(1 - most * STEPS / max(time, 1e-9), LEAST_MOMENTUM), MOST_MOMENTUM)
    rate = min(time * (1 - momentum) / STEPS, most)
    return DescentSettings(STEPS, rate, momentum, STEPS // 2)


def choose_clip(mu: float, rows: float) -> float:
    """Return the clip, as a part of the longest gradient of a row."""
    return min(max(PATIENCE * mu * rows / LONG, LEAST_CLIP), 1.0)


def descend(
    source: GradientSource,
    gradients: LinearGradients,
    allowance: GaussianAllowance,
    settings: DescentSettings,
    rows: float,
    length: float,
) -> Floats:
    """Return the mean of the last weights of a descent; every step costs the same part of the allowance.

    Features are made to have length 1, about, by dividing them by `length`: the weights are then longer by as much.
    """
    part = allowance.take(Fraction(1, settings.steps))
    weights, velocity, total = (np.zeros(gradients.shape) for _ in range(3))
    for step in range(settings.steps):
        slope = source.sum(gradients, weights / length, part) / (length * rows)
        velocity = settings.momentum * velocity - settings.rate * slope
        weights = weights + velocity
        if step >= settings.steps - settings.tail:
            total += weights
    return np.asarray(total / (settings.tail * length))


def bound_noise(settings: DescentSettings, deviation: float) -> float:
    """Return a bound on how far noise moves a weight of the mean: a standard deviation, for slopes with this noise.

    Theorem. Where the loss is a parabola with curvature h >= 0 along an eigenvector, and h * rate is at most
    2 (1 + momentum), noise of one step is worth r_1^k + r_1^(k-1) r_2 + ... + r_2^k after k more, with roots
    r_1 r_2 = m and r_1 + r_2 = 1 + m - h * rate. All of it is largest, for every k, where h = 0 and the roots are 1 and
    m: sums of products of two numbers with a fixed product grow as they move apart, and complex roots have the size
    sqrt(m), for which (k + 1) m^(k/2) is less by the inequality of the means. So a weight that the data say nothing
    about has the most noise, and this is its deviation: independent noises of all steps, each with what it is worth
    in the mean of the last ones.
    """
    ages = np.arange(settings.steps)
    worth = (1 - settings.momentum ** (ages + 1)) / (1 - settings.momentum)
    sums = np.concatenate([[0.0], np.cumsum(worth)])
    last = settings.steps - np.arange(settings.steps)
    first = np.maximum(last - settings.tail, 0)
    shares = (sums[last] - sums[first]) / settings.tail
    return float(settings.rate * deviation * np.sqrt((shares**2).sum()))


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The weights that a descent found, in whole steps, and how it went."""

    weights: list[int]
    rows: float
    settings: DescentSettings
    noise: float
    """A bound on the standard deviation of the noise in a weight."""

    def describe(self) -> Json:
        """Return the form of it: weights, line by line, and public facts."""
        return {
            "weights": list(self.weights),
            "rows": round(self.rows),
            "settings": self.settings.describe(),
            "noise": repr(self.noise),
        }


def train(
    source: GradientSource,
    gradients: LinearGradients,
    model: str,
    allowance: GaussianAllowance,
    size: int | None = None,
    length: float | None = None,
    patience: float = 1.0,
) -> Trained:
    """Return the weights of a model, for all of an allowance; rows are counted unless their number is public.

    Few units have as many rows as they may: the clip grows with the root of that number. `length` is how long most
    rows' features are, if that is public: it shapes the descent, and rows that are longer are clipped.
    """
    rows, allowance = source.find_rows(size, allowance)
    share = choose_clip(allowance.mu, rows / source.most_rows) * source.most_rows**0.5
    if length is None:
        length = gradients.encoding.longest / FEATURE_STEPS
    longest = length * gradients.residual.longest * FEATURE_STEPS
    clipped = replace(gradients, clip=max(FEATURE_STEPS, round(longest * share)))
    clip = clipped.clip / GRADIENT_STEPS
    settings = choose_settings(allowance.mu, rows, length, clip, find_kind(model).curvature, patience)
    weights = descend(source, clipped, allowance, settings, rows, length)
    noise = allowance.take(Fraction(1, settings.steps)).make_noise(source.factor * clipped.clip)
    deviation = bound_noise(settings, noise.sigma / GRADIENT_STEPS / (length * rows)) / length
    return Trained(hold_weights(weights).ravel().tolist(), rows, settings, deviation)
