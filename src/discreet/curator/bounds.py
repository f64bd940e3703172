"""Bounds found privately: a noisy histogram over fixed powers of two, and the ends of what stands out of the noise."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.answers.receipt import Receipt
from discreet.base.errors import QueryError
from discreet.base.rounding import float_up, ratio_up
from discreet.base.types import Type
from discreet.mechanisms import Laplace
from discreet.mechanisms.additive import fitting_scale
from discreet.plan.bounded import Measure, Part
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.question import Finish, Question
from discreet.plan.relations import Block, Scan
from discreet.privacy.charges import Charge
from discreet.privacy.guarantees import PureLoss
from discreet.query.bound import Bounded, bound
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
    """Release how many values lie in each bin: every row lies in one, so all bins share one L1 sensitivity."""
    table_name, _, column_name = name.partition(".")
    table = catalog.table(table_name)
    column = catalog.column(table, column_name)
    if table.table.public or column.type is None or not column.type.numeric:
        raise QueryError(f"{name!r}: bounds are found for numeric columns of private tables, as in visits.cost")
    value = Column("t0", column.name, column.type)
    question = Question(Block(Scan(table.table.name, "t0")), (), (), Finish(()), ((),))
    plan = bound(question, catalog).plan
    edges = _edges()
    measures = tuple(Measure(Part.VALUES, _inside(value, low, high)) for low, high in pairwise(edges))
    scale = ratio_up(plan.l1(Measure(Part.ROWS)), epsilon)
    noise = Laplace(fitting_scale(scale, "epsilon", float(epsilon)))
    whole = replace(plan, measures=measures)
    charge = Charge(epsilon, PureLoss(float_up(epsilon)).zcdp())
    bounded = Bounded(whole, (), ())
    priced = Price(bounded, (noise,) * len(measures), (), charge, f"{float(epsilon):g}-differentially private")
    released, receipt = curator.paid(priced, {}, f"bounds of {name}", progress=progress)
    limit = int(noise.interval(1 - MISS, values=len(measures)))
    out = [place for place in range(len(measures)) if released.sets[0].sums[place][0] > limit]
    if not out:
        return FoundBounds(column.name, None, None, receipt)
    return FoundBounds(column.name, edges[out[0]], edges[out[-1] + 1], receipt)


def _edges() -> list[Fraction]:
    positive = [Fraction(2) ** power for power in POWERS]
    return [*(-edge for edge in reversed(positive)), Fraction(0), *positive]


def _inside(value: Expression, low: Fraction, high: Fraction) -> Expression:
    """Return 1 where low <= x < high, else NULL: a value that is counted."""
    condition = call("and", call("ge", value, Literal(low, Type.FLOAT)), call("lt", value, Literal(high, Type.FLOAT)))
    return call("case", condition, Literal(1, Type.INTEGER), Literal(None, Type.INTEGER))
