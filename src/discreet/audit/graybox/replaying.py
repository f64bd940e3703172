"""Neighbour replay: an operation on a database and on its neighbours, under the same recorded randomness."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from discreet.audit.graybox.clock import Timed, measure_again, tells
from discreet.audit.graybox.comparing.charged import add_charged, find_uncharged
from discreet.audit.graybox.comparing.distances import holds_nan
from discreet.audit.graybox.comparing.judging import Judge
from discreet.audit.graybox.comparing.losses import add_losses
from discreet.audit.graybox.comparing.report import (
    FindingKind,
    Moved,
    ReplayFinding,
    ReplayReport,
    keep_farthest,
    show_number,
)
from discreet.audit.graybox.comparing.verdicts import PairRelation
from discreet.audit.graybox.databases.neighbours import ReplayDatabase
from discreet.audit.graybox.given import DeclaredLoss, GivenNeighbours, read_declared, read_neighbours, read_operation
from discreet.audit.graybox.recording.ending import run_to_end
from discreet.audit.graybox.recording.forms import find_difference, tell_trouble, write_result
from discreet.audit.graybox.recording.tape import Tape
from discreet.audit.graybox.recording.taps import tapped
from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.privacy.charges import Charge

UNSTEADY = (
    "it does something else on the very same rows: the time of the day, an order of threads, noise of its own, or what "
    "is left from the run before; other findings may come of that"
)
LONGEST = 120.0
"""Seconds that one run may take; one that takes longer hangs."""


def replay(
    operation: Callable[[Any], object] | str,
    neighbours: GivenNeighbours,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    sensitivity: Exact | None = None,
    clock: bool = True,
    longest: float = LONGEST,
    seed: int = 1,
) -> ReplayReport:
    """Run an operation on a database and on its neighbours, and report all that tells them apart beside noise.

    `operation` is a function of a database, or a question in SQL. `neighbours` is the path of a policy, whose tables
    and generated neighbours of them are handed over as a `Curator` each; what `make_neighbours` returned; or plain
    values, the database first. Noisy answers are those of the database itself on every neighbour, so that what follows
    from them is the same. Of plain functions, `sensitivity` is what is declared for every mechanism, in its own norm,
    or `epsilon` (and `delta`) for all of them together; a curator's operations declare it themselves, and there
    `epsilon` is what a question in SQL spends. A run that is slower on one database than on the other, by more than
    the clock's own limits, is a finding unless `clock` is false. What raises or hangs is a finding, and what tells no
    number; what replay misses stands in docs/replay.md.
    """
    check.positive("longest", longest)
    run, found = read_operation(operation, 1.0 if epsilon is None else epsilon), read_neighbours(neighbours)
    if isinstance(operation, str) and found.groups[0][0].tables is None:
        raise ParameterError("neighbours", neighbours, "a policy or its neighbours: plain values are not asked in SQL")
    declared = read_declared(operation, found, sensitivity, epsilon, delta)
    replayed = _Replay(run, declared, clock, float(longest), check.integer("seed", seed, least=0))
    began = time.perf_counter()
    with tapped():
        for base, others in found.groups:
            replayed.compare(base, others)
    name = operation if isinstance(operation, str) else getattr(operation, "__qualname__", type(operation).__name__)
    return replayed.report(name, found.names, time.perf_counter() - began)


@dataclass
class _Outcome:
    """What became of one run."""

    tape: Tape
    seconds: float
    form: Any = None
    seen: Any = None
    """What an analyst sees of a curator afterwards."""

    charged: Charge | None = None
    """What a curator's ledger was charged."""

    holds_nan: bool = False
    trouble: BaseException | None = None
    hangs: bool = False


class _Replay:
    """Runs an operation on one database after another, and keeps what was found."""

    def __init__(
        self, run: Callable[[Any], object], declared: DeclaredLoss, clock: bool, longest: float, seed: int
    ) -> None:
        self._run, self._declared, self._clock, self._longest, self._seed = run, declared, clock, longest, seed
        self._findings: list[ReplayFinding] = []
        self._moved: list[Moved] = []
        self._calls = 0
        self._refused: str | None = None
        self._is_steady: bool | None = None

    def compare(self, base: ReplayDatabase, others: Sequence[ReplayDatabase]) -> None:
        """Run on a database, and on each neighbour under what was recorded there."""
        before = self._perform(base, None)
        self._calls += len(before.tape.entries)
        if before.hangs or before.trouble is not None:
            self._refuse(base, before)
            self._compare_troubles(before, others)
            return
        self._add_numbers(base, before)
        for other in others:
            after = self._perform(other, before.tape)
            priced = self._declared.epsilon is not None
            judge = Judge(other.name, other.relation, self._declared.sensitivity, priced)
            self._compare_outcomes(judge, before, after)
            judge.compare(before.tape.entries, after.tape.entries, ended=after.trouble is None and not after.hangs)
            self._compare_loss(judge, before.tape, after.tape)
            if judge.findings and not after.hangs:
                self._ask_again(base, before)
            if self._clock and after.trouble is None and not after.hangs:
                self._compare_times(judge, base, other, before, after)
            self._findings += judge.findings
            self._moved += judge.moved

    def _ask_again(self, base: ReplayDatabase, before: _Outcome) -> None:
        """Where something is found, say whether it is also found beside the very same database, once."""
        if self._is_steady is None:
            found = []
            for after in (before, self._perform(base, before.tape)):
                judge = Judge(base.name, PairRelation.SAME)
                self._compare_outcomes(judge, before, after)
                judge.compare(before.tape.entries, after.tape.entries)
                found.append(set(judge.findings))
            self._is_steady = found[1] <= found[0]
            if not self._is_steady:
                self._findings.append(ReplayFinding(FindingKind.UNSTEADY, base.name, UNSTEADY))

    def report(self, name: str, neighbours: tuple[str, ...], seconds: float) -> ReplayReport:
        """Return all that was found."""
        findings = tuple(dict.fromkeys(self._findings))
        moved = keep_farthest(self._moved)
        return ReplayReport(name, neighbours, findings, moved, self._calls, seconds, self._refused)

    def _refuse(self, base: ReplayDatabase, before: _Outcome) -> None:
        """Keep what was raised on a database itself: there nothing can be replayed."""
        told = "it does not end" if before.hangs else f"{type(before.trouble).__name__}: {before.trouble}"
        self._refused = self._refused or f"on {base.name}, {told}"
        if before.hangs:
            self._findings.append(ReplayFinding(FindingKind.HANG, base.name, f"not done after {self._longest:g} s"))

    def _compare_troubles(self, before: _Outcome, others: Sequence[ReplayDatabase]) -> None:
        """An error that everybody gets tells nothing, if it is the same, to the last letter."""
        for other in () if before.hangs else others:
            after = self._perform(other, before.tape)
            told = [tell_trouble(each) for each in (before.trouble, after.trouble)]
            if after.hangs or told[0] != told[1]:
                now = "ends" if after.trouble is None else f"raises {type(after.trouble).__name__}: {after.trouble}"
                was = f"{type(before.trouble).__name__}: {before.trouble}"
                words = f"it {'hangs' if after.hangs else now}, and raised {was}"
                self._findings.append(ReplayFinding(FindingKind.ERROR, other.name, words))

    def _add_numbers(self, base: ReplayDatabase, before: _Outcome) -> None:
        """Judge a database beside itself: what is no number there is found without any neighbour."""
        beside = Judge(base.name, base.relation)
        beside.compare(before.tape.entries, before.tape.entries)
        judge = Judge(base.name, base.relation)
        self._judge_run(judge, before)
        self._findings += [each for each in beside.findings if each.kind is FindingKind.NUMBER] + judge.findings

    def _perform(self, database: ReplayDatabase, before: Tape | None) -> _Outcome:
        """Run on one database, in a thread that is left behind where it hangs."""
        outcome = _Outcome(Tape(self._seed, before), 0.0)
        done = threading.Event()

        def work() -> None:
            try:
                with database.open() as given, outcome.tape.listening():
                    began = time.perf_counter()
                    try:
                        result = self._run(given)
                        result = run_to_end(result)
                        outcome.form = write_result(result)
                    finally:
                        outcome.seconds = time.perf_counter() - began
                    outcome.seen = _look(given)
                    outcome.charged = add_charged(given.ledger.entries()) if isinstance(given, Curator) else None
                    outcome.holds_nan = not isinstance(given, Curator) and holds_nan(result)
            except BaseException as trouble:
                outcome.trouble = trouble
            finally:
                done.set()

        threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
        if not done.wait(self._longest):
            return _Outcome(Tape(self._seed), self._longest, hangs=True)
        return outcome

    def _compare_outcomes(self, judge: Judge, before: _Outcome, after: _Outcome) -> None:
        if after.hangs:
            judge.find(FindingKind.HANG, f"not done after {self._longest:g} s")
        elif after.trouble is not None:
            judge.find(FindingKind.ERROR, f"it raises {type(after.trouble).__name__}: {after.trouble}")
        else:
            self._judge_run(judge, after)
            differs = find_difference(before.form, after.form)
            if differs is None:
                differs = find_difference(before.seen, after.seen, "what is seen beside it")
            if differs is not None:
                judge.find(FindingKind.RESULT, differs)

    def _judge_run(self, judge: Judge, outcome: _Outcome) -> None:
        """Judge one run by itself."""
        if outcome.holds_nan:
            judge.find(FindingKind.NUMBER, "the result holds NaN")
        for words in dict.fromkeys(outcome.tape.faults):
            judge.find(FindingKind.CALLS, words)
        for words in [] if outcome.charged is None else find_uncharged(outcome.tape.entries, outcome.charged):
            judge.find(FindingKind.SENSITIVITY, words)

    def _compare_loss(self, judge: Judge, before: Tape, after: Tape) -> None:
        """Add up what mechanisms lose that nobody but their caller watches, beside what was declared."""
        if self._declared.epsilon is None:
            return
        alike = takewhile(lambda pair: pair[0].is_like(pair[1]), zip(before.entries, after.entries, strict=False))
        loss = add_losses(alike)
        if loss is not None:
            spent = loss.epsilon(self._declared.delta).high
            whole = Moved("all mechanisms", "epsilon", self._declared.epsilon * (1 + 1e-9), spent)
            judge.moved.append(whole)
            if whole.exceeds:
                words = f"epsilon {show_number(self._declared.epsilon)} is declared, and {show_number(spent)} is lost"
                judge.find(FindingKind.SENSITIVITY, words)

    def _compare_times(
        self, judge: Judge, base: ReplayDatabase, other: ReplayDatabase, before: _Outcome, after: _Outcome
    ) -> None:
        """Where a run took longer on one of both, measure again: other work only makes it longer."""
        if not tells(before.seconds, after.seconds):
            return
        timed: Timed = measure_again(
            lambda: self._perform(base, None).seconds, lambda: self._perform(other, before.tape).seconds
        )
        if timed.tells:
            judge.find(FindingKind.TIME, f"it takes {timed.other:.3g} s, and took {timed.base:.3g} s")


def _look(given: Any) -> Any:
    """Return what an analyst sees of a curator beside answers, by names: entries of the ledger, and what is left."""
    if not isinstance(given, Curator):
        return None
    entries = tuple(entry.kind for entry in given.ledger.entries())
    return ("entries of the ledger", entries), ("the budget", str(given.budget))
