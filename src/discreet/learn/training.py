"""The operation behind a model: one charge before, noisy sums at the desk, one record of what was learned."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

from discreet.base.canonical import Json, write_json
from discreet.curator.door.desk import Desk
from discreet.gradients.encoding import Encoding, LabelColumn
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.learner import Learner
from discreet.learn.models.model import Model, Subject
from discreet.learn.rehearsal import Rehearsal
from discreet.learn.source import DeskSource, GradientSource
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge

MOST_TEXT = 300
"""Letters of the line that says what is learned."""


def make_encoding(plan: RowsPlan, subject: Subject) -> Encoding:
    """Return what a row's points become: features, and a label, which is 0 for all where nothing is predicted."""
    grids = [each.grid for each in plan.columns]
    features = tuple(column.make_feature(at, grids[at]) for at, column in enumerate(subject.columns))
    target = subject.target
    label = LabelColumn(0, 0, 1, 0, 0) if target is None else target.make_label(len(features), grids[-1])
    return Encoding(features, label)


@dataclass(frozen=True)
class Training:
    """Learns a model of a table's rows, within an allowance."""

    kind: ClassVar[str] = "training"
    version: ClassVar[int] = 1

    plan: RowsPlan
    subject: Subject
    learner: Learner
    allowance: GaussianAllowance

    @property
    def charge(self) -> Charge:
        """What all draws cost."""
        return self.allowance.charge

    @property
    def encoding(self) -> Encoding:
        """What a row's points become."""
        return make_encoding(self.plan, self.subject)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plan."""
        subject, settings = self.subject, self.learner.settings()
        form: dict[str, Json] = {
            "model": subject.kind,
            "columns": [column.describe() for column in subject.columns],
            "target": None if subject.target is None else subject.target.describe(),
            "allowance": self.allowance.describe(),
        }
        return form | ({"settings": settings} if settings else {})

    def describe(self) -> str:
        """Say in a line what is learned, for the ledger's readers."""
        text = self.subject.describe()
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of the table's rows."""
        return (self.plan,)

    def rehearse(self) -> None:
        """Refuse what would fail after the charge: all of it follows from public facts."""
        source = Rehearsal(self.plan)
        self.finish(self._measure(source))
        source.check_time()

    def run(self, desk: Desk) -> bytes:
        """Learn, and return what was learned."""
        return self._measure(DeskSource(desk, self.plan))

    def finish(self, measured: bytes) -> Model:
        """Return the model."""
        return self.learner.make_model(self.subject, json.loads(measured))

    def _measure(self, source: GradientSource) -> bytes:
        return write_json(self.learner.measure(source, self.subject, self.encoding, self.allowance)).encode()
