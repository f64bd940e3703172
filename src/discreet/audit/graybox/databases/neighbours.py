"""Neighbours of a policy's tables: one unit less, one more, another in its place; extreme, empty, heavy, dear.

Units are removed from, and added to, all tables that speak of the same people. Beside neighbours there are two
databases that hold the same people: rows in another order, and rows that name nobody, which no question sees.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.audit.graybox.comparing.verdicts import PairRelation
from discreet.audit.graybox.databases.people import PersonMaker, find_new_unit
from discreet.audit.graybox.databases.scratch import (
    PlaceTables,
    make_scratch_policy,
    open_scratch,
    place_in_duckdb,
    read_tables,
)
from discreet.audit.graybox.recording.tape import keep_value
from discreet.base.errors import ParameterError
from discreet.policy import Policy, load
from discreet.policy.model import Table
from discreet.privacy.neighbours import Neighbours as Relations

ArrowTables = Mapping[str, pa.Table]

MOST_ROWS = 20_000
"""Rows of one table that are taken; of larger ones, the rows of some people."""

HEAVY = 3
"""How many times its limit the heaviest unit has, and some rows more."""


@dataclass(frozen=True)
class ReplayDatabase:
    """One database: its name, how it differs from the one before, and how an operation is given it."""

    name: str
    relation: PairRelation
    open: Callable[[], AbstractContextManager[Any]]
    tables: ArrowTables | None = None
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
    declared = load(policy) if isinstance(policy, str | Path) else policy
    found = read_tables(declared, tables, most_rows)
    scratch = make_scratch_policy(declared)
    replaces = declared.neighbours is Relations.REPLACE

    def make(name: str, relation: PairRelation, changed: ArrowTables) -> ReplayDatabase:
        return ReplayDatabase(name, relation, lambda: open_scratch(scratch, changed, place), changed)

    people = list(_list_people(declared, found, seed))
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
    return ReplayNeighbours(tuple(groups))


def _empty_groups(
    policy: Policy,
    found: ArrowTables,
    people: list[_People],
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


class _People:
    """The tables that speak of the same people, and somebody new for them."""

    def __init__(self, whose: str, declared: list[Table], tables: ArrowTables, name: Any, seed: int) -> None:
        self.whose, self._declared, self._tables, self._name, self._seed = whose, declared, tables, name, seed
        self._random = random.Random(f"{whose} {seed}")
        self._makers = [
            PersonMaker(each, tables[each.name], each.unit, name, seed) for each in declared if name is not None
        ]
        if not self._makers:
            self._makers = [
                PersonMaker(each, tables[each.name], None, None, seed) for each in declared if each.unit is None
            ]

    def move_to(self, tables: ArrowTables) -> _People:
        """Return the same for other tables."""
        return _People(self.whose, self._declared, tables, self._name, self._seed)

    def list_added_and_removed(self) -> Iterator[tuple[str, ArrowTables]]:
        for name, gone in self._list_gone():
            yield f"without {name}", self._without(gone)
        for name, rows in self._list_new():
            yield f"with {name}", self._with(self._tables, rows)

    def list_replaced(self) -> Iterator[tuple[str, ArrowTables]]:
        gone = list(self._list_gone())
        for place, (name, rows) in enumerate(self._list_new()):
            if gone:
                who, unit = gone[place % len(gone)]
                yield f"{name} in place of {who}", self._with(self._without(unit), rows)

    def list_nobodys(self) -> dict[str, pa.Table]:
        """Return tables with rows whose unit is NULL."""
        found = {}
        for maker in self._makers:
            if maker.unit is not None:
                rows = PersonMaker(maker.declared, maker.table, maker.unit, None, self._seed).make_usual(7)
                found[maker.declared.name] = pa.concat_tables([rows, maker.table])
        return found

    def add_usual(self) -> dict[str, pa.Table]:
        return self._with(self._tables, {each.declared.name: each.make_usual(1) for each in self._makers})

    def _list_new(self) -> Iterator[tuple[str, ArrowTables]]:
        """Yield people whom the tables do not have; where rows are units, rows."""
        ways: list[tuple[str, Callable[[PersonMaker, int], pa.Table]]] = [
            (f"{self.whose} like others", lambda maker, rows: maker.make_usual(min(rows, 2))),
            (f"{self.whose} of extremes", lambda maker, rows: maker.make_worst(rows)),
            (f"{self.whose} at the upper bounds", lambda maker, rows: maker.make_bounds(rows, upper=True)),
            (f"{self.whose} at the lower bounds", lambda maker, rows: maker.make_bounds(rows, upper=False)),
            (f"{self.whose} of NULL", lambda maker, rows: maker.make_nothing(min(rows, 3))),
            (f"{self.whose} with many rows", lambda maker, rows: maker.make_usual(rows)),
            (f"{self.whose} of one row again and again", lambda maker, rows: maker.make_double(rows)),
            (f"{self.whose} dear in time", lambda maker, rows: maker.make_dear()),
        ]
        for name, way in ways:
            if not self._makers or (self._rows_are_units and ("many rows" in name or "again" in name)):
                continue
            made = {each.declared.name: way(each, _count_heavy(each.declared)) for each in self._makers}
            if self._rows_are_units:
                made = {name: rows.slice(0, 1) for name, rows in made.items()}
            yield name, made

    def _list_gone(self) -> Iterator[tuple[str, Any]]:
        """Yield people to be removed: who has the most rows, who has the fewest, and somebody else."""
        counts: Counter[Any] = Counter()
        for each in self._declared:
            if each.unit is None:
                counts.update(range(len(self._tables[each.name])))
            else:
                counts.update(
                    value for value in self._tables[each.name].column(each.unit).to_pylist() if value is not None
                )
        if not counts:
            return
        ranked = counts.most_common()
        yield f"the {self.whose} with the most rows", ranked[0][0]
        if len(ranked) > 2:
            yield f"a {self.whose} with the fewest rows", ranked[-1][0]
            yield f"some {self.whose}", self._random.choice(ranked[1:-1])[0]

    @property
    def _rows_are_units(self) -> bool:
        return all(each.unit is None for each in self._declared)

    def _without(self, unit: Any) -> dict[str, pa.Table]:
        found = {}
        for each in self._declared:
            table = self._tables[each.name]
            if each.unit is None:
                kept = [place for place in range(len(table)) if place != unit]
            else:
                values = table.column(each.unit).to_pylist()
                kept = [place for place, value in enumerate(values) if value != unit]
            found[each.name] = table.take(pa.array(kept, pa.int64()))
        return found

    def _with(self, tables: ArrowTables, rows: ArrowTables) -> dict[str, pa.Table]:
        """Return tables with rows more, somewhere in the middle."""
        found = {each.name: tables[each.name] for each in self._declared}
        for name, new in rows.items():
            table, middle = found[name], len(found[name]) // 2
            found[name] = pa.concat_tables([table.slice(0, middle), new, table.slice(middle)])
        return found


def _count_heavy(table: Table) -> int:
    """Return more rows than a unit may have."""
    limit = table.max_rows or (table.max_groups or 1) * (table.max_rows_per_group or 1)
    return min(HEAVY * limit + 7, 5_000)


def _list_people(policy: Policy, tables: ArrowTables, seed: int) -> Iterator[_People]:
    """Yield the private tables by whose rows they hold; rows that reach their units through others stay as they are."""
    groups: dict[str, list[Table]] = {}
    for table in policy.tables:
        if not table.public and table.through is None and table.name in tables:
            groups.setdefault(table.identifies or f"\0{table.name}", []).append(table)
    several = len(groups) > 1
    for name, declared in groups.items():
        whose = (name if not name.startswith("\0") else f"unit of {declared[0].name}") if several else "unit"
        if declared[0].rows_are_units:
            yield _People(whose if several else "row", declared, tables, None, seed)
        else:
            longest = min(each.most_letters(each.unit or "") for each in declared)
            new = find_new_unit([(tables[each.name], each.unit or "") for each in declared], longest)
            yield _People(whose, declared, tables, new, seed)
