"""`discreet demo`: a dozen answers beside the truth, a refusal at the end, and a clinic to keep."""

from __future__ import annotations

import io
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from discreet.cli import demo
from support.cli import refused, run


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    folder = tmp_path_factory.mktemp("clinic") / "kept"
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    demo.show(folder, Console(file=printed, highlight=False, soft_wrap=True), patients=2_000, visits=20_000)
    printed.seek(0)
    return printed.read(), folder


def test_every_question_is_answered_with_the_truth_beside_it(shown: tuple[str, Path]) -> None:
    text, _ = shown
    assert len(re.findall(r"^\d+\. ", text, re.MULTILINE)) == len(demo.QUESTIONS) == 12
    assert text.count("│ truth") == 12
    assert "│ 20,000" in text
    assert "│ ?" not in text
    assert "nobody else sees" in text


def test_the_budget_runs_out_and_the_refusal_is_shown(shown: tuple[str, Path]) -> None:
    text, _ = shown
    assert "does not fit into what is left" in text
    assert "visits: " in text.partition("stays free")[2]
    assert re.search(r"total +\d\d\.\d\d% spent", text)
    assert "all as the chain says" in text


def test_the_clinic_that_is_kept_can_be_asked_on(shown: tuple[str, Path]) -> None:
    _, folder = shown
    assert "free" in run("ask", demo.QUESTIONS[0][1], "-e", 0.1, "--policy", folder)
    assert "everything fits" in run("check", "--policy", folder)
    assert "another folder" in refused("demo", "--keep", folder)


@pytest.mark.long
def test_the_demo_takes_less_than_a_minute() -> None:
    start = time.perf_counter()
    assert "1,000,000 visits" in run("demo")
    assert time.perf_counter() - start < 60
