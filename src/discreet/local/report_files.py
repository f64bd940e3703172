"""Files of reports: frames of bytes, lines of JSON, and Parquet."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from discreet.answers.export import replacing
from discreet.base.errors import DiscreetError, ParameterError
from discreet.base.later import Later
from discreet.local.client import Metric, Randomised
from discreet.local.counting import COLUMNS, Intake, ReportCounter, find_types
from discreet.local.faults import MOST_LINE
from discreet.local.oracles.oracle import Batch

arrow = Later("pyarrow")
parquet = Later("pyarrow.parquet")

FRAMES, LINES, PARQUET = ".frames", ".jsonl", ".parquet"
ENDINGS = (FRAMES, LINES, PARQUET)

PIECE = 1 << 24
"""Bytes of a file that are held at a time."""

ROWS, MANY_LINES = 1 << 18, 1 << 14


class CountedFile(NamedTuple):
    """What a file's reports came to, and the SHA-256 of its bytes."""

    intake: Intake
    digest: str


def find_ending(path: Path) -> str:
    """Return which kind of file of reports this is, by its ending."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError("file", str(path), f"a file of reports, which ends in {', '.join(ENDINGS)}")
    return ending


def count_file(counter: ReportCounter, path: Path) -> CountedFile:
    """Count a file of reports, a piece at a time; what is hashed is what is counted.

    Nothing that a report holds stops it. A file that is no such file at all is refused whole.
    """
    count = {FRAMES: _count_frames, LINES: _count_lines, PARQUET: _count_parquet}[find_ending(path)]
    with _reading(path) as file:
        return count(counter, file)


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files' names and hashes."""
    if path.is_dir():
        whole = hashlib.sha256()
        for each in sorted(path.rglob("*")):
            if each.is_file():
                whole.update(f"{each.relative_to(path).as_posix()}\0{hash_file(each)}\n".encode())
        return whole.hexdigest()
    with _reading(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def writing_reports(metric: Metric, path: Path) -> Iterator[Callable[[Batch], None]]:
    """Give a writer of reports; the file is there once it is whole."""
    ending = find_ending(path)
    with replacing(path) as part:
        if ending == PARQUET:
            with parquet.ParquetWriter(part, find_schema()) as table:
                yield lambda batch: table.write_batch(to_arrow(metric, batch))
            return
        counter = ReportCounter(metric)
        with part.open("wb") as file:
            if ending == FRAMES:
                yield lambda batch: _write(file, counter.write_frames(batch))
            else:
                yield lambda batch: _write(file, to_lines(metric, batch))


def find_schema() -> Any:
    """Return the schema of reports in Parquet."""
    kinds = (arrow.string(), arrow.binary(), arrow.string(), arrow.int64(), arrow.binary())
    return arrow.schema(list(zip(COLUMNS, kinds, strict=True)))


def to_arrow(metric: Metric, batch: Batch) -> Any:
    """Return reports as an Arrow batch."""
    count, size = len(batch), batch.payloads.shape[1]
    fixed = arrow.FixedSizeBinaryArray.from_buffers(
        arrow.binary(size), count, [None, arrow.py_buffer(batch.payloads.tobytes())]
    )
    columns = [
        arrow.repeat(arrow.scalar(metric.name), count),
        arrow.repeat(arrow.scalar(metric.parameters, arrow.binary()), count),
        arrow.repeat(arrow.scalar(metric.mechanism.kind), count),
        arrow.array(batch.seeds),
        fixed.cast(arrow.binary()),
    ]
    return arrow.record_batch(columns, schema=find_schema())


def to_lines(metric: Metric, batch: Batch) -> bytes:
    """Return reports as lines of JSON."""
    pairs = zip(batch.seeds.tolist(), batch.payloads, strict=True)
    reports = (metric.wrap(Randomised(seed, payload.tobytes())) for seed, payload in pairs)
    return "".join(f"{report.to_json()}\n" for report in reports).encode()


def _count_frames(counter: ReportCounter, file: BufferedReader) -> CountedFile:
    whole = hashlib.sha256()
    return CountedFile(counter.count_stream(_read_pieces(file, whole)), whole.hexdigest())


def _read_pieces(file: BufferedReader, whole: Any) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        whole.update(piece)
        yield piece


def _count_lines(counter: ReportCounter, file: BufferedReader) -> CountedFile:
    whole, total, lines = hashlib.sha256(), Intake.start(counter.metric), list[bytes]()
    for line in _read_lines(file, whole):
        lines.append(line)
        if len(lines) >= MANY_LINES:
            total, lines = total + counter.count_lines(lines), []
    return CountedFile(total + counter.count_lines(lines), whole.hexdigest())


def _read_lines(file: BufferedReader, whole: Any) -> Iterator[bytes]:
    """Yield lines; of one that is too long, as much as shows that."""
    while line := file.readline(MOST_LINE):
        whole.update(line)
        yield line
        rest = line
        while len(rest) == MOST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(MOST_LINE)
            whole.update(rest)


def _count_parquet(counter: ReportCounter, file: BufferedReader) -> CountedFile:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    total = Intake.start(counter.metric)
    try:
        table = parquet.ParquetFile(file)
        find_types(table.schema_arrow)
        for batch in table.iter_batches(ROWS, columns=list(COLUMNS)):
            total += counter.count_arrow(batch)
    except DiscreetError:
        raise
    except (arrow.ArrowException, OSError, ValueError) as trouble:
        raise DiscreetError(f"{file.name} is no sound Parquet file: {str(trouble).splitlines()[0]}") from None
    return CountedFile(total, digest)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[BufferedReader]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble.strerror or type(trouble).__name__}") from None


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)
