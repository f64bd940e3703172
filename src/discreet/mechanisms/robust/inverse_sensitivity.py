"""Inverse sensitivity: a candidate is likelier, the fewer units must change before it is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down
from discreet.base.search import least_int
from discreet.base.wide import integers
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.privacy import Loss, Neighbours


@dataclass(frozen=True)
class InverseSensitivity:
    """Draws a candidate r with probability proportional to e^(-epsilon length(r) / 2).

    length(r) is how many units of the data must change, at the least, before the statistic is r: its path length. A
    unit that changes moves every path length by at most one, whatever the statistic.

    Theorem (Asi, Duchi 2020): so this is the exponential mechanism with scores of sensitivity 1, of bounded range
    epsilon; they show that it is near the best on every single data set, not only on the worst. Quantiles have it
    already: the score of `mechanisms.Quantile` is the path length of a point, times a constant that is smaller where
    adding and removing values moves ranks by less than one. Use that.
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))

    @cached_property
    def draw(self) -> Exponential:
        """The exponential mechanism on path lengths."""
        return Exponential.calibrate(self.epsilon, 1)

    def release(self, lengths: Any) -> int:
        """Return the index of the candidate drawn, from the path length of each: private whole numbers."""
        return self.draw.release(-_whole_lengths(lengths))

    def release_from(self, edges: Sequence[int], lengths: Any) -> int:
        """Return a whole number of a public range, on pieces of which path lengths are alike (see `Exponential`)."""
        return self.draw.release_from(edges, -_whole_lengths(lengths))

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return self.draw.loss(1)


def _whole_lengths(lengths: Any) -> Any:
    whole = integers("lengths", lengths)
    if isinstance(whole, int) or whole.ndim != 1:
        raise ParameterError.of_data("lengths", lengths, "a list of whole numbers, one for each candidate")
    return whole


@dataclass(frozen=True)
class MostFrequent:
    """Draws which of a public list of categories has the most rows: the mode. One unit has up to `rows` rows.

    Theorem. With one row to a unit, the path length of category r is max c - c_r under add-remove: each added row
    raises r by one, each removed row lowers one other category by one. The counts c_r differ from its negative by the
    same number for all r, so both give the same exponential mechanism; and counts are monotone (a unit that is added
    lowers none), so e^(epsilon c_r / rows) is epsilon-differentially private: twice the exponent of
    `InverseSensitivity`. Under replace a path is the least k with sum max(0, c_j - c_r - k) <= k, between half of that
    and all of it; counts move by at most `rows` each way there, and e^(epsilon c_r / (2 rows)) is at least as sharp as
    the path length would be.

    With `pure` the draw is permute-and-flip (McKenna, Sheldon 2020), which errs less; else the exponential mechanism,
    whose loss has bounded range.
    """

    epsilon: float
    rows: int = 1
    neighbours: str = Neighbours.ADD_REMOVE
    pure: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        check.flag("pure", self.pure)

    @cached_property
    def draw(self) -> Exponential | PermuteAndFlip:
        """The mechanism on counts."""
        kind = PermuteAndFlip if self.pure else Exponential
        monotone = self.neighbours == Neighbours.ADD_REMOVE
        return kind.calibrate(self.epsilon, self.rows, monotone, neighbours=self.neighbours)

    def release(self, counts: Any) -> int:
        """Return the index of the category drawn, from how many rows each has."""
        return self.draw.release(counts)

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return self.draw.loss(self.rows, self.neighbours)


def find_mode_lengths(counts: Sequence[int], neighbours: str = Neighbours.ADD_REMOVE) -> list[int]:
    """Return the path length of each category to being a mode, with one row to a unit.

    >>> find_mode_lengths([7, 3, 6]), find_mode_lengths([7, 3, 6], "replace")
    ([0, 4, 1], [0, 3, 1])
    """
    whole = np.array(counts, dtype=object)
    if Neighbours.named(neighbours) is Neighbours.ADD_REMOVE:
        return [int(max(counts) - count) for count in counts]
    return [_find_replacements(whole, int(count)) for count in counts]


def _find_replacements(counts: Any, own: int) -> int:
    """Return the least k with sum max(0, c_j - own - k) <= k: k rows leave those above, and come here."""
    return least_int(lambda k: sum(max(0, int(count) - own - k) for count in counts) <= k, start=0)
