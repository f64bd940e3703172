"""`discreet demo`: a dozen questions to a clinic, the truth beside each answer, until the budget is spent."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
from rich.console import Console

from discreet.answers import Answer
from discreet.base.errors import BudgetError, DiscreetError
from discreet.cli.clinic import PATIENTS, VISITS, generate
from discreet.curator import Curator

WIDTH = 78
"""Columns of an answer; the truth stands beside them."""

QUESTIONS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("How many visits were there?", "SELECT COUNT(*) AS visits FROM visits", {"epsilon": 0.1}),
    ("How many patients?", "SELECT COUNT(DISTINCT patient_id) AS patients FROM visits", {"epsilon": 0.1}),
    ("How busy is each ward?", "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward", {"epsilon": 0.2}),
    (
        "And the busiest two? The same numbers, so the same answer, and it is free.",
        "SELECT ward, COUNT(*) AS visits FROM visits GROUP BY ward ORDER BY visits DESC LIMIT 2",
        {"epsilon": 0.2},
    ),
    ("What does a visit cost?", "SELECT ward, AVG(cost) AS mean_cost FROM visits GROUP BY ward", {"epsilon": 0.3}),
    (
        "What do the old cost in all?",
        "SELECT SUM(cost) AS total FROM visits WHERE age >= $age",
        {"epsilon": 0.2, "params": {"age": 65}},
    ),
    (
        "How are costs spread? Three quantiles share one price.",
        "SELECT QUANTILE_CONT(cost, 0.25) AS lower_quarter, MEDIAN(cost) AS middle, QUANTILE_CONT(cost, 0.75) AS "
        "upper_quarter FROM visits",
        {"epsilon": 0.3},
    ),
    ("How do ages vary?", "SELECT AVG(age) AS mean, STDDEV(age) AS deviation FROM visits", {"epsilon": 0.2}),
    (
        "How long do women stay, by ward?",
        "SELECT ward, AVG(stay_days) AS days FROM visits WHERE sex = 'f' GROUP BY ward",
        {"epsilon": 0.2},
    ),
    (
        "Visits by city and sex, through a public table",
        "SELECT city, sex, COUNT(*) AS visits FROM visits JOIN wards USING (ward) GROUP BY city, sex",
        {"epsilon": 0.2},
    ),
    (
        "Which share was in the second half of the year?",
        "SELECT 100.0 * COUNT(CASE WHEN visited >= DATE '2025-07-01' THEN 1 END) / COUNT(*) AS percent FROM visits",
        {"epsilon": 0.2},
    ),
    (
        "How many nights, to within 20,000? The price is found from public facts.",
        "SELECT SUM(stay_days) AS nights FROM visits",
        {"within": {"nights": 20_000}},
    ),
)


def show(
    keep: Path | None = None, console: Console | None = None, patients: int = PATIENTS, visits: int = VISITS
) -> None:
    """Generate the clinic in a folder, ask it everything, and show what each party sees."""
    console = console or Console(highlight=False, soft_wrap=True)
    if keep is not None and (keep / "policy.toml").exists():
        raise DiscreetError(f"{keep} holds a policy already; name another folder")
    with tempfile.TemporaryDirectory(prefix="discreet-") as temporary:
        folder = keep or Path(temporary)
        console.print(f"\nInventing a clinic: {patients:,} patients, {visits:,} visits ...", style="dim")
        policy = generate(folder, patients, visits)
        Curator.init(policy)
        console.print(
            "\n[bold]Each answer would come out nearly as likely without any one patient.[/bold] Beside it stands the "
            "truth,\nwhich nobody else sees: an analyst gets what is left of the line, and nothing more.\n"
        )
        with Curator.open(policy) as curator, closing(_truth(folder)) as truth:
            for number, (words, question, how) in enumerate(QUESTIONS, 1):
                console.print(f"[bold]{number}. {words}[/bold]")
                console.print(f"   {_command(question, how)}", style="cyan", markup=False)
                answer = curator.ask(question, **how)
                _answer(console, answer, _true_values(truth, question, how), whole=number == 1)
            _exhaust(console, curator)
            _closing(console, curator, keep)


def _command(question: str, how: dict[str, Any]) -> str:
    options = [f"--epsilon {how['epsilon']}"] if "epsilon" in how else []
    options += [f"--within {name}={error}" for name, error in how.get("within", {}).items()]
    options += [f"--param {name}={value}" for name, value in how.get("params", {}).items()]
    mark = "'" if "$" in question else '"'
    return f"discreet ask {mark}{question}{mark} {' '.join(options)}"


def _truth(folder: Path) -> duckdb.DuckDBPyConnection:
    """Return a plain connection to the tables: what only the owner has."""
    connection = duckdb.connect(":memory:")
    for name, file in (("visits", "visits.parquet"), ("wards", "wards.csv")):
        place = str(folder / file).replace("'", "''")
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{place}'")
    return connection


def _true_values(truth: duckdb.DuckDBPyConnection, question: str, how: dict[str, Any]) -> dict[tuple[object, ...], Any]:
    """Return the exact rows without ORDER BY and LIMIT, by their keys: the columns that are no numbers."""
    rows = truth.execute(question.partition(" ORDER BY ")[0], how.get("params")).fetchall()
    found: dict[tuple[object, ...], Any] = {}
    for row in rows:
        keys = tuple(value for value in row if isinstance(value, str))
        found[keys] = [value for value in row if not isinstance(value, str)]
    return found


def _answer(console: Console, answer: Answer, true: dict[tuple[object, ...], Any], whole: bool) -> None:
    """Print an answer's text with the truth to the right of its rows."""
    table, _, words = answer.text(width=WIDTH, encoding=console.encoding).partition("\n\n")
    lines = table.split("\n")
    beside = ["truth", "-----" if "utf" not in console.encoding else "─────"]
    for row in answer.rows:
        keys = tuple(value for value, field in zip(row, answer.fields, strict=True) if not field.noisy)
        beside.append("  ".join(_number(value) for value in true.get(keys, ["?"])))
    width = max(len(line) for line in lines)
    bar = "│" if "utf" in console.encoding else "|"
    for line, told in zip(lines, beside, strict=True):
        console.print(f"   {line:<{width}}  {bar} ", end="", markup=False)
        console.print(told, style="dim", markup=False)
    kept = words.split("\n") if whole else [line for line in words.split("\n") if line.startswith("cost")]
    console.print("".join(f"   {line}\n" for line in kept), style="dim", markup=False)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}" if isinstance(value, float) else str(value)


def _exhaust(console: Console, curator: Curator) -> None:
    """Keep asking until the budget says no."""
    console.print("[bold]Now an analyst who does not stop: one age after another, at epsilon 0.25 each.[/bold]")
    asked = 0
    while True:
        question = f"SELECT COUNT(*) AS n FROM visits WHERE age = {asked + 18}"
        try:
            answer = curator.ask(question, 0.25)
        except BudgetError as refusal:
            console.print(f"   after {asked} more answers:\n   discreet: {refusal}\n", style="red", markup=False)
            return
        asked += 1
        told = f"age {asked + 17}: {answer.value:,}"
        console.print(f"   {told:<16}{curator.budget.total.left:7.1%} left", style="dim", markup=False)


def _closing(console: Console, curator: Curator, keep: Path | None) -> None:
    console.print("[bold]What is asked again stays free, also with nothing left:[/bold]")
    again = curator.ask(QUESTIONS[0][1], 0.1)
    console.print(f"   visits: {again.value:,}, {again.receipt.paid}\n", style="dim", markup=False)
    console.print("[bold]discreet budget[/bold]")
    console.print("".join(f"   {line}\n" for line in str(curator.budget).split("\n")), style="dim", markup=False)
    found = curator.ledger.verify(again.receipt)
    console.print("[bold]discreet ledger --verify --receipt ...[/bold]")
    told = "all as the chain says, the receipt's entry is there" if found.ok else "; ".join(found.problems)
    console.print(f"   {found.entries} entries, {told}\n", style="dim", markup=False)
    if keep is not None:
        console.print(f"The clinic is in {keep}: cd there and ask on, or raise the budget in its policy.toml.\n")
