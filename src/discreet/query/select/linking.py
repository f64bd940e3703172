"""Joins that name no columns of their own, `FROM a, b WHERE a.x = b.x`, CROSS JOIN and NATURAL JOIN, and LEFT JOIN with
conditions.

Each is written anew as the JOIN ... ON or USING that it means. For inner joins a condition means the same in ON as in
WHERE, and their order does not matter, so that a comma list may be joined in whatever order has equal columns.
"""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from discreet.base.errors import QueryError
from discreet.query.parse import quote_sql, split_conjuncts
from discreet.query.select.context import Context
from discreet.query.select.names import RelationColumns, Selected, describe_table
from discreet.query.select.public_selects import find_public_select
from discreet.query.select.relations import read_alias, read_relation


def link_joins(query: exp.Select, reading: Context) -> exp.Select:
    """Return the same SELECT with every join on columns that it names."""
    joins = query.args.get("joins") or []
    if query.args.get("from_") is None or not any(_says_less(each) for each in joins):
        return query
    query = query.copy()
    joins = query.args["joins"]
    relations = [query.args["from_"].this, *(each.this for each in joins)]
    found = [_look_at(each, reading.fresh()) for each in relations]
    views = [view for _, view in found]
    for place, join in enumerate(joins, 1):
        if _is_natural(join):
            _name_shared_columns(join, views[:place], views[place])
    links = _Links(query, [name for name, _ in found], views)
    links.filter_first()
    if any(_is_bare(each) for each in joins):
        links.move()
    return query


def _look_at(node: exp.Expression, reading: Context) -> tuple[str, RelationColumns]:
    """Return the name and the columns of what stands in FROM."""
    public = find_public_select(node, reading)
    if public is not None:
        return read_alias(node) or node.name or "subquery", public.read("", reading)[0]
    found = read_relation(node, reading)
    return found.name, found.meaning.view if isinstance(found.meaning, Selected) else describe_table(found.meaning, "")


def _says_less(join: exp.Expression) -> bool:
    """Say whether a join may have to be written anew."""
    return _is_bare(join) or _is_natural(join) or (join.args.get("side") == "LEFT" and join.args.get("on") is not None)


def _is_bare(join: exp.Expression) -> bool:
    """Say whether a join is a comma or CROSS JOIN."""
    plain = not any(join.args.get(each) for each in ("on", "using", "side", "method"))
    return plain and str(join.args.get("kind") or "") in ("", "CROSS")


def _is_natural(join: exp.Expression) -> bool:
    return str(join.args.get("method") or "") == "NATURAL" and not join.args.get("side")


def _name_shared_columns(join: exp.Expression, before: list[RelationColumns], new: RelationColumns) -> None:
    """Write NATURAL JOIN as JOIN ... USING."""
    shared = [each.name for each in new.outputs if each.stored and any(view.output(each.name) for view in before)]
    if not shared:
        raise QueryError(f"{quote_sql(join)}: the tables share no column; write JOIN ... ON with equal columns")
    join.set("method", None)
    join.set("using", [exp.to_identifier(name, quoted=True) for name in shared])


class _Links:
    """Equalities of WHERE that say on what the tables of a comma list are joined."""

    def __init__(self, query: exp.Select, names: list[str], views: list[RelationColumns]) -> None:
        self.query, self.names, self.views = query, [each.casefold() for each in names], views
        where = query.args.get("where")
        self.parts = list(split_conjuncts(where.this if where is not None else None))

    def filter_first(self) -> None:
        """Put conditions of a LEFT JOIN on the new private relation alone inside it: rows that fail have no partner."""
        for place, join in enumerate(self.query.args["joins"], 1):
            if join.args.get("side") != "LEFT" or not self.views[place].private:
                continue
            parts = list(split_conjuncts(join.args.get("on")))
            inside = [each for each in parts if self._find_owners(each) == {place}]
            outside = [each for each in parts if not any(each is one for one in inside)]
            if inside and outside:
                rows = exp.select("*").from_(join.this.copy()).where(_join(inside))
                alias = exp.TableAlias(this=exp.to_identifier(join.this.alias_or_name, quoted=True))
                join.set("this", exp.Subquery(this=rows, alias=alias))
                join.set("on", _join(outside))

    def move(self) -> None:
        """Move each equality to the join that it is about."""
        joins: list[exp.Expression] = self.query.args["joins"]
        source = self.query.args["from_"]
        order = list(range(len(self.views)))
        free = all(_is_bare(each) for each in joins)
        if free:  # private tables before public ones
            order.sort(key=lambda place: not self.views[place].private)
        relations = [source.this, *(each.this for each in joins)]
        placed, made = [order.pop(0)], []
        while order:
            linked = [place for place in (order if free else order[:1]) if self._find_links(place, placed)]
            place = linked[0] if linked else order[0]
            order.remove(place)
            join = exp.Join() if free else joins[place - 1]
            if free:
                join.set("this", relations[place])
            if _is_bare(join):
                self._give(join, self._find_links(place, placed))
            placed.append(place)
            made.append(join)
        source.set("this", relations[placed[0]])
        self.query.set("joins", made)
        self.query.set("where", exp.Where(this=_join(self.parts)) if self.parts else None)

    def _give(self, join: exp.Expression, links: list[exp.Expression]) -> None:
        if links:
            join.set("kind", None)
            join.set("on", _join(links))
        self.parts = [each for each in self.parts if not any(each is link for link in links)]

    def _find_links(self, new: int, placed: list[int]) -> list[exp.Expression]:
        """Return the equalities of something of the new relation alone with something of those before alone."""
        found: list[exp.Expression] = []
        for part in self.parts:
            if isinstance(part, exp.EQ):
                sides = [self._find_owners(each) for each in (part.this, part.expression)]
                if any(one == {new} and other and other <= set(placed) for one, other in (sides, sides[::-1])):
                    found.append(part)
        return found

    def _find_owners(self, node: exp.Expression) -> set[int]:
        """Return the places of the relations whose columns a node reads; -1 for what is not clear."""
        if node.find(exp.Query, exp.AggFunc):
            return {-1}
        return {self._find_owner(each) for each in node.find_all(exp.Column)}

    def _find_owner(self, column: exp.Column) -> int:
        if column.table:
            return self.names.index(column.table.casefold()) if column.table.casefold() in self.names else -1
        owners = [place for place, view in enumerate(self.views) if view.output(column.name) is not None]
        return owners[0] if len(owners) == 1 else -1


def _join(parts: list[exp.Expression]) -> exp.Expression:
    return reduce(lambda one, other: exp.And(this=one, expression=other), parts)
