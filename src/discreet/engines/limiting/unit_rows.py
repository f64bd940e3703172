"""Rows that units keep, as a statement: a whole number for each unit and the points of its rows; no unit is named.

Which rows are kept is `rows`'s rule, with all rows of a unit in one group. The number of a unit is its rank among those
that have a row: it says which rows belong together, means nothing else, and never leaves the desk. Engines of many
machines rank the units of each part by themselves, and then all rows of a unit are on one of them: a part of units is
never split.
"""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.dialect import UNIT, Dialect
from discreet.engines.limiting.grouped_rows import GroupedRows, name_measure
from discreet.engines.limiting.hashing import hash_to_number, write_part
from discreet.engines.limiting.rows import select_kept_rows
from discreet.plan.bounded import Limits

KEY, PART = "__discreet_key", "__discreet_part"

MOST_RANKS = 1 << 40
"""More than there are units in a part; times the number of parts it is a whole number of 64 bits."""


def write_unit_rows(rows: str, unit: Type | None, reaches: tuple[int, ...], most: int, dialect: Dialect) -> str:
    """Return a SELECT of the unit's number and of all points, of the rows that are kept, at most `most` of each unit.

    `rows` is a SELECT of the unit (never NULL; where `unit` is None there is none, every row is its own unit, and only
    points come back) and of `__discreet_m0`, ...; rows of which one is NULL are left out, and use up no limit.
    """
    names = tuple(name_measure(place) for place in range(len(reaches)))
    listed = ", ".join(names)
    complete = " AND ".join(f"{name} IS NOT NULL" for name in names)
    if unit is None:
        return f"SELECT {listed} FROM ({rows}) AS q WHERE {complete}"
    whole = f"SELECT {UNIT}, 0 AS {KEY}, {listed} FROM ({rows}) AS q WHERE {complete}"
    measures = tuple((name, Type.INTEGER) for name in names)
    grouped = GroupedRows(whole, ((KEY, Type.INTEGER),), 1, measures, reaches, unit, dialect)
    kept = select_kept_rows(grouped, Limits(most, 1, most))
    if dialect.parts == 1:
        return f"SELECT dense_rank() OVER (ORDER BY {UNIT}) AS n, {listed} FROM ({kept}) AS q"
    number = UNIT if grouped.whole_units else hash_to_number((grouped.unit,), dialect)
    parted = f"SELECT *, {write_part(number, dialect.parts, dialect)} AS {PART} FROM ({kept}) AS q"
    rank = f"dense_rank() OVER (PARTITION BY {PART} ORDER BY {UNIT})"
    return f"SELECT {dialect.bigint(PART)} * {MOST_RANKS} + {rank} AS n, {listed} FROM ({parted}) AS q"
