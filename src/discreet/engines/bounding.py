"""Sums by key with each unit's part of them bounded: rows are added up by unit and key first, then scaled down.

For one unit, let c be the rows of a group and s one of its sums; every row adds at most `reach` to |s|. The groups are
ordered by `hashing`; the first `limits.groups` are kept, and going through them in this order a group keeps
n = min(c, limits.rows_per_group, what is left of limits.rows) rows. Where n < c, each sum s becomes
floor((s * n + u) / c), with a whole number 0 <= u < c from the hash.

**Bounded.** |s| <= c * reach, hence -n * reach <= floor((s * n + u) / c) <= floor(n * reach + (c - 1) / c) = n * reach.
The n of all groups are at most `rows_per_group` each, `rows` in all, and 0 in all but `groups` groups. So the L1 norm
of a unit's sums is at most sum(n) * reach <= limits.l1() * reach, and the square of their L2 norm at most
sum(n^2) * reach^2 <= limits.l2_squared() * reach^2: a convex function is largest at a corner, which is as many full
groups as fit and one with the rest. A count of rows, s = c, becomes n; one of units is 1 where n > 0.

**Local.** c, s, the order, n and u are functions of this unit's rows, taken as a multiset, and of public numbers.
Others' rows and the order of rows change nothing: what a unit adds to each sum is the same in every table.

**Unbiased.** u is spread evenly over 0, ..., c - 1 (to within c / 2^31), so that s * n / c is met on average over
units, and small sums are not lost.

**Exact.** Nothing overflows: with s = q * c + r, 0 <= r < c, the scaled sum is q * n + floor((r * n + u) / c), where
|q| <= 2^63, n <= c and r * n < c^2 for c <= 2^48 rows; all in whole numbers of 38 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.engines import ranking
from discreet.engines.dialect import HALVED, LOW, UNIT, Dialect
from discreet.engines.hashing import HASH, NUMBER, PRIME, ROUNDING, hashed, number_of, ordered
from discreet.engines.keyed import KEEP, ROWS, Keyed
from discreet.plan.bounded import Limits

PAIRS, HEAVY, OVER = "__discreet_pairs", "__discreet_heavy", "__discreet_over"
LAST = "__discreet_last"
WIDE, LONG = "__discreet_wide", "__discreet_long"
"""Whether a unit has more groups than it may keep, and whether its rows must be counted through."""

ABOVE = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
FEW = 64
"""Up to so many groups kept, all units are hashed at once where they are numbers: cheaper than finding which to."""


def sums(grouped: Keyed, limits: Limits, parts: Sequence[str]) -> str:
    """Return the sums by key of what all units keep, in one statement."""
    dialect = grouped.dialect
    adding = [
        Adding(name, part, reach, min(limits.rows_per_group, limits.rows), dialect)
        for name, part, reach in zip(grouped.names, parts, grouped.reaches, strict=True)
    ]
    added = tuple(column for each in adding for _, column in each.sums)
    counts = grouped.listed(f"count(*) AS {ROWS}", *(f"{sql} AS {name}" for each in adding for sql, name in each.sums))
    pairs = f"SELECT {UNIT}, {counts} FROM ({grouped.rows}) AS q GROUP BY {UNIT}, {grouped.listed()}"
    bounding = Bounding(grouped, limits, added)
    totals = grouped.listed(*(each.total for each in adding))
    if dialect.nth_least is None:
        return f"SELECT {totals} FROM ({ranking.kept(bounding, pairs)}) AS q GROUP BY {grouped.listed()}"
    return (
        f"WITH {PAIRS} AS {dialect.once} ({pairs}){bounding.over()} "
        f"SELECT {totals} FROM ({bounding.kept()}) AS q GROUP BY {grouped.listed()}"
    )


def _scaled(name: str, dialect: Dialect) -> str:
    """Return floor((s * n + u) / c) of a sum s, in parts that are small; see above."""
    rest = f"((({name} % {ROWS}) + {ROWS}) % {ROWS})"
    spread = dialect.quotient(f"((({HASH} * {ROUNDING} + 1) % {PRIME}) * {dialect.whole(ROWS)})", str(PRIME))
    part = dialect.quotient(f"({dialect.whole(rest)} * {KEEP} + {spread})", ROWS)
    return f"({dialect.quotient(f'({name} - {rest})', ROWS)} * {KEEP} + {part})"


@dataclass(frozen=True, slots=True)
class Adding:
    """How one measure is added up: over the rows of a unit in a group first, then over what units keep of that."""

    name: str
    part: str
    reach: int
    """How much a row adds at most."""

    each: int
    """How many rows of a unit a group keeps at most."""

    dialect: Dialect

    @property
    def halved(self) -> bool:
        """Say whether sums over a unit's rows are in two halves of 64 bits, and what is kept of them fits into one."""
        return self.dialect.halves is not None and self.reach < HALVED and self.reach * self.each < 1 << 62

    @property
    def sums(self) -> tuple[tuple[str, str], ...]:
        """Return what is summed over the rows of a unit in a group, and under which names; counts need nothing more."""
        if self.part in ("ROWS", "UNITS"):
            return ()
        if self.dialect.halves is None or not self.halved:
            return ((self.dialect.total(self.name), self.name),)
        high, low = self.dialect.halves(self.name)
        return (high, f"{self.name}_high"), (low, f"{self.name}_low")

    @property
    def total(self) -> str:
        """Return the sum of what units keep."""
        if self.part == "ROWS":
            return f"sum({KEEP})"
        if self.part == "UNITS":
            return "count(*)"
        if not self.halved:
            return f"sum(CASE WHEN {KEEP} = {ROWS} THEN {self.name} ELSE {_scaled(self.name, self.dialect)} END)"
        high, low = f"{self.name}_high", f"{self.name}_low"
        scaled = _scaled(f"({self.dialect.whole(high)} * {LOW} + {low})", self.dialect)
        few = f"({high} * {LOW} + {low})"  # all rows are kept, so that it is at most each * reach
        kept = f"(CASE WHEN {KEEP} = {ROWS} THEN {few} ELSE {self.dialect.bigint(scaled)} END)"
        return self.dialect.summed(kept, self.each * self.reach)


@dataclass(frozen=True, slots=True)
class Bounding:
    """What of the limits can bind, as far as public numbers tell, and the SQL that enforces just that."""

    grouped: Keyed
    limits: Limits
    added: tuple[str, ...] = ()

    @property
    def most(self) -> int:
        """How many groups can keep a row."""
        return min(self.limits.groups, self.limits.rows)

    @property
    def each(self) -> int:
        """How many rows a group can keep."""
        return min(self.limits.rows_per_group, self.limits.rows)

    @property
    def wide(self) -> str:
        """Return when a unit is in more groups than it may keep, over its pairs of unit and key."""
        can = self.grouped.groups is None or self.grouped.groups > self.most
        return f"count(*) > {self.most}" if can else "FALSE"

    @property
    def long(self) -> str:
        """Return when `rows` may bind after all other limits: not where each kept group has one row."""
        groups = self.most if self.grouped.groups is None else min(self.most, self.grouped.groups)
        can = self.each > 1 and self.limits.rows < groups * self.each
        return f"(sum(least({ROWS}, {self.each})) > {self.limits.rows} AND max({ROWS}) > 1)" if can else "FALSE"

    @property
    def key(self) -> str:
        """Return the number of a row's key."""
        return self.grouped.columns[0] if self.grouped.numbered else number_of(self.grouped.key, self.grouped.dialect)

    @property
    def order(self) -> str:
        """Return what groups are ordered by: no two of a unit are tied."""
        return HASH if self.grouped.numbered else ordered(self.grouped.key, self.grouped.dialect)

    @property
    def number(self) -> str:
        """Return the number of a row's unit."""
        grouped = self.grouped
        return UNIT if grouped.whole_units else number_of((grouped.unit,), grouped.dialect)

    def hashed(self, source: str, number: str, key: str | None = None) -> str:
        """Return the rows of a FROM clause with the hash of their unit, which has this number, and their key."""
        return hashed(source, number, key or self.key, self.grouped.dialect)

    @property
    def direct(self) -> bool:
        """Say whether all units are hashed at once: where they are numbers, that costs less than finding which to."""
        return self.grouped.whole_units and self.most <= FEW

    def over(self) -> str:
        """Return tables of the units over a limit, with the place of the last group that they keep."""
        dialect = self.grouped.dialect
        assert dialect.nth_least is not None
        if self.direct:
            last = f"CASE WHEN {self.wide} THEN {dialect.nth_least(self.order, self.most, None)} END"
            return (
                f", {OVER} AS {dialect.once} (SELECT {UNIT}, {last} AS {LAST}, {self.long} AS {LONG} "
                f"FROM ({self.hashed(PAIRS, UNIT)}) AS q GROUP BY {UNIT} HAVING {self.wide} OR {self.long})"
            )
        heavy = (
            f"SELECT {UNIT}, {self.number} AS {NUMBER}, {self.wide} AS {WIDE}, {self.long} AS {LONG} FROM {PAIRS} "
            f"GROUP BY {UNIT} HAVING {self.wide} OR {self.long} OR max({ROWS}) > {self.each}"
        )
        rows = self.hashed(f"{PAIRS} JOIN {HEAVY} USING ({UNIT})", NUMBER)
        return (
            f", {HEAVY} AS {dialect.once} ({heavy}), {OVER} AS {dialect.once} (SELECT {UNIT}, {NUMBER}, {LONG}, "
            f"{dialect.nth_least(self.order, self.most, WIDE)} AS {LAST} FROM ({rows}) AS q "
            f"GROUP BY {UNIT}, {NUMBER}, {LONG})"
        )

    def kept(self) -> str:
        """Return the pairs of unit and key that keep a row, and how many they keep."""
        few = f"least({ROWS}, {self.each})"
        if self.direct and self.wide == self.long == "FALSE":
            return f"SELECT *, {few} AS {KEEP} FROM ({self.hashed(PAIRS, UNIT)}) AS q"
        listed = self.grouped.listed(ROWS, HASH, *self.added)
        number = UNIT if self.direct else NUMBER
        within = f"({LAST} IS NULL OR {self.order} <= {LAST})"
        joined = self.hashed(f"{PAIRS} LEFT JOIN {OVER} USING ({UNIT})", number)
        short = f"SELECT {listed}, {few} AS {KEEP} FROM ({joined}) AS q WHERE {within} AND {LONG} IS NOT TRUE"
        if self.long == "FALSE":
            return short
        inner = self.hashed(f"{PAIRS} JOIN (SELECT * FROM {OVER} WHERE {LONG}) AS o USING ({UNIT})", number)
        before = f"coalesce(sum({few}) OVER (PARTITION BY {UNIT} ORDER BY {self.order} {ABOVE}), 0)"
        left = (
            f"SELECT {listed}, least({few}, {self.limits.rows} - {before}) AS {KEEP} FROM ({inner}) AS q WHERE {within}"
        )
        return f"{short} UNION ALL SELECT * FROM ({left}) AS q WHERE {KEEP} > 0"
