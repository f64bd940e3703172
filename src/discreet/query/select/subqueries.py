"""Subqueries over private rows: SELECT of rows, one row per unit, and UNION ALL of such."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Literal, Slot
from discreet.plan.functions import call
from discreet.plan.lowering import find_digits, refer_to
from discreet.plan.relations import Block, PerUnit, Union, list_scans
from discreet.plan.scales import MOST_SCALE, find_scale
from discreet.query.parse import check_clauses, quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, has_aggregate, is_star, split_alias
from discreet.query.select.context import Context, add_with_names
from discreet.query.select.from_clause import FromClause
from discreet.query.select.names import Names, OutputColumn, RelationColumns, Selected
from discreet.query.select.per_unit import read_grouped
from discreet.query.select.relations import check_same_people
from discreet.query.select.row_numbers import has_numbers, read_numbered
from discreet.query.select.where_clause import read_rows

NO_ORDER = "inside a subquery rows have no order; put ORDER BY and LIMIT at the end of the question"


def read_select(query: exp.Expression, reading: Context) -> Selected:
    """Return the private rows that a subquery means."""
    if isinstance(query, exp.Subquery):
        refuse_other_parts(query, {"this"})
        return read_select(query.this, reading)
    reading = add_with_names(query, reading)
    if isinstance(query, exp.Union):
        return _union(query, reading)
    if isinstance(query, exp.SetOperation):
        raise QueryError(
            f"{quote_sql(query)}: {query.key.upper()} compares rows of different people; use IN (SELECT unit ...)"
        )
    if not isinstance(query, exp.Select):
        raise QueryError(f"{quote_sql(query)}: FROM takes tables and SELECTs")
    check_clauses(query)
    for clause in ("order", "limit", "offset"):
        if query.args.get(clause):
            raise QueryError(f"{quote_sql(query.args[clause])}: {NO_ORDER}")
    rows = read_rows(query, reading)
    if query.args.get("group") or has_aggregate(query):
        return read_per_unit(query, rows)
    if query.args.get("having"):
        raise QueryError(f"{quote_sql(query.args['having'])}: HAVING needs GROUP BY; use WHERE")
    if has_numbers(query):
        return read_numbered(query, rows)
    return Selected(rows.rows, RelationColumns(tuple(read_outputs(query, rows.names, rows.scope)), True))


def read_outputs(query: exp.Select, names: Names, scope: Scope) -> list[OutputColumn]:
    """Return the columns of a SELECT of rows. The unit stays so under another name, and nothing else becomes it."""
    found: list[OutputColumn] = []
    for node in query.expressions:
        if is_star(node):
            refuse_other_parts(node.this if isinstance(node, exp.Column) else node, set(), STARS)
            found.extend(names.all(node.table if isinstance(node, exp.Column) else ""))
            continue
        name, inner = split_alias(node)
        if names.is_unit(inner):
            assert isinstance(inner, exp.Column)
            found.append(replace(names.find(inner), name=name, stored=True))
        else:
            found.append(OutputColumn(name, translate(inner, scope)))
    check_names([each.name for each in found])
    return found


def read_per_unit(query: exp.Select, rows: FromClause) -> Selected:
    """Return one row for each unit, or for each unit and key."""
    made = read_grouped(query, rows)
    source = PerUnit(made.relation, rows.rows, tuple(made.keys), tuple(made.aggregates))
    return Selected(Block(source, where=made.having), RelationColumns(tuple(made.outputs), True))


def _union(query: exp.Union, reading: Context) -> Selected:
    """Return the rows of both sides; a column is the unit where it is so on both."""
    refuse_other_parts(query, {"this", "expression", "distinct", "with_"}, dict.fromkeys(("order", "limit"), NO_ORDER))
    if query.args.get("distinct"):
        raise QueryError(f"{quote_sql(query)}: UNION drops rows that are equal to others'; write UNION ALL")
    if query.args.get("by_name"):
        raise QueryError(f"{quote_sql(query)}: UNION BY NAME is not answered; list the columns in one order")
    left, right = read_select(query.this, reading), read_select(query.expression, reading)
    check_same_people([*list_scans(left.block), *list_scans(right.block)], reading, joined=False)
    if len(left.view.outputs) != len(right.view.outputs):
        raise QueryError(f"{quote_sql(query)}: both sides of UNION ALL must have as many columns")
    place = reading.counter.next()
    sides: tuple[list[Expression], list[Expression]] = ([], [])
    types: list[Type] = []
    columns: list[OutputColumn] = []
    for one, other in zip(left.view.outputs, right.view.outputs, strict=True):
        unit = one.unit and other.unit
        if one.expression is None or other.expression is None:
            if not unit:
                raise QueryError(f"{one.name!r} is hidden on one side of UNION ALL; leave it out on both")
            columns.append(OutputColumn(one.name, None, unit=True))
            continue
        either = call("coalesce", one.expression, other.expression)
        column = refer_to(either, place, Slot.OUTPUT, len(types))
        columns.append(OutputColumn(one.name, column, unit))
        for side, each in zip(sides, (one.expression, other.expression), strict=True):
            side.append(_align(each, either))
        types.append(either.type)
    branches = ((left.block, tuple(sides[0])), (right.block, tuple(sides[1])))
    return Selected(Block(Union(place, branches, tuple(types))), RelationColumns(tuple(columns), True))


def _align(side: Expression, either: Expression) -> Expression:
    """Return what one side of a union holds, with as many digits behind the point as both together have."""
    if either.type is not Type.DECIMAL or (side.type is Type.DECIMAL and find_scale(side) == find_scale(either)):
        return side
    digits = find_digits(either)
    assert digits is not None
    return call("as_decimal", side, *(Literal(min(each, MOST_SCALE), Type.INTEGER) for each in digits))
