"""Break one rule at a time in a copy of the source; the tests must fail every time.

`make mutants` runs all; `.venv/bin/python tests/mutants/run.py WORD` those with the word in their name. A mutant is
killed when pytest reports failed tests (a copy that cannot even be imported proves nothing and counts as a mistake).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from mutants.every import every_mutant  # noqa: E402
from mutants.mutant import Mutant  # noqa: E402

WORKERS = 2
LONGEST = 900
"""Seconds that the tests of one mutant may take; one that makes them hang is noticed, and so killed."""

HOUR = 3600
"""Seconds that all tests together may take without a mutant."""


@dataclass(frozen=True)
class Verdict:
    """What the tests said of one mutant."""

    mutant: Mutant
    killed: bool
    remark: str
    seconds: float


def copy_with(mutant: Mutant | None, folder: Path) -> None:
    """Copy the project, broken as the mutant says."""
    for part in ("src", "tests"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "pyproject.toml", folder)
    if mutant is not None:
        mutant.apply(folder / "src" / "discreet")


def run_tests(folder: Path, tests: tuple[str, ...], workers: int, longest: float) -> subprocess.CompletedProcess[str]:
    """Run the tests on the copy, which must come before any installed discreet."""
    given = ["-x", "-q", "-m", "not long", "-p", "no:cacheprovider", "-n", str(workers)]
    command = [sys.executable, "-m", "pytest", *given, *tests]
    where = os.pathsep.join([str(folder / "src"), str(folder / "tests")])
    env = {**os.environ, "PYTHONPATH": where, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=longest, check=False)


def judge(mutant: Mutant) -> Verdict:
    """Break the copy and see whether the tests notice."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        copy_with(mutant, Path(name))
        try:
            result = run_tests(Path(name), mutant.tests, 0, LONGEST)
        except subprocess.TimeoutExpired:
            return Verdict(mutant, True, f"its tests hang: not done after {LONGEST} s", time.monotonic() - start)
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
    killed = result.returncode == 1 and bool(failed)
    remark = failed[0].removeprefix("FAILED ").split(" - ")[0] if killed else result.stdout[-500:]
    return Verdict(mutant, killed, remark, time.monotonic() - start)


def main() -> None:
    start = time.monotonic()
    wanted = [mutant for mutant in every_mutant() if all(word in mutant.name for word in sys.argv[1:])]
    if not wanted:
        raise SystemExit(f"no mutant is named like {' '.join(sys.argv[1:])!r}")
    mistakes = [wrong for mutant in wanted for wrong in mutant.mistakes(ROOT)]
    if mistakes:
        raise SystemExit("\n".join(mistakes))
    files = tuple(sorted({test for mutant in wanted for test in mutant.tests}))
    with tempfile.TemporaryDirectory() as name:
        copy_with(None, Path(name))
        sound = run_tests(Path(name), files, WORKERS, HOUR)
    if sound.returncode != 0:
        raise SystemExit(f"the tests fail without any mutant:\n{sound.stdout[-3000:]}")
    print(f"without a mutant: {sound.stdout.strip().splitlines()[-1]}", flush=True)
    survivors = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        for verdict in pool.map(judge, wanted):
            survivors += not verdict.killed
            word = "killed  " if verdict.killed else "SURVIVED"
            print(f"{word} {verdict.seconds:5.1f}s  {verdict.mutant.name}: {verdict.remark}", flush=True)
    minutes = (time.monotonic() - start) / 60
    print(f"{len(wanted) - survivors} of {len(wanted)} mutants killed in {minutes:.0f} minutes")
    raise SystemExit(1 if survivors else 0)


if __name__ == "__main__":
    main()
