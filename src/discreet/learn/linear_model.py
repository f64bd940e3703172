"""A linear model of a table: what learning returns, and everybody may use. Nothing here costs anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from discreet.answers import Receipt
from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.grid import Floats
from discreet.learn.features import LearnedColumn, NumberColumn, read_learned_column
from discreet.learn.kinds import find_kind
from discreet.learn.targets import POISSON_SCALE, ClassTarget, NumberTarget, Target, read_target_form
from discreet.query.placing import take_table

FORMAT = "discreet linear model"
VERSION = 1
"""The version of the file. Files of a version that was ever released stay readable."""


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    """Weights with names, the scales of their features, what is predicted, and what it cost."""

    kind: str
    table: str
    columns: tuple[LearnedColumn, ...]
    target: Target
    weights: Floats
    """A line for each weight, the intercept last, and a column for each output."""
    noise: float
    """A bound on the standard deviation of the noise in each weight (`learn/descent.py`, `learn/perturbation.py`)."""
    rows: int
    """How many rows taught it, about."""
    settings: Any
    receipt: Receipt | None = None

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.columns)
        return (
            f"<LinearModel ({self.kind}) of {self.table}: {self.target.name} by {names}, from about {self.rows:,} rows>"
        )

    @property
    def names(self) -> list[str]:
        """The names of all weights, in their order."""
        return [*(name for column in self.columns for name in column.weights), "intercept"]

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of their probabilities."""
        if not isinstance(self.target, ClassTarget):
            raise ParameterError("model", self.kind, "one that predicts classes")
        return self.target.classes

    def list_coefficients(self) -> Iterator[tuple[str, Floats]]:
        """Yield each weight's name and its values in the units of the data: per 1 of a number, not of its scale."""
        slopes, intercept, place = self.weights.copy(), self.weights[-1].copy(), 0
        for column in self.columns:
            if isinstance(column, NumberColumn):
                slopes[place] /= column.half
                intercept -= slopes[place] * column.middle
            place += len(column.weights)
        slopes[-1] = intercept
        yield from zip(self.names, slopes, strict=True)

    def find_half_width(self, confidence: float = 0.95) -> float:
        """Return how far a weight may be from where the same training without noise would have ended.

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
            raise ParameterError("model", self.kind, "logistic: no other kind has probabilities")
        return find_kind(self.kind).predict_mean(self.find_scores(table))

    def find_scores(self, table: Any) -> Floats:
        """Return the scores of rows that somebody holds; features that are SQL are computed by DuckDB, in memory."""
        values = compute_features(self.columns, take_table("table", table))
        scores = np.tile(self.weights[-1], (len(values), 1))
        place = 0
        for at, column in enumerate(self.columns):
            if isinstance(column, NumberColumn):
                scaled = np.clip((values[:, at] - column.middle) / column.half, -1, 1)
                scores += scaled[:, None] * self.weights[place]
            else:
                scores += self.weights[place + values[:, at].astype(int)]
            place += len(column.weights)
        return scores

    def with_receipt(self, receipt: Receipt) -> LinearModel:
        """Return the model with what it cost."""
        return replace(self, receipt=receipt)

    def to_json(self) -> dict[str, Json]:
        """Return the model as plain JSON: nothing in it is private."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "table": self.table,
            "target": self.target.describe(),
            "features": [column.describe() for column in self.columns],
            "rows": self.rows,
            "noise": self.noise,
            "settings": self.settings,
            "coefficients": [
                {"name": name, "scaled": weight.tolist(), "value": value.tolist()}
                for (name, value), weight in zip(self.list_coefficients(), self.weights, strict=True)
            ],
            "receipt": None if self.receipt is None else self.receipt.to_dict(),
        }

    def save(self, path: str | Path) -> None:
        """Write the model to a file, from which `load_linear_model` makes the same one."""
        Path(path).write_text(json.dumps(self.to_json(), indent=2, default=str) + "\n", encoding="utf-8")


def load_linear_model(path: str | Path) -> LinearModel:
    """Return the model that was saved in a file, or say plainly what is wrong with it."""
    try:
        form: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        if form["format"] != FORMAT:
            raise ValueError
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read ({trouble.strerror})") from None
    except (ValueError, KeyError, TypeError):
        raise DiscreetError(f"{path} is no linear model: name a file that model.save(...) wrote") from None
    if form["version"] != VERSION:
        raise DiscreetError(f"{path} is a model of version {form['version']}; this release reads version {VERSION}")
    try:
        return LinearModel(
            form["kind"],
            form["table"],
            tuple(read_learned_column(each) for each in form["features"]),
            read_target_form(form["target"]),
            np.array([each["scaled"] for each in form["coefficients"]], dtype=np.float64),
            float(form["noise"]),
            form["rows"],
            form["settings"],
            None if form["receipt"] is None else Receipt.from_dict(form["receipt"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DiscreetError(f"{path} is damaged: load a copy of it, or save the model again") from None


def scale_back(target: NumberTarget, scaled: Floats) -> Floats:
    """Return predictions in the target's own units."""
    if target.counted:
        return np.asarray(scaled * (float(target.upper) / POISSON_SCALE))
    middle, half = float(target.lower + target.upper) / 2, float(target.upper - target.lower) / 2
    return np.asarray(middle + np.clip(scaled, -1, 1) * half)


def compute_features(columns: tuple[LearnedColumn, ...], table: Any) -> Floats:
    """Return each feature of each row as its SQL has it, in DuckDB, which sees this table and nothing else."""
    import duckdb

    parameters: dict[str, Any] = {}
    listed = ", ".join(f"{column.write_value(parameters)} AS feature{at}" for at, column in enumerate(columns))
    with duckdb.connect(config={"enable_external_access": "false"}) as database:
        database.register("given", table)
        try:
            found = database.sql(f"SELECT {listed} FROM given", params=parameters).to_arrow_table()
        except duckdb.Error as trouble:
            raise ParameterError("table", str(trouble), "one that has the columns of the model's features") from None
    return np.column_stack([np.asarray(found[name].cast("double")) for name in found.column_names])
