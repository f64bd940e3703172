"""kill -9 in every gap between steps, while eight processes ask at once until the budget is gone.

Whatever is killed where: the budget is never exceeded, everything shown was charged and recorded, everybody was shown
the same, and the chain verifies. `make test-all` has more kills.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import random
import re
import signal
import warnings
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from discreet.answers.receipt import Mark
from discreet.base.canonical import hash_bytes as digest
from discreet.base.errors import BudgetError, LedgerError, SuspendedError
from discreet.ledger import Claim, JournalRow, Ledger, LedgerFacts
from discreet.ledger.steps import STEPS, watch_steps
from discreet.privacy.charges import Charge
from support.ledger import Home, facts, home_of, left_behind, place, question

WORKERS = 8
GAPS = (*STEPS, "between record and show")
ONE = Charge(Fraction(1), Fraction(1, 2))

HANGING = 900
"""Seconds after which a worker is taken to hang: the last ones ask until the budget is gone, for minutes when busy."""


@dataclass(frozen=True)
class Scene:
    """A ledger, the folder where its workers write what they were shown, and how much happens to them.

    Ann could ask everything; bob is refused before the end.
    """

    home: Home
    folder: Path
    kills: int
    budget: int

    @property
    def caps(self) -> dict[str, tuple[Fraction, int]]:
        return {"ann": (Fraction(self.budget), 0), "bob": (Fraction(3 * self.budget, 10), 0)}

    @property
    def policy(self) -> LedgerFacts:
        return facts(epsilon=self.budget, caps=self.caps)

    def open(self) -> Ledger:
        return Ledger.open(place(self.home), self.policy)


class Worker:
    """Asks until the budget is gone, or until it kills itself on reaching its gap once more than it may."""

    def __init__(self, scene: Scene, seed: int, gap: str | None) -> None:
        self.scene = scene
        self.folder = scene.folder
        self.random = random.Random(seed)
        self.gap = gap
        self.passes = self.random.randrange(3) if gap != "taking over" else 0
        self.name = f"{seed}"
        self.count = 0

    def __call__(self) -> None:
        signal.alarm(HANGING)
        with watch_steps(self.pass_gap), self.scene.open() as ledger:
            while self.ask(ledger):
                pass

    def pass_gap(self, name: str) -> None:
        if name == self.gap:
            self.passes -= 1
            if self.passes < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def ask(self, ledger: Ledger) -> bool:
        analyst, asked = self.random.choice(sorted(self.scene.caps)), self.choose()
        try:
            claim = ledger.charge(question(asked), ONE, analyst)
            if not claim.found:
                ledger.record(claim, self.measure(ledger, claim, asked))
        except BudgetError:
            return ledger.spent().spent[0] < self.scene.budget
        except SuspendedError as refused:
            self.see_to(ledger, analyst, str(refused))
            return True
        assert claim.answer is not None
        self.pass_gap("between record and show")
        append(self.folder / "shown", f"{asked} {analyst} {claim.answer.hex()} {claim.receipt}")
        return True

    def measure(self, ledger: Ledger, claim: Claim, asked: str) -> bytes:
        """Draw once, keep it as a part and journal its name, or find what an earlier run of the charge drew."""
        known = ledger.runs.read_journal(claim)
        if not known:
            known = (JournalRow("draw", ledger.parts.write(os.urandom(8)).encode()),)
            ledger.runs.write_journal(claim, 0, known)
        drawn = ledger.parts.read(known[0].result.decode())
        append(self.folder / "drawn", f"{asked} {drawn.hex()}")
        return drawn

    def see_to(self, ledger: Ledger, analyst: str, refusal: str) -> None:
        """Do what the operator is asked to do: so many runs die here that somebody is always suspended."""
        held = re.search(r"discreet retry (\d+)", refusal)
        with contextlib.suppress(LedgerError):  # another worker may have done it
            ledger.retry(int(held[1])) if held else ledger.resume(analyst)

    def choose(self) -> str:
        """Ask something new, or what somebody asked a moment ago and perhaps died over."""
        recent = (self.folder / "asked").read_text().split()[-20:]
        if recent and self.random.random() < (0.95 if self.gap == "taking over" else 0.6):
            return self.random.choice(recent)
        self.count += 1
        append(self.folder / "asked", f"{self.name}.{self.count}")
        return f"{self.name}.{self.count}"


def append(path: Path, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.fsync(descriptor)
    os.close(descriptor)


def run_and_kill(scene: Scene) -> Counter[str]:
    """Keep eight workers asking; replace each that dies; once every gap has its kills, let them finish."""
    fork = multiprocessing.get_context("fork")
    kills: Counter[str] = Counter()
    running: dict[BaseProcess, str | None] = {}
    seed, finished = 0, False
    while True:
        missing = [gap for gap in GAPS if kills[gap] < scene.kills]
        while len(running) < WORKERS and (missing or seed < WORKERS or not finished):
            gap = min(missing, key=lambda gap: kills[gap] + list(running.values()).count(gap), default=None)
            if gap == "taking over" and list(running.values()).count(gap) >= WORKERS // 2:
                gap = "charged"  # somebody must leave charges behind to be taken over
            child: BaseProcess = fork.Process(target=Worker(scene, seed, gap))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child.start()
            running[child] = gap
            seed += 1
        if not running:
            return kills
        ended = multiprocessing.connection.wait([child.sentinel for child in running], timeout=HANGING)
        assert ended, "no worker ended: they wait for one another"

        for child in [child for child in running if child.sentinel in ended]:
            child.join()
            gap = running.pop(child)
            assert child.exitcode in (0, -signal.SIGKILL), f"a worker failed: {child.exitcode}"
            finished = finished or child.exitcode == 0
            assert not (finished and missing), f"the budget was gone before every gap had its kills: {kills}"
            if child.exitcode and gap:
                kills[gap] += 1


FORMS = [
    pytest.param(("file", 5, 600), id="file"),
    pytest.param(("file", 20, 2000), id="file, long", marks=pytest.mark.long),
    pytest.param(("postgres", 5, 600), id="postgres", marks=pytest.mark.long),
    pytest.param(("postgres", 20, 2000), id="postgres, long", marks=pytest.mark.long),
]


@pytest.fixture(scope="module", params=FORMS)
def after(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Scene, Counter[str]]:
    kind, kills, budget = request.param
    folder = tmp_path_factory.mktemp("crash")
    (folder / "asked").touch()
    scene = Scene(home_of(request, kind, folder, f"crash_{kills}"), folder, kills, budget)
    Ledger.create(place(scene.home), scene.policy).close()
    return scene, run_and_kill(scene)


def shown(folder: Path) -> list[tuple[str, str, str, Mark]]:
    lines = (line.split() for line in (folder / "shown").read_text().splitlines())
    return [(asked, analyst, answer, Mark.parse(mark)) for asked, analyst, answer, mark in lines]


def test_every_gap_saw_its_kills(after: tuple[Scene, Counter[str]]) -> None:
    print("\n" + "\n".join(f"{after[1][gap]:4} kills: {gap}" for gap in GAPS))
    assert all(after[1][gap] >= after[0].kills for gap in GAPS)


def test_the_budget_is_gone_and_was_never_exceeded(after: tuple[Scene, Counter[str]]) -> None:
    total, own = Fraction(0), dict.fromkeys(after[0].caps, Fraction(0))
    with after[0].open() as ledger:
        for entry in ledger.entries():
            if entry.kind in ("CHARGE", "SHARE"):
                own[entry.body["analyst"]] += Fraction(entry.body["epsilon"])
                total += Fraction(entry.body["epsilon"]) if entry.kind == "CHARGE" else 0
        assert total == ledger.spent().spent[0] == after[0].budget
        assert all(ledger.spent(name).spent[0] == own[name] <= after[0].caps[name][0] for name in own)


def test_everything_shown_was_charged_and_recorded_before(after: tuple[Scene, Counter[str]]) -> None:
    charges: dict[int, str] = {}
    records: dict[str, str] = {}
    paid: set[tuple[str, str]] = set()
    with after[0].open() as ledger:
        hashes = {}
        for entry in ledger.entries():
            hashes[entry.number] = entry.hash
            body = entry.body
            if entry.kind == "CHARGE":
                charges[entry.number] = body["text"].removeprefix("SELECT ")
                paid.add((charges[entry.number], body["analyst"]))
            elif entry.kind == "SHARE":
                paid.add((charges[body["charge"]], body["analyst"]))
            elif entry.kind == "RECORD":
                assert charges[body["charge"]] not in records, "two answers to one question"
                records[charges[body["charge"]]] = body["answer"]
        seen = shown(after[0].folder)
        for asked, analyst, answer, mark in seen:
            assert records[asked] == digest(bytes.fromhex(answer))
            assert (asked, analyst) in paid
            assert hashes[mark.entry] == mark.head
    assert len(seen) > after[0].budget / 2


def test_everybody_was_shown_the_same_answer_to_the_same_question(after: tuple[Scene, Counter[str]]) -> None:
    answers: dict[str, set[str]] = {}
    for asked, _, answer, _ in shown(after[0].folder):
        answers.setdefault(asked, set()).add(answer)
    assert all(len(different) == 1 for different in answers.values())


def test_no_run_ever_saw_two_draws_for_one_charge(after: tuple[Scene, Counter[str]]) -> None:
    seen: dict[str, set[str]] = {}
    for line in (after[0].folder / "drawn").read_text().splitlines():
        asked, result = line.split()
        seen.setdefault(asked, set()).add(result)
    assert all(len(different) == 1 for different in seen.values())
    for asked, _, answer, _ in shown(after[0].folder):
        assert seen[asked] == {answer}


def test_no_question_was_paid_for_twice(after: tuple[Scene, Counter[str]]) -> None:
    with after[0].open() as ledger:
        asked = Counter(entry.body["question"] for entry in ledger.entries() if entry.kind == "CHARGE")
        assert max(asked.values()) == 1
        kinds = {entry.kind for entry in ledger.entries()}
        assert {"RETRY", "DEATH", "SUSPEND", "RESUME", "MEASURE"} <= kinds


def test_the_chain_verifies_with_every_receipt(after: tuple[Scene, Counter[str]]) -> None:
    with after[0].open() as ledger:
        last = max(shown(after[0].folder), key=lambda line: line[3].entry)[3]
        found = ledger.verify(last)
        assert found.ok, found.problems
    assert left_behind(after[0].home) == []
