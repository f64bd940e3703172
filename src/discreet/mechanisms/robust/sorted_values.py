"""Values in order, with as many copies of the public bounds around them as are asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import LIMIT, integers

Indices = NDArray[np.int64]


def check_bounds(low: object, high: object) -> tuple[int, int]:
    """Return public bounds of values: whole numbers, the lower one first."""
    first = check.integer("low", low, least=-LIMIT, most=LIMIT)
    last = check.integer("high", high, least=-LIMIT, most=LIMIT)
    if last <= first:
        raise ParameterError("high", high, f"greater than low, which is {first}")
    return first, last


@dataclass(frozen=True, slots=True, eq=False)
class SortedValues:
    """The values in order, held between public bounds: x_1 <= ... <= x_n, low at ranks below, high at ranks above.

    Lemma (steps). With a value more, y_j <= x_j <= y_(j+1) at every rank j; with a value fewer, y_(j-1) <= x_j <= y_j;
    with one value replaced by a larger one, x_j <= y_j <= x_(j+1), and by a smaller one, x_(j-1) <= y_j <= x_j.
    """

    values: NDArray[np.int64]
    low: int
    high: int
    padded: NDArray[np.int64] = field(init=False)
    """The values between one copy of each bound."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "padded", np.concatenate([[self.low], self.values, [self.high]]))

    @classmethod
    def of(cls, values: Any, low: int, high: int) -> SortedValues:
        """Put whole numbers in order. What lies beyond a bound counts as the bound, what is missing as 0 held there."""
        found = integers("values", values)
        if isinstance(found, int) or found.ndim != 1:
            raise ParameterError.of_data("values", values, "a list or an array of whole numbers")
        held = np.minimum(np.maximum(found, low), high).astype(np.int64)
        return cls(np.sort(held), low, high)

    @property
    def size(self) -> int:
        """How many values there are: private, unless neighbours replace values."""
        return len(self.values)

    def at(self, rank: int) -> int:
        """Return the value of a rank, counted from 1; a bound where there is none."""
        if rank < 1:
            return self.low
        return self.high if rank > self.size else int(self.values[rank - 1])

    def take(self, ranks: Indices) -> NDArray[np.int64]:
        """Return the values of many ranks."""
        found: NDArray[np.int64] = self.padded[np.clip(ranks, 0, self.size + 1)]
        return found

    def first_rank_above(self, values: NDArray[np.int64]) -> Indices:
        """Return the least rank, from 1 on, whose value is greater; n + 1 where only the upper bound can be."""
        ranks: Indices = np.searchsorted(self.values, values, side="right") + 1
        return ranks


def check_share(name: str, value: object, below: float | None = None) -> Fraction:
    """Return a public share of the values."""
    share = check.real(name, value, least=0, most=1 if below is None else None, below=below)
    return Fraction(repr(share)) if isinstance(share, float) else Fraction(share)
