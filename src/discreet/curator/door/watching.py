"""Watches: of one question after another, whether a model's estimate is farther from the truth than a threshold.

The sparse vector technique at the desk. Theorem (Lyu, Su, Li 2017, Theorem 2; `mechanisms/sparse_vector.py` has the
proof): with one secret noisy threshold, and questions that one unit moves by at most d, the whole run is
epsilon-differentially private for epsilon = d / threshold_scale + cutoff * 2d / question_scale, however many questions
are asked, in whatever order and depending on all answers before, until it has said yes `cutoff` times.

The question here is the gap |t - e|: t a single answer of a linear family over a plan's rows, e a public estimate. A
unit moves t by at most `RowBound.bound_l1`, so by the triangle inequality the gap as well; `reach` is the d that was
paid for when the watch began, and a question that moves farther is refused. Gaps move both ways, so the price of
monotone questions is not to be had. Numbers are told by `Desk.count`, at its own price, never by what decided.

The threshold's noise lives in memory, in one process. A run that died has lost it: a new one would be a second secret
that nobody paid for, so what was journaled is handed out again and the watch goes no farther.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.families.family import Family
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.sparse_vector import SparseVector, SparseVectorRun
from discreet.plan.rows_plan import RowsPlan

FORFEITED = (
    "the run that began this watch is gone, and its secret threshold with it: the watch is forfeited, and its charge "
    "stays. Start another one and pay for it"
)


@dataclass(frozen=True, slots=True)
class GapWatch:
    """A watch of one desk, by its place: it says nothing of what the desk keeps."""

    place: int


class WatchState:
    """What the desk keeps of a watch: its plan, its price, how often it said yes, and the run with its secret noise."""

    def __init__(self, plan: RowsPlan, mechanism: SparseVector, reach: int) -> None:
        self.plan, self.mechanism, self.reach = plan, mechanism, reach
        self.run: SparseVectorRun | None = None
        self.said = 0

    def begin(self) -> bytes:
        """Draw the secret threshold."""
        self.run = self.mechanism.start()
        return b"started"

    def check_question(self, family: Family, group: int, estimate: int, threshold: int) -> None:
        """Refuse, before anything is drawn, a question that was not paid for."""
        if type(estimate) is not int or type(threshold) is not int:
            raise OperationError("estimates and thresholds are whole numbers of rows")
        if family.count_answers(group) != 1:
            raise OperationError("a watch takes groups of one answer")
        if family.bound_row(group).bound_l1(self.plan.rows, self.plan.factor) > self.reach:
            raise OperationError(f"one unit moves this question by more than {self.reach}, for which the watch paid")
        if self.said >= self.mechanism.cutoff:
            raise OperationError(f"this watch has said yes {self.mechanism.cutoff} times; start another")

    def describe(self) -> Json:
        """Return the form of the watch, beside its plan."""
        return {"mechanism": describe_mechanism(self.mechanism), "reach": self.reach}


def check_watch(mechanism: SparseVector, reach: int) -> None:
    """Refuse mechanisms that decide otherwise than the theorem says, or tell what decided."""
    if type(mechanism) is not SparseVector or mechanism.grid is not None:
        raise OperationError("a watch is kept by a SparseVector on whole numbers, without a grid")
    if mechanism.monotone or mechanism.answer_scale is not None:
        raise OperationError("gaps move both ways and are never told: give neither monotone nor answer_scale")
    if type(reach) is not int or reach < 1:
        raise OperationError("reach is how far one unit moves a question at most: a whole number, at least 1")
