"""A question in SQL as an operation: one plan, measured once, with the noises that its price chose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json
from discreet.curator.door.desk import Desk
from discreet.curator.release.released import Released
from discreet.plan.bounded import BoundedPlan, Part
from discreet.plan.question import Question
from discreet.privacy.charges import Charge
from discreet.query.draws import Draws
from discreet.query.price import Price


@dataclass(frozen=True)
class QuestionOperation:
    """Releases the measures of a question's plan, or keys chosen by one of them.

    Where what is left out is counted too, that is a second plan with a draw of its own, in the same charge and record.
    HAVING, ORDER BY, LIMIT and arithmetic come after the record.
    """

    kind: ClassVar[str] = "sql"
    version: ClassVar[int] = 1

    plan: BoundedPlan
    draws: Draws
    charge: Charge
    left_out: tuple[BoundedPlan, Draws] | None = None

    def parameters(self) -> Json:
        """Return how the measures are released; questions that count nothing else are what they always were."""
        if self.left_out is None:
            return self.draws.describe()
        return {"answer": self.draws.describe(), "left out": self.left_out[1].describe()}

    def plans(self) -> tuple[BoundedPlan, ...]:
        """Return the plan of the answer, and that of what is left out, if it is counted."""
        return (self.plan,) if self.left_out is None else (self.plan, self.left_out[0])

    def run(self, desk: Desk) -> bytes:
        """Measure it."""
        released = desk.measure(self.plan, self.draws)
        if self.left_out is not None:
            (counted,) = desk.measure(*self.left_out).sets
            released = replace(released, left_out=counted.sums[0][0])
        return released.to_bytes()

    def finish(self, measured: bytes) -> Released:
        """Return what was released."""
        return Released.from_bytes(measured)


def make_operation(question: Question, priced: Price) -> QuestionOperation:
    """Return the operation of a question at a price."""
    left_out = None if priced.left_out is None else (priced.left_out.counted.plan, priced.left_out.draws)
    if priced.choice is not None:
        return QuestionOperation(priced.bounded.plan, Draws((), choice=priced.choice), priced.charge, left_out)
    draws = Draws(priced.noises, priced.selection, priced.counted, _list_quantiles(question, priced))
    return QuestionOperation(priced.bounded.plan, draws, priced.charge, left_out)


def _list_quantiles(question: Question, priced: Price) -> tuple[tuple[int, tuple[Fraction, ...]], ...]:
    """Return which quantiles are looked for in each tree of ranks."""
    shares: dict[int, set[Fraction]] = {}
    for asked, source in zip(question.aggregates, priced.bounded.sources, strict=True):
        if asked.share is not None and priced.bounded.plan.measures[source[0]].part is Part.RANKS:
            shares.setdefault(source[0], set()).add(asked.share)
    return tuple((measure, tuple(sorted(each))) for measure, each in sorted(shares.items()))
