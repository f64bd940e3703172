"""`discreet init`, `check`, `tables`, `data`, `resume`, `retry`, `failures`: what the owner of the data does."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import LedgerError, ParameterError, PolicyError
from discreet.cli.errors import TO_DO, show_errors
from discreet.cli.options import POLICY, AnalystOption, FormatOption, ListFormat, PolicyOption, find_policy

if TYPE_CHECKING:
    from discreet import Curator
    from discreet.curator.owner.account import Account
    from discreet.curator.owner.check import Finding
    from discreet.curator.owner.fit import PolicyFit

data = typer.Typer(help="List data versions; `data accept` takes changed files.", no_args_is_help=False)


def init(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Parquet, csv or duckdb files, patterns or folders to draft a policy for.",
            show_default=False,
        ),
    ] = None,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Draft a policy for data files; without files, create the ledger."""
    with show_errors():
        if not sources:
            _create(find_policy(policy), analyst)
            return
        path = policy / POLICY if policy and policy.is_dir() else policy or Path(POLICY)
        if not path.exists():
            _draft(sources, path)
            return
        if _draft_more(sources, path):
            return
        try:
            _create(path, analyst)
        except PolicyError as wrong:
            raise PolicyError(f"{path} exists and is not overwritten; complete it:\n{wrong}") from None
        except LedgerError as there:
            raise LedgerError(f"{path} has a table for each of these files, so nothing is drafted; {there}") from None


def check(
    fit: Annotated[
        bool, typer.Option("--fit", help="Also count how the rows fit what is declared: exact, for your eyes only.")
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option("--epsilon", "-e", help="With --fit: of the count whose noise is shown.", show_default=False),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="With --fit: draw what max_rows does into this file.", show_default=False)
    ] = None,
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Check policy, sources, ledger and data versions; with --fit, for the owner alone, how the rows fit them."""
    with show_errors():
        from discreet.curator.owner.check import check_policy

        _check_fit_options(fit, epsilon, plot, analyst)
        path = find_policy(policy)
        findings = list(check_policy(path))
        if analyst is not None:
            opened(policy, analyst).close()
        readable = not any(each.to_do and each.what in ("policy", "source") for each in findings)
        fitted = _fit(path, epsilon, plot) if fit and readable else None
        to_do = sum(each.to_do for each in findings) + (fitted.to_do if fitted is not None else 0)
        if format is ListFormat.JSON:
            told: dict[str, object] = {"to_do": to_do, "findings": [asdict(each) for each in findings]}
            told |= {} if fitted is None else {"fit": fitted.as_dict()}
            typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        else:
            _show_findings(findings, fitted, to_do)
        if to_do:
            raise typer.Exit(TO_DO)


def _check_fit_options(fit: bool, epsilon: float | None, plot: Path | None, analyst: str | None) -> None:
    """Refuse what cannot be meant. What --fit counts is exact: it is for nobody who asks."""
    if fit and analyst is not None:
        raise ParameterError("--analyst", analyst, "left out with --fit: it is for the owner's eyes, and no analyst's")
    for name, given in (("--epsilon", epsilon), ("--plot", plot)):
        if given is not None and not fit:
            raise ParameterError(name, str(given), "beside --fit")
    if plot is not None:
        from discreet.cli.fitting import check_plot

        check_plot(plot)


def _fit(path: Path, epsilon: float | None, plot: Path | None) -> PolicyFit:
    from discreet.curator.owner.fit import fit_policy

    fitted = fit_policy(path, epsilon)
    if plot is not None:
        from discreet.cli.fitting import draw

        draw(fitted, plot)
    return fitted


def _show_findings(findings: list[Finding], fitted: PolicyFit | None, to_do: int) -> None:
    for finding in findings:
        mark = "to do" if finding.to_do else "note" if finding.what == "warning" else "ok"
        typer.echo(f"{mark:5}  {finding.what:7}  {finding.words}")
    if fitted is not None:
        from discreet.cli.fitting import show

        show(fitted)
    if to_do:
        typer.echo(f"\n{to_do} thing{'s' if to_do > 1 else ''} to do")
    elif fitted is not None:
        typer.echo("\neverything fits, and so do the rows: `discreet ask` answers")
    else:
        typer.echo(
            "\neverything fits: `discreet ask` answers. Whether the rows do, `discreet check --fit` tells you alone"
        )


def tables(format: FormatOption = ListFormat.TABLE, policy: PolicyOption = None, analyst: AnalystOption = None) -> None:
    """List the tables with all that is public about them; free."""
    with show_errors(), opened(policy, analyst) as curator:
        if format is ListFormat.JSON:
            from discreet.server.public_facts import write_tables

            typer.echo(json.dumps(write_tables(curator.tables), indent=2, ensure_ascii=False))
            return
        typer.echo(str(curator.tables))


@data.callback(invoke_without_command=True)
def versions(
    context: typer.Context,
    format: FormatOption = ListFormat.TABLE,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """List the tables with their versions, and whether their files changed since; `data accept` takes changed ones."""
    if context.invoked_subcommand is not None:
        return
    with show_errors(), opened(policy, analyst) as curator:
        states = curator.data_states
        if format is ListFormat.JSON:
            listed = [{**asdict(state), "remedy": state.remedy} for state in states]
            typer.echo(json.dumps(listed, indent=2, ensure_ascii=False))
            return
        width = max(len(state.table) for state in states)
        for state in states:
            told = "named in the policy" if state.declared else "as accepted" if state.accepted else ""
            typer.echo(f"{state.table:<{width}}  version {state.version!r}, {state.remedy or told}")


@data.command()
def accept(
    context: typer.Context,
    table: Annotated[str, typer.Argument(help="The table whose files changed.")],
    version: Annotated[str, typer.Option(help="Your name for the new state of the data.")],
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Take changed files under a new version: questions are answered anew on them, from what is left of the budget."""
    before = context.parent.params if context.parent else {}
    with show_errors(), opened(policy or before.get("policy"), analyst or before.get("analyst")) as curator:
        state = curator.accept(table, version)
        typer.echo(
            f"{state.table} is at version {state.version!r} now; answers about earlier versions stay as they are"
        )


def resume(
    name: Annotated[
        str | None, typer.Argument(help="The analyst, where the policy has analysts.", show_default=False)
    ] = None,
    policy: PolicyOption = None,
    analyst: AnalystOption = None,
) -> None:
    """Let an analyst ask again after a failure that you have seen to."""
    with show_errors(), books(policy, None) as kept:
        if name is not None and analyst is not None and name != analyst:
            raise ParameterError("--analyst", analyst, f"left out, or {name!r} as well")
        kept.resume(name if name is not None else analyst)
        typer.echo(f"{name or analyst or 'everybody'} may ask again; what was charged and failed runs again for that")


def retry(
    entry: Annotated[int, typer.Argument(help="The number of the charge, as the refusal named it.")],
    policy: PolicyOption = None,
) -> None:
    """Let a charge be run again whose runs died twice, once you have seen to why."""
    with show_errors(), books(policy, None) as kept:
        kept.retry(entry)
        typer.echo(f"entry {entry} may be run again, for what it has paid: ask the same question")


def failures(
    last: Annotated[int | None, typer.Option(help="Only so many, the newest.", min=1, show_default=False)] = None,
    format: Annotated[ListFormat, typer.Option(help="How to write it.")] = ListFormat.TABLE,
    policy: PolicyOption = None,
) -> None:
    """List what failed after its charge, in the engine's own words. They may quote rows: for your eyes only."""
    with show_errors(), books(policy, None) as kept:
        found = kept.failures[-last:] if last is not None else kept.failures
        if format is ListFormat.JSON:
            typer.echo(json.dumps([asdict(failure) for failure in found], indent=2, ensure_ascii=False))
            return
        from discreet.answers.words import to_one_line

        for failure in found:
            typer.echo(to_one_line(str(failure)))
        if not found:
            typer.echo("nothing failed")


def opened(policy: Path | None, analyst: str | None) -> Curator:
    """Open the curator for the operator, who need not name an analyst."""
    from discreet import Curator

    return Curator.open(find_policy(policy), analyst, operator=True)


def books(policy: Path | None, analyst: str | None) -> Account:
    """Open the ledger alone for the operator: it needs no table."""
    from discreet.curator.owner.account import open_account

    return open_account(find_policy(policy), analyst)


def _create(path: Path, analyst: str | None) -> None:
    from discreet import Curator
    from discreet.policy import load

    policy = load(path)
    if analyst is not None:
        policy.analyst(analyst)
    place = Curator.init(path)
    where = place if isinstance(place, Path) else f"in {place}"
    typer.echo(
        f"created the ledger {where}\nKeep it: it is the only memory of what was spent. Back it up with the data."
    )
    typer.echo("`discreet check` says whether everything fits, and `discreet ask` answers.")


def _draft(sources: list[str], path: Path) -> None:
    from discreet.engines.duck.schemas import read_schemas
    from discreet.policy import draft_policy, loads

    if not path.parent.is_dir():
        raise PolicyError(f"there is no folder {path.parent}; make it first")
    text = draft_policy(*read_schemas(sources, path))
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    proposed = ", and types that the first rows of csv files fit: confirm these" if _has_csv(sources) else " alone"
    typer.echo(f"drafted {path} from names and types{proposed}. Fill in what only you can say:\n")
    try:
        loads(text, path)
    except PolicyError as missing:
        typer.echo(str(missing).replace(f"{path}: ", "  "))
    typer.echo("\nThen `discreet init` creates the ledger. Nothing can be asked before.")


def _draft_more(sources: list[str], path: Path) -> bool:
    """Print tables for files that a policy does not have yet; say whether there were any.

    They are not written into it: it would be refused until they are filled in, and it may be in use.
    """
    from discreet.engines.duck.schemas import read_schemas
    from discreet.policy import draft_tables

    found, inner = read_schemas(sources, path, _list_sources(path))
    if not found:
        return False
    typer.echo(draft_tables(found, inner).lstrip("\n"), nl=False)
    typer.echo(f"add this to {path}, filled in; the ledger stays as it is, and so does what was spent", err=True)
    return True


def _list_sources(path: Path) -> dict[str, str | None]:
    """Return the tables of a policy that may not be filled in yet, with their sources."""
    import tomllib

    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("tables", {})
    except (OSError, ValueError):
        return {}
    known = tables.items() if isinstance(tables, dict) else ()
    return {name: each.get("source") for name, each in known if isinstance(each, dict)}


def _has_csv(sources: list[str]) -> bool:
    return any(each.endswith((".csv", ".csv.gz")) or any(Path(each).glob("*.csv")) for each in sources)
