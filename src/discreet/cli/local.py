"""`discreet local`: metrics, reports of people, their collection and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import TO_DO
from discreet.cli.local_decoding import decode, strings
from discreet.cli.local_inputs import MetricArgument, read_metric_file, read_value, show_local_errors
from discreet.cli.local_metric import metric
from discreet.cli.options import FormatOption, ListFormat
from discreet.cli.output import check_writable, progress

if TYPE_CHECKING:
    from discreet.local.client import Metric
    from discreet.local.counting import Intake

local = typer.Typer(help="Collect statistics from people who do not trust the collector.", no_args_is_help=True)


class CountingEngine(StrEnum):
    """What counts files of reports."""

    NUMPY = "numpy"
    DUCKDB = "duckdb"
    SPARK = "spark"


local.command()(metric)
local.command()(decode)
local.command()(strings)


@local.command()
def simulate(
    metric: MetricArgument,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write reports: .frames, .jsonl or .parquet.")],
    values: Annotated[
        Path | None, typer.Option(help="A file with people's values: .csv or .parquet.", show_default=False)
    ] = None,
    column: Annotated[
        str | None, typer.Option(help="Which column of it; records take those of their names.", show_default=False)
    ] = None,
    people: Annotated[
        int | None, typer.Option(help="Or so many people with made-up values.", show_default=False)
    ] = None,
    zipf: Annotated[float, typer.Option(help="How fast frequencies of made-up values fall.")] = 1.0,
) -> None:
    """Make the reports that people with these values would send."""
    with show_local_errors():
        check_writable(output)
        found = read_metric_file(metric)
        from discreet.local.client import Records
        from discreet.local.simulating import make_values, read_column, read_columns
        from discreet.local.simulating import simulate as write_reports

        records = found.domain if isinstance(found.domain, Records) else None
        if (values is None) == (people is None) or (column is None) != (values is None or records is not None):
            form = (
                "--values FILE, whose columns have the attributes' names" if records else "--values FILE --column NAME"
            )
            raise DiscreetError(f"give {form}, or --people COUNT")
        if values is None:
            given = iter([make_values(found.domain, people or 0, zipf)])
        else:
            given = read_columns(values, records.names) if records else read_column(values, column or "")
        with progress("simulating"):
            count, strays = write_reports(found, given, output)
        typer.echo(f"wrote {count:,} reports to {output}", err=True)
        if strays:
            words = "are not among the choices and count as (other), or are no numbers and count as the middle"
            typer.echo(f"{strays:,} values {words}", err=True)


@local.command()
def encode(
    metric: MetricArgument,
    value: Annotated[str, typer.Argument(help="A person's value; of records, a JSON object.")],
    client: Annotated[Path, typer.Option(help="The file of this person's client: secret and ledger.")],
    day: Annotated[str | None, typer.Option(help="Count it on this day.", show_default="today in UTC")] = None,
    hexadecimal: Annotated[bool, typer.Option("--hex", help="Print the bytes in hexadecimal digits.")] = False,
) -> None:
    """Print one person's report of a value; it is counted first."""
    with show_local_errors():
        from discreet.local.client import Client

        found = read_metric_file(metric)
        aside = set(client.parent.glob(f"{client.name}.damaged-*"))
        person = Client.open(client, [found])
        for file in sorted(set(client.parent.glob(f"{client.name}.damaged-*")) - aside):
            typer.echo(f"{client} was no sound file of a client: it is now {file}, and a new lifetime began", err=True)
        report = person.report(found.name, read_value(found, value), day)
        typer.echo(report.to_bytes().hex() if hexadecimal else report.to_json())
        spent = person.sum_spending(found.name, day)
        caps = f"of {found.lifetime:g} in lifetime {person.lifetime}"
        caps += "" if found.daily is None else f"; {float(spent.day):.4g} of {found.daily:g} on this day"
        typer.echo(f"told so far: epsilon {float(spent.whole):.4g} {caps}", err=True)


@local.command()
def collect(
    checkpoint: Annotated[Path, typer.Argument(help="Where counts are kept.")],
    files: Annotated[list[Path], typer.Argument(help="Files of reports: .frames, .jsonl or .parquet.")],
    metric: Annotated[
        Path | None, typer.Option("--metric", help="What is collected; needed once.", show_default=False)
    ] = None,
    batch: Annotated[
        str | None, typer.Option(help="The batch's name, for one file.", show_default="the file's")
    ] = None,
    engine: Annotated[CountingEngine, typer.Option(help="What counts; all but numpy read Parquet.")] = (
        CountingEngine.NUMPY
    ),
    master: Annotated[str, typer.Option(help="Of Spark.")] = "local[*]",
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Count files of reports, each batch once; a run that was killed is simply run again."""
    with show_local_errors():
        if batch is not None and len(files) > 1:
            raise DiscreetError("--batch names one file's reports; leave it out for several")
        from discreet.cli.local_tables import show_outcomes, write_outcomes
        from discreet.local.collector import Collector, Fate

        with ExitStack() as stack:
            collector = stack.enter_context(Collector(checkpoint, None if metric is None else read_metric_file(metric)))
            count = stack.enter_context(_open_engine(engine, collector.collection.metric, master))
            stack.enter_context(progress("counting"))
            outcomes = [collector.ingest(file, batch, count) for file in files]
            collected = collector.collection
        if format is ListFormat.JSON:
            typer.echo(write_outcomes(outcomes, collected))
        else:
            show_outcomes(outcomes, collected)
        if any(outcome.fate is Fate.REFUSED for outcome in outcomes):
            raise typer.Exit(TO_DO)


@local.command()
def lifetime(
    metric_file: Annotated[
        Path | None,
        typer.Argument(help="A metric, as JSON; without one, published deployments.", metavar="[METRIC.json]"),
    ] = None,
    daily: Annotated[int, typer.Option(help="Reports of the metric in one day.")] = 1,
    days: Annotated[str, typer.Option(metavar="N,N,...", help="After how many days.")] = "1,30,365",
    format: FormatOption = ListFormat.TABLE,
) -> None:
    """Show what a person tells in a lifetime: of published deployments, or of a metric."""
    with show_local_errors():
        from discreet.cli.local_tables import show_lifetimes, write_lifetimes
        from discreet.local.lifetimes import tabulate_metric, tabulate_published

        try:
            many = tuple(int(each) for each in days.split(","))
        except ValueError:
            raise ParameterError("days", days, "whole numbers with commas between them") from None
        if metric_file is None:
            found = tabulate_published(many)
        else:
            found = [tabulate_metric(read_metric_file(metric_file), daily, many)]
        if format is ListFormat.JSON:
            typer.echo(write_lifetimes(found))
        else:
            show_lifetimes(found)


@contextmanager
def _open_engine(engine: CountingEngine, metric: Metric, master: str) -> Iterator[Callable[[Path], Intake] | None]:
    """Give what counts one file on an engine; nothing for numpy."""
    from discreet.local.engine_counts import count_on_duck, count_on_spark

    if engine is CountingEngine.NUMPY:
        yield None
    elif engine is CountingEngine.DUCKDB:
        yield lambda path: count_on_duck(metric, [str(path)])
    else:
        from discreet.engines.spark.session import connect
        from discreet.policy.model import DeclaredEngine, EngineKind

        connection = connect(DeclaredEngine("spark", EngineKind.SPARK, master=master), Path("--master"))
        try:
            yield lambda path: count_on_spark(connection.session, metric, [str(path)])
        finally:
            connection.close()
