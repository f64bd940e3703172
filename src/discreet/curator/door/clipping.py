"""Clipping: each unit's vector becomes whole numbers whose norm is within a public bound, exactly.

**Clipped.** Let p be a unit's vector of whole numbers, C the bound in steps, and N = |p_1| + ... + |p_d| (L1) or
N = ceil(sqrt(p_1^2 + ... + p_d^2)) (L2), so that the norm of p is at most N. Where N > C each entry becomes
t_i = sign(p_i) * floor(|p_i| * C / N), truncated towards zero. Then |t_i| <= |p_i| * C / N, so the norm of t is at most
the norm of p times C / N, which is at most C. Every step is one on whole numbers, so no rounding is left out.

**Local.** A unit's p and t are functions of its own vector alone, to the last bit: floats are only divided, multiplied
and truncated entry by entry, and compared; whatever is added up is a whole number, for which order does not matter. A
float sum over all units at once need not have this property: its last bit may depend on how many there are.

**Exact.** Entries and C are at most M = isqrt(2^62 / d) for vectors of d entries. So sums of squares, sums of entries
and products |p_i| * C are at most 2^62, and whole numbers of 64 bits hold them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import FailedError
from discreet.base.grid import Floats
from discreet.base.wide import Ints

MOST_ENTRIES = 1 << 20
"""Entries of one vector."""


def find_most_steps(dimension: int) -> int:
    """Return the furthest that an entry, or a clip, may lie from 0 in vectors of so many entries: M above."""
    return math.isqrt((1 << 62) // dimension)


class Norm(Enum):
    """How long a vector is."""

    L1 = "sum of absolute values"
    L2 = "square root of the sum of squares"


@dataclass(frozen=True, slots=True)
class Clip:
    """A unit's vector is put on the multiples of `step` and cut to a norm of at most `steps` of them.

    Sums, and the noise on them, are in steps. A float step means the decimal that it prints as.

    >>> Clip(1024, 0.001).step
    Fraction(1, 1000)
    """

    steps: int
    step: Fraction

    def __init__(self, steps: int, step: float | Fraction) -> None:
        object.__setattr__(self, "steps", check.integer("steps", steps, least=1, most=find_most_steps(1)))
        exact = check.real("step", step, least=1e-100, most=1e100)
        object.__setattr__(self, "step", Fraction(repr(exact)) if isinstance(exact, float) else Fraction(exact))

    def describe(self) -> Json:
        """Return the form of the clip."""
        return {"steps": self.steps, "step": str(self.step)}


def clip_vectors(vectors: Floats, clip: Clip, norm: Norm) -> Ints:
    """Return one vector of whole steps for each line of `vectors`, none of them longer than the clip.

    A vector of which some entry is no finite number counts as nothing.
    """
    points = put_on_grid(vectors, clip.step)
    lengths = bound_lengths(points, norm)
    over = lengths > clip.steps
    long = points[over]
    points[over] = np.sign(long) * (np.abs(long) * clip.steps // lengths[over, None])
    check_lengths(points, clip, norm)
    return points


def put_on_grid(vectors: Floats, step: Fraction) -> Ints:
    """Return vectors in whole steps, truncated towards zero; one that reaches too far is shrunk to where it may."""
    most = find_most_steps(vectors.shape[1])
    with np.errstate(all="ignore"):
        scaled = vectors / float(step)
        scaled[~np.isfinite(scaled).all(axis=1)] = 0.0
        furthest = np.abs(scaled).max(axis=1)
        far = furthest > most
        scaled[far] *= (most / furthest[far])[:, None]
    return np.clip(np.trunc(scaled), -most, most).astype(np.int64)


def bound_lengths(points: Ints, norm: Norm) -> Ints:
    """Return the norm of each vector, rounded up to a whole number."""
    if norm is Norm.L1:
        lengths: Ints = np.abs(points).sum(axis=1)
        return lengths
    squares: Ints = (points * points).sum(axis=1)
    roots: Ints = np.sqrt(squares.astype(np.float64)).astype(np.int64)  # off by one at most, which whole numbers tell
    roots -= roots * roots > squares
    roots += roots * roots < squares
    return roots


def check_lengths(points: Ints, clip: Clip, norm: Norm) -> None:
    """Refuse to go on where a vector is longer than the clip, which the proof above says cannot be."""
    if norm is Norm.L1:
        holds = np.abs(points).sum(axis=1) <= clip.steps
    else:
        holds = (points * points).sum(axis=1) <= clip.steps**2
    if not bool(holds.all()):
        raise FailedError("a vector is longer than its clip")
