"""`discreet census`: a release of a whole country, consistent at every level, from a spec beside the policy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError, StoppedError
from discreet.cli.errors import TO_DO, show_errors
from discreet.cli.options import AskerOption, FormatOption, ListFormat, find_analyst
from discreet.cli.output import check_writable
from discreet.cli.robust_options import write_result

census = typer.Typer(
    help="Census releases: private counts of a whole geography, whole and consistent, with margins of error.",
    no_args_is_help=True,
)

SpecArgument = Annotated[Path, typer.Argument(help="The census spec, beside its policy.")]
ReleaseArgument = Annotated[Path, typer.Argument(help="The folder of a finished release.")]


class TableFiles(StrEnum):
    """What the tables of a release are written as."""

    PARQUET = "parquet"
    CSV = "csv"


STOPPED = "stopped. What was paid for and every level that is finished are kept: run the same again to go on"

LEFT_OUT = (
    "People in areas that the geography lacks, or with values that the spec lacks, are counted nowhere: "
    "`discreet census inspect` tells the owner how many there are"
)


@census.command()
def run(
    spec: SpecArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The folder to write into.", show_default="release beside it")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes.", show_default="one for each core")] = None,
    on: Annotated[str | None, typer.Option(help="A Spark engine of the policy whose executors solve.")] = None,
    replications: Annotated[int, typer.Option(help="How often it is made again to tell its errors; 0: never.")] = 2,
    files: Annotated[TableFiles, typer.Option(help="What tables are written as.")] = TableFiles.PARQUET,
    analyst: AskerOption = None,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Measure, estimate and write a release; stopped or killed, it goes on. The same again is free.

    Rows that the spec has no place for are left out silently: `discreet census inspect` shows them to the owner first,
    and `discreet census plan` says whether the release fits what is left of the budget.

    Example: discreet census run census.toml -o release
    """
    with show_errors():
        from discreet import topdown

        read = topdown.read_spec(spec)
        asker = find_analyst(analyst, read.policy.path)
        try:
            with show_areas() as watch:
                how: dict[str, Any] = {"analyst": asker, "workers": workers, "on": on, "replications": replications}
                found = topdown.run(read, output, watch=watch, files=files.value, **how)
        except KeyboardInterrupt:
            raise StoppedError(STOPPED) from None
        paid = None if found.payment is None else found.payment.to_dict()
        told = {"folder": str(found.folder), **found.told, "payment": paid}
        write_result(str(found), told, format is ListFormat.JSON)
        typer.echo(str(found.payment), err=True)
        typer.echo(f"wrote {found.folder}. {LEFT_OUT}", err=True)
        typer.echo(f"next: discreet census check {found.folder}", err=True)
        typer.echo(f"      discreet census report {found.folder} -o quality.html", err=True)


@census.command()
def inspect(spec: SpecArgument, format: FormatOption = ListFormat.TABLE) -> None:
    """Count how the rows fit the spec, before any charge: exact, for your eyes only; exit code 1 where much does not.

    Rows in areas or with values that the spec lacks, rows that cannot be, units with more rows than the limit, public
    numbers that the rows do not have, areas without people. Nothing is charged or written into the ledger.

    Example: discreet census inspect census.toml
    """
    with show_errors():
        from discreet import topdown

        found = topdown.inspect(spec)
        write_result(str(found), found.to_dict(), format is ListFormat.JSON)
        if found.to_do:
            raise typer.Exit(TO_DO)


@census.command()
def plan(
    spec: SpecArgument,
    target: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LEVEL/QUERY=ERROR",
            help="Find shares for a wanted error: County/total=5. Repeatable; `spec`: those that the spec names.",
            show_default=False,
        ),
    ] = None,
    analyst: AskerOption = None,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Say what a release costs, whether a run is admitted, and how far it will be off: free, no row is read.

    Exit code 1 where a run would be refused: by the budget, or for columns that the table lacks. What is measured
    although it is public already is told, with its share of rho.

    Example: discreet census plan census.toml --target "County/total=5" --target "Tract/total=10"
    """
    with show_errors():
        from discreet import topdown

        read = topdown.read_spec(spec)
        asker = find_analyst(analyst, read.policy.path)
        if target:
            wanted = None if target == ["spec"] else dict(read_target(each) for each in target)
            shares = topdown.plan_for_targets(read, wanted, asker)
            write_result(str(shares), shares.to_dict(), format is ListFormat.JSON)
            budget = shares.plan.budget
        else:
            errors = topdown.plan(read, asker)
            write_result(str(errors), errors.to_dict(), format is ListFormat.JSON)
            budget = errors.budget
        if budget is not None and not budget.is_admitted:
            raise typer.Exit(TO_DO)


@census.command()
def report(
    release: ReleaseArgument,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a page with pictures: .html.", show_default=False)
    ] = None,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Tell how good a finished release is: errors by level and size, bias, gaps, what was checked.

    Example: discreet census report release -o quality.html
    """
    with show_errors():
        from discreet import topdown
        from discreet.answers.page import check_page
        from discreet.topdown.release.report.quality import measure_quality

        if output is not None:
            check_page(output)
            check_writable(output)
        found = topdown.CensusRelease.open(release)
        if output is None or format is ListFormat.JSON:
            quality = measure_quality(found)
            write_result(str(quality), quality.to_dict(), format is ListFormat.JSON)
        if output is not None:
            topdown.write_report(found, output)
            typer.echo(f"wrote {output}", err=True)


@census.command()
def check(
    release: ReleaseArgument,
    spec: Annotated[
        Path | None, typer.Option(help="The census spec.", show_default="where it lay when the release was made")
    ] = None,
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Check every file of a finished release by a program of its own; exit code 1 where something is wrong.

    Example: discreet census check release
    """
    with show_errors():
        from discreet import topdown

        with show_areas() as watch:
            found = topdown.check(release, spec, watch)
        write_result(str(found), found.to_dict(), format is ListFormat.JSON)
        if not found.is_exact:
            raise typer.Exit(TO_DO)


@census.command()
def example(
    folder: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    blocks: Annotated[int, typer.Option(help="Smallest areas.")] = 990,
    people: Annotated[int | None, typer.Option(help="How many.", show_default="45 for each block")] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same state.")] = 20200401,
    regroup: Annotated[bool, typer.Option("--regroup", help="Measure block groups in groups of equal size.")] = False,
) -> None:
    """Write a generated state with the settings of the census of 2020, so that everything here can be tried.

    Example: discreet census example state && discreet census run state/census.toml
    """
    with show_errors():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise DiscreetError(f"{folder} is not empty; name a new folder")
        from discreet import topdown
        from discreet.curator import Curator

        sizes = (blocks, max(1, blocks // 33), max(1, blocks // 99), max(1, blocks // 990))
        state = topdown.make_state(folder, *sizes, blocks * 45 if people is None else people, seed, regroup=regroup)
        Curator.init(state.policy)
        typer.echo(f"wrote {folder}: people.parquet (private), public files, policy.toml with its ledger, census.toml")
        typer.echo(f"next: discreet census inspect {state.spec}")
        typer.echo(f"      discreet census plan {state.spec}")
        typer.echo(f"      discreet census run {state.spec}")


def read_target(text: str) -> tuple[tuple[str, str], Fraction]:
    """Return a wanted error.

    >>> read_target("Block group/total = 2.5")
    (('Block group', 'total'), Fraction(5, 2))
    """
    names, sign, number = text.rpartition("=")
    level, slash, query = names.partition("/")
    try:
        error = Fraction(number.strip())
    except (ValueError, ZeroDivisionError):
        error = Fraction(0)
    if not sign or error <= 0 or not slash or not level.strip() or not query.strip():
        raise ParameterError("--target", text, "LEVEL/QUERY=ERROR with an error above 0, such as County/total=5")
    return (level.strip(), query.strip()), error


@contextmanager
def show_areas() -> Iterator[Callable[[str, int, int], None] | None]:
    """Show on standard error what is done, and of how many areas, where somebody looks at it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, Any] = {}

        def watch(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = shown.add_task(stage, total=total or None)
            shown.update(tasks[stage], completed=done)

        yield watch
