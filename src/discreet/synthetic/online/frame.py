"""The frame of a table: its cells, and the question that counts them all. Counts of one frame can be combined.

A frame is the plan of that question on one version of the data: the same scan with units cut before the filter, the
same limits, neighbours and values. Whatever changes one of these makes another frame, and nothing of two is combined.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from discreet.base.types import Type
from discreet.curator.asking.prepared import Prepared
from discreet.plan.bounded import BoundedPlan, Part
from discreet.plan.expressions import Column, Constant
from discreet.plan.identity import hash_plan
from discreet.plan.relations import Block, Scan
from discreet.policy.model import Table
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.catalog import Catalog


@dataclass(frozen=True)
class Frame:
    """The cells of a table. Each column has one place more than it has values: for NULL and all other values."""

    table: Table
    scan: Scan
    columns: tuple[Column, ...]
    values: tuple[tuple[Constant, ...], ...]
    text: str
    """The question that counts every cell."""
    plan: BoundedPlan

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of places of each column."""
        return tuple(len(each) + 1 for each in self.values)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    def name(self, version: str) -> str:
        """Return what tells this frame on a version of the data from all others."""
        return f"{hash_plan(self.plan)} {version}"

    def order_cells(self) -> list[int]:
        """Return the cell of every key of the plan, in their order."""
        places = [
            {value: place for place, value in enumerate(_list_shown(column, values))}
            for column, values in zip(self.columns, self.values, strict=True)
        ]
        cells = []
        for key in self.plan.combinations(0):
            cell = 0
            for place, value, size in zip(places, key, self.shape, strict=True):
                cell = cell * size + place[value]
            cells.append(cell)
        return cells


def make_frame(table: Table, catalog: Catalog, prepare: Callable[[str], Prepared]) -> Frame | None:
    """Return the frame of a table with `online` in its policy; None where its plan is not what it must be."""
    assert table.online is not None
    types = dict(catalog.table(table.name).source_types)
    scan = catalog.scan(catalog.table(table.name), "t0")
    columns = tuple(Column("t0", name, types[name]) for name in table.online.columns)
    facts = PublicFacts.of(Block(scan), catalog)
    values = tuple(facts.domain(column) or () for column in columns)
    keys = [_write_key(column, each) for column, each in zip(columns, values, strict=True)]
    listed = ", ".join(f"{key} AS k{place}" for place, key in enumerate(keys))
    numbers = ", ".join(str(place + 1) for place in range(len(keys)))
    text = f"SELECT {listed}, COUNT(*) AS n FROM {_quote(table.name)} GROUP BY {numbers}"
    plan = prepare(text).operation.plan
    if not isinstance(plan.block.source, Scan):
        return None
    frame = Frame(table, plan.block.source, columns, values, text, plan)
    return frame if _is_sound(frame) else None


def cuts_nothing(frame_scan: Scan, plan: BoundedPlan) -> bool:
    """Say whether a plan counts every row that its scan leaves: no limit of a question takes one away.

    Rows that are units are never cut. Others are cut where they are read, to as many as the policy says, and the plan's
    own limits must have room for all of these in whichever groups they are.
    """
    if not plan.units:
        return frame_scan.rows is None
    if frame_scan.rows is None or len(plan.sets) != 1:
        return False
    limits, rows = plan.sets[0].limits, frame_scan.rows
    return limits.rows >= rows and limits.rows_per_group >= rows and limits.groups >= min(rows, plan.groups(0))


def _is_sound(frame: Frame) -> bool:
    """Check that the question counts each cell once, and that nothing is cut but by the scan."""
    plan = frame.plan
    if len(plan.sets) != 1 or plan.selects(0) or plan.joint or plan.block.joins or plan.block.where is not None:
        return False
    if [measure.part for measure in plan.measures] != [Part.ROWS] or not cuts_nothing(frame.scan, plan):
        return False
    try:
        return sorted(frame.order_cells()) == list(range(frame.cells))
    except KeyError:
        return False


def _list_shown(column: Column, values: tuple[Constant, ...]) -> tuple[Constant, ...]:
    """Return what the key of a column is for each of its values, and then for all else."""
    if column.type is Type.BOOLEAN:
        return (*(int(bool(value)) for value in values), 2)
    return (*values, _choose_other(column, values))


def _choose_other(column: Column, values: tuple[Constant, ...]) -> Constant:
    """Return a constant that is none of the values."""
    if column.type is Type.TEXT:
        other = "other"
        while other in values:
            other += "_"
        return other
    if column.type is Type.DATE:
        return min(value for value in values if isinstance(value, dt.date)) - dt.timedelta(days=1)
    return min(value for value in values if isinstance(value, int)) - 1


def _write_key(column: Column, values: tuple[Constant, ...]) -> str:
    """Return the key of a column: its value, or a constant for all that is none of them."""
    name = _quote(column.name)
    if column.type is Type.BOOLEAN:
        cases = " ".join(f"WHEN {name} = {str(value).upper()} THEN {int(bool(value))}" for value in values)
        return f"CASE {cases} ELSE 2 END"
    other = _write(_choose_other(column, values))
    if column.type is not Type.TEXT and is_run(values):
        return f"CASE WHEN {name} BETWEEN {_write(values[0])} AND {_write(values[-1])} THEN {name} ELSE {other} END"
    return f"CASE WHEN {name} IN ({', '.join(_write(value) for value in values)}) THEN {name} ELSE {other} END"


def is_run(values: tuple[Constant, ...]) -> bool:
    """Say whether these, in order, are all whole numbers or all days between the first and the last."""
    first, last = values[0], values[-1]
    if isinstance(first, bool | dt.datetime):
        return False
    if isinstance(first, int) and isinstance(last, int):
        return last - first + 1 == len(values)
    return isinstance(first, dt.date) and isinstance(last, dt.date) and (last - first).days + 1 == len(values)


def _write(value: Constant) -> str:
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return exp.Literal.string(value).sql("duckdb") if isinstance(value, str) else str(value)


def _quote(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("duckdb")
