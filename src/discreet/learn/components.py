"""Principal components from one release of noisy second moments.

Everything after the release is post-processing: the mean is taken away in the noisy matrix, and its eigenvectors are
those of the result. No threshold and no number of components comes from exact eigenvalues, which have no proven
sensitivity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.gradients.encoding import Encoding
from discreet.gradients.moments import FeatureMoments, bound_moments
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.regression import clean_moments
from discreet.learn.source import GradientSource


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Directions of scaled features, a line each, the one along which rows differ most first, and their variances."""

    mean: Floats
    directions: Floats
    variances: Floats
    """Noisy, and at least 0."""
    shares: Floats
    """The part of all variance that each direction has."""
    noise: float
    """The standard deviation of the noise on an entry of the covariance, about: variances below a few times this,
    times the root of the number of features, may be noise alone."""
    rows: float

    def project(self, features: Floats) -> Floats:
        """Return the coordinates of rows of scaled features."""
        return np.asarray((features - self.mean) @ self.directions.T)

    def restore(self, coordinates: Floats) -> Floats:
        """Return the scaled features of coordinates."""
        return np.asarray(coordinates @ self.directions + self.mean)


def fit_components(source: GradientSource, encoding: Encoding, count: int, allowance: GaussianAllowance) -> Components:
    """Return so many principal components, for all of an allowance."""
    check.integer("count", count, least=1)
    if count > encoding.width - 1:
        raise ParameterError("count", count, f"at most {encoding.width - 1}, as there are scaled features")
    clip = math.ceil(bound_moments(encoding, labelled=False) * math.sqrt(source.most_rows))
    moments = FeatureMoments(encoding, clip, labelled=False)
    entries, sigma = source.moments(moments, allowance)
    return read_components(clean_moments(moments, entries), sigma, count)


def read_components(matrix: Floats, sigma: float, count: int) -> Components:
    """Return the components of noisy second moments, the intercept's last, with noise of this standard deviation."""
    rows = max(float(matrix[-1, -1]), sigma, 1.0)
    mean = np.clip(matrix[:-1, -1] / rows, -1, 1)
    covariance = matrix[:-1, :-1] / rows - np.outer(mean, mean)
    values, vectors = np.linalg.eigh(covariance)
    order = np.argsort(values)[::-1]
    held = np.maximum(values[order], 0)
    directions = vectors[:, order].T
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[np.arange(len(directions)), largest])[:, None]
    total = max(float(held.sum()), 1e-300)
    return Components(mean, directions[:count], held[:count], held[:count] / total, sigma / rows, rows)
