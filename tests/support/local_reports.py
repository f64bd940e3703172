"""Metrics and reports for the tests of the collector: one of each mechanism, and every way to break a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from discreet.local.client import (
    Choices,
    DirectResponse,
    HadamardBit,
    LocalHashing,
    Mechanism,
    Metric,
    ProjectiveResponse,
    Report,
    SubsetSelection,
    UnaryEncoding,
    read_report,
)
from discreet.local.counting import LENGTH_SIZE, ReportCounter
from discreet.local.faults import Fault
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch

SIZE = 12
NAMES = tuple(f"item {place}" for place in range(SIZE - 1))

MECHANISMS: tuple[Mechanism, ...] = (
    DirectResponse.calibrate(1.0, SIZE),
    UnaryEncoding.calibrate(1.0, SIZE),
    LocalHashing.calibrate(1.0, SIZE, pool=100),
    LocalHashing.calibrate(1.0, SIZE),
    HadamardBit.calibrate(1.0, SIZE),
    SubsetSelection.calibrate(1.0, SIZE),
    ProjectiveResponse.calibrate(1.0, SIZE),
)


def make_metric(mechanism: Mechanism = MECHANISMS[4], name: str = "item") -> Metric:
    return Metric(name, Choices(NAMES), mechanism, lifetime=8)


def make_reports(metric: Metric, count: int) -> list[bytes]:
    """Return reports of items by turns, as bytes."""
    batch = find_oracle(metric.mechanism).encode(np.arange(count) % SIZE)
    counter = ReportCounter(metric)
    data, size = counter.write_frames(batch), counter.frame_size
    return [data[place + LENGTH_SIZE : place + size] for place in range(0, len(data), size)]


def frame(*reports: bytes) -> bytes:
    """Return reports as frames."""
    return b"".join(len(report).to_bytes(LENGTH_SIZE, "little") + report for report in reports)


def break_report(metric: Metric, report: bytes) -> Iterator[tuple[Fault, bytes]]:
    """Yield broken versions of a sound report, with what is wrong with each."""
    sound, name = read_report(report), len(metric.name)
    yield Fault.VERSION, b"\x02" + report[1:]
    yield Fault.METRIC, report.replace(metric.name.encode(), b"x" * name)
    yield Fault.METRIC, report.replace(metric.name.encode(), b"\xff" * name)
    yield Fault.METRIC, replace(sound, metric="another").to_bytes()
    yield Fault.PARAMETERS, replace(sound, parameters=bytes(8)).to_bytes()
    yield Fault.MECHANISM, report[:1] + bytes([report[1] % 6 + 1]) + report[2:]
    yield Fault.MECHANISM, report[:1] + b"\xee" + report[2:]
    yield Fault.TRUNCATED, report[:-1]
    yield Fault.TRUNCATED, report[:2]
    yield Fault.TRUNCATED, b""
    yield Fault.TRUNCATED, replace(sound, payload=sound.payload[:-1]).to_bytes()
    yield Fault.OVERSIZED, report + b"\x00"
    yield Fault.OVERSIZED, replace(sound, payload=sound.payload + b"\x00").to_bytes()
    yield Fault.SEED, replace(sound, seed_width=8).to_bytes()
    if metric.mechanism.seeds < 1 << 8 * metric.seed_width:
        yield Fault.SEED, replace(sound, seed=(1 << 8 * metric.seed_width) - 1).to_bytes()
    if find_unsound(metric) is not None:
        yield Fault.PAYLOAD, replace(sound, payload=find_unsound(metric) or b"").to_bytes()


def find_unsound(metric: Metric) -> bytes | None:
    """Return a payload that no client sends, where there is one."""
    full = b"\xff" * metric.mechanism.payload_size
    batch = make_batch(Report(metric.name, metric.parameters, metric.mechanism.kind, 0, metric.seed_width, full))
    return full if not find_oracle(metric.mechanism).count(batch).good[0] else None


def make_batch(*reports: Report) -> Batch:
    """Return reports of one metric as a batch."""
    payloads = np.frombuffer(b"".join(each.payload for each in reports), dtype=np.uint8).reshape(len(reports), -1)
    return Batch(np.array([each.seed for each in reports], dtype=np.int64), payloads)
