"""`make`: the demo needs the product alone, everything else it and the developers' tools, installed at once."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

if shutil.which("make") is None:
    pytest.skip("there is no make here", allow_module_level=True)


def planned(goal: str, venv: Path) -> list[str]:
    """Return the installations that `make GOAL` would run on a fresh machine."""
    done = subprocess.run(
        ["make", "--dry-run", f"VENV={venv}", f"PEERS={venv}-peers", f"TUMULT={venv}-tumult", goal],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.rpartition(" -e ")[2] for line in done.stdout.splitlines() if " -e " in line]


def test_the_demo_installs_the_product_alone(tmp_path: Path) -> None:
    assert planned("demo", tmp_path / "venv") == ["."]


@pytest.mark.parametrize("goal", ["setup", "test", "test-all", "lint", "mutants", "fuzz"])
def test_what_developers_run_installs_their_tools_with_the_product_at_once(tmp_path: Path, goal: str) -> None:
    assert planned(goal, tmp_path / "venv") == ["'.[dev]'"]


def test_what_was_installed_is_not_installed_again(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    venv.mkdir()
    (venv / ".product").touch()
    assert planned("demo", venv) == []
    assert planned("test", venv) == ["'.[dev]'"]
    (venv / ".ready").touch()
    assert planned("test", venv) == []


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(name + " is a developers' tool", name=name)

sys.meta_path.insert(0, Missing())
from pathlib import Path
from discreet.cli.demo import show
show(Path(sys.argv[1]), patients=200, visits=2_000)
"""


@pytest.mark.slow
def test_the_demo_runs_without_the_developers_tools(tmp_path: Path) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["dev"]
    modules = {"matplotlib", "pandas", "polars", "ibis", "pyspark", "psycopg", "sklearn", "IPython", "starlette"}
    assert {name.lower() for name in modules - {"sklearn", "ibis"}} <= {
        each.partition(">")[0].partition("[")[0] for each in extras
    }
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.replace("{names!r}", repr(modules)), str(tmp_path / "kept")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "all as the chain says" in done.stdout
