"""Public grids: how a number becomes a whole number of steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class ClampedGrid:
    """A number x becomes the whole number floor((x - center) / step + 1/2), then clamped to [lower, upper]."""

    center: Fraction
    step: Fraction
    lower: int
    upper: int

    @property
    def reach(self) -> int:
        """The furthest from 0 that a contribution can lie."""
        return max(abs(self.lower), abs(self.upper))
