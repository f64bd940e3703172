"""Naive Bayes of a table: within each class means and deviations of numbers, and shares of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.gradients.encoding import NumberFeature, find_slices
from discreet.learn.features import NumberColumn
from discreet.learn.models.model import Findings, Model, Subject
from discreet.learn.naive_bayes import NaiveBayes
from discreet.learn.targets import ClassTarget


@dataclass(frozen=True, eq=False, repr=False)
class BayesModel(Model):
    """Shares of classes, and what each class's rows are like: a line for each class."""

    target: ClassTarget
    sizes: Floats
    """The noisy number of rows of each class."""
    means: Floats
    """Of each scaled feature: of a number its mean, of a category's place its share."""
    deviations: Floats
    """Of each scaled feature that is a number, its standard deviation; 0 of places."""
    noise: Floats
    """A bound on the standard deviation of the noise in each class's means."""

    @classmethod
    def make(cls, subject: Subject, found: NaiveBayes) -> Self:
        """Return the model of what was found."""
        kind, table, columns, target = subject
        assert isinstance(target, ClassTarget)
        means = np.zeros((len(found.rows), found.encoding.width - 1))
        deviations = np.zeros(means.shape)
        numbers, places = iter(range(found.means.shape[1])), iter(found.places)
        for part, feature in zip(find_slices(found.encoding.features), found.encoding.features, strict=True):
            if isinstance(feature, NumberFeature):
                at = next(numbers)
                means[:, part.start], deviations[:, part.start] = found.means[:, at], found.variances[:, at] ** 0.5
            else:
                means[:, part] = next(places)
        rows = max(1, round(float(found.rows.sum())))
        return cls(kind, table, columns, target, rows, found.rows, means, deviations, found.noise)

    @property
    def shares(self) -> Floats:
        """The share of each class."""
        return np.asarray(self.sizes / self.sizes.sum())

    def find_scores(self, table: Any) -> Floats:
        """Return the logarithm of each class's likelihood, up to a constant: a line for each row."""
        scaled = self.scale_rows(table)
        scores = np.tile(np.log(self.shares), (len(scaled[0]), 1))
        for column, given, (_, part) in zip(self.columns, scaled, self.places, strict=True):
            if isinstance(column, NumberColumn):
                mean, deviation = self.means[:, part.start], self.deviations[:, part.start]
                scores -= (given[:, None] - mean) ** 2 / (2 * deviation**2) + np.log(deviation)
            else:
                scores += np.log(self.means[:, part]).T[given.astype(int)]
        return scores

    def predict_probabilities(self, table: Any) -> Floats:
        """Return the probability of each class, a line for each row, in the order of `classes`."""
        scores = self.find_scores(table)
        held = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(held / held.sum(axis=1, keepdims=True))

    def predict(self, table: Any) -> Any:
        """Return the likeliest class of each row of an Arrow table or a pandas frame."""
        return np.array(self.classes, dtype=object)[self.find_scores(table).argmax(axis=1)]

    def describe(self) -> dict[str, Json]:
        """Return what each class's rows are like, with the names of features."""
        means, deviations = self.unscale(self.means), self.deviations * self.halves
        return {
            "rows": self.rows,
            "classes": [
                {
                    "class": str(label),
                    "rows": float(self.sizes[at]),
                    "noise": float(self.noise[at]),
                    "features": [
                        {
                            "name": name,
                            "scaled": [float(self.means[at, place]), float(self.deviations[at, place])],
                            "mean": float(means[at, place]),
                            "deviation": float(deviations[at, place]),
                        }
                        for place, name in enumerate(self.names)
                    ],
                }
                for at, label in enumerate(self.classes)
            ],
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        kind, table, columns, target = subject
        assert isinstance(target, ClassTarget)
        listed = form["classes"]
        scaled = np.array([[each["scaled"] for each in own["features"]] for own in listed], dtype=np.float64)
        sizes, noise = (np.array([own[key] for own in listed], dtype=np.float64) for key in ("rows", "noise"))
        return cls(kind, table, columns, target, form["rows"], sizes, scaled[:, :, 0], scaled[:, :, 1], noise)

    def tabulate(self) -> Findings:
        """Return each class's share, then means and deviations of numbers and shares of categories."""
        means, deviations = self.unscale(self.means), self.deviations * self.halves
        rows = [("(share of rows)", tuple(map(float, self.shares)))]
        for column, (_, part) in zip(self.columns, self.places, strict=True):
            for place, name in enumerate(column.weights, start=part.start):
                number = isinstance(column, NumberColumn)
                rows.append((f"{name}: mean" if number else name, tuple(map(float, means[:, place]))))
                if number:
                    rows.append((f"{name}: deviation", tuple(map(float, deviations[:, place]))))
        return Findings(tuple(map(str, self.classes)), tuple(rows))
