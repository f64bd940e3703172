"""Sums by key with each unit's part of them bounded: rows are added up by unit and key first, then scaled down.

For one unit, let c be the rows of a group and s one of its sums; every row adds at most `reach` to |s|. The groups are
ordered by `hashing`; the first `limits.groups` are kept, and going through them in this order a group keeps
n = min(c, limits.rows_per_group, what is left of limits.rows) rows. Where n < c, each sum s becomes
floor((s * n + u) / c), with a whole number 0 <= u < c from the hash.

**Bounded.** |s| <= c * reach, hence -n * reach <= floor((s * n + u) / c) <= floor(n * reach + (c - 1) / c) = n * reach.
The n of all groups are at most `rows_per_group` each, `rows` in all, and 0 in all but `groups` groups. So the L1 norm
of a unit's sums is at most sum(n) * reach <= limits.l1() * reach, and the square of their L2 norm at most
sum(n^2) * reach^2 <= limits.l2_squared() * reach^2: a convex function is largest at a corner, which is as many full
groups as fit and one with the rest. A count of rows, s = c, becomes n; one of units is 1 where n > 0. One of units that
have a row where something holds is 0 or 1 where n > 0, by all c rows of the unit there, and 0 elsewhere: it moves no
more than that of units, in no more groups.

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

from discreet.engines.dialect import HALVED, LOW, UNIT, Dialect
from discreet.engines.limiting import heavy_units, windows
from discreet.engines.limiting.grouped_rows import HOLDERS, KEEP, ROWS, GroupedRows
from discreet.engines.limiting.hashing import HASH, PRIME, ROUNDING
from discreet.engines.limiting.unit_limits import UnitLimits
from discreet.plan.bounded import Limits


def sum_limited(grouped: GroupedRows, limits: Limits, parts: Sequence[str]) -> str:
    """Return the sums by key of what all units keep, in one statement."""
    dialect = grouped.dialect
    adding = [
        Adding(name, part, reach, min(limits.rows_per_group, limits.rows), dialect)
        for name, part, reach in zip(grouped.names, parts, grouped.reaches, strict=True)
    ]
    added = tuple(column for each in adding for _, column in each.sums)
    sums = [f"{sql} AS {name}" for each in adding for sql, name in each.sums]
    bound = UnitLimits(grouped, limits, added)
    if dialect.heavy_first:
        kept = heavy_units.select_kept(bound, sums, by_unit=not {"UNITS", HOLDERS}.isdisjoint(parts))
    else:
        counts = grouped.listed(f"count(*) AS {ROWS}", *sums)
        pairs = f"SELECT {UNIT}, {counts} FROM ({grouped.rows}) AS q GROUP BY {UNIT}, {grouped.listed()}"
        kept = windows.select_kept(bound, pairs)
    return f"SELECT {grouped.listed(*(each.total for each in adding))} FROM ({kept}) AS q GROUP BY {grouped.listed()}"


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
        narrow = self.reach < HALVED and self.reach * self.each < 1 << 62
        return self.dialect.halves is not None and narrow and not self.counted

    @property
    def counted(self) -> bool:
        """Say whether contributions are 0 or 1: engines count those that are 1 faster than they add them up."""
        return self.part == "VALUES"

    @property
    def sums(self) -> tuple[tuple[str, str], ...]:
        """Return what is summed over the rows of a unit in a group, and under which names; counts need nothing more."""
        if self.part in ("ROWS", "UNITS"):
            return ()
        if self.part == HOLDERS:
            return ((f"max({self.name})", self.name),)
        if self.counted:
            return ((f"count(CASE WHEN {self.name} = 1 THEN 1 END)", self.name),)
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
        if self.part == HOLDERS:
            return f"sum({self.name})"
        if self.counted:
            part = self.dialect.bigint(_scaled(self.name, self.dialect))
            return self.dialect.summed(f"(CASE WHEN {KEEP} = {ROWS} THEN {self.name} ELSE {part} END)", self.each)
        if not self.halved:
            return f"sum(CASE WHEN {KEEP} = {ROWS} THEN {self.name} ELSE {_scaled(self.name, self.dialect)} END)"
        high, low = f"{self.name}_high", f"{self.name}_low"
        scaled = _scaled(f"({self.dialect.whole(high)} * {LOW} + {low})", self.dialect)
        few = f"({high} * {LOW} + {low})"  # all rows are kept, so that it is at most each * reach
        kept = f"(CASE WHEN {KEEP} = {ROWS} THEN {few} ELSE {self.dialect.bigint(scaled)} END)"
        return self.dialect.summed(kept, self.each * self.reach)
