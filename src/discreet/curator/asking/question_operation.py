"""A question in SQL as an operation: one plan, measured once, with the noises that its price chose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json
from discreet.curator.door.desk import Desk
from discreet.curator.release.released import Released, ReleasedSet
from discreet.plan.beside import list_releases
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
    beside: tuple[tuple[BoundedPlan, Draws], ...] = ()
    """What else the statement releases: the charge is that of all together."""

    left_out: tuple[BoundedPlan, Draws] | None = None
    """How what limits left out is counted, where it is; never beside other releases."""

    def parameters(self) -> Json:
        """Return how the measures are released; questions that release nothing else are what they always were."""
        if self.left_out is not None:
            return {"answer": self.draws.describe(), "left out": self.left_out[1].describe()}
        if not self.beside:
            return self.draws.describe()
        return {"several": [draws.describe() for _, draws in self._releases]}

    def plans(self) -> tuple[BoundedPlan, ...]:
        """Return the one plan, or those of all releases that draw something, and that of what is left out."""
        if self.left_out is not None:
            return (self.plan, self.left_out[0])
        drawing = tuple(plan for plan, draws in self._releases if not draws.is_empty)
        return drawing if self.beside and drawing else (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Measure it, one release after another."""
        if self.left_out is not None:
            released = desk.measure(self.plan, self.draws)
            (counted,) = desk.measure(*self.left_out).sets
            return replace(released, left_out=counted.sums[0][0]).to_bytes()
        if not self.beside:
            return desk.measure(self.plan, self.draws).to_bytes()
        first, *others = (
            list_public_keys(plan) if draws.is_empty else desk.measure(plan, draws) for plan, draws in self._releases
        )
        return replace(first, beside=tuple(others)).to_bytes()

    @property
    def _releases(self) -> tuple[tuple[BoundedPlan, Draws], ...]:
        return ((self.plan, self.draws), *self.beside)

    def finish(self, measured: bytes) -> Released:
        """Return what was released, beside keys that are public and were not."""
        found = Released.from_bytes(measured)
        if not self.beside:
            return found
        first, *others = (
            list_public_keys(plan) if draws.is_empty else each
            for (plan, draws), each in zip(self._releases, (found, *found.beside), strict=True)
        )
        return replace(first, beside=tuple(others))


def make_operation(question: Question, priced: Price) -> QuestionOperation:
    """Return the operation of a question at a price: it releases all that the statement does."""
    asked = list_releases(question).questions
    (plan, draws), *others = (
        (each.bounded.plan, _make_draws(one, each)) for one, each in zip(asked, (priced, *priced.beside), strict=True)
    )
    left_out = None if priced.left_out is None else (priced.left_out.counted.plan, priced.left_out.draws)
    return QuestionOperation(plan, draws, priced.charge, tuple(others), left_out)


def list_public_keys(plan: BoundedPlan) -> Released:
    """Return the public keys of a plan that releases nothing else."""
    return Released(tuple(ReleasedSet(()) for _ in plan.sets))


def _make_draws(question: Question, priced: Price) -> Draws:
    if priced.choice is not None:
        return Draws((), choice=priced.choice)
    return Draws(priced.noises, priced.selection, priced.counted, _list_quantiles(question, priced))


def _list_quantiles(question: Question, priced: Price) -> tuple[tuple[int, tuple[Fraction, ...]], ...]:
    """Return which quantiles are looked for in each tree of ranks."""
    shares: dict[int, set[Fraction]] = {}
    for asked, source in zip(question.aggregates, priced.bounded.sources, strict=True):
        if asked.share is not None and priced.bounded.plan.measures[source[0]].part is Part.RANKS:
            shares.setdefault(source[0], set()).add(asked.share)
    return tuple((measure, tuple(sorted(each))) for measure, each in sorted(shares.items()))
