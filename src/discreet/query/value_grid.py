"""The grid that a column's numbers lie on, as far as it is public: multiples of a step, decimals with their digits.

Synthetic numbers are drawn on it, so that prices have cents and not fifteen digits. It changes nothing of what is
measured, and so is no part of what a synthesis is for the ledger: the record keeps it beside the column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from discreet.base.canonical import Json
from discreet.base.exact import read_exact, write_exact
from discreet.base.types import Digits, Type

WholeNumbers = NDArray[np.int64]

MOST_STEPS = 1 << 52
"""Steps from 0 to a bound: a step that is finer is not told from none."""


@dataclass(frozen=True, slots=True)
class ValueGrid:
    """Multiples of a step, and the digits of a decimal, in all and behind the point."""

    step: Fraction | None = None
    digits: Digits | None = None

    def sample(
        self, kind: Type, edges: Sequence[Fraction], places: WholeNumbers, random: np.random.Generator
    ) -> pa.Array | None:
        """Return a value of the grid for each place, evenly within its bin; None where the grid has none at all.

        A bin holds its lower edge and not its upper one, but for the last, which holds both. One that no multiple of
        the step lies in has the next one.
        """
        unit, scale = self._choose_unit(kind, max(abs(edges[0]), abs(edges[-1])))
        if unit is None or max(abs(edges[0]), abs(edges[-1])) / unit > MOST_STEPS:
            return None
        lowest, highest = self._find_ends(edges[0] / unit, edges[-1] / unit, unit)
        if lowest > highest:
            return None
        first = np.array([0, *(math.ceil(low / unit) for low, _ in pairwise(edges))]).clip(lowest, highest)
        last = np.array([0, *(math.ceil(high / unit) - 1 for _, high in pairwise(edges))]).clip(lowest, highest)
        last[-1] = highest
        many = np.maximum(last - first + 1, 1)[places]
        steps = first[places] + np.floor(random.random(len(places)) * many).astype(np.int64)
        missing = places == 0
        if kind is Type.DECIMAL and self.digits is not None:
            return _write_decimals(steps * int(unit * Fraction(10) ** scale), missing, scale, self.digits)
        if kind is Type.INTEGER:
            return pa.array(steps * int(unit), pa.int64(), mask=missing)
        return pa.array(steps * unit.numerator / unit.denominator, pa.float64(), mask=missing)

    def _find_ends(self, low: Fraction, high: Fraction, unit: Fraction) -> tuple[int, int]:
        """Return the first and the last step between two bounds that the digits have room for."""
        if self.digits is not None:
            room = Fraction(10 ** self.digits[0] - 1, 10 ** self.digits[1]) / unit
            low, high = max(low, -room), min(high, room)
        return math.ceil(low), math.floor(high)

    def _choose_unit(self, kind: Type, largest: Fraction) -> tuple[Fraction | None, int]:
        """Return the step of what is drawn, and how many digits behind the point it has, at most.

        A decimal with more digits than whole numbers of 64 bits have is drawn with fewer.
        """
        if kind is not Type.DECIMAL or self.digits is None:
            whole = kind is not Type.INTEGER or (self.step is not None and self.step.denominator == 1)
            return (self.step if whole else None), 0
        scale = self.digits[1]
        while largest * Fraction(10) ** scale > MOST_STEPS:
            scale -= 1
        last = Fraction(10) ** -scale
        return (self.step if self.step is not None and (self.step / last).denominator == 1 else last), scale

    def write(self) -> dict[str, Json]:
        """Return what a record keeps of it."""
        form: dict[str, Json] = {} if self.step is None else {"step": write_exact(self.step)}
        return form | ({} if self.digits is None else {"digits": list(self.digits)})

    @classmethod
    def read(cls, form: Any) -> ValueGrid | None:
        """Return the grid of what `write` added to a form; None where it added nothing."""
        step, digits = form.get("step"), form.get("digits")
        if step is None and digits is None:
            return None
        return cls(None if step is None else Fraction(read_exact(step)), None if digits is None else tuple(digits))


def make_grid(step: Fraction | None, digits: Digits | None) -> ValueGrid | None:
    """Return the grid of a column; None where nothing is known of it."""
    return None if step is None and digits is None else ValueGrid(step, digits)


def _write_decimals(numbers: WholeNumbers, missing: NDArray[np.bool_], scale: int, digits: Digits) -> pa.Array:
    """Return decimals from whole numbers of their last digits; an Arrow decimal is a whole number of 128 bits."""
    wide = np.stack([numbers, numbers >> 63], axis=1).astype("<i8")
    held = pa.Array.from_buffers(pa.decimal128(38, scale), len(numbers), [None, pa.py_buffer(wide.tobytes())])
    kept = pa.array(~missing)
    return pc.if_else(kept, held.cast(pa.decimal128(*digits)), None)
