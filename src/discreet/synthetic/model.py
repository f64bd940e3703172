"""The model of a table: what a synthesis returns, and everybody may use. Nothing here costs anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.answers import Receipt
from discreet.families.domain import CellTable
from discreet.synthetic.fitting import FittedModel
from discreet.synthetic.intervals.estimates import CellEstimates, RowEstimate, estimate_cells, estimate_where
from discreet.synthetic.sampling import make_frame, sample_rows
from discreet.synthetic.saving import load_transcript, save_transcript
from discreet.synthetic.transcript import Transcript, find_places


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticModel:
    """A model of a table that was fitted to noisy counts, with all that was measured."""

    transcript: Transcript
    receipt: Receipt | None = None
    averaged: bool = False
    """Whether this is the mean of the models after each step, rather than the last one."""

    def __repr__(self) -> str:
        names = ", ".join(column.name for column in self.transcript.columns)
        how = f"{self.transcript.strategy}, {len(self.transcript.readings)} readings"
        return f"<SyntheticModel of {self.transcript.table}: about {self.rows:,} rows of {names} ({how})>"

    @cached_property
    def fit(self) -> FittedModel:
        """The distribution: fitted when it is first needed."""
        return self.transcript.fit_average() if self.averaged else self.transcript.fit()

    def average(self) -> SyntheticModel:
        """Return the mean of the models after each step; the last one, this, usually errs less."""
        return replace(self, averaged=True)

    @property
    def rows(self) -> int:
        """How many rows the table has, about."""
        return max(0, round(self.transcript.total.rows))

    def count(self, *columns: str) -> CellTable:
        """Return the expected number of rows in each cell of some columns, an axis for each in the table's order."""
        return self.fit.project(find_places(self.transcript, columns))

    def sample(self, rows: int | None = None, seed: int | None = None) -> pa.Table:
        """Return a synthetic table of so many rows, or of about as many as the table has."""
        return sample_rows(self.transcript, self.fit, self.rows if rows is None else rows, seed)

    def to_pandas(self, rows: int | None = None, seed: int | None = None) -> Any:
        """Return a synthetic table as a pandas frame."""
        return make_frame(self.sample(rows, seed))

    def estimate(self, where: Mapping[str, Any] | None = None, confidence: float = 0.95) -> RowEstimate:
        """Return how many rows have these values, with an interval where what was measured gives one.

        `where` names for each column a value, a list of values, or (of bins) a pair of edges; None stands for NULL.
        """
        return estimate_where(self.transcript, self.fit, where or {}, confidence)

    def estimate_cells(self, *columns: str, confidence: float = 0.95, together: bool = False) -> CellEstimates:
        """Return how many rows lie in each cell of some columns, with intervals: each on its own, or all together."""
        return estimate_cells(self.transcript, self.fit, find_places(self.transcript, columns), confidence, together)

    def save(self, path: str | Path) -> None:
        """Write the model to a file, from which `load_model` makes the same one."""
        save_transcript(self.transcript, self.receipt, path)


def load_model(path: str | Path) -> SyntheticModel:
    """Return the model that was saved in a file."""
    return SyntheticModel(*load_transcript(path))
