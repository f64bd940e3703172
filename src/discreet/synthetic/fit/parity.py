"""The form of tables of bits whose questions are parities: everything is a Walsh-Hadamard transform.

The parity of a mask is (-1)^(how many of its bits are 1). The product of two parities is the parity of the masks'
exclusive or, so one transform of p holds every mean *and* every covariance: Cov(a, b) = p^(a xor b) - p^(a) p^(b).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.families.hadamard import transform
from discreet.synthetic.fit.newton import Scaling, scale_each

MOST_FEW = 1500
"""Parities up to which the Hessian is written out: a Cholesky factor of that many takes a tenth of a second."""


class ParityForm:
    """Distributions on 2^bits cells, tilted by the parities of some masks."""

    def __init__(self, bits: int, masks: NDArray[np.int64], logarithms: Floats | None = None) -> None:
        self.bits = bits
        self.masks = masks
        self.logarithms = logarithms

    @property
    def few(self) -> bool:
        """Whether the parities are few enough to write their covariances out."""
        return len(self.masks) <= MOST_FEW

    def spread(self, theta: Floats) -> Floats:
        """Return the exponents: the transform of the thetas, each at its mask."""
        return transform(
            np.bincount(self.masks, weights=theta, minlength=1 << self.bits).astype(np.float64, copy=False)
        )

    def tilt(self, exponents: Floats) -> TiltedBits:
        """Return the distribution proportional to prior * exp(exponents): all in logarithms, nothing overflows."""
        shift = -self.bits * math.log(2) if self.logarithms is None else 0.0
        shares = exponents.copy() if self.logarithms is None else exponents + self.logarithms
        top = float(shares.max())
        shares -= top
        np.exp(shares, out=shares)
        total = float(shares.sum())
        shares /= total
        return TiltedBits(self, shares, top + shift + math.log(total))


class TiltedBits:
    """A distribution on bits, with all its parities."""

    def __init__(self, form: ParityForm, shares: Floats, log_z: float) -> None:
        self._form = form
        self.shares = shares
        self.log_z = log_z
        self.parities = transform(shares)
        self.means = self.parities[form.masks]

    def multiply(self, values: Floats) -> Floats:
        """Return Cov_p(Q) times values."""
        table = self._form.spread(values)
        table -= float(values @ self.means)
        table *= self.shares
        return np.asarray(transform(table)[self._form.masks])

    def find_variances(self) -> Floats:
        """Return the variance of each parity."""
        return np.asarray(1 - self.means**2)

    def write_scaling(self, slack: Floats) -> Scaling:
        """Return what scales each question by its own variance."""
        return scale_each(self.find_variances(), slack)

    def find_covariance(self) -> Floats:
        """Return Cov_p(Q), from the transform of p."""
        masks = self._form.masks
        return np.asarray(self.parities[masks[:, None] ^ masks] - np.outer(self.means, self.means))
