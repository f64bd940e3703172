"""The model of a table: what a synthesis returns, and everybody may use. Nothing here costs anything."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from discreet.answers import Receipt
from discreet.families.domain import CellTable
from discreet.synthetic.fitting import FittedModel
from discreet.synthetic.transcript import Transcript, find_places


@dataclass(frozen=True, eq=False)
class SyntheticModel:
    """A model of a table that was fitted to noisy counts, with all that was measured."""

    transcript: Transcript
    receipt: Receipt | None = None

    @cached_property
    def fit(self) -> FittedModel:
        """The distribution: fitted when it is first needed."""
        return self.transcript.fit()

    @property
    def rows(self) -> int:
        """How many rows the table has, about."""
        return max(0, round(self.transcript.total.rows))

    def count(self, *columns: str) -> CellTable:
        """Return the expected number of rows in each cell of some columns, an axis for each in the table's order."""
        return self.fit.project(find_places(self.transcript, columns))
