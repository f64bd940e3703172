"""Counting reports, many at a time: sound ones add to a tally, others are counted by their fault."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.later import Later
from discreet.base.wide import Ints
from discreet.local.client import Metric, Randomised
from discreet.local.faults import Fault, find_fault_of_bytes, read_line
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch, Bytes, pack_numbers, unpack_numbers
from discreet.local.tally import Tally
from discreet.noise.coin import Bools

arrow = Later("pyarrow")
compute = Later("pyarrow.compute")

LENGTH_SIZE = 2
"""Bytes before each report in a file of frames: how many it has, the lowest first."""

COLUMNS = ("metric", "parameters", "mechanism", "seed", "payload")
"""The columns of reports in Parquet."""


@dataclass(frozen=True)
class Intake:
    """What reports came to: a tally of the sound ones, and how many others there were by fault.

    Addition is associative and commutative: parts of a file, files and machines can be added up in any order.
    """

    tally: Tally
    faults: Mapping[Fault, int]

    @classmethod
    def start(cls, metric: Metric) -> Intake:
        """Return what no reports come to."""
        return cls(Tally.start(metric), {})

    def __add__(self, other: Intake) -> Intake:
        return Intake(self.tally + other.tally, add_faults(self.faults, other.faults))

    @property
    def reports(self) -> int:
        """How many reports there were, sound or not."""
        return self.tally.reports + sum(self.faults.values())


def add_faults(*parts: Mapping[Fault, int]) -> dict[Fault, int]:
    """Return how many of each fault there are in all, in the order of faults, without zeros."""
    total = {fault: sum(part.get(fault, 0) for part in parts) for fault in Fault}
    return {fault: count for fault, count in total.items() if count}


class ReportCounter:
    """Counts reports of one metric, in whatever form they come."""

    def __init__(self, metric: Metric) -> None:
        self.metric = metric
        self._oracle = find_oracle(metric.mechanism)
        first = metric.wrap(Randomised(0, bytes(metric.mechanism.payload_size))).to_bytes()
        self._frame = np.frombuffer(len(first).to_bytes(LENGTH_SIZE, "little") + first, dtype=np.uint8)
        """A frame of this metric, with zeros for the seed and the payload."""
        self._payload_at = len(self._frame) - metric.mechanism.payload_size
        self._seed_at = self._payload_at - 2 - metric.seed_width

    @property
    def frame_size(self) -> int:
        """How many bytes a frame of this metric has: all have equally many."""
        return len(self._frame)

    @cached_property
    def _fixed(self) -> Bools:
        """Which bytes of a frame are the same in all sound ones."""
        places = np.arange(self._payload_at)
        return (places < self._seed_at) | (places >= self._seed_at + self.metric.seed_width)

    def write_frames(self, batch: Batch) -> bytes:
        """Return reports as frames."""
        rows = np.tile(self._frame, (len(batch), 1))
        rows[:, self._seed_at : self._payload_at - 2] = pack_numbers(batch.seeds, self.metric.seed_width)
        rows[:, self._payload_at :] = batch.payloads
        return rows.tobytes()

    def count_batch(self, batch: Batch) -> Intake:
        """Count reports whose parts were taken apart already, and have the metric's own lengths."""
        counts, good = self._oracle.count(batch)
        sound = int(good.sum())
        bad = batch.seeds[~good]
        seeds = int(((bad < 0) | (bad >= self.metric.mechanism.seeds)).sum())
        faults = add_faults({Fault.SEED: seeds, Fault.PAYLOAD: len(bad) - seeds})
        return Intake(Tally(self.metric, sound, counts), faults)

    def count_stream(self, pieces: Iterable[bytes]) -> Intake:
        """Count frames that come in pieces of any length; what is left over at the end was cut short."""
        total, held = Intake.start(self.metric), b""
        for piece in pieces:
            held += piece
            used = 1
            while used:
                found, used = self.count_frames(held)
                total, held = total + found, held[used:]
        cut = {Fault.TRUNCATED: 1} if held else {}
        return Intake(total.tally, add_faults(total.faults, cut))

    def count_frames(self, data: bytes) -> tuple[Intake, int]:
        """Count the whole frames at the beginning of some bytes, and return how many bytes these are.

        Where all frames have the metric's own length they are one table of bytes, and nothing is done one by one.
        """
        whole = len(data) // self.frame_size
        rows = np.frombuffer(data, dtype=np.uint8, count=whole * self.frame_size).reshape(whole, self.frame_size)
        if whole and (rows[:, :LENGTH_SIZE] == self._frame[:LENGTH_SIZE]).all():
            return self._count_rows(rows), rows.size
        starts, ends = split_frames(data)
        sized = ends - starts == self.frame_size - LENGTH_SIZE
        places = starts[sized, None] + np.arange(-LENGTH_SIZE, self.frame_size - LENGTH_SIZE)
        others = zip(starts[~sized].tolist(), ends[~sized].tolist(), strict=True)
        found = self._count_rows(np.frombuffer(data, dtype=np.uint8)[places])
        apart = Intake(Tally.start(self.metric), self._judge(data[start:end] for start, end in others))
        return found + apart, int(ends[-1]) if len(ends) else 0

    def _count_rows(self, rows: Bytes) -> Intake:
        """Count frames of the metric's own length."""
        same = rows[:, : self._payload_at] == self._frame[: self._payload_at]
        same[:, ~self._fixed] = True
        faults: dict[Fault, int] = {}
        if not same.all():
            fine = same.all(axis=1)
            faults = self._judge(row.tobytes() for row in rows[~fine, LENGTH_SIZE:])
            rows = rows[fine]
        seeds = unpack_numbers(rows[:, self._seed_at : self._payload_at - 2])
        found = self.count_batch(Batch(seeds, rows[:, self._payload_at :]))
        return Intake(found.tally, add_faults(found.faults, faults))

    def _judge(self, reports: Iterable[bytes]) -> dict[Fault, int]:
        """Return what is wrong with reports that are not sound."""
        return _count_faults(find_fault_of_bytes(self.metric, report) or Fault.UNREADABLE for report in reports)

    def count_lines(self, lines: Iterable[bytes]) -> Intake:
        """Count reports in lines of JSON; blank lines are none."""
        read = [read_line(self.metric, line) for line in lines if not line.isspace()]
        sound = [each for each in read if not isinstance(each, Fault)]
        payloads = np.frombuffer(b"".join(each.payload for each in sound), dtype=np.uint8)
        seeds = np.array([each.seed for each in sound], dtype=np.int64)
        batch = Batch(seeds, payloads.reshape(len(sound), self.metric.mechanism.payload_size))
        found = self.count_batch(batch)
        faults = _count_faults(each for each in read if isinstance(each, Fault))
        return Intake(found.tally, add_faults(found.faults, faults))

    def count_arrow(self, table: Any) -> Intake:
        """Count reports in an Arrow batch with the columns of `COLUMNS`; a report with a null is not readable."""
        metric, size = self.metric, self.metric.mechanism.payload_size
        missing, columns = np.zeros(table.num_rows, dtype=bool), {}
        for name, kind in zip(COLUMNS, find_types(table.schema), strict=True):
            column = table.column(name)
            missing |= column.is_null().to_numpy(zero_copy_only=False)
            columns[name] = compute.cast(column, kind, safe=False)
        lengths = compute.binary_length(columns["payload"]).fill_null(-1).to_numpy(zero_copy_only=False)
        checks = (
            (Fault.UNREADABLE, missing),
            (Fault.METRIC, ~_equals(columns["metric"], metric.name)),
            (Fault.PARAMETERS, ~_equals(columns["parameters"], metric.parameters)),
            (Fault.MECHANISM, ~_equals(columns["mechanism"], metric.mechanism.kind)),
            (Fault.TRUNCATED, lengths < size),
            (Fault.OVERSIZED, lengths > size),
        )
        fine, faults = np.ones(table.num_rows, dtype=bool), {}
        for fault, wrong in checks:
            faults[fault] = int((wrong & fine).sum())
            fine &= ~wrong
        seeds, payloads = columns["seed"], columns["payload"]
        if not fine.all():
            seeds, payloads = seeds.filter(arrow.array(fine)), payloads.filter(arrow.array(fine))
        batch = Batch(seeds.to_numpy(zero_copy_only=False).astype(np.int64), view_payloads(payloads, size))
        found = self.count_batch(batch)
        return Intake(found.tally, add_faults(found.faults, faults))


def split_frames(data: bytes) -> tuple[Ints, Ints]:
    """Return where the reports of whole frames begin and end, one by one."""
    starts, ends, place, length = [], [], 0, len(data)
    while place + LENGTH_SIZE <= length:
        end = place + LENGTH_SIZE + (data[place] | data[place + 1] << 8)
        if end > length:
            break
        starts.append(place + LENGTH_SIZE)
        ends.append(end)
        place = end
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def find_types(schema: Any) -> list[Any]:
    """Return the types that the columns of reports are read as, or refuse a schema that has others."""
    texts, blobs, wholes = (arrow.large_string(), arrow.large_binary(), arrow.int64())
    wanted = dict(zip(COLUMNS, (texts, blobs, texts, wholes, blobs), strict=True))
    if sorted(set(schema.names) & set(COLUMNS)) != sorted(COLUMNS) or len(set(schema.names)) < len(schema.names):
        raise ParameterError("columns", sorted(schema.names), f"the columns of reports: {', '.join(COLUMNS)}")
    for name, kind in wanted.items():
        found = schema.field(name).type
        if not (arrow.types.is_integer(found) if kind is wholes else _is_bytes(found, kind is texts)):
            raise ParameterError(f"the column {name}", str(found), "texts, bytes or whole numbers, as they are written")
    return list(wanted.values())


def view_payloads(payloads: Any, size: int) -> Bytes:
    """Return payloads of equal length as lines of bytes, without a copy."""
    _, offsets, data = payloads.buffers()
    first = np.frombuffer(offsets, dtype=np.int64)[payloads.offset] if len(payloads) else 0
    lines = np.frombuffer(data or b"", dtype=np.uint8)[int(first) : int(first) + len(payloads) * size]
    return lines.reshape(len(payloads), size)


def _is_bytes(found: Any, text: bool) -> bool:
    kinds: tuple[str, ...] = ("is_string", "is_large_string", "is_string_view")
    kinds = kinds if text else ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return any(getattr(arrow.types, kind)(found) for kind in kinds)


def _equals(column: Any, value: object) -> Bools:
    scalar = arrow.scalar(value, column.type)
    found: Bools = compute.equal(column, scalar).fill_null(False).to_numpy(zero_copy_only=False)
    return found


def _count_faults(faults: Iterable[Fault]) -> dict[Fault, int]:
    total: dict[Fault, int] = {}
    for fault in faults:
        total[fault] = total.get(fault, 0) + 1
    return total
