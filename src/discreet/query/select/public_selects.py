"""Subqueries over public tables: columns and conditions of one table, joined by their name or listed behind IN.

What they hold is public, so that it may be looked up while the question is read: a list behind IN becomes its values,
and a joined subquery becomes the table itself, with its conditions beside the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Constant, Expression, Literal, find_columns, join_conditions
from discreet.plan.functions import call
from discreet.policy.schema import Resolved
from discreet.query.parse import quote_sql, refuse_other_parts, split_conjuncts
from discreet.query.scalars.coercion import combine
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, is_star, split_alias
from discreet.query.select.context import Context, add_with_names
from discreet.query.select.names import Names, OutputColumn, RelationColumns, describe_table

MOST_LISTED = 10_000
"""Values of a public table behind IN."""

PLAIN = {"expressions", "from_", "where", "with_"}
"""What a subquery over a public table may have."""


@dataclass(frozen=True)
class PublicSelect:
    """Columns of a public table, of the rows that meet conditions."""

    table: Resolved
    query: exp.Select
    name: str
    """What the table is called inside."""

    def read(self, place: str, reading: Context) -> tuple[RelationColumns, list[Expression]]:
        """Return its columns as expressions over the table at that place, and its conditions."""
        view = describe_table(self.table, place)
        names = Names({self.name.casefold(): (self.name, view)})
        scope = Scope(names.column, _refuse_all, reading.parameters)
        found: list[OutputColumn] = []
        for node in self.query.expressions:
            if is_star(node):
                refuse_other_parts(node.this if isinstance(node, exp.Column) else node, set(), STARS)
                found.extend(view.outputs)
                continue
            name, inner = split_alias(node)
            found.append(OutputColumn(name, translate(inner, scope)))
        check_names([each.name for each in found])
        where = self.query.args.get("where")
        parts = [translate(each, scope) for each in split_conjuncts(where.this if where is not None else None)]
        for each in parts:
            if each.type is not Type.BOOLEAN:
                raise QueryError(f"WHERE takes a condition, and this is {each.type}; compare it, as in age >= 18")
        return RelationColumns(tuple(found), False), parts


def find_public_select(node: exp.Expression, reading: Context) -> PublicSelect | None:
    """Return the subquery over a public table that a node is or names; None where it is anything else."""
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        named = reading.subquery(node.name)
        if named is None:
            return None
        query, reading = named
    else:
        query = node
    while isinstance(query, exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select):
        return None
    reading = add_with_names(query, reading)
    source = query.args.get("from_")
    inner = source.this if source is not None and not query.args.get("joins") else None
    if not isinstance(inner, exp.Table) or not isinstance(inner.this, exp.Identifier):
        return None
    if reading.subquery(inner.name) is not None:
        return None
    table = reading.find_table(inner.name)
    if not table.table.public:
        return None
    return PublicSelect(table, query, inner.alias or inner.name)


def check_plain(found: PublicSelect, node: exp.Expression, more: set[str] | None = None) -> None:
    """Refuse a subquery over a public table with anything but columns and conditions."""
    source = found.query.args["from_"].this
    refuse_other_parts(source, {"this", "alias"})
    other = [name for name, value in found.query.args.items() if value and name not in PLAIN | (more or set())]
    if other or any(each.find(exp.AggFunc, exp.Window) for each in found.query.expressions):
        raise QueryError(
            f"{quote_sql(node)}: a subquery over the public table {found.table.table.name!r} takes columns and "
            f"conditions; join the table by its name, or write its values here"
        )


def match_listed(
    value: Expression, node: exp.Expression, found: PublicSelect, reading: Context, anti: bool
) -> Expression:
    """Return the condition that a value is, or is not, among those that a subquery over a public table lists."""
    check_plain(found, node, {"distinct"})
    view, conditions = found.read("public", reading)
    if len(view.outputs) != 1 or view.outputs[0].expression is None:
        raise QueryError(f"{quote_sql(node)}: IN takes one column of a public table")
    listed = view.outputs[0].expression
    if listed.type is not value.type or listed.type in (Type.FLOAT, Type.DECIMAL):
        raise QueryError(
            f"{quote_sql(node)}: {value.type} is looked for among {listed.type}; whole numbers, texts, dates and times "
            "are looked for among their own kind. JOIN the public table instead"
        )
    values, null = _list_values(listed, conditions, found, reading)
    if len(values) > MOST_LISTED:
        raise QueryError(f"{quote_sql(node)} lists more than {MOST_LISTED:,} values; JOIN the public table instead")
    if not values or (null and anti):  # NOT IN a list with NULL is never true
        return Literal(anti and not null, Type.BOOLEAN)
    among = combine("in", value, *(Literal(each, listed.type) for each in values))
    return call("not", among) if anti else among


def _list_values(
    listed: Expression, conditions: list[Expression], found: PublicSelect, reading: Context
) -> tuple[list[Constant], bool]:
    """Return the distinct values, and whether NULL is among them."""
    read = sorted({each for part in (listed, *conditions) for each in find_columns(part)}, key=lambda each: each.name)
    if not read:
        raise QueryError(f"{quote_sql(found.query)} lists no column of {found.table.table.name!r}; write the value")
    rows = reading.catalog.public_rows(found.table.table.name, tuple(each.name for each in read), MOST_LISTED * 10)
    if len(rows) > MOST_LISTED * 10:
        raise QueryError(f"{found.table.table.name!r} has too many rows to be listed; JOIN it by its name")
    where = join_conditions(conditions)
    given = ((tuple(read), rows),)
    values = [value for (value,) in reading.catalog.combine((listed,), where, given)]
    missing = join_conditions([*conditions, call("is_null", listed)])
    null = bool(reading.catalog.combine((Literal(1, Type.INTEGER),), missing, given))
    return sorted(values, key=repr), null


def _refuse_all(node: exp.Expression) -> Expression | None:
    if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup | exp.Window):
        raise QueryError(f"{quote_sql(node)}: a subquery over a public table takes columns and conditions")
    return None
