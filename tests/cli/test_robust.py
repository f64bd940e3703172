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
    "kruskal-wallis": (("visits", "cost", "--by", "age // 30", "--groups", "0,1,2", "--cuts", "200,400"), "p_value"),
    "mann-whitney": (("visits", "cost", "--by", "age > 64", "--between", "true,false"), "p_value"),
    "wilcoxon": (("visits", "cost - 500", "--cuts=-200,0,200"), "p_value"),
    "kolmogorov-smirnov": (("visits", "cost", "--shares", "0.2,0.3,0.5", "--cuts", "200,400"), "p_value"),
    "sample-median": (("visits", "cost", "--where", "age >= 18"), "interval"),
    "sample-quantile": (("visits", "cost", "--share", "0.75", "--per-unit", "rows"), "interval"),
    "trimmed-mean": (("visits", "cost", "--trim", "0.2"), "value"),
    "unbounded-mean": (("visits", "cost", "--step", "0.01"), "deviation"),
    "unbounded-variance": (("visits", "cost", "--step", "0.01"), "deviation"),
    "interquartile-range": (("visits", "cost", "--step", "0.01", "--method", "universal"), "value"),
}
"""Commands that spend an epsilon alone, what each is asked, and what its result has."""

OTHERS: dict[str, tuple[tuple[object, ...], str, str]] = {
    "multivariate-mean": (("visits", "age=25, cost=400", "--rho", "0.1"), "values", "0.1-zCDP"),
    "sample-median": (("visits", "cost", "--rho", "0.1"), "value", "0.1-zCDP"),
    "trimmed-mean": (("visits", "cost", "-e", "1", "--delta", "1e-10", "--proposal", "50"), "refused", "(1, 1e-10)"),
}
"""Commands that spend something else."""

RESAMPLED: dict[str, tuple[object, ...]] = {
    "regression": ("visits", "cost", "age, quantity"),
    "correlation": ("visits", "age", "cost"),
    "ratio": ("visits", "cost", "age"),
}
"""Commands that spend an epsilon and a delta on noisy resamples."""

PLANS: dict[str, tuple[tuple[object, ...], str]] = {
    "power": (
        ("t-test", "--means", "400,450", "--deviation", "300", "--bounds", "0,5000", "--people", "1000,5000"),
        "powers",
    ),
    "people-needed": (("proportion-test", "--shares", "0.5,0.6", "-e", "1", "--power", "0.9"), "people"),
    "advise": (("--low", "0", "--high", "1000000", "--people", "10000", "--gap", "20"), ""),
    "advise-unbounded": (("--people", "10000", "--deviation", "30000", "--statistic", "interquartile-range"), ""),
}
"""Commands that read nothing."""


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
@pytest.mark.parametrize("name", OTHERS)
def test_other_currencies_say_which_mechanism_is_used(here: Path, name: str) -> None:
    arguments, key, guarantee = OTHERS[name]
    told = json.loads(run("robust", name, *arguments, "--json"))
    assert key in told
    assert guarantee in told["guarantee"]
    assert charges(here) == 1


@pytest.mark.many
@pytest.mark.parametrize("name", RESAMPLED)
def test_functions_of_means_are_told_from_noisy_resamples(here: Path, name: str) -> None:
    asked = ("robust", name, *RESAMPLED[name], "-e", 4, "--delta", 1e-10, "--resamples", 20)
    told = json.loads(run(*asked, "--json"))
    assert told["guarantee"].startswith("(4, 1e-10)")
    assert "NaN" not in run(*asked, "--json")
    assert "sampling and noise together" in run(*asked, "--plot", "found.png")
    assert charges(here) == 1
    assert "--delta" in refused("robust", name, *RESAMPLED[name], "-e", 4)


def test_plans_are_free_and_need_no_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, (arguments, key) in PLANS.items():
        told = json.loads(run("robust", name, *arguments, "--json"))
        assert told if not key else key in told
        assert "nothing was read" in run("robust", name, *arguments)
    powers = json.loads(run("robust", "power", *PLANS["power"][0], "--json", "--plot", "power.png"))["powers"]
    assert [each["people"] for each in powers] == [1_000, 5_000]
    assert 0 < powers[0]["power"] < powers[1]["power"] < 1
    assert (tmp_path / "power.png").stat().st_size > 1_000
    best = json.loads(run("robust", "advise", *PLANS["advise"][0], "--json"))[0]
    assert best["mechanism"] == "inverse sensitivity"
    best = json.loads(run("robust", "advise-unbounded", "--people", 9000, "--deviation", 300, "--json"))[0]
    assert best["mechanism"] == "universal"


@pytest.mark.many
@pytest.mark.parametrize(
    "design",
    [
        ("proportion-test", "--shares", "0.5,0.6", "--groups", "1"),
        ("anova", "--means", "40,42,45", "--deviation", "10", "--bounds", "0,100"),
        ("log-rank", "--hazards", "0.1,0.2", "--intervals", "4", "--leaving", "0.05"),
        ("kruskal-wallis", "--means", "0,0.5,1", "--deviation", "1", "--cuts=-0.3,0.2,0.8"),
        ("mann-whitney", "--shares", "0.5,0.3,0.2; 0.3,0.3,0.4"),
        ("kolmogorov-smirnov", "--means", "0,0.5", "--deviation", "1", "--cuts", "0,0.5"),
        ("chi-square", "--shares", "0.5,0.3,0.2; 0.4,0.3,0.3; 0.2,0.2,0.6"),
    ],
    ids=lambda design: str(design[0]),
)
def test_every_test_has_a_design(design: tuple[object, ...]) -> None:
    few, many = json.loads(run("robust", "power", *design, "--people", "60,1000", "-e", 2, "--json"))["powers"]
    assert few["power"] < many["power"]


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
        (("difference", "visits", "cost", "--by", "ward", "--between", "icu,nort", "-e", 1), "did you mean 'north'?"),
        (("mean", "visits", "cost", "--where", "ward = 'ICU'", "-e", 1), "did you mean 'icu'?"),
        (("unbounded-mean", "visits", "cost", "--step", 0.01, "--method", "best", "-e", 1), "'universal'"),
        (("advise-unbounded", "--people", 10, "--deviation", 1, "--statistic", "mode"), "statistic"),
        (("chi-square", "patients", "sex", "--shares", "f=half", "-e", 1), "--shares"),
        (("chi-square", "patients", "sex", "--shares", "0.5", "-e", 1), "--shares"),
        (("survival", "visits", "age", "cost > 3", "--times", "a,b", "-e", 1), "--times"),
        (("survival", "visits", "age", "cost > 3", "--times", "5,3", "-e", 1), "rise"),
        (("t-test", "visits", "cost", "-e", 1), "mean"),
        (("kruskal-wallis", "visits", "cost", "--by", "ward", "--cuts", "a", "-e", 1), "--cuts"),
        (
            ("mann-whitney", "visits", "cost", "--by", "ward", "--between", "icu,north", "--cuts", "9e9", "-e", 1),
            "cuts",
        ),
        (("wilcoxon", "visits", "cost - 500", "--cuts=-1,2", "-e", 1), "cuts"),
        (("kolmogorov-smirnov", "visits", "cost", "-e", 1), "shares"),
        (("sample-median", "visits", "cost"), "-e 1, or --rho"),
        (("sample-median", "visits", "cost", "-e", 1, "--proposal", 10), "delta"),
        (("sample-quantile", "visits", "cost", "-e", 1, "--share", 2), "share"),
        (("trimmed-mean", "visits", "cost", "-e", 1, "--trim", 0.5), "trim"),
        (("unbounded-mean", "visits", "cost", "--step", 0.01), "-e 1"),
        (("interquartile-range", "visits", "cost", "--step", 0, "-e", 1), "step"),
        (("multivariate-mean", "visits", "age=25"), "--rho"),
        (("multivariate-mean", "visits", "age", "--rho", 1), "age=20,cost=300"),
        (("multivariate-mean", "visits", "age=1,age=2", "--rho", 1), "age=20,cost=300"),
        (("regression", "visits", "cost", "age,age", "-e", 1, "--delta", 1e-10), "twice"),
        (("regression", "visits", "cost", "age", "-e", 1), "--delta"),
        (("ratio", "visits", "cost", "3", "-e", 1, "--delta", 1e-10), "everybody"),
        (("correlation", "visits", "cost", "age", "-e", 1, "--delta", 1e-10, "--resamples", 3), "resamples"),
        (("power", "f-test", "--people", 100), "kolmogorov-smirnov"),
        (("power", "t-test", "--people", 100), "--means, --deviation, --bounds"),
        (("power", "t-test", "--people", 100, "--hazards", "1,2"), "--means"),
        (("power", "chi-square", "--people", 100, "--shares", "0.5,0.5;1,0", "--cuts", "1"), "--cuts"),
        (("power", "chi-square", "--people", 100, "--shares", "0.5,0.6;1,0"), "add up to 1"),
        (("power", "proportion-test", "--people", "ten", "--shares", "0.5,0.6"), "--people"),
        (("power", "proportion-test", "--people", "1.5", "--shares", "0.5,0.6"), "--people"),
        (("power", "proportion-test", "--people", "10", "--shares", "0.5,0.6,0.7"), "shares"),
        (("people-needed", "proportion-test", "--shares", "0.5,0.5"), "difference"),
        (("advise", "--low", 10, "--high", 0, "--people", 10, "--gap", 1), "high|low"),
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
    for name in (*COMMANDS, *OTHERS, *RESAMPLED, *PLANS):
        assert name in listed
        assert f"Example: discreet robust {name}" in " ".join(run("robust", name, "--help").split())


def test_the_examples_in_the_docstrings_are_true() -> None:
    assert doctest.testmod(robust_asking).failed == 0
