"""Clusters of a table's rows: centres in the units of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import PlaceFeature, find_slices
from discreet.learn.clusters import Clusters
from discreet.learn.models.model import Findings, Model, Subject


@dataclass(frozen=True, eq=False, repr=False)
class ClusterModel(Model):
    """Centres, the one of most rows first, and how many rows are nearest to each."""

    centres: Floats
    """Scaled features, a line for each cluster; of a category the share of each place, about."""
    sizes: Floats
    """The noisy number of rows of each cluster, at least 0."""
    noise: Floats
    """A bound on the standard deviation of the noise in each cluster's scaled coordinates."""

    @classmethod
    def make(cls, subject: Subject, found: Clusters) -> Self:
        """Return the model of what was found."""
        order = np.argsort(-found.rows, kind="stable")
        rows, centres = max(1, round(float(found.rows.sum()))), found.centres[order]
        for part, feature in zip(find_slices(found.encoding.features), found.encoding.features, strict=True):
            if isinstance(feature, PlaceFeature):
                centres[:, part] = np.maximum(centres[:, part], 0)
        return cls(*subject, rows, centres, found.rows[order], found.noise[order])

    def predict(self, table: Any) -> Ints:
        """Return the nearest centre of each row of an Arrow table or a pandas frame, counted from 0."""
        scores = 2 * self.combine(table, self.centres.T) - (self.centres**2).sum(axis=1)
        return np.asarray(scores.argmax(axis=1))

    def describe(self) -> dict[str, Json]:
        """Return the centres, with the names of their features."""
        return {
            "rows": self.rows,
            "clusters": [
                {
                    "rows": float(size),
                    "noise": float(noise),
                    "centre": [
                        {"name": name, "scaled": float(scaled), "value": float(value)}
                        for name, scaled, value in zip(self.names, centre, self.unscale(centre), strict=True)
                    ],
                }
                for centre, size, noise in zip(self.centres, self.sizes, self.noise, strict=True)
            ],
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        clusters = form["clusters"]
        centres = np.array([[each["scaled"] for each in own["centre"]] for own in clusters], dtype=np.float64)
        sizes, noise = (np.array([own[key] for own in clusters], dtype=np.float64) for key in ("rows", "noise"))
        return cls(*subject, form["rows"], centres, sizes, noise)

    def tabulate(self) -> Findings:
        """Return how many rows each cluster has, then its centre: a column for each."""
        heads = tuple(f"cluster {at}" for at in range(len(self.sizes)))
        rows = ("(rows)", tuple(float(round(each)) for each in self.sizes))
        own = zip(self.names, self.unscale(self.centres).T, strict=True)
        return Findings(heads, (rows, *((name, tuple(map(float, values))) for name, values in own)))
