"""Of which columns a unit has one row for each value, and so how many rows a join of private tables can make.

Nothing here is declared: a key is what an operator of the plan makes unique by itself, a scan that keeps one row for
each value of its key, or one row for each unit and key. NULL equals nothing in a join, so keys say nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.plan.expressions import Column, Expression
from discreet.plan.relations import Block, Lookup, Match, Nested, NumberKind, PerUnit, Scan, Source

Named = tuple[str, str]
"""A column: the name of its relation, and its own."""

RowKey = frozenset[Named]
"""Columns of which a unit has at most one row for each combination of values without NULL; empty: one row in all."""


def name_column(expression: Expression) -> Named | None:
    """Return the column that an expression is, if it is just that."""
    return (expression.relation, expression.name) if isinstance(expression, Column) else None


def find_keys(source: Source) -> tuple[RowKey, ...]:
    """Return the keys that a source has."""
    if isinstance(source, Scan):
        found = [frozenset((source.relation, name) for name in key) for key in source.unique]
        return (frozenset(), *found) if source.rows == 1 else tuple(found)
    if isinstance(source, PerUnit):
        return (frozenset((source.relation, f"k{place}") for place in range(len(source.keys))),)
    if isinstance(source, Nested):
        places = {name_column(each): place for place, each in reversed(list(enumerate(source.outputs)))}
        inner = [key for key in find_block_keys(source.block) if key <= places.keys()]
        found = [frozenset((source.relation, f"c{places[each]}") for each in key) for key in inner]
        found += [frozenset({(source.relation, f"a{place}")}) for place in list_own_numbers(source)]
        return tuple(found)
    return ()


def list_own_numbers(source: Nested) -> list[int]:
    """Return the places of the numbers of which a unit has each once: of all its rows, ties told apart."""
    return [place for place, each in enumerate(source.numbers) if each.kind is NumberKind.ROW and not each.partition]


def find_block_keys(block: Block) -> tuple[RowKey, ...]:
    """Return the keys that a block's rows have after all its joins; conditions take none away."""
    keys = find_keys(block.source)
    for join in block.joins:
        keys = keep_keys(keys, join) if isinstance(join, Lookup | Match) else keys
    return keys


def keep_keys(keys: tuple[RowKey, ...], join: Lookup | Match) -> tuple[RowKey, ...]:
    """Return the keys that rows with these keys have after a join.

    Those of the left side stay where no row of it has two partners; those of the right side where no row of that has
    two. A left join adds rows with NULL on its right, so that its right side may be there for a unit twice.
    """
    if isinstance(join, Lookup):
        return keys if join.fan_out <= 1 else ()
    partners = find_partners(keys, join)
    found = keys if partners.right_once else ()
    if partners.left_once:
        found += tuple(key for key in find_keys(join.source) if key or not join.keep)
    return found


@dataclass(frozen=True, slots=True)
class Partners:
    """Whether a row of the left side of a join has one partner at most on the right, and the other way round."""

    right_once: bool
    left_once: bool

    def count_rows(self, left: int, right: int, keep: bool) -> int:
        """Return how many rows of one unit a join has at most, of which the sides have so many.

        Every row of an inner join is of a pair; in a left join there are rows without a partner beside.
        """
        by_left = left * (1 if self.right_once else max(right, 1))
        by_right = right * (1 if self.left_once else left) + (left if keep else 0)
        return min(by_left, by_right)


def find_partners(keys: tuple[RowKey, ...], join: Match) -> Partners:
    """Return what a join of rows with these keys to a source says of partners: it covers all columns of some key.

    Only columns of one type count: two whole numbers may equal one float.
    """
    same = [pair for pair in join.on if pair[0].type is pair[1].type]
    mine, theirs = ({name_column(pair[side]) for pair in same} for side in (0, 1))
    return Partners(any(key <= theirs for key in find_keys(join.source)), any(key <= mine for key in keys))
