"""`discreet budget` and `discreet ledger`: what is left, what was spent, and whether the record was touched."""

from __future__ import annotations

import json
import shutil
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import LedgerError, ParameterError
from discreet.cli.errors import TO_DO, fail, show_errors
from discreet.cli.options import AnalystOption, EpsilonOption, FormatOption, ListFormat, PolicyOption, find_policy
from discreet.cli.owning import books

if TYPE_CHECKING:
    from discreet.ledger import Entry


def budget(
    epsilon: EpsilonOption = None,
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Show what is spent and left; with --epsilon, how many questions fit."""
    with show_errors(), books(policy, analyst) as kept:
        shares = kept.budget
        asked = [analyst] if analyst else [None, *(share.name for share in shares.analysts)]
        more = {} if epsilon is None else {name: shares.questions(epsilon, name) for name in asked}
        if format is ListFormat.JSON:
            told: dict[str, object] = {"total": shares.total.to_dict()}
            told["analysts"] = [share.to_dict() for share in shares.analysts]
            told["suspended"] = [str(each) for each in shares.suspended]
            told["questions"] = [{"analyst": name, "epsilon": epsilon, "fit": count} for name, count in more.items()]
            typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
            return
        lines = [str(shares)]
        for name, count in more.items():
            who = f" for {name}" if name else ""
            lines.append(f"questions at epsilon {epsilon:g} that still fit{who}: {count:,}")
        typer.echo("\n".join(lines))


def ledger(
    last: Annotated[int | None, typer.Option(min=1, help="Only the newest entries.", show_default=False)] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Recompute everything from the chain.")] = False,
    receipt: Annotated[
        str | None,
        typer.Option(help="With --verify: a receipt kept elsewhere, to find a cut tail.", show_default=False),
    ] = None,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Remove parts of results that died runs left, and nothing names.")
    ] = False,
    format: Annotated[ListFormat, typer.Option(help="How to write it.")] = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """List what was charged, answered and changed, or --verify it."""
    with show_errors():
        if receipt is not None and not verify:
            raise ParameterError("--receipt", receipt, "beside --verify")
        if sweep and verify:
            raise ParameterError("--sweep", "beside --verify", "given alone: verify first, then sweep")
        path = find_policy(policy)
        if sweep:
            _sweep(policy, format)
        elif verify:
            _verify(path, receipt, format)
        else:
            _list(path, last, analyst, format)


def _verify(path: Path, receipt: str | None, format: ListFormat) -> None:
    from discreet.answers import Mark
    from discreet.curator.owner.ledger_place import find_ledger_place
    from discreet.ledger import verify_place

    mark = Mark.parse(receipt) if receipt is not None else None
    try:
        place = find_ledger_place(path)
        found = verify_place(place, mark)
    except LedgerError as damaged:
        fail(str(damaged), TO_DO)
    head = f"{found.entries}:{found.head}"
    if format is ListFormat.JSON:
        told = {"ok": found.ok, "entries": found.entries, "head": head, "problems": list(found.problems)}
        left = [{"name": each.name, "bytes": each.bytes} for each in found.left]
        typer.echo(json.dumps({**told, "unproven": found.unproven, "left": left}, indent=1))
    elif found.ok:
        proven = f"; the receipt's entry {found.proven} is there" if mark else ""
        typer.echo(f"{place}: {found.entries} entries, all as the chain says{proven}")
        typer.echo(f"head: {head}")
        if found.unproven:
            typer.echo(f"note: {found.unproven}; give --receipt with one that was kept elsewhere")
        if found.left:
            typer.echo(f"note: {found.describe_left()}")
    else:
        typer.echo(f"{place}: this ledger was touched")
        typer.echo("\n".join(f"  {problem}" for problem in found.problems))
    if not found.ok:
        fail(f"verification failed: {len(found.problems)} problem{'s' if len(found.problems) > 1 else ''}", TO_DO)


def _sweep(policy: Path | None, format: ListFormat) -> None:
    with books(policy, None) as kept:
        found = kept.ledger.parts.sweep()
    if format is ListFormat.JSON:
        typer.echo(json.dumps([{"name": each.name, "bytes": each.bytes} for each in found], indent=1))
        return
    for each in found:
        typer.echo(f"removed {each.name}, {each.bytes:,} bytes")
    if not found:
        typer.echo("there is nothing that nothing names")


def _list(path: Path, last: int | None, analyst: str | None, format: ListFormat) -> None:
    from discreet.cli.entries import line, name_of
    from discreet.curator.owner.account import read_facts
    from discreet.curator.owner.ledger_place import find_ledger_place
    from discreet.ledger import Ledger
    from discreet.policy import load

    policy = load(path)
    if analyst is not None:
        policy.analyst(analyst)
    with Ledger.open(find_ledger_place(policy), read_facts(policy)) as opened_ledger:
        entries: deque[Entry] = deque(
            (entry for entry in opened_ledger.entries() if analyst is None or entry.body.get("analyst") == analyst),
            maxlen=last,
        )
    if format is ListFormat.JSON:
        rows = [
            {"number": each.number, "at": each.at, "kind": each.kind, "hash": each.hash, "body": each.body}
            for each in entries
        ]
        typer.echo(json.dumps(rows, indent=1))
        return
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else None
    names = max((len(name_of(entry)) for entry in entries), default=0)
    for entry in entries:
        typer.echo(line(entry, names, width))
