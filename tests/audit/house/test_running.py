"""The audit of the house: what is right holds, what is wrong is refuted, and what fails is a finding."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

import pytest

from discreet.audit.graybox.report import FindingKind, Moved, ReplayFinding, ReplayReport
from discreet.audit.house import running
from discreet.audit.house.__main__ import BEGIN, END, put_between
from discreet.audit.house.audited_part import AuditedPart, release_rows
from discreet.audit.house.replays import Replayed
from discreet.audit.house.running import HouseReport, run
from discreet.mechanisms import Laplace

RIGHT, WRONG = Laplace.calibrate(1.0), Laplace.calibrate(1.34)
"""The wrong one has three quarters of the noise that its claim needs."""


def judge(monkeypatch: pytest.MonkeyPatch, *draws: Any, **how: Any) -> HouseReport:
    components = [AuditedPart(f"number {n}", draw, (([0], [1]),), RIGHT.loss(1)) for n, draw in enumerate(draws)]
    monkeypatch.setattr(running, "list_components", lambda stack, samples: [("planted", each) for each in components])
    return run(100_000, "planted", **how)


def test_noise_that_is_a_quarter_too_small_is_refuted_and_the_right_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    report = judge(monkeypatch, release_rows(RIGHT.release), release_rows(WRONG.release))
    assert report.broken == ["planted number 1"]
    assert "**REFUTED**" in report.markdown()
    assert report.findings[1].bound.epsilon > 1


def test_what_raises_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(given: Any, count: int) -> Any:
        raise ZeroDivisionError("by somebody's age")

    report = judge(monkeypatch, fail, release_rows(RIGHT.release))
    assert report.broken == ["planted number 0"]
    assert "ZeroDivisionError" in report.markdown()


@pytest.mark.parametrize("matter", ["a finding", "refused", "undeclared"])
def test_whatever_is_the_matter_with_a_replay_stands_in_the_page(matter: str) -> None:
    moved = Moved("Laplace", "L1", None if matter == "undeclared" else Fraction(1), Fraction(1))
    findings = (ReplayFinding(FindingKind.SHAPE, "remove", "a row less"),) if matter == "a finding" else ()
    report = ReplayReport(
        "a question", ("remove",), findings, (moved,), 1, 0.0, matter if matter == "refused" else None
    )
    page = HouseReport((), (), (Replayed("add-remove", report),), 0.0)
    assert page.broken == ["replay a question (add-remove)"]
    assert f"**FOUND**: {report.matter} |" in page.markdown()
    assert report.matter != "nothing found"


def test_it_may_end_with_the_first_claim_that_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    report = judge(monkeypatch, release_rows(WRONG.release), release_rows(RIGHT.release), stop=True)
    assert [each.name for each in report.findings] == ["number 0"]
    assert report.broken


def test_everything_shipped_passes_the_light_audit() -> None:
    report = run(running.LIGHT)
    assert report.broken == []
    assert len(report.findings) > 35
    assert len(report.losses) > 10
    assert len(report.replays) > 10


def test_all_components_have_names_of_their_own() -> None:
    with ExitStack() as stack:
        names = [(kind, each.name) for kind, each in running.list_components(stack, 1000)]
    assert len(set(names)) == len(names)


def test_the_command_says_what_was_audited() -> None:
    command = [sys.executable, "-m", "discreet.audit.house", "--light", "--only", "TruncatedLaplace"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "| mechanism: TruncatedLaplace | 1.000 | 0 |" in ended.stdout


def test_tables_take_the_place_of_those_that_an_earlier_audit_left() -> None:
    page = put_between(f"before\n{BEGIN}\nold\n{END}\nafter\n", "new\n")
    assert page == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    assert put_between(page, "new\n") == page
