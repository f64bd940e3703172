"""A bounded plan as SQL, one grouping after another, and what comes back put where it belongs."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.engines.limiting.statement import KeyColumn, Step, step
from discreet.engines.result import Cells, Grouped
from discreet.engines.rows import Select, key_name, rows
from discreet.plan.bounded import BoundedPlan, Measure, Part
from discreet.plan.expressions import Constant


def statements(plan: BoundedPlan, source: Select, unit: Type | None, dialect: Dialect) -> list[Step]:
    """Return the statement of every set of keys, for units of that type.

    Where keys are data, their units are counted beside the measures.
    """
    found = []
    for index, chosen in enumerate(plan.sets):
        keys = [KeyColumn(key_name(at), plan.keys[at].type, plan.keys[at].domain) for at in chosen.keys]
        measures = [*plan.measures, *([UNITS] if plan.selects(index) else [])]
        text = rows(plan, chosen, source, measures, unit if plan.units else None, dialect)
        if dialect.longest is not None and len(text) > dialect.longest:
            raise QueryError(
                f"the question takes {len(text):,} letters of SQL where its tables lie, and {dialect.longest:,} are "
                "planned there; nest its expressions less deeply, or ask for its parts by themselves"
            )
        found.append(step(text, unit if plan.units else None, keys, chosen.limits, measures, dialect))
    return found


UNITS = Measure(Part.UNITS)


def public(value: Any) -> Constant:
    """Return an engine's value as a constant: points in time with their zone, floats exactly; NULL for no number.

    Whole numbers of 38 digits come from some engines as decimals.
    """
    if isinstance(value, float):
        return Fraction(value) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value)
    found: Constant = value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value
    return found


def gathered(
    plan: BoundedPlan, index: int, rows: list[tuple[Any, ...]], cells: dict[int, list[tuple[Any, ...]]]
) -> Grouped:
    """Put rows of (key, sum, sum, ...) and of (key, cell, count) where they belong."""
    selects = plan.selects(index)
    if selects:
        rows = [(tuple(public(value) for value in key), *values) for key, *values in rows]
        cells = {at: [(tuple(public(value) for value in key), *each) for key, *each in of] for at, of in cells.items()}
    keys: list[Any] = sorted((key for key, *_ in rows), key=repr) if selects else list(range(plan.groups(index)))
    places = {key: place for place, key in enumerate(keys)}
    sums = [[0] * len(places) for _ in range(len(plan.measures) + selects)]
    for key, *values in rows:
        for measure, value in enumerate(values):
            sums[measure][places[key]] = value
    found: dict[int, tuple[Cells, ...]] = {}
    for measure, counts in cells.items():
        each: tuple[Cells, ...] = tuple({} for _ in places)
        for key, cell, count in counts:
            each[places[key]][cell] = count
        found[measure] = each
    exact = tuple(tuple(row) for row in sums[: len(plan.measures)])
    return Grouped(exact, found, tuple(keys) if selects else None, tuple(sums[-1]) if selects else ())
