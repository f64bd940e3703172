"""The client is a package of its own: the same source under another name, without anything beside it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import discreet
from discreet.local.client import Choices, HadamardBit, Metric, read_json_report
from discreet.local.counting import ReportCounter

SOURCE = Path(discreet.__file__).parent / "local" / "client"
WHEEL = Path(__file__).parents[3] / "client"
METRIC = Metric("fruit", Choices(("apple", "banana")), HadamardBit.calibrate(1, 3), lifetime=8, daily=2)

PERSON = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
import discreet_client
client = discreet_client.Client.open(sys.argv[2], [discreet_client.read_metric(sys.argv[3])])
for _ in range(5):
    print(client.report("fruit", "apple").to_json())
loaded = {name.partition(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names
assert loaded == {"discreet_client"}, loaded
"""


def send_reports(packages: Path, folder: Path) -> None:
    """Let a Python without site packages make reports, and count them."""
    given = [sys.executable, "-I", "-S", "-c", PERSON, str(packages), str(folder / "person"), METRIC.to_json()]
    lines = subprocess.run(given, check=True, capture_output=True).stdout.splitlines()
    assert ReportCounter(METRIC).count_lines(lines).tally.reports == 5
    assert read_json_report(lines[0]).parameters == METRIC.parameters


def test_the_same_files_under_another_name_make_reports_that_the_collector_counts(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "packages" / "discreet_client", ignore=shutil.ignore_patterns("__pycache__"))
    send_reports(tmp_path / "packages", tmp_path)


def test_the_client_imports_itself_and_the_standard_library_alone() -> None:
    for path in SOURCE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names, path
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").partition(".")[0] in sys.stdlib_module_names, path
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path


def test_the_wheel_is_made_of_that_folder_and_needs_nothing() -> None:
    form = tomllib.loads((WHEEL / "pyproject.toml").read_text())
    included = form["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert (WHEEL / next(iter(included))).resolve() == SOURCE.resolve()
    assert set(included.values()) == {f"discreet_client{end}" for end in ("", "/py.typed", "/LICENSE")}
    assert all((WHEEL / each).exists() for each in included if not each.endswith("LICENSE"))
    assert form["project"]["dependencies"] == []
    assert form["project"]["version"] == discreet.__version__


@pytest.mark.long
def test_the_wheel_is_built_and_works_without_anything_installed(tmp_path: Path) -> None:
    given = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), str(WHEEL)]
    ran = subprocess.run(given, capture_output=True, text=True, check=False)
    if "hatchling" in ran.stderr and ran.returncode:
        pytest.skip("hatchling, which builds wheels, cannot be had here")
    assert ran.returncode == 0, ran.stderr
    (wheel,) = tmp_path.glob("discreet_client-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "packages")
    send_reports(tmp_path / "packages", tmp_path)
