"""Neighbours of a policy's tables: one unit less, one more, another in its place; extreme, empty, heavy, dear.

Units are removed from, and added to, all tables that speak of the same people. Beside neighbours there are two
databases that hold the same people: rows in another order, and rows that name nobody, which no question sees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.audit.graybox.comparing.verdicts import PairRelation
from discreet.audit.graybox.databases.populations import ArrowTables, Population, list_populations
from discreet.audit.graybox.databases.scratch import (
    PlaceTables,
    make_scratch_policy,
    open_scratch,
    place_in_duckdb,
    read_tables,
)
from discreet.audit.graybox.recording.tape import keep_value
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.policy import Policy, load
from discreet.privacy.neighbours import Neighbours as Relations

MOST_ROWS = 20_000
"""Rows of one table that are taken; of larger ones, the rows of some people."""


@dataclass(frozen=True)
class ReplayDatabase:
    """One database: its name, how it differs from the one before, and how an operation is given it."""

    name: str
    relation: PairRelation
    open: Callable[[], AbstractContextManager[Any]] = field(repr=False)
    tables: ArrowTables | None = field(default=None, repr=False)
    """Its tables, where it is one of a policy: for the owner's eyes."""


@dataclass(frozen=True)
class ReplayNeighbours:
    """Databases, each with its neighbours: what an operation is replayed on."""

    groups: tuple[tuple[ReplayDatabase, tuple[ReplayDatabase, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all neighbours."""
        return tuple(each.name for _, others in self.groups for each in others)

    def only(self, *names: str) -> ReplayNeighbours:
        """Return those with these names alone, such as the quick ones of a test."""
        for name in names:
            if name not in self.names:
                raise ParameterError("name", name, f"one of {', '.join(map(repr, self.names))}")
        kept = ((base, tuple(each for each in others if each.name in names)) for base, others in self.groups)
        return ReplayNeighbours(tuple(group for group in kept if group[1]))


def make_neighbours(
    policy: Policy | str | Path,
    tables: Mapping[str, Any] | None = None,
    *,
    place: PlaceTables = place_in_duckdb,
    most_rows: int = MOST_ROWS,
    seed: int = 1,
) -> ReplayNeighbours:
    """Return neighbours of the tables of a policy, each opened as a `Curator` with a ledger of its own.

    `tables` are those that are handed over from Python; others are read from their sources. Nothing is charged to the
    policy's own ledger, which is not opened. `place` puts tables where an engine finds them; they are handed to DuckDB
    where nothing is said.
    """
    if not isinstance(policy, str | Path | Policy):
        raise ParameterError("policy", policy, "the path of a policy, or a policy that was loaded")
    if not (tables is None or isinstance(tables, Mapping)):
        raise ParameterError("tables", tables, "tables by their names, as in {'visits': visits}")
    if not callable(place):
        raise ParameterError("place", place, "a function that puts tables where an engine finds them")
    most_rows = check.integer("most_rows", most_rows, least=1)
    declared = load(policy) if isinstance(policy, str | Path) else policy
    found = read_tables(declared, tables, most_rows)
    scratch = make_scratch_policy(declared)
    replaces = declared.neighbours is Relations.REPLACE

    def make(name: str, relation: PairRelation, changed: ArrowTables) -> ReplayDatabase:
        return ReplayDatabase(name, relation, lambda: open_scratch(scratch, changed, place), changed)

    people = list(list_populations(declared, found, seed))
    others: list[ReplayDatabase] = []
    for each in people:
        changes = each.list_replaced() if replaces else each.list_added_and_removed()
        relation = PairRelation.REPLACE if replaces else PairRelation.ADD_REMOVE
        others += [make(name, relation, {**found, **changed}) for name, changed in changes]
    order = {name: table.take(pa.array(range(len(table) - 1, -1, -1), pa.int64())) for name, table in found.items()}
    others.append(make("rows in another order", PairRelation.SAME, order))
    nobody = {name: table for each in people for name, table in each.list_nobodys().items()}
    if nobody:
        others.append(make("rows that name nobody", PairRelation.SAME, {**found, **nobody}))
    groups = [(make("the database", PairRelation.SAME, found), tuple(others))]
    groups += _empty_groups(declared, found, people, make, replaces)
    groups += _opposite_groups(found, people, make) if replaces else []
    return ReplayNeighbours(tuple(groups))


def _empty_groups(
    policy: Policy,
    found: ArrowTables,
    people: list[Population],
    make: Callable[[str, PairRelation, ArrowTables], ReplayDatabase],
    replaces: bool,
) -> list[tuple[ReplayDatabase, tuple[ReplayDatabase, ...]]]:
    """Return a database of nobody, with one person more; under replace neighbours there is no such pair."""
    if replaces or not people:
        return []
    empty = {name: table if policy.table(name).public else table.slice(0, 0) for name, table in found.items()}
    others = []
    for each in people:
        alone = each.move_to(empty)
        others.append(
            make(f"{each.whose} alone in the tables", PairRelation.ADD_REMOVE, {**empty, **alone.add_usual()})
        )
    return [(make("empty tables", PairRelation.SAME, empty), tuple(others))]


def _opposite_groups(
    found: ArrowTables,
    people: list[Population],
    make: Callable[[str, PairRelation, ArrowTables], ReplayDatabase],
) -> list[tuple[ReplayDatabase, tuple[ReplayDatabase, ...]]]:
    """Return databases with somebody at the upper bounds, and one at the lower bounds in their place."""
    groups: list[tuple[ReplayDatabase, tuple[ReplayDatabase, ...]]] = []
    for each in people:
        new = {name: {**found, **each.add(rows)} for name, rows in each.list_new() if "bounds" in name}
        if new:
            (high, above), (low, below) = new.items()
            other = make(f"{low} in place of {high}", PairRelation.REPLACE, below)
            groups.append((make(f"the database with {high}", PairRelation.SAME, above), (other,)))
    return groups


def list_values(given: Sequence[Any] | Mapping[str, Any]) -> ReplayNeighbours:
    """Return plain values as databases: the first is the database itself, and all others are its neighbours."""
    names = ["the database", *(f"neighbour {place}" for place in range(1, len(given)))]
    named = dict(given) if isinstance(given, Mapping) else dict(zip(names, given, strict=False))
    if len(named) < 2:
        raise ParameterError("neighbours", given, "a database and at least one neighbour of it")
    made = [ReplayDatabase(name, PairRelation.UNKNOWN, _hand_over(value)) for name, value in named.items()]
    return ReplayNeighbours(((made[0], tuple(made[1:])),))


def _hand_over(value: Any) -> Callable[[], AbstractContextManager[Any]]:
    """Hand over a copy: what one run does to it, the next must not see."""
    return lambda: nullcontext(keep_value(value))
