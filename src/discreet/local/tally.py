"""Tallies: all that a collector keeps of reports. Counts only, so any two of one metric add up."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.local.client import Metric, read_metric
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch

MARK = b"discreet tally 1\n"


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts of the sound reports of one metric. Tallies add up in any order and grouping."""

    metric: Metric
    reports: int
    counts: Ints

    @classmethod
    def start(cls, metric: Metric) -> Tally:
        """Return a tally of no reports."""
        return cls(metric, 0, np.zeros(find_oracle(metric.mechanism).shape, dtype=np.int64))

    def add(self, batch: Batch) -> tuple[Tally, int]:
        """Return the tally with a batch's sound reports, and how many of the batch were not."""
        counts, good = find_oracle(self.metric.mechanism).count(batch)
        sound = int(good.sum())
        return Tally(self.metric, self.reports + sound, self.counts + counts), len(batch) - sound

    def __add__(self, other: Tally) -> Tally:
        if self.metric != other.metric:
            raise ParameterError("other", other.metric.name, f"a tally of the same metric, {self.metric.name}")
        return Tally(self.metric, self.reports + other.reports, self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_bytes(self) -> bytes:
        """Return the tally as bytes: the same for the same reports, in whatever order they came."""
        head = {"metric": self.metric.to_json(), "reports": self.reports, "shape": list(self.counts.shape)}
        return MARK + json.dumps(head, sort_keys=True).encode() + b"\n" + self.counts.astype("<i8").tobytes()


def read_tally(data: bytes) -> Tally:
    """Return the tally that bytes hold, or refuse them."""
    mark, _, rest = data.partition(b"\n")
    head, _, body = rest.partition(b"\n")
    if mark + b"\n" != MARK:
        raise ParameterError("tally", mark[:20], "the bytes of a tally: Tally.to_bytes writes them")
    form: dict[str, Any] = json.loads(head)
    metric = read_metric(form["metric"])
    started = Tally.start(metric)
    if form["shape"] != list(started.counts.shape) or len(body) != 8 * started.counts.size:
        raise ParameterError("tally", form["shape"], f"counts of the shape {list(started.counts.shape)}, whole")
    counts = np.frombuffer(body, dtype="<i8").astype(np.int64).reshape(started.counts.shape)
    return Tally(metric, form["reports"], counts)
