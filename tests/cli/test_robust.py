"""`discreet robust`: intervals, tests and curves on the command line, and refusals before any charge."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from cli.test_asking import charges
from discreet.cli import robust_asking
from support.cli import Ran, refused, run, write_clinic
from support.clinic import write_policy

DAYS = "DATE_DIFF('day', DATE '2025-01-01', day)"

COMMANDS: dict[str, tuple[tuple[object, ...], str]] = {
    "mean": (("visits", "cost", "--where", "age >= 18"), "estimate"),
    "median": (("visits", "cost", "--confidence", "0.9"), "estimate"),
    "quantile": (("visits", "cost", "--share", "0.75", "--per-unit", "max"), "estimate"),
    "proportion": (("visits", "cost > $least", "--param", "least=500", "--per-unit", "all"), "estimate"),
    "difference": (("visits", "cost", "--by", "age > 64", "--between", "true,false"), "estimate"),
    "clipped-sum": (("visits", "cost"), "clip"),
    "clipped-mean": (("visits", "cost"), "clip"),
    "t-test": (("visits", "cost", "--mean", "400"), "p_value"),
    "proportion-test": (("visits", "cost > 500", "--by", "age > 64", "--between", "true,false"), "p_value"),
    "anova": (("visits", "cost", "--by", "age // 30", "--groups", "0,1,2"), "p_value"),
    "chi-square": (("patients", "sex", "--shares", "f=0.5, m=0.5"), "p_value"),
    "survival": (("visits", DAYS, "cost > 700", "--times", "100,200,400"), "shares"),
    "log-rank": (
        ("visits", DAYS, "cost > 700", "--times", "100,400", "--by", "age > 64", "--between", "true,false"),
        "p_value",
    ),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path, write_policy(files=True, epsilon=100.0)))
    return tmp_path


@pytest.mark.slow
def test_every_command_tells_what_the_python_call_does_for_one_charge(here: Path) -> None:
    for place, (name, (arguments, key)) in enumerate(COMMANDS.items(), start=1):
        told = json.loads(run("robust", name, *arguments, "-e", 1, "--json"))
        assert key in told, name
        assert told["guarantee"] == "1-differentially private"
        assert told["receipt"]["paid"] == "charged"
        assert charges(here) == place


@pytest.mark.many
@pytest.mark.parametrize("name", ["mean", "median", "clipped-sum", "survival"])
def test_a_result_is_shown_as_in_python_and_free_again(here: Path, name: str) -> None:
    asked = ("robust", name, *COMMANDS[name][0], "-e", 1)
    shown = run(*asked)
    for words in ("guarantee: 1-differentially private", "cost: epsilon 1", "charged", "not covered"):
        assert words in shown
    assert "free" in run(*asked)
    assert charges(here) == 1


def test_the_forms_of_a_result_are_the_same_and_pictures_are_written(here: Path) -> None:
    asked = ("robust", "difference", "visits", "--condition", "cost > 500", "--by", "ward", "--between", "icu,'north'")
    first, second = (json.loads(run(*asked, "-e", 1, *form)) for form in (("--json",), ("--format", "json")))
    assert first["estimate"] == second["estimate"]
    ran = Ran(*asked, "-e", 1, "--plot", "more.png")
    assert ran.code == 0
    assert "wrote more.png" in ran.err
    assert (here / "more.png").stat().st_size > 1_000
    assert charges(here) == 1


@pytest.mark.many
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mean", "visits", "costs", "-e", 1), "costs"),
        (("mean", "nothing", "cost", "-e", 1), "no table"),
        (("mean", "visits", "cost"), "-e 1, or --rho"),
        (("mean", "visits", "cost", "-e", 1, "--rho", 1), "-e 1, or --rho"),
        (("mean", "visits", "cost", "-e", 1, "--per-unit", "median"), "per_unit"),
        (("median", "visits", "cost", "-e", 1, "--confidence", 2), "confidence"),
        (("median", "visits", "cost", "-e", 1, "--plot", "a.words"), "--plot"),
        (("median", "visits", "cost", "-e", 1, "--plot", "nowhere/a.png"), "nowhere"),
        (("quantile", "visits", "cost", "-e", 1, "--share", 1.5), "share"),
        (("difference", "visits", "cost", "--by", "ward", "--between", "icu", "-e", 1), "between"),
        (("difference", "visits", "--by", "ward", "--between", "icu,north", "-e", 1), "column"),
        (("chi-square", "patients", "sex", "--shares", "f=half", "-e", 1), "--shares"),
        (("chi-square", "patients", "sex", "--shares", "0.5", "-e", 1), "--shares"),
        (("survival", "visits", "age", "cost > 3", "--times", "a,b", "-e", 1), "--times"),
        (("survival", "visits", "age", "cost > 3", "--times", "5,3", "-e", 1), "rise"),
        (("t-test", "visits", "cost", "-e", 1), "mean"),
        (("proportion", "visits", "cost >", "-e", 1), "condition|SQL"),
    ],
    ids=str,
)
def test_bad_input_gets_one_line_and_is_not_charged(here: Path, arguments: tuple[object, ...], said: str) -> None:
    complaint = refused("robust", *arguments)
    assert any(words in complaint for words in said.split("|"))
    assert len(complaint.splitlines()) == 1
    assert charges(here) == 0


def test_what_does_not_fit_the_budget_has_its_own_exit_code(here: Path) -> None:
    assert "budget" in refused("robust", "median", "visits", "cost", "-e", 1_000, code=3)
    assert charges(here) == 0


def test_every_command_has_help_with_an_example() -> None:
    listed = run("robust", "--help")
    for name in COMMANDS:
        assert name in listed
        assert f"Example: discreet robust {name}" in " ".join(run("robust", name, "--help").split())


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(robust_asking).failed == 0
