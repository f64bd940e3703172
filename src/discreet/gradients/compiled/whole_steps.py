"""How many whole steps stand for the clipping norm: gradients are put on that grid as integers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from discreet.base import check
from discreet.base.errors import ParameterError

FINEST = 1 << 24
"""Most steps for the clipping norm."""

COARSEST = 64
"""Steps for the clipping norm over sqrt(coordinates): truncation then shortens a gradient by at most a 64th of it."""

MARGIN = 2.0**-18
"""How far inside the clipping norm a gradient is scaled, so that float rounding does not carry it over."""


@dataclass(frozen=True, slots=True)
class WholeSteps:
    """`steps` whole steps (K, a power of two) stand for the norm `clip` (C) of a gradient of so many coordinates.

    Proven here: coordinates * (K^2 + 1) < 2^63, so the sum of squares of a unit, in which a coordinate that is not
    allowed counts K^2 + 1 and an outer product at most K^2, never wraps in 64 bits; slots * K < 2^53, so the sum of a
    physical batch is exact in float64.
    """

    clip: float
    steps: int
    coordinates: int

    @property
    def square(self) -> int:
        """K^2, which a unit's sum of squares must not exceed."""
        return self.steps**2

    @property
    def root(self) -> int:
        """The most that a number of a factor may be: the sum of squares of a factor is at most K."""
        return math.isqrt(self.steps)

    @property
    def length(self) -> float:
        """The length of one step."""
        return self.clip / self.steps


def choose_whole_steps(clip: float, coordinates: int, slots: int, plain: int | None = None) -> WholeSteps:
    """Return the finest grid for a model of so many coordinates and a physical batch of so many slots.

    `plain` is how many of them the check adds up one by one; the leaves that it takes as outer products count one each.
    """
    norm = float(check.real("clip", clip, least=1e-20, most=1e20))
    coordinates = check.integer("parameters", coordinates, least=1)
    slots = check.integer("slots", slots, least=1, most=1 << 16)
    terms = coordinates if plain is None else check.integer("plain", plain, least=1, most=coordinates)
    most = min(FINEST, math.isqrt((2**63 - 1) // terms - 1))
    steps = 1 << (most.bit_length() - 1)
    if steps < COARSEST * math.sqrt(coordinates):
        raise ParameterError("parameters", coordinates, "a model of fewer numbers: at most some 20 million")
    return WholeSteps(norm, steps, coordinates)
