"""The ledger as a whole: records, receipts, notes, states, threads and forks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import BudgetError, LedgerError, ParameterError, PendingError
from discreet.ledger import Ledger
from discreet.ledger.steps import watch_steps
from support.ledger import (
    CAPS,
    TENTH,
    Home,
    again,
    ask,
    facts,
    kinds,
    left_behind,
    new,
    place,
    question,
    soon,
    tampering,
)
from support.sampling import in_child


def test_a_missing_ledger_is_an_error_that_names_init(home: Home) -> None:
    with pytest.raises(LedgerError, match=r"there is no ledger .*`discreet init`"):
        Ledger.open(place(home), facts())


def test_what_is_recorded_is_there_for_the_next_process(home: Home) -> None:
    with new(home) as ledger:
        ask(ledger, answer=b"\x00\xff" * 1000)
    with again(home) as ledger:
        assert ask(ledger) == b"\x00\xff" * 1000
        assert ledger.spent().remaining() == pytest.approx(0.9)


def test_the_receipt_of_a_record_carries_its_entry_and_the_chains_head(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        receipt = ledger.record(ledger.charge(question(), TENTH, "ann"), b"1")
        assert (receipt.mark, receipt.paid, receipt.analyst) == (ledger.head, "charged", "ann")
        assert receipt.charge == TENTH
        assert list(ledger.entries())[-1].body["charge"] == 2


def test_an_answer_is_recorded_once(home: Home) -> None:
    with new(home) as ledger:
        claim = ledger.charge(question(), TENTH)
        ledger.record(claim, b"1")
        with pytest.raises(LedgerError, match="lost"):
            ledger.record(claim, b"2")
        with pytest.raises(LedgerError, match="nothing to record"):
            ledger.record(ledger.charge(question(), TENTH), b"3")
        assert ask(ledger) == b"1"


def test_entries_show_what_was_asked_by_whom_and_never_an_answer(home: Home) -> None:
    with new(home, caps=CAPS) as ledger:
        ask(ledger, "age", b"4711 people", analyst="ann")
        charge = next(iter(ledger.entries(first=2))).body
        assert (charge["text"], charge["analyst"], charge["version"]) == ("SELECT age", "ann", "v1")
        assert (charge["epsilon"], charge["total"], charge["own"]) == (
            "1/10",
            ["1/10", "1/200", "0"],
            ["1/10", "1/200", "0"],
        )
        assert not any("4711" in entry.text for entry in ledger.entries())


def test_entries_come_in_pages_without_gaps(home: Home) -> None:
    with new(home) as ledger:
        for number in range(1100):
            with ledger._store.writing() as db:
                db.execute("INSERT INTO entries VALUES (?, 'NOTE', '', '{}', '')", (number + 2,))
        assert [entry.number for entry in ledger.entries()] == list(range(1, 1102))


def test_notes_are_chained_under_kinds_of_their_own(home: Home) -> None:
    with new(home) as ledger:
        mark = ledger.note("DATA", {"table": "visits", "version": "2"})
        assert mark == ledger.head
        assert list(ledger.entries())[-1].body == {"details": {"table": "visits", "version": "2"}}
        assert ledger.verify(mark).ok
        for wrong in ("CHARGE", "RECORD", "data", "", "A B"):
            with pytest.raises(ParameterError, match="kind"):
                ledger.note(wrong, {})


def test_states_are_durable_and_chained(home: Home) -> None:
    with new(home) as ledger:
        assert ledger.get_state("fingerprint visits") is None
        for value in (b"one", b"two"):
            ledger.set_state("fingerprint visits", value)
    with again(home) as ledger:
        assert ledger.get_state("fingerprint visits") == b"two"
        assert kinds(ledger) == ["CREATE", "STATE", "STATE"]
        assert ledger.verify().ok


def test_a_ledger_whose_policy_cannot_be_read_says_so(home: Home) -> None:
    new(home).close()
    with tampering(home) as db:
        db.execute("UPDATE entries SET body = '[]'")
    with pytest.raises(LedgerError, match="does not tell its policy any more"):
        again(home)


def in_threads(count: int, task: Callable[[int], None]) -> None:
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        task(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_that_ask_the_same_at_once_pay_once_and_get_one_answer(home: Home) -> None:
    with new(home) as ledger:
        answers: list[bytes] = []
        in_threads(8, lambda number: answers.append(ask(ledger, answer=b"%d" % number)))
        assert len(answers) == 8
        assert len(set(answers)) == 1
        assert kinds(ledger) == ["CREATE", "CHARGE", "RECORD"]


def test_threads_never_spend_the_same_budget_twice(home: Home) -> None:
    with new(home) as ledger:
        refused: list[int] = []

        def one(number: int) -> None:
            try:
                for turn in range(3):
                    ask(ledger, f"{number} {turn}")
            except BudgetError:
                refused.append(number)

        in_threads(8, one)
        assert kinds(ledger).count("CHARGE") == 10
        assert len(refused) >= 5
        assert ledger.spent().spent[0] == 1
        assert ledger.verify().ok


def test_a_crash_frees_the_charge_at_once_and_it_is_run_again(home: Home) -> None:
    with new(home) as ledger:
        held = []

        def crash() -> bytes:
            held.append(ledger.charge(question(), TENTH))
            return b"charged"

        assert in_child(crash) == b"charged"
        assert ask(ledger, timeout=soon(home)) == b"42"
        assert ledger.spent().spent[0] == Fraction(1, 10)
        assert left_behind(home) == []


def test_a_child_does_not_keep_its_parents_claim_alive(home: Home) -> None:
    with new(home) as ledger:
        claim = ledger.charge(question(), TENTH)

        def child() -> bytes:
            with pytest.raises(PendingError, match="still being run"):
                ledger.charge(question(), TENTH, timeout=0)
            claim.__exit__()
            with pytest.raises(PendingError, match="still being run"):
                ledger.charge(question(), TENTH, timeout=0)
            return b"still held"

        assert in_child(child) == b"still held"
        ledger.record(claim, b"mine")


def test_what_a_crash_left_behind_is_swept_at_the_next_opening(tmp_path: Path) -> None:
    with new(tmp_path) as ledger:
        held = []

        def crash() -> bytes:
            held.append(ledger.charge(question(), TENTH))
            return b"charged"

        assert in_child(crash) == b"charged"
        assert len(left_behind(tmp_path)) == 1
        again(tmp_path).close()
        assert left_behind(tmp_path) == []


def test_nothing_of_a_charge_remains_if_its_commit_does_not_come(home: Home) -> None:
    def fail(name: str) -> None:
        if name in ("charging", "recording"):
            raise InterruptedError

    with new(home) as ledger:
        head = ledger.head
        with watch_steps(fail), pytest.raises(LedgerError):
            ledger.charge(question(), TENTH)
        assert ledger.head == head
        claim = ledger.charge(question(), TENTH)
        with watch_steps(fail), pytest.raises(LedgerError):
            ledger.record(claim, b"1")
        ledger.record(claim, b"2")
        assert ask(ledger) == b"2"
        assert ledger.verify().ok
