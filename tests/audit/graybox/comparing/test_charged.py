"""What a ledger is charged covers what the calls of desks cost, added up once more; and watches come to an end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from audit.graybox.cases import OPERATIONS, find_world
from discreet.audit.graybox import FindingKind, ReplayReport, replay
from discreet.curator import Curator
from discreet.curator.door import desk as desks
from discreet.curator.door import meter, tries, watching
from discreet.curator.door.desk import Desk
from discreet.curator.door.unit_functions import ColumnSums
from discreet.ledger import Ledger
from discreet.mechanisms import Gaussian, SparseVector
from discreet.mechanisms.sparse_vector import SparseVectorRun
from discreet.privacy import GaussianLoss
from discreet.privacy.charges import Charge
from discreet.query.cost import fits_within
from support.summing_wing import SumsOfCosts, sum_costs
from support.watching_wing import watch

CLINIC = find_world("clinic")
COUNT = "SELECT COUNT(*) FROM visits"
HIGH = "with unit at the upper bounds"

Asked = str | Callable[[Curator], object]


def find(asked: Asked, **how: Any) -> ReplayReport:
    return replay(asked, CLINIC.only(HIGH), clock=False, **how)


def ask_often(curator: Curator) -> object:
    """Sum fifty-one times, for what one sum costs."""

    def ask_again(desk: Desk, asked: SumsOfCosts, _: object) -> list[Any]:
        return [desk.sum(asked.plan, ColumnSums(1), asked.clip, asked.noise) for _ in range(50)]

    return sum_costs(curator, ask_again, charge=Charge(Fraction(1, 8), Fraction(1, 128)))


def ask_gaussian(curator: Curator) -> object:
    return sum_costs(curator, noise=Gaussian(2.0**17), charge=Charge(float("inf"), Fraction(100)))


def test_less_than_calls_cost_in_the_ledger_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    charge = Ledger.charge

    def charge_less(self: Ledger, request: Any, price: Charge, *how: Any, **more: Any) -> Any:
        price = replace(price, epsilon=price.epsilon / 2, rho=price.rho / 2)
        return charge(self, request, price, *how, **more)

    assert find(COUNT).raise_if_any()
    monkeypatch.setattr(Ledger, "charge", charge_less)
    assert "and the ledger was charged" in str(find(COUNT))


def test_a_meter_that_adds_nothing_up_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def admit(self: meter.ChargeMeter, cost: Charge, loss: Any) -> None:
        assert fits_within(cost, self._charge)

    monkeypatch.setattr(meter.ChargeMeter, "admit", admit)
    assert "and the ledger was charged" in str(find(ask_often))


def test_a_loss_that_is_smaller_than_its_cost_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schedules are metered by losses: one that says too little buys too much."""
    assert find(ask_gaussian).raise_if_any()
    loss = Gaussian.loss
    monkeypatch.setattr(Gaussian, "loss", lambda *how, **more: GaussianLoss(loss(*how, **more).mu / 8))  # type: ignore[attr-defined]
    assert "and its loss says" in str(find(ask_gaussian))


AT_RHO: dict[str, tuple[Callable[[Curator], object], str]] = {
    "medians": (lambda c: c.ask("SELECT ward, MEDIAN(cost) FROM visits GROUP BY ward", rho=0.1), "cost_measures"),
    "the best key": (
        lambda c: c.ask("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1", rho=0.1),
        "cost_measures",
    ),
    "counts": (lambda c: c.ask("SELECT ward, COUNT(*) FROM visits GROUP BY ward", 0.5), "cost_measures"),
    "a sum": (OPERATIONS["clipped sum"][0].perform, "cost_vector"),
}


@pytest.mark.parametrize("name", AT_RHO)
def test_a_tenth_of_a_rho_is_found_for_every_noise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, priced = AT_RHO[name]
    around = CLINIC.only(HIGH, "with unit with many rows")
    assert replay(asked, around, clock=False).raise_if_any()
    cost = vars(desks)[priced]

    def tell_less(*how: Any) -> Charge:
        whole: Charge = cost(*how)
        return replace(whole, rho=whole.rho / 10)

    monkeypatch.setattr(desks, priced, tell_less)
    report = replay(asked, around, clock=False)
    assert any("(rho)" in each.words for each in report.findings), report


def ask_watch(curator: Curator) -> object:
    return watch(curator, [SparseVector(1.0, 1.0)], [0] * 6, 5)


def test_a_watch_that_goes_on_after_its_last_yes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = SparseVectorRun.decide

    def go_on(self: SparseVectorRun, asked: int, level: int) -> Any:
        self._left = max(1, self._left)
        return decide(self, asked, level)

    monkeypatch.setattr(watching.WatchState, "check_question", lambda *_: None)
    monkeypatch.setattr(SparseVectorRun, "decide", go_on)
    report = find(ask_watch)
    assert {each.kind for each in report.findings} == {FindingKind.CALLS}
    assert "a watch says yes 2 times, and is paid for 1" in str(report)


def test_a_watch_whose_threshold_has_no_noise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(self: SparseVectorRun, mechanism: SparseVector) -> None:
        self._mechanism, self._noise, self._left = mechanism, 0, mechanism.cutoff
        self._process, self._lock = os.getpid(), threading.Lock()

    def ask_once(curator: Curator) -> object:
        return watch(curator, [SparseVector(1.0, 1.0)], [0], 500)

    assert find(ask_once).raise_if_any()
    monkeypatch.setattr(SparseVectorRun, "__init__", begin)
    assert "a run of a sparse vector began without noise on its threshold" in str(find(ask_once))


def test_another_run_for_each_question_of_a_watch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def begin_again(self: watching.WatchState, *_: Any) -> None:
        self.run = self.mechanism.start()

    monkeypatch.setattr(watching.WatchState, "check_question", begin_again)
    assert "a watch was asked that nobody began" in str(find(ask_watch))


def test_each_of_several_watches_has_its_own_price() -> None:
    cheap, dear = SparseVector(100.0, 100.0), SparseVector(1.0, 1.0, 20)

    def ask_both(curator: Curator) -> object:
        return watch(curator, [dear, cheap], [0, 1, 0, 1], 500)

    report = find(ask_both).raise_if_any()
    moved = [each for each in report.moved if each.norm == "one question"]
    assert all(each.declared == 3 for each in moved)


@pytest.mark.slow
def test_tries_that_nobody_meters_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(meter.Meter):
        def admit(self, cost: Charge, loss: Any) -> None:
            """Admit everything."""

    run_one = tries._run_one

    def run_twice(run: Any, open_desk: Any) -> Any:
        def run_both(desk: Any) -> Any:
            run(desk)
            return run(desk)

        return run_one(run_both, open_desk)

    (case,) = OPERATIONS["best training"]
    monkeypatch.setattr(desks, "make_loss_meter", lambda base: Open())
    monkeypatch.setattr(tries, "_run_one", run_twice)
    assert "or one that costs more than" in str(find(case.perform))


@pytest.mark.slow
def test_tries_that_all_count_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose_best(runs: Any, loss: Any, open_desk: Any) -> bytes:
        ended = [tries._run_one(runs[place % len(runs)], open_desk) for place in range(loss.tries)]
        return max(ended, key=lambda each: each[1])[0]

    (case,) = OPERATIONS["best training"]
    monkeypatch.setattr(desks, "choose_best", choose_best)
    assert "tosses other coins than are declared, or none" in str(find(case.perform))
