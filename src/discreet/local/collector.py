"""The collector: takes batches of reports once each, and keeps nothing of them but counts."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from discreet.base.errors import DiscreetError, ParameterError
from discreet.ledger.files.locks import FileLock
from discreet.local.client import Metric
from discreet.local.client.store import sweep_parts, write_whole
from discreet.local.counting import Intake, ReportCounter, add_faults
from discreet.local.faults import Fault
from discreet.local.report_files import count_file, hash_file
from discreet.local.tally import read_tally

MARK = b"discreet collection 1\n"
MOST_BATCH_NAME = 200
BETWEEN = 5.0
"""Seconds between checkpoints while batches come in."""


@dataclass(frozen=True)
class Collection:
    """All that is kept: what reports came to, and which batches they came in, each with the hash of its content."""

    intake: Intake
    batches: Mapping[str, str]

    @classmethod
    def start(cls, metric: Metric) -> Collection:
        """Return a collection of nothing."""
        return cls(Intake.start(metric), {})

    @property
    def metric(self) -> Metric:
        """What is collected."""
        return self.intake.tally.metric

    def __add__(self, other: Collection) -> Collection:
        """Return both together, in whatever order; a batch that is in both would count twice, and is refused."""
        if twice := sorted(self.batches.keys() & other.batches.keys()):
            raise ParameterError("other", twice[0], "a collection without the batches of this one: this is in both")
        return Collection(self.intake + other.intake, {**self.batches, **other.batches})

    def to_bytes(self) -> bytes:
        """Return the collection as bytes: the same for the same batches, in whatever order they came."""
        faults = {fault.value: count for fault, count in self.intake.faults.items() if count}
        head = json.dumps({"batches": dict(self.batches), "faults": faults}, sort_keys=True).encode()
        body = MARK + head + b"\n" + self.intake.tally.to_bytes()
        return body + hashlib.sha256(body).digest()


def read_collection(data: bytes) -> Collection:
    """Return the collection that bytes hold, or refuse them."""
    body, check = data[:-32], data[-32:]
    if not body.startswith(MARK) or hashlib.sha256(body).digest() != check:
        raise ParameterError("checkpoint", data[:20], "a collector's checkpoint, whole: this is none, or is damaged")
    head, _, rest = body.removeprefix(MARK).partition(b"\n")
    form: dict[str, Any] = json.loads(head)
    faults = add_faults({Fault(name): count for name, count in form["faults"].items()})
    return Collection(Intake(read_tally(rest), faults), form["batches"])


def load_collection(path: Path) -> Collection:
    """Return the collection in a file."""
    try:
        return read_collection(path.read_bytes())
    except ParameterError as trouble:
        raise DiscreetError(f"{path}: {trouble}") from None
    except OSError as trouble:
        raise DiscreetError(f"{path} cannot be read: {trouble.strerror}") from None


class Fate(StrEnum):
    """What became of a batch."""

    COUNTED = "counted"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """What became of one batch, and why; `intake` is what it added, if anything."""

    batch: str
    fate: Fate
    intake: Intake | None = None
    reason: str = ""


class Collector:
    """Takes batches of reports into one checkpoint, each once.

    A batch is counted whole or not at all. One that came before under the same name with the same content is skipped;
    other content under a name that was used is refused, since nobody can tell which is right. After a crash at any
    moment, the same batches again lead to the same bytes. One collector at a time has a checkpoint.
    """

    def __init__(self, path: Path, metric: Metric | None = None, between: float = BETWEEN) -> None:
        self.path, self._between, self._changed, self._saved_at = path, between, False, time.monotonic()
        try:
            self._lock = FileLock(path.with_name(path.name + ".lock"))
        except OSError as trouble:
            raise DiscreetError(f"{path} cannot be written: {trouble.strerror}") from None
        if not self._lock.try_exclusive():
            self._lock.close()
            raise DiscreetError(f"another collector has {path}; wait until it is done, or collect into another file")
        try:
            sweep_parts(path)
            found = self._find(metric)
        except BaseException:
            self._lock.close()
            raise
        self._intake, self._batches = found.intake, dict(found.batches)
        self._names = {digest: name for name, digest in self._batches.items()}
        self._counter = ReportCounter(found.metric)

    @property
    def collection(self) -> Collection:
        """What was collected so far."""
        return Collection(self._intake, dict(self._batches))

    def _find(self, metric: Metric | None) -> Collection:
        if self.path.exists():
            found = load_collection(self.path)
            if metric is not None and metric != found.metric:
                raise ParameterError("metric", metric.name, f"that of {self.path}, {found.metric.name}, unchanged")
            return found
        if metric is None:
            raise DiscreetError(
                f"there is no checkpoint {self.path}; say which metric is collected (--metric METRIC.json)"
            )
        return Collection.start(metric)

    def ingest(self, path: Path, batch: str | None = None, count: Callable[[Path], Intake] | None = None) -> Outcome:
        """Take a file of reports; its name is the batch's, where none is given. An engine may `count` it."""
        name = path.name if batch is None else batch
        try:
            if name in self._batches:
                return self._meet_again(name, hash_file(path))
            if count is not None:
                return self.ingest_counted(name, hash_file(path), count(path))
            found = count_file(self._counter, path)
        except DiscreetError as trouble:
            return Outcome(name, Fate.REFUSED, reason=str(trouble))
        return self.ingest_counted(name, found.digest, found.intake)

    def ingest_frames(self, batch: str, data: bytes) -> Outcome:
        """Take frames of reports from memory, such as a server received."""
        return self.ingest_counted(batch, hashlib.sha256(data).hexdigest(), self._counter.count_stream([data]))

    def ingest_counted(self, batch: str, digest: str, intake: Intake) -> Outcome:
        """Take a batch that was counted elsewhere, such as by an engine."""
        if not 1 <= len(batch.encode("utf-8", "replace")) <= MOST_BATCH_NAME:
            return Outcome(batch, Fate.REFUSED, reason=f"a batch has a name of 1 to {MOST_BATCH_NAME} bytes")
        if batch in self._batches:
            return self._meet_again(batch, digest)
        self._intake += intake
        self._batches[batch] = digest
        first = self._names.setdefault(digest, batch)
        self._changed = True
        if time.monotonic() - self._saved_at >= self._between:
            self.save()
        copy = f"it has the same content as {first}: if it is a copy, its reports count twice"
        return Outcome(batch, Fate.COUNTED, intake, copy if first != batch else "")

    def _meet_again(self, batch: str, digest: str) -> Outcome:
        if self._batches[batch] == digest:
            return Outcome(batch, Fate.SKIPPED, reason="it was counted before")
        return Outcome(batch, Fate.REFUSED, reason="other reports were counted under this name: give another")

    def save(self) -> None:
        """Write the checkpoint, durably: after a crash it is the old or the new one, whole."""
        try:
            write_whole(self.path, self.collection.to_bytes())
        except OSError as trouble:
            raise DiscreetError(f"{self.path} cannot be written: {trouble.strerror}; it is as it was before") from None
        self._changed, self._saved_at = False, time.monotonic()

    def close(self, save: bool = True) -> None:
        """Write what is not written yet, and let others have the checkpoint."""
        try:
            if save and (self._changed or not self.path.exists()):
                self.save()
        finally:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, trouble: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(save=trouble is None)
