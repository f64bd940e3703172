"""Bounds found privately: a noisy histogram over fixed powers of two, and the ends of what stands out of the noise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import ClassVar

from discreet.answers.receipt import Receipt
from discreet.base.canonical import Json
from discreet.base.errors import QueryError
from discreet.base.rounding import ratio_up
from discreet.base.showing import ShownAsText
from discreet.base.types import Type
from discreet.curator.door.desk import Desk
from discreet.curator.door.performance import Progress
from discreet.curator.release.released import Released
from discreet.ledger import Request
from discreet.mechanisms import Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.plan.bounded import BoundedPlan
from discreet.plan.expressions import Call, Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.question import Aggregate, AggregateKind, Finish, Question
from discreet.plan.relations import Block
from discreet.privacy.charges import Charge, round_charge
from discreet.query.bound import bound
from discreet.query.catalog import Catalog
from discreet.query.cost import cost_measures
from discreet.query.draws import Draws
from discreet.query.floors import find_floors, reach_floor
from discreet.query.select.names import refer_to_stored

POWERS = range(-10, 41)
"""Bins end at 0 and at plus and minus two to these powers."""

MISS = 0.01
"""The probability that some empty bin stands out."""

FoundEnds = tuple[Fraction | None, Fraction | None]


@dataclass(frozen=True, slots=True, repr=False)
class FoundBounds(ShownAsText):
    """Bounds for the policy; None where no bin stood out of the noise."""

    column: str
    lower: Fraction | None
    upper: Fraction | None
    receipt: Receipt

    def __str__(self) -> str:
        if self.lower is None or self.upper is None:
            return f"{self.column}: nothing stands out of the noise; ask with a larger epsilon"
        plain = re.fullmatch(r"[A-Za-z0-9_-]+", self.column)
        name = self.column if plain else json.dumps(self.column, ensure_ascii=False)
        return f"{name} = {{ lower = {float(self.lower):g}, upper = {float(self.upper):g} }}"


@dataclass(frozen=True)
class BoundsOperation:
    """Releases how many values lie in each bin, and returns the ends of the bins that stand out.

    Bins are keys: what a unit keeps is bounded in all of them at once. As a measure each, a unit with more rows than it
    may keep could be rounded up in every bin that it has a row in.
    """

    kind: ClassVar[str] = "bounds"
    version: ClassVar[int] = 1

    column: str
    plan: BoundedPlan
    noise: Laplace
    charge: Charge

    def parameters(self) -> Json:
        """Return how the counts are released; the bins are in the plan."""
        return self._draws.describe()

    def plans(self) -> tuple[BoundedPlan, ...]:
        """Return the one plan."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Count."""
        return desk.measure(self.plan, self._draws).to_bytes()

    def finish(self, measured: bytes) -> FoundEnds:
        """Return the lowest and the highest edge of the bins that no empty bin would reach, all of them together."""
        (counts,) = Released.from_bytes(measured).sets[0].sums
        limit = int(self.noise.interval(1 - MISS, values=len(counts)))
        out = [place for place, count in enumerate(counts) if count > limit]
        edges = _list_edges()
        return (edges[out[0]], edges[out[-1] + 1]) if out else (None, None)

    @property
    def _draws(self) -> Draws:
        return Draws((self.noise,))


@dataclass(frozen=True)
class PreparedBounds:
    """Bounds that are to be found, with their price. Nothing was charged, and no private row was looked at."""

    operation: BoundsOperation
    request: Request
    """What the ledger knows them by."""
    _find: Callable[[PreparedBounds, Callable[[Progress], None] | None], FoundBounds] = field(repr=False, compare=False)

    def find(self, progress: Callable[[Progress], None] | None = None) -> FoundBounds:
        """Find them: from the ledger, or by charging for them and counting."""
        return self._find(self, progress)


def declare_bounds(catalog: Catalog, name: str, epsilon: Fraction) -> BoundsOperation:
    """Return the operation that finds bounds of a column, such as visits.cost, at this epsilon or at the floor."""
    table_name, _, column_name = name.partition(".")
    if not table_name or not column_name:
        raise QueryError(f"{name!r} names no column; write TABLE.COLUMN, as in visits.cost")
    table = catalog.find_named(table_name)
    column = catalog.column(table, column_name)
    if table.table.public or column.type is None or not column.type.numeric:
        raise QueryError(f"{name!r}: bounds are found for numeric columns of private tables, as in visits.cost")
    bins = _write_bin(refer_to_stored(column, "t0"))
    counted = (Aggregate(AggregateKind.ROWS),)
    plan = bound(Question(Block(catalog.scan(table, "t0")), (bins,), counted, Finish(()), ((0,),)), catalog).plan
    (measure,) = plan.measures

    def make(each: Fraction) -> BoundsOperation:
        noise = Laplace(fitting_scale(ratio_up(plan.l1(measure), each), "epsilon", float(each)))
        cost = cost_measures(plan, Draws((noise,)))
        return BoundsOperation(column.name, plan, noise, round_charge(Charge(each, cost.rho)))

    return reach_floor(make, epsilon, find_floors(catalog.policy))


def _list_edges() -> list[Fraction]:
    positive = [Fraction(2) ** power for power in POWERS]
    return [*(-edge for edge in reversed(positive)), Fraction(0), *positive]


def _write_bin(value: Column) -> Expression:
    """Return in which bin a value lies, low <= x < high, counted from 0; NULL where it lies in none."""
    first, *others = (_write_edge(edge, value) for edge in _list_edges())
    chosen: list[Expression] = [call("lt", value, first), Literal(None, Type.INTEGER)]
    for place, high in enumerate(others):
        chosen += [call("lt", value, high), Literal(place, Type.INTEGER)]
    # Not by `call`, which would refuse so many decimals: here they are compared with numbers of their own last place.
    return Call("case", (*chosen, Literal(None, Type.INTEGER)), Type.INTEGER)


def _write_edge(edge: Fraction, value: Column) -> Literal:
    """Return an edge to compare values with. Decimals lie below one where they lie below its next last place."""
    if value.digits is None:
        return Literal(edge, Type.FLOAT)
    places = 10 ** value.digits[1]
    return Literal(Fraction(ceil(edge * places), places), Type.DECIMAL)
