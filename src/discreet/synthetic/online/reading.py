"""A prepared question as counts of cells, where it is one: in doubt it is not, and is answered directly.

A question counts whole cells if every row that it counts lies in a cell by its values of the frame's columns, and every
other row of that cell is counted too. So each column that it reads must be proven to have one of its declared values
wherever a row counts: by `column = value`, `IN (...)`, `BETWEEN` within the bounds, or because rows are grouped by it
(others are in no group). `age >= 65` alone is not enough: rows beyond the bounds would count. Columns that it does not
read may have any value, and all their places count.
"""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import numpy as np

from discreet.base.types import Type
from discreet.curator.asking.prepared import Prepared
from discreet.mechanisms import Gaussian, Laplace
from discreet.plan.bounded import Part
from discreet.plan.expressions import Column, Constant, Expression, find_columns
from discreet.plan.question import AggregateKind
from discreet.query.bounding.conditions import list_ends, list_values, split_terms
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.catalog import Catalog
from discreet.synthetic.online.counts import CellCounts
from discreet.synthetic.online.frame import Frame, cuts_nothing, is_run
from discreet.synthetic.online.tails import CountNoise

MOST_GROUPS = 4_096
"""Groups of a question that is answered from earlier ones."""

KEY_TYPES = (Type.TEXT, Type.INTEGER, Type.BOOLEAN, Type.DATE)


def find_noise(prepared: Prepared) -> CountNoise | None:
    """Return the noise of the one count that a question releases; None where it releases something else."""
    priced, plan = prepared.priced, prepared.priced.bounded.plan
    alone = priced.choice is None and priced.selection is None and prepared.question.pick is None
    if not alone or [measure.part for measure in plan.measures] != [Part.ROWS]:
        return None
    (noise,) = priced.noises
    return noise if isinstance(noise, Laplace | Gaussian) and noise.grid is None else None


def read_counts(prepared: Prepared, frame: Frame, catalog: Catalog) -> CellCounts | None:
    """Return the sets of cells that a question counts, one for each of its keys in their order."""
    question, plan = prepared.question, prepared.priced.bounded.plan
    plain = plan.block.source == frame.scan and not plan.block.joins and not plan.joint
    if not plain or plan.factor != frame.plan.factor or plan.units != frame.plan.units:
        return None
    if any(asked.kind is not AggregateKind.ROWS for asked in question.aggregates) or find_noise(prepared) is None:
        return None
    if len(plan.sets) != 1 or plan.selects(0) or not cuts_nothing(frame.scan, plan):
        return None
    if plan.sets[0].keys != tuple(range(len(plan.keys))) or plan.groups(0) > MOST_GROUPS:
        return None
    keys, where = [key.expression for key in plan.keys], plan.block.where
    if any(key.type not in KEY_TYPES for key in keys):
        return None
    read = [column for column in frame.columns if column in _list_read(keys, where)]
    if len(read) != len(_list_read(keys, where)) or (where is not None and not read):
        return None
    facts = PublicFacts.of(plan.block, catalog)
    for column in read:
        if column not in keys and not _is_inside(column, frame, where, facts):
            return None
    if not _has_declared_keys(prepared, frame, keys):
        return None
    return _fill(prepared, frame, catalog, read, keys, where)


def _has_declared_keys(prepared: Prepared, frame: Frame, keys: list[Expression]) -> bool:
    """Say whether plain keys have declared values only: keys that are handed in may be others, which rows may have."""
    declared = [
        (place, set(values))
        for place, key in enumerate(keys)
        for column, values in zip(frame.columns, frame.values, strict=True)
        if key == column
    ]
    rows = prepared.priced.bounded.plan.combinations(0)
    return all(row[place] in values for row in rows for place, values in declared)


def _list_read(keys: list[Expression], where: Expression | None) -> set[Column]:
    return {column for each in (*keys, *([where] if where is not None else [])) for column in find_columns(each)}


def _is_inside(column: Column, frame: Frame, where: Expression | None, facts: PublicFacts) -> bool:
    """Say whether WHERE is true only where the column has one of its declared values."""
    values = frame.values[frame.columns.index(column)]
    for term in split_terms(where):
        listed = list_values(term, column, facts.constant)
        if listed is not None:
            return set(listed) <= set(values)
    if where is None or column.type not in (Type.INTEGER, Type.DATE) or not is_run(values):
        return False
    ends = [(name, value) for name, value in list_ends(where, column, facts.constant) if _is_end(value, column.type)]
    low = any(name in ("ge", "gt") and value >= values[0] for name, value in ends)  # type: ignore[operator]
    high = any(name in ("le", "lt") and value <= values[-1] for name, value in ends)  # type: ignore[operator]
    return low and high


def _is_end(value: Constant, kind: Type) -> bool:
    if kind is Type.DATE:
        return isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _fill(
    prepared: Prepared,
    frame: Frame,
    catalog: Catalog,
    read: list[Column],
    keys: list[Expression],
    where: Expression | None,
) -> CellCounts | None:
    """Return which cells each key counts: the condition is computed for all combinations of declared values."""
    plan = prepared.priced.bounded.plan
    labels = np.full(frame.shape, -1, dtype=np.int32)
    if not read:
        return CellCounts(frame.shape, np.zeros(frame.cells, dtype=np.int32), 1) if not keys else None
    axes = [frame.columns.index(column) for column in read]
    pairs = list(zip(read, axes, strict=True))
    given = tuple(((column,), tuple((value,) for value in frame.values[axis])) for column, axis in pairs)
    groups = {key: place for place, key in enumerate(plan.combinations(0))}
    places = [{value: place for place, value in enumerate(frame.values[axis])} for axis in axes]
    for row in catalog.combine((*read, *keys), where, given):
        group = groups.get(row[len(read) :])
        if group is None:
            continue
        index: list[int | slice] = [slice(None)] * len(frame.shape)
        for axis, place, value in zip(axes, places, row, strict=False):
            if value not in place:
                return None
            index[axis] = place[value]
        labels[tuple(index)] = group
    if not (labels >= 0).any():
        return None  # no release is needed to know it, and an answer that names none is refused
    return CellCounts(frame.shape, labels.reshape(-1), plan.groups(0))
