"""Reports that are kept one by one: for what counts alone do not tell, such as which fragments go together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from discreet.local.client import Metric
from discreet.local.counting import Intake, ReportCounter
from discreet.local.oracles.oracle import Batch
from discreet.local.report_files import count_file


class ReportKeeper(ReportCounter):
    """Counts reports like a `ReportCounter`, and keeps the sound ones in memory, in the order in which they came."""

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric)
        self._kept: list[Batch] = []

    def count_batch(self, batch: Batch) -> Intake:
        """Count reports whose parts were taken apart already, and keep the sound ones."""
        good = self._oracle.count(batch).good
        self._kept.append(Batch(batch.seeds[good], batch.payloads[good]))
        return super().count_batch(batch)

    @property
    def batch(self) -> Batch:
        """All sound reports so far."""
        empty = Batch(np.zeros(0, dtype=np.int64), np.zeros((0, self.metric.mechanism.payload_size), dtype=np.uint8))
        kept = [empty, *self._kept]
        return Batch(np.concatenate([each.seeds for each in kept]), np.vstack([each.payloads for each in kept]))


def read_reports(metric: Metric, files: Iterable[Path]) -> tuple[Batch, Intake]:
    """Return the sound reports of some files, and what all of them came to."""
    keeper, total = ReportKeeper(metric), Intake.start(metric)
    for path in files:
        total += count_file(keeper, path).intake
    return keeper.batch, total
