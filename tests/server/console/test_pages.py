"""The console's pages: who sees which, what they do, and that no text of anybody's is more than text."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qsl

import pyarrow as pa
import pytest

from discreet.curator.owner.account import open_account
from discreet.server.audit_log import read_lines
from support.paging import Person
from support.serving import Served, make_served_clinic, serving

BAD = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = f"SELECT COUNT(*) AS \"{BAD}\" FROM visits WHERE ward = '{BAD}'"
ANALYST = ("/ask", "/tables", "/history", "/budget", "/receipts/1", "/receipts/1.json")
OWNER = ("/owner", "/owner/failures", "/owner/data", "/owner/policy", "/owner/log")
BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), epsilon=20)) as running:
        yield running


@pytest.fixture(scope="module")
def alice(served: Served) -> Person:
    return Person(served, "alice")


@pytest.fixture(scope="module")
def bob(served: Served) -> Person:
    return Person(served, "bob")


@pytest.fixture(scope="module")
def carol(served: Served) -> Person:
    return Person(served, "carol")


def charges(served: Served) -> int:
    with open_account(served.path) as account:
        return sum(entry.kind == "CHARGE" for entry in account.ledger.entries())


def test_a_login_is_a_cookie_that_scripts_and_other_sites_do_not_get(served: Served) -> None:
    reply = Person(served).post("/login", token=f" {served.tokens['alice']} ")
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.cookies[0].lower()
    assert ("httponly" in cookie, "samesite=strict" in cookie, "path=/" in cookie) == (True, True, True)
    assert served.tokens["alice"] not in reply.cookies[0]


def test_wrong_tokens_are_refused_in_one_sentence_and_not_shown_again(served: Served) -> None:
    told = set()
    for token in ("alice.wrong", "nobody.x", "", BAD):
        reply = Person(served).post("/login", token=token)
        assert (reply.status, reply.cookies) == (401, [])
        assert "alice.wrong" not in reply.text
        assert "<script>alert" not in reply.text
        told.add(reply.text)
    assert len(told) == 1


def test_whoever_is_not_logged_in_is_led_to_the_login(served: Served) -> None:
    nobody = Person(served)
    for path in ("/", *ANALYST, *OWNER, "/answers/x.csv"):
        reply = nobody.get(path)
        assert (reply.status, reply.headers["location"]) == (303, "/login")
    reply = nobody.part("/preview", sql="SELECT COUNT(*) FROM visits")
    assert (reply.status, reply.headers["hx-redirect"]) == (401, "/login")
    assert nobody.get("/login").status == 200


def test_logging_out_ends_the_login(served: Served) -> None:
    person = Person(served, "alice")
    assert person.get("/budget").status == 200
    assert person.get("/logout").status == 405
    assert person.post("/logout").headers["location"] == "/login"
    assert person.get("/budget").status == 303


def test_forms_of_other_origins_change_nothing(served: Served, alice: Person, carol: Person) -> None:
    before = charges(served)
    for headers in ({"origin": "http://evil.org"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert alice.post("/ask", headers, sql="SELECT COUNT(*) FROM visits", epsilon="0.01").status == 403
        assert carol.post("/owner/resume", headers, analyst="alice").status == 403
        assert Person(served).post("/login", headers, token=served.tokens["alice"]).status == 403
    assert charges(served) == before


def test_pages_belong_to_one_role(alice: Person, carol: Person) -> None:
    for path in OWNER:
        assert alice.get(path).status == 404
        assert carol.get(path).status == 200
    for path in ("/owner/resume", "/owner/retry", "/owner/accept"):
        assert alice.post(path, analyst="bob", charge="1", table="visits", version="9").status == 404
    for path in ANALYST:
        assert carol.get(path).status == 404
    assert carol.post("/ask", sql="SELECT COUNT(*) FROM visits", epsilon="0.01").status == 404
    assert (alice.get("/").headers["location"], carol.get("/").headers["location"]) == ("/ask", "/owner")


def test_a_question_without_a_price_shows_the_price_list_and_costs_nothing(served: Served, alice: Person) -> None:
    before = charges(served)
    reply = alice.part("/preview", sql=BY_WARD, epsilon="")
    assert re.findall(r'data-epsilon="([^"]+)"', reply.text) == ["0.05", "0.2", "1"]
    assert "± 45" in reply.text
    assert "Choose a price" in reply.text
    asked = alice.part("/ask", sql=BY_WARD)
    assert ("Choose a price" in asked.text, "data-epsilon" in asked.text) == (True, False)
    assert "data-epsilon" in alice.post("/ask", sql=BY_WARD).text
    chosen = alice.part("/preview", sql=BY_WARD, epsilon="0.1").text
    assert ("At epsilon 0.1" in chosen, "such questions still fit" in chosen) == (True, True)
    assert "sensitivity" in chosen
    wrong = alice.part("/preview", sql="SELECT nothing FROM visits", epsilon="0.1")
    assert (wrong.status, "nothing" in wrong.text) == (200, True)
    assert "write a number above 0" in alice.part("/preview", sql=BY_WARD, epsilon="much").text
    assert "Write a question" in alice.part("/preview", sql=" ").text
    assert charges(served) == before


def test_asking_again_from_the_history_is_free_or_not_offered(served: Served, alice: Person) -> None:
    with served.connect("alice") as program:
        program.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 41", "0.0123456789")
        program.ask("SELECT COUNT(*) AS n FROM visits WHERE age > $age", "0.01", params={"age": 42})
        program.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 43", rho="0.0001")
        program.ask("SELECT COUNT(*) AS n FROM visits WHERE age > 44", "1/77")
        numbers = [entry["number"] for entry in program.ledger[-4:]]
    links = [re.search(r'href="/ask\?([^"]+)"', alice.get(f"/receipts/{number}").text) for number in numbers]
    assert [link is not None for link in links] == [True, False, False, True]
    listed = alice.get("/history").text
    for link in (links[0], links[3]):
        assert link is not None
        assert link[0] in listed
        form = dict(parse_qsl(unescape(link[1])))
        assert "asking again is free" in alice.part("/preview", **form).text
    assert listed.count("by program") == 2


def test_the_pages_offer_questions_about_tables_and_views_that_there_are(alice: Person) -> None:
    assert 'placeholder="SELECT COUNT(*) AS n FROM visits"' in alice.get("/ask").text
    link = re.search(r'href="/ask\?([^"]+)">Ask about adults', alice.get("/tables").text)
    assert link is not None
    form = dict(parse_qsl(unescape(link[1])))
    assert form["sql"] == "SELECT COUNT(*) AS n FROM adults"
    assert "Choose a price" in alice.part("/preview", **form).text


def test_asking_pays_once_and_gives_chart_table_cost_files_and_receipt(served: Served, alice: Person) -> None:
    before = charges(served)
    reply = alice.part("/ask", sql=BY_WARD, epsilon="0.02")
    assert reply.status == 200
    assert ('class="bars"' in reply.text, 'class="answer"' in reply.text) == (True, True)
    assert "epsilon 0.02" in reply.text
    assert "you had paid for it" in alice.part("/ask", sql=BY_WARD, epsilon="0.02").text
    assert "asking again is free" in alice.part("/preview", sql=BY_WARD, epsilon="0.02").text
    assert charges(served) == before + 1
    number = re.search(r'href="/receipts/(\d+)"', reply.text)
    assert number is not None
    receipt = alice.get(f"/receipts/{number[1]}")
    assert BY_WARD in receipt.text
    kept = json.loads(alice.get(f"/receipts/{number[1]}.json").body)
    assert f"{number[1]}:{kept['hash']}" in receipt.text
    assert BY_WARD in alice.get("/history").text


def test_files_are_the_answer_itself_and_never_asked_again(served: Served, alice: Person) -> None:
    reply = alice.part("/ask", sql=BY_WARD, epsilon="0.03")
    before = charges(served)
    files = {ending: alice.get(path) for path, ending in re.findall(r'href="(/answers/\w+\.(\w+))"', reply.text)}
    assert set(files) == {"csv", "json", "arrow"}
    assert all("attachment" in file.headers["content-disposition"] for file in files.values())
    told = json.loads(files["json"].body)
    assert files["csv"].text.splitlines()[0] == "ward,n,n_low,n_high"
    table = pa.ipc.open_stream(io.BytesIO(files["arrow"].body)).read_all()
    assert [list(row.values())[:2] for row in table.to_pylist()] == told["rows"]
    assert charges(served) == before


def test_new_noise_is_paid_once_for_one_form(served: Served, alice: Person) -> None:
    sql, before = "SELECT COUNT(*) AS n FROM visits WHERE age = 44", charges(served)
    first = alice.part("/ask", sql=sql, epsilon="0.01", fresh="yes", key="one")
    again = alice.part("/ask", sql=sql, epsilon="0.01", fresh="yes", key="one")
    assert charges(served) == before + 1
    key = re.compile(r'name="key" id="key" value="(\w{32})" hx-swap-oob="true"')
    assert len({*key.findall(first.text), *key.findall(again.text)}) == 2
    assert "idempotency key" in alice.part("/ask", sql=sql, epsilon="0.01", fresh="yes").text


def test_pages_work_without_scripts(alice: Person) -> None:
    page = alice.post("/ask", sql=BY_WARD, epsilon="0.02")
    assert page.status == 200
    assert ("<!DOCTYPE html>" in page.text, 'class="answer"' in page.text, BY_WARD in page.text) == (True, True, True)
    refused = alice.post("/ask", sql="SELECT nothing FROM visits", epsilon="0.02")
    assert (refused.status, "This was not done" in refused.text) == (400, True)


def test_nobody_finds_what_belongs_to_somebody_else(alice: Person, bob: Person) -> None:
    marked = "SELECT SUM(cost) AS marked FROM visits WHERE age = 33"
    reply = alice.part("/ask", sql=marked, epsilon="0.01")
    files = re.findall(r'href="(/answers/[^"]+)"', reply.text)
    receipt = re.search(r'href="(/receipts/\d+)"', reply.text)
    assert receipt is not None
    for path in (*files, receipt[1], f"{receipt[1]}.json", "/receipts/999999"):
        assert bob.get(path).status == 404
    for path in ("/ask", "/tables", "/history", "/budget"):
        page = bob.get(path).text
        assert ("marked" in page, "alice" in page) == (False, False)


def test_hostile_texts_are_text_on_every_page(served: Served, alice: Person, carol: Person) -> None:
    shown = [
        alice.get(f"/ask?sql={BAD}&epsilon={BAD}".replace(" ", "%20")),
        alice.part("/preview", sql=HOSTILE, epsilon="0.01"),
        alice.part("/preview", sql=BAD, epsilon=BAD),
        alice.part("/ask", sql=HOSTILE, epsilon="0.01"),
        alice.part("/ask", sql=f"SELECT {BAD}", epsilon="0.01"),
        alice.post("/ask", sql=HOSTILE, epsilon="0.01"),
        alice.post("/ask", sql=BAD, epsilon="0.01"),
    ]
    number = re.search(r'href="/receipts/(\d+)"', shown[3].text)
    assert number is not None
    shown += [alice.get(path) for path in ("/history", "/budget", f"/receipts/{number[1]}", f"/{BAD[:10]}")]
    shown += [carol.get(path) for path in OWNER]
    shown += [carol.get(f"/owner/log?who={BAD}&before={BAD}".replace(" ", "%20"))]
    shown += [carol.post("/owner/accept", table=BAD, version=BAD), carol.post("/owner/retry", charge=BAD)]
    shown += [carol.post("/owner/resume", analyst=BAD)]
    for reply in shown:
        assert not re.search(r"<script(?! src=)|<img|</textarea><script", reply.text)
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert "unsafe" not in reply.headers["content-security-policy"]
    assert sum("&lt;script&gt;" in reply.text for reply in shown) >= 10


def test_previews_of_a_question_that_another_paid_for_are_the_same(alice: Person, bob: Person) -> None:
    question = {"sql": "SELECT AVG(age) AS a FROM visits WHERE ward = 'icu'", "epsilon": "0.03"}
    before = bob.part("/preview", **question).text
    alice.part("/ask", **question)
    assert bob.part("/preview", **question).text == before


def test_budgets_show_what_is_left_and_nothing_of_the_total(alice: Person) -> None:
    page = alice.get("/budget").text
    assert ("left of epsilon 1" in page, "How many questions still fit" in page) == (True, True)
    assert ("epsilon 20" in page, 'class="meter"' in page) == (False, True)


def test_pages_that_are_not_there_say_so(alice: Person) -> None:
    reply = alice.get("/nothing")
    assert (reply.status, "There is no such page" in reply.text) == (404, True)
    assert json.loads(alice.get("/v1/nothing").body)["error"]["kind"] == "QueryError"
    assert alice.get("/static/../app.py").status == 404
    assert alice.post("/ask", {"content-length": "999999"}).status == 413


def test_static_files_name_no_other_host(alice: Person) -> None:
    for name in ("console.css", "console.js", "editor.js", "icon.svg", "LICENSES.txt"):
        reply = alice.get(f"/static/{name}")
        assert reply.status == 200
        assert "no-store" not in reply.headers.get("cache-control", "")
    style = alice.get("/static/console.css").text
    assert ("url(" in style, "@import" in style) == (False, False)


def test_what_owners_do_is_in_the_audit_log(served: Served, carol: Person) -> None:
    carol.get("/owner/failures")
    lines = [line for line in read_lines(served.door.log.path) if line.who == "carol"]
    assert "failures shown" in {line.kind for line in lines}
