"""A performance: one operation being run in a thread of its own, from its charge to its record."""

from __future__ import annotations

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from discreet.answers import Receipt
from discreet.base.errors import (
    FailedError,
    LedgerError,
    LostLeaseError,
    OperationError,
    StoppedError,
    SuspendedError,
)
from discreet.curator.door.desk import Desk
from discreet.curator.door.keeper import Keeper
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.operation import Declaration, Operation
from discreet.engines.held import HeldRows, Wait
from discreet.engines.result import ExactResult, Run
from discreet.engines.running import EngineLostError, RunCancelledError
from discreet.ledger import Claim, JournalRow, Ledger
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import RowsPlan

R = TypeVar("R")
E = TypeVar("E")

STOPPED = "stopped. The charge stays; asking again runs it again without a new charge"
LOST = "the engine was lost while the question ran. The charge stays; asking again runs it again without a new charge"
UNRECORDED = "the ledger could not be written. The charge stays; asking again goes on from there without a new charge"
GENERIC = (
    "the question failed after it was charged; the charge stays, and asking is suspended until the operator runs "
    "`discreet resume`. Asking again then runs it again without a new charge"
)


@dataclass(frozen=True, slots=True)
class Progress:
    """What may be shown of a run before its record: public facts only."""

    seconds: float
    draws: int


class _ClaimJournal:
    """The journal of one claim."""

    def __init__(self, ledger: Ledger, claim: Claim) -> None:
        self._ledger, self._claim = ledger, claim

    def read(self) -> tuple[JournalRow, ...]:
        return self._ledger.runs.read_journal(self._claim)

    def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
        self._ledger.runs.write_journal(self._claim, position, rows)


def make_meter(declared: Declaration) -> Meter:
    """Return a meter for one run of an operation; raises where its schedule costs more than it declared."""
    schedule, charge = declared.schedule, declared.charge
    return ChargeMeter(charge) if schedule is None else ScheduleMeter(schedule, charge)


class Performance(Generic[R]):
    """One operation being run. Threads may share it. The place of its analyst that was reserved is freed at its end."""

    def __init__(
        self,
        operation: Operation[R],
        declared: Declaration,
        claim: Claim,
        ledger: Ledger,
        keeper: Keeper,
        start: Callable[[BoundedPlan], Run[ExactResult]],
        hold: Callable[[RowsPlan, Wait], HeldRows],
        public_time: float | None = None,
    ) -> None:
        self._operation, self._declared = operation, declared
        self._claim, self._ledger, self._keeper = claim, ledger, keeper
        self._start, self._hold, self._public_time = start, hold, public_time
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._running: Run[object] | None = None
        self._desk: Desk | None = None
        self._ending: BaseException | None = None
        self._future: Future[tuple[bytes, Receipt]] = Future()
        self._thread: threading.Thread | None = None
        if claim.answer is not None and claim.receipt is not None:
            keeper.free(claim.analyst)
            self._future.set_result((claim.answer, claim.receipt))
            return
        work = contextvars.copy_context()  # so that recorded randomness, in tests and audits, is seen there too
        self._thread = threading.Thread(target=work.run, args=(self._work,), name="discreet-run", daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        """Whether there is a result, or a failure."""
        return self._future.done()

    @property
    def progress(self) -> Progress:
        """Public facts about the run."""
        return Progress(time.monotonic() - self._began, self._desk.draws if self._desk is not None else 0)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait this long at most; say whether it is done. It goes on whether anybody waits or not."""
        try:
            self._future.exception(seconds)
        except TimeoutError:
            return False
        return True

    def cancel(self) -> None:
        """Stop the run, from whichever thread; return when nothing runs any more. Nobody is suspended for it."""
        self._stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def result(self) -> tuple[R, Receipt]:
        """Wait for the result and finish it, which may be done as often as one likes."""
        measured, receipt = self._future.result()
        return self._operation.finish(measured), receipt

    def _end(self, ending: BaseException) -> None:
        """Stop whatever the engine does now, and let nothing new begin."""
        with self._lock:
            self._ending = self._ending or ending
            running = self._running
        if running is not None:
            running.cancel()

    def _work(self) -> None:
        outcome: tuple[bytes, Receipt] | BaseException = FailedError(GENERIC)
        try:
            stop = self._stop if self._declared.live else None
            with self._claim, self._keeper.keep(self._claim, self._lose, stop, self._public_time):
                try:
                    outcome = self._perform()
                except BaseException as trouble:
                    outcome = self._explain(trouble)
        finally:  # whatever happens here, nobody waits for ever
            self._keeper.free(self._claim.analyst)
            if isinstance(outcome, BaseException):
                self._future.set_exception(outcome)
            else:
                self._future.set_result(outcome)

    def _lose(self) -> None:
        self._end(LostLeaseError("somebody else runs this question now; its charge stays. Ask again"))

    def _stop(self) -> None:
        self._end(StoppedError(STOPPED))

    def _perform(self) -> tuple[bytes, Receipt]:
        journal, declared = _ClaimJournal(self._ledger, self._claim), self._declared
        ways = (self._compute, lambda plan: self._hold(plan, self._wait), self._check_ending, self._confirm)
        desk = Desk(declared.plans, make_meter(declared), journal, *ways, self._ledger.parts)
        self._desk = desk
        try:
            with contextlib.closing(desk):
                measured = self._operation.run(desk)
        except BaseException:
            if desk.failure is None:
                desk.flush()  # what an operation says may quote its draws, so it is told once they are written
                raise
            with contextlib.suppress(Exception):
                desk.flush()
        if desk.failure is not None:
            raise desk.failure
        if not isinstance(measured, bytes):
            raise OperationError(f"run returned {type(measured).__name__}; return what is recorded as bytes")
        desk.flush()
        return measured, self._ledger.record(self._claim, measured)

    def _check_ending(self) -> None:
        """Raise where this performance is to end."""
        if self._ending is not None:
            raise self._ending

    def _confirm(self) -> None:
        """Raise where whoever asked was suspended meanwhile: of many runs at once each would tell whether it failed."""
        self._ledger.refuse_suspended(self._claim.analyst)

    def _compute(self, plan: BoundedPlan) -> ExactResult:
        """Return the exact result of a plan."""
        return self._wait(lambda: self._start(plan))

    def _wait(self, start: Callable[[], Run[E]]) -> E:
        """Run something in an engine, unless this performance is to end."""
        with self._lock:
            self._check_ending()
            running = self._running = start()
        try:
            return running.result()
        finally:
            if not running.wait(0):
                running.cancel()
            with self._lock:
                self._running = None

    def _explain(self, trouble: BaseException) -> BaseException:
        """Return what whoever asked is told: the same for every failure that may be a fact about the data.

        Cancelling, a lost lease, a lost engine and a ledger that cannot be written are failures of machines or people:
        nobody is suspended for them, nor for a wing that asks its desk for too much. But an engine may be lost because
        one person's rows filled its memory, so such runs are counted like those that died. Whatever else fails suspends
        whoever asked; a suspension that cannot be written now is written before the ledger's next charge.
        """
        ended = isinstance(trouble, RunCancelledError) or trouble is self._ending
        if ended or (self._ending is not None and not self._has_failed_draw()):
            return self._ending or StoppedError(STOPPED)
        if isinstance(trouble, LostLeaseError | SuspendedError):
            return trouble
        with contextlib.suppress(Exception):
            self._ledger.note_failure(self._claim, self._declared.kind, trouble)
        told = self._count_failure(trouble)
        return self._ending or told

    def _has_failed_draw(self) -> bool:
        """Say whether a draw failed by itself, whatever an operation made of it and whoever cancelled it since."""
        failure = self._desk.failure if self._desk is not None else None
        return failure is not None and failure is not self._ending and not isinstance(failure, RunCancelledError)

    def _count_failure(self, trouble: BaseException) -> BaseException:
        """Write down what follows from a failure, and return what whoever asked is told.

        Who is suspended already is told only that, as they would be of an answer: else of many runs at once each would
        tell whether it failed.
        """
        with contextlib.suppress(Exception):  # what cannot be written now is owed
            try:
                if isinstance(trouble, EngineLostError):
                    self._ledger.runs.count_death(self._claim)
                elif not isinstance(trouble, OperationError | LedgerError):
                    self._ledger.suspend(self._claim)
                    return FailedError(GENERIC)
                self._ledger.refuse_suspended(self._claim.analyst)
            except SuspendedError as suspended:
                return suspended
        if isinstance(trouble, OperationError):
            return trouble
        if isinstance(trouble, EngineLostError):
            return FailedError(LOST)
        return FailedError(UNRECORDED if isinstance(trouble, LedgerError) else GENERIC)
