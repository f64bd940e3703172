"""Operations that misuse their desk, on purpose or not: each of these once told more than was paid for."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

from discreet.base.canonical import Json
from discreet.base.errors import (
    BudgetError,
    FailedError,
    OperationError,
    PendingError,
    StoppedError,
    SuspendedError,
)
from discreet.curator import Curator
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.unit_functions import ColumnSums
from discreet.engines.duck.engine import DuckRun
from discreet.mechanisms import DiscreteGaussian, Exponential, Gaussian, Laplace
from discreet.plan.bounded import BoundedPlan, KeySet, Limits
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import GaussianLoss, Loss
from discreet.privacy.charges import Charge
from discreet.query.draws import Draws
from discreet.query.scores import FarthestFrom, LargestSum
from support.clinic import make_tables, open_clinic

COUNTS = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
TENTH = Charge(Fraction(1, 10), Fraction(1, 100))


def plan_of(curator: Curator, text: str = COUNTS) -> BoundedPlan:
    return curator.prepare(text, 1).operation.plan


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


@dataclass(frozen=True)
class Wing:
    """An operation that does at its desk whatever it is told."""

    kind: ClassVar[str] = "hostile"
    version: ClassVar[int] = 1

    plan: Any
    act: Callable[[Desk, Any], object] = field(compare=False)
    charge: Charge = TENTH
    name: str = ""

    def parameters(self) -> Json:
        return {"name": self.name}

    def plans(self) -> tuple[BoundedPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        found = self.act(desk, self.plan)
        return found if found is None or isinstance(found, str) else repr(found).encode()  # type: ignore[return-value]

    def finish(self, measured: bytes) -> bytes:
        return measured


def measure(desk: Desk, plan: BoundedPlan) -> object:
    return desk.measure(plan, Draws((Laplace(30.0),))).sets


def measure_twice(desk: Desk, plan: BoundedPlan) -> object:
    return measure(desk, plan), measure(desk, plan)


def test_the_last_measure_is_not_counted_from_behind() -> None:
    """Counted as -1 keys were selected with one noise and shown with another, for the price of one."""
    with pytest.raises(OperationError, match="numbered from 0"):
        Draws((Laplace(30.0),), counted=-1)


@pytest.mark.parametrize(
    "change",
    [
        {"factor": 0},
        {"factor": 1},
        {"units": False},
        {"sets": (KeySet((0,), Limits(3, 0, 3)),)},
        {"sets": (KeySet((0,), Limits(3, 3, -1)),)},
        {"tables": ()},
    ],
)
def test_a_plan_that_no_session_made_is_not_run(tmp_path: Path, change: dict[str, Any]) -> None:
    """Whether rows carry a unit, how many units differ, how far a join multiplies rows: a plan could say anything."""
    with open_clinic(tmp_path, neighbours="replace") as curator:
        prepared = curator.prepare(COUNTS, 0.3)
        changed = replace(prepared.operation.plan, **change)
        with pytest.raises(OperationError, match="not made by this curator: take it from session"):
            curator.session().perform(Wing(changed, measure))
        with pytest.raises(OperationError, match="not made by this curator"):
            replace(prepared, operation=replace(prepared.operation, plan=changed)).ask()
        assert kinds(curator) == ["CREATE"], "nothing is charged"


def test_what_is_charged_is_what_is_metered_however_often_a_charge_changes(tmp_path: Path) -> None:
    class Changing(Wing):
        reads: ClassVar[list[int]] = []

        def __getattribute__(self, name: str) -> Any:
            if name == "charge":
                self.reads.append(1)
                return TENTH if len(self.reads) == 1 else Charge(Fraction(100), Fraction(100))
            return object.__getattribute__(self, name)

    with open_clinic(tmp_path) as curator:
        with pytest.raises(OperationError, match="declare all that it draws"):
            curator.session().perform(Changing(plan_of(curator), measure_twice))
        assert len(Changing.reads) == 1


def fail_for(monkeypatch: pytest.MonkeyPatch, gate: threading.Barrier | None = None) -> None:
    """Let every statement that filters by age below 40 fail, as a row of somebody young might make it fail."""
    execute = DuckRun.execute

    def young(run: DuckRun[Any], statement: str) -> list[Any]:
        if gate is not None:
            gate.wait(30)
        if "'40'" in statement:
            raise RuntimeError("patient 7")
        return execute(run, statement)

    monkeypatch.setattr(DuckRun, "execute", young)


def test_of_many_runs_at_once_only_one_failure_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that fail later are told what those are told that succeed later: that asking is suspended."""
    with open_clinic(tmp_path, epsilon=50.0) as curator:
        texts = [f"SELECT COUNT(*) FROM visits WHERE age < 40 AND cost > {each}" for each in range(6)]
        fail_for(monkeypatch, threading.Barrier(len(texts)))
        runs = [curator.prepare(text, 0.5).start() for text in texts]
        told = [run._future.exception(60) for run in runs]
        assert sorted(type(each).__name__ for each in told) == ["FailedError"] + ["SuspendedError"] * 5
        assert kinds(curator).count("SUSPEND") == 1
        assert len(curator.ledger.failures) == 6, "the operator sees them all"


def test_a_deadline_leaves_three_runs_of_an_analyst_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_clinic(tmp_path, epsilon=50.0).close()
    path = tmp_path / "policy.toml"
    path.write_text(f"{path.read_text()}\n[time]\ndeadline = 60\n")
    gate, execute = threading.Event(), DuckRun.execute
    monkeypatch.setattr(DuckRun, "execute", lambda run, text: gate.wait(60) and execute(run, text))
    with Curator.open(path, None, make_tables()) as curator:
        asked = [curator.prepare(f"SELECT COUNT(*) FROM visits WHERE age < {each}", 0.5) for each in range(4)]
        runs = [each.start() for each in asked[:3]]
        with pytest.raises(PendingError, match="3 of your questions are still running; nothing was charged"):
            asked[3].start()
        gate.set()
        assert all(run.wait(60) for run in runs)
        assert asked[3].ask().rows


def test_cancelling_hides_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation that swallows a failed draw and goes on, until it is cancelled, has failed."""
    swallowed, cancelled = threading.Event(), threading.Event()

    def swallow(desk: Desk, plan: BoundedPlan) -> object:
        with pytest.raises(Exception):  # noqa: B017, PT011
            measure(desk, plan)
        swallowed.set()
        cancelled.wait(30)
        return measure(desk, plan)

    with open_clinic(tmp_path) as curator:
        fail_for(monkeypatch)
        plan = plan_of(curator, "SELECT ward, COUNT(*) FROM visits WHERE age < 40 GROUP BY ward")
        run = curator.session().start(Wing(plan, swallow))
        assert swallowed.wait(30)
        stopping = threading.Thread(target=run.cancel)
        stopping.start()
        cancelled.set()
        stopping.join(30)
        with pytest.raises((StoppedError, FailedError)):
            run.result()
        with pytest.raises(SuspendedError):
            curator.ask("SELECT COUNT(*) FROM visits", 0.1)
        assert len(curator.ledger.failures) == 1


@dataclass(frozen=True)
class ScheduledWing(Wing):
    """The same with a fixed schedule, journaled every forty draws."""

    schedule: Schedule = field(default=Schedule(((GaussianLoss(0.1), 60),), 1e-10, 40), compare=False)


def scheduled(curator: Curator, act: Callable[[Desk, Any], object]) -> ScheduledWing:
    plan = plan_of(curator)
    mu = float(plan.l2_squared(plan.measures[0])) ** 0.5 / 400.0 * (1 + 1e-12)
    schedule = Schedule(((GaussianLoss(mu), 60),), 1e-10, 40)
    return ScheduledWing(plan, act, schedule.charge, schedule=schedule)


def test_draws_between_checkpoints_are_no_progress_and_are_kept_by_a_cancel(tmp_path: Path) -> None:
    """How many draws an operation makes may tell what it has seen; a new run would show another draw."""
    first: list[object] = []
    drawn, cancelled = threading.Event(), threading.Event()

    def look(desk: Desk, plan: BoundedPlan) -> object:
        first.append(desk.measure(plan, Draws((Gaussian(400.0),))).sets)
        drawn.set()
        cancelled.wait(30)
        return desk.measure(plan, Draws((Gaussian(400.0),))).sets

    with open_clinic(tmp_path) as curator:
        run = curator.session().start(scheduled(curator, look))
        assert drawn.wait(30)
        assert run.progress.draws == 0
        stopping = threading.Thread(target=run.cancel)
        stopping.start()
        while run._ending is None:
            pass
        cancelled.set()
        stopping.join(30)
        assert kinds(curator).count("MEASURE") == 1
        curator.session().perform(scheduled(curator, look))
        assert first[0] == first[1], "the same draw, from the journal"


def test_words_of_an_operation_are_not_told_where_its_draws_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quote(desk: Desk, plan: BoundedPlan) -> object:
        raise OperationError(f"no convergence at {desk.measure(plan, Draws((Gaussian(400.0),))).sets}")

    def unwritten(*_: object) -> None:
        raise OSError("disk full")

    with open_clinic(tmp_path) as curator:
        monkeypatch.setattr("discreet.ledger.entries.journal.write_row", unwritten)
        with pytest.raises(FailedError) as told:
            curator.session().perform(scheduled(curator, quote))
        assert "convergence" not in str(told.value)


def test_a_charge_is_not_begun_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.ledger.entries.overruns.RETRIES", 3)

    def give_up(desk: Desk, plan: BoundedPlan) -> object:
        raise OperationError("not today")

    with open_clinic(tmp_path) as curator:
        wing = Wing(plan_of(curator), give_up)
        for _ in range(4):
            with pytest.raises(OperationError, match="not today"):
                curator.session().perform(wing)
        with pytest.raises(SuspendedError, match=r"begun 3 times and never finished.*`discreet retry 2`"):
            curator.session().perform(wing)
        curator.ledger.retry(2)
        with pytest.raises(OperationError, match="not today"):
            curator.session().perform(wing)


def test_a_session_shows_nobody_what_others_paid_for(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        curator.ask(COUNTS, 0.9)
        bob = curator.session("bob")
        with pytest.raises(BudgetError):
            bob.ask(COUNTS, 0.9)
        assert not [name for name in dir(bob) if "record" in name]


WRONG: list[Callable[[Desk, Any], object]] = [
    lambda desk, plan: desk.measure(plan, Draws((DiscreteGaussian(30.0),))),  # type: ignore[arg-type]
    lambda desk, plan: desk.measure(plan, Draws((Exponential(30.0),))),  # type: ignore[arg-type]
    lambda desk, plan: desk.measure(plan, (Laplace(30.0),)),  # type: ignore[arg-type]
    lambda desk, plan: desk.choose(plan, FarthestFrom(0, (1.5, 2.0, 3.0)), Exponential(30.0)),  # type: ignore[arg-type]
    lambda desk, plan: desk.choose(plan, LargestSum(0), Laplace(30.0)),  # type: ignore[arg-type]
    lambda desk, plan: desk.sum(plan, None, None, Laplace(30.0)),  # type: ignore[arg-type]
    lambda desk, plan: desk.measure([plan], Draws((Laplace(30.0),))),  # type: ignore[arg-type]
    lambda desk, plan: "no bytes",
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_mistake_of_a_wing_is_refused_and_suspends_nobody(tmp_path: Path, number: int) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(OperationError):
            curator.session().perform(Wing(plan_of(curator), WRONG[number], name=str(number)))
        assert not curator.ledger.suspended


def test_a_declaration_without_a_charge_is_refused_before_anything(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(OperationError, match="declare a Charge"):
            curator.session().perform(replace(Wing(plan_of(curator), measure), charge=None))  # type: ignore[arg-type]
        assert kinds(curator) == ["CREATE"]


def test_threads_of_one_operation_do_not_draw_more_than_was_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, most, admit, never = [0], [0], ChargeMeter.admit, threading.Event()

    def admit_slowly(meter: ChargeMeter, cost: Charge, loss: Loss) -> None:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        never.wait(0.05)
        inside[0] -= 1
        admit(meter, cost, loss)

    def draw_at_once(desk: Desk, plan: BoundedPlan) -> object:
        told: list[object] = []

        def draw() -> None:
            try:
                told.append(measure(desk, plan))
            except OperationError:
                told.append(None)

        threads = [threading.Thread(target=draw) for _ in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return sum(each is not None for each in told)

    monkeypatch.setattr(ChargeMeter, "admit", admit_slowly)
    with open_clinic(tmp_path) as curator:
        double = Charge(Fraction(2, 10), Fraction(1, 50))
        found, _ = curator.session().perform(Wing(plan_of(curator), draw_at_once, double))
        assert (found, most) == (b"2", [1])


def test_what_is_written_into_a_noise_has_no_effect(tmp_path: Path) -> None:
    """A method that somebody put into a noise's own dictionary once handed out what it was given."""

    def shadow(noise: Any) -> Any:
        vars(noise)["release"] = lambda value: value
        return noise

    def sum_all(desk: Desk, plan: RowsPlan) -> object:
        clip = Clip(1000, 1)
        return (
            desk.sum(plan, ColumnSums(1), clip, shadow(Gaussian(1e9))),
            desk.resample(plan, ColumnSums(1), clip, shadow(Gaussian(1e9)), 2),
            desk.count_rows(plan, shadow(Gaussian(1e9))),
        )

    def measure_all(desk: Desk, plan: BoundedPlan) -> object:
        return desk.measure(plan, Draws((shadow(Laplace(1e9)),))).sets[0].sums

    with open_clinic(tmp_path) as curator:
        session = curator.session()
        rows = session.plan_rows("SELECT age FROM visits")
        found, _ = session.perform(Wing(rows, sum_all, Charge(math.inf, Fraction(1, 100)), "sums"))
        assert all(abs(int(each)) > 1e5 for each in re.findall(rb"-?\d+", found))
        found, _ = session.perform(Wing(plan_of(curator), measure_all, TENTH, "measured"))
        assert all(abs(int(each)) > 1e5 for each in re.findall(rb"-?\d{2,}", found))


def test_a_function_has_the_dimension_that_was_paid_for(tmp_path: Path) -> None:
    class Growing:
        """Says 1 while it is checked, and 3 afterwards."""

        asked = 0

        @property
        def dimension(self) -> int:
            self.asked += 1
            return 1 if self.asked < 3 else 3

        def describe(self) -> Json:
            return "growing"

        def apply(self, rows: Any) -> Any:
            return [1.0] * self.dimension

    def act(desk: Desk, plan: RowsPlan) -> object:
        return desk.sum(plan, Growing(), Clip(10, 1), DiscreteGaussian(1000.0))

    with open_clinic(tmp_path) as curator:
        session = curator.session()
        rows = session.plan_rows("SELECT age FROM visits")
        with pytest.raises(FailedError):
            session.perform(Wing(rows, act, Charge(math.inf, Fraction(1, 1000)), "growing"))
