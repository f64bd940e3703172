"""A bounded plan as DuckDB's SQL: the rows that a question is about, their contributions as whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from discreet.base.types import Type
from discreet.engines import keeping
from discreet.engines.forms import UNIT, number, quoted, sql
from discreet.engines.keeping import KeyColumn, Steps
from discreet.plan.bounded import BoundedPlan, Grid, Measure, Part
from discreet.plan.expressions import Column, columns_of

Source = Callable[[str, frozenset[str]], str]
"""A table's name and the columns needed of it, to a SELECT that casts them to their types."""


def statements(plan: BoundedPlan, source: Source) -> Steps:
    """Return the SQL of a bounded plan."""
    keys = [KeyColumn(f'"__discreet_raw{at}"', key.column.type, key.domain) for at, key in enumerate(plan.keys)]
    whole = plan.unit.type is Type.INTEGER
    unit = plan.unit.column is not None
    return keeping.statements(_rows(plan, source), unit, keys, plan.limits, plan.measures, whole_units=whole)


def _name(index: int) -> str:
    return f'"__discreet_m{index}"'


def _rows(plan: BoundedPlan, source: Source) -> str:
    """Return unit, key and contributions of every row that the question is about; rows without a unit are dropped."""
    needed: dict[str, set[str]] = {plan.scan.relation: set()}
    for column in _columns(plan):
        needed.setdefault(column.relation, set()).add(column.name)
    scan = quoted(plan.scan.relation)
    unit = f"{scan}.{UNIT}"
    tables = [f"({source(plan.scan.table, frozenset(needed[plan.scan.relation]))}) AS {scan}"]
    for lookup in plan.lookups:
        wanted = frozenset(needed.get(lookup.relation, set()) | {name for _, name in lookup.on})
        on = " AND ".join(f"{sql(mine)} = {quoted(lookup.relation)}.{quoted(name)}" for mine, name in lookup.on)
        word = "LEFT JOIN" if lookup.keep else "JOIN"
        tables.append(f"{word} ({source(lookup.table, wanted)}) AS {quoted(lookup.relation)} ON {on}")
    keys = [f'{sql(key.column)} AS "__discreet_raw{at}"' for at, key in enumerate(plan.keys)]
    conditions = [] if plan.unit.column is None else [f"{unit} IS NOT NULL"]
    conditions += [] if plan.where is None else [sql(plan.where)]
    contributions = [f"{_contribution(measure)} AS {_name(place)}" for place, measure in enumerate(plan.measures)]
    units = [] if plan.unit.column is None else [f"{unit} AS {UNIT}"]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {', '.join([*units, *keys, *contributions])} FROM {' '.join(tables)}{where}"


def _columns(plan: BoundedPlan) -> list[Column]:
    expressions = [key.column for key in plan.keys] + [m.argument for m in plan.measures if m.argument is not None]
    expressions += [mine for lookup in plan.lookups for mine, _ in lookup.on]
    expressions += [] if plan.where is None else [plan.where]
    return [column for expression in expressions for column in columns_of(expression)]


def _contribution(measure: Measure) -> str:
    """Return what one row adds: a whole number inside the measure's public reach, whatever the row holds."""
    if measure.argument is None:
        return "1"
    value = sql(measure.argument)
    if measure.part is Part.VALUES:
        return f"(CASE WHEN {_missing(value, measure)} THEN 0 ELSE 1 END)"
    assert measure.grid is not None
    if measure.part is Part.OUTSIDE:
        low, high = _ends(measure.grid)
        outside = f"CAST({value} AS DOUBLE) < {low} OR CAST({value} AS DOUBLE) > {high}"
        return f"(CASE WHEN {_missing(value, measure)} THEN 0 WHEN {outside} THEN 1 ELSE 0 END)"
    point = _point(f"CAST({value} AS DOUBLE)", measure.grid)
    if measure.part is Part.RANKS:
        return f"(CASE WHEN {_missing(value, measure)} THEN NULL ELSE {point} - ({measure.grid.lower}) END)"
    if measure.part is Part.SQUARES:
        point = f"({point} * {point})"
    return f"(CASE WHEN {_missing(value, measure)} THEN 0 ELSE {point} END)"


def _missing(value: str, measure: Measure) -> str:
    if measure.argument is not None and measure.argument.type.numeric:
        return f"({value} IS NULL OR isnan(CAST({value} AS DOUBLE)))"
    return f"{value} IS NULL"


def _point(value: str, grid: Grid) -> str:
    """Return floor((x - center) / step + 1/2), clamped as a float and only then made an integer: none is out of range.

    Infinite floats stay what they are and are clamped like others. Ends that floats do not hold exactly are enforced
    once more, in integers.
    """
    inverse = 1 / grid.step
    steps = (
        f"({value} - {number(grid.center)}) * {number(inverse)}"
        if inverse.denominator == 1
        else f"({value} - {number(grid.center)}) / {number(grid.step)}"
    )
    low, high = number(Fraction(grid.lower)), number(Fraction(grid.upper))
    whole = f"CAST(least(greatest(floor({steps} + {number(Fraction(1, 2))}), {low}), {high}) AS BIGINT)"
    return whole if grid.reach <= 1 << 53 else f"least(greatest({whole}, {grid.lower}), {grid.upper})"


def _ends(grid: Grid) -> tuple[str, str]:
    low, high = (number(grid.center + at * grid.step) for at in (grid.lower, grid.upper))
    return low, high
