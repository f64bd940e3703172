"""Linear models that descended: logistic, linear SVC, Huber and Poisson."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.learn.kinds import find_kind
from discreet.learn.models.model import Findings, Subject, write_floats
from discreet.learn.models.weighted_model import WeightedModel, scale_back
from discreet.learn.targets import ClassTarget


@dataclass(frozen=True, slots=True)
class ChosenSetting:
    """Which of several settings a model was learned with: the best of some tries, of which nobody saw the others."""

    place: int
    settings: tuple[str, ...]
    tries: int
    """How many tries were made; each of them counted by a secret coin."""

    def __str__(self) -> str:
        return (
            f"setting {self.place + 1} of {len(self.settings)} ({self.settings[self.place]}), the best of up to "
            f"{self.tries} tries: how many counted is secret, and the price is for all of them"
        )

    def describe(self) -> Json:
        """Return the form of the choice."""
        return {"place": self.place, "settings": list(self.settings), "tries": self.tries}


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(WeightedModel):
    """Weights that a descent found, or a noisy minimum has, and how they were found."""

    noise: float
    """A bound on the standard deviation of the noise in each weight (`learn/descent.py`, `learn/perturbation.py`)."""
    settings: Any
    """Public facts: of a descent its steps, rate, momentum and tail; of a minimum its method, ridge, clip and slope."""
    choice: ChosenSetting | None = field(default=None, kw_only=True)
    """Which setting won, where there was a choice."""

    def find_half_width(self, confidence: float = 0.95) -> float:
        """Return how far a weight may be from where the same descent, or minimum, without noise would be.

        It is the same for all weights, as if the data said nothing about any: those of common values are closer. It
        says nothing about how rows were sampled, and holds as far as the loss is a parabola near where it ended.
        """
        share = float(check.real("confidence", confidence, above=0, below=1))
        return NormalDist().inv_cdf((1 + share) / 2) * self.noise

    def predict(self, table: Any) -> Any:
        """Return the likeliest class of each row, or the predicted number, of an Arrow table or a pandas frame."""
        if isinstance(self.target, ClassTarget):
            scores = self.find_scores(table)
            best = (scores[:, 0] > 0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
            return np.array(self.classes, dtype=object)[best]
        mean = find_kind(self.kind).predict_mean(self.find_scores(table))[:, 0]
        return scale_back(self.target, mean)

    def predict_probabilities(self, table: Any) -> Floats:
        """Return the probability of each class, a line for each row, in the order of `classes`."""
        if self.kind != "logistic":
            raise ParameterError("model", self.kind, "logistic: no other linear kind has probabilities")
        return find_kind(self.kind).predict_mean(self.find_scores(table))

    def describe(self) -> dict[str, Json]:
        """Return the coefficients with their names, and public facts."""
        return {
            "rows": self.rows,
            "noise": self.noise,
            "settings": self.settings,
            "coefficients": [
                {"name": name, "scaled": write_floats(weight), "value": write_floats(value)}
                for (name, value), weight in zip(self.list_coefficients(), self.weights, strict=True)
            ],
            **({} if self.choice is None else {"choice": self.choice.describe()}),
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        assert subject.target is not None
        weights = np.array([each["scaled"] for each in form["coefficients"]], dtype=np.float64)
        kind, table, columns, target = subject
        assert target is not None
        choice = _read_choice(form["choice"]) if "choice" in form else None
        noise, settings = float(form["noise"]), form["settings"]
        return cls(kind, table, columns, target, form["rows"], weights, noise, settings, choice=choice)

    def tabulate(self) -> Findings:
        """Return the coefficients: a column for each output."""
        several = self.weights.shape[1] > 1
        heads = tuple(map(str, self.classes)) if several else ("coefficient",)
        return Findings(heads, tuple((name, tuple(write_floats(each))) for name, each in self.list_coefficients()))


def _read_choice(form: Any) -> ChosenSetting:
    """Return the choice of what `describe` wrote."""
    return ChosenSetting(form["place"], tuple(form["settings"]), form["tries"])
