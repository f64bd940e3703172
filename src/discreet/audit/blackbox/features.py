"""What is looked at in an output: its numbers, what they add up to, their order, and the last bits of floats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.base.grid import Floats

MOST_COLUMNS = 64
"""Numbers of one output that are looked at one by one; of more, only what is made of all."""

LEAST_HALVED = 4
"""Numbers of an output whose halves are looked at apart, at the least: two mechanisms may stand side by side."""


@dataclass(frozen=True, slots=True)
class OutputFeature:
    """A number made of each output, with its name."""

    name: str
    find: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class OutputPart:
    """Some of the numbers of an output that stand side by side."""

    name: str
    """How its features end: empty for all numbers."""
    start: int
    stop: int

    def cut(self, rows: Floats) -> Floats:
        """Return these numbers of each output."""
        return rows[:, self.start : self.stop]


def list_parts(width: int) -> list[OutputPart]:
    """Return what is looked at as a whole: all numbers of an output, and its halves."""
    middle = width // 2
    halves = [OutputPart(" of the first half", 0, middle), OutputPart(" of the second half", middle, width)]
    return [OutputPart("", 0, width), *(halves if width >= LEAST_HALVED else [])]


def list_features(rows: Floats) -> list[OutputFeature]:
    """Return what is to be looked at in outputs such as these."""
    width = rows.shape[1]
    found = [
        _single(f"number {place}" if width > 1 else "the number", place) for place in range(min(width, MOST_COLUMNS))
    ]
    if width > 1:
        found += _list_summaries(list_parts(width)[0])
        found.append(
            OutputFeature("the first less the others' mean", lambda rows: rows[:, 0] - rows[:, 1:].mean(axis=1))
        )
        found.append(
            OutputFeature("the last less the others' mean", lambda rows: rows[:, -1] - rows[:, :-1].mean(axis=1))
        )
        found.append(OutputFeature("the first half's sum less the second's", _compare_halves))
    if not np.array_equal(rows, np.rint(rows)):
        found += [_last_bit(place) for place in range(min(width, 4))]
    return found


def find_largest(part: OutputPart) -> tuple[OutputFeature, OutputFeature]:
    """Return where the largest number of a part is, and which it is: the two together tell what was told, and when."""
    where = OutputFeature(
        f"where the largest{part.name} is", lambda rows: part.cut(rows).argmax(axis=1).astype(np.float64)
    )
    return where, OutputFeature(f"the largest{part.name}", lambda rows: part.cut(rows).max(axis=1))


def find_last_bits(values: Floats) -> Floats:
    """Return the place of the last bit of each float that is not 0: x is odd times 2 to the power of it.

    Floats near 0 are finer than others. A sum of 1 and noise has no finer bits than the coarser of the two: what is
    left shows what was added (Mironov 2012).
    """
    fractions, powers = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(np.ldexp(fractions, 53)).astype(np.int64)
    last = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    return np.where(whole == 0, 0.0, powers - 53 + last)


def _single(name: str, place: int) -> OutputFeature:
    return OutputFeature(name, lambda rows: rows[:, place])


def _last_bit(place: int) -> OutputFeature:
    return OutputFeature(f"the last bit of number {place}", lambda rows: find_last_bits(rows[:, place]))


def _list_summaries(part: OutputPart) -> list[OutputFeature]:
    return [
        OutputFeature(f"the sum{part.name}", lambda rows: part.cut(rows).sum(axis=1)),
        *find_largest(part),
        OutputFeature(f"the least{part.name}", lambda rows: part.cut(rows).min(axis=1)),
        OutputFeature(f"where the least{part.name} is", lambda rows: part.cut(rows).argmin(axis=1).astype(np.float64)),
        OutputFeature(
            f"how many{part.name} are not 0",
            lambda rows: np.count_nonzero(part.cut(rows), axis=1).astype(np.float64),
        ),
    ]


def _compare_halves(rows: Floats) -> Floats:
    middle = rows.shape[1] // 2
    return np.asarray(rows[:, :middle].sum(axis=1) - rows[:, middle:].sum(axis=1))
