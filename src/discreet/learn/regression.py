"""Linear regression and ridge: noisy second moments that show the way, then a few noisy corrections.

One joint release of all products of features and label gives a first solution w = P b with P = (A + L)^-1: A and b are
noisy, and L is a public function of the noise. Its error is the noise of A times the weights. So the larger part of
the allowance goes to corrections: the gradient at w is released, which has noise as small as residuals are clipped,
and w moves by P times it. A direction that A tells well is right after one correction; one that is lost in A's noise
moves slowly, as with a ridge.

**The ridge L** is the noise's standard deviation times the root of the width: about the largest size of a noisy
matrix's own eigenvalues, so that A + L is positive where the rows say nothing. Eigenvalues of A that are below 0 count
as 0. All of it is post-processing: nothing is told of exact eigenvalues, which have no proven sensitivity.

**Intervals.** With R = I - P B, where B is A less what its noise can be, the error of the weights is, to first order,
R^(T+1) (0 - w*), for what the corrections have not reached, plus R^k P times the noise of each step, plus the error of
sampling. The last two have known covariances. Of the first only the size is known: components of w* that were not
reached are taken to be as large as those that were, on average. So intervals are rather too wide than too narrow, most
of all where the rows say little. What clipping of large residuals changes is not in them: the model that they describe
is the one with clipped residuals (Huber's), which for symmetric errors has the same weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, PlaceFeature, find_slices
from discreet.gradients.moments import FeatureMoments, bound_moments
from discreet.gradients.residuals import RESIDUAL_STEPS, SquaredResidual
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

MOMENT_SHARE = Fraction(3, 10)
"""The part of an allowance that second moments get; corrections share the rest evenly."""

CORRECTIONS = 16

QUIET = 2.0
"""A place has rows where their noisy number is above so many standard deviations of its noise."""

CLIP = Fraction(3, 10)
"""How far predictions may be wrong before a row's gradient is clipped, in halves of the label's range."""


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """Weights of scaled features, the intercept last, for a label scaled to [-1, 1], and what is known of their error.

    Where features have places, these and the intercept overlap: weights are then those with a mean of about 0 over the
    rows, for each such feature.
    """

    weights: Floats
    covariance: Floats
    rows: float
    """How many rows there are, about."""
    error: float
    """The standard deviation of residuals: estimated with noise, and made larger by that noise's own."""

    @property
    def errors(self) -> Floats:
        """The standard errors of the weights: noise and sampling."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0))

    def find_intervals(self, confidence: float = 0.95) -> Floats:
        """Return an interval for each weight, a line each."""
        check.real("confidence", confidence, above=0, below=1)
        wide = NormalDist().inv_cdf((1 + confidence) / 2) * self.errors
        return np.column_stack([self.weights - wide, self.weights + wide])

    def describe(self) -> Json:
        """Return the form of it."""
        return {
            "weights": [repr(float(each)) for each in self.weights],
            "errors": [repr(float(each)) for each in self.errors],
            "rows": round(self.rows),
        }


def fit_regression(
    source: GradientSource,
    encoding: Encoding,
    allowance: GaussianAllowance,
    alpha: float = 0.0,
    corrections: int = CORRECTIONS,
) -> Regression:
    """Return the weights of a linear model, for all of an allowance.

    `alpha` is a ridge of one's own, in the squares of scaled features: the loss is |X w - y|^2 + alpha |w|^2, and the
    intercept is part of w only in that it is not shrunk.
    """
    check.real("alpha", alpha, least=0)
    check.integer("corrections", corrections, least=0, most=1000)
    first = allowance.take(MOMENT_SHARE) if corrections else allowance
    moments = make_moments(encoding, source.most_rows)
    entries, sigma = source.moments(moments, first)
    matrix = clean_moments(moments, entries)
    ridge = alpha * np.diag([*[1.0] * (encoding.width - 1), 0.0])
    gram, products = matrix[:-1, :-1] + ridge, matrix[:-1, -1]
    inverse, held, sure = invert_noisy(gram, sigma)
    weights = inverse @ products
    left = np.eye(encoding.width) - inverse @ sure
    spread = inverse @ _find_noise(weights, sigma) @ inverse.T
    reached = inverse
    if corrections:
        gradients = make_gradients(encoding, source.most_rows)
        part = allowance.take((1 - MOMENT_SHARE) / corrections)
        step = part.make_noise(source.factor * gradients.clip).sigma / GRADIENT_STEPS
        for _ in range(corrections):
            slope = source.sum(gradients, weights[:, None], part)[:, 0] + ridge @ weights
            weights = weights - inverse @ slope
            spread = left @ spread @ left.T + step**2 * inverse @ inverse.T
            reached = inverse + left @ reached
    rows = max(1.0, float(matrix[-2, -2]))
    error = _find_error(matrix, weights, sigma, rows)
    behind = np.linalg.matrix_power(left, corrections + 1)
    size = float(weights @ weights) / max(1.0, encoding.width - float(np.trace(behind)))
    covariance = spread + error**2 * reached @ held @ reached.T + size * behind @ behind.T
    if not alpha:
        centred = centre_places(encoding, matrix[:-1, -2], sigma)
        weights, covariance = centred @ weights, centred @ covariance @ centred.T
    return Regression(weights, np.asarray(covariance), rows, error)


def make_moments(encoding: Encoding, rows: int) -> FeatureMoments:
    """Return the moments of an encoding with its label as long as a feature.

    Few units have as many rows as they may: the clip grows with the root of that number.
    """
    label = replace(encoding.label, low=-FEATURE_STEPS, high=FEATURE_STEPS)
    scaled = Encoding(encoding.features, label)
    return FeatureMoments(scaled, math.ceil(bound_moments(scaled) * math.sqrt(rows)))


def make_gradients(encoding: Encoding, rows: int) -> LinearGradients:
    """Return the gradients of squares, clipped."""
    label = replace(encoding.label, low=-RESIDUAL_STEPS, high=RESIDUAL_STEPS)
    clip = math.ceil(CLIP * RESIDUAL_STEPS * encoding.longest * Fraction(math.sqrt(rows)))
    return LinearGradients(Encoding(encoding.features, label), SquaredResidual(2 * RESIDUAL_STEPS), clip)


def clean_moments(moments: FeatureMoments, entries: Floats) -> Floats:
    """Return the matrix of noisy moments with what is known of it: two places of one feature are never both taken.

    The square of a place is also its product with the intercept, so the mean of both noisy values is taken.
    """
    if len(entries) != moments.entries:
        raise ParameterError("entries", len(entries), f"{moments.entries}, as the moments have")
    matrix = moments.unfold(entries)
    ones = moments.encoding.width - 1
    for part, each in zip(find_slices(moments.encoding.features), moments.encoding.features, strict=True):
        if isinstance(each, PlaceFeature):
            counts = (np.diag(matrix)[part] + matrix[part, ones]) / 2
            matrix[part, part] = np.diag(counts)
            matrix[part, ones] = matrix[ones, part] = counts
    return matrix


def centre_places(encoding: Encoding, counts: Floats, sigma: float) -> Floats:
    """Return the projection to weights with the same predictions, where those of a feature's places have the mean 0.

    The places of a feature add up to the intercept, so what is added to all of them and taken from the intercept
    changes nothing. The average is over rows, from noisy numbers of them; a place that may well have none counts as 0.
    """
    found = np.eye(encoding.width)
    for part, each in zip(find_slices(encoding.features), encoding.features, strict=True):
        if isinstance(each, PlaceFeature):
            loud = np.where(counts[part] > QUIET * sigma, counts[part], 0.0)
            shares = loud / loud.sum() if loud.any() else np.full(each.size, 1 / each.size)
            found[part, part] -= shares
            found[-1, part] = shares
    return found


def invert_noisy(gram: Floats, sigma: float) -> tuple[Floats, Floats, Floats]:
    """Return the inverse of a noisy matrix with its ridge, the matrix with eigenvalues below 0 as 0, and what is sure.

    Sure is as much of each eigenvalue as noise alone does not reach: along the others, corrections may move nothing but
    noise, and errors count that.
    """
    values, vectors = np.linalg.eigh(gram)
    held = np.maximum(values, 0)
    ridge = sigma * math.sqrt(len(gram))
    sure = np.maximum(values - ridge, 0)
    return (vectors / (held + ridge)) @ vectors.T, (vectors * held) @ vectors.T, (vectors * sure) @ vectors.T


def _find_noise(weights: Floats, sigma: float) -> Floats:
    """Return the covariance of e - E w: e and every entry of E's upper triangle have the same standard deviation.

    Line i is e_i - (E_i1 w_1 + E_i2 w_2 + ...), and lines i and j share the entry E_ij. (What is known of places makes
    it smaller.)
    """
    shared = np.outer(weights, weights)
    np.fill_diagonal(shared, 1 + weights @ weights)
    return np.asarray(sigma**2 * shared)


def _find_error(matrix: Floats, weights: Floats, sigma: float, rows: float) -> float:
    """Return the standard deviation of residuals, from noisy moments, rather too large than too small.

    With v = (w, -1) the noise of v' M v has at most the variance 2 sigma^2 |v|^4: of v_i^4 for each entry of the
    diagonal, and of 4 v_i^2 v_j^2 for each pair.
    """
    both = np.append(weights, -1.0)
    noise = math.sqrt(2) * sigma * float(both @ both)
    return math.sqrt(min((max(float(both @ matrix @ both), 0.0) + noise) / rows, 4.0))
