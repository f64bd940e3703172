"""What was measured: noisy counts of one query in all areas of one level."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.base.wide import Ints
from discreet.topdown.spec.queries import Query


@dataclass(frozen=True, eq=False)
class LevelReading:
    """The noisy answers of a query in each area of a level, a row for each; all have the same noise."""

    level: int
    query: Query
    variance: float
    """Of the noise of one answer, rounding included."""
    values: Ints
