"""Estimated frequencies: unbiased, with standard errors and intervals, and beside them a consistent version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.oracles.oracle import ItemOracle

special = Later("scipy.special")


@dataclass(frozen=True, eq=False)
class Frequencies:
    """How frequent each item is among those who reported.

    `raw` is unbiased, and may lie below 0 or above 1. `low` to `high` holds one item's frequency at the confidence, and
    `all_low` to `all_high` those of all items at once (Sidak). `consistent` is the nearest distribution (no item
    below 0, all add up to 1): it is better to look at, and biased.
    """

    names: tuple[str, ...]
    reports: int
    confidence: float
    raw: Floats
    errors: Floats
    """The standard errors of `raw`."""
    consistent: Floats
    detectable: float
    """The least frequency that would stand out of the noise of all items at this confidence, half of the times."""
    shift: float
    """How far one malicious report moves an estimate at most; k of them move it by k times as much."""

    @property
    def low(self) -> Floats:
        """Where each item's own interval begins."""
        return self.raw - _find_quantile(self.confidence) * self.errors

    @property
    def high(self) -> Floats:
        """Where each item's own interval ends."""
        return self.raw + _find_quantile(self.confidence) * self.errors

    @property
    def all_low(self) -> Floats:
        """Where the intervals begin that hold all frequencies at once."""
        return self.raw - _find_quantile(self.confidence, len(self.raw)) * self.errors

    @property
    def all_high(self) -> Floats:
        """Where the intervals end that hold all frequencies at once."""
        return self.raw + _find_quantile(self.confidence, len(self.raw)) * self.errors


def estimate(
    oracle: ItemOracle[Any], names: Sequence[str], reports: int, counts: Ints, confidence: float = 0.95
) -> Frequencies:
    """Return how frequent each item is.

    A report supports its own item with the chance p and another one with q, so of n reports n f p + n (1 - f) q are
    expected to support an item of frequency f, with the variance n [f p (1 - p) + (1 - f) q (1 - q)], given the
    people. Solved for f this is unbiased, and its variance is that over (n (p - q))^2.
    """
    check.real("confidence", confidence, above=0, below=1)
    if reports < 1:
        raise ParameterError("reports", reports, "at least one: there is nothing to estimate from")
    own, stray = float(oracle.mechanism.supported), float(oracle.mechanism.strayed)
    if own <= stray:
        raise ParameterError("mechanism", oracle.mechanism.kind, "one that tells something: its chances are equal")
    raw = (oracle.find_supports(counts) / reports - stray) / (own - stray)
    held = np.clip(raw, 0.0, 1.0)
    inside = held * own * (1 - own) + (1 - held) * stray * (1 - stray)
    variance = inside / (reports * (own - stray) ** 2)
    squares = max(0.0, float((raw**2 - variance).sum()))
    spread = oracle.find_spread(counts, squares)
    errors = np.sqrt(variance + spread)
    rarest = np.sqrt(oracle.mechanism.variance(0.0) / reports + spread)
    return Frequencies(
        tuple(names),
        reports,
        float(confidence),
        raw,
        errors,
        project_on_simplex(raw),
        float(_find_quantile(confidence, len(raw)) * rarest),
        1 / (reports * (own - stray)),
    )


def project_on_simplex(values: Floats) -> Floats:
    """Return the nearest distribution: a number is taken off all values, and what falls below 0 is 0."""
    descending = np.sort(values)[::-1]
    excess = (np.cumsum(descending) - 1) / np.arange(1, len(values) + 1)
    kept = int(np.flatnonzero(descending > excess)[-1])
    return np.maximum(values - excess[kept], 0.0)


def _find_quantile(confidence: float, items: int = 1) -> float:
    """Return how many standard errors hold one, or all of several independent values, at a confidence."""
    return float(special.ndtri((1 + confidence ** (1 / items)) / 2))
