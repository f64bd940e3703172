"""Connections cut and servers killed between any two steps: that costs budget, never privacy or a second answer.

After each loss the same is asked again. Then exactly one answer is recorded, it is the one that is shown, it was paid
for once, and the chain verifies.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from discreet.base.errors import LedgerError
from discreet.ledger import Ledger, Server
from discreet.ledger.database import UncertainError
from discreet.ledger.steps import watch_steps
from servers.postgres import Cluster
from servers.proxy import Cut, Proxy
from support.ledger import DSN, TENTH, again, ask, kinds, new, question

GAPS = ["before charge", "charging", "charged", "before record", "recording", "recorded"]


def once(gap: str, action: Callable[[], object]) -> Callable[[str], None]:
    """Return a watcher that acts when the gap is first reached."""
    waiting = [action]

    def watch(name: str) -> None:
        if name == gap and waiting:
            waiting.pop()()

    return watch


def tell(ledger: Ledger, answer: bytes) -> bytes | None:
    """Ask, and return what was shown, if anything was."""
    try:
        return ask(ledger, answer=answer)
    except LedgerError:
        return None


def afterwards(ledger: Ledger, shown: bytes | None) -> None:
    """Ask again, and check that one answer was paid for once and shown."""
    found = ask(ledger, answer=b"second")
    assert shown in (None, found), "two answers were shown"
    assert kinds(ledger).count("RECORD") == 1
    assert kinds(ledger).count("CHARGE") == 1
    assert ledger.spent().spent[0] == Fraction(1, 10)
    assert ledger.verify().ok


@pytest.mark.many
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("loss", ["server killed", "sessions ended", "transactions ended", "leases lost"])
def test_after_any_loss_between_steps_there_is_one_answer(
    postgres: Cluster, server: Server, gap: str, loss: str
) -> None:
    def restart() -> None:
        postgres.stop("immediate")
        postgres.start()

    def end(*names: str) -> None:
        assert sum(postgres.terminate(f"discreet {name}") for name in names) >= 1

    actions: dict[str, Callable[[], object]] = {
        "server killed": restart,
        "sessions ended": lambda: end("ledger", "leases"),
        "transactions ended": lambda: end("ledger"),
        "leases lost": lambda: end("leases") if gap != "before charge" else None,
    }
    with new(server) as ledger:
        with watch_steps(once(gap, actions[loss])):
            shown = tell(ledger, b"first")
        lost_inside = gap in ("charging", "recording") and loss != "leases lost"
        assert shown == (None if lost_inside else b"first")
        afterwards(ledger, shown)


@pytest.fixture
def wire(postgres: Cluster, common_database: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> Proxy:
    """A wire to the server, used from now on."""
    proxy = Proxy(postgres.port)
    monkeypatch.setenv(DSN, postgres.dsn(common_database, host="127.0.0.1", port=proxy.port))
    return proxy


@pytest.mark.parametrize("what", list(Cut))
def test_a_charge_whose_commit_is_unknown_shows_nothing_and_is_not_paid_for_twice(
    server: Server, wire: Proxy, what: Cut
) -> None:
    with wire, new(server) as ledger:
        with (
            watch_steps(once("charging", lambda: wire.cut(what))),
            pytest.raises(UncertainError, match="may have been charged, and nothing is shown") as caught,
        ):
            ask(ledger)
        assert kinds(ledger).count("CHARGE") == (what is Cut.REPLY)
        assert ask(ledger, answer=b"later", timeout=0) == b"later", "it waits for the lease of its own lost charge"
        afterwards(ledger, b"later")
        assert caught.value.__traceback__ is not None, "what a shell keeps of an error keeps no lease"


def test_a_record_that_was_committed_unheard_is_found_and_shown(server: Server, wire: Proxy) -> None:
    with wire, new(server) as ledger:
        with watch_steps(once("recording", lambda: wire.cut(Cut.REPLY))):
            assert ask(ledger, answer=b"first") == b"first"
        afterwards(ledger, b"first")


def test_a_record_that_was_never_committed_is_not_shown(server: Server, wire: Proxy) -> None:
    with wire, new(server) as ledger:
        with (
            watch_steps(once("recording", lambda: wire.cut(Cut.MESSAGE))),
            pytest.raises(LedgerError, match="entry 2 was not recorded; its charge stays"),
        ):
            ask(ledger, answer=b"first")
        afterwards(ledger, None)


@pytest.mark.slow
def test_a_record_is_not_shown_while_nobody_can_say_whether_it_was_committed(
    postgres: Cluster, server: Server, wire: Proxy
) -> None:
    """The server is gone when the answer to the commit is lost; the record is found when it is back."""

    def lose() -> None:
        wire.cut(Cut.REPLY)
        wire.after = lambda: postgres.stop("immediate")

    with wire, new(server) as ledger:
        claim = ledger.charge(question(), TENTH)
        try:
            with watch_steps(once("recording", lose)), pytest.raises(LedgerError, match="cannot connect to the schema"):
                ledger.record(claim, b"first")
        finally:
            postgres.start()
        assert claim.answer is None
        assert claim.receipt is None
        claim.__exit__()
        afterwards(ledger, b"first")


def test_who_lost_the_lease_and_was_overtaken_can_record_nothing(postgres: Cluster, server: Server) -> None:
    with new(server) as ledger, again(server) as other:
        slow = ledger.charge(question(), TENTH)
        assert postgres.terminate("discreet leases") == 1
        quick = other.charge(question(), TENTH, timeout=0)
        assert quick.entry == slow.entry
        with pytest.raises(LedgerError, match="lease on entry 2 was lost"):
            ledger.record(slow, b"slow")
        other.record(quick, b"quick")
        assert slow.answer is None
        afterwards(ledger, b"quick")


def test_who_lost_the_lease_and_was_not_overtaken_may_record(postgres: Cluster, server: Server) -> None:
    with new(server) as ledger:
        claim = ledger.charge(question(), TENTH)
        postgres.terminate("discreet leases")
        ledger.record(claim, b"late")
        afterwards(ledger, b"late")
