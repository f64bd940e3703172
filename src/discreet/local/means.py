"""Means of numbers, with standard errors and intervals, in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.local.client import BoundedNumbers
from discreet.local.estimates import Estimates, find_quantile
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.numbers import NumberOracle
from discreet.local.tally import Tally


@dataclass(frozen=True)
class Mean:
    """The mean of those who reported, unbiased, after numbers beyond the bounds were held at these."""

    reports: int
    confidence: float
    value: float
    error: float
    """The standard error of `value`: see `estimate_mean` for of what."""
    shift: float
    """How far one malicious report moves the mean at most; k of them move it by k times as much."""
    bounds: tuple[float, float]
    """What numbers were held between."""

    @property
    def low(self) -> float:
        """Where the interval begins."""
        return self.value - find_quantile(self.confidence) * self.error

    @property
    def high(self) -> float:
        """Where the interval ends."""
        return self.value + find_quantile(self.confidence) * self.error

    def state(self, name: str) -> Estimates:
        """Return the mean as estimates of one number, of which the consistent one lies between the bounds."""
        raw, error = np.array([self.value]), np.array([self.error])
        apart = find_quantile(self.confidence) * self.error
        return Estimates(
            (name,), self.reports, self.confidence, raw, error, np.clip(raw, *self.bounds), apart, self.shift, 1
        )


def estimate_mean(tally: Tally, confidence: float = 0.95) -> Mean:
    """Return the mean of the numbers of a tally.

    What a report stands for has its person's number as its mean, so the mean over reports is unbiased. The standard
    error is the sample's: that of the mean of a population of which those who reported are a random part. For the mean
    of these people themselves it is too large, never too small: it counts the variance of their numbers with that of
    the noise.
    """
    check.real("confidence", confidence, above=0, below=1)
    oracle, domain = find_oracle(tally.metric.mechanism), tally.metric.domain
    if not isinstance(oracle, NumberOracle) or not isinstance(domain, BoundedNumbers):
        raise ParameterError("tally", tally.metric.mechanism.kind, "a tally of numbers")
    if tally.reports < 2:
        raise ParameterError("reports", tally.reports, "at least two: there is nothing to estimate an error from")
    half, shares = (domain.high - domain.low) / 2, tally.counts / tally.reports
    mean = float(shares @ oracle.values)
    variance = float(shares @ (oracle.values - mean) ** 2) / (tally.reports - 1)
    return Mean(
        tally.reports,
        float(confidence),
        (domain.low + domain.high) / 2 + half * mean,
        half * float(np.sqrt(variance)),
        half * float(np.ptp(oracle.values)) / tally.reports,
        (domain.low, domain.high),
    )
