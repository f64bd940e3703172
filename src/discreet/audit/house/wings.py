"""What wings draw at a desk, as components: a sum over units, a step of a training, a marginal of synthetic data.

Each is a vector with an entry for every key of a table, so that one operation gives a draw for each key
(`keyed_draws`). What is claimed is what the operation declares and is charged for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet.audit.house.audited_part import AuditedPart
from discreet.audit.house.keyed_draws import KeyedRelease, KeyedTables
from discreet.audit.house.questions import EPSILON, QuestionMaker
from discreet.base.canonical import Json
from discreet.base.grid import Floats
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.unit_functions import PieceCounts
from discreet.gradients.encoding import Encoding, LabelColumn, PlaceFeature
from discreet.gradients.residuals import LogisticResidual
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients, hold_weights
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge, charge_of
from discreet.privacy.loss import Loss
from discreet.privacy.losses.guarantees import PureLoss
from discreet.query.draws import VectorNoise
from discreet.synthetic.allowance import read_allowance
from discreet.synthetic.from_table import prepare_synthesis

DELTA = 1e-3
CLIP = Clip(2, 1.0)
"""A unit counts as two rows at the most, though it keeps three."""

MOST_CELLS, MOST_PLACES = 1_000, 250
"""Entries of a vector that is made unit by unit, and places of a column of synthetic data."""

DeskDraw = Callable[[Desk, RowsPlan, VectorNoise, int], tuple[int, ...]]


@dataclass(frozen=True)
class AuditedSum:
    """An operation of one draw: a vector with noise, charged for what the noise claims to lose."""

    kind: ClassVar[str] = "audited sum"
    version: ClassVar[int] = 1

    plan: RowsPlan
    noise: VectorNoise
    loss: Loss
    draw: DeskDraw
    entries: int

    @property
    def charge(self) -> Charge:
        """What is claimed."""
        return charge_of(self.loss)

    def parameters(self) -> Json:
        """Return the noise and how many entries there are."""
        return {"noise": describe_mechanism(self.noise), "entries": self.entries}

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of rows."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Draw once."""
        return json.dumps(self.draw(desk, self.plan, self.noise, self.entries)).encode()

    def finish(self, measured: bytes) -> list[int]:
        """Return the noisy vector."""
        found: list[int] = json.loads(measured)
        return found


def list_wings(tables: KeyedTables, samples: int, most: int | None = None) -> list[AuditedPart]:
    """Return what wings draw, for so many outputs each."""
    laplace = Laplace.calibrate(EPSILON, CLIP.steps)
    gaussian = Gaussian.calibrate(EPSILON, DELTA, GRADIENT_STEPS)
    summed, stepped = laplace.loss(CLIP.steps, dim=MOST_CELLS), gaussian.loss(GRADIENT_STEPS)
    sums, steps = (
        _perform("SELECT k FROM t", laplace, summed, _sum_cells),
        _perform("SELECT k, x FROM t", gaussian, stepped, _sum_gradients),
    )
    made = QuestionMaker(tables, samples, most)
    pure = PureLoss(Fraction(EPSILON))
    return [
        made.make("a sum over units", sums, summed, dear=10, cells=MOST_CELLS),
        made.make("a step of a training", steps, stepped, DELTA, dear=10, cells=MOST_CELLS),
        made.make("a marginal of synthetic data", _measure_marginal, pure, dear=30, cells=MOST_PLACES),
    ]


def _perform(text: str, noise: Any, loss: Loss, draw: DeskDraw) -> KeyedRelease:
    def ask(curator: Curator, keys: int) -> Floats:
        session = curator.session()
        operation = AuditedSum(session.plan_rows(text), noise, loss, draw, keys)
        told, _ = session.perform(operation, "an audited sum", fresh=True)
        return np.array(told[:keys], np.float64)[:, None]

    return ask


def _sum_cells(desk: Desk, plan: RowsPlan, noise: VectorNoise, keys: int) -> tuple[int, ...]:
    edges = tuple(float(key) for key in range(1, keys))
    return desk.sum(plan, PieceCounts(edges), CLIP, noise)


def _sum_gradients(desk: Desk, plan: RowsPlan, noise: VectorNoise, keys: int) -> tuple[int, ...]:
    """Return the gradients of a logistic model with a weight for each key, at weights of 0; the last is for all."""
    grid = plan.columns[1].grid
    place = PlaceFeature(0, keys, plan.columns[0].grid.lower)
    encoding = Encoding((place,), LabelColumn(1, grid.lower, grid.upper, 0, 1))
    gradients = LinearGradients(encoding, LogisticResidual(), GRADIENT_STEPS)
    return desk.sum_gradients(plan, gradients, hold_weights(np.zeros(gradients.shape)), noise)


def _measure_marginal(curator: Curator, keys: int) -> Floats:
    """Return the noisy marginal of one column that a synthesis measures; before it comes the noisy number of rows."""
    session = curator.session()
    asked = prepare_synthesis(session, "t", 1, read_allowance(epsilon=EPSILON), columns=["k"])
    transcript, _ = session.perform(asked, asked.describe(), fresh=True)
    answers = transcript.readings[-1].answers
    return np.asarray(answers[-keys:], np.float64)[:, None]
