"""The audit of the house: what is right holds, what is wrong is refuted, and what fails is a finding."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

import pytest

from discreet.audit.graybox.comparing.report import FindingKind, Moved, ReplayFinding, ReplayReport
from discreet.audit.house import running
from discreet.audit.house.__main__ import put_between
from discreet.audit.house.audited_part import AuditedPart, release_rows
from discreet.audit.house.findings import HouseReport
from discreet.audit.house.options import BEGIN, END
from discreet.audit.house.replays import Replayed
from discreet.audit.house.running import AuditSize, AuditTask, list_tasks, perform_apart, run
from discreet.base.errors import ParameterError
from discreet.mechanisms import Laplace

RIGHT, WRONG = Laplace.calibrate(1.0), Laplace.calibrate(1.34)
"""The wrong one has three quarters of the noise that its claim needs."""

WATCHED = (("dear", 4), ("cheap", 1))


def judge(monkeypatch: pytest.MonkeyPatch, *draws: Any, **how: Any) -> HouseReport:
    components = [AuditedPart(f"number {n}", draw, (([0], [1]),), RIGHT.loss(1)) for n, draw in enumerate(draws)]
    monkeypatch.setattr(running, "list_components", lambda stack, size: [("planted", each) for each in components])
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
    report = run(running.LIGHT // 2)
    assert report.broken == []
    assert len(report.findings) > 35
    assert len(report.losses) > 10
    assert len(report.replays) > 10


def test_all_components_have_names_of_their_own() -> None:
    with ExitStack() as stack:
        names = [(kind, each.name) for kind, each in running.list_components(stack, AuditSize(1000))]
    assert len(set(names)) == len(names)


def test_the_cheapest_comes_first_where_the_first_refutation_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def watch(name: str) -> Any:
        def draw(given: Any, count: int) -> Any:
            drawn.append(name)
            return release_rows(WRONG.release)(given, count)

        return draw

    parts = [AuditedPart(name, watch(name), (([0], [1]),), RIGHT.loss(1), dear=dear) for name, dear in WATCHED]
    monkeypatch.setattr(running, "list_components", lambda stack, size: [("planted", each) for each in parts])
    report = run(100_000, "planted", stop=True)
    assert set(drawn) == {"cheap"}
    assert report.broken == ["planted cheap"]


def test_parts_that_are_done_in_processes_of_their_own_say_the_same() -> None:
    size = AuditSize(1000, 2)
    (found,) = pickle.loads(pickle.dumps(perform_apart(AuditTask("mechanism", "Laplace", 1, 2), size, "")))
    assert (found.name, found.claim, len(found.bounds)) == ("Laplace", 1.0, 2)
    whole = pickle.loads(pickle.dumps(perform_apart(AuditTask("replay", "local"), size, "")))
    assert all(each.report.ok for each in whole)


def test_the_worst_pair_is_looked_for_where_outputs_are_many() -> None:
    def draw(given: int, count: int) -> Any:
        return release_rows(RIGHT.release)([given], count)

    part = AuditedPart("pairs", draw, tuple((0, far) for far in (0, 0, 0, 1)), RIGHT.loss(1))
    assert len(running.audit("planted", part, 100_000).bounds) == 1
    assert running.audit("planted", part, 100_000).bound.epsilon > 0.8
    assert len(running.audit("planted", part, 4_000).bounds) == 4
    together = AuditedPart("pairs", draw, part.pairs, part.loss, together=True)
    assert len(running.audit("planted", together, 100_000).bounds) == 4


def test_replace_neighbours_are_left_to_the_whole_audit() -> None:
    light, whole = (list_tasks({}, AuditSize.choose(size)) for size in (running.LIGHT, running.WHOLE))
    assert [each.name for each in whole if each not in light] == ["replace"]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        ("question: MEDIAN", {"question"}),
        ("question MEDIAN", {"question"}),
        ("zcdploss of", {"loss"}),
        ("loss PureLoss", {"loss"}),
        ("`SELECT ward, MEDIAN(cost) FROM visits GROUP BY ward`", {"replay"}),
        ("replay a report: direct (local)", {"replay"}),
    ],
)
def test_a_part_has_the_name_that_its_table_or_its_finding_writes(only: str, kinds: set[str]) -> None:
    size = AuditSize(1000, 2)
    with ExitStack() as stack:
        components = {(kind, each.name): each for kind, each in running.list_components(stack, size)}
        assert {task.kind for task in list_tasks(components, size, only)} == kinds


def test_losses_are_chosen_by_their_names_too() -> None:
    assert [each.name for each in run(1000, "eight Laplaces").losses] == ["eight Laplaces"]


def test_a_word_that_is_in_no_name_is_refused_with_all_names_that_there_are() -> None:
    with pytest.raises(ParameterError, match="only must be a word in one of these names") as told:
        run(1000, "zzz")
    for name in ("mechanism: Laplace;", "question: MEDIAN;", "loss: PureLoss;", "replay: synthetic data;"):
        assert name in str(told.value)
    assert str(told.value).endswith("got 'zzz'")


@pytest.mark.parametrize(("samples", "workers", "wrong"), [(0, 1, "samples"), (1000, 0, "workers")])
def test_an_audit_of_nothing_is_refused(samples: int, workers: int, wrong: str) -> None:
    with pytest.raises(ParameterError, match=f"{wrong} must be a whole number"):
        run(samples, "Laplace", workers=workers)


def test_the_command_says_what_was_audited() -> None:
    command = [sys.executable, "-m", "discreet.audit.house", "--light", "--only", "TruncatedLaplace"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "| mechanism: TruncatedLaplace | 1.000 | 0 |" in ended.stdout


def test_tables_take_the_place_of_those_that_an_earlier_audit_left() -> None:
    page = put_between(f"before\n{BEGIN}\nold\n{END}\nafter\n", "new\n")
    assert page == f"before\n{BEGIN}\nnew\n{END}\nafter\n"
    assert put_between(page, "new\n") == page
