"""Learning under the clock: a model of a table, trained at a desk, with the dearest person there and without.

Every unit is in every step of a full batch, so whatever time a person's rows take is taken in each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

from discreet.curator.door.desk import Desk
from discreet.curator.door.operation import declare
from discreet.curator.door.performance import make_meter
from discreet.curator.session import Session
from discreet.engines.engines import Engines
from discreet.learn.from_table import prepare_training
from discreet.learn.training import Training
from discreet.plan.rows_plan import RowsPlan
from discreet.policy.schema import Resolved
from discreet.query.work import check_work
from support.desks import Pages, never
from support.hospital import rows_of

DEAR_FEATURES = ["cost", "LENGTH(REVERSE(UPPER(note))) > 5", "STRPOS(LOWER(note), 'aab') > 3"]
"""Features whose time grows with a person's texts."""

TRAINED: dict[str, dict[str, Any]] = {
    "logistic": {"target": "ward", "features": DEAR_FEATURES},
    "huber": {"target": "cost", "features": ["ward", *DEAR_FEATURES[1:]]},
    "linear": {"target": "cost", "features": ["ward", *DEAR_FEATURES[1:]]},
}
"""A model of several classes, one of a number, and one that is made of sums."""


class PlanningDesk:
    """What planning a model asks of a session, over engines alone."""

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    @property
    def question_delta(self) -> Fraction:
        return self._engines.policy.question_delta

    @property
    def budget(self) -> SimpleNamespace:
        return SimpleNamespace(total=SimpleNamespace(delta=self._engines.policy.delta))

    @property
    def tables(self) -> Mapping[str, Resolved]:
        return self._engines.tables

    def plan_rows(
        self, question: str, params: Mapping[str, Any] | None = None, max_rows: int | None = None
    ) -> RowsPlan:
        plan = rows_of(self._engines, question, params, max_rows)
        check_work(plan, self._engines.policy)
        return plan


def plan_model(engines: Engines, model: str) -> Training:
    """Return the training of a model, rehearsed as before a charge."""
    session = cast(Session, PlanningDesk(engines))
    return prepare_training(session, model, "visits", epsilon=1, **TRAINED[model])


def train(engines: Engines, training: Training) -> None:
    """Train at a desk of its own: rows are read anew."""
    meter = make_meter(declare(training))
    hold = lambda plan: engines.hold(plan, lambda start: start().result())  # noqa: E731
    desk = Desk(training.plans(), meter, Pages(), never, hold)
    try:
        training.run(desk)
    finally:
        desk.close()
