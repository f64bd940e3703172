"""Many counting queries at once, with whichever noise errs less at the same guarantee."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import integers
from discreet.mechanisms import sensitivity
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace
from discreet.privacy import Loss


@dataclass(frozen=True, slots=True)
class CountingQueries:
    """Answers k counting queries together: one unit moves each of them by at most 1.

    The L1 sensitivity is k and the L2 sensitivity sqrt(k). Laplace noise of scale k / epsilon is epsilon-private;
    Gaussian noise grows with sqrt(k) only, but needs a delta (Dwork, Roth 2014, sections 3.3 and A).
    """

    queries: int
    noise: Laplace | Gaussian

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", check.integer("queries", self.queries, least=1))
        if not isinstance(self.noise, Laplace | Gaussian):
            raise ParameterError("noise", self.noise, "a Laplace or a Gaussian mechanism")

    @classmethod
    def calibrate(cls, epsilon: float, queries: int, delta: float = 0.0) -> CountingQueries:
        """Return the (epsilon, delta)-private choice with the smaller expected error; with delta = 0, Laplace."""
        count = check.integer("queries", queries, least=1)
        laplace = Laplace.calibrate(epsilon, sensitivity=count, dim=count)
        if check.delta("delta", delta) == 0:
            return cls(count, laplace)
        gaussian = Gaussian.calibrate(epsilon, delta, sensitivity=sensitivity.l2([1] * count), dim=count)
        # Mean absolute errors of the continuous noises: scale and sigma sqrt(2 / pi).
        return cls(count, laplace if laplace.scale <= gaussian.sigma * math.sqrt(2 / math.pi) else gaussian)

    def release(self, values: Any) -> Any:
        """Return the noisy answers to all k queries."""
        if np.shape(integers("values", values)) != (self.queries,):
            raise ParameterError.of_data("values", values, f"of shape ({self.queries},)")
        return self.noise.release(values)

    def loss(self) -> Loss:
        """Return the loss of releasing all k answers."""
        if isinstance(self.noise, Laplace):
            return self.noise.loss(self.queries, dim=self.queries)
        return self.noise.loss(sensitivity.l2([1] * self.queries), dim=self.queries)

    def interval(self, confidence: float, simultaneous: bool = False) -> int:
        """Return the half-width for each answer, or for all of them at once."""
        return int(self.noise.interval(confidence, values=self.queries if simultaneous else 1))
