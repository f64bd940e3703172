"""The operation behind an interval of a quantile: a draw near it, then counts of people in pieces around the draw.

One charge covers both. A quarter of it draws a point near the quantile (`mechanisms.Quantile`), and the rest is for
Laplace noise on how many people's values lie in each piece of the line around that point: a person has one value,
so is in one piece. The pieces follow from what was drawn, which is released. All else is after the record.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json, write_json
from discreet.base.errors import ParameterError
from discreet.base.rounding import float_down, ratio_up
from discreet.curator.asking.prepared import Prepared
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.sums import bound_sum
from discreet.curator.door.unit_functions import PieceCounts
from discreet.mechanisms import Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.identity import describe_mechanism
from discreet.mechanisms.quantile import Quantile
from discreet.plan.bounded import BoundedPlan
from discreet.plan.grid import ClampedGrid
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_measures, cost_vector
from discreet.query.draws import Draws
from discreet.query.price import SPARE
from discreet.robust.asking import declare_charge, take_part
from discreet.robust.intervals.quantile_ends import CountedPieces, list_piece_edges

DRAW = Fraction(1, 4)
"""The part of the price that draws the point around which people are counted."""

HALF = Fraction(1, 2)

ONCE = Clip(1, 1)
"""A person is in one piece."""

MOST_STEPS = 1 << 50
"""How many steps from 0 a value may lie, so that floats tell neighbours on the grid apart."""


@dataclass(frozen=True, slots=True)
class QuantileCounts:
    """What was measured: the point that was drawn, and noisy counts of people in pieces around it."""

    drawn: int
    pieces: CountedPieces
    grid: ClampedGrid

    def to_value(self, point: int) -> float:
        """Return a point, counted from the lower bound, as a value."""
        return float(self.grid.center + self.grid.step * (self.grid.lower + point))


@dataclass(frozen=True)
class QuantileOperation:
    """Draws a point near a quantile of people's values, and counts people around it."""

    kind: ClassVar[str] = "quantile interval"
    version: ClassVar[int] = 1

    plan: BoundedPlan
    rows: RowsPlan
    draw: Quantile
    noise: Laplace
    charge: Charge

    def parameters(self) -> Json:
        """Return both noises."""
        return {"draw": describe_mechanism(self.draw), "counts": describe_mechanism(self.noise)}

    def plans(self) -> tuple[BoundedPlan | RowsPlan, ...]:
        """Return the plan of the quantile and that of one value for each person."""
        return (self.plan, self.rows)

    def run(self, desk: Desk) -> bytes:
        """Draw, then count."""
        ((drawn,),) = desk.measure(self.plan, Draws((self.draw,))).sets[0].drawn.values()
        place = self._place(drawn.value)
        counts = desk.sum(self.rows, PieceCounts(self._cut(place)), ONCE, self.noise)
        return write_json({"drawn": place, "counts": list(counts)}).encode()

    def finish(self, measured: bytes) -> QuantileCounts:
        """Return the noisy counts with the pieces that they are of."""
        found = json.loads(measured)
        drawn, points = int(found["drawn"]), count_grid_points(self.grid)
        counts = tuple(int(each) for each in found["counts"])
        pieces = CountedPieces(points, list_piece_edges(drawn, points), counts, self.noise.scale)
        return QuantileCounts(drawn, pieces, self.grid)

    @property
    def grid(self) -> ClampedGrid:
        """The public grid of the values that are counted."""
        return self.rows.columns[0].grid

    def _place(self, drawn: int) -> int:
        """Return the point that was drawn as one of the grid of values."""
        own = self.plan.measures[0].grid
        assert own is not None
        value = own.center + own.step * (own.lower + drawn)
        nearest = math.floor((value - self.grid.center) / self.grid.step + HALF)
        return min(max(nearest, self.grid.lower), self.grid.upper) - self.grid.lower

    def _cut(self, drawn: int) -> tuple[float, ...]:
        """Return edges as values: in the middle between two points of the grid."""
        edges = list_piece_edges(drawn, count_grid_points(self.grid))
        return tuple(float(self.grid.center + self.grid.step * (self.grid.lower + each - HALF)) for each in edges)


def count_grid_points(grid: ClampedGrid) -> int:
    """Return how many values there are."""
    return grid.upper - grid.lower + 1


def declare_quantile(prepared: Prepared, rows: RowsPlan) -> QuantileOperation:
    """Return the operation for a question that asks for one quantile, at its price; refuse what could not be told."""
    plan, priced = prepared.operation.plan, prepared.priced
    (measure,), (column,) = plan.measures, rows.columns
    grid = column.grid
    assert measure.grid is not None
    assert measure.share is not None
    if grid.lower == grid.upper:
        raise ParameterError("column", float(grid.center), "one whose bounds are apart: this has one value")
    if abs(grid.center / grid.step) + grid.reach > MOST_STEPS:
        raise ParameterError("column", float(grid.reach), "one with narrower bounds, or with a larger step")
    moved, points = bound_sum(rows, ONCE), count_grid_points(measure.grid)
    if priced.by_rho:
        epsilon = Quantile.find_epsilon(DRAW * SPARE * priced.target, Fraction(0))
    else:
        epsilon = float_down(DRAW * priced.target)
    draw = Quantile(measure.share, points, epsilon, plan.l1(measure), Fraction(0), pure=not priced.by_rho)
    scale = ratio_up(moved, take_part(priced, 1 - DRAW))
    noise = Laplace(fitting_scale(scale, "rho" if priced.by_rho else "epsilon", float(priced.target)))
    cost = add_charges(cost_measures(plan, Draws((draw,))), cost_vector(moved, noise))
    return QuantileOperation(plan, rows, draw, noise, declare_charge(priced, cost))
