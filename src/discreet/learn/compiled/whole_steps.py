"""How many whole steps stand for the clipping norm: gradients are put on that grid as integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from discreet.base import check
from discreet.base.errors import ParameterError

FINEST = 1 << 22
"""Most steps for the clipping norm: products of 32-bit floats still tell whole steps apart, and K^2 fits 2^44."""

COARSEST = 64
"""Steps for the clipping norm over sqrt(coordinates): truncation then shortens a gradient by at most a 64th of it."""

MARGIN = 2.0**-18
"""How far inside the clipping norm a gradient is scaled, so that float rounding does not carry it over."""


@dataclass(frozen=True, slots=True)
class WholeSteps:
    """`steps` whole steps (K) stand for the norm `clip` (C) of a gradient of so many coordinates.

    Proven here: coordinates * (K^2 + 1) < 2^63, so the sum of squares of a unit, in which a coordinate that is not
    allowed counts K^2 + 1, never wraps in 64 bits; slots * K < 2^31, so the sum of a physical batch never wraps in 32.
    """

    clip: float
    steps: int
    coordinates: int

    @property
    def square(self) -> int:
        """K^2, which a unit's sum of squares must not exceed."""
        return self.steps**2

    @property
    def length(self) -> float:
        """The length of one step."""
        return self.clip / self.steps


def choose_whole_steps(clip: float, coordinates: int, slots: int) -> WholeSteps:
    """Return the finest grid for a model of so many coordinates and a physical batch of so many slots."""
    norm = float(check.real("clip", clip, least=1e-20, most=1e20))
    coordinates = check.integer("parameters", coordinates, least=1)
    slots = check.integer("slots", slots, least=1)
    steps = min(FINEST, math.isqrt((2**63 - 1) // coordinates - 1), (2**31 - 1) // slots)
    if steps < COARSEST * math.sqrt(coordinates):
        raise ParameterError(
            "parameters", coordinates, f"at most some 47 million numbers, and fewer than {slots:,} slots in a batch"
        )
    return WholeSteps(norm, steps, coordinates)
