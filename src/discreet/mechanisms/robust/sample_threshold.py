"""Counts of unlisted keys in a private sample of the units: sampling is the only noise."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from flint import arb

from discreet import noise
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_down, precision, rounded_up
from discreet.base.search import least_int
from discreet.privacy import ApproximateLoss, Loss

KeyName = TypeVar("KeyName", bound=Hashable)


@dataclass(frozen=True)
class SampleThreshold:
    """Keeps each unit with probability `rate`, counts those kept by key, and tells the counts from a threshold on.

    Each unit is in one key, with one row; neighbours add or remove a unit. Counts divided by the rate estimate those of
    all units; nothing but the sample is random, so they are true counts of somebody.

    Theorem (after Bharadwaj, Cormode 2022). With rate p <= 1 - e^-epsilon, g = 1 - (1 - p) e^-epsilon and threshold T
    this is (epsilon, delta)-differentially private for delta = exp(-T (ln(g / p) - epsilon (1 - g) / g)).
    Proof. Only one key's count differs, n - 1 of D and n of D'. A count b of D is at most 1 / (1 - p) times as likely
    as under D', since the one unit more may be left out; and so is a key that is not told. That is at most e^epsilon.
    The other way, Pr'[b] / Pr[b] = n (1 - p) / (n - b) exceeds e^epsilon only where b > n g, and a key that is not told
    is likelier under D. So delta is at most Pr[B >= T and B > n g] for B binomial with n and p. By Chernoff's bound
    that is at most exp(-n KL(g, p)) for n >= T / g, and exp(-n KL(T / n, p)) for smaller n, which grows with n up to
    there: both are at most exp(-(T / g) KL(g, p)), and KL(g, p) = g ln(g / p) - (1 - g) epsilon.
    """

    epsilon: float
    delta: float
    rate: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=1)))
        object.__setattr__(self, "rate", Fraction(check.real("rate", self.rate, above=0, below=1)))
        with precision():
            if not -ball(1 - self.rate).log() <= ball(self.epsilon):
                raise ParameterError("rate", self.rate, f"at most 1 - e^-epsilon, {-math.expm1(-self.epsilon):.4g}")

    @cached_property
    def threshold(self) -> int:
        """The least count in the sample that is told."""
        return max(1, least_int(lambda least: self.bound_delta(least) <= self.delta, start=8))

    def bound_delta(self, threshold: int) -> float:
        """Return the delta of a threshold, rounded up."""

        def enclose() -> arb:
            stay = ball(1 - self.rate) * (-ball(self.epsilon)).exp()
            each = ((1 - stay) / ball(self.rate)).log() - ball(self.epsilon) * stay / (1 - stay)
            return (-each * threshold).exp()

        return rounded_up(enclose)

    def release(self, counts: Mapping[KeyName, int]) -> dict[KeyName, int]:
        """Return how many of each key's units are in the sample, from how many there are; rare keys are left out."""
        drawn = {name: int(noise.bernoulli(self.rate, max(0, int(count))).sum()) for name, count in counts.items()}
        told = [(name, count) for name, count in drawn.items() if count >= self.threshold]
        return dict(sorted(told, key=lambda entry: (type(entry[0]).__name__, repr(entry[0]))))

    def estimate(self, count: int) -> float:
        """Return how many units a count of the sample stands for."""
        return float(count / self.rate)

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return ApproximateLoss(Fraction(self.epsilon), Fraction(self.delta))
