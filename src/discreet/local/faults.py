"""What can be wrong with a report. Such a report is counted by its fault, and adds nothing to any estimate."""

from __future__ import annotations

import json
from enum import StrEnum

from discreet.local.client import Metric, Report, read_json_report, read_report
from discreet.local.client.errors import ClientError
from discreet.local.client.kinds import CODES, KINDS
from discreet.local.client.report import HASH_SIZE, MOST_PAYLOAD, VERSION

MOST_LINE = 1 << 17
"""Bytes of a line of JSON: no sound report has as many."""


class Fault(StrEnum):
    """Why a report was put aside; where several things are wrong, the first of this list."""

    UNREADABLE = "unreadable"
    VERSION = "unknown version"
    METRIC = "wrong metric"
    PARAMETERS = "wrong parameter hash"
    MECHANISM = "wrong mechanism"
    TRUNCATED = "truncated"
    OVERSIZED = "oversized"
    SEED = "seed or cohort out of range"
    PAYLOAD = "unsound payload"


def find_fault(metric: Metric, report: Report) -> Fault | None:
    """Return what is wrong with a report of a metric, but for its payload's bits, which only counting looks at."""
    mechanism = metric.mechanism
    checks = (
        (Fault.METRIC, report.metric != metric.name),
        (Fault.PARAMETERS, report.parameters != metric.parameters),
        (Fault.MECHANISM, report.mechanism != mechanism.kind),
        (Fault.TRUNCATED, len(report.payload) < mechanism.payload_size),
        (Fault.OVERSIZED, len(report.payload) > mechanism.payload_size),
        (Fault.SEED, report.seed_width != metric.seed_width or not 0 <= report.seed < mechanism.seeds),
    )
    return next((fault for fault, wrong in checks if wrong), None)


def find_fault_of_bytes(metric: Metric, data: bytes) -> Fault | None:
    """Return what is wrong with a report's bytes."""
    try:
        return find_fault(metric, read_report(data))
    except ClientError:
        return _explain_bytes(metric, data)


def _explain_bytes(metric: Metric, data: bytes) -> Fault:
    """Return why bytes are no report: read as far as they go."""
    if data and data[0] != VERSION:
        return Fault.VERSION
    if len(data) < 3 or len(data) < 3 + data[2] + HASH_SIZE + 1:
        return Fault.TRUNCATED
    name, rest = data[3 : 3 + data[2]], data[3 + data[2] :]
    if name != metric.name.encode():
        return Fault.METRIC
    if rest[:HASH_SIZE] != metric.parameters:
        return Fault.PARAMETERS
    if data[1] not in CODES or CODES[data[1]].kind != metric.mechanism.kind:
        return Fault.MECHANISM
    width, body = rest[HASH_SIZE], rest[HASH_SIZE + 1 :]
    if width > 8:
        return Fault.SEED
    size = width + 2 + int.from_bytes(body[width : width + 2], "little")
    return Fault.TRUNCATED if len(body) < width + 2 or len(body) < size else Fault.OVERSIZED


def read_line(metric: Metric, line: bytes) -> Report | Fault:
    """Return the sound report that a line of JSON holds, or what is wrong with it."""
    if len(line) >= MOST_LINE:
        return Fault.OVERSIZED
    try:
        report = read_json_report(line)
    except ClientError:
        return _explain_line(metric, line)
    return find_fault(metric, report) or report


def _explain_line(metric: Metric, line: bytes) -> Fault:
    """Return why a line is no report."""
    try:
        form = json.loads(line)
    except (ValueError, RecursionError):
        return Fault.UNREADABLE
    if not isinstance(form, dict) or "version" not in form:
        return Fault.UNREADABLE
    payload = form.get("payload")
    checks = (
        (Fault.VERSION, form["version"] != VERSION),
        (Fault.METRIC, form.get("metric") != metric.name),
        (Fault.PARAMETERS, form.get("parameters") != metric.parameters.hex()),
        (Fault.MECHANISM, not isinstance(form.get("mechanism"), str) or form["mechanism"] not in KINDS),
        (Fault.OVERSIZED, isinstance(payload, str) and len(payload) > 4 * MOST_PAYLOAD // 3 + 4),
        (Fault.SEED, not _is_seed(form.get("seed"), form.get("seed_width"))),
    )
    return next((fault for fault, wrong in checks if wrong), Fault.UNREADABLE)


def _is_seed(seed: object, width: object) -> bool:
    whole = type(seed) is int and type(width) is int
    return whole and 0 <= width <= 8 and 0 <= seed < 1 << (8 * width)  # type: ignore[operator]
