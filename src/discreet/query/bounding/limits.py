"""How many rows one unit can have, by the form of a block and the policy's limits, and what it keeps in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from discreet.base import check
from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.bounded import Limits
from discreet.plan.expressions import Constant, Expression, Literal, Slot, refer
from discreet.plan.keys import find_keys, find_partners, keep_keys, list_own_numbers
from discreet.plan.relations import Block, Join, Lookup, Match, Nested, Scan, Source, Union, UnitCondition
from discreet.policy.model import Table
from discreet.query.bounding.conditions import list_ends
from discreet.query.catalog import Catalog

LIMITS = ("max_rows", "max_groups", "max_rows_per_group")

MOST_ROWS = 10**6
"""Rows that joins may make of one unit's: beyond, time and memory would tell whether it is there."""


@dataclass(frozen=True, slots=True)
class UnitRows:
    """What one unit can have: rows in all, rows in one group, and groups; None where nothing is declared."""

    rows: int | None
    rows_per_group: int | None
    groups: int | None

    @property
    def total(self) -> int:
        """Rows in all, from whichever limits are declared."""
        if self.rows is not None:
            return self.rows
        assert self.groups is not None
        assert self.rows_per_group is not None
        return self.groups * self.rows_per_group

    def times(self, factor: int) -> UnitRows:
        """Return what every row becoming so many makes of it."""
        return UnitRows(_times(self.rows, factor), _times(self.rows_per_group, factor), self.groups)


def cut_scans(block: Block, catalog: Catalog) -> Block:
    """Return the block with every scan cut to the policy's rows per unit: before rows are multiplied by a join.

    Otherwise one heavy unit would meet itself in so many rows that time and memory told of it.
    """
    joins: list[Join] = []
    for join in block.joins:
        joins.append(replace(join, source=_cut(join.source, catalog)) if isinstance(join, Match) else join)
    return replace(block, source=_cut(block.source, catalog), joins=tuple(joins))


def _cut(source: Source, catalog: Catalog) -> Source:
    if isinstance(source, Scan):
        return replace(source, rows=declare_unit_rows(catalog.table(source.table).table).total)
    if isinstance(source, Nested):
        return replace(source, block=cut_scans(source.block, catalog))
    if isinstance(source, Union):
        return replace(source, branches=tuple((cut_scans(block, catalog), each) for block, each in source.branches))
    return replace(source, block=cut_scans(source.block, catalog)) if source.keys else source


def bound_unit_rows(block: Block, catalog: Catalog, most: int | None = MOST_ROWS) -> UnitRows:
    """Return what one unit can have in a block; for tables of row units, what one of their rows can become.

    More rows than `most` are refused, wherever a join makes them.
    """
    found, keys = _hold_numbers(_of_source(block.source, catalog, most), block), find_keys(block.source)
    for join in block.joins:
        if isinstance(join, Lookup):
            found = found.times(join.fan_out)
        elif isinstance(join, Match):
            other = _of_source(join.source, catalog, most)
            groups = [each for each in (found.groups, other.groups) if each is not None]
            rows = find_partners(keys, join).count_rows(found.total, other.total, join.keep)
            found = UnitRows(rows, None, max(groups) if groups else None)
        else:
            assert isinstance(join, UnitCondition)
        keys = keep_keys(keys, join) if isinstance(join, Lookup | Match) else keys
        if most is not None and found.total > most:
            raise QueryError(
                f"after these joins one unit could have {found.total:,} rows; join on more columns, or on a key"
            )
    return found


def _hold_numbers(found: UnitRows, block: Block) -> UnitRows:
    """Return what is left of a unit's rows where WHERE leaves only the first of them, by their numbers.

    Each number is there once for a unit, so that as many rows stay as numbers from 1 on do.
    """
    source = block.source
    if not isinstance(source, Nested):
        return found
    for place in list_own_numbers(source):
        number = refer(source.relation, Slot.AGGREGATE, place, Type.INTEGER)
        for name, value in list_ends(block.where, number, _take_constant) if block.where is not None else ():
            if name in ("eq", "le", "lt") and type(value) is int:
                most = 1 if name == "eq" else max(value - (name == "lt"), 1)
                found = replace(found, rows=min(found.total, most))
    return found


def _take_constant(expression: Expression) -> Constant:
    return expression.value if isinstance(expression, Literal) else None


def _of_source(source: Source, catalog: Catalog, most: int | None) -> UnitRows:
    if isinstance(source, Scan):
        return declare_unit_rows(catalog.table(source.table).table)
    if isinstance(source, Nested):
        return bound_unit_rows(source.block, catalog, most)
    if isinstance(source, Union):
        each = [bound_unit_rows(block, catalog, most) for block, _ in source.branches]
        groups = [one.groups for one in each]
        return UnitRows(
            sum(one.total for one in each), None, None if None in groups else sum(one or 0 for one in groups)
        )
    if not source.keys:
        return UnitRows(1, 1, 1)
    inner = bound_unit_rows(source.block, catalog, most)
    return UnitRows(inner.total, None, inner.groups)


def declare_unit_rows(table: Table) -> UnitRows:
    """Return what the policy says that one unit has in a table."""
    return UnitRows(table.max_rows, table.max_rows_per_group, table.max_groups)


def choose_limits(found: UnitRows, tighter: Mapping[str, int | None], groups: int | None, units: bool) -> Limits:
    """Return what a unit keeps: what it can have and the question's own limits, whichever are tighter.

    `groups` is how many keys there are, where that is public. Rows without a unit column cannot be cut: what one of
    them becomes is bounded by the plan's form.
    """
    unknown = set(tighter) - set(LIMITS)
    if unknown:
        names = ", ".join(sorted(unknown))
        raise QueryError(f"{names}: there is no such argument; limits are {', '.join(LIMITS)}")
    for name in LIMITS:
        if tighter.get(name) is not None:
            check.integer(name, tighter[name], least=1)
    rows = found.total
    if not units:
        return Limits(rows, rows if groups is None else min(rows, groups), rows)
    rows = min(rows, tighter.get("max_rows") or rows)
    many = min(each for each in (found.groups, tighter.get("max_groups"), groups, rows) if each is not None)
    per_group = min(
        each for each in (found.rows_per_group, tighter.get("max_rows_per_group"), rows) if each is not None
    )
    return Limits(min(rows, many * per_group) if found.rows is None else rows, many, per_group)


def _times(value: int | None, factor: int) -> int | None:
    return None if value is None else value * factor
