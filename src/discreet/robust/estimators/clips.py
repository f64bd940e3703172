"""Sums with a private clip: how large people's values usually are is found first, then values are clamped there.

Where public bounds must be wide, noise for the largest value that anybody could have drowns a sum. So a part of the
price counts people by the size of their value, at levels that grow by a third or a half; each person has one level. The
clip is the top of the highest level that has more people than noise alone would put anywhere, except with a chance of
1 % over all levels. Values are clamped to it and summed with noise for the clip. The clip follows from what was
released, and the desk computes what the sum costs from it.

Error: clamping changes the sum by what lies beyond the clip, which few people have; noise is as wide as the clip, not
as the public bounds.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from discreet.base.canonical import Json, write_json
from discreet.base.errors import ParameterError
from discreet.base.exact import write_exact
from discreet.base.rounding import ratio_up
from discreet.curator.door.clipping import Clip, find_most_steps
from discreet.curator.door.desk import Desk
from discreet.curator.door.sums import bound_rows, bound_sum
from discreet.curator.door.unit_functions import ColumnSums, PieceCounts
from discreet.mechanisms import Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.laplace_sums import bound_sum as bound_noise
from discreet.plan.grid import ClampedGrid
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges, cost_pure, cost_vector
from discreet.query.price import Price
from discreet.robust.asking import declare_charge, take_part

ONCE = Clip(1, 1)
"""A person has one level."""

CHANCE = 0.01
"""Of a level that noise alone makes look common."""

FINEST = 10
"""Sums are in steps that are up to so many halvings of the grid's."""

MOST_STEPS = 1 << 50
"""How many steps from 0 a value may lie, so that floats tell neighbours on the grid apart."""

SPLITS = {"sum": (Fraction(2, 5), Fraction(3, 5)), "mean": (Fraction(2, 5), Fraction(2, 5), Fraction(1, 5))}
"""What of the price finds the clip, what is for the sum, and for the number of people."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Sizes of values in steps of a grid: where each level begins, and the greatest size."""

    grid: ClampedGrid
    starts: tuple[int, ...]
    reach: int

    @classmethod
    def of(cls, grid: ClampedGrid) -> Levels:
        """Return the levels of a grid: sizes from 1, 2, 3, 4, 6, 8, 12, ... on; 0 has none."""
        ends = (grid.center / grid.step + grid.lower, grid.center / grid.step + grid.upper)
        reach = max(1, math.ceil(max(abs(end) for end in ends)))
        starts = {first << power for first in (1, 3) for power in range(reach.bit_length())}
        return cls(grid, tuple(sorted(start for start in starts if start <= reach)), reach)

    @property
    def has_negative(self) -> bool:
        """Say whether values may be below 0."""
        return self.grid.center + self.grid.step * self.grid.lower < 0

    @property
    def edges(self) -> tuple[float, ...]:
        """Where pieces of the line begin: a level has one, or two where values may be negative."""
        above = [float((start - Fraction(1, 2)) * self.grid.step) for start in self.starts]
        return (*(-each for each in reversed(above)), *above) if self.has_negative else tuple(above)

    def choose(self, counts: tuple[int, ...], scale: float) -> tuple[int, bool]:
        """Return the clip in steps of the grid, and whether any level was seen; the lowest where none was."""
        least = bound_noise(scale, ((1, 1),), CHANCE / len(counts))
        tops = [after - 1 for _, after in pairwise(self.starts)] + [self.reach]
        above = counts[-len(tops) :]
        below = counts[: len(tops)][::-1] if self.has_negative else above
        common = [top for top, high, low in zip(tops, above, below, strict=True) if max(high, low) > least]
        return (common[-1], True) if common else (tops[0], False)

    def make_clip(self, size: int) -> Clip:
        """Return a clip at a size, in steps fine enough that what truncation takes is little."""
        most = find_most_steps(1)
        if self.reach > most:
            coarser = -(-self.reach // most)
            return Clip(-(-size // coarser), self.grid.step * coarser)
        finer = min(FINEST, (most // self.reach).bit_length() - 1)
        return Clip(size << finer, self.grid.step / (1 << finer))


@dataclass(frozen=True, slots=True)
class ClippedTotal:
    """What was measured: the clip, the noisy sum of values clamped to it, both in values, and the number of people."""

    clip: Fraction
    found: bool
    """Whether some level had enough people to be seen."""
    total: Fraction
    step: Fraction
    noise: Laplace
    """The noise of the sum, in steps."""
    people: int
    """Counted apart for a mean, else over all levels."""
    doubt: tuple[float, int]
    """The scale of the noise in it, and of how many noises it has the sum."""

    def bound_people(self, miss: float) -> float:
        """Return by how much the number of people errs at most, except with this probability on each side."""
        return bound_noise(self.doubt[0], ((1, self.doubt[1]),), miss)

    def bound_total(self, miss: float) -> float:
        """Return by how much the sum errs at most, in values, except with this probability on each side."""
        return bound_noise(self.noise.scale, ((1, 1),), miss) * float(self.step)


@dataclass(frozen=True)
class ClippedOperation:
    """Finds a clip, sums values that are clamped to it, and counts people where a mean is asked for."""

    kind: ClassVar[str] = "clipped sum"
    version: ClassVar[int] = 1

    rows: RowsPlan
    levels: Laplace
    """The noise of the levels' counts."""
    spent: Fraction
    """The epsilon of the sum."""
    counted: Laplace | None
    """The noise of the number of people."""
    charge: Charge

    @property
    def sizes(self) -> Levels:
        """The public levels."""
        return Levels.of(self.rows.columns[0].grid)

    def parameters(self) -> Json:
        """Return all noises; that of the sum follows from its epsilon and the clip."""
        return {
            "levels": describe_mechanism(self.levels),
            "sum": write_exact(self.spent),
            "people": None if self.counted is None else describe_mechanism(self.counted),
        }

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of one value for each person."""
        return (self.rows,)

    def run(self, desk: Desk) -> bytes:
        """Find the clip, then sum."""
        counts = desk.sum(self.rows, PieceCounts(self.sizes.edges), ONCE, self.levels)
        clip = self.sizes.make_clip(self.sizes.choose(counts, self.levels.scale)[0])
        (total,) = desk.sum(self.rows, ColumnSums(1), clip, self.make_noise(clip))
        people = None if self.counted is None else desk.count_rows(self.rows, self.counted)
        return write_json({"levels": list(counts), "total": total, "people": people}).encode()

    def finish(self, measured: bytes) -> ClippedTotal:
        """Return the sum with the clip that follows from the counts."""
        found = json.loads(measured)
        counts = tuple(int(each) for each in found["levels"])
        size, seen = self.sizes.choose(counts, self.levels.scale)
        clip = self.sizes.make_clip(size)
        noise, terms = (self.levels, len(counts)) if self.counted is None else (self.counted, 1)
        people = sum(counts) if found["people"] is None else int(found["people"])
        total, top, doubt = clip.step * int(found["total"]), clip.step * clip.steps, (noise.scale, terms)
        return ClippedTotal(top, seen, total, clip.step, self.make_noise(clip), people, doubt)

    def make_noise(self, clip: Clip) -> Laplace:
        """Return the noise of a sum that is clamped to a clip: one unit moves it by the clip."""
        return Laplace(fitting_scale(ratio_up(bound_sum(self.rows, clip), self.spent), "epsilon", float(self.spent)))


def declare_clipped(priced: Price, rows: RowsPlan, kind: str) -> ClippedOperation:
    """Return the operation of a sum or a mean at a price; refuse what could fail after the charge."""
    grid = rows.columns[0].grid
    if abs(grid.center / grid.step) + grid.reach > MOST_STEPS:
        raise ParameterError("column", float(grid.reach), "one with narrower bounds, or with a larger step")
    parts = [take_part(priced, part) for part in SPLITS[kind]]
    name, target = "rho" if priced.by_rho else "epsilon", float(priced.target)

    def make_noise(moved: int, epsilon: Fraction) -> Laplace:
        return Laplace(fitting_scale(ratio_up(moved, epsilon), name, target))

    levels = make_noise(bound_sum(rows, ONCE), parts[0])
    counted = make_noise(bound_rows(rows), parts[2]) if len(parts) > 2 else None
    cost = add_charges(cost_vector(bound_sum(rows, ONCE), levels), cost_pure(parts[1]))
    cost = add_charges(cost, NOTHING if counted is None else cost_vector(bound_rows(rows), counted))
    operation = ClippedOperation(rows, levels, parts[1], counted, declare_charge(priced, cost))
    for size in (1, operation.sizes.reach):
        operation.make_noise(operation.sizes.make_clip(size))
    return operation
