"""Subqueries over private rows: SELECT of rows, one row per unit, and UNION ALL of such."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression
from discreet.plan.functions import call
from discreet.plan.relations import Block, PerUnit, Union, scans
from discreet.query.parse import check_clauses, known, shown
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, has_aggregate, is_star, named
from discreet.query.select.context import Reading, with_names
from discreet.query.select.from_clause import Rows
from discreet.query.select.names import Names, Output, Selected, View
from discreet.query.select.per_unit import grouped
from discreet.query.select.relations import same_people
from discreet.query.select.where_clause import read_rows

NO_ORDER = "inside a subquery rows have no order; put ORDER BY and LIMIT at the end of the question"


def selected(query: exp.Expression, reading: Reading) -> Selected:
    """Return the private rows that a subquery means."""
    if isinstance(query, exp.Subquery):
        known(query, {"this"})
        return selected(query.this, reading)
    reading = with_names(query, reading)
    if isinstance(query, exp.Union):
        return _union(query, reading)
    if isinstance(query, exp.SetOperation):
        raise QueryError(
            f"{shown(query)}: {query.key.upper()} compares rows of different people; use IN (SELECT unit ...)"
        )
    if not isinstance(query, exp.Select):
        raise QueryError(f"{shown(query)}: FROM takes tables and SELECTs")
    check_clauses(query)
    for clause in ("order", "limit"):
        if query.args.get(clause):
            raise QueryError(f"{shown(query.args[clause])}: {NO_ORDER}")
    rows = read_rows(query, reading)
    if query.args.get("group") or has_aggregate(query):
        return grouped_select(query, rows)
    if query.args.get("having"):
        raise QueryError(f"{shown(query.args['having'])}: HAVING needs GROUP BY; use WHERE")
    return Selected(rows.rows, View(tuple(outputs(query, rows.names, rows.scope)), True))


def outputs(query: exp.Select, names: Names, scope: Scope) -> list[Output]:
    """Return the columns of a SELECT of rows. The unit stays so under another name, and nothing else becomes it."""
    found: list[Output] = []
    for node in query.expressions:
        if is_star(node):
            known(node.this if isinstance(node, exp.Column) else node, set(), STARS)
            found.extend(names.all(node.table if isinstance(node, exp.Column) else ""))
            continue
        name, inner = named(node)
        if names.is_unit(inner):
            assert isinstance(inner, exp.Column)
            found.append(replace(names.find(inner), name=name))
        else:
            found.append(Output(name, translate(inner, scope)))
    check_names([each.name for each in found])
    return found


def grouped_select(query: exp.Select, rows: Rows) -> Selected:
    """Return one row for each unit, or for each unit and key."""
    made = grouped(query, rows)
    source = PerUnit(made.relation, rows.rows, tuple(made.keys), tuple(made.aggregates))
    return Selected(Block(source, where=made.having), View(tuple(made.outputs), True))


def _union(query: exp.Union, reading: Reading) -> Selected:
    """Return the rows of both sides; a column is the unit where it is so on both."""
    known(query, {"this", "expression", "distinct", "with_"}, dict.fromkeys(("order", "limit"), NO_ORDER))
    if query.args.get("distinct"):
        raise QueryError(f"{shown(query)}: UNION drops rows that are equal to others'; write UNION ALL")
    if query.args.get("by_name"):
        raise QueryError(f"{shown(query)}: UNION BY NAME is not answered; list the columns in one order")
    left, right = selected(query.this, reading), selected(query.expression, reading)
    same_people([*scans(left.block), *scans(right.block)], reading, joined=False)
    if len(left.view.outputs) != len(right.view.outputs):
        raise QueryError(f"{shown(query)}: both sides of UNION ALL must have as many columns")
    place = reading.counter.next()
    sides: tuple[list[Expression], list[Expression]] = ([], [])
    types: list[Type] = []
    columns: list[Output] = []
    for one, other in zip(left.view.outputs, right.view.outputs, strict=True):
        unit = one.unit and other.unit
        if one.expression is None or other.expression is None:
            if not unit:
                raise QueryError(f"{one.name!r} is hidden on one side of UNION ALL; leave it out on both")
            columns.append(Output(one.name, None, unit=True))
            continue
        kind = call("coalesce", one.expression, other.expression).type
        columns.append(Output(one.name, Column(place, f"c{len(types)}", kind), unit))
        sides[0].append(one.expression)
        sides[1].append(other.expression)
        types.append(kind)
    branches = ((left.block, tuple(sides[0])), (right.block, tuple(sides[1])))
    return Selected(Block(Union(place, branches, tuple(types))), View(tuple(columns), True))
