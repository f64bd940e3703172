"""Bounds found privately: a noisy histogram over fixed powers of two, and the ends of what stands out of the noise."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.answers.receipt import Receipt
from discreet.base.errors import QueryError
from discreet.base.rounding import float_up, ratio_up
from discreet.base.types import Type
from discreet.mechanisms import Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.question import Aggregate, Finish, Kind, Question
from discreet.plan.relations import Block, Scan
from discreet.privacy import PureLoss
from discreet.privacy.charges import Charge
from discreet.query.bound import bound
from discreet.query.catalog import Catalog
from discreet.query.price import Price

if TYPE_CHECKING:
    from discreet.curator.curator import Curator, Progress

POWERS = range(-10, 41)
"""Bins end at 0 and at plus and minus two to these powers."""

MISS = 0.01
"""The probability that some empty bin stands out."""


@dataclass(frozen=True, slots=True)
class FoundBounds:
    """Bounds for the policy; None where no bin stood out of the noise."""

    column: str
    lower: Fraction | None
    upper: Fraction | None
    receipt: Receipt

    def __str__(self) -> str:
        if self.lower is None or self.upper is None:
            return f"{self.column}: nothing stands out of the noise; ask with a larger epsilon"
        name = (
            self.column if re.fullmatch(r"[A-Za-z0-9_-]+", self.column) else json.dumps(self.column, ensure_ascii=False)
        )
        return f"{name} = {{ lower = {float(self.lower):g}, upper = {float(self.upper):g} }}"


def find_bounds(
    curator: Curator, catalog: Catalog, name: str, epsilon: Fraction, progress: Progress | None = None
) -> FoundBounds:
    """Release how many values lie in each bin. Bins are keys: what a unit keeps is bounded in all of them at once.

    As a measure each, a unit with more rows than it may keep could be rounded up in every bin that it has a row in.
    """
    table_name, _, column_name = name.partition(".")
    table = catalog.table(table_name)
    column = catalog.column(table, column_name)
    if table.table.public or column.type is None or not column.type.numeric:
        raise QueryError(f"{name!r}: bounds are found for numeric columns of private tables, as in visits.cost")
    value = Column("t0", column.name, column.type)
    edges = _edges()
    counted = (Aggregate(Kind.ROWS),)
    question = Question(Block(Scan(table.table.name, "t0")), (_bin(value, edges),), counted, Finish(()), ((0,),))
    bounded = bound(question, catalog)
    (measure,) = bounded.plan.measures
    scale = ratio_up(bounded.plan.l1(measure), epsilon)
    noise = Laplace(fitting_scale(scale, "epsilon", float(epsilon)))
    charge = Charge(epsilon, PureLoss(float_up(epsilon)).zcdp())
    priced = Price(bounded, (noise,), (Fraction(1),), charge, f"{float(epsilon):g}-differentially private")
    released, receipt = curator.paid(priced, {}, f"bounds of {name}", progress=progress)
    (counts,) = released.sets[0].sums
    limit = int(noise.interval(1 - MISS, values=len(counts)))
    out = [place for place, count in enumerate(counts) if count > limit]
    if not out:
        return FoundBounds(column.name, None, None, receipt)
    return FoundBounds(column.name, edges[out[0]], edges[out[-1] + 1], receipt)


def _edges() -> list[Fraction]:
    positive = [Fraction(2) ** power for power in POWERS]
    return [*(-edge for edge in reversed(positive)), Fraction(0), *positive]


def _bin(value: Expression, edges: list[Fraction]) -> Expression:
    """Return in which bin a value lies, low <= x < high, counted from 0; NULL where it lies in none."""
    chosen: list[Expression] = [call("lt", value, Literal(edges[0], Type.FLOAT)), Literal(None, Type.INTEGER)]
    for place, high in enumerate(edges[1:]):
        chosen += [call("lt", value, Literal(high, Type.FLOAT)), Literal(place, Type.INTEGER)]
    return call("case", *chosen, Literal(None, Type.INTEGER))
