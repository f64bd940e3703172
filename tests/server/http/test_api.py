"""The paths under /v1: the same answers as a curator's, one charge for one request, and nothing of anybody else."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from discreet.base.errors import BudgetError, QueryError, SuspendedError
from discreet.curator import Curator
from discreet.curator.owner.account import open_account
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from discreet.server.accounts.book import LoginError
from discreet.server.audit_log import read_lines, verify_log
from discreet.server.client import connect
from discreet.server.serving import find_audit_log
from support.serving import Served, make_served_clinic, serving

BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), epsilon=20)) as running:
        yield running


def charges(served: Served) -> int:
    with open_account(served.path) as account:
        return sum(entry.kind == "CHARGE" for entry in account.ledger.entries())


def test_an_answer_is_the_one_that_the_curator_has_recorded(served: Served) -> None:
    with served.connect("alice") as alice:
        answer = alice.ask(BY_WARD, 0.01)
    with Curator.open(served.path, "alice") as curator:
        recorded = curator.ask(BY_WARD, 0.01)
    assert (answer.fields, answer.rows, answer.guarantee, answer.notes) == (
        recorded.fields,
        recorded.rows,
        recorded.guarantee,
        recorded.notes,
    )
    assert recorded.receipt.paid == "free"
    assert answer.cost == recorded.cost
    assert answer.bounds_at(0.9, True) == recorded.bounds_at(0.9, True)


def test_a_repeated_request_is_one_charge_and_one_answer(served: Served) -> None:
    with served.connect("alice") as alice:
        first, before = alice.ask("SELECT COUNT(*) FROM visits", "0.01"), charges(served)
        again = alice.ask("select count(*) from visits", Fraction(1, 100))
        assert (again.rows, again.receipt.paid, again.receipt.mark) == (first.rows, "free", first.receipt.mark)
        assert charges(served) == before
        fresh = alice.ask("SELECT COUNT(*) FROM visits", 0.01, fresh=True, key="one")
        assert alice.ask("SELECT COUNT(*) FROM visits", 0.01, fresh=True, key="one").rows == fresh.rows
        assert charges(served) == before + 1
        with pytest.raises(QueryError, match="used for another question"):
            alice.ask("SELECT COUNT(*) FROM visits WHERE age > 5", 0.01, fresh=True, key="one")
        status, _, body = served.send(
            "POST",
            "/v1/ask",
            {"sql": "SELECT COUNT(*) FROM visits", "epsilon": 0.01, "fresh": True},
            token=served.tokens["alice"],
        )
        assert (status, b"idempotency key" in body) == (400, True)
        assert charges(served) == before + 1


def test_what_another_analyst_asked_is_not_told(served: Served) -> None:
    question = "SELECT AVG(age) AS a FROM visits WHERE ward = 'icu'"
    with served.connect("alice") as alice, served.connect("bob") as bob:
        unasked = bob.explain(question, 0.02)
        alice.ask(question, 0.02)
        assert bob.explain(question, 0.02) == unasked
        answer = bob.ask(question, 0.02)
        assert answer.receipt.paid == "charged"
        assert answer.rows == alice.ask(question, 0.02).rows
        assert "answered before" in str(bob.explain(question, 0.02))
        assert [each["question"] for each in bob.ledger] == [question]
        assert answer.receipt.entry == 1
        assert bob.receipt(1)["hash"] == answer.receipt.head
        with pytest.raises(QueryError, match="you have no entry 2"):
            bob.receipt(2)
        assert bob.budget.total.parts["epsilon"][0] == pytest.approx(0.04, rel=1e-6)
        assert "total" not in str(bob.budget)


def test_tables_show_public_facts_alone(served: Served) -> None:
    _, _, body = served.send("GET", "/v1/tables", token=served.tokens["alice"])
    tables = {each["name"]: each for each in json.loads(body)["tables"]}
    assert tables["visits"]["unit"] == "patient_id"
    assert {each["name"]: each for each in tables["visits"]["columns"]}["ward"]["values"] == ["north", "south", "icu"]
    assert str(served.path.parent) not in json.dumps(tables)
    assert "parquet" not in json.dumps(tables)


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_answers_come_as_csv_and_arrow(served: Served, format: str) -> None:
    asked = {"sql": BY_WARD, "epsilon": "0.01"}
    status, headers, body = served.send("POST", f"/v1/ask?format={format}", asked, token=served.tokens["alice"])
    assert status == 200
    if format == "csv":
        assert body.splitlines()[0] == b"ward,n,n_low,n_high,mean,mean_low,mean_high"
    else:
        assert pa.ipc.open_stream(io.BytesIO(body)).read_all().column_names[:3] == ["ward", "n", "n_low"]
    assert headers["x-discreet-receipt"].partition(":")[0].isdecimal()


def test_refusals_say_what_to_write_and_charge_nothing(served: Served) -> None:
    with served.connect("alice") as alice:
        before = charges(served)
        with pytest.raises(QueryError, match=r"epsilon=0\.2: count rows"):
            alice.ask("SELECT COUNT(*) FROM visits")
        with pytest.raises(QueryError, match="rows are not released"):
            alice.ask("SELECT * FROM visits", 1)
        with pytest.raises(BudgetError, match="does not fit into what is left") as refused:
            alice.ask("SELECT COUNT(*) FROM visits", 5)
        assert refused.value.fits is not None
        assert "total" not in str(refused.value)
        assert charges(served) == before


BAD: list[tuple[Any, str]] = [
    (b"{", "no JSON"),
    (b"[]", "no JSON object"),
    ({}, "sql is missing"),
    ({"sql": 5}, "sql is missing"),
    ({"sql": "SELECT 1", "price": 1}, "'price' is not known"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": "much"}, "write a number above 0"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": [1]}, "write a number"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": "1/0"}, "write a number above 0"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": -1}, "epsilon"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": 1, "max_rows": True}, "a whole number"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": 1, "confidence": "high"}, "a number such as 0.95"),
    ({"sql": "SELECT COUNT(*) FROM visits", "epsilon": 1, "params": {"a": [1]}}, "params and keys take"),
    ({"sql": "x" * 200_000, "epsilon": 1}, "letters"),
    (b'{"sql": ' + b"[" * 100_000, "no JSON"),
]


@pytest.mark.parametrize(("body", "words"), BAD)
def test_bad_requests_are_refused_in_words(served: Served, body: Any, words: str) -> None:
    status, _, text = served.send("POST", "/v1/ask", body, token=served.tokens["alice"])
    assert (status, json.loads(text)["error"]["kind"]) == (400, "QueryError")
    assert words in json.loads(text)["error"]["message"]


def test_nobody_comes_in_without_a_token_and_owners_do_not_ask(served: Served) -> None:
    for token in (None, "alice.wrong", "nobody.x"):
        status, headers, text = served.send("GET", "/v1/budget", token=token)
        assert (status, headers["www-authenticate"]) == (401, "Bearer")
        assert json.loads(text)["error"]["kind"] == "LoginError"
    stranger = connect(f"http://127.0.0.1:{served.port}", "alice.x")
    with pytest.raises(LoginError):
        stranger.explain("SELECT COUNT(*) FROM visits")
    status, _, text = served.send("GET", "/v1/budget", token=served.tokens["carol"])
    assert (status, b"owners do not ask" in text) == (400, True)
    assert served.send("GET", "/health")[0] == 200


def test_who_sent_no_token_is_told_how_and_unknown_paths_are_told_in_json(served: Served) -> None:
    status, _, text = served.send("GET", "/v1/budget")
    assert (status, "Authorization: Bearer TOKEN" in json.loads(text)["error"]["message"]) == (401, True)
    status, _, text = served.send("GET", "/v1/nothing", token=served.tokens["alice"])
    assert (status, "/api lists" in json.loads(text)["error"]["message"]) == (404, True)
    status, headers, text = served.send("GET", "/v1/ask", token=served.tokens["alice"])
    assert (status, headers["allow"], "but POST is" in json.loads(text)["error"]["message"]) == (405, "POST", True)


def test_the_owner_verifies_the_receipts_of_analysts(served: Served) -> None:
    for name in ("alice", "bob"):
        with served.connect(name) as analyst:
            receipt = analyst.ask("SELECT COUNT(*) FROM visits WHERE age > 30", "0.01").receipt
        with open_account(served.path) as account:
            found = account.ledger.verify(receipt)
            entry = next(each for each in account.ledger.entries() if each.number == found.proven)
        assert (found.ok, entry.hash) == (True, receipt.head)
        assert found.proven != receipt.entry


def test_a_suspended_analyst_is_told_so_and_no_number_of_an_entry(served: Served) -> None:
    with open_account(served.path) as account:
        little = Charge(Fraction(1, 1000), Fraction(1, 1000))
        account.ledger.suspend(account.ledger.charge(Request("0" * 64, "v", "q"), little, "bob"))
    try:
        with served.connect("bob") as bob:
            with pytest.raises(SuspendedError) as told:
                bob.ask("SELECT COUNT(*) FROM visits WHERE age = 31", 0.01)
            assert not any(letter.isdigit() for letter in str(told.value))
            assert "asking is suspended for 'bob'" in str(bob.budget)
            assert "entry" not in str(bob.budget)
    finally:
        with open_account(served.path) as account:
            account.resume("bob")


def test_everything_is_in_the_audit_log_but_tokens_and_answers(served: Served) -> None:
    with served.connect("alice") as alice:
        answer = alice.ask("SELECT SUM(cost) AS marked FROM visits", 0.01)
        with pytest.raises(QueryError):
            alice.ask("SELECT nothing FROM visits", 0.01)
    path = find_audit_log(served.door.policy)
    lines = list(read_lines(path))
    assert {"start", "login", "answered", "refused"} <= {line.kind for line in lines}
    asked = [line for line in lines if "marked" in line.text]
    assert [(line.who, line.body["paid"]) for line in asked] == [("alice", "charged")]
    assert str(answer.rows[0][0]) not in "".join(line.text for line in lines)
    whole = path.read_bytes() + b"".join(each.read_bytes() for each in path.parent.glob("audit.db-*"))
    assert all(token.rpartition(".")[2].encode() not in whole for token in served.tokens.values())
    assert verify_log(path)[2] == ()
