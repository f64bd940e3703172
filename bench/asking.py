"""Whole questions: beside peers on a million rows, how long planning takes, and how soon `discreet ask` answers.

Run by `make bench`; alone: `.venv-peers/bin/python bench/asking.py`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import asking_speed
import curator as sums
from discreet.curator import Curator
from timing import alternate, markdown

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support.clinic import open_clinic  # noqa: E402

PEERS = {
    "PipelineDP, local backend": (".venv-peers", "speed_pipelinedp"),
    "Tumult, local Spark": (".venv-tumult", "speed_tumult"),
}
FASTER, PLANNED, STARTED, FOUND, FEW_GROUPS = 30, 0.020, 1.0, 0.1, 50
IMPORTS = "import duckdb, sqlglot, numpy, pyarrow"


def beside_peers() -> str:
    """Return the part on whole questions beside peers: charge, run, noise and record, and theirs without a ledger."""
    with tempfile.TemporaryDirectory() as name:
        path = sums.written(Path(name), 1)
        policy = path.with_suffix(".toml")
        text = sums.POLICY.replace("SOURCE", str(path)).replace("LIMITS", sums.UNITS)
        policy.write_text(text.replace("VALUES", ", ".join(map(str, range(sums.GROUPS)))).replace("10.0", "1000.0"))
        Curator.init(policy)
        with Curator.open(policy) as curator:
            own = alternate({"ours": lambda: curator.ask(sums.QUESTION, 1.0, fresh=True)})["ours"]
        rows = [["discreet", f"{own:.2f} s", "1", ""]]
        for peer, (environment, script) in PEERS.items():
            taken = _peer(environment, script, path)
            if taken is None:
                rows.append([peer, "not installed here", "", ""])
                continue
            ratio = taken / own
            rows.append([peer, f"{taken:.1f} s", f"{ratio:.0f}", f"{FASTER}: {'met' if ratio >= FASTER else 'MISSED'}"])
    head = (
        "### Whole questions beside peers\n\n"
        "COUNT and SUM by 1,000 public groups on a million rows, every unit over its bounds (10 groups, 5 rows each).\n"
        "Ours is `Curator.ask` with its ledger; Tumult's is the second asking.\n\n"
    )
    return head + markdown(["", "time", "times ours", "asked"], rows) + "\n"


def _peer(environment: str, script: str, path: Path) -> float | None:
    python = ROOT / environment / "bin" / "python"
    if not python.exists() or (script == "speed_tumult" and shutil.which("java") is None):
        return None
    given = [str(each) for each in (path, sums.GROUPS, sums.MAX_GROUPS, sums.MAX_ROWS)]
    found = subprocess.run(
        [python, ROOT / "bench" / f"{script}.py", *given], capture_output=True, text=True, check=True
    )
    return float(found.stdout.split()[-1])


def from_ledger() -> str:
    """Return the part on answers from the ledger: the same question again, beside a new answer to it."""
    question = "SELECT g, COUNT(*) AS n, SUM(x) AS s, AVG(x) AS a FROM t GROUP BY g"
    with tempfile.TemporaryDirectory() as name:
        path = sums.written(Path(name), 1)
        policy = path.with_suffix(".toml")
        text = sums.POLICY.replace("SOURCE", str(path)).replace("LIMITS", sums.UNITS).replace("10.0", "1000.0")
        policy.write_text(text.replace("VALUES", ", ".join(map(str, range(FEW_GROUPS)))))
        Curator.init(policy)
        with Curator.open(policy) as curator:
            curator.ask(question, 1.0)
            taken = alternate(
                {
                    "new": lambda: curator.ask(question, 1.0, fresh=True),
                    "found": lambda: curator.ask(question, 1.0),
                },
                rounds=15,
            )
    ratio = taken["found"] / taken["new"]
    return (
        "### Answers from the ledger\n\n"
        f"COUNT, SUM and AVG by {FEW_GROUPS} groups on a million rows: a new answer {1000 * taken['new']:.0f} ms, "
        f"the same question again {1000 * taken['found']:.1f} ms, {ratio:.3f} times as long; asked at most {FOUND}: "
        f"{'met' if ratio <= FOUND else 'MISSED'}.\n"
    )


def planning() -> str:
    """Return the part on planning: every example of docs/sql.md about the clinic, planned and priced, not run."""
    part = (ROOT / "docs" / "sql.md").read_text().split("## Functions")[0].split("### Refused")[0]
    examples = [line.split("`")[1::2] for line in part.splitlines() if line.startswith("| ")]
    texts = [each for cells in examples for each in cells if each.startswith(("SELECT ", "WITH ")) and "$" not in each]
    with tempfile.TemporaryDirectory() as name, open_clinic(Path(name), epsilon=10_000.0) as curator:
        taken = [_planned(curator, text) for text in texts]
    middle, worst = statistics.median(taken), max(taken)
    met = "met" if middle < PLANNED else "MISSED"
    return (
        "### Planning and pricing\n\n"
        f"Over {len(texts)} examples of docs/sql.md, warm: median {1000 * middle:.1f} ms, "
        f"slowest {1000 * worst:.1f} ms; asked: median under {1000 * PLANNED:.0f} ms: {met}.\n"
    )


def _planned(curator: Curator, text: str) -> float:
    """Return the median seconds of planning a question, after a first time."""
    seconds = []
    for _ in range(6):
        start = time.perf_counter()
        curator.explain(text, 1.0)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[1:])


def starting() -> str:
    """Return the part on the program: one question about a small table, beside importing what it stands on."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "t.csv").write_text("person,age\n" + "".join(f"{each},{each % 90}\n" for each in range(1000)))
        (folder / "policy.toml").write_text(
            '[budget]\nepsilon = 100.0\n[tables.t]\nsource = "t.csv"\nunit = "person"\nmax_rows = 1\n'
            '[tables.t.columns]\nperson = { type = "integer" }\nage = { type = "integer", lower = 0, upper = 110 }\n'
        )
        Curator.init(folder / "policy.toml")
        ask = [sys.executable, "-m", "discreet", "ask", "SELECT AVG(age) FROM t", "--epsilon", "0.1", "--fresh"]
        taken = alternate(
            {
                "ask": lambda: subprocess.run(ask, cwd=folder, check=True, capture_output=True),
                "imports": lambda: subprocess.run([sys.executable, "-c", IMPORTS], check=True),
            }
        )
    more = taken["ask"] - taken["imports"]
    met = "met" if more <= STARTED else "MISSED"
    return (
        "### The program\n\n"
        f"`discreet ask` on a small csv file: {taken['ask']:.2f} s; `{IMPORTS}`: {taken['imports']:.2f} s; "
        f"the difference {more:.2f} s, asked at most {STARTED:g} s: {met}.\n"
    )


def report() -> str:
    """Return this file's part of the results."""
    return "\n".join(["## Asking\n", beside_peers(), asking_speed.report(), from_ledger(), planning(), starting()])


if __name__ == "__main__":
    print(report())
