"""`discreet local decode` and `strings`: what collected reports say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.base.errors import DiscreetError
from discreet.cli.local_inputs import MetricArgument, read_candidates, read_metric_file, show_local_errors
from discreet.cli.output import OutputFormat, OutputOptions, progress

Top = Annotated[int | None, typer.Option(help="Show the most frequent only.", show_default="all, or 20 words")]
Confidence = Annotated[float, typer.Option(help="Of the intervals.")]
Simultaneous = Annotated[bool, typer.Option("--simultaneous", help="Intervals that hold all at once.")]
Malicious = Annotated[
    int | None, typer.Option(help="Show how far so many reports can mislead.", show_default="1 % of all", min=0)
]
Format = Annotated[OutputFormat | None, typer.Option(help="The output's form.", show_default="table")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write it here.", show_default=False)]
Plot = Annotated[Path | None, typer.Option(help="Draw it: .png, .pdf or .svg.", show_default=False)]


def decode(
    checkpoints: Annotated[list[Path], typer.Argument(help="What was collected; several are added up.")],
    candidates: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,...", help="Texts to look for; of records ATTRIBUTE=A,B,...", show_default=False),
    ] = None,
    candidates_file: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Or a file with a text in each line; ATTRIBUTE=FILE.", show_default=False),
    ] = None,
    top: Top = None,
    confidence: Confidence = 0.95,
    simultaneous: Simultaneous = False,
    malicious: Malicious = None,
    format: Format = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """Estimate frequencies or means, with standard errors and intervals.

    Choices are all estimated; texts if they are candidates; of words the frequent ones are found.
    """
    with show_local_errors():
        asked = OutputOptions.of(format, output, plot, confidence, simultaneous)
        from discreet.cli.local_tables import write_decoded
        from discreet.local.collector import load_collection
        from discreet.local.decoding import decode as estimate_values

        collections = [load_collection(path) for path in checkpoints]
        for path, each in zip(checkpoints, collections, strict=True):
            if each.metric != collections[0].metric:
                words = f"{checkpoints[0]} has {collections[0].metric.name} and {path} has {each.metric.name}"
                raise DiscreetError(
                    f"{words}: checkpoints add up where they are of one metric, with the same parameters"
                )
        whole = collections[0]
        for each in collections[1:]:
            whole += each
        listed = read_candidates(whole.metric, candidates or [], candidates_file or [])
        with progress("decoding"):
            decoded = estimate_values(whole.intake, confidence, top, listed)
        write_decoded(decoded, asked, malicious)


def strings(
    metric: MetricArgument,
    files: Annotated[list[Path], typer.Argument(help="Files of reports: .frames, .jsonl or .parquet.")],
    alphabet: Annotated[str, typer.Option(help="The letters that texts may have.")] = "abcdefghijklmnopqrstuvwxyz",
    top: Top = None,
    confidence: Confidence = 0.95,
    simultaneous: Simultaneous = False,
    malicious: Malicious = None,
    format: Format = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """Find texts that nobody listed, by RAPPOR's reports of fragments: from these themselves, not from counts."""
    with show_local_errors():
        asked = OutputOptions.of(format, output, plot, confidence, simultaneous)
        from discreet.cli.local_tables import write_decoded
        from discreet.local.client import RapporStrings
        from discreet.local.decoding import Decoded
        from discreet.local.kept_reports import read_reports
        from discreet.local.rappor.strings import find_strings
        from discreet.local.readings import read_rappor

        found = read_metric_file(metric)
        if not isinstance(found.mechanism, RapporStrings):
            told = "its counts are enough: use collect and decode"
            raise DiscreetError(f"{found.name} is told by {found.mechanism.kind}, not by RAPPOR with fragments; {told}")
        with progress("decoding"):
            batch, intake = read_reports(found, files)
            if not len(batch):
                raise DiscreetError(f"there is no sound report of {found.name} in these files")
            decoded = find_strings(found.mechanism, batch, alphabet, confidence).decoded
        write_decoded(Decoded(intake, (read_rappor(found, decoded).show_top(top),)), asked, malicious)
