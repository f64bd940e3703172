"""Readings: what was measured in a run, with its noise, and how it is written down."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.base.canonical import Json
from discreet.families.domain import ColumnSet
from discreet.families.family import Family, Vector
from discreet.families.marginals import Marginals
from discreet.families.trees import Tree
from discreet.families.written_forms import read_family, write_family
from discreet.mechanisms import DiscreteGaussian, Laplace
from discreet.query.draws import VectorNoise
from discreet.synthetic.fit.objective import Measured

LEAST_VARIANCE = 1e-9
"""Noise of a smaller variance is none to speak of; fits want a number above 0."""


@dataclass(frozen=True, eq=False)
class Reading:
    """The noisy answers of a family of one group."""

    family: Family
    noise: VectorNoise
    answers: Vector

    @property
    def columns(self) -> ColumnSet:
        """The columns that it looks at."""
        return self.family.find_columns(0)

    @cached_property
    def variance(self) -> float:
        """The variance of each answer's noise."""
        return find_variance(self.noise)

    @cached_property
    def measured(self) -> Measured:
        """The same for a fit."""
        return Measured(self.family, 0, self.answers, self.variance)

    def write(self) -> Json:
        """Return the reading as JSON."""
        noise: Json = (
            {"laplace": self.noise.scale} if isinstance(self.noise, Laplace) else {"gaussian": self.noise.sigma}
        )
        return {"family": write_family(self.family), "noise": noise, "answers": self.answers.tolist()}

    @classmethod
    def read(cls, form: Any) -> Reading:
        """Return the reading of what `write` wrote."""
        ((kind, width),) = form["noise"].items()
        noise = Laplace(width) if kind == "laplace" else DiscreteGaussian(width)
        return cls(read_family(form["family"]), noise, hold_answers(form["answers"]))


def hold_answers(answers: Iterable[int]) -> Vector:
    """Return noisy whole numbers as an array: Python's own where they do not fit into 64 bits."""
    listed = list(answers)
    fits = all(-(2**62) < each < 2**62 for each in listed)
    return np.array(listed, dtype=np.int64 if fits else object)


def find_variance(noise: VectorNoise) -> float:
    """Return the variance of discrete noise: Laplace's is 2q / (1 - q)^2, and Gaussian's at most sigma^2."""
    if isinstance(noise, Laplace):
        q = math.exp(-1 / noise.scale)
        return max(2 * q / math.expm1(-1 / noise.scale) ** 2, LEAST_VARIANCE)
    return max(float(noise.sigma) ** 2, LEAST_VARIANCE)


@dataclass(frozen=True, slots=True)
class Total:
    """How many rows there are, about: an estimate and its variance (0 where it is public)."""

    rows: float
    variance: float


def find_total(readings: Iterable[Reading], public: int | None = None) -> Total:
    """Return the total that all readings of partitions tell together, weighed by their variances."""
    if public is not None:
        return Total(float(public), 0.0)
    weight, weighed = 0.0, 0.0
    for each in readings:
        shares = find_total_weights(each)
        if shares is None:
            continue
        variance = each.variance * float(shares @ shares)
        weight += 1 / variance
        weighed += float(np.asarray(each.answers, dtype=np.float64) @ shares) / variance
    return Total(weighed / weight, 1 / weight)


def find_total_weights(reading: Reading) -> Vector | None:
    """Return weights with which a reading's answers add up to the number of rows; None where they do not."""

    if isinstance(reading.family, Marginals):
        return np.ones(len(reading.answers))
    if isinstance(reading.family, Tree):
        first = reading.family.lengths[0]
        return np.concatenate([np.ones(first), np.zeros(len(reading.answers) - first)])
    return None
