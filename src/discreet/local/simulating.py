"""Simulated people: files of reports that clients would have sent for the values of a file, or for made-up ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.client import AlphabetWords, BoundedNumbers, Choices, Metric, Records
from discreet.local.client.domain import ValueDomain
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.sampled import SampledOracle
from discreet.local.report_files import writing_reports

arrow = Later("pyarrow")
compute = Later("pyarrow.compute")
csv = Later("pyarrow.csv")
parquet = Later("pyarrow.parquet")

ENDINGS = (".csv", ".parquet")
AT_ONCE = 1 << 17
MADE_UP = 1000
"""Texts or words that made-up people have, where nobody listed any."""


class Simulated(NamedTuple):
    """How many reports were written, and how many values among them had no place of their own."""

    reports: int
    strays: int


def simulate(metric: Metric, columns: Iterator[Any], path: Path) -> Simulated:
    """Write a report for each value of some Arrow columns (of batches, for records), and return how many there are.

    Every person reports once. Coins are exact and of the operating system, as the clients' are.
    """
    oracle, count, strays = find_oracle(metric.mechanism), 0, 0
    encode = oracle.encode_columns if isinstance(oracle, SampledOracle) else oracle.encode
    with writing_reports(metric, path) as write:
        for column in columns:
            for start in range(0, len(column), AT_ONCE):
                part = column.slice(start, AT_ONCE)
                placed = place_values(metric.domain, part)
                write(encode(placed))
                count, strays = count + len(part), strays + count_strays(metric.domain, part, placed)
    return Simulated(count, strays)


def count_strays(domain: ValueDomain, column: Any, placed: Any) -> int:
    """Return how many values are no number where numbers are wanted, or are not among the choices."""
    if isinstance(domain, Records):
        each = zip(domain.names, domain.domains, placed, strict=True)
        return sum(count_strays(inner, column.column(name), places) for name, inner, places in each)
    if isinstance(domain, BoundedNumbers):
        return int(np.isnan(_read_numbers(column)).sum())
    return int((placed == len(domain.values)).sum()) if isinstance(domain, Choices) else 0


def place_values(domain: ValueDomain, column: Any) -> Any:
    """Return what a mechanism randomises for each value, as its domain places it; of records, column by column.

    A file may hold numbers as texts, and the other way round: both count as what they are read as.
    """
    if isinstance(domain, Records):
        pairs = zip(domain.names, domain.domains, strict=True)
        return [place_values(each, column.column(name)) for name, each in pairs]
    if isinstance(domain, BoundedNumbers):
        return place_numbers(domain, column)
    try:
        texts = compute.cast(column, arrow.large_string())
    except (arrow.ArrowException, NotImplementedError):
        raise ParameterError("the column's type", str(column.type), "texts, numbers or dates") from None
    if not isinstance(domain, Choices):
        listed = texts.to_pylist()
        known = {text: domain.place(text) for text in set(listed)}
        return [known[text] for text in listed]
    found = compute.index_in(texts, value_set=arrow.array(domain.values, arrow.large_string()))
    return found.fill_null(len(domain.values)).to_numpy(zero_copy_only=False).astype(np.int64)


def place_numbers(domain: BoundedNumbers, column: Any) -> Floats:
    """Return where each number lies, from -1 to 1; what is no number lies in the middle."""
    numbers = _read_numbers(column)
    held = np.clip(np.where(np.isnan(numbers), (domain.low + domain.high) / 2, numbers), domain.low, domain.high)
    return np.clip((2 * held - domain.low - domain.high) / (domain.high - domain.low), -1.0, 1.0)


def _read_numbers(column: Any) -> Floats:
    """Return the numbers of a column of any type; NaN where there is none."""
    if arrow.types.is_boolean(column.type):
        return np.full(len(column), np.nan)
    try:
        cast = compute.cast(column, arrow.float64(), safe=False)
    except (arrow.ArrowException, NotImplementedError):
        return np.array([_read_number(value) for value in column.to_pylist()], dtype=np.float64)
    return np.asarray(cast.to_numpy(zero_copy_only=False), dtype=np.float64)


def _read_number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def read_column(path: Path, name: str) -> Iterator[Any]:
    """Yield a column of a csv or Parquet file, part by part."""
    return (batch.column(0) for batch in read_columns(path, [name]))


def read_columns(path: Path, names: Sequence[str]) -> Iterator[Any]:
    """Yield some columns of a csv or Parquet file, batch by batch."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError("file", str(path), f"a file with values, in {' or '.join(ENDINGS)}")
    try:
        if ending == ".csv":
            _check_names(names, csv.open_csv(path).schema.names)
            kinds = {name: arrow.string() for name in names}
            options = csv.ConvertOptions(include_columns=list(names), column_types=kinds)
            yield from csv.open_csv(path, convert_options=options)
        else:
            with parquet.ParquetFile(path) as table:
                _check_names(names, table.schema_arrow.names)
                yield from table.iter_batches(AT_ONCE, columns=list(names))
    except (OSError, KeyError, arrow.ArrowException) as trouble:
        raise DiscreetError(f"{path} cannot be read: {str(trouble).splitlines()[0]}") from None


def _check_names(names: Sequence[str], there: Sequence[str]) -> None:
    for name in names:
        if name not in there:
            raise ParameterError("column", name, f"one of {', '.join(there)}")


def make_values(domain: ValueDomain, people: int, exponent: float = 1.0) -> Any:
    """Return made-up people's values whose truth is known.

    Frequencies fall like those of words: the k-th choice has a share like k^-exponent, rounded to whole people by
    largest remainders. Texts and words are a thousand that are made up too. Numbers are spread such that their mean
    lies at 1 / (exponent + 2) of the way from the lower to the upper bound. Attributes of a record go up together.
    """
    check.integer("people", people, least=1, most=1 << 32)
    check.real("exponent", exponent, least=0, most=20)
    if isinstance(domain, Records):
        made = [make_values(each, people, exponent) for each in domain.domains]
        return arrow.record_batch(made, names=list(domain.names))
    if isinstance(domain, BoundedNumbers):
        ranks = (np.arange(people) + 0.5) / people
        return arrow.array(domain.low + (domain.high - domain.low) * ranks ** (1 + exponent))
    names = domain.values if isinstance(domain, Choices) else list_texts(domain)
    counts = share_out(len(names), people, exponent)
    return arrow.array(names).take(arrow.array(np.repeat(np.arange(len(counts)), counts)))


def list_texts(domain: ValueDomain) -> list[str]:
    """Return made-up texts, or words of an alphabet: a, b, and so on, then those of two letters."""
    if not isinstance(domain, AlphabetWords):
        return [f"text {number}" for number in range(1, MADE_UP + 1)]
    words = [""]
    for word in words:
        if len(words) > MADE_UP or len(word) == domain.letters:
            break
        words += [word + letter for letter in domain.alphabet]
    return words[1 : MADE_UP + 1]


def share_out(items: int, people: int, exponent: float) -> Ints:
    """Return how many people have each item."""
    weights = np.arange(1, items + 1, dtype=np.float64) ** -float(check.real("exponent", exponent, least=0, most=20))
    wanted = people * weights / weights.sum()
    counts: Ints = np.floor(wanted).astype(np.int64)
    left = people - int(counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:left]] += 1
    return np.asarray(counts)
