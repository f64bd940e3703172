"""What owners do: budgets over time, failures and resuming, data versions; and that nobody else's door leads there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from fractions import Fraction

import pyarrow.parquet
import pytest

from discreet.curator.owner.account import open_account
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from discreet.server.audit_log import read_lines
from discreet.server.door import GuestVisit
from discreet.server.workers.telling import BROKEN, OwnerError, ServerError
from discreet.server.workers.worker import CALLS, OWNER_CALLS
from support.clinic import make_visits
from support.paging import Person
from support.serving import Served, make_served_clinic, serving

WORDS = "Conversion Error: <b>'Schmidt, 1950'</b>"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), epsilon=20, version=None)) as running:
        yield running


@pytest.fixture(scope="module")
def carol(served: Served) -> Person:
    return Person(served, "carol")


def visit(served: Served, name: str) -> GuestVisit:
    return _run(served, served.door.admit_token(served.tokens[name], "test 127.0.0.1"))


def _run(served: Served, work: object) -> GuestVisit:
    return asyncio.run_coroutine_threadsafe(work, served.loop).result(60)  # type: ignore[arg-type]


def fail(served: Served, analyst: str) -> int:
    with open_account(served.path) as account:
        little = Charge(Fraction(1, 1000), Fraction(1, 1000))
        claim = account.ledger.charge(Request("0" * 64, "v", "q"), little, analyst)
        account.ledger.note_failure(claim, "run", ValueError(WORDS))
        account.ledger.suspend(claim)
        return claim.entry


@pytest.mark.many
@pytest.mark.parametrize("method", sorted(OWNER_CALLS))
def test_the_door_refuses_analysts_every_call_of_owners(served: Served, method: str) -> None:
    alice = visit(served, "alice")
    with pytest.raises(OwnerError, match="only owners"):
        _run(served, served.door.call_owner(alice, method))
    refused = [line for line in read_lines(served.door.log.path) if line.kind == "owners only"]
    assert method in {line.body["wanted"] for line in refused}


@pytest.mark.parametrize("method", [*sorted(OWNER_CALLS - CALLS), "close", "owner", "__init__"])
def test_workers_know_no_call_of_owners_by_an_analysts_way(served: Served, method: str) -> None:
    with pytest.raises(ServerError, match=re.escape(BROKEN)):
        _run(served, served.door.call_free(visit(served, "alice"), method))


def test_owners_reach_their_own_calls_alone(served: Served) -> None:
    with pytest.raises(ServerError, match=re.escape(BROKEN)):
        _run(served, served.door.call_owner(visit(served, "carol"), "ask"))


def test_budgets_are_shown_by_analyst_and_over_time(served: Served, carol: Person) -> None:
    alice = Person(served, "alice")
    alice.part("/ask", sql="SELECT COUNT(*) AS n FROM visits", epsilon="0.25")
    page = carol.get("/owner").text
    assert 'aria-label="alice: 25 % spent, 75 % left"' in page
    assert ("left of epsilon 20" in page, 'class="line0"' in page) == (True, True)
    bob = Person(served, "bob")
    bob.part("/ask", sql="SELECT COUNT(*) AS n FROM visits", epsilon="0.25")
    shared = carol.get("/owner").text
    assert 'aria-label="bob: 50 % spent, 50 % left"' in shared
    whole = re.findall(r'aria-label="(The whole budget[^"]+)"', page + shared)
    assert whole[0] == whole[1]  # another's answer costs the total nothing


def test_a_suspended_analyst_is_resumed_from_the_failures(served: Served, carol: Person) -> None:
    entry = fail(served, "bob")
    bob = Person(served, "bob")
    question = {"sql": "SELECT COUNT(*) AS n FROM visits WHERE age = 50", "epsilon": "0.01"}
    assert "suspended" in bob.part("/ask", **question).text
    assert "suspended" in bob.get("/budget").text
    page = carol.get("/owner/failures").text
    assert (f"entry {entry}" in page, "Schmidt" in page, "<b>'" in page) == (True, True, False)
    for path in ("/ask", "/budget", "/history"):
        assert "Schmidt" not in bob.get(path).text
    assert carol.post("/owner/resume", analyst="bob").status == 303
    assert 'class="answer"' in bob.part("/ask", **question).text
    again = carol.post("/owner/resume", analyst="bob")
    assert (again.status, "asking is not suspended" in again.text) == (400, True)
    done = [line for line in read_lines(served.door.log.path) if line.kind == "resume"]
    assert [(line.who, line.body["analyst"]) for line in done] == [("carol", "bob")]


def test_changed_data_is_accepted_under_a_new_version(served: Served, carol: Person) -> None:
    assert "changed since" not in carol.get("/owner/data").text
    table = make_visits()
    pyarrow.parquet.write_table(table.slice(0, table.num_rows - 3), served.path.parent / "visits.parquet")
    assert "visits changed since version &#x27;1&#x27; was accepted" in carol.get("/owner/data").text
    assert "to do" in carol.get("/owner/policy").text
    for version in ("", "1"):
        assert carol.post("/owner/accept", table="visits", version=version).status == 400
    assert carol.post("/owner/accept", table="visits", version="2026-11").status == 303
    page = carol.get("/owner/data").text
    assert ("changed since" in page, "2026-11" in page) == (False, True)


def test_the_policy_is_shown_as_it_was_read(served: Served, carol: Person) -> None:
    page = carol.get("/owner/policy").text
    assert ("the chain holds together" in page, "since the server started" in page) == (True, False)
    before = served.path.read_text()
    try:
        served.path.write_text(before.replace("[analysts.bob]\nepsilon = 0.5", "[analysts.bob]\nepsilon = 0.4"))
        assert "since the server started" in carol.get("/owner/policy").text
        served.path.write_text("[budget")
        assert carol.get("/owner/policy").status == 200
    finally:
        served.path.write_text(before)


def test_the_audit_log_is_shown_in_pages_and_by_name(served: Served, carol: Person) -> None:
    page = carol.get("/owner/log").text
    assert "The chain holds together" in page
    assert "alice" not in re.sub(r"<select.*?</select>", "", carol.get("/owner/log?who=bob").text)
    first = carol.get("/owner/log?before=2").text
    assert (first.count("<tr>"), "start" in first) == (2, True)


def test_a_charge_that_cannot_be_run_again_is_refused_in_words(carol: Person) -> None:
    for charge in ("", "x", "999999"):
        reply = carol.post("/owner/retry", charge=charge)
        assert (reply.status, "This was not done" in reply.text) == (400, True)
