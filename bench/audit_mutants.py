"""Breaks privacy rules one at a time and asks the audit alone, which knows nothing of the source, whether it notices.

`.venv/bin/python bench/audit_mutants.py [OUTPUTS]` prints a table for docs/audit.md. The audit is run on a copy of the
source; a mutant is caught when the audit ends with 1: some claim was refuted, or a replay found something.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from mutants.every import every_mutant  # noqa: E402
from mutants.mutant import Mutant  # noqa: E402
from mutants.run import copy_project  # noqa: E402

OUTPUTS = 60_000
LONGEST = 1200
WORKERS = 2

CHOSEN = (
    "nothing is added to sums",
    "keys of the data are shown without selection",
    "keys below the threshold are shown",
    "nothing is added to ranks",
    "values are not clamped",
    "rows are not cut before they are joined",
    "joined rows are not multiplied",
    "shares of the charge add up to more than one",
    "keys are selected without a delta in the charge",
    "the sum of one unit reaches as far as one row",
    "replace neighbours are charged as add-remove",
    "each set of keys is charged as if it were alone",
    "squares of rows in groups are charged as rows",
    "kept: sums of units are not limited at all",
    "kept: picked rows of units are not limited at all",
    "kept: one group too many",
    "kept: rows in all are not limited",
    "joins: rows of different units meet",
    "the sign of Laplace noise is dropped",
    "zero counted for both signs of Laplace noise",
    "Laplace noise 5 % too small",
    "discrete Gaussian rejects too rarely",
    "a coin is reused",
    "randomized response lies 5 % too rarely",
    "scores that move apart are charged once",
    "permute-and-flip without the permutation",
    "the staircase charged for less than a whole flight",
    "sparse vector's threshold has no noise",
    "sparse vector goes on after its cutoff",
    "drawing: keys are always kept one unit too early",
    "drawing: quantiles forget how many rows a unit has",
    "the discrete Laplace is charged as a wider one",
    "the Gaussian curve with half the shift",
    "the exponential mechanism charged with half its range",
    "the zCDP conversion forgets a factor",
    "composing k times counts k - 1",
    "sampling forgets what only one side can say",
    "a certified bound is the lower one",
    "the distance is tested without noise",
    "the smooth bound of a quantile is the local one",
)
"""Faults of privacy in every part of the house: by their names in the lists of mutants."""


@dataclass(frozen=True)
class Caught:
    """What the audit said of one mutant."""

    mutant: Mutant
    caught: bool
    by: str
    seconds: float


def ask_audit(sound: Path, outputs: int, mutant: Mutant) -> Caught:
    """Break a copy of sound code, and run the audit on it."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        copy_project(sound, Path(name))
        mutant.apply(Path(name) / "src" / "discreet")
        env = {**os.environ, "PYTHONPATH": str(Path(name) / "src")}
        command = [sys.executable, "-m", "discreet.audit.house", "--stop", "--outputs", str(outputs)]
        try:
            ended = subprocess.run(
                command, cwd=name, env=env, capture_output=True, text=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            return Caught(mutant, True, f"the audit hangs: not done after {LONGEST} s", time.monotonic() - start)
    said = [line.removeprefix("REFUTED: ") for line in ended.stdout.splitlines() if line.startswith("REFUTED: ")]
    raised = ended.returncode != 0 and not said
    by = said[0] if said else (ended.stderr.strip().splitlines() or ["?"])[-1] if raised else ""
    return Caught(mutant, bool(said) or raised, by, time.monotonic() - start)


def main() -> None:
    outputs = int(sys.argv[1]) if len(sys.argv) > 1 else OUTPUTS
    known = {mutant.name: mutant for mutant in every_mutant()}
    missing = [name for name in CHOSEN if name not in known]
    if missing:
        raise SystemExit(f"no mutants are named {missing}")
    print("| what is broken | found by the audit alone | |\n|---|---|---|", flush=True)
    caught = 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(WORKERS) as pool:
        copy_project(ROOT, Path(name))
        for found in pool.map(partial(ask_audit, Path(name), outputs), [known[name] for name in CHOSEN]):
            caught += found.caught
            by = found.by.replace("|", "/") if found.caught else "missed"
            print(f"| {found.mutant.name} | {by} | {found.seconds:.0f} s |", flush=True)
    print(f"\n{caught} of {len(CHOSEN)} caught")


if __name__ == "__main__":
    main()
