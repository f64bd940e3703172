"""A performance: cancelled from another thread, late, overtaken, on a lost engine, and by eight threads at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from discreet.base.errors import FailedError, LostLeaseError, PendingError, StoppedError, SuspendedError
from discreet.curator import Curator
from discreet.curator.door.performance import GENERIC, LOST, STOPPED, Progress
from discreet.engines.duck.engine import DuckRun
from discreet.engines.running import EngineLostError
from discreet.ledger import Ledger
from support.clinic import make_tables, open_clinic
from support.ledger import Clock

QUESTION = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
TABLES = make_tables()


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def within(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds; fail where it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.005)


class Gate:
    """Holds runs of the engine up until it is opened."""

    def __init__(self) -> None:
        self.reached, self.opened = threading.Event(), threading.Event()


@contextmanager
def held_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate, execute = Gate(), DuckRun.execute

    def slow(run: DuckRun[Any], statement: str) -> list[Any]:
        gate.reached.set()
        while not gate.opened.wait(0.01):
            if run._stopped.is_set():
                raise InterruptedError("interrupted by the engine")
        return execute(run, statement)

    with monkeypatch.context() as patch:
        patch.setattr(DuckRun, "execute", slow)
        try:
            yield gate
        finally:
            gate.opened.set()


def late_clinic(folder: Path, deadline: float = 0.05, **how: Any) -> Curator:
    """Return a clinic whose policy has a deadline."""
    open_clinic(folder, **how).close()
    path = folder / "policy.toml"
    path.write_text(f"{path.read_text()}\n[time]\ndeadline = {deadline}\n")
    return Curator.open(path, how.get("analyst"), TABLES)


def test_a_run_is_cancelled_from_another_thread_and_suspends_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_clinic(tmp_path) as curator:
        with held_up(monkeypatch) as gate:
            performance = curator.prepare(QUESTION, 0.2).start()
            assert gate.reached.wait(30)
            performance.cancel()
            assert performance.done
            with pytest.raises(StoppedError, match="The charge stays") as told:
                performance.result()
            assert str(told.value) == STOPPED
        assert kinds(curator) == ["CREATE", "CHARGE"]
        assert curator.ask(QUESTION, 0.2).receipt.paid == "free", "the charge is run again, not paid again"
        assert "DEATH" not in kinds(curator)


def test_cancelling_what_is_done_changes_nothing(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        performance = curator.prepare(QUESTION, 0.2).start()
        assert performance.wait(30)
        performance.cancel()
        assert performance.result()[1].paid == "charged"


def test_waiting_ends_at_the_deadline_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with late_clinic(tmp_path) as curator:
        with held_up(monkeypatch) as gate:
            with pytest.raises(PendingError, match=r"not done within 0\.05 s. It goes on and will be recorded"):
                curator.ask(QUESTION, 0.2)
            with pytest.raises(PendingError, match="still being run"):
                curator.ask(QUESTION, 0.2)
            within(lambda: "OVERRUN" in kinds(curator))
            gate.opened.set()
            within(lambda: "RECORD" in kinds(curator))
        assert curator.ask(QUESTION, 0.2).receipt.paid == "free"
        assert kinds(curator).count("CHARGE") == 1
        assert kinds(curator).count("OVERRUN") == 1
        assert curator.ledger.verify().ok


def test_more_than_three_overruns_suspend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a run is late may be a fact about the data: an analyst learns three such bits, and no more."""
    with late_clinic(tmp_path) as curator:
        for number in range(4):
            with held_up(monkeypatch) as gate:
                with pytest.raises(PendingError if number < 3 else (PendingError, SuspendedError)):
                    curator.ask(f"SELECT COUNT(*) FROM visits WHERE age > {number}", 0.1)
                within(lambda number=number: kinds(curator).count("OVERRUN") == number + 1)  # type: ignore[misc]
                gate.opened.set()
            within(lambda: not curator._keeper._kept)
        with pytest.raises(SuspendedError):
            curator.ask(QUESTION, 0.1)
        curator.ledger.resume()
        within(lambda: is_free(curator, "SELECT COUNT(*) FROM visits WHERE age > 3"))
        assert curator.ledger.verify().ok


def is_free(curator: Curator, question: str) -> bool:
    """Return whether a question is answered from the ledger; not yet, where a busy machine reads it too late."""
    try:
        return curator.ask(question, 0.1).receipt.paid == "free"
    except PendingError:
        return False


def test_closing_waits_for_a_run_that_nobody_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = late_clinic(tmp_path)
    with held_up(monkeypatch) as gate:
        with pytest.raises(PendingError):
            curator.ask(QUESTION, 0.2)
        closing = threading.Thread(target=curator.close)
        closing.start()
        gate.opened.set()
        closing.join(30)
        assert not closing.is_alive()
    with Curator.open(tmp_path / "policy.toml", None, TABLES) as again:
        assert kinds(again)[-1] == "RECORD"


def test_leases_are_renewed_while_a_run_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of 61 minutes was overtaken, its record failed, and whoever asked was suspended."""
    clock = Clock()
    with open_clinic(tmp_path) as curator, open_clinic(tmp_path) as other:
        curator._ledger._rules.lease_seconds = 0.2
        curator._ledger._rules._clock = other._ledger._rules._clock = clock
        with held_up(monkeypatch) as gate:
            prepared = curator.prepare(QUESTION, 0.2)
            performance = prepared.start()
            assert gate.reached.wait(30)
            for _ in range(5):  # three leases and more
                clock.time += 0.15
                within(lambda: lasts_until(curator) > clock.time + 0.1)
            with pytest.raises(PendingError, match="still being run"):
                other.ledger.charge(prepared.request, prepared.priced.charge, timeout=0)
            gate.opened.set()
            assert performance.result()[1].paid == "charged"
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]


def lasts_until(curator: Curator) -> float:
    """Return when the only lease ends."""
    with curator.ledger._store.reading() as db:
        ((end,),) = db.execute("SELECT expires FROM charges").fetchall()
    return float(str(end))


def test_a_lost_lease_ends_the_run_and_suspends_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_clinic(tmp_path) as curator:
        curator._ledger._rules.lease_seconds = 0.2
        with held_up(monkeypatch) as gate:
            performance = curator.prepare(QUESTION, 0.2).start()
            assert gate.reached.wait(30)
            with curator.ledger._store.writing() as db:  # somebody else took the charge
                db.execute("UPDATE charges SET token = 'theirs'")
            assert performance.wait(30), "its next renewal tells it"
            with pytest.raises(LostLeaseError, match="somebody else runs this question now"):
                performance.result()
        assert "SUSPEND" not in kinds(curator)


def test_a_lease_that_was_lost_before_the_record_is_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise LostLeaseError("somebody else has it")

    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "record", lost)
            with pytest.raises(LostLeaseError, match="somebody else has it"):
                curator.ask(QUESTION, 0.2)
        assert curator.ledger.failures == ()
        assert curator.ask(QUESTION, 0.2).receipt.paid == "free"


def test_a_lost_engine_suspends_nobody_but_twice_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have been lost because one person's rows filled its memory, so it is counted like a run that died."""

    def gone(run: DuckRun[Any], statement: str) -> list[Any]:
        raise EngineLostError("server closed the connection, host=10.0.0.7 password=secret")

    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(DuckRun, "execute", gone)
            for _ in range(2):
                with pytest.raises(FailedError) as told:
                    curator.ask(QUESTION, 0.2)
                assert str(told.value) == LOST
            with pytest.raises(SuspendedError, match=r"died 2 times .* `discreet retry 2`"):
                curator.ask(QUESTION, 0.2)
        assert "SUSPEND" not in kinds(curator)
        assert curator.ask("SELECT COUNT(*) FROM visits", 0.1).rows, "other questions are answered"
        curator.ledger.retry(2)
        assert curator.ask(QUESTION, 0.2).receipt.paid == "free"
        assert [failure.charge for failure in curator.ledger.failures] == [2, 2]
        assert "secret" not in str(curator.ledger.failures)
        assert "server closed the connection" in curator.ledger.failures[0].words
        assert curator.ledger.verify().ok


def test_a_failure_is_written_down_for_the_operator_and_told_to_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(run: DuckRun[Any], statement: str) -> list[Any]:
        raise RuntimeError("Conversion Error: patient 17 at postgresql://clinic:secret@db/visits")

    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(DuckRun, "execute", fail)
            with pytest.raises(FailedError) as told:
                curator.ask(QUESTION, 0.2)
        assert str(told.value) == GENERIC
        assert told.value.__cause__ is None
        assert told.value.__context__ is None
        (failure,) = curator.ledger.failures
        assert (failure.charge, failure.where) == (2, "sql")
        assert failure.words == "RuntimeError: Conversion Error: patient 17 at <address>"


def test_progress_is_public_facts_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_clinic(tmp_path) as curator, held_up(monkeypatch) as gate:
        seen: list[Progress] = []

        def watch(progress: Progress) -> None:
            seen.append(progress)
            if len(seen) == 2:
                gate.opened.set()

        curator.ask(QUESTION, 0.2, progress=watch)
        assert [each.draws for each in seen[:2]] == [0, 0]
        assert all(each.__slots__ == ("seconds", "draws") for each in seen)


def test_eight_threads_with_eight_sessions_share_one_curator(tmp_path: Path) -> None:
    asked = "SELECT ward, COUNT(*) AS n, AVG(cost) FROM visits WHERE age > {} GROUP BY ward"
    questions = [asked.format(age) for age in range(6)]
    with open_clinic(tmp_path, epsilon=100.0) as curator:
        sessions = [curator.session() for _ in range(8)]

        def work(number: int) -> dict[str, tuple[object, ...]]:
            order = questions[number % 6 :] + questions[: number % 6]
            session = sessions[number]
            found = {text: session.ask(text, 0.5).rows for text in order}
            assert session.explain(questions[0], 0.5)
            assert str(session.tables)
            top = session.ask("SELECT COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 1", 0.5)
            return {**found, "top": top.rows}

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(work, range(8)))
        assert all(answer == answers[0] for answer in answers)
        assert kinds(curator).count("CHARGE") == 7, "each question was paid for once"
        assert kinds(curator).count("RECORD") == 7
        assert curator.ledger.verify().ok


def test_sessions_of_analysts_have_their_own_caps(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        alice, bob = curator.session("alice"), curator.session("bob")
        assert alice.ask(QUESTION, 0.4).receipt.paid == "charged"
        assert bob.ask(QUESTION, 0.4).receipt.paid == "own cap only"
        assert [share.name for share in bob.budget.analysts] == ["bob"]
        assert bob.analyst == "bob"
        assert curator.analyst == "alice"
