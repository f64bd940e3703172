"""Counting files of reports on the curator's engines: Parquet through DuckDB, and on Spark's executors.

Both hand Arrow batches to the same counter as a single process does, so that all counts are identical.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.engines.duck.connection import connect
from discreet.local.client import Metric, read_metric
from discreet.local.collector import Collection, read_collection
from discreet.local.counting import COLUMNS, Intake, ReportCounter

arrow = Later("pyarrow")
duckdb = Later("duckdb")

ROWS = 1 << 17


def count_on_duck(metric: Metric, files: Sequence[str]) -> Intake:
    """Count the reports in Parquet files, or patterns of them, which DuckDB reads."""
    counter, total = ReportCounter(metric), Intake.start(metric)
    with connect() as connection:
        try:
            query = f"SELECT {', '.join(COLUMNS)} FROM read_parquet($1)"
            for batch in connection.sql(query, params=[_list_files(files)]).to_arrow_reader(ROWS):
                total += counter.count_arrow(batch)
        except (duckdb.Error, arrow.ArrowException) as trouble:
            raise DiscreetError(f"DuckDB cannot read these reports: {_find_reason(trouble)}") from None
    return total


def count_on_spark(session: Any, metric: Metric, files: Sequence[str]) -> Intake:
    """Count the reports in Parquet files: on the executors of a Spark session, which must have discreet too.

    A task sends back one row with its counts; they are added up here.
    """
    text = metric.to_json()

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        yield count_batches(text, batches)

    try:
        frame = session.read.parquet(*_list_files(files)).select(*COLUMNS)
        rows = frame.mapInArrow(count, "counts binary").toArrow().column("counts").to_pylist()
    except Exception as trouble:
        raise DiscreetError(f"Spark cannot count these reports: {_find_reason(trouble)}") from trouble
    total = Intake.start(metric)
    for row in rows:
        total += read_collection(row).intake
    return total


def count_batches(metric: str, batches: Iterator[Any]) -> Any:
    """Return one Arrow row with what batches of reports come to, as bytes."""
    import pyarrow as pa

    counter = ReportCounter(read_metric(metric))
    total = Intake.start(counter.metric)
    for batch in batches:
        total += counter.count_arrow(batch)
    return pa.record_batch({"counts": pa.array([Collection(total, {}).to_bytes()], pa.binary())})


def _list_files(files: Sequence[str]) -> list[str]:
    if isinstance(files, str) or not files:
        raise ParameterError("files", files, "a list of Parquet files, at least one")
    return [str(each) for each in files]


def _find_reason(trouble: Exception) -> str:
    """Return the first line of an engine's own words that says something."""
    return next((line.strip() for line in str(trouble).splitlines() if line.strip()), type(trouble).__name__)
