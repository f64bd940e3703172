"""A bounded plan as SQL, one grouping after another, and what comes back put where it belongs."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from operator import itemgetter
from typing import Any

import numpy as np

from discreet.base.cells import split_cells
from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.engines.dialect import Dialect
from discreet.engines.limiting.statement import (
    FoundCells,
    FoundRows,
    KeyColumn,
    KeysTogether,
    Statement,
    write_statement,
)
from discreet.engines.result import GroupedSums, Points
from discreet.engines.rows import Select, name_key, write_rows
from discreet.plan.bounded import BoundedPlan, Key, Measure, Part
from discreet.plan.expressions import Constant
from discreet.plan.scales import find_scale


def write_statements(plan: BoundedPlan, source: Select, unit: Type | None, dialect: Dialect) -> list[Statement]:
    """Return the statement of every set of keys, for units of that type.

    Where keys are data, their units are counted beside the measures.
    """
    found = []
    for index, chosen in enumerate(plan.sets):
        keys = [_key(plan.keys[at], at) for at in chosen.keys]
        measures = [*plan.measures, *([UNITS] if plan.selects(index) else [])]
        text = write_rows(plan, chosen, source, measures, unit if plan.units else None, dialect)
        check_length(text, dialect)
        together = [
            KeysTogether.of(tuple(chosen.keys.index(place) for place in each.keys), each.rows, keys)
            for each in plan.joined(index)
        ]
        whose = unit if plan.units else None
        found.append(write_statement(text, whose, keys, chosen.limits, measures, dialect, together))
    return found


def _key(key: Key, at: int) -> KeyColumn:
    return KeyColumn(name_key(at), key.type, key.domain, find_scale(key.expression))


def check_length(text: str, dialect: Dialect) -> None:
    """Refuse rows whose SQL takes too long to plan where they lie."""
    if dialect.longest is not None and len(text) > dialect.longest:
        raise QueryError(
            f"the question takes {len(text):,} letters of SQL where its tables lie, and {dialect.longest:,} are "
            "planned there; nest its expressions less deeply, or ask for its parts by themselves"
        )


UNITS = Measure(Part.UNITS)


def to_constant(value: Any) -> Constant:
    """Return an engine's value as a constant: points in time with their zone, floats exactly; NULL for no number.

    Whole numbers of 38 digits come from some engines as decimals.
    """
    if isinstance(value, float):
        return Fraction(value) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value)
    found: Constant = value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value
    return found


def gather_sums(plan: BoundedPlan, index: int, rows: FoundRows, cells: FoundCells) -> GroupedSums:
    """Put rows of (key, sum, sum, ...) and of (key, cell, count) where they belong."""
    selects = plan.selects(index)
    if selects:
        rows = _sort_by_key(rows)
    keys: list[Any] = [row[0] for row in rows] if selects else list(range(plan.groups(index)))
    places = {key: place for place, key in enumerate(keys)}
    if selects and len(places) == len(rows):
        sums = [[row[1 + measure] for row in rows] for measure in range(len(plan.measures) + 1)]
    else:
        sums = [[0] * len(keys) for _ in range(len(plan.measures) + selects)]
        for key, *values in rows:
            for measure, value in enumerate(values):
                sums[measure][places[key]] = value
    found = {measure: _gather_cells(counts, places) for measure, counts in cells.items()}
    exact = tuple(tuple(row) for row in sums[: len(plan.measures)])
    return GroupedSums(exact, found, tuple(keys) if selects else None, tuple(sums[-1]) if selects else ())


PLAIN = {str, int, bool, dt.date}
"""What keys of the data are where they are constants as they come, and in an order of their own."""


def _sort_by_key(rows: FoundRows) -> FoundRows:
    """Return rows with their keys as constants, in an order that depends on the keys alone."""
    columns = [{type(key[place]) for key, *_ in rows} for place in range(len(rows[0][0]))] if rows else []
    if all(len(kinds) == 1 and kinds <= PLAIN for kinds in columns):
        return sorted(rows, key=itemgetter(0))
    return sorted(((tuple(map(to_constant, key)), *values) for key, *values in rows), key=lambda row: repr(row[0]))


def _gather_cells(counts: FoundRows | Points, places: dict[Any, int]) -> tuple[Mapping[int, int], ...]:
    """Return each key's cells from rows of (key, cell, count): an array where keys are places already."""
    if isinstance(counts, np.ndarray):
        return split_cells(len(places), counts)
    found: tuple[dict[int, int], ...] = tuple({} for _ in places)
    for key, cell, count in counts:
        found[places[tuple(to_constant(value) for value in key)]][cell] = count
    return found
