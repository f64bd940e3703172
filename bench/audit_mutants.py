"""Breaks privacy rules one at a time and asks the audit alone, which knows nothing of the source, whether it notices.

`.venv/bin/python bench/audit_mutants.py --results FILE --write docs/audit.md` puts its table into the page. What is
found of each mutant is written into the file at once, and what stands there is not asked again. The audit is run on a
copy of the source; a mutant is caught when it does not end with 0: some claim was refuted, a replay found something, or
the audit itself could not go on. Sound code comes last: without an end with 0 there, the table means nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from discreet.audit.house.__main__ import put_between  # noqa: E402
from mutants.every import every_mutant  # noqa: E402
from mutants.mutant import Mutant  # noqa: E402

OUTPUTS = 500_000
LONGEST = 1200
"""Seconds that the audit may take: on a mutant that takes longer it hangs."""

BEGIN, END = "<!-- what `bench/audit_mutants.py` found -->", "<!-- the end of its table -->"
SOUND = Mutant("nothing", (), ())

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

    name: str
    caught: bool
    by: str
    seconds: float
    outputs: int

    def write_row(self) -> str:
        """Return a line of the table."""
        by = self.by.replace("|", "/") if self.caught else "**missed**"
        return f"| {self.name} | {by} | {self.seconds:.0f} s |"


def ask_audit(sound: Path, outputs: int, mutant: Mutant) -> Caught:
    """Break a copy of sound code, and run the audit on it."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(sound / "src", Path(name) / "src")
        mutant.apply(Path(name) / "src" / "discreet")
        env = {**os.environ, "PYTHONPATH": str(Path(name) / "src")}
        command = [sys.executable, "-m", "discreet.audit.house", "--stop", "--outputs", str(outputs)]
        try:
            ended = subprocess.run(
                command, cwd=name, env=env, capture_output=True, text=True, timeout=LONGEST, check=False
            )
        except subprocess.TimeoutExpired:
            words = f"the audit hangs: not done after {LONGEST} s"
            return Caught(mutant.name, True, words, time.monotonic() - start, outputs)
    said = [line.removeprefix("REFUTED: ") for line in ended.stdout.splitlines() if line.startswith("REFUTED: ")]
    if not said and ended.returncode != 0:
        said = [f"the audit cannot go on: {(ended.stderr.strip().splitlines() or ['?'])[-1]}"]
    return Caught(mutant.name, bool(said), said[0] if said else "", time.monotonic() - start, outputs)


def read_results(path: Path, outputs: int) -> dict[str, Caught]:
    """Return what was found before, with as many outputs."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [Caught(**json.loads(line)) for line in lines]
    return {each.name: each for each in found if each.outputs == outputs}


def write_table(found: list[Caught]) -> str:
    """Return the table, and how many were caught."""
    head = "| what is broken | found by the audit alone | |\n|---|---|---|"
    caught = sum(each.caught for each in found)
    return "\n".join([head, *(each.write_row() for each in found), "", f"{caught} of {len(found)} are caught.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description="Asks the audit alone which faults of privacy it notices.")
    parser.add_argument("--outputs", type=int, default=OUTPUTS, metavar="N", help="of each component")
    parser.add_argument("--results", type=Path, required=True, metavar="FILE", help="where findings are kept")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="mutants at once")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    given = parser.parse_args()
    known = {mutant.name: mutant for mutant in every_mutant()}
    missing = [name for name in CHOSEN if name not in known]
    mistakes = [wrong for name in CHOSEN if name in known for wrong in known[name].mistakes(ROOT)]
    if missing or mistakes:
        raise SystemExit("\n".join([*(f"no mutant is named {name!r}" for name in missing), *mistakes]))
    found = read_results(given.results, given.outputs)
    left = [each for each in (*(known[name] for name in CHOSEN), SOUND) if each.name not in found]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(given.workers) as pool:
        shutil.copytree(ROOT / "src", Path(name) / "src")
        subprocess.run([sys.executable, "-m", "compileall", "-q", name], check=True)
        for each in pool.map(partial(ask_audit, Path(name), given.outputs), left):
            found[each.name] = each
            with given.results.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(each)) + "\n")
            print(each.write_row(), flush=True)
    if found[SOUND.name].caught:
        raise SystemExit(f"the audit refutes sound code: {found[SOUND.name].by}")
    table = write_table([found[name] for name in CHOSEN])
    print(table.splitlines()[-1])
    if given.write is not None:
        page = given.write.read_text(encoding="utf-8")
        given.write.write_text(put_between(page, table, BEGIN, END), encoding="utf-8")


if __name__ == "__main__":
    main()
