"""The best of several tries at a desk: metered one by one, journaled as one, and silent about all but the winner."""

from __future__ import annotations

import contextlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.canonical import Json
from discreet.base.errors import FailedError, OperationError
from discreet.curator.door import tries
from discreet.curator.door.desk import Desk
from discreet.curator.door.meter import ChargeMeter, Meter, ScheduleMeter
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.tries import toss_coins
from discreet.engines.result import ExactRows
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import BestOfLoss, GaussianLoss, PureLoss, RandomizedResponseLoss, ZcdpLoss
from discreet.privacy.charges import Charge, charge_of, round_charge
from support.clinic import make_tables, open_clinic, write_policy
from support.desks import Pages, hold_by, never
from support.hospital import engine_of, rows_of

PLENTY = Charge(math.inf, math.inf, Fraction(1))
TEXT = "SELECT age FROM visits"
ENGINE = engine_of(write_policy(), make_tables())
PLAN = rows_of(ENGINE, TEXT)
ROWS = ENGINE.read(PLAN).result()
NOISE = Gaussian(PLAN.rows / 0.25)
LOSS = BestOfLoss(GaussianLoss(0.25), 4, Fraction(1, 2))


def desk_of(meter: Meter | Charge = PLENTY, pages: Pages | None = None, read: Any = lambda _: ROWS) -> Desk:
    held = meter if isinstance(meter, Meter) else ChargeMeter(meter)
    return Desk((PLAN,), held, pages or Pages(), never, hold_by(read))


def count_rows(desk: Desk, noise: Gaussian | Laplace = NOISE, plan: RowsPlan = PLAN) -> int:
    return desk.count_rows(plan, noise)


def score(scores: list[int], desks: list[Desk] | None = None) -> Callable[[Desk], tuple[bytes, int]]:
    """Return a run whose tries have these scores, one after the other: for tests only, since runs must not remember."""
    left = iter(range(len(scores)))

    def run(desk: Desk) -> tuple[bytes, int]:
        at = next(left)
        count_rows(desk)
        if desks is not None:
            desks.append(desk)
        return f"try {at}".encode(), scores[at]

    return run


def toss(monkeypatch: pytest.MonkeyPatch, *coins: bool) -> None:
    monkeypatch.setattr(tries, "toss_coins", lambda _: list(coins))


@pytest.mark.parametrize(
    ("coins", "scores", "winner"),
    [
        ("1111", [3, 9, 4, 1], 1),
        ("1011", [3, 9, 4, 1], 2),
        ("0001", [3, 9, 4, -7], 3),
        ("0111", [5, 5, 5, 5], 1),
    ],
)
def test_the_highest_score_of_those_that_count_wins_and_of_equal_ones_the_first(
    monkeypatch: pytest.MonkeyPatch, coins: str, scores: list[int], winner: int
) -> None:
    toss(monkeypatch, *(coin == "1" for coin in coins))
    assert desk_of().best_of([score(scores)], LOSS) == f"try {winner}".encode()


def test_whatever_the_coins_say_the_same_is_run_read_counted_and_journaled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for coins in list(product([False, True], repeat=4))[1:]:
        toss(monkeypatch, *coins)
        pages, events = Pages(), list[Any]()

        def read(_: RowsPlan, events: list[Any] = events) -> ExactRows:
            events.append("read")
            return ROWS

        outer = desk_of(pages=pages, read=read)

        def run(desk: Desk, name: str, outer: Desk = outer, events: list[Any] = events) -> tuple[bytes, int]:
            events.append((name, outer.draws))
            count_rows(desk)
            events.append((name, outer.draws, outer.failure))
            return b"found", 1

        outer.best_of([partial(run, name="one"), partial(run, name="other")], LOSS)
        seen.add((tuple(events), outer.draws, tuple((row.call, row.result) for row in pages.rows)))
    ((told, draws, rows),) = seen
    assert [each[0] for each in told if each != "read"] == ["one", "one", "other", "other"] * 2
    assert told.count("read") == 1, "all tries are of one state of the tables"
    assert {each[1] for each in told if each != "read"} == {0}, "nothing is counted until the last one has ended"
    assert draws == len(rows) == 1


def test_at_least_one_try_counts_each_as_likely_as_declared() -> None:
    loss, many = BestOfLoss(PureLoss(1), 3, Fraction(1, 4)), 1000
    seen = Counter(tuple(toss_coins(loss)) for _ in range(many))
    assert (False, False, False) not in seen
    for coins in list(product([False, True], repeat=3))[1:]:
        share = math.prod(1 / 4 if coin else 3 / 4 for coin in coins) / (1 - (3 / 4) ** 3)
        assert abs(seen[coins] - many * share) < 7 * math.sqrt(many * share)


def test_the_journal_holds_the_winner_and_nothing_of_the_losers_and_a_rerun_gets_it() -> None:
    pages, scores = Pages(), [3, 9, 4, 1]
    found = desk_of(pages=pages).best_of([score(scores)], LOSS)
    assert [row.result for row in pages.rows] == [found]
    again = desk_of(pages=pages, read=never)
    assert again.best_of([lambda _: never(0)], LOSS) == found
    assert again.draws == len(pages.rows) == 1
    with pytest.raises(OperationError, match="differs"):
        desk_of(pages=pages).best_of([score(scores)], replace(LOSS, tries=6))


@pytest.mark.parametrize(
    ("base", "noise", "fits"),
    [
        (GaussianLoss(0.25), Gaussian(PLAN.rows / 0.25), True),
        (GaussianLoss(0.25), Gaussian(PLAN.rows / 0.26), False),
        (GaussianLoss(0.25), Laplace(PLAN.rows / 1e-6), False),
        (ZcdpLoss(0.03125), Gaussian(PLAN.rows / 0.25), True),
        (ZcdpLoss(0.03), Gaussian(PLAN.rows / 0.25), False),
        (ZcdpLoss(0.03125), Laplace(PLAN.rows / 0.25), True),
        (PureLoss(0.25), Laplace(PLAN.rows / 0.25), True),
        (PureLoss(0.24), Laplace(PLAN.rows / 0.25), False),
        (PureLoss(5), Gaussian(PLAN.rows / 0.25), False),
    ],
    ids=str,
)
def test_every_try_draws_what_its_base_covers_and_no_more(base: Any, noise: Any, fits: bool) -> None:
    loss, pages = BestOfLoss(base, 2, Fraction(1, 2)), Pages()

    def run(desk: Desk) -> tuple[bytes, int]:
        return b"found", count_rows(desk, noise)

    def twice(desk: Desk) -> tuple[bytes, int]:
        return b"found", count_rows(desk, noise) + count_rows(desk, noise)

    if fits:
        assert desk_of(charge_of(loss)).best_of([run], loss) == b"found"
    for each in (twice,) if fits else (run, twice):
        with pytest.raises(FailedError, match="that it refused"):
            desk_of(pages=pages).best_of([each], loss)
    assert pages.rows == []


def test_the_whole_is_charged_by_its_theorem_and_refused_before_the_first_try() -> None:
    short = charge_of(LOSS)
    for charge in (replace(short, rho=Fraction(short.rho) * Fraction(999, 1000)), charge_of(LOSS.base)):
        with pytest.raises(OperationError, match="declare all that it draws"):
            desk_of(charge).best_of([never], LOSS)
    desk = desk_of(short)
    desk.best_of([score([1] * 4)], LOSS)
    with pytest.raises(OperationError, match="declare all that it draws"):
        desk.best_of([never], LOSS)


def test_a_schedule_may_hold_the_best_of_several_tries() -> None:
    schedule = Schedule(((LOSS, 1),), 1e-6)
    assert schedule.charge.epsilon == LOSS.epsilon(1e-6).high
    desk_of(ScheduleMeter(schedule, PLENTY)).best_of([score([1] * 4)], LOSS)
    with pytest.raises(OperationError, match="draw 0 loses"):
        desk_of(ScheduleMeter(schedule, PLENTY)).best_of([never], replace(LOSS, tries=8))


def test_a_try_that_asks_another_desk_than_its_own_fails() -> None:
    pages = Pages()
    outer = desk_of(pages=pages)
    with pytest.raises(FailedError, match="that it refused"):
        outer.best_of([lambda _: (b"found", count_rows(outer))], LOSS)
    assert pages.rows == []
    with pytest.raises(FailedError):
        count_rows(outer)


def test_the_desk_of_a_try_is_closed_with_it() -> None:
    kept: list[Desk] = []
    desk_of().best_of([score([1] * 4, kept)], replace(LOSS, base=GaussianLoss(2)))
    assert len(set(map(id, kept))) == 4
    for desk in kept:
        with pytest.raises(OperationError, match="this try has ended"):
            count_rows(desk)


def test_a_try_tells_nobody_anything_before_the_end() -> None:
    with pytest.raises(FailedError, match="that it refused"):
        desk_of().best_of([lambda desk: (b"found", desk.confirm() or 1)], LOSS)  # type: ignore[func-returns-value]


def test_a_draw_that_failed_fails_the_whole_whatever_a_try_makes_of_it() -> None:
    def read(_: RowsPlan) -> ExactRows:
        raise ZeroDivisionError

    def run(desk: Desk) -> tuple[bytes, int]:
        with contextlib.suppress(ZeroDivisionError):
            count_rows(desk)
        return b"found", 1

    pages = Pages()
    with pytest.raises(ZeroDivisionError):
        desk_of(pages=pages, read=read).best_of([run], LOSS)
    assert pages.rows == []


@pytest.mark.parametrize("found", [b"found", ("found", 1), (b"found", 1.5), (b"found", True), (b"found", 1, 2), None])
def test_a_try_returns_bytes_and_a_whole_score(found: Any) -> None:
    with pytest.raises(FailedError, match="something else than"):
        desk_of().best_of([lambda _: found], LOSS)


@pytest.mark.parametrize(
    ("runs", "loss", "said"),
    [
        ([], LOSS, "a list of functions"),
        (["run"], LOSS, "a list of functions"),
        (never, LOSS, "a list of functions"),
        ([never] * 3, LOSS, "4 tries is no multiple"),
        ([never], GaussianLoss(1), "declared by a BestOfLoss"),
        ([never], BestOfLoss(RandomizedResponseLoss(0.2), 2, 0.5), "metered by a GaussianLoss"),
    ],
)
def test_what_is_no_choice_is_refused_before_anything_is_drawn(runs: Any, loss: Any, said: str) -> None:
    with pytest.raises(OperationError, match=said):
        desk_of(read=never).best_of(runs, loss)


MARK = 10**15
"""What a count is multiplied by, so that it can be looked for."""


@dataclass(frozen=True)
class BestCount:
    """A toy wing: the largest of several noisy counts."""

    kind: ClassVar[str] = "best count"
    version: ClassVar[int] = 1

    plan: RowsPlan
    loss: BestOfLoss = LOSS
    between: Callable[[int], None] = lambda _: None
    """What happens after each try, in tests."""
    seen: list[int] = field(default_factory=list)

    @property
    def charge(self) -> Charge:
        return charge_of(self.loss)

    def parameters(self) -> Json:
        return self.loss.to_json()

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        def count(own: Desk) -> tuple[bytes, int]:
            found = count_rows(own, plan=self.plan) * MARK + 1  # so long that it is nowhere by chance
            self.seen.append(found)
            self.between(len(self.seen))
            return json.dumps(found).encode(), found

        return desk.best_of([count], self.loss)

    def finish(self, measured: bytes) -> int:
        return int(json.loads(measured))


def test_a_wing_pays_once_and_one_row_is_journaled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toss(monkeypatch, True, True, False, True)
    with open_clinic(tmp_path) as curator:
        session = curator.session()
        wing = BestCount(session.plan_rows(TEXT))
        found, receipt = session.perform(wing)
        first, second, _, last = wing.seen
        assert found == max(first, second, last)
        assert receipt.charge == round_charge(charge_of(LOSS))
        assert session.perform(wing) == (found, session.perform(wing)[1])
        assert len(wing.seen) == 4
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        told = "".join(repr(entry) for entry in curator.ledger.entries())
        numbers = set(re.findall(r"(?<![0-9a-f])[0-9]+(?![0-9a-f])", told))
        assert not [loser for loser in wing.seen if loser != found and str(loser) in numbers]


@pytest.mark.parametrize("coins", ["1000", "1111", "0001"])
def test_progress_shows_the_same_whichever_tries_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, coins: str
) -> None:
    toss(monkeypatch, *(coin == "1" for coin in coins))
    started, shown = threading.Event(), []
    with open_clinic(tmp_path) as curator:
        session = curator.session()

        def between(_: int) -> None:
            assert started.wait(60)
            shown.append(running.progress.draws)

        running = session.start(BestCount(session.plan_rows(TEXT), between=between))
        started.set()
        running.result()
        assert shown == [0, 0, 0, 0]
        assert running.progress.draws == 1


def test_a_run_killed_in_a_try_begins_anew_and_is_paid_once(tmp_path: Path) -> None:
    open_clinic(tmp_path).close()
    log = tmp_path / "seen"

    def killed() -> None:
        with open_clinic(tmp_path) as curator:
            wing = BestCount(curator.session().plan_rows(TEXT))
            curator.session().perform(replace(wing, between=lambda turn: note(wing, turn)))

    def note(wing: BestCount, turn: int) -> None:
        if turn == 3:
            log.write_text(json.dumps(wing.seen))
            die()

    kill_in_child(killed)
    with open_clinic(tmp_path) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE"], "nothing of a run that died is known to anybody"
        wing = BestCount(curator.session().plan_rows(TEXT))
        found, receipt = curator.session().perform(wing)
        assert receipt.paid == "free"
        assert len(wing.seen) == 4
        assert found in wing.seen
        assert wing.seen[:3] != json.loads(log.read_text()), "new noise"
        assert kinds(curator).count("CHARGE") == kinds(curator).count("MEASURE") == 1
        assert curator.ledger.verify().ok


@pytest.mark.parametrize("trouble", [ZeroDivisionError("loser 17"), OperationError("loser 17")])
def test_a_try_that_fails_suspends_and_nothing_is_told_of_it(tmp_path: Path, trouble: Exception) -> None:
    def between(turn: int) -> None:
        if turn == 2:
            raise trouble

    with open_clinic(tmp_path) as curator:
        session = curator.session()
        with pytest.raises(FailedError, match="the question failed after it was charged") as caught:
            session.perform(BestCount(session.plan_rows(TEXT), between=between))
        assert "17" not in str(caught.value)
        assert "MEASURE" not in kinds(curator)
        assert "SUSPEND" in kinds(curator)
