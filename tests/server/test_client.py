"""A connection asks a server as one asks a curator: the same methods and values, one charge, the same schedule."""

from __future__ import annotations

import contextlib
import datetime as dt
import http.client
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.base.errors import BudgetError, ParameterError, QueryError
from discreet.curator import Curator
from discreet.curator.owner.account import open_account
from discreet.curator.telling import UNSHOWN
from discreet.query.candidates import CandidateRange
from discreet.server.audit_log import read_lines
from discreet.server.client import Connection, connect
from discreet.server.documents import read_answer
from discreet.server.public_facts import read_tables, write_tables
from discreet.server.questions import Asked, AskedBounds, AskedChoice
from discreet.server.requests import read_asked, write_value
from discreet.server.serving import find_audit_log
from discreet.server.workers.clerk import Clerk, Planned
from discreet.server.workers.telling import ServerError
from support.clinic import open_clinic
from support.serving import Served, make_served_clinic, serving
from support.wire import make_certificate

OLDER = "SELECT COUNT(*) FILTER (WHERE age >= $candidate) FROM visits"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), epsilon=20)) as running:
        yield running


@pytest.fixture
def alice(served: Served) -> Iterator[Connection]:
    with served.connect("alice") as connection:
        yield connection


def charges(served: Served) -> int:
    with open_account(served.path) as account:
        return sum(entry.kind == "CHARGE" for entry in account.ledger.entries())


def test_the_root_has_connect_and_loads_it_when_it_is_used() -> None:
    assert discreet.connect is connect


def test_a_token_may_end_with_the_end_of_its_line(served: Served) -> None:
    with connect(f"http://127.0.0.1:{served.port}", served.tokens["alice"] + "\n") as link:
        assert "alice" in str(link.budget)


def test_tables_are_those_that_the_curator_shows(served: Served, alice: Connection) -> None:
    with Curator.open(served.path, "alice") as curator:
        there, here = alice.tables, curator.session("alice").tables
        assert str(there) == str(here)
        assert there._repr_html_() == here._repr_html_()
        assert there.names == here.names
        assert there["visits"].columns == here["visits"].columns
        assert write_tables(read_tables(write_tables(here))) == write_tables(here)
    assert there["visits"].table.source is None


def test_the_budget_is_the_own_cap_and_says_how_many_more_questions_fit(served: Served, alice: Connection) -> None:
    alice.ask("SELECT COUNT(*) FROM visits WHERE age < 40", 0.01)
    with Curator.open(served.path, operator=True, served=True) as curator:
        budget = curator.session("alice").budget
    assert str(alice.budget) == str(budget)
    assert alice.budget.questions(0.01) == budget.questions(0.01) > 0
    assert "<svg" in alice.budget._repr_html_()
    assert "total" not in alice.budget._repr_html_()


def test_public_keys_alone_are_free_and_their_receipt_is_for_the_start_of_the_ledger(
    served: Served, alice: Connection
) -> None:
    alice.ask("SELECT COUNT(*) FROM visits WHERE age < 41", 0.01)
    with Curator.open(served.path, operator=True, served=True) as curator:
        first, before = curator.ledger.birth, curator.ledger.head
        answer = alice.ask("SELECT DISTINCT ward FROM visits")
        assert answer.rows == (("north",), ("south",), ("icu",))
        assert (answer.receipt.mark, answer.receipt.paid) == (first, "free")
        assert curator.ledger.head == before
        assert curator.ledger.verify(answer.receipt.mark).ok


def test_a_prepared_question_has_its_columns_and_price_before_anything_is_paid(
    served: Served, alice: Connection
) -> None:
    before, sql = charges(served), "SELECT ward, COUNT(*) AS n FROM visits WHERE age > 50 GROUP BY ward"
    prepared = alice.prepare(sql, "0.01")
    with Curator.open(served.path, "alice") as curator:
        assert prepared.fields == curator.prepare(sql, 0.01).fields
    assert "error      count rows" in str(prepared.explain())
    assert "<table>" in prepared.explain()._repr_html_()
    assert charges(served) == before
    answer = prepared.ask()
    assert charges(served) == before + 1
    assert answer.fields == prepared.fields
    assert prepared.ask().receipt.paid == "free"


def test_a_choice_is_the_curators_and_is_charged_once(served: Served, alice: Connection) -> None:
    before = charges(served)
    chosen = alice.choose([20, 30, 90], OLDER, "0.02")
    assert charges(served) == before + 1
    assert alice.choose([90, 30, 20], OLDER, Fraction(1, 50)).receipt.paid == "free"
    assert charges(served) == before + 1
    with Curator.open(served.path, "alice") as curator:
        recorded = curator.choose([20, 30, 90], OLDER, 0.02)
    assert (chosen.fields, chosen.rows, chosen.guarantee) == (recorded.fields, recorded.rows, recorded.guarantee)
    assert chosen.accuracy is not None
    assert recorded.accuracy is not None
    assert chosen.accuracy.describe(0.95) == recorded.accuracy.describe(0.95)
    assert chosen.accuracy.describe(0.5) == recorded.accuracy.describe(0.5)
    assert str(chosen).splitlines()[:5] == str(recorded).splitlines()[:5]
    assert charges(served) == before + 1
    fresh = alice.choose([20, 30, 90], OLDER, 0.02, fresh=True, key="again")
    assert alice.choose([20, 30, 90], OLDER, 0.02, fresh=True, key="again").receipt.mark == fresh.receipt.mark
    assert charges(served) == before + 2


def test_what_limits_leave_out_is_counted_for_the_same_charge(served: Served, alice: Connection) -> None:
    before = charges(served)
    answer = alice.ask("SELECT AVG(age) AS a FROM visits", 0.2, left_out="units")
    assert answer.left_out is not None
    assert "left out" in str(answer)
    assert charges(served) == before + 1
    wider = answer.left_out.half_width(0.999)  # asks again, for nothing
    assert wider > answer.left_out.half_width(0.95)
    with Curator.open(served.path, "alice") as curator:
        same = curator.ask("SELECT AVG(age) AS a FROM visits", 0.2, left_out="units")
        assert same.left_out is not None
        assert (same.left_out.words, same.left_out.value) == (answer.left_out.words, answer.left_out.value)
        assert same.left_out.half_width(0.999) == wider
    assert charges(served) == before + 1
    with pytest.raises(QueryError, match="left_out"):
        alice.ask("SELECT AVG(age) AS a FROM visits", 0.2, left_out="rows")
    assert charges(served) == before + 1


def test_candidates_may_be_ranges_and_dates(served: Served, alice: Connection) -> None:
    score = "SELECT COUNT(*) FILTER (WHERE age >= $candidate) FROM visits"
    whole = alice.choose(range(20, 100, 10), score, 0.01, largest=False)
    assert alice.choose(CandidateRange(20, 90, 10), score, 0.01, largest=False).receipt.paid == "free"
    assert whole.rows[0][0] in range(20, 100, 10)
    days = [dt.date(2025, 3, 1), dt.date(2026, 3, 1)]
    day = alice.choose(days, "SELECT COUNT(*) FILTER (WHERE day >= $candidate) FROM visits", 0.01)
    assert day.rows[0][0] in days


def test_what_a_choice_would_cost_is_free_and_without_a_price_there_is_none(served: Served, alice: Connection) -> None:
    before = charges(served)
    assert "accuracy" in str(alice.prepare_choice([20, 30], OLDER, 0.3).explain())
    with pytest.raises(QueryError, match="say how much privacy to spend"):
        alice.choose([20, 30], OLDER)
    with pytest.raises(QueryError, match="say how much privacy to spend"):
        alice.bounds("visits.cost", None)
    with pytest.raises(ParameterError, match="a list of values"):
        alice.choose("abc", OLDER, 0.1)
    assert charges(served) == before


def test_bounds_are_the_curators_and_are_charged_once(served: Served, alice: Connection) -> None:
    before = charges(served)
    found = alice.bounds("visits.cost", 0.1)
    assert alice.bounds("visits.COST", "0.1").receipt.paid == "free"
    assert charges(served) == before + 1
    with Curator.open(served.path, "alice") as curator:
        recorded = curator.bounds("visits.cost", 0.1)
    assert (found.column, found.lower, found.upper) == (recorded.column, recorded.lower, recorded.upper)
    assert str(found) == str(recorded)
    assert found.receipt.charge == recorded.receipt.charge


def test_a_refusal_of_bounds_tells_of_the_own_cap_alone(served: Served) -> None:
    with served.connect("bob") as bob, pytest.raises(BudgetError) as refused:
        bob.bounds("visits.cost", 5)
    assert "does not fit into what is left" in str(refused.value)
    assert "total" not in str(refused.value)


def test_choices_and_bounds_are_in_the_audit_log_and_leave_on_their_tick(
    served: Served, alice: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds: list[float] = []
    schedule = served.door.schedule
    leave = schedule.leave

    async def watched(arrived: float, public: float) -> None:
        seconds.append(public)
        await leave(arrived, public)

    monkeypatch.setattr(schedule, "leave", watched)
    alice.choose([21, 31], OLDER, 0.01)
    alice.bounds("visits.age", 0.01)
    with pytest.raises(BudgetError):
        alice.bounds("visits.age", 5)
    alice.choose([21, 31], OLDER, 0.01)
    assert len(seconds) == 3  # what was received before leaves at once
    assert all(each > 0 for each in seconds)
    texts = [line.text for line in read_lines(find_audit_log(served.door.policy))]
    assert any("bounds of visits.age" in text for text in texts)
    assert any("choose 1 by the largest" in text for text in texts)


BAD: list[tuple[str, Any, str]] = [
    ("choose", {"score": OLDER}, "candidates are missing"),
    ("choose", {"candidates": [1]}, "score is missing"),
    ("choose", {"score": OLDER, "candidates": {"lower": 1}}, "candidates are missing"),
    ("choose", {"score": OLDER, "candidates": [[1]], "epsilon": 1}, "params and keys take"),
    ("choose", {"score": OLDER, "candidates": {"lower": 5, "upper": 1}, "epsilon": 1}, "a lower end"),
    ("choose", {"score": OLDER, "candidates": [1, 2], "epsilon": 1, "count": "two"}, "a whole number"),
    ("choose", {"score": OLDER, "candidates": [1], "span": [1, 2, 3]}, "'span' is not known"),
    ("choose", {"score": OLDER, "candidates": [1, 2], "epsilon": 1, "fresh": True}, "idempotency key"),
    ("bounds", {"epsilon": 1}, "column is missing"),
    ("bounds", {"column": "cost", "epsilon": 1}, "names no column"),
    ("bounds", {"column": "visits.cost", "epsilon": 1, "fresh": True}, "'fresh' is not known"),
    ("ask", {"sql": "SELECT 1", "params": {"a": {"date": "soon"}}}, "params and keys take"),
    ("ask", {"sql": "SELECT 1", "params": {"a": {"number": "1e999999999/3"}}}, "params and keys take"),
]


@pytest.mark.parametrize(("path", "body", "words"), BAD)
def test_bad_requests_are_refused_in_words(served: Served, path: str, body: Any, words: str) -> None:
    status, _, text = served.send("POST", f"/v1/{path}", body, token=served.tokens["alice"])
    assert (status, words in json.loads(text)["error"]["message"]) == (400, True), text


@pytest.mark.parametrize(
    "value", [1, 0.1, Decimal("0.10"), Fraction(1, 3), "x", True, None, dt.date(2026, 3, 1), dt.datetime(2026, 3, 1, 7)]
)
def test_parameters_arrive_as_they_were_given(value: object) -> None:
    sent = json.loads(json.dumps({"sql": "SELECT 1", "params": {"a": write_value(value)}}), parse_float=Decimal)
    params = read_asked(sent).params
    assert params is not None
    assert params["a"] == (Decimal("0.1") if value == 0.1 else value)


@pytest.mark.parametrize(
    "address",
    ["https://alice:tok.en@host", "https://host/?token=tok.en", "https://host/#tok.en", "https://tok.en@host"],
)
def test_an_address_that_holds_a_token_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ParameterError, match="a token has no place in it") as told:
        connect(address, "x")
    assert "tok.en" not in str(told.value)


def test_a_stopped_request_leaves_no_reply_for_the_next(
    served: Served, alice: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(link: http.client.HTTPConnection) -> http.client.HTTPResponse:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(http.client.HTTPConnection, "getresponse", stop)
        with pytest.raises(KeyboardInterrupt):
            alice.explain("SELECT COUNT(*) FROM visits", 0.1)
    assert alice.tables.names[0] == "visits"


def test_bounds_and_choices_count_towards_the_cap_of_a_login(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)
    clerk = Clerk(path)
    planned: list[Planned] = []
    try:
        for asked in (AskedBounds("visits.cost", "0.2"), AskedChoice(OLDER, (20, 30), epsilon="0.2")):
            with pytest.raises(BudgetError, match="this login may spend"):
                clerk.ask("alice", asked, 0.1, planned.append)
        assert [each.amount for each in planned] == [0.2, 0.2]
        assert clerk.read_budget("alice")["spent"] == 0
    finally:
        clerk.close()


def test_where_the_owners_budget_is_spent_bounds_are_refused_without_telling_of_it(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path, epsilon=1.0, delta=0)
    clerk = Clerk(path)
    try:
        clerk.ask("alice", Asked("SELECT COUNT(*) FROM visits", "0.9"), None, lambda planned: None)
        for asked in (AskedBounds("visits.cost", "0.3"), AskedChoice(OLDER, (20, 30), epsilon="0.3")):
            with pytest.raises(BudgetError) as refused:
                clerk.ask("bob", asked, None, lambda planned: None)
            assert str(refused.value) == UNSHOWN
    finally:
        clerk.close()


def test_a_certificate_that_nobody_trusts_is_told_with_what_to_do(tmp_path: Path) -> None:
    chain, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    with socket.create_server(("127.0.0.1", 0)) as door:

        def greet() -> None:
            with contextlib.suppress(OSError):
                context.wrap_socket(door.accept()[0], server_side=True).close()

        thread = threading.Thread(target=greet)
        thread.start()
        with pytest.raises(ServerError, match=r"not trusted here .*SSL_CERT_FILE"):
            _ = connect(f"https://localhost:{door.getsockname()[1]}", "alice.x").budget
        thread.join()


def test_points_in_time_come_back_without_a_zone_as_a_curator_has_them(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1_000) as curator:
        answer = curator.ask("SELECT date_trunc('day', at) AS d, COUNT(*) AS n FROM visits GROUP BY 1", 100)
    assert answer.rows
    assert read_answer(answer.to_json()).rows == answer.rows
    assert all(row[0].tzinfo is None for row in read_answer(answer.to_json()).rows if isinstance(row[0], dt.datetime))
    assert answer.to_pandas()["d"].dt.tz is None
