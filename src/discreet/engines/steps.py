"""The statements of a plan, and how what they return becomes its exact result: the same for every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from discreet.base.errors import FailedError
from discreet.engines.dialect import Dialect
from discreet.engines.engine import find_unit_type
from discreet.engines.limiting.unit_rows import write_unit_rows
from discreet.engines.result import ExactResult, ExactRows, GroupedSums, Points
from discreet.engines.rows import Select, write_plan_rows
from discreet.engines.statements import check_length, gather_sums, write_statements
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import DeclaredPlan, RowsPlan
from discreet.policy.schema import Resolved

E = TypeVar("E", covariant=True)


@dataclass(frozen=True)
class Steps(Generic[E]):
    """All statements of a plan in order. `gather` makes the result of what each returned, taken one after another."""

    statements: tuple[str, ...]
    gather: Callable[[Iterator[Any]], E]
    whole: tuple[bool, ...] = ()
    """Which statements return whole numbers of 64 bits alone, many of them: they are fetched as arrays."""


def write_sum_steps(
    plan: BoundedPlan, tables: Mapping[str, Resolved], source: Select, dialect: Dialect
) -> Steps[ExactResult]:
    """Return the steps of a bounded plan: a statement for every set of keys."""
    written = write_statements(plan, source, find_unit_type(plan, tables), dialect)

    def gather(found: Iterator[Any]) -> ExactResult:
        sets: list[GroupedSums] = []
        for index, (step, rows) in enumerate(zip(written, found, strict=True)):
            sets.append(gather_sums(plan, index, *step.read(rows)))
        return ExactResult(tuple(sets))

    return Steps(tuple(step.statement for step in written), gather, tuple(step.whole for step in written))


def write_row_steps(
    plan: RowsPlan, tables: Mapping[str, Resolved], source: Select, dialect: Dialect
) -> Steps[ExactRows]:
    """Return the one step of a plan of rows."""
    unit = find_unit_type(plan, tables)
    text = write_plan_rows(plan, source, unit, dialect)
    check_length(text, dialect)
    reaches = tuple(column.grid.reach for column in plan.columns)
    statement = write_unit_rows(text, unit, reaches, plan.rows, dialect)
    return Steps((statement,), lambda found: gather_rows(plan, next(found)), whole=(True,))


def write_steps(plan: DeclaredPlan, tables: Mapping[str, Resolved], source: Select, dialect: Dialect) -> None:
    """Write the steps of a plan of either kind, to refuse one that cannot be written."""
    if isinstance(plan, RowsPlan):
        write_row_steps(plan, tables, source, dialect)
    else:
        write_sum_steps(plan, tables, source, dialect)


def gather_rows(plan: RowsPlan, found: Points) -> ExactRows:
    """Put rows of (number of the unit, point, point, ...) together by unit, each unit's in the order of their content.

    An engine returns rows in whatever order it likes, and that may depend on other units. So rows are sorted by their
    points: what a function makes of a unit's rows depends on these alone, to the last bit.
    """
    found = found.reshape(len(found), plan.units + len(plan.columns))  # also where there is no row at all
    numbers = found[:, 0] if plan.units else np.arange(len(found), dtype=np.int64)
    points = found[:, 1:] if plan.units else found
    order = np.lexsort((*points.T[::-1], numbers))
    numbers, points = numbers[order], points[order]
    first = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 1))
    offsets = np.append(first, len(points)).astype(np.int64)
    if len(points) and int(np.diff(offsets).max()) > plan.rows:
        raise FailedError("an engine returned more rows of a unit than it keeps")
    return ExactRows(np.ascontiguousarray(points), offsets)
