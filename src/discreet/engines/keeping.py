"""From rows to whole numbers by key: what each unit keeps, as DuckDB's SQL, and how what comes back is read.

Two ways, the same number of rows kept in every group by both: `bounding` for sums, where a unit's groups are added up
first and scaled down, and `picking` where rows themselves are needed (ranks, distinct values).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.base.types import Type
from discreet.engines import bounding, picking
from discreet.engines.duck.forms import UNIT, constant
from discreet.engines.hashing import PRIME
from discreet.engines.keyed import Keyed
from discreet.plan.bounded import Limits, Measure
from discreet.plan.expressions import Constant

KEPT = "__discreet_kept"
PICKED = frozenset({"RANKS", "QUANTILE", "DISTINCT"})
"""Parts that need rows, not their sums."""


Rows = list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key: a column of the rows, by its quoted name, and its public domain, or None where keys come from the data."""

    name: str
    type: Type
    domain: tuple[Constant, ...] | None


@dataclass(frozen=True, slots=True)
class Steps:
    """What is run: `before` in its order, then the sums and each measure's cells are read.

    Rows of both begin with `width` columns that name the key.
    """

    before: tuple[str, ...]
    sums: str
    cells: dict[int, str]
    keys: tuple[KeyColumn, ...]
    width: int

    def run(self, execute: Callable[[str], list[tuple[Any, ...]]]) -> tuple[Rows, dict[int, Rows]]:
        """Execute all and return rows of (key, sum, sum, ...), and of (key, cell, count) for each measure of ranks."""
        for statement in self.before:
            execute(statement)
        sums = self.read(execute(self.sums))
        return sums, {place: self.read(execute(statement)) for place, statement in self.cells.items()}

    def read(self, rows: Sequence[tuple[Any, ...]]) -> Rows:
        """Return (key, number, ...) for each row: keys as places in the product of the domains, or as their values."""
        return [(self._key(row[: self.width]), *(int(each) for each in row[self.width :])) for row in rows]

    def _key(self, found: tuple[Any, ...]) -> int | tuple[Any, ...]:
        if all(key.domain is not None for key in self.keys):
            return int(found[0])
        pairs = zip(self.keys, found, strict=True)
        return tuple(value if key.domain is None else key.domain[value] for key, value in pairs)


def statements(
    rows: str,
    unit: bool,
    keys: Sequence[KeyColumn],
    limits: Limits,
    measures: Sequence[Measure],
    *,
    whole_units: bool = False,
) -> Steps:
    """Return the SQL that adds up the measures of `rows` by key, each unit's part of them within the limits.

    `rows` is a SELECT of the unit (never NULL; without `unit` there is none, and nothing is truncated), the keys and
    `"__discreet_m0"`, ... Rows whose key is NULL or outside its domain are in no group and use up no limit.
    `whole_units` says that units are BIGINT: they need no md5.
    """
    grouped = _grouped(rows, unit, keys, len(measures))
    parts = [measure.part.name for measure in measures]
    read = (tuple(keys), len(grouped.columns))
    if not PICKED.intersection(parts):
        sums = bounding.sums(grouped, limits, parts, whole_units) if unit else _sums(grouped, parts, grouped.rows)
        return Steps((), sums, {}, *read)
    kept = picking.kept(grouped, limits, whole_units) if unit else grouped.rows
    cells = {
        place: f"SELECT {grouped.listed(name)}, count(*) FROM {KEPT} WHERE {name} IS NOT NULL "
        f"GROUP BY {grouped.listed(name)}"
        for place, (name, part) in enumerate(zip(grouped.names, parts, strict=True))
        if part in ("RANKS", "QUANTILE")
    }
    return Steps((f"CREATE OR REPLACE TEMP TABLE {KEPT} AS {kept}",), _sums(grouped, parts, KEPT, unit), cells, *read)


def _grouped(rows: str, unit: bool, keys: Sequence[KeyColumn], count: int) -> Keyed:
    """Join the domains: a hash join with public values on its small side, cheaper than grouping by raw values."""
    tables, conditions, places, columns = [f"({rows}) AS r"], [], [], []
    for at, key in enumerate(keys):
        column = f'"__discreet_k{at}"'
        if key.domain is None:
            conditions.append(f"r.{key.name} IS NOT NULL")
            places.append(f"r.{key.name} AS {column}")
        else:
            tables.append(f"JOIN {_domain(key, key.domain)} AS d{at}(v, i) ON r.{key.name} = d{at}.v")
            places.append(f"d{at}.i AS {column}")
        columns.append(column)
    domains = [key.domain for key in keys if key.domain is not None]
    groups = math.prod(len(domain) for domain in domains) if len(domains) == len(keys) else None
    if groups is not None:
        index, wide = "0", "d0.i" if groups < PRIME else "CAST(d0.i AS BIGINT)"
        for at, domain in enumerate(domains):
            index = f"({index} * {len(domain)} + d{at}.i)" if at else wide
        places, columns = [f'{index} AS "__discreet_key"'], ['"__discreet_key"']
    listed = ([f"r.{UNIT}"] if unit else []) + places + [f'r."__discreet_m{place}"' for place in range(count)]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return Keyed(f"SELECT {', '.join(listed)} FROM {' '.join(tables)}{where}", tuple(columns), groups, count)


def _domain(key: KeyColumn, domain: tuple[Constant, ...]) -> str:
    """Return a table of the domain's values and their places, whole numbers without a cast: rows need none then."""
    if not domain:
        return f"(SELECT {constant(None, key.type)}, 0 WHERE FALSE)"
    short = key.type is Type.INTEGER and all(isinstance(value, int) and abs(value) < 1 << 63 for value in domain)
    values = (str(value) if short else constant(value, key.type) for value in domain)
    return f"(VALUES {', '.join(f'({value}, {i})' for i, value in enumerate(values))})"


def _sums(grouped: Keyed, parts: Sequence[str], rows: str, unit: bool = False) -> str:
    """Return the sums of rows as they are. DuckDB adds BIGINTs up in a HUGEINT: nothing overflows."""
    totals = []
    for name, part in zip(grouped.names, parts, strict=True):
        if part in ("ROWS", "RANKS", "QUANTILE"):
            totals.append("count(*)")
        elif part == "UNITS":
            totals.append(f"count(DISTINCT {UNIT})" if unit else "count(*)")
        else:
            totals.append(f"count(DISTINCT {name})" if part == "DISTINCT" else f"sum({name})")
    source = rows if rows == KEPT else f"({rows})"
    return f"SELECT {grouped.listed(*totals)} FROM {source} GROUP BY {grouped.listed()}"
