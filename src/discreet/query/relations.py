"""FROM and JOIN: one private table, and public ones that its rows look things up in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.plan.expressions import Column, Expression
from discreet.plan.question import Lookup, Scan
from discreet.policy.schema import Resolved
from discreet.query.catalog import Catalog
from discreet.query.parse import known, shown

COLUMN = {"this", "table"}
"""What a column may be written with: its name and its table's, not a schema's."""


@dataclass
class Relations:
    """The relations of a question by the name they have in it, first the private one."""

    catalog: Catalog
    named: dict[str, tuple[str, Resolved]] = field(default_factory=dict)
    """Folded name to (relation, table)."""
    scan: Scan = field(default_factory=lambda: Scan("", ""))
    lookups: tuple[Lookup, ...] = ()
    merged: set[tuple[str, str]] = field(default_factory=set)
    """Columns that USING joined by: without a table, their name means the one before."""

    @classmethod
    def read(cls, select: exp.Select, catalog: Catalog, parameters: Mapping[str, Any]) -> Relations:
        """Read FROM and the joins."""
        found = cls(catalog)
        source = select.args.get("from_")
        if source is None:
            raise QueryError("the question has no FROM; name a table, as in SELECT COUNT(*) FROM visits")
        found.add_scan(*_table(source.this))
        for join in select.args.get("joins") or []:
            found.add_join(join)
        return found

    def add_scan(self, table: str, relation: str) -> None:
        """Begin with a private table."""
        first = self.catalog.table(table)
        if first.table.public:
            raise QueryError(f"{table!r} is public: read it directly, or begin with a private table and join it")
        self.scan = Scan(first.table.name, relation)
        self.named[relation.casefold()] = (relation, first)

    def add_join(self, join: exp.Expression) -> None:
        """Add one join of the SQL."""
        remedy = "only JOIN and LEFT JOIN of a public table ON equal columns are answered"
        others = dict.fromkeys(("method", "hint", "match_condition"), remedy)
        known(join, {"this", "on", "using", "side", "kind"}, others)
        side, kind = str(join.args.get("side") or ""), str(join.args.get("kind") or "")
        if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER") or (kind == "OUTER" and not side):
            raise QueryError(f"{shown(join)}: {remedy}")
        table, relation = _table(join.this)
        if join.args.get("using"):
            names = [each.name for each in join.args["using"]]
            pairs = [(self.column(exp.column(name)), name) for name in names]
        else:
            pairs = self._pairs(join, table, relation)
        self.add_lookup(table, relation, pairs, keep=side == "LEFT")
        self.merged |= {(relation, each.name.casefold()) for each in join.args.get("using") or []}

    def add_lookup(self, table: str, relation: str, pairs: list[tuple[Expression, str]], keep: bool) -> None:
        """Add a public table whose columns named in the pairs are a key of it."""
        other = self.catalog.table(table)
        if not other.table.public:
            raise QueryError(f"{table!r} is private: joins of private tables are not answered yet; join a public one")
        if relation.casefold() in self.named:
            raise QueryError(f"two tables are called {relation!r}; give one another name with AS")
        on = []
        for expression, name in pairs:
            column = self.catalog.column(other, name)
            assert column.type is not None
            if expression.type is not column.type:  # 2^53 and 2^53 + 1 are one float: a row would have two partners
                raise QueryError(
                    f"{column.name!r} of {table!r} is {column.type}, and {expression.type} is joined to it; "
                    f"join columns of one type"
                )
            on.append((expression, column.name))
        if not on:
            raise QueryError(f"joining {table!r} needs ON with equal columns")
        if not self.catalog.public_key(other.table.name, tuple(name for _, name in on)):
            keys = ", ".join(name for _, name in on)
            raise QueryError(f"{keys} is not unique in {table!r}, so rows would multiply; join on a key of it")
        self.named[relation.casefold()] = (relation, other)
        self.lookups = (*self.lookups, Lookup(other.table.name, relation, tuple(on), keep))

    def _pairs(self, join: exp.Expression, table: str, relation: str) -> list[tuple[Expression, str]]:
        """Return what ON equates: an expression of the relations so far, and a column of the new one."""
        other = self.catalog.table(table)
        pairs: list[tuple[Expression, str]] = []
        condition = join.args.get("on")
        for part in condition.flatten() if isinstance(condition, exp.And) else [condition] if condition else []:
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            for side in sides:
                known(side, COLUMN if isinstance(side, exp.Column) else set(side.args))
            mine = [side for side in sides if isinstance(side, exp.Column) and self._is_of(side, relation, other)]
            if len(sides) != 2 or len(mine) != 1:
                raise QueryError(f"{shown(part)}: ON takes equalities of a column of {relation!r} with one before it")
            (theirs,) = (side for side in sides if side is not mine[0])
            if not isinstance(theirs, exp.Column):
                raise QueryError(f"{shown(part)}: ON takes columns")
            pairs.append((self.column(theirs), mine[0].name))
        return pairs

    def _is_of(self, node: exp.Column, relation: str, table: Resolved) -> bool:
        if node.table:
            return bool(node.table.casefold() == relation.casefold())
        return not self.has(node.name) and table.column(node.name) is not None

    def has(self, name: str) -> bool:
        """Say whether some relation has a column of that name."""
        return any(table.column(name) is not None for _, table in self.named.values())

    def column(self, node: exp.Column) -> Expression:
        """Return the column that a name means, or refuse one that is unknown or means several."""
        known(node, COLUMN)
        if node.table:
            if node.table.casefold() not in self.named:
                raise QueryError(f"{shown(node)}: there is no table {node.table!r} in this question")
            places = [self.named[node.table.casefold()]]
        else:
            places = [place for place in self.named.values() if place[1].column(node.name) is not None]
            places = [place for place in places if (place[0], node.name.casefold()) not in self.merged]
            places = places or list(self.named.values())[:1]
        if len(places) > 1:
            names = " or ".join(f"{relation}.{node.name}" for relation, _ in places)
            raise QueryError(f"{node.name!r} is a column of several tables; write {names}")
        relation, table = places[0]
        found = self.catalog.column(table, node.name)
        assert found.type is not None
        return Column(relation, found.name, found.type)

    def is_unit(self, node: exp.Expression) -> bool:
        """Say whether a node is the unit column of the private table, which may be hidden."""
        _, table = self.named[self.scan.relation.casefold()]
        if not isinstance(node, exp.Column) or table.table.unit is None:
            return False
        known(node, COLUMN)
        return node.name.casefold() == table.table.unit.casefold() and node.table.casefold() in (
            "",
            self.scan.relation.casefold(),
        )

    @property
    def unit_word(self) -> str:
        """The unit column's name, for messages."""
        return self.named[self.scan.relation.casefold()][1].table.unit or "the unit"


def _table(node: exp.Expression) -> tuple[str, str]:
    """Return a table's name and the name it has in this question."""
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise QueryError(f"{shown(node)}: FROM takes a table of the policy; subqueries are not answered yet")
    known(node, {"this", "alias"})
    alias = node.args.get("alias")
    if alias is not None:
        known(alias, {"this"})
        if not isinstance(alias.this, exp.Identifier):
            raise QueryError(f"{shown(node)}: the name of a table is a word, as in FROM visits AS v")
    return node.name, node.alias or node.name
