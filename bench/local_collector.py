"""The collector: how many reports a second it takes in from files, hashing and a durable checkpoint included.

    python bench/local_collector.py

One process counts, without threads. Seconds are shown by the clock and of the processor: on a busy computer the first
are longer.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from discreet.local.client import Choices, DirectResponse, HadamardBit, Metric, ProjectiveResponse, UnaryEncoding
from discreet.local.collector import Collector
from discreet.local.counting import Intake
from discreet.local.engine_counts import count_on_duck
from discreet.local.oracles.find import find_oracle
from discreet.local.report_files import writing_reports
from timing import markdown

REPORTS, SIZE, ROUNDS = 1_000_000, 1024, 3
FEW = 100_000
"""Reports in JSON, which are read one by one."""


def measure(metric: Metric, path: Path, folder: Path, count: Callable[[Path], Intake] | None) -> tuple[float, float]:
    """Return the least seconds, by the clock and of the processor, to take in a file."""
    found = []
    for number in range(ROUNDS):
        clock, work = time.perf_counter(), time.process_time()
        with Collector(folder / f"{path.name}-{count is None}-{number}", metric) as collector:
            outcome = collector.ingest(path, count=count)
        found.append((time.perf_counter() - clock, time.process_time() - work))
        assert outcome.intake is not None
        assert not outcome.intake.faults
    return min(each for each, _ in found), min(each for _, each in found)


def main() -> None:
    """Print a table."""
    small, large = (Choices(tuple(f"item {place}" for place in range(size - 1))) for size in (32, SIZE))
    metrics = [
        (Metric("direct", small, DirectResponse.calibrate(1.0, 32), 10), ".frames"),
        (Metric("hadamard", large, HadamardBit.calibrate(1.0, SIZE), 10), ".frames"),
        (Metric("projective", large, ProjectiveResponse.calibrate(1.0, SIZE), 10), ".frames"),
        (Metric("unary", large, UnaryEncoding.calibrate(1.0, SIZE), 10), ".frames"),
        (Metric("hadamard", large, HadamardBit.calibrate(1.0, SIZE), 10), ".parquet"),
        (Metric("hadamard", large, HadamardBit.calibrate(1.0, SIZE), 10), ".jsonl"),
    ]
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for metric, ending in metrics:
            many = FEW if ending == ".jsonl" else REPORTS
            path = folder / f"{metric.name}{ending}"
            with writing_reports(metric, path) as write:
                write(find_oracle(metric.mechanism).encode(np.arange(many) % metric.domain.size))  # type: ignore[attr-defined]
            ways: list[tuple[str, Callable[[Path], Intake] | None]] = [("numpy", None)]
            if ending == ".parquet":
                ways.append(("duckdb", partial(lambda metric, path: count_on_duck(metric, [str(path)]), metric)))
            for way, count in ways:
                clock, work = measure(metric, path, folder, count)
                size = path.stat().st_size / many
                shown = [f"{many / seconds / 1e6:.2f}" for seconds in (clock, work)]
                rows.append([metric.name, ending, way, f"{size:.0f}", *shown])
    print(markdown(["mechanism", "file", "by", "bytes a report", "million/s, clock", "million/s, processor"], rows))


if __name__ == "__main__":
    main()
