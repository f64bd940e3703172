"""An additive model of step functions: one value for each bin of each feature, which anybody can look at.

Features come as places: categories, or bins between public bounds. The model's score is the intercept plus one step
for each feature. First the number of rows in each bin is released. Then every round releases the sums of residuals in
all bins, as one gradient of a logistic model of places (exact, noisy), and each feature's steps move by

    - rate * (H + ridge + smoothness)^-1 * sums,

with H the curvature that the noisy number of rows in each bin gives. That is boosting with stumps of one feature each
(as in DP-EBM: Nori, Caruana, Bu, Shen, Kulkarni 2021), all features in each round: a round of all costs what one round
for each would. What all rows have in common moves the intercept alone. Features that say the same thing would go too
far together: the next noisy slopes show that, and the rate becomes smaller for good.

A unit's only row is never clipped: with residuals that are clipped the steps would be larger than the log odds, and
probabilities too sure. (On Adult at epsilon 1 a clip of .3 of the longest had the same area under the curve, .907, and
a log loss of .333 instead of .319.)

**Ridge and smoothness are public**: noise of all rounds together moves a sum by about rate * rounds * clip / mu, so a
bin with fewer rows than that follows its neighbours, where bins have an order, or stays near 0. The mean of the second
half of the rounds is returned, which is quieter than the last.

**Errors.** To first order, and as if features were independent of each other, a round takes a feature's steps to
A w - rate * M * (noise + sampling) with M = (H + R)^-1, R the ridge and smoothness, and A = I - rate * M * H. With
H v = l (H + R) v, all of it is diagonal in the vectors v, so that the covariance of the mean of the last rounds is
known: noise is new in each round, sampling (of covariance H) is the same in all. What ridge and smoothness hold back
is no error of this kind: the steps are those of a model that is held back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from scipy import linalg

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import EncodedRows, Encoding, PlaceFeature, find_slices
from discreet.gradients.groups import FeatureSums, LabelGroups, bound_groups
from discreet.gradients.residuals import RESIDUAL_STEPS, LogisticResidual
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

COUNT_SHARE = Fraction(1, 10)
"""The part of an allowance that the numbers of rows in bins get."""

ROUNDS = 30
TIME = 6.0
"""The rate times the rounds: where one feature matters, exact sums bring a bin within exp(-6) of its best value."""

CURVATURE = 0.2
"""The curvature of a row's loss, which is at most 1/4."""

MOST_PLACES = 1 << 12
"""Places of one feature: matrices of as many lines are inverted."""

ORDERED_RIDGE = 0.1
"""The ridge of bins that have an order, as a part of others': their neighbours hold them."""


@dataclass(frozen=True, slots=True, eq=False)
class Stumps:
    """The steps of each feature and the intercept, for the logarithm of the odds of label 1."""

    encoding: Encoding
    steps: tuple[Floats, ...]
    """For each feature, the value of each place; the mean over rows is about 0."""
    intercept: float
    rows: tuple[Floats, ...]
    """For each feature, the noisy number of rows in each place, at least 0."""
    errors: tuple[Floats, ...]
    """For each feature, the standard error of each step: noise and sampling."""
    count: float
    """How many rows there are, about."""

    def find_scores(self, rows: EncodedRows) -> Floats:
        """Return the logarithm of the odds of each row."""
        scores = np.full(len(rows), self.intercept)
        for places, steps in zip(rows.places, self.steps, strict=True):
            scores += steps[places]
        return scores

    def rank_features(self) -> Floats:
        """Return how much each feature matters: the mean size of its steps over rows, from noisy numbers of rows."""
        return np.array(
            [
                float(np.abs(steps) @ rows / max(float(rows.sum()), 1.0))
                for steps, rows in zip(self.steps, self.rows, strict=True)
            ]
        )


def fit_stumps(
    source: GradientSource,
    encoding: Encoding,
    ordered: Sequence[int],
    allowance: GaussianAllowance,
    rounds: int = ROUNDS,
) -> Stumps:
    """Return the model for labels 0 and 1, for all of an allowance.

    `ordered` says of each feature how many of its last places are bins with an order: none of a category, and all but
    the first where that stands for what is missing.
    """
    _check_features(encoding, ordered)
    check.integer("rounds", rounds, least=2, most=10_000)
    many = math.sqrt(source.most_rows)
    counted, _ = source.moments(count_places(encoding, many), allowance.take(COUNT_SHARE))
    rest = allowance.take(1 - COUNT_SHARE)
    clip = math.ceil(many * encoding.longest * RESIDUAL_STEPS)
    gradients = LinearGradients(encoding, LogisticResidual(), clip)
    noise = TIME * clip / GRADIENT_STEPS / rest.mu * source.factor
    parts = find_slices(encoding.features)
    rows = [np.maximum(counted[part], 0) for part in parts]
    curves = [find_curvature(each, noise, bins) for each, bins in zip(rows, ordered, strict=True)]
    whole = 1 / (CURVATURE * max(float(counted[-1]), 0.0) + noise)
    shares = [each / max(float(each.sum()), 1.0) for each in rows]

    def find_move(slope: Floats) -> Floats:
        """Return where to move: what all rows have in common moves the intercept, and the rest moves the steps."""
        moves = [
            curve.divide(slope[part] - share * slope[-1])
            for part, curve, share in zip(parts, curves, shares, strict=True)
        ]
        return np.concatenate([*moves, [whole * slope[-1]]])

    step = rest.take(Fraction(1, rounds))
    deviation = step.make_noise(source.factor * clip).sigma / GRADIENT_STEPS
    weights, total, rates = np.zeros(gradients.shape), np.zeros(gradients.shape), list[float]()
    steepest, most = rounds / TIME, (len(parts) + 1) / (4 * CURVATURE)
    slope, move = np.zeros(len(weights)), np.zeros(len(weights))
    for at in range(rounds):
        before, slope = slope, source.sum(gradients, weights, step)[:, 0]
        if at:
            steepest = max(
                steepest, min(find_steepness(move[:-1], before[:-1], slope[:-1], rates[-1], deviation), most)
            )
        rates.append(1 / steepest)
        move = find_move(slope)
        weights[:-1, 0] -= rates[-1] * move[:-1]
        weights[-1, 0] -= TIME / rounds * move[-1]
        if at >= rounds // 2:
            total += weights / (rounds - rounds // 2)
    covariances = [curve.find_covariance(rates, deviation) for curve in curves]
    return centre_steps(encoding, total[:, 0], rows, covariances, max(float(counted[-1]), 1.0))


def find_steepness(move: Floats, before: Floats, after: Floats, rate: float, deviation: float) -> float:
    """Return how much steeper the loss is along the last move than the features' own curvatures say: at least, about.

    The slope changes by rate * H * move, and the move is (H' + R)^-1 times the slope, with H' the part of H within
    features. Features that say the same thing add up, so that all together would go too far. Two standard deviations
    of the noise are taken away, so that noise alone makes nothing slower.
    """
    along = float(move @ before)
    noise = 2 * deviation * math.sqrt(2 * float(move @ move))
    return (float(move @ (before - after)) - noise) / (rate * along) if along > 0 else 0.0


def count_places(encoding: Encoding, many: float) -> FeatureSums:
    """Return the sums that count the rows of every place: one group, whatever the label."""
    label = replace(encoding.label, low=0, high=0)
    plain = Encoding(encoding.features, label)
    return FeatureSums(plain, LabelGroups(1), math.ceil(bound_groups(plain) * many))


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """A feature's curvature H with its ridge and smoothness R, by vectors V with V' (H + R) V = I."""

    vectors: Floats
    shares: Floats
    """The part of H in H + R along each vector: V' H V = diag(shares)."""

    def divide(self, sums: Floats) -> Floats:
        """Return (H + R)^-1 times some sums."""
        return np.asarray(self.vectors @ (self.vectors.T @ sums))

    def find_covariance(self, rates: Sequence[float], deviation: float) -> Floats:
        """Return the covariance of a feature's steps, for noise of this deviation on each sum of each round.

        What is added to a sum in a round is worth V b V' in the mean of the last half of them, with b the round's rate
        times the mean of what is left of a move in each of those that are not before it.
        """
        kept, half = np.zeros(len(self.shares)), len(rates) - len(rates) // 2
        worth = np.zeros((len(rates), len(self.shares)))
        for at in reversed(range(len(rates))):
            kept = kept * (1 - rates[min(at + 1, len(rates) - 1)] * self.shares) + (at >= len(rates) // 2) / half
            worth[at] = rates[at] * kept
        noise = deviation**2 * (self.vectors.T @ self.vectors) * (worth.T @ worth)
        sampling = np.diag(worth.sum(axis=0) ** 2 * self.shares)
        return np.asarray(self.vectors @ (noise + sampling) @ self.vectors.T)


def find_curvature(rows: Floats, noise: float, ordered: int) -> Curvature:
    """Return the curvature of a feature of which so many of the last places are bins with an order."""
    plain = len(rows) - ordered
    away = np.diff(np.eye(len(rows)), axis=0)[plain:]
    ridge = np.append(np.full(plain, noise), np.full(ordered, ORDERED_RIDGE * noise))
    shares, vectors = linalg.eigh(np.diag(CURVATURE * rows), np.diag(CURVATURE * rows + ridge) + noise * away.T @ away)
    return Curvature(vectors, np.clip(shares, 0, 1))


def centre_steps(
    encoding: Encoding, weights: Floats, rows: Sequence[Floats], covariances: Sequence[Floats], count: float
) -> Stumps:
    """Return the model with each feature's mean moved to the intercept, which changes no score."""
    steps, errors, intercept = [], [], float(weights[-1])
    for part, counted, covariance in zip(find_slices(encoding.features), rows, covariances, strict=True):
        shares = counted / max(float(counted.sum()), 1.0)
        mean = float(weights[part] @ shares)
        steps.append(weights[part] - mean)
        intercept += mean
        beside = covariance @ shares
        errors.append(np.sqrt(np.maximum(np.diag(covariance) - 2 * beside + shares @ beside, 0)))
    return Stumps(encoding, tuple(steps), intercept, tuple(rows), tuple(errors), count)


def _check_features(encoding: Encoding, ordered: Sequence[int]) -> None:
    if any(not isinstance(each, PlaceFeature) for each in encoding.features):
        raise ParameterError("features", encoding.features, "places: put numbers into bins between public bounds")
    widest = max(each.width for each in encoding.features)
    if widest > MOST_PLACES:
        raise ParameterError("features", widest, f"features of at most {MOST_PLACES:,} places, or bins, each")
    if len(ordered) != len(encoding.features):
        raise ParameterError("ordered", len(ordered), f"{len(encoding.features)}: one for each feature")
    for many, each in zip(ordered, encoding.features, strict=True):
        check.integer("ordered", many, least=0, most=each.width)


def bin_points(points: Ints, lower: int, upper: int, bins: int) -> Ints:
    """Return the bin of each point, of so many even ones between public bounds; points beyond are in the nearest."""
    check.integer("bins", bins, least=1, most=1 << 20)
    held = np.clip(points, lower, upper) - lower
    return np.asarray(held * bins // (upper - lower + 1))
