"""Keys and paths that the policy declares, where joins profit from them.

A key is never trusted. A join that rests on it has the scan keep one row for each unit and key, and then the bound
follows from the plan alone (`plan.keys`). Where no join makes fewer rows by it, a scan stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from discreet.plan.expressions import Column, Expression, Reference
from discreet.plan.keys import Named, name_column
from discreet.plan.relations import Block, Join, Lookup, Match, Nested, Scan, Source, find_held, list_sources
from discreet.query.bounding.limits import bound_unit_rows
from discreet.query.catalog import Catalog

DeclaredKey = tuple[str, tuple[str, ...]]
"""A relation that scans a table, and a key of that table."""


def use_keys(block: Block, catalog: Catalog) -> Block:
    """Return the block with those keys enforced at its scans that make a unit's rows fewer, the best ones first."""
    rows = bound_unit_rows(block, catalog, None).total
    while True:
        made = [_enforce(block, each) for each in _list_declared(block, catalog)]
        counts = [bound_unit_rows(each, catalog, None).total for each in made]
        if not counts or min(counts) >= rows:
            return block
        rows = min(counts)
        block = made[counts.index(rows)]


def covers_declared_key(block: Block, catalog: Catalog) -> bool:
    """Say whether the last join of a block is on all columns of a key that the policy declares for one of its sides."""
    equal = {side for pair in _list_equal(block) for side in pair}
    for scan in _list_open_scans(block):
        for key in catalog.table(scan.table).table.unique:
            if {(scan.relation, name) for name in key} <= equal:
                return True
    return False


def follows_path(block: Block, catalog: Catalog) -> bool:
    """Say whether the last join of a block is on all columns of the foreign key by which one of its sides finds units.

    Then rows of different units never have equal columns but for rows that both reach, which are there for each: with
    equality of the unit added, the pairs are those of the tables themselves, each once.
    """
    equal = _list_equal(block)
    equal |= {(theirs, mine) for mine, theirs in equal}
    scans = list(_list_open_scans(block))
    for one in scans:
        key = catalog.table(one.table).table.through
        for other in scans:
            if key is not None and other.table == key.table:
                wanted = {((one.relation, mine), (other.relation, theirs)) for mine, theirs in key.on}
                if wanted <= equal:
                    return True
    return False


def _list_equal(block: Block) -> set[tuple[Named | None, Named | None]]:
    """Return the columns of tables that the last join of a block equates, those of the left side first."""
    last = block.joins[-1]
    assert isinstance(last, Match)
    sources = {each.relation: each for each in list_sources(block) if not isinstance(each, Lookup)}
    return {(_origin(mine, sources), _origin(theirs, sources)) for mine, theirs in last.on}


def _origin(expression: Expression, sources: dict[str, Source]) -> Named | None:
    """Return the column of a table that an expression holds unchanged."""
    while isinstance(expression, Reference):
        source = sources.get(expression.relation)
        if not isinstance(source, Nested):
            return None
        held = find_held(source, expression)
        if len(held) != 1:
            return None
        (expression,) = held
    return name_column(expression) if isinstance(expression, Column) else None


def _list_declared(block: Block, catalog: Catalog) -> list[DeclaredKey]:
    """Return the declared keys of all scans that are not enforced yet."""
    found = []
    for scan in _list_open_scans(block):
        declared = catalog.table(scan.table).table.unique
        found += [(scan.relation, key) for key in declared if key not in scan.unique]
    return found


def _list_open_scans(block: Block) -> Iterator[Scan]:
    """Yield the scans whose rows are those of the block: not those that are united or grouped before."""
    for source in (block.source, *(join.source for join in block.joins if isinstance(join, Match))):
        if isinstance(source, Scan):
            yield source
        elif isinstance(source, Nested):
            yield from _list_open_scans(source.block)


def _enforce(block: Block, key: DeclaredKey) -> Block:
    """Return the block with this key enforced."""
    joins: list[Join] = []
    for join in block.joins:
        joins.append(replace(join, source=_enforce_at(join.source, key)) if isinstance(join, Match) else join)
    return replace(block, source=_enforce_at(block.source, key), joins=tuple(joins))


def _enforce_at(source: Source, key: DeclaredKey) -> Source:
    if isinstance(source, Nested):
        return replace(source, block=_enforce(source.block, key))
    relation, columns = key
    if not isinstance(source, Scan) or source.relation != relation:
        return source
    return replace(source, unique=(*source.unique, columns))
