"""What learns a model of one kind: a frozen value, and what it must bring.

A learner turns noisy sums into what is recorded, and what is recorded into a model. The first runs at a desk and is
paid for; the second is free, and may be done again at any time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from discreet.base.canonical import Json
from discreet.gradients.encoding import Encoding
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance
from discreet.learn.kinds import Predicts
from discreet.learn.models.model import Model, Subject
from discreet.learn.source import GradientSource
from discreet.learn.targets import ClassTarget, Target


class Learner(ABC):
    """How one kind of model is learned: a frozen value, whose fields are the kind's settings."""

    placed: ClassVar[bool] = False
    """Whether numbers are put into bins."""

    @property
    @abstractmethod
    def predicts(self) -> Predicts | None:
        """What it predicts, if anything."""

    @abstractmethod
    def measure(
        self, source: GradientSource, subject: Subject, encoding: Encoding, allowance: GaussianAllowance
    ) -> Json:
        """Learn for all of an allowance, and return what is recorded: noisy numbers and public facts."""

    @abstractmethod
    def make_model(self, subject: Subject, measured: Any) -> Model:
        """Return the model of what was recorded."""

    def settings(self) -> dict[str, Json]:
        """Return the settings."""
        return {}

    def read_allowance(self, epsilon: Any, delta: Any, rho: Any) -> GaussianAllowance:
        """Return what may be spent, as somebody states it: all of it goes to Gaussian noise."""
        return read_gaussian_allowance(epsilon, delta, rho)


def count_classes(target: Target | None) -> int:
    """Return how many classes there are."""
    return len(target.classes) if isinstance(target, ClassTarget) else 0
