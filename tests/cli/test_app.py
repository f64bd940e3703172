"""The program `discreet`: one program under two names, quick help, clear refusals."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from discreet import __version__
from discreet.cli.risk import find_rates
from discreet.curator import Curator
from discreet.privacy import PureLoss
from support.cli import invoke
from support.clinic import write_policy, write_tables

ROOT = Path(__file__).resolve().parents[2]


def program(*arguments: str) -> str:
    """Run the program in this process and return what it prints, which must end well."""
    result = invoke(arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str) -> str:
    """Run the program on bad input and return its complaint."""
    result = invoke(arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    return result.output


def test_python_m_discreet_and_discreet_are_the_same_program() -> None:
    script = Path(sys.executable).with_name("discreet")
    outputs = {
        subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
        for command in ([sys.executable, "-m", "discreet"], [str(script)])
    }
    assert len(outputs) == 1
    assert "demo" in outputs.pop()


@pytest.mark.slow
def test_help_takes_little_more_work_than_loading_the_library_that_reads_commands() -> None:
    """Half a second where that library takes a seventh: a ratio, for machines differ."""

    def find_seconds(*command: str) -> float:
        start = os.times()
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        end = os.times()
        return end.children_user + end.children_system - start.children_user - start.children_system

    def find_least(*command: str) -> float:
        return min(find_seconds(*command) for _ in range(3))

    assert find_least("-m", "discreet", "--help") < 5 * find_least("-c", "import typer, rich.table")


def test_help_does_not_load_the_numerical_libraries() -> None:
    heavy = ("numpy", "scipy", "flint", "duckdb", "pyarrow", "sqlglot", "sqlite3")
    code = f"import sys, discreet.cli.app; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_version_is_the_package_version() -> None:
    assert program("--version").strip() == f"discreet {__version__}"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["laplace", "--epsilon", "0.1"], ["scale=10.0", "± 30", "epsilon 0.1"]),
        (["gaussian", "--epsilon", "1", "--delta", "1e-5"], ["sigma=3.73", "at delta 1e-05"]),
        (["discrete-gaussian", "--epsilon", "1", "--delta", "1e-5"], ["DiscreteGaussianLoss"]),
        (["staircase", "--epsilon", "4", "--sensitivity", "100"], ["tread=12", "epsilon 4"]),
        (["laplace", "--epsilon", "1", "--sensitivity", "50", "--step", "0.01"], ["scale=5000.0", "± 149.7"]),
    ],
)
def test_calibrate_says_how_much_noise_a_guarantee_takes(arguments: list[str], expected: list[str]) -> None:
    output = program("calibrate", *arguments)
    for text in expected:
        assert text in output


@pytest.mark.many
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["laplace", "--epsilon", "0"], "epsilon must be a finite number > 0"),
        (["laplace", "--epsilon", "nan"], "epsilon must be a finite number"),
        (["laplace", "--epsilon", "1", "--delta", "1e-9"], "delta must be left out"),
        (["laplace", "--epsilon", "1", "--sensitivity", "0.5"], "try --step 0.01"),
        (["gaussian", "--epsilon", "1"], "delta must be above 0"),
        (["gaussian", "--epsilon", "1", "--delta", "1"], "delta must be a finite number > 0 and < 1"),
        (["laplace", "--epsilon", "1", "--confidence", "1"], "confidence must be"),
        (["laplace", "--epsilon", "1e-16"], "epsilon must be larger here"),
    ],
)
def test_bad_input_is_refused_with_what_to_change(arguments: list[str], complaint: str) -> None:
    assert complaint in refused("calibrate", *arguments)


def test_risk_says_what_a_loss_means_for_a_person() -> None:
    output = program("risk", "--epsilon", "1")
    assert "2.7%" in output  # e times 1 %, the most that is found at 1 % false alarms
    assert "73.1%" in output  # e / (1 + e), from even odds
    for words in ("a family of 4", "asked 10 times", "by guessing"):
        assert words in output


def test_programs_read_risks_and_noises_as_json() -> None:
    told = json.loads(program("risk", "--epsilon", "1", "--format", "json"))
    assert [each["what"] for each in told["risks"]] == [
        "one person, one answer",
        "a family of 4, one answer",
        "asked 10 times",
    ]
    assert told["risks"][0]["belief"][-1]["after"] <= 1
    noise = json.loads(program("calibrate", "laplace", "--epsilon", "1", "--format", "json"))
    assert noise["guarantee"] == {"epsilon": 1.0, "delta": 0.0}
    assert noise["interval"]["within"] == 3


def test_the_curve_of_a_pure_loss_is_drawn_to_its_corner() -> None:
    """As many are missed there as are accused: 1 / (1 + e) of them."""
    rates = find_rates(PureLoss(1.0))
    corner = 1 / (1 + math.e)
    assert min(abs(rates - corner)) < 1e-9
    assert (rates[0], rates[-1]) == (0, 1)


def test_risk_draws_the_trade_off_curve(tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    assert str(picture.name) in program("risk", "--mu", "1", "--times", "3", "--plot", str(picture)).replace("\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "exactly one of --epsilon, --mu and --rho"),
        (["--epsilon", "1", "--rho", "1"], "exactly one of"),
        (["--epsilon", "-1"], "epsilon must be a finite number >= 0"),
        (["--mu", "1", "--delta", "0.1"], "delta must be left out"),
        (["--epsilon", "1", "--times", "0"], "times must be a whole number >= 1"),
    ],
)
def test_risk_refuses_bad_input(arguments: list[str], complaint: str) -> None:
    assert complaint in refused("risk", *arguments)


def test_the_example_runs() -> None:
    result = subprocess.run(
        [sys.executable, ROOT / "examples" / "mechanisms.py"], capture_output=True, text=True, check=True
    )
    assert len(result.stdout.splitlines()) == 5


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/questions.md",
        "docs/mechanisms.md",
        "docs/accounting.md",
        "docs/audit.md",
    ],
)
def test_the_python_shown_in_the_docs_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tables(tmp_path)
    (tmp_path / "policy.toml").write_text(write_policy(limits="max_rows = 3", analysts=True, files=True))
    Curator.init(tmp_path / "policy.toml")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_every_link_in_the_docs_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
