"""An additive model of a table: one step for each place of each feature, which anybody can look at."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.learn.models.model import Findings, Model, Subject
from discreet.learn.stumps import Stumps
from discreet.learn.targets import ClassTarget


@dataclass(frozen=True, eq=False, repr=False)
class StumpsModel(Model):
    """The logarithm of the odds of the second class: an intercept, and a step of each feature."""

    target: ClassTarget
    intercept: float
    steps: Floats
    """What each place of each feature adds; the mean over rows is about 0 for each feature."""
    errors: Floats
    """The standard error of each step: noise and sampling, as if features were independent of each other."""
    sizes: Floats
    """The noisy number of rows at each place, at least 0."""

    @classmethod
    def make(cls, subject: Subject, found: Stumps) -> Self:
        """Return the model of what was found."""
        kind, table, columns, target = subject
        assert isinstance(target, ClassTarget)
        steps, errors, sizes = (np.concatenate(each) for each in (found.steps, found.errors, found.rows))
        return cls(kind, table, columns, target, max(1, round(found.count)), found.intercept, steps, errors, sizes)

    def find_half_widths(self, confidence: float = 0.95) -> Floats:
        """Return how far each step may be from that of the same model without noise, of all rows there could be."""
        share = float(check.real("confidence", confidence, above=0, below=1))
        return np.asarray(NormalDist().inv_cdf((1 + share) / 2) * self.errors)

    def rank_columns(self) -> list[tuple[int, float]]:
        """Return the columns by how much they matter, with the mean size of a row's step: noisy, the largest first."""
        sizes = [
            float(np.abs(self.steps[part]) @ self.sizes[part] / max(float(self.sizes[part].sum()), 1.0))
            for _, part in self.places
        ]
        return sorted(enumerate(sizes), key=lambda pair: -pair[1])

    def find_scores(self, table: Any) -> Floats:
        """Return the logarithm of the odds of the second class, for rows that somebody holds."""
        return np.asarray(self.combine(table, self.steps[:, None])[:, 0] + self.intercept)

    def predict_probabilities(self, table: Any) -> Floats:
        """Return the probability of each class, a line for each row, in the order of `classes`."""
        second = 1 / (1 + np.exp(-np.clip(self.find_scores(table), -500, 500)))
        return np.column_stack([1 - second, second])

    def predict(self, table: Any) -> Any:
        """Return the likelier class of each row of an Arrow table or a pandas frame."""
        return np.array(self.classes, dtype=object)[(self.find_scores(table) > 0).astype(int)]

    def describe(self) -> dict[str, Json]:
        """Return the steps of each place, with its name."""
        return {
            "rows": self.rows,
            "intercept": self.intercept,
            "steps": [
                {"name": name, "step": float(step), "error": float(error), "rows": float(size)}
                for name, step, error, size in zip(self.names, self.steps, self.errors, self.sizes, strict=True)
            ],
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        kind, table, columns, target = subject
        assert isinstance(target, ClassTarget)
        steps, errors, sizes = (
            np.array([each[key] for each in form["steps"]], dtype=np.float64) for key in ("step", "error", "rows")
        )
        return cls(kind, table, columns, target, form["rows"], float(form["intercept"]), steps, errors, sizes)

    def tabulate(self) -> Findings:
        """Return each place's step with its band."""
        bands = self.find_half_widths()
        listed = zip(self.names, self.steps, bands, strict=True)
        rows = [(name, (float(step), float(step - band), float(step + band))) for name, step, band in listed]
        return Findings(("step", "from", "to"), (*rows, ("intercept", (self.intercept, np.nan, np.nan))))
