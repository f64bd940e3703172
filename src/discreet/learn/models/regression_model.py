"""Linear regression and ridge of a table: coefficients with standard errors, in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.learn.models.model import Findings, Subject
from discreet.learn.models.weighted_model import WeightedModel, find_scale, scale_back
from discreet.learn.regression import Regression
from discreet.learn.targets import NumberTarget


@dataclass(frozen=True, eq=False, repr=False)
class RegressionModel(WeightedModel):
    """Weights from noisy second moments and corrections, and what is known of their error."""

    target: NumberTarget
    errors: Floats
    """The standard error of each coefficient, the intercept's last, in the units of the data: noise and sampling."""
    residual: float
    """The standard deviation of what is left, in the target's units: rather too large than too small."""
    alpha: float
    """The ridge that was asked for."""

    @classmethod
    def make(cls, subject: Subject, found: Regression, alpha: float) -> Self:
        """Return the model of what was found."""
        kind, table, columns, target = subject
        assert isinstance(target, NumberTarget)
        rows, weights, nothing = max(1, round(found.rows)), found.weights[:, None], np.zeros(len(found.weights))
        plain = cls(kind, table, columns, target, rows, weights, nothing, 0.0, alpha)
        variances = np.einsum("ij,jk,ik->i", plain.units, found.covariance, plain.units, optimize=True)
        errors, residual = np.sqrt(np.maximum(variances, 0)), found.error * find_scale(target)[1]
        return cls(kind, table, columns, target, rows, weights, errors, residual, alpha)

    def find_intervals(self, confidence: float = 0.95) -> Floats:
        """Return an interval for each coefficient, the intercept's last, a line each.

        They cover noise and sampling. Where residuals are clipped, they are those of a model with clipped residuals
        (`learn/regression.py`).
        """
        check.real("confidence", confidence, above=0, below=1)
        values = np.array([value[0] for _, value in self.list_coefficients()])
        wide = NormalDist().inv_cdf((1 + confidence) / 2) * self.errors
        return np.column_stack([values - wide, values + wide])

    def predict(self, table: Any) -> Floats:
        """Return the predicted number of each row of an Arrow table or a pandas frame, within the target's bounds."""
        return scale_back(self.target, self.find_scores(table)[:, 0])

    def describe(self) -> dict[str, Json]:
        """Return the coefficients with their names and errors."""
        listed = zip(self.list_coefficients(), self.weights[:, 0], self.errors, strict=True)
        return {
            "rows": self.rows,
            "residual": self.residual,
            "alpha": self.alpha,
            "coefficients": [
                {"name": name, "scaled": float(weight), "value": float(value[0]), "error": float(error)}
                for (name, value), weight, error in listed
            ],
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        kind, table, columns, target = subject
        assert isinstance(target, NumberTarget)
        weights = np.array([[each["scaled"]] for each in form["coefficients"]], dtype=np.float64)
        errors = np.array([each["error"] for each in form["coefficients"]], dtype=np.float64)
        residual, alpha = float(form["residual"]), float(form["alpha"])
        return cls(kind, table, columns, target, form["rows"], weights, errors, residual, alpha)

    def tabulate(self) -> Findings:
        """Return the coefficients with their intervals."""
        listed = zip(self.list_coefficients(), self.find_intervals(), strict=True)
        return Findings(
            ("coefficient", "from", "to"),
            tuple((name, (float(value[0]), float(low), float(high))) for (name, value), (low, high) in listed),
        )
