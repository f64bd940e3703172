"""GROUP BY the unit inside a subquery: aggregates over the rows of one unit alone."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Expression, Literal, Slot, refer
from discreet.plan.functions import call
from discreet.plan.lowering import refer_to
from discreet.plan.relations import INNER_MEANS, INNER_SUMS, InnerAggregate, InnerKind
from discreet.plan.scales import find_scale
from discreet.query.bounding.measures import Measures
from discreet.query.bounding.public_facts import PublicFacts
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import check_names, split_alias
from discreet.query.select.from_clause import FromClause, check_condition
from discreet.query.select.names import OutputColumn
from discreet.query.select.scalar_subqueries import refuse_scalar

INNER: dict[type[exp.Expression], InnerKind] = {
    exp.Sum: InnerKind.SUM,
    exp.Avg: InnerKind.MEAN,
    exp.Min: InnerKind.LEAST,
    exp.Max: InnerKind.GREATEST,
}

DISTINCT: dict[type[exp.Expression], InnerKind] = INNER | {
    exp.Sum: InnerKind.SUM_DISTINCT,
    exp.Avg: InnerKind.MEAN_DISTINCT,
}
"""Of values that count once; an extreme is the same."""

SUMMED = (*INNER_SUMS, *INNER_MEANS)

SUM_DIGITS = 19
"""Digits of a sum inside one unit: 2^62 is below 10^19."""


@dataclass
class PerUnitSelect:
    """A SELECT with one row for each unit, being read: its keys and aggregates as they are met."""

    rows: FromClause
    relation: str
    keys: list[Expression] = field(default_factory=list)
    aggregates: list[InnerAggregate] = field(default_factory=list)
    outputs: list[OutputColumn] = field(default_factory=list)
    having: Expression | None = None

    @property
    def scope(self) -> Scope:
        """Where columns mean keys, and aggregates are those of one unit."""
        return Scope(self._column, self._aggregate, self.rows.reading.parameters)

    def key(self, place: int) -> Column:
        """Return the column that holds a key."""
        key = self.keys[place]
        return refer_to(key, self.relation, Slot.KEY, place)

    def _column(self, node: exp.Column) -> Expression:
        found = self.rows.names.column(node)
        if found in self.keys:
            return self.key(self.keys.index(found))
        raise QueryError(
            f"{quote_sql(node)} is neither grouped by nor aggregated; add it to GROUP BY or use an aggregate"
        )

    def _aggregate(self, node: exp.Expression) -> Expression | None:
        public = refuse_scalar(node, self.rows.reading)
        if public is not None:
            return public
        found = read_inner_aggregate(node, self.rows)
        if found is None:
            return self._whole_key(node)
        if found not in self.aggregates:
            self.aggregates.append(found)
        index = self.aggregates.index(found)
        if found.kind in (InnerKind.LEAST, InnerKind.GREATEST) and found.argument is not None:
            return refer_to(found.argument, self.relation, Slot.AGGREGATE, index)
        digits = (SUM_DIGITS, find_scale(found.argument)) if found.argument and found.type is Type.DECIMAL else None
        return refer(self.relation, Slot.AGGREGATE, index, found.type, digits)

    def _whole_key(self, node: exp.Expression) -> Expression | None:
        """Return the key that a node is, where it is one: GROUP BY takes expressions."""
        place = find_key(node, self.keys, self.rows)
        return None if place is None else self.key(place)


def read_grouped(query: exp.Select, rows: FromClause) -> PerUnitSelect:
    """Read GROUP BY, the columns and HAVING of a subquery; the unit must be among what is grouped by."""
    made = PerUnitSelect(rows, rows.reading.counter.next())
    node = query.args.get("group")
    if node is not None:
        refuse_other_parts(
            node, {"expressions"}, dict.fromkeys(("rollup", "cube", "grouping_sets", "all"), "group by columns here")
        )
    listed = [resolve_key(each, query, rows) for each in (node.expressions if node is not None else [])]
    if not any(rows.names.is_unit(each) for each in listed):
        unit = rows.names.unit_word
        raise QueryError(
            f"{quote_sql(query)}: inside a subquery rows are grouped within one unit, never across; "
            f"add {unit} to GROUP BY, or make this the whole question"
        )
    for each in listed:
        if not rows.names.is_unit(each):
            key = translate(each, rows.scope)
            if key not in made.keys:
                made.keys.append(key)
    for each in query.expressions:
        name, inner = split_alias(each)
        if rows.names.is_unit(inner):
            assert isinstance(inner, exp.Column)
            made.outputs.append(OutputColumn(name, None, unit=True))
        else:
            made.outputs.append(OutputColumn(name, translate(inner, made.scope)))
    check_names([each.name for each in made.outputs])
    having = query.args.get("having")
    if having is not None:
        made.having = check_condition("HAVING", translate(having.this, made.scope))
    return made


def find_key(node: exp.Expression, keys: list[Expression], rows: FromClause) -> int | None:
    """Return the place of the key that a whole expression is, such as date_trunc('month', day) in SELECT."""
    if isinstance(node, exp.Column | exp.Literal | exp.Paren) or not any(isinstance(key, Call) for key in keys):
        return None
    try:
        meant = translate(node, rows.scope)
    except QueryError:
        return None
    return keys.index(meant) if meant in keys else None


def resolve_key(node: exp.Expression, query: exp.Select, rows: FromClause) -> exp.Expression:
    """Return what a position or an alias in GROUP BY stands for."""
    if isinstance(node, exp.Literal) and not node.is_string:
        text = str(node.this)
        place = int(text) if text.isdecimal() and len(text) < 10 else 0
        if not 1 <= place <= len(query.expressions):
            raise QueryError(f"GROUP BY {node.this}: there is no such column in the SELECT")
        chosen: exp.Expression = query.expressions[place - 1]
        return chosen.this if isinstance(chosen, exp.Alias) else chosen
    if isinstance(node, exp.Column) and not node.table and not rows.names.has(node.name):
        for each in query.expressions:
            if isinstance(each, exp.Alias) and each.alias.casefold() == node.name.casefold():
                inner: exp.Expression = each.this
                return inner
    return node


def read_inner_aggregate(node: exp.Expression, rows: FromClause) -> InnerAggregate | None:
    """Return the aggregate over one unit's rows that a node is, or nothing where it is none."""
    kind = type(node)
    if kind is exp.Filter:
        refuse_other_parts(node, {"this", "expression"})
        return read_inner_aggregate(attach_filter(node, rows), rows)
    if kind is exp.Count:
        return _count(node, rows)
    if kind in INNER:
        refuse_other_parts(node, {"this", "_filter"})
        value, inner = node.this, INNER[kind]
        if isinstance(value, exp.Distinct):
            value, inner = take_distinct(node), DISTINCT[kind]
        argument = apply_filter(node, translate(value, rows.scope), rows)
        if inner in SUMMED and not argument.type.numeric:
            raise QueryError(f"{quote_sql(node)}: this needs numbers, and it is {argument.type}; use COUNT")
        result = Type.FLOAT if inner in INNER_MEANS else argument.type
        grid = None
        if inner in SUMMED:
            grid, _ = Measures(PublicFacts.of(rows.rows, rows.reading.catalog)).summed(argument)
        return InnerAggregate(inner, argument, result, grid)
    if isinstance(node, exp.AggFunc):
        raise QueryError(f"{quote_sql(node)}: inside a subquery COUNT, SUM, AVG, MIN and MAX are answered")
    return None


def take_distinct(node: exp.Expression) -> exp.Expression:
    """Return the one column of `agg(DISTINCT x)`."""
    refuse_other_parts(node.this, {"expressions"})
    if len(node.this.expressions) != 1:
        raise QueryError(f"{quote_sql(node)}: {type(node).__name__.upper()}(DISTINCT ...) takes one column")
    found: exp.Expression = node.this.expressions[0]
    return found


def attach_filter(node: exp.Expression, rows: FromClause) -> exp.Expression:
    """Return the aggregate of `agg FILTER (WHERE ...)`, with its condition noted on it."""
    inner: exp.Expression = node.this.copy()
    where = node.args["expression"]
    refuse_other_parts(where, {"this"})
    inner.set("_filter", where.this.copy())
    return inner


def apply_filter(node: exp.Expression, argument: Expression, rows: FromClause) -> Expression:
    """Return the argument where the condition of FILTER holds, and else NULL."""
    where = node.args.get("_filter")
    if where is None:
        return argument
    test = check_condition("FILTER", translate(where, rows.scope))
    if isinstance(argument, Literal) and argument.value is None:
        return argument
    return call("case", test, argument, Literal(None, argument.type))


def _count(node: exp.Expression, rows: FromClause) -> InnerAggregate:
    refuse_other_parts(node, {"this", "big_int", "_filter"})
    inner = node.this
    if isinstance(inner, exp.Star):
        refuse_other_parts(inner, set())
    one = Literal(1, Type.INTEGER)
    if inner is None or isinstance(inner, exp.Star) or rows.names.is_unit(inner):  # no row is without a unit
        found = apply_filter(node, one, rows)
        return (
            InnerAggregate(InnerKind.ROWS, None, Type.INTEGER)
            if found is one
            else InnerAggregate(InnerKind.VALUES, found, Type.INTEGER)
        )
    if isinstance(inner, exp.Distinct):
        argument = apply_filter(node, translate(take_distinct(node), rows.scope), rows)
        return InnerAggregate(InnerKind.DISTINCT, argument, Type.INTEGER)
    return InnerAggregate(InnerKind.VALUES, apply_filter(node, translate(inner, rows.scope), rows), Type.INTEGER)
