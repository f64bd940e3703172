"""A parsed SELECT to a plan: names and types resolved, aggregates found, and what is done to the released table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.question import (
    Aggregate,
    Finish,
    Order,
    Question,
    released_key,
    released_value,
)
from discreet.query.aggregates import aggregate_of
from discreet.query.catalog import Catalog
from discreet.query.expressions import Scope, translate
from discreet.query.parse import known, shown
from discreet.query.relations import Relations


def build(select: exp.Select, catalog: Catalog, parameters: Mapping[str, Any] | None = None) -> Question:
    """Return the plan of a SELECT, or refuse it with the text that cannot be answered."""
    return _Builder(select, catalog, dict(parameters or {})).question()


class _Builder:
    """One question being read: its relations, keys and aggregates as they are met."""

    def __init__(self, select: exp.Select, catalog: Catalog, parameters: Mapping[str, Any]) -> None:
        self.select, self.parameters = select, parameters
        self.relations = Relations.read(select, catalog, parameters)
        self.rows = Scope(self.relations.column, _no_aggregate, parameters)
        self.keys: list[Column] = []
        self.aggregates: list[Aggregate] = []
        self.outputs: list[tuple[str, Expression]] = []

    def question(self) -> Question:
        """Read the clauses in the order in which they bind."""
        where = self._where()
        self._group()
        self._outputs()
        having = self._having()
        finish = Finish(tuple(self.outputs), having, self._order(), self._limit())
        if not self.aggregates:
            raise QueryError("the question has no aggregate: rows are not released; ask for COUNT(*), SUM, AVG, ...")
        return Question(
            self.relations.scan, self.relations.lookups, where, tuple(self.keys), tuple(self.aggregates), finish
        )

    def _where(self) -> Expression | None:
        node = self.select.args.get("where")
        if node is None:
            return None
        return _condition("WHERE", translate(node.this, self.rows))

    def _group(self) -> None:
        node = self.select.args.get("group")
        if node is None:
            return
        sets = dict.fromkeys(("rollup", "cube", "grouping_sets", "all"), "this is not answered; ask each set by itself")
        known(node, {"expressions"}, sets)
        for each in node.expressions:
            named = self._selected(each)
            key = translate(named, self.rows)
            if not isinstance(key, Column):
                raise QueryError(f"{shown(each)}: GROUP BY takes columns; group by a column with declared values")
            if key not in self.keys:
                self.keys.append(key)

    def _selected(self, node: exp.Expression) -> exp.Expression:
        """Return what a position or an alias in GROUP BY stands for."""
        if isinstance(node, exp.Literal) and not node.is_string:
            place = _place(node)
            if not 1 <= place <= len(self.select.expressions):
                raise QueryError(f"GROUP BY {node.this}: there is no such column in the SELECT")
            chosen: exp.Expression = self.select.expressions[place - 1]
            return chosen.this if isinstance(chosen, exp.Alias) else chosen
        if isinstance(node, exp.Column) and not node.table and not self.relations.has(node.name):
            for each in self.select.expressions:
                if isinstance(each, exp.Alias) and each.alias.casefold() == node.name.casefold():
                    inner: exp.Expression = each.this
                    return inner
        return node

    def _outputs(self) -> None:
        scope = self._finish_scope({})
        for node in self.select.expressions:
            if isinstance(node, exp.Alias):
                known(node, {"this", "alias"})
            inner = node.this if isinstance(node, exp.Alias) else node
            name = node.alias if isinstance(node, exp.Alias) else _plain_name(inner)
            if not name:
                raise QueryError(f"{shown(node)}: a column of the answer needs a name; leave AS out or name it")
            if any(name.casefold() == other.casefold() for other, _ in self.outputs):
                raise QueryError(f"two columns of the answer are called {name!r}; give one another name with AS")
            self.outputs.append((name, translate(inner, scope)))

    def _finish_scope(self, aliases: Mapping[str, Expression]) -> Scope:
        def column(node: exp.Column) -> Expression:
            if not node.table and node.name.casefold() in aliases and not self._is_key(node):
                return aliases[node.name.casefold()]
            found = self.relations.column(node)
            if not isinstance(found, Column) or found not in self.keys:
                raise QueryError(
                    f"{shown(node)} is neither grouped by nor aggregated, and rows are not released; "
                    f"add GROUP BY {node.name} or use an aggregate"
                )
            return released_key(self.keys.index(found), found.type)

        def aggregate(node: exp.Expression) -> Expression | None:
            found = aggregate_of(node, self.rows, self.relations)
            if found is None:
                return None
            if found not in self.aggregates:
                self.aggregates.append(found)
            return released_value(self.aggregates.index(found), found)

        return Scope(column, aggregate, self.parameters, finish=True)

    def _is_key(self, node: exp.Column) -> bool:
        return self.relations.has(node.name) and self.relations.column(node) in self.keys

    def _aliases(self) -> dict[str, Expression]:
        return {name.casefold(): expression for name, expression in self.outputs}

    def _having(self) -> Expression | None:
        node = self.select.args.get("having")
        return None if node is None else _condition("HAVING", translate(node.this, self._finish_scope(self._aliases())))

    def _order(self) -> tuple[Order, ...]:
        node = self.select.args.get("order")
        terms = []
        if node is not None:
            known(node, {"expressions"})
        for each in node.expressions if node is not None else []:
            known(each, {"this", "desc", "nulls_first"})
            terms.append(
                Order(self._ordered(each.this), bool(each.args.get("desc")), bool(each.args.get("nulls_first")))
            )
        return tuple(terms)

    def _ordered(self, node: exp.Expression) -> Expression:
        if isinstance(node, exp.Literal) and not node.is_string:
            place = _place(node)
            if not 1 <= place <= len(self.outputs):
                raise QueryError(f"ORDER BY {node.this}: there is no such column in the SELECT")
            return self.outputs[place - 1][1]
        return translate(node, self._finish_scope(self._aliases()))

    def _limit(self) -> int | None:
        node = self.select.args.get("limit")
        if node is None:
            return None
        known(node, {"expression"})
        found = translate(node.expression, Scope(_no_column, _no_aggregate, self.parameters))
        value = found.value if isinstance(found, Literal) and found.type is Type.INTEGER else None
        if not isinstance(value, int) or not 0 <= value < 1 << 62:
            raise QueryError(f"{shown(node)}: LIMIT takes a whole number that is not negative")
        return value


def parameters_of(select: exp.Select) -> set[str]:
    """Return the names of the parameters that a SELECT uses."""
    inner = [node.this for node in select.find_all(exp.Placeholder, exp.Parameter)]
    return {name if isinstance(name, str) else str(getattr(name, "name", "")) for name in inner}


def _place(node: exp.Expression) -> int:
    """Return the position that a number in GROUP BY or ORDER BY means; 0, where nothing is, for what can be none."""
    text = str(node.this)
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def _condition(clause: str, found: Expression) -> Expression:
    if found.type is not Type.BOOLEAN:
        raise QueryError(f"{clause} takes a condition, and this is {found.type}")
    return found


def _plain_name(node: exp.Expression) -> str:
    return node.name if isinstance(node, exp.Column) else node.sql(dialect="duckdb").lower()


def _no_aggregate(node: exp.Expression) -> Expression | None:
    if isinstance(node, exp.AggFunc):
        raise QueryError(f"{shown(node)}: an aggregate cannot stand here; in WHERE use columns, in HAVING aggregates")
    return None


def _no_column(node: exp.Column) -> Expression:
    raise QueryError(f"{shown(node)}: a constant is expected here")
