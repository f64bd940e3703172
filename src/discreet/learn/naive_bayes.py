"""Naive Bayes from one release: how many rows each class has, the sums of their features, and sums of squares.

Within a class features count as independent: numbers as Gaussian, categories by their shares. All of it is
post-processing of one vector with Gaussian noise; a class's variances are held above a public floor, and shares of
categories above a public share, so that noise makes nothing impossible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.grid import Floats
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, Encoding, NumberFeature, PlaceFeature, find_slices
from discreet.gradients.groups import FeatureSums, LabelGroups, bound_groups, bound_mean_noise, count_numbers
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

LEAST_DEVIATION = 1e-2
"""The least standard deviation of a number within a class, where 1 is half of its public range."""

LEAST_SHARE = 1e-4
"""The least share of a category within a class, to which its noise is added."""

NOISE_FLOOR = 2.0
"""What is added to the least variance, in standard deviations of the noise on a mean: about the noise of a variance."""


@dataclass(frozen=True, slots=True, eq=False)
class NaiveBayes:
    """Shares of classes and, in each, means and variances of numbers and shares of places: a line for each class."""

    encoding: Encoding
    shares: Floats
    means: Floats
    variances: Floats
    places: tuple[Floats, ...]
    rows: Floats
    """The noisy number of rows of each class: at least 1, and at least its noise."""
    noise: Floats
    """A bound on the standard deviation of the noise in each class's means."""

    def find_scores(self, rows: EncodedRows) -> Floats:
        """Return the logarithm of each class's likelihood for each row, a line each, up to a constant."""
        numbers = rows.numbers / FEATURE_STEPS
        scores = np.tile(np.log(self.shares), (len(rows), 1))
        for at in range(numbers.shape[1]):
            away = (numbers[:, at, None] - self.means[:, at]) ** 2
            scores -= away / (2 * self.variances[:, at]) + np.log(self.variances[:, at]) / 2
        for places, table in zip(rows.places, self.places, strict=True):
            scores += np.log(table).T[places]
        return scores

    def find_probabilities(self, rows: EncodedRows) -> Floats:
        """Return the probability of each class for each row, a line each."""
        scores = self.find_scores(rows)
        held = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(held / held.sum(axis=1, keepdims=True))


def fit_naive_bayes(
    source: GradientSource, encoding: Encoding, classes: int, allowance: GaussianAllowance
) -> NaiveBayes:
    """Return the model for labels 0 to classes - 1, for all of an allowance; rows with other labels do not count."""
    check.integer("classes", classes, least=2, most=1 << 10)
    clip = math.ceil(bound_groups(encoding, squares=True) * math.sqrt(source.most_rows))
    sums = FeatureSums(encoding, LabelGroups(classes), clip, squares=True)
    entries, sigma = source.moments(sums, allowance)
    return read_naive_bayes(encoding, entries.reshape(classes, sums.width), sigma)


def read_naive_bayes(encoding: Encoding, sums: Floats, sigma: float) -> NaiveBayes:
    """Return the model of noisy sums, a line for each class, with noise of this standard deviation.

    A class is taken to have at least as many rows as its number's noise: with fewer nothing is known of it, and its
    means are drawn to the middle.
    """
    parts = list(zip(find_slices(encoding.features), encoding.features, strict=True))
    numbers = [part.start for part, each in parts if isinstance(each, NumberFeature)]
    counted = np.maximum(sums[:, encoding.width - 1], max(sigma, 1.0))
    means = np.clip(sums[:, numbers] / counted[:, None], -1, 1)
    beside = sums[:, encoding.width : encoding.width + count_numbers(encoding)]
    squares = beside / counted[:, None] + 0.5
    least = LEAST_DEVIATION**2 + NOISE_FLOOR * sigma / counted[:, None]
    variances = np.clip(squares - means**2, np.minimum(least, 1.0), 1.0)
    places = []
    for part, each in parts:
        if isinstance(each, PlaceFeature):
            held = np.maximum(sums[:, part], LEAST_SHARE * counted[:, None] + sigma)
            places.append(held / held.sum(axis=1, keepdims=True))
    noise = bound_mean_noise(sums[:, encoding.width - 1], sigma)
    return NaiveBayes(encoding, counted / counted.sum(), means, variances, tuple(places), counted, noise)
