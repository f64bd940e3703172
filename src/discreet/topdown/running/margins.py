"""Margins of error at 95 %: exact for least squares estimates, simulated for the whole numbers.

The estimate by least squares of an answer is Gaussian around the truth but for the rounding of the noise, with a
variance that is known exactly: its margin is 1.96 deviations.

Whole numbers are biased: none is below 0, so what is added to small cells is taken from large ones. Their margin is
that of least squares times a factor, one for each level, query and class of *released* size. In simulation
(`simulating`) each class of *true* size needs a factor for 95 % of its errors to be within their margins; a released
class gets the largest of all true classes that are found in it at least now and then (`RARE`). So every class of true
size is covered, and none at the cost of another, up to what is rare. Where constraints say more than noise leaves open
a factor is below 1, but never as far as the simulation says: released counts have fewer small cells than the truth, and
what is simulated from them is a little too good (`CAUTION`).

What is covered: a cell chosen before the release is looked at, on average over the cells of its level, query and class
of true size; by the noise of the measurements, and for people as the private table has them. What is not: one cell
chosen because it looks odd, all cells at once, errors of the table itself, rows that were left out, and truths whose
shape is far from that of what was released.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.running.error_sums import EDGES, RATIOS, ClassErrors, ErrorKey, SimulatedErrors, Z, class_sizes

CONFIDENCE = 0.95
RARE = 0.002
"""A share of a true class that lands in a released one: below it, that class need not be covered there."""

CAUTION = 1.5
"""What a factor below 1 is multiplied with, up to 1."""

ALONE, ENOUGH = 4, 400
"""Errors of a class with which it stands alone, and from which its quantile is read off."""


@dataclass(frozen=True)
class SizeClass:
    """What was simulated of cells of one class of true size."""

    least: int
    cells: int
    bias: float
    """The mean error, signs kept."""
    error: float
    """The mean of absolute errors."""
    covered: float
    """The share within their margins."""
    needed: float
    """The factor that this class needs."""


@dataclass(frozen=True)
class QueryMargins:
    """The margins of one query at one level: a factor for each class of released size."""

    level: str
    query: str
    factors: tuple[float, ...]
    classes: tuple[SizeClass, ...]

    def scale(self, counts: Ints) -> Floats:
        """Return what the least squares margins of released counts are multiplied with."""
        return np.array(self.factors)[class_sizes(counts)]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        listed = [vars(each) for each in self.classes]
        return {"level": self.level, "query": self.query, "factors": list(self.factors), "classes": listed}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> QueryMargins:
        """Return what `to_dict` wrote."""
        classes = tuple(SizeClass(**each) for each in form["classes"])
        return cls(form["level"], form["query"], tuple(form["factors"]), classes)


def find_margins(simulated: SimulatedErrors) -> dict[ErrorKey, QueryMargins]:
    """Return the factors of each level and query, and how they do in the simulation itself."""
    found = {}
    for key, errors in simulated.classes.items():
        needed = find_needed(errors, simulated.replications)
        factors = spread_factors(errors, needed)
        found[key] = QueryMargins(*key, tuple(factors.tolist()), tell_classes(errors, factors, needed))
    return found


def find_needed(errors: ClassErrors, replications: int) -> Floats:
    """Return the factor that each class of true size needs; 0 for those that nobody is in."""
    groups = group_classes(errors.cells)
    merged = errors.merge(groups)
    found = np.array([_cover(merged, place, replications) for place in range(len(merged.cells))])
    return np.where(errors.cells > 0, found[groups], 0.0)


def spread_factors(errors: ClassErrors, needed: Floats) -> Floats:
    """Return the factor of each class of released size; classes that nothing landed in have that of the next below."""
    landed = errors.ratios.sum(axis=2)
    shares = landed / np.maximum(landed.sum(axis=1, keepdims=True), 1)
    found = np.where(shares >= RARE, needed[:, None], 0.0).max(axis=0)
    empty = ~(shares >= RARE).any(axis=0)
    for place in np.flatnonzero(empty):
        found[place] = found[place - 1] if place else needed.max()
    return np.asarray(np.maximum(found, np.minimum(CAUTION * found, 1.0)))


def measure_coverage(errors: ClassErrors, factors: Floats) -> Floats:
    """Return, for each class of true size, the share of errors within margins of these factors by released size."""
    bins = np.searchsorted(RATIOS, np.asarray(factors) * (1 + 1e-9), side="right")
    inside = np.arange(len(RATIOS) + 1)[None, :] < bins[:, None]
    covered = (errors.ratios * inside).sum(axis=(1, 2))
    return np.asarray(covered / np.maximum(errors.cells, 1))


def tell_classes(errors: ClassErrors, factors: Floats, needed: Floats) -> tuple[SizeClass, ...]:
    """Return what was simulated of each class of true size that somebody is in."""
    covered = measure_coverage(errors, factors)
    return tuple(
        SizeClass(
            EDGES[place],
            int(errors.cells[place]),
            float(errors.signed[place] / errors.cells[place]),
            float(errors.absolute[place] / errors.cells[place]),
            float(covered[place]),
            float(needed[place]),
        )
        for place in np.flatnonzero(errors.cells)
    )


def group_classes(cells: NDArray[np.int64]) -> Ints:
    """Return a number for each class: with too few cells it goes with the next smaller one, the first with the next.

    >>> group_classes(np.array([900, 2, 50, 3])).tolist()
    [0, 0, 1, 1]
    """
    groups = np.zeros(len(cells), dtype=np.int64)
    for place in range(1, len(cells)):
        before = cells[:place][groups[:place] == groups[place - 1]].sum()
        groups[place] = groups[place - 1] + int(cells[place] >= ALONE and before >= ALONE)
    return groups


def _cover(errors: ClassErrors, place: int, replications: int) -> float:
    """Return the factor that covers the errors of one class.

    With enough of them it is a quantile. With few it is that of a Gaussian with their root mean square, and Student's
    quantile for as many as there are replications: errors within one go together. One error as least squares has it is
    added, since a few that happen to be 0 prove nothing.
    """
    cells = int(errors.cells[place])
    if not cells:
        return 0.0
    if cells < ENOUGH:
        squares = float(errors.squares[place]) + 1 / Z**2
        return sqrt(squares / (cells + 1)) * float(stdtrit(replications + 1, 0.5 + CONFIDENCE / 2))
    sizes = np.cumsum(errors.ratios[place].sum(axis=0))
    found = int(np.searchsorted(sizes, CONFIDENCE * cells - 1e-9))
    return float(RATIOS[min(found, len(RATIOS) - 1)])
