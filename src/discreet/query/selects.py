"""Subqueries over private rows: SELECT of rows, one row per unit, and UNION ALL of such."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression
from discreet.plan.functions import call
from discreet.plan.relations import Block, PerUnit, Union, scans
from discreet.query.expressions import Scope, translate
from discreet.query.grouped import grouped
from discreet.query.names import Names, Output, View
from discreet.query.outputs import STARS, check_names, is_star, named
from discreet.query.parse import check_clauses, known, shown
from discreet.query.reading import Reading
from discreet.query.rows import Rows, condition, conjuncts
from discreet.query.semijoins import add_semijoin
from discreet.query.tables import Selected, same_people

NO_ORDER = "inside a subquery rows have no order; put ORDER BY and LIMIT at the end of the question"


def with_names(query: exp.Expression, reading: Reading) -> Reading:
    """Return the reading that sees what WITH names, each name from the next one on."""
    node = query.args.get("with_")
    if node is None:
        return reading
    known(node, {"expressions"}, {"recursive": "WITH RECURSIVE is not answered; leave RECURSIVE out"})
    seen: set[str] = set()
    for each in node.expressions:
        known(each, {"this", "alias"}, {"materialized": "leave MATERIALIZED out", "scalar": "write WITH name AS (...)"})
        known(each.args["alias"], {"this"}, {"columns": "name the columns inside the subquery with AS"})
        name = str(each.alias)
        if name.casefold() in seen:
            raise QueryError(f"WITH names {name!r} twice; give one another name")
        seen.add(name.casefold())
        reading = reading.named(name, each.this)
    return reading


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


def read_rows(query: exp.Select, reading: Reading) -> Rows:
    """Read FROM, joins and WHERE of a SELECT."""
    rows = Rows(reading)
    source = query.args.get("from_")
    if source is None:
        raise QueryError("the question has no FROM; name a table, as in SELECT COUNT(*) FROM visits")
    rows.add_first(source.this)
    for join in query.args.get("joins") or []:
        rows.add_join(join)
    where = query.args.get("where")
    for part in conjuncts(where.this if where is not None else None):
        if not add_semijoin(part, rows):
            rows.add_condition(condition("WHERE", translate(part, rows.scope)))
    return rows


def has_aggregate(query: exp.Select) -> bool:
    """Say whether a SELECT aggregates by itself, subqueries inside it apart."""
    places = [*query.expressions, query.args.get("having")]
    return any(_aggregates(each) for each in places if each is not None)


def _aggregates(node: exp.Expression) -> bool:
    if isinstance(node, exp.Query | exp.Window):
        return False
    if isinstance(node, exp.AggFunc):
        return True
    return any(_aggregates(child) for child in node.iter_expressions())


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
