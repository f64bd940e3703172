"""Principal components of a table: directions along which its rows differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.learn.components import Components
from discreet.learn.models.model import Findings, Model, Subject, write_floats


@dataclass(frozen=True, eq=False, repr=False)
class ComponentModel(Model):
    """Directions of scaled features, the one with the most variance first."""

    mean: Floats
    directions: Floats
    """A line for each component, of length 1."""
    variances: Floats
    shares: Floats
    """The part of all variance that each component has."""
    noise: float
    """A variance below this may be noise alone: the size of a noisy covariance's own eigenvalues, about."""

    @classmethod
    def make(cls, subject: Subject, found: Components) -> Self:
        """Return the model of what was found."""
        noise = 2 * found.noise * len(found.mean) ** 0.5
        rows = max(1, round(found.rows))
        return cls(*subject, rows, found.mean, found.directions, found.variances, found.shares, noise)

    def transform(self, table: Any) -> Floats:
        """Return the coordinates of the rows of an Arrow table or a pandas frame: a column for each component."""
        return np.asarray(self.combine(table, self.directions.T) - self.mean @ self.directions.T)

    def describe(self) -> dict[str, Json]:
        """Return the components, and what each feature is to them."""
        means = self.unscale(self.mean)
        return {
            "rows": self.rows,
            "noise": self.noise,
            "components": [
                {"variance": float(variance), "share": float(share)}
                for variance, share in zip(self.variances, self.shares, strict=True)
            ],
            "loadings": [
                {"name": name, "scaled": float(scaled), "mean": float(mean), "directions": write_floats(own)}
                for name, scaled, mean, own in zip(self.names, self.mean, means, self.directions.T, strict=True)
            ],
        }

    @classmethod
    def read(cls, subject: Subject, form: Any) -> Self:
        """Return the model of what `describe` wrote."""
        mean = np.array([each["scaled"] for each in form["loadings"]], dtype=np.float64)
        directions = np.array([each["directions"] for each in form["loadings"]], dtype=np.float64).T
        variances = np.array([each["variance"] for each in form["components"]], dtype=np.float64)
        shares = np.array([each["share"] for each in form["components"]], dtype=np.float64)
        return cls(*subject, form["rows"], mean, directions, variances, shares, float(form["noise"]))

    def tabulate(self) -> Findings:
        """Return each component's share of the variance, then its direction: a column for each."""
        heads = tuple(f"component {at}" for at in range(1, len(self.shares) + 1))
        own = zip(self.names, self.directions.T, strict=True)
        shares = ("(share of variance)", tuple(write_floats(self.shares)))
        return Findings(heads, (shares, *((name, tuple(write_floats(each))) for name, each in own)))
