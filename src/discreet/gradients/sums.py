"""Sums of gradients over units: whole numbers that one unit moves by at most the clip, in L2.

**Exact scores.** Features and weights are whole numbers, and `check_weights` bounds every partial sum of a score by
2^53. So a float product of matrices is exact, in whatever order it adds, and a row's score does not depend on other
rows.

**Clipped.** Let a row's features have length at most a_i, its residuals at most b_i, both whole. The norm of the sum of
a unit's gradients is at most s = b_1 a_1 + ... + b_m a_m. Where s > K, the clip in steps, row i may keep a length
t_i = floor(b_i K / s), and each residual r becomes sign(r) floor(|r| t_i / b_i): then the residuals are no longer than
t_i, and t_1 a_1 + ... + t_m a_m <= K. Both are checked in whole numbers; a unit that failed would count as nothing.

**Local.** All of this is a function of one unit's rows and of public weights, to the last bit. So a unit's absence
leaves all others' contributions as they are, and moves the sum by at most K (2 K where another one enters: the triangle
inequality).

**Exact sums.** A block's sum of whole products is below 2^53, so the float product of matrices is exact there; blocks
are added in integers of Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.base.errors import OperationError, ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints, WideInts
from discreet.gradients.encoding import (
    FEATURE_STEPS,
    EncodedRows,
    Encoding,
    NumberFeature,
    PlaceFeature,
    check_field,
    find_slices,
    round_roots_up,
)
from discreet.gradients.residuals import RESIDUAL_STEPS, RESIDUALS, WEIGHT_STEPS, Residual

GRADIENT_STEPS = RESIDUAL_STEPS * FEATURE_STEPS
"""What a gradient's entry of 1 is, in whole steps."""

MOST_EXACT = 1 << 53
"""Below this floats hold every whole number."""

AT_ONCE = 1 << 14
"""Rows that are computed together, so that what is in hand stays in a core's cache."""

MOST_ROWS = 1 << 20
"""Rows of one unit, which are always computed together."""

MOST_CLIP = 1 << 42
"""The longest clip, in steps: 2^15 in gradients' own numbers."""

Weights = NDArray[np.int64]
"""A line for each weight of the encoding, and a column for each output."""


@dataclass(frozen=True)
class LinearGradients:
    """The gradients of a linear model: its features, how predictions differ from labels, and a unit's longest one."""

    encoding: Encoding
    residual: Residual
    clip: int
    """The longest gradient of a unit, in steps."""

    def __post_init__(self) -> None:
        if type(self.encoding) is not Encoding or type(self.residual) not in RESIDUALS:
            raise OperationError("gradients are of an Encoding and one of the listed residuals")
        check_field(self, "clip", least=FEATURE_STEPS, most=MOST_CLIP)
        if MOST_ROWS * FEATURE_STEPS * self.residual.most >= MOST_EXACT:
            raise ParameterError("residual", self.residual.most, "smaller: sums of a block would not be exact")

    @property
    def shape(self) -> tuple[int, int]:
        """How many weights there are for each output, and how many outputs."""
        return self.encoding.width, self.residual.outputs

    @property
    def entries(self) -> int:
        """How many numbers a gradient has."""
        return self.encoding.width * self.residual.outputs

    @property
    def longest(self) -> int:
        """How long one row's gradient can be: a clip beyond that, times the rows of a unit, cuts nothing."""
        return self.encoding.longest * self.residual.longest

    @cached_property
    def number_weights(self) -> Ints:
        """The weights of numbers, in the order of their columns in `EncodedRows.numbers`."""
        pairs = zip(find_slices(self.encoding.features), self.encoding.features, strict=True)
        return np.array([part.start for part, each in pairs if isinstance(each, NumberFeature)], dtype=np.int64)

    @cached_property
    def place_weights(self) -> list[slice]:
        """The weights of features with places, in the order of `EncodedRows.places`."""
        pairs = zip(find_slices(self.encoding.features), self.encoding.features, strict=True)
        return [part for part, each in pairs if isinstance(each, PlaceFeature)]

    def describe(self) -> Json:
        """Return the form of the gradients."""
        return {"encoding": self.encoding.describe(), "residual": self.residual.describe(), "clip": self.clip}

    def check_weights(self, weights: Weights) -> None:
        """Refuse weights with which a score could reach 2^53 steps: public numbers, so nothing is told."""
        if type(weights) is not np.ndarray or weights.dtype != np.int64 or weights.shape != self.shape:
            raise OperationError(f"weights are whole numbers of 64 bits of shape {self.shape}")
        if FEATURE_STEPS * max(sum(map(abs, column)) for column in weights.T.tolist()) >= MOST_EXACT:
            raise OperationError("weights are too large for exact scores; hold them with `hold_weights`")


def hold_weights(weights: Floats) -> Weights:
    """Return weights in whole steps, each held within what exact scores allow."""
    most = (MOST_EXACT - 1) // FEATURE_STEPS // max(1, len(weights))
    held: Weights = np.clip(np.nan_to_num(np.rint(weights * WEIGHT_STEPS)), -most, most).astype(np.int64)
    return held


def sum_gradients(
    gradients: LinearGradients, rows: EncodedRows, offsets: Ints, weights: Weights, single: bool = False
) -> list[int]:
    """Return the sum of all units' clipped gradients at some weights, weight by weight, in steps.

    Those of unit u are `rows[offsets[u]:offsets[u + 1]]`. Each unit is computed in one block with all of its rows.
    `single` says that no unit may have more than one row, which takes less time. It is a public fact, never found in
    the rows: else one person with two of them would make every step longer.
    """
    gradients.check_weights(weights)
    total: WideInts = np.zeros(gradients.entries, dtype=object)
    single = single and len(offsets) == len(rows) + 1
    held = weights.astype(np.float64)
    first, units = 0, len(offsets) - 1
    while first < units:
        last = int(np.searchsorted(offsets, offsets[first] + AT_ONCE, side="right")) - 1
        last = max(last, first + 1)
        block = rows.take(int(offsets[first]), int(offsets[last]))
        residuals = gradients.residual.find(find_scores(gradients, block, held), block.labels)
        kept = clip_residuals(residuals, block.lengths, None if single else offsets[first : last + 1], gradients.clip)
        total = total + multiply_features(gradients, block, kept.astype(np.float64)).astype(np.int64)
        first = last
    return [int(each) for each in total]


def find_scores(gradients: LinearGradients, rows: EncodedRows, weights: Floats) -> Floats:
    """Return every row's scores in steps: whole numbers, exact."""
    scores: Floats = rows.numbers @ weights[gradients.number_weights]
    for places, part in zip(rows.places, gradients.place_weights, strict=True):
        scores += (weights[part] * FEATURE_STEPS)[places]
    scores += weights[-1] * FEATURE_STEPS
    return scores


def clip_residuals(residuals: Ints, lengths: Ints, offsets: Ints | None, clip: int) -> Ints:
    """Return residuals such that no unit's gradient is longer than the clip; without offsets each row is a unit."""
    sizes = np.abs(residuals[:, 0]) if residuals.shape[1] == 1 else round_roots_up((residuals * residuals).sum(axis=1))
    allowed = np.minimum(sizes, clip // lengths) if offsets is None else _share_out(sizes, lengths, offsets, clip)
    over = np.flatnonzero(allowed < sizes)
    if len(over):
        residuals = residuals.copy()
        long = residuals[over]
        residuals[over] = np.sign(long) * (np.abs(long) * allowed[over, None] // sizes[over, None])
    failed = (residuals * residuals).sum(axis=1) > allowed * allowed
    if offsets is None:
        failed |= allowed * lengths > clip
    else:
        begins = offsets[:-1] - offsets[0]
        broken = (np.add.reduceat(allowed * lengths, begins) > clip) | np.logical_or.reduceat(failed, begins)
        failed = np.repeat(broken, np.diff(offsets))
    if failed.any():
        residuals = np.where(failed[:, None], 0, residuals)
    return residuals


def _share_out(sizes: Ints, lengths: Ints, offsets: Ints, clip: int) -> Ints:
    """Return how long each row's residuals may be, so that those of each unit fit the clip together.

    Sizes are below 2^20 and a clip is at most 2^42, so their products are whole numbers of 64 bits.
    """
    totals = np.repeat(np.add.reduceat(sizes * lengths, offsets[:-1] - offsets[0]), np.diff(offsets))
    return np.where(totals > clip, sizes * clip // np.maximum(totals, 1), sizes)


def multiply_features(gradients: LinearGradients, rows: EncodedRows, held: Floats) -> Floats:
    """Return the sum over rows of residuals times features, weight by weight: exact where residuals are whole."""
    found = np.empty(gradients.shape)
    found[gradients.number_weights] = rows.numbers.T @ held
    for places, part in zip(rows.places, gradients.place_weights, strict=True):
        for output in range(held.shape[1]):
            found[part, output] = np.bincount(places, held[:, output], part.stop - part.start) * FEATURE_STEPS
    found[-1] = held.sum(axis=0) * FEATURE_STEPS
    return found.ravel()
