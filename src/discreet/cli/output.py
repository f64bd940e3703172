"""Where an answer goes: the terminal, a file, a picture. Everything is checked before the question is charged."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from discreet.base.errors import DiscreetError, FailedError, ParameterError

if TYPE_CHECKING:
    from discreet.answers import Answer
    from discreet.answers.fields import Field
    from discreet.answers.sheet import Sheet

PICTURES = (".png", ".pdf", ".svg")


class OutputFormat(StrEnum):
    """The forms of an answer."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


ENDINGS = {
    ".txt": OutputFormat.TABLE,
    **{f".{word}": word for word in (OutputFormat.CSV, OutputFormat.JSON, OutputFormat.PARQUET)},
}


BARE = (OutputFormat.CSV, OutputFormat.PARQUET)
"""Forms that hold values and intervals alone."""


@dataclass(frozen=True)
class OutputOptions:
    """What was asked for about the output; `of` has checked that it can be done."""

    format: OutputFormat
    file: Path | None
    plot: Path | None
    confidence: float
    simultaneous: bool

    @classmethod
    def of(
        cls, format: OutputFormat | None, file: Path | None, plot: Path | None, confidence: float, simultaneous: bool
    ) -> OutputOptions:
        """Return the output, or refuse what could only fail after the charge."""
        from discreet.base import check

        check.confidence(confidence)
        for path in (file, plot):
            if path is not None:
                check_writable(path)
        if format is None:
            format = OutputFormat.TABLE if file is None else ENDINGS.get(file.suffix.lower())
            if format is None:
                raise ParameterError("-o", str(file), "a file in .csv, .json, .parquet or .txt, or --format beside it")
        if format is OutputFormat.PARQUET and file is None:
            raise DiscreetError("--format parquet is for files: add -o FILE")
        if plot is not None and plot.suffix.lower() not in PICTURES:
            raise ParameterError("--plot", str(plot), f"a file that ends in {', '.join(PICTURES)}")
        if plot is not None and find_spec("matplotlib") is None:
            raise DiscreetError("plots need matplotlib: pip install 'discreet[plot]'")
        return cls(format, file, plot, confidence, simultaneous)

    def check_fields(self, fields: Sequence[Field]) -> None:
        """Refuse a picture of columns that could not be drawn: they are known before the charge."""
        from discreet.answers.picture_parts import list_drawn

        if self.plot is not None and not list_drawn(fields):
            raise DiscreetError("--plot draws noisy numbers, and this answer will have none; leave it out")

    def write(self, answer: Answer) -> None:
        """Write the answer: to standard output goes the answer and nothing else."""
        try:
            self._write(answer)
        except OSError as trouble:
            if isinstance(trouble, BrokenPipeError):
                raise
            place = trouble.filename or self.file or self.plot
            kept = "The answer is paid for and kept: asking again is free"
            raise FailedError(f"{place} could not be written ({trouble.strerror}). {kept}") from None

    def _write(self, answer: Answer) -> None:
        if self.file is None:
            typer.echo(self._text(answer).removesuffix("\n"))
        elif self.format is OutputFormat.TABLE:
            wide = answer.text(width=120, confidence=self.confidence, simultaneous=self.simultaneous)
            self.file.write_text(wide + "\n", encoding="utf-8")
        else:
            answer.save(self.file, self.format.value, self.confidence, self.simultaneous)
        sheet = answer.sheet(self.confidence, self.simultaneous)
        if self.format in BARE:
            _say_terms(sheet)
        drawn = self.plot if sheet.rows else None
        if drawn is not None:
            answer.plot(drawn, self.confidence, self.simultaneous)
        elif self.plot is not None:
            typer.echo("there is no row to draw", err=True)
        for place in (self.file, drawn):
            if place is not None:
                typer.echo(f"wrote {place}", err=True)

    def _text(self, answer: Answer) -> str:
        if self.format is OutputFormat.CSV:
            return answer.to_csv(self.confidence, self.simultaneous)
        if self.format is OutputFormat.JSON:
            return answer.to_json(self.confidence, self.simultaneous)
        terminal = sys.stdout.isatty()
        columns = shutil.get_terminal_size((100, 24)).columns
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        return answer.text(columns, self.confidence, self.simultaneous, encoding, 60 if terminal else None)


def _say_terms(sheet: Sheet) -> None:
    """Say on standard error what such a file has no place for: guarantee, cost, receipt and notes."""
    from discreet.answers.words import describe, to_one_line

    for label, words in describe(sheet):
        typer.echo(to_one_line(f"{label}: {words}" if label else words), err=True)


def check_writable(path: Path) -> None:
    """Refuse a place where no file can be written."""
    folder = path.parent
    if path.is_dir():
        raise DiscreetError(f"{path} is a folder; name a file")
    if not folder.is_dir():
        raise DiscreetError(f"there is no folder {folder}; make it first")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise DiscreetError(f"{path} cannot be written; name another file")


@contextmanager
def progress(words: str) -> Iterator[Callable[[object], None] | None]:
    """Show on standard error that a question runs, where somebody looks at it; it vanishes at the end.

    Only the time is shown: how far an engine is depends on the data, and what is shown before a run is killed and run
    again would be a second release.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(words, total=None)
        yield lambda _: shown.refresh()
