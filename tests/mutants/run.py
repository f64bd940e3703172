"""Break one rule at a time in a copy of the source; the tests must fail every time.

`make mutants` runs all; `.venv/bin/python tests/mutants/run.py WORD` those with the word in their name, or in the path
of what they change. A mutant is killed when pytest reports failed tests (a copy that cannot even be imported proves
nothing and counts as a mistake).
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
from functools import partial
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


def copy_project(source: Path, folder: Path) -> None:
    """Copy what tests need, with what Python compiled of it: only what a mutant changes is compiled again."""
    for part in ("src", "client", "tests", "docs"):
        shutil.copytree(source / part, folder / part)
    shutil.copy(source / "pyproject.toml", folder)


def run_tests(folder: Path, tests: tuple[str, ...], workers: int, longest: float) -> subprocess.CompletedProcess[str]:
    """Run the tests on the copy, which must come before any installed discreet."""
    given = ["-x", "-q", "-m", "not long", "-p", "no:cacheprovider", "-n", str(workers)]
    given += ["--hypothesis-profile", "patient"]
    command = [sys.executable, "-m", "pytest", *given, *tests]
    where = os.pathsep.join([str(folder / "src"), str(folder / "tests")])
    env = {**os.environ, "PYTHONPATH": where}
    if all("/compiled/" in each or "/device/" in each for each in tests):
        env["DISCREET_JAX"] = "1"
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # else every mutant would compile everything
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=longest, check=False)


def judge(sound: Path, mutant: Mutant) -> Verdict:
    """Break a copy of sound code and see whether the tests notice."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        copy_project(sound, Path(name))
        mutant.apply(Path(name) / "src" / "discreet")
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
    wanted = [mutant for mutant in every_mutant() if all(word in mutant.words for word in sys.argv[1:])]
    if not wanted:
        raise SystemExit(f"no mutant is named like {' '.join(sys.argv[1:])!r}")
    mistakes = [wrong for mutant in wanted for wrong in mutant.mistakes(ROOT)]
    if mistakes:
        raise SystemExit("\n".join(mistakes))
    files = tuple(sorted({test for mutant in wanted for test in mutant.tests}))
    survivors = 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(WORKERS) as pool:
        copy_project(ROOT, Path(name))
        sound = run_tests(Path(name), files, WORKERS, HOUR)
        if sound.returncode != 0:
            raise SystemExit(f"the tests fail without any mutant:\n{sound.stdout[-3000:]}")
        print(f"without a mutant: {sound.stdout.strip().splitlines()[-1]}", flush=True)
        for verdict in pool.map(partial(judge, Path(name)), wanted):
            survivors += not verdict.killed
            word = "killed  " if verdict.killed else "SURVIVED"
            print(f"{word} {verdict.seconds:5.1f}s  {verdict.mutant.name}: {verdict.remark}", flush=True)
    minutes = (time.monotonic() - start) / 60
    print(f"{len(wanted) - survivors} of {len(wanted)} mutants killed in {minutes:.0f} minutes")
    raise SystemExit(1 if survivors else 0)


if __name__ == "__main__":
    main()
