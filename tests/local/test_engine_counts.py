"""Engines count files of reports as one process does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.base.errors import DiscreetError, ParameterError
from discreet.local.client import Metric, read_report
from discreet.local.counting import COLUMNS, Intake, ReportCounter
from discreet.local.engine_counts import count_on_duck, count_on_spark
from discreet.local.faults import Fault
from discreet.local.report_files import count_file, find_schema
from support.local_reports import MECHANISMS, make_metric, make_reports

if TYPE_CHECKING:
    from discreet.engines.spark.session import SparkConnection


def write_files(folder: Path, metric: Metric) -> tuple[list[str], Intake]:
    """Write sound and broken reports in two files, and return what they come to."""
    rows = [{name: getattr(read_report(each), name) for name in COLUMNS} for each in make_reports(metric, 300)]
    changes: list[dict[str, object]] = [{"metric": None}, {"metric": "other"}, {"payload": b""}, {"seed": -5}]
    rows[10:10] = [{**rows[0], **change} for change in changes]
    paths, total = [], Intake.start(metric)
    for number, part in enumerate((rows[:200], rows[200:])):
        path = folder / f"part-{number}.parquet"
        pq.write_table(pa.Table.from_pylist(part, find_schema()), path, row_group_size=50)
        paths.append(str(path))
        total += count_file(ReportCounter(metric), path).intake
    assert total.tally.reports == 300
    assert total.faults == {Fault.UNREADABLE: 1, Fault.METRIC: 1, Fault.TRUNCATED: 1, Fault.SEED: 1}
    return paths, total


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: mechanism.kind)
def test_duckdb_counts_what_one_process_counts(tmp_path: Path, mechanism: object) -> None:
    metric = make_metric(mechanism)  # type: ignore[arg-type]
    paths, total = write_files(tmp_path, metric)
    assert count_on_duck(metric, paths) == total
    assert count_on_duck(metric, [str(tmp_path / "part-*.parquet")]) == total


def test_spark_counts_what_one_process_counts(tmp_path: Path, spark_session: SparkConnection) -> None:
    metric = make_metric()
    paths, total = write_files(tmp_path, metric)
    assert count_on_spark(spark_session.session, metric, paths) == total
    with pytest.raises(DiscreetError, match="Spark cannot count"):
        count_on_spark(spark_session.session, metric, [str(tmp_path / "none.parquet")])


def test_what_an_engine_cannot_read_is_refused(tmp_path: Path) -> None:
    metric = make_metric()
    pq.write_table(pa.table({"seed": [1]}), tmp_path / "odd.parquet")
    for name in ("none.parquet", "odd.parquet"):
        with pytest.raises(DiscreetError, match="DuckDB cannot read"):
            count_on_duck(metric, [str(tmp_path / name)])
    wrong: list[Any] = [[], "reports.parquet"]
    for files in wrong:
        with pytest.raises(ParameterError, match="files"):
            count_on_duck(metric, files)
