"""A bounded plan as DuckDB's SQL: contributions as whole numbers, what a unit keeps, and their sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.engines.forms import UNIT, constant, number, quoted, sql, text
from discreet.plan.bounded import BoundedPlan, Grid, Limits, Measure, Part
from discreet.plan.expressions import Column, columns_of

KEY, KEPT = '"__discreet_key"', "__discreet_kept"

Source = Callable[[str, frozenset[str]], str]
"""A table's name and the columns needed of it, to a SELECT that casts them to their types."""


@dataclass(frozen=True, slots=True)
class Statements:
    """What is run: `kept` makes a table of the rows that are kept, then the sums and each measure's cells are read."""

    kept: str
    sums: str
    cells: dict[int, str]


def statements(plan: BoundedPlan, source: Source) -> Statements:
    """Return the SQL of a bounded plan."""
    rows = _rows(plan, source)
    kept = rows if plan.unit.column is None else _truncated(rows, plan)
    sums = ", ".join(_total(index, measure) for index, measure in enumerate(plan.measures))
    cells = {
        index: f"SELECT {KEY}, {_name(index)}, count(*) FROM {KEPT} WHERE {_name(index)} IS NOT NULL GROUP BY ALL"
        for index, measure in enumerate(plan.measures)
        if measure.part is Part.RANKS
    }
    return Statements(kept, f"SELECT {KEY}, {sums} FROM {KEPT} GROUP BY {KEY}", cells)


def _name(index: int) -> str:
    return f'"__discreet_m{index}"'


def _total(index: int, measure: Measure) -> str:
    if measure.part is Part.UNITS:
        return f"count(DISTINCT {UNIT})"
    return "count(*)" if measure.part in (Part.ROWS, Part.RANKS) else f"sum(CAST({_name(index)} AS HUGEINT))"


def _rows(plan: BoundedPlan, source: Source) -> str:
    """Return unit, key and contributions of every row that the question is about; rows without a unit are dropped."""
    needed: dict[str, set[str]] = {plan.scan.relation: set()}
    for column in _columns(plan):
        needed.setdefault(column.relation, set()).add(column.name)
    scan = quoted(plan.scan.relation)
    unit = "0" if plan.unit.column is None else f"{scan}.{UNIT}"
    tables = [f"({source(plan.scan.table, frozenset(needed[plan.scan.relation]))}) AS {scan}"]
    for lookup in plan.lookups:
        wanted = frozenset(needed.get(lookup.relation, set()) | {name for _, name in lookup.on})
        on = " AND ".join(f"{sql(mine)} = {quoted(lookup.relation)}.{quoted(name)}" for mine, name in lookup.on)
        word = "LEFT JOIN" if lookup.keep else "JOIN"
        tables.append(f"{word} ({source(lookup.table, wanted)}) AS {quoted(lookup.relation)} ON {on}")
    index = "0"
    for place, key in enumerate(plan.keys):
        values = ", ".join(f"({constant(value, key.column.type)}, {i})" for i, value in enumerate(key.domain))
        name = f'"__discreet_d{place}"'
        tables.append(f"JOIN (VALUES {values}) AS {name}(v, i) ON {sql(key.column)} = {name}.v")
        index = f"({index} * {len(key.domain)} + {name}.i)"
    conditions = [] if plan.unit.column is None else [f"{unit} IS NOT NULL"]
    conditions += [] if plan.where is None else [sql(plan.where)]
    contributions = ", ".join(
        f"{_contribution(measure)} AS {_name(place)}" for place, measure in enumerate(plan.measures)
    )
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {unit} AS {UNIT}, {index} AS {KEY}, {contributions} FROM {' '.join(tables)}{where}"


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
    """Return floor((x - center) / step + 1/2), clamped before and after: no float can leave the range of integers."""
    low, high = _ends(grid)
    clamped = f"least(greatest({value}, {low}), {high})"
    inverse = 1 / grid.step
    steps = (
        f"({clamped} - {number(grid.center)}) * {number(inverse)}"
        if inverse.denominator == 1
        else f"({clamped} - {number(grid.center)}) / {number(grid.step)}"
    )
    whole = f"CAST(floor({steps} + {number(Fraction(1, 2))}) AS BIGINT)"
    return f"least(greatest({whole}, {grid.lower}), {grid.upper})"


def _ends(grid: Grid) -> tuple[str, str]:
    low, high = (number(grid.center + at * grid.step) for at in (grid.lower, grid.upper))
    return low, high


def _truncated(rows: str, plan: BoundedPlan) -> str:
    """Return what each unit keeps, by a hash of its own rows alone: most units are under all limits and are not ranked.

    Rows with equal hashes have equal contents, so which of them is kept makes no difference.
    """
    over = _over(plan.limits, plan.groups)
    limits, names = plan.limits, [_name(place) for place in range(len(plan.measures))]
    listed = ", ".join([UNIT, KEY, *names])
    content = " || ".join(_told(name) for name in (UNIT, KEY, *names))
    return (
        f"WITH __discreet_rows AS MATERIALIZED ({rows}), "
        f"__discreet_heavy AS (SELECT {UNIT} FROM __discreet_rows GROUP BY {UNIT} HAVING {over}), "
        f"__discreet_hashed AS (SELECT {listed}, md5({content}) AS h, md5({_told(UNIT)} || {_told(KEY)}) AS g "
        f"FROM __discreet_rows WHERE {UNIT} IN (SELECT {UNIT} FROM __discreet_heavy)), "
        f"__discreet_ranked AS (SELECT *, row_number() OVER (PARTITION BY {UNIT}, {KEY} ORDER BY h) AS in_group, "
        f"dense_rank() OVER (PARTITION BY {UNIT} ORDER BY g, {KEY}) AS in_groups FROM __discreet_hashed), "
        f"__discreet_few AS (SELECT *, row_number() OVER (PARTITION BY {UNIT} ORDER BY h) AS in_all "
        f"FROM __discreet_ranked WHERE in_group <= {limits.rows_per_group} AND in_groups <= {limits.groups}) "
        f"SELECT {listed} FROM __discreet_few WHERE in_all <= {limits.rows} "
        f"UNION ALL SELECT {listed} FROM __discreet_rows WHERE {UNIT} NOT IN (SELECT {UNIT} FROM __discreet_heavy)"
    )


def _over(limits: Limits, groups: int) -> str:
    """Return when a unit may be over some limit."""
    over = f"count(*) > {min(limits.rows, limits.rows_per_group)}"
    return over if limits.groups >= groups else f"({over} OR count(DISTINCT {KEY}) > {limits.groups})"


def _told(name: str) -> str:
    """Return a value's text after its length, so that different contents have different texts."""
    value = f"coalesce(CAST({name} AS VARCHAR), {text('null')})"
    return f"CAST(length({value}) AS VARCHAR) || {text(':')} || {value}"
