"""How far a linear model's predictions are from the labels of all units: one whole number, to compare models by.

A row's error is the sum of its squared residuals, as a part of the largest that they can be, in `ERROR_STEPS`: of
classes what is known as the Brier score. A unit's error is the mean of its rows', rounded down: so each unit counts
once, however many rows it has, and moves the sum by at most `ERROR_STEPS` (twice that where another one enters).

Scores and residuals are whole numbers of one row and of public weights (`gradients/sums.py`), and so are these: a
unit's absence leaves the errors of all others as they are. A row whose label is none has no error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import OperationError
from discreet.base.wide import Ints
from discreet.gradients.encoding import EncodedRows, Encoding
from discreet.gradients.sums import AT_ONCE, LinearGradients, Weights, find_scores

ERROR_STEPS = 1 << 20
"""What the largest error of a unit is, in whole steps."""


@dataclass(frozen=True)
class PredictionErrors:
    """The sum over units of the errors of a linear model at public weights: a line of weights for each feature."""

    gradients: LinearGradients
    weights: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if type(self.gradients) is not LinearGradients:
            raise OperationError("errors are of LinearGradients: an encoding and a residual")
        object.__setattr__(self, "weights", tuple(tuple(int(each) for each in line) for line in self.weights))
        self.gradients.check_weights(self._hold())

    @property
    def encoding(self) -> Encoding:
        """The features and the label."""
        return self.gradients.encoding

    @property
    def clip(self) -> int:
        """How far one unit moves the sum, in steps."""
        return ERROR_STEPS

    @property
    def steps(self) -> int:
        """What the largest error of a unit is, in whole steps."""
        return ERROR_STEPS

    @property
    def entries(self) -> int:
        """One number."""
        return 1

    @property
    def row_time(self) -> int:
        """Nanoseconds that a row may take: measured, rounded up."""
        return 1000 + self.gradients.residual.outputs * (200 + 15 * len(self.encoding.features))

    def describe(self) -> Json:
        """Return the form of the errors."""
        return {"errors": self.gradients.describe(), "weights": [list(line) for line in self.weights]}

    def sum(self, rows: EncodedRows, offsets: Ints) -> list[int]:
        """Return the sum of all units' errors; each unit is computed in one block with all of its rows."""
        held, total = self._hold().astype(np.float64), 0
        most = self.gradients.residual.longest**2
        first, units = 0, len(offsets) - 1
        while first < units:
            last = int(np.searchsorted(offsets, offsets[first] + AT_ONCE, side="right")) - 1
            last = max(last, first + 1)
            block = rows.take(int(offsets[first]), int(offsets[last]))
            residuals = self.gradients.residual.find(find_scores(self.gradients, block, held), block.labels)
            errors = np.minimum((residuals * residuals).sum(axis=1), most) * ERROR_STEPS // most
            begins = offsets[first : last + 1] - offsets[first]
            total += int((np.add.reduceat(errors, begins[:-1]) // np.diff(begins)).sum())
            first = last
        return [total]

    def _hold(self) -> Weights:
        return np.array(self.weights, dtype=np.int64)
