"""Transcripts: all that a run measured, as it is recorded. A model is a pure function of one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from discreet.base.canonical import Json, write_json
from discreet.base.errors import ParameterError
from discreet.families.domain import CellTable, Domain
from discreet.query.placed_columns import PlacedColumn, read_column
from discreet.synthetic.fit.dense import DenseFit
from discreet.synthetic.fitting import MOST_DENSE, FittedModel, fit_readings
from discreet.synthetic.reading import Reading, Total, find_total

VERSION = 1
"""The version of the form in which transcripts are written."""


@dataclass(frozen=True, eq=False)
class Transcript:
    """The columns, what was measured of them, and how it was chosen: noisy numbers and public facts only."""

    table: str
    columns: tuple[PlacedColumn, ...]
    readings: tuple[Reading, ...]
    strategy: str
    """The strategy's name."""
    reason: str
    """Why that strategy, in a sentence."""
    unit_rows: int
    """How many rows one unit has at most."""
    replace: bool
    """Whether neighbours replace a unit, rather than add or remove one."""
    batches: tuple[int, ...] = ()
    """How many readings each step measured, in their order; () where every step measured one.

    What a step measures, with which noise, and whether it is the last one, was settled before any of its own noise was
    drawn: by the plan, and by the readings of earlier steps. Intervals rest on that (`intervals/estimates.py`).
    """

    prior: CellTable | None = None
    """Public weights of all cells, where the model starts from such."""

    def __post_init__(self) -> None:
        if self.batches and (min(self.batches) < 1 or sum(self.batches) != len(self.readings)):
            raise ParameterError("batches", self.batches, f"sizes of steps, for {len(self.readings)} readings in all")

    @property
    def steps(self) -> list[tuple[Reading, ...]]:
        """The readings of each step."""
        ends = list(accumulate(self.batches or (1,) * len(self.readings)))
        return [self.readings[start:end] for start, end in pairwise([0, *ends])]

    @property
    def domain(self) -> Domain:
        """How many places each column has."""
        return Domain(tuple(column.size for column in self.columns))

    @cached_property
    def total(self) -> Total:
        """How many rows there are, from all readings that tell."""
        return find_total(self.readings)

    def fit(self) -> FittedModel:
        """Return the model of all readings."""
        return fit_readings(self.domain, self.readings, self.total, prior=self.prior)

    def fit_average(self) -> DenseFit:
        """Return the mean of the models after each step, the count of rows aside: what the theorem of MWEM is about.

        Only of tables of all cells: the mean of junction trees is none.
        """
        models, told = [], 0
        for step in self.steps:
            told += len(step)
            if any(each.columns for each in step):
                readings = self.readings[:told]
                models.append(fit_readings(self.domain, readings, find_total(readings), prior=self.prior))
        last = models[-1] if models else self.fit()
        if not isinstance(last, DenseFit):
            raise ParameterError("average", self.domain.sizes, f"of at most {MOST_DENSE:,} cells; use the last model")
        shares = [model.shares for model in models if isinstance(model, DenseFit)] or [last.shares]
        return replace(last, shares=np.mean(shares, axis=0))

    def to_bytes(self) -> bytes:
        """Return the transcript as bytes, the same for the same numbers."""
        form: dict[str, Json] = {
            "version": VERSION,
            "table": self.table,
            "columns": [column.write() for column in self.columns],
            "readings": [each.write() for each in self.readings],
            "strategy": self.strategy,
            "reason": self.reason,
            "unit_rows": self.unit_rows,
            "replace": self.replace,
        }
        if self.batches:
            form["batches"] = list(self.batches)
        if self.prior is not None:
            form["prior"] = self.prior.ravel().tolist()
        return zlib.compress(write_json(form).encode())

    @classmethod
    def from_bytes(cls, data: bytes) -> Transcript:
        """Return the transcript of what `to_bytes` wrote."""
        form: Any = json.loads(zlib.decompress(data))
        if form.get("version") != VERSION:
            raise ParameterError("transcript", form.get("version"), f"of version {VERSION}")
        columns = tuple(read_column(each) for each in form["columns"])
        weights = form.get("prior")
        return cls(
            form["table"],
            columns,
            tuple(Reading.read(each) for each in form["readings"]),
            form["strategy"],
            form["reason"],
            form["unit_rows"],
            form["replace"],
            tuple(form.get("batches", ())),
            None if weights is None else np.array(weights).reshape([column.size for column in columns]),
        )


def find_places(transcript: Transcript, columns: Sequence[str]) -> tuple[int, ...]:
    """Return the places of columns by their names."""
    names = [column.name for column in transcript.columns]
    missing = [name for name in columns if name not in names]
    if missing:
        raise ParameterError("columns", missing[0], f"among {', '.join(names)}")
    return tuple(sorted(names.index(name) for name in columns))
