"""An engine that is not here is skipped for a reason that is told and counted, or fails where it is required."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from servers import postgres
from servers.missing import REQUIRE, missing, summary
from servers.postgres import Cluster


def test_a_missing_engine_skips_its_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    with pytest.raises(pytest.skip.Exception, match="missing engine Rocket: it is on the moon"):
        missing("Rocket", "it is on the moon")


def test_a_missing_engine_that_is_required_fails_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REQUIRE, "1")
    with pytest.raises(pytest.fail.Exception, match="Rocket is required"):
        missing("Rocket", "it is on the moon")


def test_without_postgresql_the_reason_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REQUIRE, raising=False)
    monkeypatch.setattr(postgres, "binaries", lambda: None)
    with pytest.raises(pytest.skip.Exception, match="PostgreSQL is not installed: apt install postgresql"):
        Cluster()


def test_the_summary_tells_each_engine_once_with_the_number_of_its_tests() -> None:
    def report(reason: str) -> SimpleNamespace:
        return SimpleNamespace(longrepr=("file.py", 1, f"Skipped: {reason}"))

    skipped = [
        report("missing engine A: x"),
        report("root"),
        report("missing engine B: y"),
        report("missing engine A: x"),
    ]
    assert list(summary([*skipped, SimpleNamespace(longrepr=None)])) == [
        "NOT TESTED: 2 tests skipped, A: x",
        "NOT TESTED: 1 test skipped, B: y",
    ]
