"""What `discreet local` is given: metrics, values, and lists of texts."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.base.errors import DiscreetError, ParameterError
from discreet.cli.errors import show_errors

if TYPE_CHECKING:
    from discreet.local.client import Metric, Records

MetricArgument = Annotated[Path, typer.Argument(help="The metric, as JSON.", metavar="METRIC.json")]


@contextmanager
def show_local_errors() -> Iterator[None]:
    """Run a command; what the client refuses is shown like everything else that is refused."""
    from discreet.local.client import ClientError

    with show_errors():
        try:
            yield
        except ClientError as trouble:
            raise DiscreetError(str(trouble)) from None


def read_metric_file(path: Path) -> Metric:
    """Return the metric of a file."""
    from discreet.local.client import ClientError, read_metric

    try:
        return read_metric(path.read_bytes())
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble.strerror}") from None
    except ClientError as trouble:
        raise DiscreetError(f"{path}: {trouble}") from None


def split_texts(listed: str) -> tuple[str, ...]:
    """Return texts with commas between them."""
    return tuple(each.strip() for each in listed.split(","))


def read_texts(path: Path) -> tuple[str, ...]:
    """Return the lines of a file, without empty ones."""
    try:
        return tuple(line for line in path.read_text(encoding="utf-8").splitlines() if line)
    except (OSError, UnicodeDecodeError) as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble}") from None


def read_numbers(option: str, text: str, form: str) -> list[float]:
    """Return the numbers of an option, with commas between them."""
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise ParameterError(option, text, f"numbers with commas between them: {form}") from None


def read_candidates(
    metric: Metric, listed: Sequence[str], files: Sequence[str]
) -> tuple[str, ...] | Mapping[str, tuple[str, ...]] | None:
    """Return the texts to look for, once for each attribute where the metric has records."""
    from discreet.local.client import Records

    given = [(text, split_texts) for text in listed] + [(path, lambda name: read_texts(Path(name))) for path in files]
    if not given:
        return None
    if not isinstance(metric.domain, Records):
        return tuple(dict.fromkeys(text for words, read in given for text in read(words)))
    found: dict[str, tuple[str, ...]] = {}
    for words, read in given:
        name, sign, rest = words.partition("=")
        if not sign or name not in metric.domain.names:
            several = ", ".join(metric.domain.names)
            raise ParameterError("--candidates", words, f"ATTRIBUTE=..., with one of the attributes {several}")
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *read(rest))))
    return found


def read_value(metric: Metric, text: str) -> Any:
    """Return the value that a text on the command line means; say, to this person alone, where it means none.

    It is never refused: whether a report is sent must not depend on the value.
    """
    from discreet.local.client import Records

    if metric.domain.gives == "number":
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            typer.echo("this is no number: it counts as the middle between the bounds", err=True)
        return number
    if metric.domain.gives == "record":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            example = '{"age": 41, "fruit": "apple"}'
            typer.echo(f"this is no JSON object such as {example}: it counts as a record without values", err=True)
        elif isinstance(metric.domain, Records):
            _say_strays(metric.domain, found)
        return found
    return text


def _say_strays(records: Records, given: dict[str, Any]) -> None:
    """Say which parts of a record tell nothing: unknown names, missing attributes, and what is no number."""
    for name in given:
        if name not in records.names:
            typer.echo(f"{name!r} is no attribute of this metric and is left out: {', '.join(records.names)}", err=True)
    for name, domain in zip(records.names, records.domains, strict=True):
        if given.get(name) is None:
            typer.echo(f"{name} is missing: it counts as no value", err=True)
        elif domain.gives == "number" and not _is_number(given[name]):
            typer.echo(f"{name} is no number: it counts as the middle between the bounds", err=True)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
