"""`discreet local`: metrics, reports of people, their collection and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import TO_DO, show_errors
from discreet.cli.output import OutputFormat, OutputOptions, check_writable, progress

if TYPE_CHECKING:
    from discreet.local.client import Metric
    from discreet.local.counting import Intake

local = typer.Typer(help="Collect statistics from people who do not trust the collector.", no_args_is_help=True)

MetricArgument = Annotated[Path, typer.Argument(help="The metric, as JSON.", metavar="METRIC.json")]


class CountingEngine(StrEnum):
    """What counts files of reports."""

    NUMPY = "numpy"
    DUCKDB = "duckdb"
    SPARK = "spark"


@contextmanager
def show_local_errors() -> Iterator[None]:
    """Run a command; what the client refuses is shown like everything else that is refused."""
    from discreet.local.client import ClientError

    with show_errors():
        try:
            yield
        except ClientError as trouble:
            raise DiscreetError(str(trouble)) from None


@local.command()
def metric(
    name: Annotated[str, typer.Argument(help="What is collected.")],
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Of one report; smaller is more private.")],
    lifetime: Annotated[float, typer.Option(help="The epsilon of all reports of a person.")],
    daily: Annotated[float | None, typer.Option(help="And of those of one day.", show_default=False)] = None,
    choices: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The values; others are counted as (other).")
    ] = None,
    choices_file: Annotated[
        Path | None, typer.Option(help="Or a file with a value in each line.", show_default=False)
    ] = None,
    most_bytes: Annotated[int | None, typer.Option(help="Of a report's seed and payload.", show_default=False)] = None,
    mechanism: Annotated[
        str | None, typer.Option(help="direct, unary, subset, projective, hadamard or hashing.", show_default="advised")
    ] = None,
    reports: Annotated[int, typer.Option(help="About how many will come.")] = 1_000_000,
    version: Annotated[int, typer.Option(help="Of the metric; permanent noise is new for each.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the metric: .json.", show_default=False)
    ] = None,
) -> None:
    """Choose a mechanism, say why, and write the metric that clients and collector share."""
    with show_local_errors():
        if output is not None:
            check_writable(output)
        from discreet.cli.local_tables import show_advice
        from discreet.local.advisor import advise
        from discreet.local.client import Choices, Metric

        domain = Choices(_read_choices(choices, choices_file))
        advice = advise(epsilon, domain.size, most_bytes, reports)
        named = {each.mechanism.kind: each.mechanism for each in advice.candidates}
        if mechanism is not None and mechanism not in named:
            raise ParameterError("--mechanism", mechanism, f"one of {', '.join(named)} here")
        made = Metric(name, domain, named[mechanism] if mechanism else advice.mechanism, lifetime, daily, version)
        show_advice(advice, made)
        if output is not None:
            output.write_text(made.to_json() + "\n", encoding="utf-8")
            typer.echo(f"wrote {output}", err=True)


@local.command()
def simulate(
    metric: MetricArgument,
    output: Annotated[Path, typer.Option("-o", "--output", help="Write reports: .frames, .jsonl or .parquet.")],
    values: Annotated[
        Path | None, typer.Option(help="A file with people's values: .csv or .parquet.", show_default=False)
    ] = None,
    column: Annotated[str | None, typer.Option(help="Which column of it.", show_default=False)] = None,
    people: Annotated[
        int | None, typer.Option(help="Or so many people with made-up values.", show_default=False)
    ] = None,
    zipf: Annotated[float, typer.Option(help="How fast frequencies of made-up values fall.")] = 1.0,
) -> None:
    """Make the reports that people with these values would send."""
    with show_local_errors():
        check_writable(output)
        found = _read_metric(metric)
        from discreet.local.simulating import make_zipf, read_column
        from discreet.local.simulating import simulate as write_reports

        if (values is None) == (people is None) or (values is None) != (column is None):
            raise DiscreetError("give --values FILE --column NAME, or --people COUNT")
        given = read_column(values, column or "") if values else iter([make_zipf(found.domain, people or 0, zipf)])
        with progress("simulating"):
            count = write_reports(found, given, output)
        typer.echo(f"wrote {count:,} reports to {output}", err=True)


@local.command()
def encode(
    metric: MetricArgument,
    value: Annotated[str, typer.Argument(help="A person's value.")],
    client: Annotated[Path, typer.Option(help="The file of this person's client: secret and ledger.")],
    day: Annotated[str | None, typer.Option(help="Count it on this day.", show_default="today in UTC")] = None,
    hexadecimal: Annotated[bool, typer.Option("--hex", help="Print the bytes in hexadecimal digits.")] = False,
) -> None:
    """Print one person's report of a value; it is counted first."""
    with show_local_errors():
        from discreet.local.client import Client

        found = _read_metric(metric)
        person = Client.open(client, [found])
        report = person.report(found.name, _read_value(found, value), day)
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
) -> None:
    """Count files of reports, each batch once; a run that was killed is simply run again."""
    with show_local_errors():
        if batch is not None and len(files) > 1:
            raise DiscreetError("--batch names one file's reports; leave it out for several")
        from discreet.cli.local_tables import show_outcomes
        from discreet.local.collector import Collector, Fate

        with ExitStack() as stack:
            collector = stack.enter_context(Collector(checkpoint, None if metric is None else _read_metric(metric)))
            count = stack.enter_context(_open_engine(engine, collector.collection.metric, master))
            stack.enter_context(progress("counting"))
            outcomes = [collector.ingest(file, batch, count) for file in files]
            collected = collector.collection
        show_outcomes(outcomes, collected)
        if any(outcome.fate is Fate.REFUSED for outcome in outcomes):
            raise typer.Exit(TO_DO)


@local.command()
def decode(
    checkpoints: Annotated[list[Path], typer.Argument(help="What was collected; several are added up.")],
    top: Annotated[int | None, typer.Option(help="Show the most frequent only.", show_default="all")] = None,
    confidence: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    simultaneous: Annotated[bool, typer.Option("--simultaneous", help="Intervals that hold all at once.")] = False,
    malicious: Annotated[
        int | None, typer.Option(help="Show how far so many reports can mislead.", show_default="1 % of all", min=0)
    ] = None,
    format: Annotated[OutputFormat | None, typer.Option(help="The output's form.", show_default="table")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write it here.", show_default=False)] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw it: .png, .pdf or .svg.", show_default=False)] = None,
) -> None:
    """Estimate how frequent each value is, with standard errors and intervals."""
    with show_local_errors():
        asked = OutputOptions.of(format, output, plot, confidence, simultaneous)
        from discreet.cli.local_tables import write_decoded
        from discreet.local.collector import load_collection
        from discreet.local.decoding import decode as estimate_values

        collections = [load_collection(path) for path in checkpoints]
        whole = collections[0]
        for each in collections[1:]:
            whole += each
        write_decoded(estimate_values(whole, confidence, top), asked, malicious)


@local.command()
def lifetime(
    metric_file: Annotated[
        Path | None,
        typer.Argument(help="A metric, as JSON; without one, published deployments.", metavar="[METRIC.json]"),
    ] = None,
    daily: Annotated[int, typer.Option(help="Reports of the metric in one day.")] = 1,
    days: Annotated[str, typer.Option(metavar="N,N,...", help="After how many days.")] = "1,30,365",
) -> None:
    """Show what a person tells in a lifetime: of published deployments, or of a metric."""
    with show_local_errors():
        from discreet.cli.local_tables import show_lifetimes
        from discreet.local.lifetimes import tabulate_metric, tabulate_published

        try:
            many = tuple(int(each) for each in days.split(","))
        except ValueError:
            raise ParameterError("days", days, "whole numbers with commas between them") from None
        if metric_file is None:
            show_lifetimes(tabulate_published(many))
        else:
            show_lifetimes([tabulate_metric(_read_metric(metric_file), daily, many)])


def _read_metric(path: Path) -> Metric:
    from discreet.local.client import ClientError, read_metric

    try:
        return read_metric(path.read_bytes())
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble.strerror}") from None
    except ClientError as trouble:
        raise DiscreetError(f"{path}: {trouble}") from None


def _read_choices(listed: str | None, path: Path | None) -> tuple[str, ...]:
    if (listed is None) == (path is None):
        raise DiscreetError("give --choices A,B,... or --choices-file FILE")
    if listed is not None:
        return tuple(each.strip() for each in listed.split(","))
    assert path is not None
    try:
        return tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line)
    except (OSError, UnicodeDecodeError) as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble}") from None


def _read_value(metric: Metric, text: str) -> str | float:
    """Return the value that a text on the command line means: a number where the metric has numbers."""
    if metric.domain.gives != "number":
        return text
    try:
        return float(text)
    except ValueError:
        return text


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
