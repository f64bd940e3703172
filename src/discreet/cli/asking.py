"""`discreet ask`, `explain` and `bounds`: questions, what they would cost, and bounds found privately."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.base.errors import BudgetError, DiscreetError, PendingError, QueryError
from discreet.cli.errors import PENDING, fail, show_errors
from discreet.cli.options import (
    AskerOption,
    ClampingOption,
    EpsilonOption,
    FileOption,
    FormatOption,
    KeyDeltaOption,
    KeysOption,
    LeftOutOption,
    ListFormat,
    MaxGroupsOption,
    MaxPerGroupOption,
    MaxRowsOption,
    ParamOption,
    PolicyOption,
    QuestionArgument,
    RhoOption,
    WithinOption,
    errors_wanted,
    find_analyst,
    find_policy,
    parameters,
)
from discreet.cli.output import OutputFormat, OutputOptions, progress

if TYPE_CHECKING:
    from discreet import Curator
    from discreet.curator.asking.prepared import Prepared

LONGEST = 1_000_000
"""Bytes of a question that are read; the parser refuses far shorter ones."""


def ask(
    question: QuestionArgument = None,
    file: FileOption = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    within: WithinOption = None,
    param: ParamOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Pay for new noise, even if this was asked before.")] = False,
    clamping: ClampingOption = False,
    left_out: LeftOutOption = None,
    keys: KeysOption = None,
    key_delta: KeyDeltaOption = None,
    max_rows: MaxRowsOption = None,
    max_groups: MaxGroupsOption = None,
    max_rows_per_group: MaxPerGroupOption = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    simultaneous: Annotated[bool, typer.Option("--simultaneous", help="Intervals that hold all at once.")] = False,
    format: Annotated[OutputFormat | None, typer.Option(help="How to write the answer.", show_default="table")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write to this file.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw bars with intervals into this file.", show_default=False)
    ] = None,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Answer a question in SQL and pay for it; the same again is free."""
    with show_errors():
        wanted = OutputOptions.of(format, output, plot, confidence, simultaneous)
        text = _question(question, file)
        how = _how(rho, within, param, clamping, keys, left_out) | {"key_delta": key_delta}
        limits: dict[str, Any] = {
            "max_rows": max_rows,
            "max_groups": max_groups,
            "max_rows_per_group": max_rows_per_group,
        }
        with _opened(policy, analyst) as curator, _in_options(), _say_pending(), progress("asking") as shown:
            prepared = curator.prepare(text, epsilon, **how, **limits)
            wanted.check_fields(prepared.fields)
            _say_hints(prepared, curator)
            answer = prepared.ask(fresh=fresh, progress=shown)
        wanted.write(answer)


def explain(
    question: QuestionArgument = None,
    file: FileOption = None,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    within: WithinOption = None,
    param: ParamOption = None,
    clamping: ClampingOption = False,
    left_out: LeftOutOption = None,
    keys: KeysOption = None,
    key_delta: KeyDeltaOption = None,
    max_rows: MaxRowsOption = None,
    max_groups: MaxGroupsOption = None,
    max_rows_per_group: MaxPerGroupOption = None,
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Say what a question would do and cost; free."""
    with show_errors():
        text = _question(question, file)
        how = _how(rho, within, param, clamping, keys, left_out) | {"key_delta": key_delta}
        limits: dict[str, Any] = {
            "max_rows": max_rows,
            "max_groups": max_groups,
            "max_rows_per_group": max_rows_per_group,
        }
        with _opened(policy, analyst) as curator, _in_options():
            found = curator.explain(text, epsilon, **how, **limits)
            typer.echo(str(found) if format is ListFormat.TABLE else _write_json(found.to_dict()))


def bounds(
    column: Annotated[str, typer.Argument(help="A numeric column with its table, such as visits.cost.")],
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="What to spend; smaller is more private.")],
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AskerOption = None,
) -> None:
    """Find bounds of a column privately, paid like any question."""
    with show_errors():
        with _opened(policy, analyst) as curator, _say_pending(), progress("finding bounds") as shown:
            found = curator.bounds(column, epsilon, progress=shown)
        if format is ListFormat.JSON:
            ends = (None if each is None else float(each) for each in (found.lower, found.upper))
            told = dict(zip(("column", "lower", "upper"), (found.column, *ends), strict=True))
            typer.echo(_write_json({**told, "receipt": found.receipt.to_dict()}))
            return
        typer.echo(str(found))
        typer.echo(f"receipt: {found.receipt}; {found.receipt.paid}", err=True)


def _opened(policy: Path | None, analyst: str | None) -> Curator:
    from discreet import Curator

    path = find_policy(policy)
    return Curator.open(path, find_analyst(analyst, path))


def _question(text: str | None, file: Path | None) -> str:
    """Return the question: the argument, a file's text, or standard input."""
    if text is not None and file is not None:
        raise QueryError("the question was given twice, as text and with -f; give it once")
    if file is not None:
        try:
            return file.read_bytes()[:LONGEST].decode("utf-8-sig")
        except OSError as trouble:
            raise DiscreetError(f"{file} cannot be read ({trouble.strerror}); name a readable file") from None
        except UnicodeDecodeError:
            raise DiscreetError(f"{file} is not UTF-8; save it as UTF-8") from None
    if text is not None and text != "-":
        return text
    if text is None and sys.stdin.isatty():
        raise QueryError("there is no question; write it in quotes, or name a file with -f, or pipe it in")
    return sys.stdin.read(LONGEST)


def _write_json(told: dict[str, Any]) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)


def _say_hints(prepared: Prepared, curator: Curator) -> None:
    """Say before the charge which constants lie outside of what is declared."""
    from discreet.curator.asking.hints import find_hints

    for hint in find_hints(prepared.question, curator.policy):
        typer.echo(f"note: {hint}", err=True)


@contextmanager
def _say_pending() -> Iterator[None]:
    """Say at once that an answer will come later; closing the curator then waits until it is recorded."""
    try:
        yield
    except PendingError as pending:
        fail(str(pending), PENDING)


@contextmanager
def _in_options() -> Iterator[None]:
    """Say what to write as options, where a message says it as Python would."""
    try:
        yield
    except BudgetError as trouble:
        raise BudgetError(str(trouble).replace("key_delta=", "--key-delta "), trouble.fits) from None
    except QueryError as trouble:
        said = re.sub(r"params=\{'(\w+)': \.\.\.\}", r"--param \1=...", str(trouble))
        raise QueryError(re.sub(r"(?<![\w-])(epsilon|rho)=", r"--\1 ", said)) from None


def _how(
    rho: float | None,
    within: list[str] | None,
    param: list[str] | None,
    clamping: bool,
    keys: Path | None,
    left_out: str | None,
) -> dict[str, Any]:
    """Return what asking and explaining have in common, as the curator takes it."""
    from discreet.query.given_keys import WrittenKeys

    how: dict[str, Any] = {"rho": rho, "within": errors_wanted(within), "params": parameters(param)}
    how["clamping"] = clamping
    how["left_out"] = int(left_out) if left_out is not None and left_out.isdecimal() else left_out
    return how if keys is None else how | {"keys": WrittenKeys.read(keys)}
