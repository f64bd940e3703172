"""What `discreet local` prints: the advisor's table, what became of batches, and estimates."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from discreet.answers.export import save_text
from discreet.answers.words import to_one_line
from discreet.cli.output import OutputFormat, OutputOptions
from discreet.local.advisor import Advice
from discreet.local.client import MemoisedMechanism, Metric, Rappor, RapporStrings
from discreet.local.collector import Collection, Outcome
from discreet.local.declaring import count_reports
from discreet.local.decoding import Decoded
from discreet.local.lifetimes import DELTA, Lifetime

FILE_WIDTH = 120
SHOWN_ROWS = 60


def show_advice(advice: Advice, metric: Metric) -> None:
    """Print the candidates and why one was chosen."""
    table = Table(header_style="dim")
    table.add_column("mechanism")
    for name in ("variance x reports", "bytes", "steps"):
        table.add_column(name, justify="right")
    table.add_column("why not")
    for each in advice.candidates:
        shown = (f"{each.variance:.4g}", f"{each.bytes:,}", f"{each.work:.1e}")
        table.add_row(each.mechanism.kind, *shown, each.against or "[bold]advised[/bold]")
    console = Console()
    console.print(table)
    console.print(f"advised: {advice.reason}", highlight=False)
    if metric.mechanism != advice.mechanism:
        console.print(f"taken, as you say: {metric.mechanism.kind}", highlight=False)


def show_metric(metric: Metric) -> None:
    """Print what a person tells, and what a report weighs."""
    mechanism, fit = metric.mechanism, count_reports(metric)
    words = f"one report tells epsilon {mechanism.epsilon:.6g}; {fit:,} fit a lifetime"
    if isinstance(mechanism, MemoisedMechanism | Rappor | RapporStrings):
        words += f", however values change; all reports of a value that never changes tell {mechanism.constant:.6g}"
    size = metric.seed_width + mechanism.payload_size
    console = Console()
    console.print(words, highlight=False)
    console.print(f"{mechanism.kind}, {size:,} byte{'s' * (size > 1)} of seed and payload a report", highlight=False)


def show_outcomes(outcomes: Sequence[Outcome], collected: Collection) -> None:
    """Print what became of each batch, and what there is now."""
    table = Table(header_style="dim")
    for name in ("batch", "fate", "reports", "put aside", "remark"):
        table.add_column(name, justify="right" if name in ("reports", "put aside") else "left")
    for outcome in outcomes:
        counted = ["", ""]
        if outcome.intake is not None:
            faults = sum(outcome.intake.faults.values())
            counted = [f"{outcome.intake.tally.reports:,}", f"{faults:,}"]
        table.add_row(escape(to_one_line(outcome.batch)), outcome.fate, *counted, escape(to_one_line(outcome.reason)))
    console = Console()
    console.print(table)
    whole = collected.intake
    batches = f"{len(collected.batches):,} batch{'es' * (len(collected.batches) != 1)}"
    words = f"{collected.metric.name}: {whole.tally.reports:,} reports in {batches}"
    console.print(to_one_line(words), highlight=False, markup=False)
    for fault, count in whole.faults.items():
        console.print(f"  put aside, {fault}: {count:,}", highlight=False)


def show_lifetimes(lifetimes: Sequence[Lifetime]) -> None:
    """Print what reports tell after some days: added up, and as the accountant certifies it."""
    table = Table(header_style="dim")
    table.add_column("metric")
    table.add_column("one report", justify="right")
    for day in lifetimes[0].days:
        table.add_column(f"{day:,} day{'s' * (day > 1)}", justify="right")
    table.add_column("the last, certified", justify="right")
    for each in lifetimes:
        told = [f"{total:,.4g}" if total < 1000 else f"{total:,.0f}" for total in (*each.summed, each.certified[-1])]
        table.add_row(escape(to_one_line(each.name)), f"{each.one:.4g}", *told)
    console = Console()
    console.print(table)
    for note in dict.fromkeys(each.note for each in lifetimes):
        console.print(f"  {to_one_line(note)}", highlight=False, markup=False)
    console.print(f"epsilons; certified at delta {DELTA:g}", highlight=False)


def write_lifetimes(lifetimes: Sequence[Lifetime]) -> str:
    """Return what reports tell after some days as JSON."""
    told = [
        {
            "metric": each.name,
            "one_report": float(each.one),
            "days": [
                {"days": day, "added_up": float(total), "certified": float(certified)}
                for day, total, certified in zip(each.days, each.summed, each.certified, strict=True)
            ],
            "note": each.note,
        }
        for each in lifetimes
    ]
    return json.dumps({"delta": DELTA, "lifetimes": told}, indent=2, ensure_ascii=False)


def write_outcomes(outcomes: Sequence[Outcome], collected: Collection) -> str:
    """Return what became of each batch, and what there is now, as JSON."""
    batches = []
    for outcome in outcomes:
        told: dict[str, object] = {"batch": outcome.batch, "fate": outcome.fate, "remark": outcome.reason}
        if outcome.intake is not None:
            told |= {"reports": outcome.intake.tally.reports, "put_aside": sum(outcome.intake.faults.values())}
        batches.append(told)
    whole = collected.intake
    faults = {str(fault): count for fault, count in whole.faults.items()}
    kept = {"metric": collected.metric.name, "reports": whole.tally.reports, "batches": len(collected.batches)}
    return json.dumps({"batches": batches, "collected": {**kept, "put_aside": faults}}, indent=2, ensure_ascii=False)


def write_decoded(decoded: Decoded, asked: OutputOptions, malicious: int | None) -> None:
    """Write estimates where they were asked for: to standard output go they alone."""
    if asked.format is OutputFormat.TABLE:
        encoding = "utf-8" if asked.file else getattr(sys.stdout, "encoding", None) or "utf-8"
        width = FILE_WIDTH if asked.file else shutil.get_terminal_size((100, 24)).columns
        rows = SHOWN_ROWS if asked.file is None and sys.stdout.isatty() else None
        text = decoded.text(width, asked.simultaneous, malicious, encoding, rows) + "\n"
    elif asked.format is OutputFormat.JSON:
        text = decoded.to_json(malicious)
    else:
        text = decoded.table().to_csv()
    if asked.file is None:
        typer.echo(text.removesuffix("\n"))
    elif asked.format is OutputFormat.PARQUET:
        decoded.table().save(asked.file, "parquet")
    else:
        save_text(text, asked.file)
    if asked.format not in (OutputFormat.TABLE, OutputFormat.JSON):
        for note in (decoded.guarantee, *decoded.notes(malicious)):
            typer.echo(to_one_line(note), err=True)
    drawn = asked.plot if decoded.table().rows else None
    if drawn is not None:
        decoded.plot(drawn, asked.simultaneous)
    elif asked.plot is not None:
        typer.echo("there is no row to draw", err=True)
    for path in (asked.file, drawn):
        if path is not None:
            typer.echo(f"wrote {path}", err=True)
