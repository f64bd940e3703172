"""The console in a real Chromium: the whole path by keyboard alone, every page by axe, and no other host."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from discreet.curator.owner.account import open_account
from discreet.ledger import Request
from discreet.privacy.charges import Charge
from support.browsing import Window, browsing
from support.serving import Served, make_served_clinic, serving

ANALYST = ("/ask", "/tables", "/history", "/budget", "/receipts/1")
OWNER = ("/owner", "/owner/failures", "/owner/data", "/owner/policy", "/owner/log")
BY_TIME = "SELECT date_trunc('quarter', day) AS quarter, ward, COUNT(*) AS n FROM visits GROUP BY quarter, ward"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, browser: Any) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("clinic")
    path, tokens = make_served_clinic(folder, epsilon=20, version=None)
    with serving(path, tokens) as running:
        with running.connect("alice") as alice:
            alice.ask("SELECT COUNT(*) AS \"<b onclick='alert(1)'>\" FROM visits", 0.01)
        with open_account(path) as account:
            little = Charge(Fraction(1, 1000), Fraction(1, 1000))
            claim = account.ledger.charge(Request("0" * 64, "v", "q"), little, "bob")
            account.ledger.note_failure(claim, "run", ValueError("something"))
            account.ledger.suspend(claim)
        (folder / "wards.csv").touch()
        yield running


def test_the_whole_path_by_keyboard_alone(served: Served, browser: Any) -> None:
    window = Window(browser, served)
    window.log_in("alice")
    page, keys = window.page, window.page.keyboard
    page.wait_for_selector(".cm-content")
    keys.type("SELECT wa")
    window.complete("ward")
    keys.type(", COUNT(*) AS n FROM vis")
    window.complete("visits")
    keys.type(" WHERE ward = 'ic")
    page.wait_for_selector("li[aria-selected]:has-text('icu')")
    keys.press("Escape")
    for _ in " WHERE ward = 'ic":
        keys.press("Backspace")
    keys.type(" GROUP BY ward ")
    assert page.input_value("#question").strip() == "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    page.wait_for_selector("#preview [data-epsilon='0.2']")
    assert "± 45" in page.inner_text("#preview")
    assert page.locator("#answer").inner_text() == ""
    for _ in range(20):
        keys.press("Tab")
        if page.evaluate("document.activeElement.dataset.epsilon") == "0.2":
            break
    keys.press("Enter")
    assert page.input_value("#epsilon") == "0.2"
    page.wait_for_selector("#preview h2:has-text('At epsilon 0.2')")
    assert "still fit" in page.inner_text("#preview")
    keys.press("Enter")
    page.wait_for_selector("#answer .bars")
    assert page.evaluate("document.activeElement.textContent") == "Answer"
    assert "epsilon 0.2" in page.inner_text("#answer .cost")
    assert page.locator("#answer table.answer tbody tr").count() == 3
    with page.expect_download() as coming:
        keys.press("Tab")
        keys.press("Enter")
    assert Path(coming.value.path()).read_text().splitlines()[0] == "ward,n,n_low,n_high"
    page.locator("a:has-text('Receipt')").focus()
    keys.press("Enter")
    page.wait_for_selector("h1:has-text('Receipt 2')")
    assert re.search(r"2:[0-9a-f]{64}", page.inner_text("main"))
    check_quiet(window)


def check_quiet(window: Window) -> None:
    """No other host was asked, and the browser had nothing to say: no style or script was refused either."""
    assert {re.match(r"\w+://[^/]+", url)[0] for url in window.asked} == {window.base}  # type: ignore[index]
    assert window.complaints == []


@pytest.mark.slow
def test_ctrl_enter_asks_and_a_refusal_is_read_out(served: Served, browser: Any) -> None:
    window = Window(browser, served)
    window.log_in("alice")
    page = window.page
    page.wait_for_selector(".cm-content")
    page.keyboard.insert_text("SELECT COUNT(*) AS n FROM visits")
    page.fill("#epsilon", "50")
    page.focus(".cm-content")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer [role=alert]")
    assert "does not fit into what is left" in page.inner_text("#answer")
    check_quiet(window)


@pytest.mark.slow
def test_an_ended_login_leads_to_the_login(served: Served, browser: Any) -> None:
    window = Window(browser, served)
    with window.page.expect_response("**/preview"):  # the one that an empty page asks for
        window.log_in("alice")
    window.context.clear_cookies()
    window.page.fill("#epsilon", "0.1")
    window.page.wait_for_url("**/login")


LONG = pytest.mark.long


@pytest.mark.parametrize("place", ["light", pytest.param("dark", marks=LONG), pytest.param("phone", marks=LONG)])
def test_axe_finds_nothing_and_no_page_is_too_wide(served: Served, browser: Any, place: str) -> None:
    window = Window(browser, served, place)
    faults: dict[str, list[str]] = {}

    def look(path: str) -> None:
        found = window.find_faults() + (["too wide"] if window.is_too_wide() else [])
        if found:
            faults[path] = found

    window.open("/login")
    look("/login")
    for name, paths in (("alice", ANALYST), ("carol", OWNER)):
        window.context.clear_cookies()
        window.log_in(name)
        for path in paths:
            window.open(path)
            window.page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
            look(path)
    window.context.clear_cookies()
    window.log_in("alice")
    window.page.wait_for_selector(".cm-content")
    window.page.keyboard.insert_text(BY_TIME)
    window.page.fill("#epsilon", "0.05")
    window.page.wait_for_selector("#preview h2:has-text('At epsilon 0.05')")
    look("preview")
    window.page.keyboard.press("Enter")
    window.page.wait_for_selector("#answer .lines")
    look("answer")
    window.page.fill("#epsilon", "much")
    window.page.wait_for_selector("#preview .note:has-text('write a number')")
    look("refused preview")
    assert faults == {}, json.dumps(faults, indent=1)
    check_quiet(window)


@pytest.mark.slow
def test_hostile_names_do_nothing_in_a_browser(served: Served, browser: Any) -> None:
    window = Window(browser, served)
    said: list[str] = []

    def hear(dialog: Any) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    window.page.on("dialog", hear)
    window.log_in("alice")
    bad = '</textarea><script>alert(1)</script><img src="x" onerror="alert(1)">'
    window.page.wait_for_selector(".cm-content")
    window.page.keyboard.insert_text(f'SELECT COUNT(*) AS "{bad.replace(chr(34), "")}" FROM visits')
    window.page.fill("#epsilon", "0.01")
    window.page.keyboard.press("Enter")
    window.page.wait_for_selector("#answer .tile")
    receipt = window.page.get_attribute("#answer a[href^='/receipts/']", "href")
    for path in ("/history", receipt, "/budget"):
        window.open(path)
    assert (said, window.page.locator("main img, main script").count()) == ([], 0)
    check_quiet(window)
