"""A real browser: the Chromium that is installed here, driven by playwright. Where it is missing, tests skip."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.serving import Served

AXE = Path(__file__).parents[2] / "console" / "node_modules" / "axe-core" / "axe.min.js"
GUARD = 75
"""Milliseconds after which CodeMirror takes a completion that it has just shown."""

PLACES: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 900}},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 800}, "is_mobile": True, "has_touch": True},
}


def skip(word: str) -> None:
    """Skip a test for want of something; where engines are required, fail instead."""
    if os.environ.get("DISCREET_REQUIRE_BROWSER"):
        pytest.fail(f"{word}, and DISCREET_REQUIRE_BROWSER asks for it")
    pytest.skip(word)


@contextmanager
def browsing() -> Iterator[Any]:
    """Give a browser until the end of the block."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip("playwright is not installed: pip install playwright")
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        skip("there is no Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Window:
    """One person's window: what it shows, which hosts it asked, and what the browser complained about."""

    def __init__(self, browser: Any, served: Served, place: str = "light") -> None:
        self.served, self.base = served, f"http://127.0.0.1:{served.port}"
        self.context = browser.new_context(accept_downloads=True, **PLACES[place])
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.complaints.append(message.text) if message.type in ("error", "warning") else None,
        )

    def open(self, path: str) -> None:
        self.page.goto(f"{self.base}{path}")

    def log_in(self, name: str) -> None:
        """Log in by the keyboard alone."""
        self.open("/login")
        self.page.focus("#token")
        self.page.keyboard.insert_text(self.served.tokens[name])
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("nav")

    def complete(self, words: str) -> None:
        """Take the completion that is offered with these words, once the editor's guard against haste has passed."""
        self.page.wait_for_selector(f"li[aria-selected]:has-text('{words}')")
        self.page.wait_for_timeout(2 * GUARD)
        self.page.keyboard.press("Enter")

    def find_faults(self) -> list[str]:
        """Return what axe finds wrong with the page."""
        if not AXE.exists():
            skip("axe-core is not installed: npm --prefix console install --no-package-lock --ignore-scripts")
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run().then(result => result.violations)")
        return [f"{each['id']}: {node['html'][:120]}" for each in found for node in each["nodes"]]

    def is_too_wide(self) -> bool:
        """Say whether the page must be moved sideways to be read."""
        wide: bool = self.page.evaluate("document.documentElement.scrollWidth > window.innerWidth + 1")
        return wide
