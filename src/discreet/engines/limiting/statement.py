"""From rows to whole numbers by key: what each unit keeps, as one statement, and how what comes back is read.

Two ways, and both keep the same number of rows in every group: `sums` adds a unit's groups up first and scales them
down; `rows` keeps rows themselves, where they are needed (ranks, distinct values).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.base.types import Type
from discreet.engines.dialect import UNIT, Dialect
from discreet.engines.limiting.grouped_rows import HOLDERS, GroupedRows, name_measure, name_part
from discreet.engines.limiting.hashing import PRIME, Typed
from discreet.engines.limiting.rows import select_kept_rows
from discreet.engines.limiting.sums import sum_limited
from discreet.engines.result import Points
from discreet.plan.bounded import Limits, Measure, Part
from discreet.plan.expressions import Constant

KEPT = "__discreet_kept"
RANKED = frozenset({"RANKS", "QUANTILE"})
"""Parts whose values are counted in cells."""

PICKED = RANKED | {"DISTINCT", "DISTINCT_SUM"}
"""Parts that need rows, not their sums."""

COUNTING_UNITS = frozenset({"UNITS", HOLDERS})
"""Parts that need to know whose a row is."""

HALF = 1 << 62
"""Where sums are cut in two parts that 64 bits hold."""

MANY_CELLS = 1 << 22
"""Cells of all keys from which on most of them hold few rows: counting these by hash takes longer than sorting them."""

SUMS = -1
"""What rows of sums begin with, where rows of cells, which begin with the place of their measure, come beside them."""

FoundRows = list[tuple[Any, ...]]
FoundCells = dict[int, FoundRows] | dict[int, Points]


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """A key: a column of the rows, by its name in SQL, and its public domain, or None where keys come from the data."""

    name: str
    type: Type
    domain: tuple[Constant, ...] | None
    scale: int = 0
    """Digits behind the point of decimals, which engines hold as whole numbers of last places."""

    @property
    def stored(self) -> tuple[Constant, ...]:
        """The values of the domain as engines hold them; NULL, which equals nothing, for what no such number is."""
        if self.type is not Type.DECIMAL:
            return self.domain or ()
        numbers = [Fraction(value) * 10**self.scale for value in self.domain or () if isinstance(value, int | Fraction)]
        return tuple(int(number) if number.denominator == 1 else None for number in numbers)

    @property
    def stored_type(self) -> Type:
        """The type in which engines hold its values."""
        return Type.INTEGER if self.type is Type.DECIMAL else self.type

    def read(self, value: Any) -> Any:
        """Return a value of the data as it is meant."""
        return Fraction(int(value), 10**self.scale) if self.type is Type.DECIMAL else value


@dataclass(frozen=True, slots=True)
class KeysTogether:
    """Keys that go together: their places among a statement's keys, and the places of their values in the domains."""

    keys: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]

    @classmethod
    def of(
        cls, keys: tuple[int, ...], rows: Sequence[Sequence[Constant]], columns: Sequence[KeyColumn]
    ) -> KeysTogether:
        """Return rows of values as places in the domains."""
        places = [{value: place for place, value in enumerate(columns[key].domain or ())} for key in keys]
        return cls(keys, tuple(tuple(at[value] for at, value in zip(places, row, strict=True)) for row in rows))


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement for all numbers of one set of keys: so that all of them are of one state of the tables.

    Its rows begin with `width` columns that name the key; where there are `cells`, with what the row is before that.
    """

    statement: str
    keys: tuple[KeyColumn, ...]
    width: int
    measures: int
    cells: tuple[int, ...] = ()
    whole: bool = False
    """Whether all that comes back are whole numbers of 64 bits, sums in two parts: cells are read as arrays then."""

    def read(self, rows: Sequence[Sequence[Any]] | Points) -> tuple[FoundRows, FoundCells]:
        """Return rows of (key, sum, sum, ...), and of (key, cell, count) for each measure of ranks.

        Keys are places in the product of the domains and of the rows of keys that go together, or values.
        """
        if self.whole:
            return self._read_array(np.asarray(rows, dtype=np.int64).reshape(len(rows), 2 + 2 * max(1, self.measures)))
        if not self.cells:
            return self._read_rows(rows, 0, self.measures), {}
        kinds = {kind: [row for row in rows if int(row[0]) == kind] for kind in (SUMS, *self.cells)}
        sums = self._read_rows(kinds[SUMS], 1, self.measures)
        return sums, {place: self._read_rows(kinds[place], 1, 2) for place in self.cells}

    def _read_array(self, rows: Points) -> tuple[FoundRows, dict[int, Points]]:
        sums = [
            (key, *(high * HALF + low for high, low in zip(parts[::2], parts[1::2], strict=True)))
            for key, *parts in rows[rows[:, 0] == SUMS, 1:].tolist()
        ]
        return sums, {place: rows[rows[:, 0] == place, 1:4] for place in self.cells}

    def _read_rows(self, rows: Sequence[Sequence[Any]] | Points, first: int, count: int) -> FoundRows:
        """Return a key and so many numbers of each row, column by column: there may be a million keys."""
        after = first + self.width
        numbers = [[int(row[after + place]) for row in rows] for place in range(count)]
        return list(zip(self._read_keys(rows, first), *numbers, strict=True))

    def _read_keys(self, rows: Sequence[Sequence[Any]] | Points, first: int) -> list[Any]:
        if all(key.domain is not None for key in self.keys):
            return [int(row[first]) for row in rows]
        columns: list[list[Any]] = []
        for place, key in enumerate(self.keys, first):
            domain = key.domain
            if domain is not None:
                columns.append([domain[int(row[place])] for row in rows])
            else:
                columns.append([row[place] if key.type is not Type.DECIMAL else key.read(row[place]) for row in rows])
        return list(zip(*columns, strict=True))


def write_statement(
    rows: str,
    unit: Type | None,
    keys: Sequence[KeyColumn],
    limits: Limits,
    measures: Sequence[Measure],
    dialect: Dialect,
    together: Sequence[KeysTogether] = (),
) -> Statement:
    """Return the statement that adds up the measures of `rows` by key, each unit's part of them within the limits.

    `rows` is a SELECT of the unit (never NULL; where `unit` is None there is none, and nothing is truncated), the keys
    and `__discreet_m0`, ... Rows whose key is NULL or outside its domain are in no group and use up no limit, nor are
    those with keys that go `together` but have another combination of values.
    """
    parts = [name_part(measure) for measure in measures]
    grouped = _grouped(rows, unit, keys, measures, dialect, together)
    read = (tuple(keys), len(grouped.columns), len(measures))
    if not PICKED.intersection(parts):
        return Statement(sum_limited(grouped, limits, parts) if unit else _sums(grouped, parts, ""), *read)
    by_unit = not COUNTING_UNITS.isdisjoint(parts)
    kept = select_kept_rows(grouped, limits, by_unit) if unit else grouped.rows
    cells = tuple(place for place, part in enumerate(parts) if part in RANKED)
    if not cells:
        return Statement(f"WITH {KEPT} AS ({kept}) {_sums(grouped, parts, KEPT)}", *read)
    whole = grouped.groups is not None
    counted = " UNION ALL ".join(
        [_sums(grouped, parts, KEPT, SUMS), *(_cells(grouped, place, measures[place]) for place in cells)]
    )
    return Statement(f"WITH {KEPT} AS {dialect.once} ({kept}) {counted}", *read, cells, whole)


def _grouped(
    rows: str,
    unit: Type | None,
    keys: Sequence[KeyColumn],
    measures: Sequence[Measure],
    dialect: Dialect,
    together: Sequence[KeysTogether],
) -> GroupedRows:
    """Join the domains: a hash join with public values on its small side, cheaper than grouping by raw values."""
    tables, conditions, places, named = [f"({rows}) AS r"], [], [], list[Typed]()
    for at, key in enumerate(keys):
        column = f"__discreet_k{at}"
        if key.domain is None:
            conditions.append(f"r.{key.name} IS NOT NULL")
            places.append(f"r.{key.name} AS {column}")
        else:
            tables.append(f"JOIN {_domain(key, dialect)} AS d{at}(v, i) ON r.{key.name} = d{at}.v")
            places.append(f"d{at}.i AS {column}")
        named.append((column, key.stored_type if key.domain is None else Type.INTEGER))
    tables += [_join_together(each, at, keys, dialect) for at, each in enumerate(together)]
    groups = None
    if all(key.domain is not None for key in keys):
        factors = _factors(keys, together)
        groups = math.prod(size for _, size in factors)
        index = "0"
        for at, (place, size) in enumerate(factors):
            first = place if groups < PRIME else dialect.bigint(place)
            index = f"({index} * {size} + {place})" if at else first
        places, named = [f"{index} AS __discreet_key"], [("__discreet_key", Type.INTEGER)]
    values = tuple((name_measure(place), _type_of(measure)) for place, measure in enumerate(measures))
    picked = any(name_part(measure) in PICKED for measure in measures)
    used = [name for (name, _), each in zip(values, measures, strict=True) if picked or each.part is not Part.ROWS]
    listed = ([f"r.{UNIT}"] if unit else []) + places + [f"r.{name}" for name in used]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    select = f"SELECT {', '.join(listed)} FROM {' '.join(tables)}{where}"
    return GroupedRows(select, tuple(named), groups, values, tuple(each.reach for each in measures), unit, dialect)


def _factors(keys: Sequence[KeyColumn], together: Sequence[KeysTogether]) -> list[tuple[str, int]]:
    """Return what a key's place is made of, as `BoundedPlan.combinations` counts: the place in each, and how many."""
    first = {each.keys[0]: at for at, each in enumerate(together)}
    held = {place for each in together for place in each.keys}
    found = []
    for at, key in enumerate(keys):
        if at in first:
            found.append((f"j{first[at]}.i", len(together[first[at]].rows)))
        elif at not in held:
            found.append((f"d{at}.i", len(key.domain or ())))
    return found


def _join_together(joint: KeysTogether, at: int, keys: Sequence[KeyColumn], dialect: Dialect) -> str:
    """Join the combinations that keys have: by one number made from the places of their values in the domains."""
    most = math.prod(len(keys[key].domain or ()) for key in joint.keys)
    cast = dialect.bigint if most < 1 << 62 else dialect.whole
    number, numbers = cast(f"d{joint.keys[0]}.i"), [row[0] for row in joint.rows]
    for place, key in enumerate(joint.keys[1:], 1):
        size = len(keys[key].domain or ())
        number = f"({number} * {size} + d{key}.i)"
        numbers = [each * size + row[place] for each, row in zip(numbers, joint.rows, strict=True)]
    table = _domain(KeyColumn("", Type.INTEGER, tuple(numbers)), dialect)
    return f"JOIN {table} AS j{at}(v, i) ON {number} = j{at}.v"


def _type_of(measure: Measure) -> Type:
    """Return the type of a measure's contributions: values that are counted as distinct are as they came."""
    if measure.part is not Part.DISTINCT or measure.grid is not None:
        return Type.INTEGER
    assert measure.argument is not None
    return Type.INTEGER if measure.argument.type is Type.DECIMAL else measure.argument.type


def _domain(key: KeyColumn, dialect: Dialect) -> str:
    """Return a table of the domain's values and their places, whole numbers without a cast: rows need none then."""
    domain, type_ = key.stored, key.stored_type
    if not domain:
        return f"(SELECT {dialect.write_constant(None, type_)}, 0 WHERE FALSE)"
    if dialect.domain is not None:
        return dialect.domain(domain, type_)
    short = type_ is Type.INTEGER and all(isinstance(value, int) and abs(value) < 1 << 63 for value in domain)
    values = (str(value) if short else dialect.write_constant(value, type_) for value in domain)
    return f"(VALUES {', '.join(f'({value}, {i})' for i, value in enumerate(values))})"


def _sums(grouped: GroupedRows, parts: Sequence[str], kept: str, first: int | None = None) -> str:
    """Return the sums of rows as they are; where rows of cells follow, these begin with `first`, all of one width."""
    each = zip(grouped.names, parts, grouped.reaches, strict=True)
    totals = [_total(grouped, name, part, reach, bool(kept)) for name, part, reach in each]
    source = kept or f"({grouped.rows}) AS q"
    if first is None:
        return f"SELECT {grouped.listed(*totals)} FROM {source} GROUP BY {grouped.listed()}"
    if grouped.groups is not None:
        named = grouped.listed(*(f"{total} AS t{place}" for place, total in enumerate(totals)))
        parts_of = [each for place in range(len(totals)) for each in _split_sum(f"t{place}", grouped.dialect)]
        listed = ", ".join([grouped.dialect.bigint(name) for name in grouped.columns] + parts_of)
        return f"SELECT {first}, {listed} FROM (SELECT {named} FROM {source} GROUP BY {grouped.listed()}) AS q"
    whole = [grouped.dialect.whole(each) for each in [*totals, *(["0"] if len(totals) < 2 else [])]]
    return f"SELECT {first}, {grouped.listed(*whole)} FROM {source} GROUP BY {grouped.listed()}"


def _split_sum(total: str, dialect: Dialect) -> tuple[str, str]:
    """Return the two parts of a sum that 64 bits hold: of 2^48 rows of 63 bits each, so that the first one is small."""
    total, half = dialect.whole(total), dialect.whole(str(HALF))
    low = f"((({total} % {half}) + {half}) % {half})"
    return dialect.bigint(dialect.quotient(f"({total} - {low})", half)), dialect.bigint(low)


def _total(grouped: GroupedRows, name: str, part: str, reach: int, kept: bool) -> str:
    if part in RANKED or part == "ROWS":
        return "count(*)"
    if part == "UNITS":
        return f"count(DISTINCT {UNIT})" if kept and grouped.unit_type else "count(*)"
    if part == HOLDERS:
        return f"count(DISTINCT CASE WHEN {name} = 1 THEN {UNIT} END)" if grouped.unit_type else f"sum({name})"
    if part == "DISTINCT_SUM":
        return grouped.dialect.summed_once(name)
    return f"count(DISTINCT {name})" if part == "DISTINCT" else grouped.dialect.summed(name, reach)


def _cells(grouped: GroupedRows, place: int, measure: Measure) -> str:
    """Return how many rows lie in each cell, as wide as the rows of sums: a row may come for each value.

    Which of both is public: it follows the sizes of the grid and of the domains.
    """
    name, dialect = grouped.names[place], grouped.dialect
    filled = f"FROM {KEPT} WHERE {name} IS NOT NULL"
    if grouped.groups is None:
        rest = [dialect.whole("0")] * (len(grouped.names) - 2)
        listed = grouped.listed(dialect.whole(name), dialect.whole("count(*)"), *rest)
        return f"SELECT {place}, {listed} {filled} GROUP BY {grouped.listed(name)}"
    assert measure.grid is not None
    apart = dialect.sends_rows and grouped.groups * (measure.grid.upper - measure.grid.lower + 1) > MANY_CELLS
    rest = [dialect.bigint("0")] * (2 * len(grouped.names) - 2)
    columns = [*grouped.columns, name, "1" if apart else "count(*)"]
    listed = ", ".join([*(dialect.bigint(each) for each in columns), *rest])
    return f"SELECT {place}, {listed} {filled}" + ("" if apart else f" GROUP BY {grouped.listed(name)}")
