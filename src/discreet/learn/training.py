"""The operation behind a model: one charge before, a descent at the desk, one record of its weights."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from discreet.base.canonical import Json, write_json
from discreet.curator.door.desk import Desk
from discreet.gradients.encoding import FEATURE_STEPS, Encoding
from discreet.gradients.residuals import WEIGHT_STEPS
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients, hold_weights
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.descent import COUNT_SHARE, DescentSettings, bound_noise, choose_clip, choose_settings, descend
from discreet.learn.features import LearnedColumn
from discreet.learn.kinds import find_kind
from discreet.learn.linear_model import LinearModel
from discreet.learn.perturbation import MinimumSettings, check_method, find_noisy_minimum
from discreet.learn.source import DeskSource, GradientSource
from discreet.learn.targets import ClassTarget, Target
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge

MOST_TEXT = 300
"""Letters of the line that says what is learned."""


@dataclass(frozen=True)
class Training:
    """Learns a linear model of a table's rows, within an allowance."""

    kind: ClassVar[str] = "training"
    version: ClassVar[int] = 1

    plan: RowsPlan
    table: str
    model: str
    columns: tuple[LearnedColumn, ...]
    target: Target
    allowance: GaussianAllowance
    method: str = "descent"

    @property
    def charge(self) -> Charge:
        """What all draws cost."""
        return self.allowance.charge

    @property
    def gradients(self) -> LinearGradients:
        """The gradients that are summed."""
        grids = [each.grid for each in self.plan.columns]
        features = tuple(column.make_feature(at, grids[at]) for at, column in enumerate(self.columns))
        label = self.target.make_label(len(features), grids[-1])
        classes = len(self.target.classes) if isinstance(self.target, ClassTarget) else 0
        return find_kind(self.model).make_gradients(Encoding(features, label), classes)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plan."""
        form: dict[str, Json] = {
            "model": self.model,
            "columns": [column.describe() for column in self.columns],
            "target": self.target.describe(),
            "allowance": self.allowance.describe(),
        }
        return form if self.method == "descent" else form | {"method": self.method}

    def describe(self) -> str:
        """Say in a line what is learned, for the ledger's readers."""
        names = ", ".join(column.name for column in self.columns)
        text = f"{self.model} model of {self.table}: {self.target.name} by {names}"
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of the table's rows."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Train, and return the weights."""
        source = DeskSource(desk, self.plan)
        found = train(source, self.gradients, self.model, self.allowance, method=self.method)
        return write_json(found.describe()).encode()

    def finish(self, measured: bytes) -> LinearModel:
        """Return the model."""
        form = json.loads(measured)
        width, outputs = self.gradients.shape
        weights = np.array(form["weights"], dtype=np.float64).reshape(width, outputs) / WEIGHT_STEPS
        noise, settings = float(form["noise"]), form["settings"]
        return LinearModel(self.model, self.table, self.columns, self.target, weights, noise, form["rows"], settings)


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The weights that training found, in whole steps, and how it went."""

    weights: list[int]
    rows: float
    settings: DescentSettings | MinimumSettings
    noise: float
    """A bound on the standard deviation of the noise in a weight."""

    def describe(self) -> Json:
        """Return the form of it: weights, line by line, and public facts."""
        return {
            "weights": list(self.weights),
            "rows": round(self.rows),
            "settings": self.settings.describe(),
            "noise": repr(self.noise),
        }


def train(
    source: GradientSource,
    gradients: LinearGradients,
    model: str,
    allowance: GaussianAllowance,
    size: int | None = None,
    length: float | None = None,
    method: str = "descent",
    ridge: float = 0.0,
) -> Trained:
    """Return the weights of a model, for all of an allowance; rows are counted unless their number is public.

    Few units have as many rows as they may: the clip grows with the root of that number. `length` is how long most
    rows' features are, if that is public: it shapes the descent, and rows that are longer are clipped.
    """
    check_method(method, gradients)
    if size is None:
        rows = source.count(allowance.take(COUNT_SHARE))
        allowance = allowance.take(1 - COUNT_SHARE)
    else:
        rows = float(size)
    if length is None:
        length = gradients.encoding.longest / FEATURE_STEPS
    share = choose_clip(allowance.mu, rows / source.most_rows)
    if method != "descent" and gradients.residual.outputs > 1:
        share = 1.0  # slopes of several scores cannot be cut
    longest = length * gradients.residual.longest * FEATURE_STEPS
    clipped = replace(gradients, clip=max(FEATURE_STEPS, round(longest * share * source.most_rows**0.5)))
    if method != "descent":
        slope = ceil(gradients.residual.longest * share)
        found, how, noise = find_noisy_minimum(source, clipped, slope, allowance, method, rows, ridge)
        return Trained(hold_weights(found).ravel().tolist(), rows, how, noise)
    clip = clipped.clip / GRADIENT_STEPS
    settings = choose_settings(allowance.mu, rows, length, clip, find_kind(model).curvature)
    weights = descend(source, clipped, allowance, settings, rows, length)
    drawn = allowance.take(Fraction(1, settings.steps)).make_noise(source.factor * clipped.clip)
    deviation = bound_noise(settings, drawn.sigma / GRADIENT_STEPS / (length * rows)) / length
    return Trained(hold_weights(weights).ravel().tolist(), rows, settings, deviation)
