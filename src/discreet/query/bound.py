"""Plan to bounded plan: whose contribution is bounded how, on which grid, and over which public keys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import BoundedPlan, Grid, Key, Limits, Measure, Part, Unit
from discreet.plan.expressions import Column, Constant
from discreet.plan.question import COUNTS, SPREADS, Aggregate, Kind, Question
from discreet.policy.model import Column as Declared
from discreet.policy.model import Table
from discreet.policy.schema import Resolved
from discreet.privacy.neighbours import Neighbours
from discreet.query.catalog import Catalog

MOST_KEYS = 1_000_000
"""Combinations of keys in one answer."""

FINE = 10**6
"""Steps across the range of a column that declares none."""

SQUARE_REACH = 1 << 20
"""The furthest grid point where squares are summed: 2^48 of them stay below 2^88."""

SUM_REACH = 1 << 52
"""The furthest grid point of a sum: floats hold it exactly, and 2^48 of them stay below 2^100."""

RANK_POINTS = 16**6
"""Grid points under a tree of ranks."""

INEXACT = (Type.FLOAT, Type.DECIMAL)
"""Columns that engines compare as floats."""

LIMITS = ("max_rows", "max_groups", "max_rows_per_group")


@dataclass(frozen=True, slots=True)
class Bounded:
    """A bounded plan, and for each aggregate of the question the measures that it is computed from."""

    plan: BoundedPlan
    sources: tuple[tuple[int, ...], ...]
    coarsened: tuple[str, ...]
    """What is said about grids that had to be coarser than declared."""


def bound(question: Question, catalog: Catalog, tighter: Mapping[str, int | None] | None = None) -> Bounded:
    """Return the bounded plan; `tighter` limits hold for this question only."""
    resolved = catalog.table(question.scan.table)
    keys = tuple(Key(key, _domain(key, question, catalog)) for key in question.keys)
    combinations = math.prod(len(key.domain) for key in keys)
    if combinations == 0:
        raise QueryError("a column that is grouped by holds no value in its public table; group by another")
    if combinations > MOST_KEYS:
        raise QueryError(
            f"the keys have {combinations:,} combinations, more than {MOST_KEYS:,}; group by fewer columns"
        )
    wanted = [_measures(aggregate, question, catalog) for aggregate in question.aggregates]
    remarks = [remark for _, each in wanted for remark in each]
    measures = sorted({measure for each, _ in wanted for measure in each}, key=repr)  # however they were asked for
    sources = [tuple(measures.index(measure) for measure in each) for each, _ in wanted]
    limits = _limits(resolved.table, dict(tighter or {}), combinations)
    factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2
    unit = Unit(resolved.table.unit, resolved.unit_type)
    plan = BoundedPlan(question.scan, unit, question.lookups, question.where, keys, tuple(measures), limits, factor)
    return Bounded(plan, tuple(sources), tuple(dict.fromkeys(remarks)))


def _domain(key: Column, question: Question, catalog: Catalog) -> tuple[Constant, ...]:
    """Return the public values of a key, sorted: declared, of a public table, or both booleans."""
    table = _table_of(key, question, catalog)
    declared = catalog.column(table, key.name)
    if declared.values is not None:
        if key.type in INEXACT and len({float(value) for value in declared.values if isinstance(value, int)}) < len(
            declared.values
        ):
            raise QueryError(
                f"{key.name!r} has declared values that are one float; store the column as text or integers"
            )
        return _sorted(declared.values)
    if key.type is Type.BOOLEAN:
        return (False, True)
    if table.table.public and key.type in INEXACT:
        raise QueryError(f"{key.name!r} is {key.type}, and such numbers are no keys; group by integers or text")
    if table.table.public:
        return _sorted(catalog.public_values(table.table.name, key.name))
    raise QueryError(
        f"{key.name!r} has no declared values, and keys taken from the data would tell who is in it; "
        f"declare values = [...] for it in the policy, or filter by it in WHERE"
    )


def _sorted(values: tuple[Constant, ...]) -> tuple[Constant, ...]:
    return tuple(sorted(values, key=lambda value: (str(type(value)), value)))


def _table_of(column: Column, question: Question, catalog: Catalog) -> Resolved:
    for lookup in question.lookups:
        if lookup.relation == column.relation:
            return catalog.table(lookup.table)
    return catalog.table(question.scan.table)


def _measures(aggregate: Aggregate, question: Question, catalog: Catalog) -> tuple[list[Measure], list[str]]:
    """Return what an aggregate is computed from, the count first."""
    argument = aggregate.argument
    if aggregate.kind in COUNTS and aggregate.kind is not Kind.CLAMPED:
        parts = {Kind.ROWS: Part.ROWS, Kind.VALUES: Part.VALUES, Kind.UNITS: Part.UNITS}
        return [Measure(parts[aggregate.kind], argument)], []
    assert isinstance(argument, Column)
    declared = catalog.column(_table_of(argument, question, catalog), argument.name)
    lower, upper = _bounds(declared)
    count = Measure(Part.VALUES, argument)
    step, remarks = _step(declared, lower, upper)
    if aggregate.kind is Kind.CLAMPED:
        return [Measure(Part.OUTSIDE, argument, _grid(lower, upper, Fraction(0), step))], []
    if aggregate.kind is Kind.SUM:
        return [Measure(Part.SUM, argument, _grid(lower, upper, Fraction(0), step))], remarks
    if aggregate.kind is Kind.QUANTILE:
        coarse, more = _coarser(declared, step, (upper - lower) / (RANK_POINTS - 1))
        return [Measure(Part.RANKS, argument, _grid(lower, upper, lower, coarse))], remarks + more
    center = _round((lower + upper) / 2, step)
    if aggregate.kind is Kind.MEAN:
        return [count, Measure(Part.SUM, argument, _grid(lower, upper, center, step))], remarks
    assert aggregate.kind in SPREADS
    coarse, more = _coarser(declared, step, (upper - lower) / SQUARE_REACH)
    grid = _grid(lower, upper, _round((lower + upper) / 2, coarse), coarse)
    return [count, Measure(Part.SUM, argument, grid), Measure(Part.SQUARES, argument, grid)], remarks + more


def _bounds(declared: Declared) -> tuple[Fraction, Fraction]:
    if not isinstance(declared.lower, Fraction) or not isinstance(declared.upper, Fraction):
        raise QueryError(
            f"{declared.name!r} has no declared bounds, so one person could move the result without limit; "
            f"declare lower and upper for it in the policy (`discreet bounds` finds them privately)"
        )
    return declared.lower, declared.upper


def _step(declared: Declared, lower: Fraction, upper: Fraction) -> tuple[Fraction, list[str]]:
    """Return the grid's step: declared, one for whole numbers, else a power of ten that makes a million steps."""
    if declared.step is not None:
        step = declared.step
    elif declared.type is Type.INTEGER:
        step = Fraction(1)
    else:
        step = Fraction(10) ** math.floor(math.log10(float((upper - lower) / FINE)))
    return _coarser(declared, step, max(abs(lower), abs(upper), upper - lower) / SUM_REACH)


def _coarser(declared: Declared, step: Fraction, least: Fraction) -> tuple[Fraction, list[str]]:
    """Return a step of at least `least`, made coarser by a power of two, and say so."""
    coarse = step
    while coarse < least:
        coarse *= 2
    if coarse == step:
        return step, []
    return coarse, [f"{declared.name} is rounded to multiples of {float(coarse):g} here, so that no sum can overflow"]


def _round(value: Fraction, step: Fraction) -> Fraction:
    return math.floor(value / step) * step


def _grid(lower: Fraction, upper: Fraction, center: Fraction, step: Fraction) -> Grid:
    half = Fraction(1, 2)
    low, high = (math.floor((value - center) / step + half) for value in (lower, upper))
    return Grid(center, step, low, max(high, low))


def _limits(table: Table, tighter: dict[str, int | None], combinations: int) -> Limits:
    """Return what a unit keeps: the policy's limits and the question's own, whichever are tighter."""
    unknown = set(tighter) - set(LIMITS)
    if unknown:
        raise QueryError(f"{', '.join(sorted(unknown))}: these limits exist: {', '.join(LIMITS)}")
    if table.rows_are_units:
        return Limits(1, 1, 1)
    found: dict[str, int] = {}
    for name in LIMITS:
        declared, asked = getattr(table, name), tighter.get(name)
        if asked is not None:
            check.integer(name, asked, least=1)
        given = [limit for limit in (declared, asked) if limit is not None]
        if given:
            found[name] = min(given)
    rows, groups = found.get("max_rows"), min(found.get("max_groups", combinations), combinations)
    per_group = found.get("max_rows_per_group", rows)
    if rows is None:
        assert per_group is not None
        rows = groups * per_group
    assert per_group is not None
    return Limits(rows, min(groups, rows), min(per_group, rows))
