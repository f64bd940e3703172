"""What a release is told of itself: bias and error of its counts, by class of size, found by making it again.

These are averages over the counts that were released, taken for the truth (`simulating`), and sizes are those of the
released counts: nobody has the true ones. They tell how large errors are, and what not being negative does to small
cells and to large ones. Nothing is promised by them: where the truth lies is said by exact intervals (`intervals`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.topdown.running.error_sums import EDGES, ErrorKey, SimulatedErrors

LEAST_REPLICATIONS = 10
"""A bias is told from so many replications on, together with its own error: of fewer nobody knows how good it is."""


@dataclass(frozen=True)
class SizeClass:
    """What was simulated of cells of one class of size, as they were released."""

    least: int
    cells: int
    """How many were simulated: a cell counts once for each replication."""
    bias: float | None
    """The mean error, signs kept; None where replications are too few to tell it."""
    error: float
    """The mean of absolute errors."""
    bias_error: float | None = None
    """The standard error of the bias, by how replications differ."""


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
    """Return the errors of each level and query, by class of size."""
    return {key: QueryErrors(*key, tuple(_tell_classes(simulated, key))) for key in simulated.classes}


def _tell_classes(simulated: SimulatedErrors, key: ErrorKey) -> Iterator[SizeClass]:
    sums, times = simulated.classes[key], simulated.replications
    is_known = times >= LEAST_REPLICATIONS
    off = simulated.moments[key].find_errors(sums, times) if is_known else np.zeros(len(EDGES))
    for place in np.flatnonzero(sums.cells):
        cells = int(sums.cells[place])
        yield SizeClass(
            EDGES[place],
            cells,
            float(sums.signed[place] / cells) if is_known else None,
            float(sums.absolute[place] / cells),
            float(off[place]) if is_known else None,
        )
