"""`discreet audit`: the owner's questions, replayed on the owner's rows and on neighbours of them."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.base.errors import ParameterError
from discreet.cli.errors import TO_DO, show_errors
from discreet.cli.options import FormatOption, ListFormat, find_policy

if TYPE_CHECKING:
    from discreet.audit.graybox.comparing.report import Moved, ReplayReport

WIDTH, WIDEST = 110, 46


def audit(
    policy: Annotated[
        Path | None, typer.Argument(help="The policy, policy.toml here if left out.", show_default=False)
    ] = None,
    question: Annotated[
        list[str] | None, typer.Option("--question", "-q", help="A question in SQL; several times.", show_default=False)
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="A file of questions, each ends with a semicolon.", show_default=False)
    ] = None,
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="What each question would spend.")] = 1.0,
    rows: Annotated[int, typer.Option(help="Of larger tables, those of the first 500 people are read.")] = 20_000,
    clock: Annotated[bool, typer.Option("--clock/--no-clock", help="Whether times are compared.")] = True,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Replay questions on neighbours of your rows: does anything but noise tell them apart? For the owner; free."""
    with show_errors():
        from discreet.audit.graybox.questions import FOR_THE_OWNER, NO_PROOF, UNITS, audit_questions

        asked = [*(question or []), *([] if questions is None else read_questions(questions))]
        if rows < 1:
            raise ParameterError("--rows", rows, "at least 1")
        is_table = format is ListFormat.TABLE
        found = audit_questions(
            find_policy(policy, ": discreet audit POLICY"), asked, epsilon, most_rows=rows, clock=clock
        )
        if is_table:
            typer.echo("\n".join(textwrap.wrap(FOR_THE_OWNER, WIDTH)), err=True)
        reports = []
        for report in found:
            reports.append(report)
            if is_table:
                typer.echo(f"\n{_write_table(report)}")
        wrong = [report for report in reports if not report.ok]
        if is_table:
            many = sum(len(each.findings) for each in reports)
            refused = sum(each.refused is not None for each in reports)
            left = f", {refused} of them not replayed" if refused else ""
            typer.echo(f"\n{_count(len(reports), 'question')}{left}, {_count(many, 'finding')}")
            if any(each.moved for each in reports):
                typer.echo("\n".join(textwrap.wrap(UNITS, WIDTH)))
            typer.echo(NO_PROOF)
        else:
            told = {
                "for": FOR_THE_OWNER,
                "note": NO_PROOF,
                "units": UNITS,
                "questions": [_to_dict(each) for each in reports],
            }
            typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        if wrong:
            raise typer.Exit(TO_DO)


def read_questions(path: Path) -> list[str]:
    """Return the questions of a file."""
    from discreet.cli.shell.statements import AskedText, TypedLines

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ParameterError("--questions", str(path), "a file that exists") from None
    except (OSError, UnicodeDecodeError):
        raise ParameterError("--questions", str(path), "a text file that can be read") from None
    typed, found = TypedLines(), []
    for line in [*text.splitlines(), ";"]:
        for each in typed.feed(line):
            if not isinstance(each, AskedText):
                raise ParameterError("--questions", str(path), "questions alone: commands are for the shell")
            found.append(each.text)
    wanted = [each for each in found if any(not line.strip().startswith("--") for line in each.splitlines())]
    if not wanted:
        raise ParameterError("--questions", str(path), "a file with a question in it")
    return wanted


def _write_table(report: ReplayReport) -> str:
    """Return what was found of one question: how far a unit moves each part of it, and all that differs."""
    lines = [_write_question(report.operation)]
    if report.refused is not None:
        return "\n".join(
            [*lines, f"  not replayed: {report.refused}", *(f"  FOUND  {each}" for each in report.findings)]
        )
    tried = _count(len(report.neighbours), "neighbour")
    header = ("part", "declared", "observed", "in")
    rows = [header, *((_name_part(each), *_show(each), each.norm) for each in report.moved)]
    widths = [min(WIDEST, max(len(row[place]) for row in rows)) for place in range(4)]
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}", f"{row[1]:>{widths[1]}}", f"{row[2]:>{widths[2]}}", row[3]]
        lines.append(f"  {'  '.join(cells)}")
    lines += [f"  FOUND  {each}" for each in report.findings]
    lines.append(f"  {tried}: {'nothing found' if not report.findings else _count(len(report.findings), 'finding')}")
    return "\n".join(lines)


def _write_question(text: str) -> str:
    """Return a question on one line, without lines of comments."""
    return " ".join(" ".join(line for line in text.splitlines() if not line.strip().startswith("--")).split())


def _name_part(moved: Moved) -> str:
    return moved.call.removeprefix("desk: ")


def _show(moved: Moved) -> tuple[str, str]:
    return moved.declared_words, moved.observed_words


def _to_dict(report: ReplayReport) -> dict[str, Any]:
    return {
        "question": report.operation,
        "neighbours": list(report.neighbours),
        "refused": report.refused,
        "parts": [
            {
                "part": _name_part(each),
                "norm": each.norm,
                "declared": each.declared_words,
                "observed": each.observed_words,
            }
            for each in report.moved
        ],
        "findings": [
            {"kind": each.kind.value, "neighbour": each.neighbour, "words": each.words} for each in report.findings
        ],
    }


def _count(many: int, word: str) -> str:
    return f"{many} {word}{'s' * (many != 1)}"
