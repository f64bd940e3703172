"""Online weights: one long-lived process that answers questions one by one, from a hypothesis wherever that is close.

    weights = OnlineWeights.prepare(session, "SELECT ...", alpha=0.01, beta=0.001, rows=1_000_000, questions=10_000)
    weights.charge                                    # free to look at
    with weights.start() as running:                  # charged here, in full
        answer = running.ask(family, group)           # each within alpha * rows, all together but for beta

Each start is charged before anything is read, whatever it answers then. The secret thresholds live in this process:
when it ends, or dies, the rest of what was paid is forfeited, and another start is another charge. Every draw is
metered and journaled at the desk before it is seen; what is told are answers of the desk and what follows from them.
`weights_design` has the promise and its proof. Nothing uses this unless it is asked for.
"""

from __future__ import annotations

import json
import queue
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from discreet.answers import Receipt
from discreet.base.canonical import Json
from discreet.base.errors import ExhaustedError, ParameterError
from discreet.curator.door.cells import check_group, find_domain
from discreet.curator.door.desk import Desk
from discreet.curator.door.performance import Performance
from discreet.curator.door.watching import GapWatch
from discreet.curator.session import Session
from discreet.families.domain import CellTable, DenseTable, Domain
from discreet.families.family import COUNT, SIGN, Family
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.synthetic.weights_design import WeightsDesign, design_weights

POLL = 0.2
"""Seconds after which a process that waits for a question looks whether it is to end."""


@dataclass(frozen=True, slots=True)
class WeightsAnswer:
    """An answer in rows; the truth is within `half_width`, for all answers of a run together but for beta."""

    value: int
    half_width: int
    measured: bool
    """Whether the question was measured, which changed the hypothesis, or the hypothesis answered."""


class Hypothesis:
    """A distribution on the cells of a domain and one more, for rows that are not there."""

    def __init__(self, domain: Domain, rows: int) -> None:
        self.domain, self.rows = domain, rows
        self.table: CellTable = np.full(domain.sizes, 0.5 / domain.check_size())
        self.absent = 0.5

    def estimate(self, family: Family, group: int) -> int:
        """Return a group's one answer, in whole rows."""
        (share,) = family.answer(group, DenseTable(self.domain, self.table).project(family.find_columns(group)))
        return round(self.rows * float(share))

    def update(self, family: Family, group: int, step: float) -> None:
        """Multiply the weight of every cell by exp(step * what the question counts there); normalise."""
        columns = family.find_columns(group)
        shape = [size if place in columns else 1 for place, size in enumerate(self.domain.sizes)]
        self.table *= np.exp(family.spread_back(group, np.array([step]))).reshape(shape)
        total = float(self.table.sum()) + self.absent
        self.table /= total
        self.absent /= total


class Inbox:
    """Questions on their way from whoever asks to the run that answers, each with a place for its answer."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[tuple[Family, int, Future[WeightsAnswer]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False

    def put(self, family: Family, group: int) -> Future[WeightsAnswer] | None:
        """Hand in a question and return where its answer will be; None where the run takes no more."""
        found: Future[WeightsAnswer] = Future()
        with self._lock:
            if self._closed:
                return None
            self._waiting.put((family, group, found))
        return found

    def end(self) -> None:
        """Let the run end after the questions that wait now."""
        self._waiting.put(None)

    def take(self, check: Callable[[], None]) -> tuple[Family, int, Future[WeightsAnswer]] | None:
        """Return the next question, or None at the end; `check` is called while there is none."""
        while True:
            try:
                return self._waiting.get(timeout=POLL)
            except queue.Empty:
                check()

    def close(self) -> None:
        """Take no more questions; those that wait get no answer."""
        with self._lock:
            self._closed = True
            while not self._waiting.empty():
                if (asked := self._waiting.get()) is not None:
                    asked[2].cancel()


@dataclass(frozen=True)
class WeightsOperation:
    """One run of online weights: it tells each answer once it is journaled, and records all at its end."""

    kind: ClassVar[str] = "online weights"
    version: ClassVar[int] = 1
    live: ClassVar[bool] = True

    plan: RowsPlan
    design: WeightsDesign
    start: str
    """A random word: every start is an operation of its own, and none is found in the ledger or run again."""
    inbox: Inbox = field(compare=False)

    @property
    def charge(self) -> Charge:
        """What the whole run costs."""
        return self.design.charge

    def parameters(self) -> Json:
        """Return the design, and which start this is."""
        return {"design": self.design.describe(), "start": self.start}

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the one plan."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Answer what comes in, until the promise's last question, the last update or the end."""
        told: list[WeightsAnswer] = []
        asked = None
        try:
            with_weights = _Answering(self.plan, self.design, desk)
            while len(told) < self.design.questions and with_weights.left:
                asked = self.inbox.take(desk.check)
                if asked is None:
                    break
                family, group, place = asked
                answer = with_weights.answer(family, group)
                desk.confirm()
                told.append(answer)
                asked = None
                place.set_result(answer)
        finally:
            if asked is not None:
                asked[2].cancel()
            self.inbox.close()
        return json.dumps([[each.value, each.half_width, each.measured] for each in told]).encode()

    def finish(self, measured: bytes) -> tuple[WeightsAnswer, ...]:
        """Return all answers of the run, in order."""
        return tuple(WeightsAnswer(*each) for each in json.loads(measured))


class _Answering:
    """The algorithm: what `weights_design` says, question by question."""

    def __init__(self, plan: RowsPlan, design: WeightsDesign, desk: Desk) -> None:
        self._plan, self._design, self._desk = plan, design, desk
        self._hypothesis = Hypothesis(find_domain(plan), design.rows)
        self._watch: GapWatch | None = None
        self.left = design.updates
        self._sure = int(design.noise.interval(1 - design.beta / 3, design.updates))

    def answer(self, family: Family, group: int) -> WeightsAnswer:
        """Return the hypothesis' answer if a watch finds it close, else a measurement, and learn from that."""
        design, desk = self._design, self._desk
        if self._watch is None:
            self._watch = desk.start_watch(self._plan, design.watch, design.reach)
        estimate = self._hypothesis.estimate(family, group)
        if not desk.exceeds(self._watch, family, group, estimate, design.threshold):
            return WeightsAnswer(estimate, design.error, measured=False)
        (found,) = desk.count(self._plan, family, group, design.noise)
        self._hypothesis.update(family, group, design.step if found > estimate else -design.step)
        self._watch, self.left = None, self.left - 1
        return WeightsAnswer(found, self._sure, measured=True)


class OnlineWeights:
    """Online weights over one table's columns, prepared: what they promise and cost is known, and nothing is read."""

    def __init__(self, session: Session, plan: RowsPlan, design: WeightsDesign, text: str) -> None:
        self._session, self._text = session, text
        self.plan, self.design = plan, design

    @classmethod
    def prepare(
        cls,
        session: Session,
        question: str,
        *,
        alpha: float,
        beta: float,
        rows: int,
        questions: int,
        signed: bool = False,
        updates: int | None = None,
        max_rows: int | None = None,
    ) -> OnlineWeights:
        """Plan and price a run: free. The question selects columns of whole numbers, which make the cells.

        Answers are within alpha * rows, all `questions` of them but for probability beta, if there are at most `rows`
        rows: a public number. Parities need `signed`. `updates` sets how often the hypothesis may change: with fewer
        than the theorem's the run is cheaper, and may end early.
        """
        plan = session.plan_rows(question, max_rows=max_rows)
        domain, bound = find_domain(plan), SIGN if signed else COUNT
        cells, reach = domain.check_size(), bound.bound_l1(plan.rows, plan.factor)
        design = design_weights(cells, rows, questions, alpha, beta, reach=reach, signed=signed, updates=updates)
        return cls(session, plan, design, question)

    @property
    def domain(self) -> Domain:
        """The cells that families are asked about."""
        return find_domain(self.plan)

    @property
    def charge(self) -> Charge:
        """What each start costs, whatever is asked then."""
        return self.design.charge

    def start(self) -> RunningWeights:
        """Charge for a run, and begin it. Another start is another charge."""
        operation = WeightsOperation(self.plan, self.design, secrets.token_hex(16), Inbox())
        return RunningWeights(operation, self._session.start(operation, f"online weights: {self._text}"))


class RunningWeights:
    """A run that answers, from any thread, until it is closed, its promise is used up, or its process ends."""

    def __init__(self, operation: WeightsOperation, performance: Performance[tuple[WeightsAnswer, ...]]) -> None:
        self._operation, self._performance = operation, performance

    def ask(self, family: Family, group: int = 0) -> WeightsAnswer:
        """Return a group's one answer; what is refused here costs nothing and counts as no question."""
        operation = self._operation
        known = check_group(operation.plan, family, group)
        bound = known.bound_row(group)
        if known.count_answers(group) != 1 or bound.l1 != 1 or bound.signed > operation.design.signed:
            raise ParameterError("group", group, "a group of one answer that counts rows; parities need signed=True")
        if bound.bound_l1(operation.plan.rows, operation.plan.factor) > operation.design.reach:
            raise ParameterError("group", group, f"a question that one unit moves by at most {operation.design.reach}")
        place = operation.inbox.put(known, group)
        while place is not None:
            try:
                return place.result(POLL)
            except TimeoutError:
                if self._performance.done:  # it may have ended before it looked into its inbox
                    operation.inbox.close()
            except CancelledError:
                break
        self._performance.result()
        raise ExhaustedError(
            f"this run has ended: after {operation.design.questions:,} questions, {operation.design.updates:,} updates "
            "or when it was closed. Another start is another charge"
        )

    def close(self) -> tuple[tuple[WeightsAnswer, ...], Receipt]:
        """End the run and record it; what was paid for more is forfeited. Returns all answers, and a receipt."""
        self._operation.inbox.end()
        return self._performance.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._operation.inbox.end()
        self._performance.wait()
