"""The operation behind a compiled model: one charge before, some steps at a time at the desk, one record.

What is journaled is the state after every few steps. Where units are sampled, the loss of all steps is a schedule that
is certified as a whole and charged as its (epsilon, delta); where all units are taken, steps are charged by their rho.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from discreet.base.canonical import Json
from discreet.curator.door.compiled import CompiledDescent, check_descent
from discreet.curator.door.desk import Desk
from discreet.curator.door.schedule import Schedule
from discreet.gradients.compiled.states import pack_state, unpack_state
from discreet.learn.compiled.compiled_model import CompiledModel
from discreet.learn.models.model import Subject
from discreet.learn.training import MOST_TEXT
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge, charge_of


@dataclass(frozen=True, eq=False)
class CompiledTraining:
    """Trains a compiled model on all units of a table in every step."""

    kind: ClassVar[str] = "compiled training"
    version: ClassVar[int] = 1

    plan: RowsPlan
    subject: Subject
    descent: CompiledDescent
    start: Any
    """Parameters and the optimiser's state, to start from."""
    steps: int
    every: int
    """After how many steps the state is journaled."""

    @cached_property
    def charge(self) -> Charge:
        """What all steps cost."""
        return charge_of(self.descent.find_loss(self.plan) * self.steps)

    @property
    def parts(self) -> list[int]:
        """How many steps are made at a time."""
        whole, rest = divmod(self.steps, self.every)
        return [self.every] * whole + [rest] * (rest > 0)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plan."""
        return {
            "model": self.subject.to_json(),
            "descent": self.descent.describe(self.start),
            "steps": self.steps,
            "every": self.every,
        }

    def describe(self) -> str:
        """Say in a line what is learned, for the ledger's readers."""
        text = self.subject.describe()
        return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 3]}..."

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of the table's rows."""
        return (self.plan,)

    def rehearse(self) -> None:
        """Refuse what would fail after the charge: all is compiled and checked, and a step is made of made-up rows.

        No shape depends on the rows, so the programs that ran here are those that run at the desk.
        """
        check_descent(self.plan, self.descent, self.start, self.steps)
        made_up = self.descent.gradients.make_up_rows()
        self.finish(pack_state(self.descent.run(made_up, self.start, 1, lambda: None)[0]))

    def run(self, desk: Desk) -> bytes:
        """Train, and return the parameters."""
        state = self.start
        for steps in self.parts:
            state = desk.descend(self.plan, self.descent, state, steps)
        return pack_state(state[0])

    def finish(self, measured: bytes) -> CompiledModel:
        """Return the model."""
        return CompiledModel(self.subject, unpack_state(measured, self.start[0]))


@dataclass(frozen=True, eq=False)
class SampledTraining(CompiledTraining):
    """Trains a compiled model on a sample of the units in every step: one schedule, certified at a delta."""

    delta: float

    @cached_property
    def schedule(self) -> Schedule:
        """The loss of every part, in order."""
        loss, (whole, rest) = self.descent.find_loss(self.plan), divmod(self.steps, self.every)
        parts = ((loss * self.every, whole), (loss * max(1, rest), rest and 1))
        return Schedule(tuple(each for each in parts if each[1]), self.delta)

    @cached_property
    def charge(self) -> Charge:
        """What the schedule costs: its certified epsilon, at its delta."""
        return self.schedule.charge
