"""A SELECT of rows to a plan of rows per unit: the same reading, bounds and limits as for questions with aggregates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression
from discreet.plan.relations import list_expressions, list_scans
from discreet.plan.rows_plan import GridColumn, RowsPlan
from discreet.plan.widths import check_widths
from discreet.privacy.neighbours import Neighbours
from discreet.query.bound import list_table_facts
from discreet.query.bounding.limits import bound_unit_rows, choose_limits
from discreet.query.bounding.measures import Measures
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.canonical import order_conditions
from discreet.query.catalog import Catalog
from discreet.query.select.context import Context
from discreet.query.select.names import OutputColumn
from discreet.query.select.one_engine import check_one_engine
from discreet.query.select.subqueries import read_select

NUMBERS = (Type.INTEGER, Type.FLOAT, Type.DECIMAL)

MOST_COLUMNS = 400
"""Columns of one plan: as many as a question may have numbers by key."""


def plan_rows(
    select: exp.Select, catalog: Catalog, parameters: Mapping[str, Any] | None = None, max_rows: int | None = None
) -> RowsPlan:
    """Return the plan of a SELECT of rows; `max_rows` keeps fewer rows of each unit than the policy does.

    Nothing but numbers with public bounds may be selected, and no unit. A SELECT that groups by the unit has one row
    for each unit, or for each unit and key, as inside a question.
    """
    found = read_select(select, Context(catalog, dict(parameters or {}), read_select))
    check_one_engine(found.block, catalog)
    block = order_conditions(found.block)
    expressions = [_read_number(each) for each in found.view.outputs]
    if not 1 <= len(expressions) <= MOST_COLUMNS:
        raise QueryError(f"the rows have {len(expressions)} columns; select from 1 to {MOST_COLUMNS}")
    check_widths([*expressions, *list_expressions(block)], block)
    units = all(catalog.table(scan.table).table.unit is not None for scan in list_scans(block))
    limits = choose_limits(bound_unit_rows(block, catalog), {"max_rows": max_rows}, 1, units)
    if not units and limits.rows > 1:
        raise QueryError(
            "each row is a unit of its own here, and one becomes several: nothing would say which belong together; "
            "leave out the join or the union"
        )
    measures = Measures(PublicFacts.of(block, catalog))
    columns = tuple(GridColumn(each, measures.inner(each)) for each in expressions)
    factor = 1 if catalog.policy.neighbours is Neighbours.ADD_REMOVE else 2
    tables = list_table_facts(block, [*expressions, *list_expressions(block)], catalog)
    return RowsPlan(block, units, columns, limits.l1(), factor, tables)


def _read_number(column: OutputColumn) -> Expression:
    """Return what a column holds, or refuse one that is the unit or no number."""
    if column.unit or column.expression is None:
        raise QueryError(f"{column.name!r} says whose row it is; leave it out: rows are kept together by it anyway")
    if column.expression.type not in NUMBERS:
        raise QueryError(
            f"{column.name!r} is {column.expression.type}, and rows hold numbers; write CAST({column.name} AS INTEGER) "
            f"or CASE WHEN {column.name} = ... THEN 1 ELSE 0 END"
        )
    return column.expression
