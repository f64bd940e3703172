"""Wings at the door: measured twice, killed and resumed, checkpointed, and refused when they lie about their charge."""

from __future__ import annotations

import faulthandler
import os
import signal
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.curator import Curator
from discreet.curator.door.desk import Desk
from discreet.curator.door.operation import declare, identify
from discreet.curator.door.schedule import Schedule
from discreet.ledger import Request
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.bounded import BoundedPlan
from discreet.privacy import GaussianLoss
from discreet.privacy.charges import Charge
from discreet.query.draws import Draws
from support.clinic import VISITS, open_clinic
from support.toy_wings import ManyLooks, TwoLooks, two_looks

BY_WARD = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
THIRD = Fraction(3, 10)


def plan_of(curator: Curator) -> BoundedPlan:
    return curator.prepare(BY_WARD, 1).operation.plan


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


HANGING = 600
"""Seconds after which a child is taken to hang."""


def kill_in_child(task: Callable[[], None]) -> None:
    """Run a task in a forked child that must end by SIGKILL.

    It takes a second or two. One that hangs says where and ends, but not before any load could explain it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forks of a process with threads
        child = os.fork()
    if child == 0:
        try:
            faulthandler.register(signal.SIGALRM, file=2, chain=True)
            signal.alarm(HANGING)
            task()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"it ended by itself, with code {os.waitstatus_to_exitcode(status)}"
    ended = signal.Signals(os.WTERMSIG(status))
    assert ended != signal.SIGALRM, f"it hung for {HANGING} s: standard error says where"
    assert ended == signal.SIGKILL, "it crashed: standard error says where"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_wing_measures_twice_pays_once_and_is_found_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = two_looks(plan_of(curator), THIRD)
        session = curator.session()
        (counts, chosen, again), receipt = session.perform(wing, "two looks at the wards")
        assert receipt.paid == "charged"
        assert receipt.charge.epsilon == THIRD
        assert len(counts) == 3
        assert 0 <= chosen < 3
        true = sum(ward == ("icu", "north", "south")[chosen] for *_, ward in VISITS)
        assert abs(again - true) < 2000
        assert session.perform(wing)[0] == (counts, chosen, again)
        assert session.perform(wing)[1].paid == "free"
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE", "MEASURE", "RECORD"]
        assert curator.ledger.verify().ok


def test_a_wing_killed_between_two_looks_goes_on_from_its_journal(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            curator.session().perform(two_looks(plan_of(curator), THIRD, between=die))

    kill_in_child(killed)
    with open_clinic(tmp_path) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE"]
        request, charge = _claimed(curator)
        with curator.ledger.charge(request, charge) as claim:
            before = curator.ledger.runs.read_journal(claim)
        (counts, chosen, _), receipt = curator.session().perform(two_looks(plan_of(curator), THIRD))
        assert f'"sums":[{list(counts)}]'.replace(" ", "").encode() in before[0].result
        assert before[1].result == f'{{"version":4,"sets":[{{"chosen":[[{chosen}]]}}]}}'.encode()
        assert receipt.paid == "free"
        assert kinds(curator)[4:] == ["DEATH", "RETRY", "RETRY", "MEASURE", "RECORD"]
        assert curator.ledger.spent().spent[0] == THIRD
        assert curator.ledger.verify().ok


def _claimed(curator: Curator) -> tuple[Request, Charge]:
    wing = two_looks(plan_of(curator), THIRD)
    return curator.session()._request(declare(wing), ""), wing.charge


def test_a_rerun_that_asks_something_else_is_refused(tmp_path: Path) -> None:
    """Nobody gets a second draw by changing what an operation does between two runs of one charge."""
    open_clinic(tmp_path).close()

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            curator.session().perform(two_looks(plan_of(curator), THIRD, between=die))

    kill_in_child(killed)
    with open_clinic(tmp_path) as curator:
        honest = two_looks(plan_of(curator), THIRD)
        other = replace(honest, first=Laplace(honest.first.scale * 2))
        object.__setattr__(other, "parameters", honest.parameters)  # it pretends to be the same operation
        with pytest.raises(OperationError, match="call 0 of this run differs"):
            curator.session().perform(other)
        assert "SUSPEND" not in kinds(curator), "a wing's mistake is no fact about the data"
        assert curator.session().perform(honest)[1].paid == "free"


@pytest.mark.parametrize("share", ["epsilon", "rho"])
def test_a_wing_that_lies_about_its_charge_is_refused_before_the_draw(tmp_path: Path, share: str) -> None:
    """A loss of 60 was released for a charge of 1e-9 when the caller stated what its noise costs."""
    with open_clinic(tmp_path) as curator:
        honest = two_looks(plan_of(curator), THIRD)
        small = Fraction(1, 10**6)
        charges = {
            "epsilon": Charge(small, honest.charge.rho),
            "rho": Charge(honest.charge.epsilon, small / 10**6),
        }
        with pytest.raises(OperationError, match=r"the draws of this operation cost .* and it declared"):
            curator.session().perform(replace(honest, charge=charges[share]))
        assert "MEASURE" not in kinds(curator), "nothing was drawn"
        assert "SUSPEND" not in kinds(curator)


def test_a_wing_that_draws_once_more_than_it_declared_is_refused_there(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        honest = two_looks(plan_of(curator), THIRD)
        with pytest.raises(OperationError, match="declare all that it draws"):
            curator.session().perform(replace(honest, charge=Charge(Fraction(2, 10), Fraction(1))))
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "MEASURE"]


def test_a_plan_that_was_not_declared_is_not_read(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        honest = two_looks(plan_of(curator), THIRD)
        other = curator.prepare("SELECT COUNT(*) FROM visits", 1).operation.plan
        with pytest.raises(OperationError, match="was not declared"):
            curator.session().perform(Sneaky(other, honest))
        assert "MEASURE" not in kinds(curator)


@dataclass(frozen=True)
class Sneaky:
    """Declares the plan of an honest wing and reads another."""

    kind: ClassVar[str] = "sneaky"
    version: ClassVar[int] = 1

    other: BoundedPlan
    honest: TwoLooks

    @property
    def charge(self) -> Charge:
        return self.honest.charge

    def parameters(self) -> Json:
        return None

    def plans(self) -> tuple[BoundedPlan, ...]:
        return self.honest.plans()

    def run(self, desk: Desk) -> bytes:
        return desk.measure(self.other, Draws((self.honest.first,))).to_bytes()

    def finish(self, measured: bytes) -> bytes:
        return measured


def many_looks(plan: BoundedPlan, turns: int, checkpoint: int = 4, **how: Callable[[int, int], None]) -> ManyLooks:
    noise = Gaussian(40.0)
    loss = GaussianLoss(mu=float(plan.l2_squared(plan.measures[0])) ** 0.5 / noise.sigma * (1 + 1e-12))
    schedule = Schedule(((loss, turns),), 1e-10, checkpoint)
    return ManyLooks(plan, (noise,) * turns, schedule, schedule.charge, **how)


def test_a_fixed_schedule_is_certified_as_a_whole_and_costs_less_than_its_sum(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = many_looks(plan_of(curator), 20)
        found, receipt = curator.session().perform(wing)
        assert abs(found - sum(ward == "icu" for *_, ward in VISITS)) < 200
        summed = sum((loss * count).epsilon(1e-10).high for loss, count in wing.schedule.losses)
        assert receipt.charge.epsilon <= summed * (1 + 1e-9)
        assert receipt.charge.epsilon < 20 * wing.schedule.losses[0][0].epsilon(1e-10).high / 2
        assert kinds(curator).count("MEASURE") == 20


def test_a_schedule_is_killed_between_checkpoints_and_resumed_from_the_last(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()
    log = tmp_path / "seen"

    def note(turn: int, count: int) -> None:
        with log.open("a") as file:
            file.write(f"{turn} {count}\n")

    def noted_and_killed(turn: int, count: int) -> None:
        note(turn, count)
        if turn == 9:
            die()

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            curator.session().perform(many_looks(plan_of(curator), 12, seen=noted_and_killed))

    kill_in_child(killed)
    first = dict(line.split() for line in log.read_text().splitlines())
    assert len(first) == 10
    log.unlink()
    with open_clinic(tmp_path) as curator:
        assert kinds(curator).count("MEASURE") == 8, "two checkpoints of four draws"
        curator.session().perform(many_looks(plan_of(curator), 12, seen=note))
        second = dict(line.split() for line in log.read_text().splitlines())
        assert {turn: second[turn] for turn in map(str, range(8))} == {turn: first[turn] for turn in map(str, range(8))}
        assert kinds(curator).count("MEASURE") == 12
        assert kinds(curator).count("CHARGE") == 1
        assert curator.ledger.verify().ok


def test_what_a_schedule_drew_is_journaled_when_its_run_fails(tmp_path: Path) -> None:
    def broken(turn: int, count: int) -> None:
        if turn == 5:
            raise OperationError("a mistake of the wing")

    with open_clinic(tmp_path) as curator:
        with pytest.raises(OperationError, match="a mistake of the wing"):
            curator.session().perform(many_looks(plan_of(curator), 12, seen=broken))
        assert kinds(curator).count("MEASURE") == 6, "a checkpoint of four draws, and two since"


def test_a_draw_that_the_schedule_has_not_is_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        honest = many_looks(plan_of(curator), 4)
        for noises, said in (((Gaussian(39.0),) * 4, "draw 0 loses"), ((Gaussian(40.0),) * 5, "has 4 draws")):
            with pytest.raises(OperationError, match=said):
                curator.session().perform(replace(honest, noises=noises))
        cheap = replace(honest, charge=Charge(Fraction(1, 1000), Fraction(1, 1000), Fraction(1, 10**10)))
        charged = kinds(curator).count("CHARGE")
        with pytest.raises(OperationError, match="the schedule of this operation costs"):
            curator.session().perform(cheap)
        assert kinds(curator).count("CHARGE") == charged, "nothing is charged for a declaration that cannot be true"


def test_a_schedule_is_part_of_what_an_operation_is(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        wing = many_looks(plan_of(curator), 4)
    other = Schedule(((*wing.schedule.losses[0][:1], 3), (GaussianLoss(0.001), 1)), 1e-10, 4)
    assert identify(replace(wing, schedule=other), "1") != identify(wing, "1")
    assert identify(replace(wing, schedule=replace(wing.schedule, checkpoint=9)), "1") == identify(wing, "1")
