"""Answers as files: JSON with everything, CSV and Arrow with the intervals beside each number."""

from __future__ import annotations

from typing import Any

from discreet.answers.answer import CONFIDENCE, Answer

FORMATS = {"json": "application/json", "csv": "text/csv; charset=utf-8", "arrow": "application/vnd.apache.arrow.stream"}


def write_file(answer: Answer, format: str, confidence: float = CONFIDENCE, simultaneous: bool = False) -> str | bytes:
    """Return an answer in one of these formats."""
    if format == "json":
        return answer.to_json(confidence, simultaneous)
    if format == "csv":
        return answer.to_csv(confidence, simultaneous)
    return _write_arrow(answer.intervals(confidence, simultaneous).to_arrow())


def _write_arrow(table: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    whole: bytes = sink.getvalue().to_pybytes()
    return whole
