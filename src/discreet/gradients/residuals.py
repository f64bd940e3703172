"""Residuals: how far a linear model's prediction is from a row's label, as a function of whole numbers.

A row's gradient is its residual times its features. A residual is looked up in a table, or computed by single
operations on whole numbers, from the row's own scores and label: the same row has the same residual in any company. (A
vectorised `exp` need not have this property: its last bit may depend on where a number stands in an array.) Tables are
made once, from public facts, and go where a residual goes: another machine's `exp` could make another table.

Residuals are whole numbers of steps, `RESIDUAL_STEPS` to one, and never beyond `most`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, check_field

WEIGHT_STEPS = 1 << 20
"""What a weight of 1 is, in whole steps."""

RESIDUAL_STEPS = 1 << 15
"""What a residual of 1 is, in whole steps."""

SCORE_STEPS = WEIGHT_STEPS * FEATURE_STEPS
"""What a score of 1 is, in whole steps."""

FINE = 1 << 11
"""Entries of a table for a score of 1."""

REACH = 16
"""The furthest score that tables tell apart from further ones."""


@dataclass(frozen=True)
class Residual(ABC):
    """How predictions differ from labels: one of a closed list."""

    @property
    def outputs(self) -> int:
        """How many scores, and residuals, a row has."""
        return 1

    @property
    @abstractmethod
    def most(self) -> int:
        """The furthest that a residual can be from 0, in steps."""

    @property
    def longest(self) -> int:
        """How long a row's residuals can be together, in steps, rounded up."""
        return self.most

    @abstractmethod
    def describe(self) -> Json:
        """Return the form of the residual."""

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process gets of the residual: its table too, which is made here if none was yet."""
        getattr(self, "_table", None)
        return dict(vars(self))

    @abstractmethod
    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return the residuals, a line for each row; scores are whole numbers of steps, a line for each row."""


@dataclass(frozen=True)
class LogisticResidual(Residual):
    """Probability minus label, for labels 0 and 1; any other label is none, and counts as nothing."""

    @property
    def most(self) -> int:
        """One."""
        return RESIDUAL_STEPS

    def describe(self) -> Json:
        """Return the form of the residual."""
        return "logistic"

    @cached_property
    def _table(self) -> Ints:
        middles = (np.arange(-REACH * FINE, REACH * FINE) + 0.5) / FINE
        found: Ints = np.rint(RESIDUAL_STEPS / (1 + np.exp(-middles))).astype(np.int64)
        return found

    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return 1 / (1 + exp(-score)) - label."""
        found = self._table[find_entries(scores[:, 0])]
        found -= labels * RESIDUAL_STEPS
        found[(labels < 0) | (labels > 1)] = 0
        return found[:, None]


@dataclass(frozen=True)
class SoftmaxResidual(Residual):
    """Probabilities minus label, for labels 0 to classes - 1; any other label is none, and counts as nothing."""

    classes: int

    def __post_init__(self) -> None:
        check_field(self, "classes", least=2, most=1 << 10)

    @property
    def outputs(self) -> int:
        """One for each class."""
        return self.classes

    @property
    def most(self) -> int:
        """One."""
        return RESIDUAL_STEPS

    @property
    def longest(self) -> int:
        """The root of 2: probabilities, less 1 for one class, have squares of at most 2 in all."""
        return RESIDUAL_STEPS * 3 // 2

    def describe(self) -> Json:
        """Return the form of the residual."""
        return {"softmax": self.classes}

    @cached_property
    def _table(self) -> Ints:
        middles = (np.arange(-2 * REACH * FINE, 1) + 0.5) / FINE
        found: Ints = np.rint(np.exp(middles) * 2.0**30).astype(np.int64)
        return found

    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return exp(score) over the sum of all classes', less 1 for the label's own."""
        entries = np.floor(scores * (FINE / SCORE_STEPS))
        behind = entries - entries.max(axis=1, keepdims=True)
        weights = self._table[np.maximum(behind, -2 * REACH * FINE).astype(np.int64) + 2 * REACH * FINE]
        total = weights[:, 0].copy()
        for place in range(1, self.classes):
            total += weights[:, place]
        found: Ints = weights * RESIDUAL_STEPS // total[:, None]
        known = (labels >= 0) & (labels < self.classes)
        found[~known] = 0
        rows = np.flatnonzero(known)
        found[rows, labels[rows]] -= RESIDUAL_STEPS
        return found


@dataclass(frozen=True)
class SquaredResidual(Residual):
    """Score minus label, cut at a threshold: Huber's residual. Labels are in residual steps."""

    threshold: int

    def __post_init__(self) -> None:
        check_field(self, "threshold", least=1, most=16 * RESIDUAL_STEPS)

    @property
    def most(self) -> int:
        """The threshold."""
        return self.threshold

    def describe(self) -> Json:
        """Return the form of the residual."""
        return {"squared": self.threshold}

    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return score - label, between -threshold and the threshold."""
        predicted = np.rint(scores[:, 0] * (RESIDUAL_STEPS / SCORE_STEPS)).astype(np.int64)
        found: Ints = np.clip(predicted - labels, -self.threshold, self.threshold)
        return found[:, None]


@dataclass(frozen=True)
class PoissonResidual(Residual):
    """exp(score) minus label, cut at a threshold. Labels are in residual steps."""

    threshold: int

    def __post_init__(self) -> None:
        check_field(self, "threshold", least=1, most=16 * RESIDUAL_STEPS)

    @property
    def most(self) -> int:
        """The threshold."""
        return self.threshold

    def describe(self) -> Json:
        """Return the form of the residual."""
        return {"poisson": self.threshold}

    @cached_property
    def _table(self) -> Ints:
        middles = (np.arange(-REACH * FINE, REACH * FINE) + 0.5) / FINE
        found: Ints = np.rint(RESIDUAL_STEPS * np.exp(middles)).astype(np.int64)
        return found

    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return exp(score) - label, between -threshold and the threshold."""
        predicted = self._table[find_entries(scores[:, 0])]
        found: Ints = np.clip(predicted - labels, -self.threshold, self.threshold)
        return found[:, None]


@dataclass(frozen=True)
class HingeResidual(Residual):
    """The slope of a smoothed hinge, for labels 0 and 1 that stand for -1 and +1.

    With m = score * label it is -label where m < 0, 0 where m > 1, and -label * (1 - m) between: the slope of a hinge
    that is rounded off by a parabola (Rennie 2005). Any other label is none, and counts as nothing.
    """

    @property
    def most(self) -> int:
        """One."""
        return RESIDUAL_STEPS

    def describe(self) -> Json:
        """Return the form of the residual."""
        return "hinge"

    def find(self, scores: Floats, labels: Ints) -> Ints:
        """Return the slope."""
        signs = 2 * labels - 1
        held = np.clip(scores[:, 0], -2.0 * SCORE_STEPS, 2.0 * SCORE_STEPS)
        margin = np.rint(held * (RESIDUAL_STEPS / SCORE_STEPS)).astype(np.int64) * signs
        found: Ints = -signs * np.clip(RESIDUAL_STEPS - margin, 0, RESIDUAL_STEPS)
        found[(labels < 0) | (labels > 1)] = 0
        return found[:, None]


RESIDUALS = (LogisticResidual, SoftmaxResidual, SquaredResidual, PoissonResidual, HingeResidual)
"""The closed list: each is a function of one row's own whole numbers, for the reasons above."""


def find_entries(scores: Floats) -> Ints:
    """Return the entries of a table from -REACH to REACH for whole scores: scaling by a power of 2 is exact."""
    entries = np.floor(scores * (FINE / SCORE_STEPS))
    found: Ints = (np.clip(entries, -REACH * FINE, REACH * FINE - 1) + REACH * FINE).astype(np.int64)
    return found
