"""Populations: the tables that speak of the same people, who leaves them, and who comes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from discreet.audit.graybox.databases.people import PersonMaker, find_new_unit
from discreet.policy import Policy
from discreet.policy.model import Table

ArrowTables = Mapping[str, pa.Table]

HEAVY = 3
"""How many times its limit the heaviest unit has, and some rows more."""


class Population:
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

    def move_to(self, tables: ArrowTables) -> Population:
        """Return the same for other tables."""
        return Population(self.whose, self._declared, tables, self._name, self._seed)

    def list_added_and_removed(self) -> Iterator[tuple[str, ArrowTables]]:
        """Yield changed tables, with one unit less or one more."""
        for name, gone in self._list_gone():
            yield f"without {name}", self._without(gone)
        for name, rows in self.list_new():
            yield f"with {name}", self._with(self._tables, rows)

    def list_replaced(self) -> Iterator[tuple[str, ArrowTables]]:
        """Yield changed tables, with one unit in another's place."""
        gone = list(self._list_gone())
        for place, (name, rows) in enumerate(self.list_new()):
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

    def add(self, rows: ArrowTables) -> dict[str, pa.Table]:
        """Return the tables with rows more."""
        return self._with(self._tables, rows)

    def add_usual(self) -> dict[str, pa.Table]:
        """Return the tables with somebody more who is like others, with one row in each."""
        return self._with(self._tables, {each.declared.name: each.make_usual(1) for each in self._makers})

    def list_new(self) -> Iterator[tuple[str, ArrowTables]]:
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


def list_populations(policy: Policy, tables: ArrowTables, seed: int) -> Iterator[Population]:
    """Yield the private tables by whose rows they hold; rows that reach their units through others stay as they are."""
    groups: dict[str, list[Table]] = {}
    for table in policy.tables:
        if not table.public and table.through is None and table.name in tables:
            groups.setdefault(table.identifies or f"\0{table.name}", []).append(table)
    several = len(groups) > 1
    for name, declared in groups.items():
        whose = (name if not name.startswith("\0") else f"unit of {declared[0].name}") if several else "unit"
        if declared[0].rows_are_units:
            yield Population(whose if several else "row", declared, tables, None, seed)
        else:
            longest = min(each.most_letters(each.unit or "") for each in declared)
            new = find_new_unit([(tables[each.name], each.unit or "") for each in declared], longest)
            yield Population(whose, declared, tables, new, seed)
