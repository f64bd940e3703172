"""Simulated people: files of reports that clients would have sent for a column of values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.client import Choices, Metric
from discreet.local.client.domain import ValueDomain
from discreet.local.oracles.find import find_oracle
from discreet.local.report_files import writing_reports

arrow = Later("pyarrow")
compute = Later("pyarrow.compute")
csv = Later("pyarrow.csv")
parquet = Later("pyarrow.parquet")

ENDINGS = (".csv", ".parquet")
AT_ONCE = 1 << 17


def simulate(metric: Metric, columns: Iterator[Any], path: Path) -> int:
    """Write a report for each value of some Arrow columns, and return how many there are.

    Every person reports once. Coins are exact and of the operating system, as the clients' are.
    """
    oracle, count = find_oracle(metric.mechanism), 0
    with writing_reports(metric, path) as write:
        for column in columns:
            for start in range(0, len(column), AT_ONCE):
                part = column[start : start + AT_ONCE]
                write(oracle.encode(place_values(metric.domain, part)))
                count += len(part)
    return count


def place_values(domain: ValueDomain, column: Any) -> Any:
    """Return what a mechanism randomises for each value, as its domain places it; numbers are texts among choices."""
    if not isinstance(domain, Choices):
        return [domain.place(value) for value in column.to_pylist()]
    listed = arrow.array(domain.values, arrow.large_string())
    found = compute.index_in(compute.cast(column, arrow.large_string()), value_set=listed)
    return found.fill_null(len(domain.values)).to_numpy(zero_copy_only=False).astype(np.int64)


def read_column(path: Path, name: str) -> Iterator[Any]:
    """Yield a column of a csv or Parquet file, part by part."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError("file", str(path), f"a file with values, in {' or '.join(ENDINGS)}")
    try:
        if ending == ".csv":
            kinds = csv.ConvertOptions(include_columns=[name], column_types={name: arrow.string()})
            yield from (batch.column(0) for batch in csv.open_csv(path, convert_options=kinds))
        else:
            with parquet.ParquetFile(path) as table:
                if name not in table.schema_arrow.names:
                    raise ParameterError("column", name, f"one of {', '.join(table.schema_arrow.names)}")
                yield from (batch.column(0) for batch in table.iter_batches(AT_ONCE, columns=[name]))
    except (OSError, KeyError, arrow.ArrowException) as trouble:
        raise DiscreetError(f"{path} cannot be read: {str(trouble).splitlines()[0]}") from None


def make_zipf(domain: ValueDomain, people: int, exponent: float = 1.0) -> Any:
    """Return people's values whose frequencies fall like those of words: the k-th choice has a share like k^-exponent.

    Shares are rounded to whole people by largest remainders, so that the truth is known.
    """
    if not isinstance(domain, Choices):
        raise ParameterError("metric", domain.kind, "one with choices: give a file of values for others")
    counts = share_out(len(domain.values), check.integer("people", people, least=1, most=1 << 32), exponent)
    places = np.repeat(np.arange(len(counts)), counts)
    return arrow.array(domain.values).take(arrow.array(places))


def share_out(items: int, people: int, exponent: float) -> Ints:
    """Return how many people have each item."""
    weights = np.arange(1, items + 1, dtype=np.float64) ** -float(check.real("exponent", exponent, least=0, most=20))
    wanted = people * weights / weights.sum()
    counts: Ints = np.floor(wanted).astype(np.int64)
    left = people - int(counts.sum())
    counts[np.argsort(counts - wanted, kind="stable")[:left]] += 1
    return np.asarray(counts)
