"""Subqueries over public tables in place of a value: `cost > (SELECT AVG(price) FROM prices)`.

Their value is computed while the question is read, from public rows alone, in exact numbers: it becomes a constant, as
if whoever asks had written it. So it may stand wherever a constant may, and what the question is goes by its value.
Floats that are no finite numbers are NULL here, as everywhere in public tables.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Constant, Expression, GivenRows, Literal, find_columns, join_conditions
from discreet.plan.functions import MOST_BITS
from discreet.plan.intervals import FLOATS
from discreet.policy.schema import Resolved
from discreet.query.parse import quote_sql, refuse_other_parts
from discreet.query.scalars.expressions import Scope, translate
from discreet.query.select.columns import is_star, split_alias
from discreet.query.select.context import Context
from discreet.query.select.names import Names, describe_table
from discreet.query.select.public_selects import PLAIN, PublicSelect, find_public_select

MOST_ROWS = 100_000
"""Rows of a public table that a value is computed from."""

AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
TAKES = "in place of a value it takes one column, or COUNT, SUM, AVG, MIN or MAX, and conditions; write the value here"
NUMBER = "its number"


def read_public_value(node: exp.Expression, reading: Context) -> Expression | None:
    """Return the value of a subquery over a public table; nothing where the node is anything else."""
    if not isinstance(node, exp.Subquery):
        return None
    found = find_public_select(node, reading)
    if found is None:
        return None
    other = [name for name, value in found.query.args.items() if value and name not in PLAIN]
    if other or len(found.query.expressions) != 1 or is_star(found.query.expressions[0]):
        raise QueryError(f"{quote_sql(node)}: {TAKES}")
    refuse_other_parts(found.query.args["from_"].this, {"this", "alias"})
    return _Reader(node, found, reading).value()


class _Reader:
    """One subquery being read: over the rows of its table that meet its conditions."""

    def __init__(self, node: exp.Expression, found: PublicSelect, reading: Context) -> None:
        self.node, self.found, self.reading = node, found, reading
        names = Names({found.name.casefold(): (found.name, describe_table(found.table, "public"))})
        self.rows = Scope(names.column, self._refuse, reading.parameters)
        conditions = replace_outputs(found).read("public", reading)[1]
        self.where = join_conditions(conditions)

    def value(self) -> Expression:
        """Return the value: of an expression of aggregates, or of the one row that there is."""
        _, inner = split_alias(self.found.query.expressions[0])
        if any(isinstance(each, exp.AggFunc) for each in inner.walk()):
            return translate(inner, Scope(self._column, self._aggregate, self.reading.parameters))
        shown = translate(inner, self.rows)
        _check(self.node, shown)
        kept, values = self._list(shown)
        if kept > 1:
            raise QueryError(f"{quote_sql(self.node)}: {kept:,} rows meet this, and a value is one; add conditions")
        return Literal(values[0] if values else None, shown.type)

    def _aggregate(self, node: exp.Expression) -> Expression | None:
        if not isinstance(node, exp.AggFunc):
            return None
        if not isinstance(node, AGGREGATES):
            raise QueryError(f"{quote_sql(node)}: {TAKES}")
        refuse_other_parts(node, {"this", "big_int"} if isinstance(node, exp.Count) else {"this"})
        inner, distinct = node.this, isinstance(node.this, exp.Distinct)
        if distinct:
            refuse_other_parts(inner, {"expressions"})
            if len(inner.expressions) != 1:
                raise QueryError(f"{quote_sql(node)}: DISTINCT takes one column")
            (inner,) = inner.expressions
        if isinstance(node, exp.Count) and (inner is None or isinstance(inner, exp.Star)):
            return Literal(self._list(Literal(1, Type.INTEGER))[0], Type.INTEGER)
        argument = translate(inner, self.rows)
        _check(node, argument)
        once = distinct or isinstance(node, exp.Min | exp.Max)
        values = self._list(argument, once)[1]
        return _combine(node, list(dict.fromkeys(values)) if distinct else values, argument.type)

    def _list(self, shown: Expression, once: bool = False) -> tuple[int, list[Constant]]:
        """Return how many rows meet the conditions, and the values that are not NULL, one for each row.

        `once`: equal rows change nothing, and may be there.
        """
        table, catalog = self.found.table, self.reading.catalog
        rows = list_public_rows(self.node, table, self.reading, once)
        view = describe_table(table, "public")
        named = [each.expression for each in view.outputs if isinstance(each.expression, Column)]
        number = Column("public", NUMBER, Type.INTEGER)
        given: GivenRows = ((*named, number), tuple((*row, place) for place, row in enumerate(rows)))
        kept = catalog.combine((number,), self.where, (given,))
        found = catalog.combine((number, shown), self.where, (given,)) if any(find_columns(shown)) else ()
        return len(kept), [value for _, value in found]

    def _column(self, node: exp.Column) -> Expression:
        raise QueryError(f"{quote_sql(node)}: {TAKES}")

    def _refuse(self, node: exp.Expression) -> Expression | None:
        if isinstance(node, exp.AggFunc | exp.Filter | exp.WithinGroup | exp.Window):
            raise QueryError(f"{quote_sql(node)}: {TAKES}")
        return None


def list_public_rows(
    node: exp.Expression, table: Resolved, reading: Context, once: bool = False
) -> tuple[tuple[Constant, ...], ...]:
    """Return all rows of a public table, or refuse one that has equal rows: only distinct ones can be read.

    Equal rows are there `once`, where they change nothing. Two rows are not equal where columns without NULL tell every
    row from all others.
    """
    name, columns = table.table.name, tuple(each.name for each in table.columns)
    rows = reading.catalog.public_rows(name, columns, MOST_ROWS)
    if len(rows) > MOST_ROWS:
        raise QueryError(f"{quote_sql(node)}: {name!r} has more than {MOST_ROWS:,} rows; write the value here")
    full = tuple(column for at, column in enumerate(columns) if all(row[at] is not None for row in rows))
    if rows and not once and (not full or reading.catalog.fan_out(name, full) > 1):
        raise QueryError(f"{quote_sql(node)}: rows of {name!r} are equal, or not told apart; write the value here")
    return tuple(sorted(rows, key=_sort))


def _sort(row: tuple[Constant, ...]) -> list[tuple[bool, str, Any]]:
    """Return what rows are ordered by: engines hand them out as they like."""
    return [(value is None, str(type(value)), 0 if value is None else value) for value in row]


def replace_outputs(found: PublicSelect) -> PublicSelect:
    """Return the same rows of a public table with all columns, so that its conditions can be read."""
    query = found.query.copy()
    query.set("expressions", [exp.Star()])
    return PublicSelect(found.table, query, found.name)


def _check(node: exp.Expression, found: Expression) -> None:
    if not any(find_columns(found)):
        raise QueryError(f"{quote_sql(node)} reads no column; write the value here")


def _combine(node: exp.Expression, values: list[Constant], type_: Type) -> Literal:
    """Return an aggregate of values, exactly; the nearest float where it is one."""
    if isinstance(node, exp.Count):
        return Literal(len(values), Type.INTEGER)
    if isinstance(node, exp.Min | exp.Max):
        ends = sorted(values, key=lambda each: each)  # type: ignore[arg-type,return-value]
        return Literal((ends[0] if isinstance(node, exp.Min) else ends[-1]) if ends else None, type_)
    if not type_.numeric:
        raise QueryError(f"{quote_sql(node)}: this needs numbers, and it is {type_}; use COUNT")
    numbers = [Fraction(each) for each in values if isinstance(each, int | Fraction)]
    total = sum(numbers, Fraction(0))
    mean = isinstance(node, exp.Avg)
    kind = type_ if type_ is Type.INTEGER and not mean else Type.FLOAT
    if not numbers:
        return Literal(None, kind)
    found = total / len(numbers) if mean else total
    if abs(found) > FLOATS or (kind is Type.INTEGER and int(found).bit_length() > MOST_BITS):
        raise QueryError(f"{quote_sql(node)} is a larger number than any that is computed with; sum smaller ones")
    return Literal(int(found) if kind is Type.INTEGER else Fraction(float(found)), kind)
