"""What a release is told of itself: bias and error of its counts, by class of true size, found by making it again.

These are averages over the counts that were released, taken for the truth (`simulating`): how large errors are, and
what not being negative does to small cells and to large ones. Nothing is promised by them: where the truth lies is said
by exact intervals (`intervals`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.topdown.running.error_sums import EDGES, ErrorKey, SimulatedErrors


@dataclass(frozen=True)
class SizeClass:
    """What was simulated of cells of one class of true size."""

    least: int
    cells: int
    bias: float
    """The mean error, signs kept."""
    error: float
    """The mean of absolute errors."""


@dataclass(frozen=True)
class QueryErrors:
    """The simulated errors of one query at one level."""

    level: str
    query: str
    classes: tuple[SizeClass, ...]

    @property
    def cells(self) -> int:
        """How many cells were simulated."""
        return sum(each.cells for each in self.classes)

    @property
    def error(self) -> float:
        """The mean of absolute errors, over all cells."""
        return sum(each.cells * each.error for each in self.classes) / max(self.cells, 1)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"level": self.level, "query": self.query, "classes": [vars(each) for each in self.classes]}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> QueryErrors:
        """Return what `to_dict` wrote."""
        return cls(form["level"], form["query"], tuple(SizeClass(**each) for each in form["classes"]))


def tell_errors(simulated: SimulatedErrors) -> dict[ErrorKey, QueryErrors]:
    """Return the errors of each level and query, by class of true size."""
    found = {}
    for key, errors in simulated.classes.items():
        classes = tuple(
            SizeClass(
                EDGES[place],
                int(errors.cells[place]),
                float(errors.signed[place] / errors.cells[place]),
                float(errors.absolute[place] / errors.cells[place]),
            )
            for place in np.flatnonzero(errors.cells)
        )
        found[key] = QueryErrors(*key, classes)
    return found
