"""ROW_NUMBER, RANK and DENSE_RANK over the rows of one unit, in a subquery over private rows.

A window over all rows would number a row by other people's. Where the unit stands in PARTITION BY, a row's number is a
function of its unit's rows alone: so the operator maps each unit's rows to rows of that unit, as all others do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Expression, Slot, refer
from discreet.plan.lowering import find_digits
from discreet.plan.relations import Block, Nested, NumberKind, OrderTerm, RowNumber
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import STARS, check_names, is_star, split_alias
from discreet.query.select.from_clause import FromClause, refuse_aggregate
from discreet.query.select.names import OutputColumn, RelationColumns, Selected

KINDS: dict[type[exp.Expression], NumberKind] = {
    exp.RowNumber: NumberKind.ROW,
    exp.Rank: NumberKind.RANK,
    exp.DenseRank: NumberKind.DENSE,
}

INSTEAD = (
    "window functions look at other people's rows; use GROUP BY. ROW_NUMBER, RANK and DENSE_RANK are answered with the "
    "unit among the columns of PARTITION BY and with ORDER BY: so rows are numbered within one unit"
)


def has_numbers(query: exp.Select) -> bool:
    """Say whether a SELECT of rows has a window among its columns."""
    return any(each.find(exp.Window) is not None for each in query.expressions)


def read_numbered(query: exp.Select, rows: FromClause) -> Selected:
    """Return the rows of a SELECT with their numbers."""
    return _Numbering(rows, rows.reading.counter.next()).read(query)


@dataclass
class _Numbering:
    """One SELECT being read: the columns of the rows that it uses, and the numbers, as they are met."""

    rows: FromClause
    relation: str
    held: list[Expression] = field(default_factory=list)
    numbers: list[RowNumber] = field(default_factory=list)

    def read(self, query: exp.Select) -> Selected:
        scope, names, found = self._scope(), self.rows.names, list[OutputColumn]()
        for node in query.expressions:
            if is_star(node):
                refuse_other_parts(node.this if isinstance(node, exp.Column) else node, set(), STARS)
                for each in names.all(node.table if isinstance(node, exp.Column) else ""):
                    held = None if each.expression is None else self._hold(each.expression)
                    found.append(OutputColumn(each.name, held, each.unit, each.stored))
                continue
            name, inner = split_alias(node)
            if names.is_unit(inner):
                assert isinstance(inner, exp.Column)
                unit = names.find(inner)
                found.append(OutputColumn(name, None if unit.expression is None else self._hold(unit.expression), True))
            else:
                found.append(OutputColumn(name, translate(inner, scope)))
        check_names([each.name for each in found])
        source = Nested(self.relation, self.rows.rows, tuple(self.held), tuple(self.numbers))
        return Selected(Block(source), RelationColumns(tuple(found), True))

    def _hold(self, expression: Expression) -> Expression:
        """Return the column that holds a value of the rows."""
        if expression not in self.held:
            self.held.append(expression)
        place = self.held.index(expression)
        return refer(self.relation, Slot.OUTPUT, place, expression.type, find_digits(expression))

    def _scope(self) -> Scope:
        def column(node: exp.Column) -> Expression:
            return self._hold(self.rows.names.column(node))

        def aggregate(node: exp.Expression) -> Expression | None:
            return self._number(node) if isinstance(node, exp.Window) else refuse_aggregate(node)

        return Scope(column, aggregate, self.rows.reading.parameters)

    def _number(self, node: exp.Expression) -> Expression:
        kind = KINDS.get(type(node.this))
        if kind is None:
            raise QueryError(f"{quote_sql(node)}: {INSTEAD}")
        refuse_other_parts(
            node, {"this", "partition_by", "order", "over"}, {"spec": "rows are numbered without a frame"}
        )
        refuse_other_parts(node.this, set())
        by = node.args.get("partition_by") or []
        order = node.args.get("order")
        if not any(self.rows.names.is_unit(each) for each in by) or order is None:
            raise QueryError(f"{quote_sql(node)}: {INSTEAD}")
        partition = [translate(each, self.rows.scope) for each in by if not self.rows.names.is_unit(each)]
        made = RowNumber(kind, tuple(dict.fromkeys(partition)), tuple(self._terms(order)))
        if made not in self.numbers:
            self.numbers.append(made)
        return refer(self.relation, Slot.AGGREGATE, self.numbers.index(made), Type.INTEGER)

    def _terms(self, order: exp.Expression) -> list[OrderTerm]:
        refuse_other_parts(order, {"expressions"})
        found = []
        for each in order.expressions:
            refuse_other_parts(each, {"this", "desc", "nulls_first"})
            if isinstance(each.this, exp.Literal):
                raise QueryError(f"{quote_sql(order)}: a constant orders nothing; name columns")
            if not self.rows.names.is_unit(each.this):  # it is one for all rows that are compared
                by = translate(each.this, self.rows.scope)
                found.append((by, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
        if not found:
            raise QueryError(f"{quote_sql(order)}: order by other columns than the unit")
        return found
