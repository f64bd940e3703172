"""Which limits on a unit can bind, as far as public numbers tell, and the SQL that says so."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.engines.dialect import UNIT
from discreet.engines.limiting.grouped_rows import GroupedRows
from discreet.engines.limiting.hashing import HASH, add_hashes, hash_to_number, order_by_hash
from discreet.plan.bounded import Limits

ALL, HEAVY = "__discreet_all", "__discreet_heavy"
"""All rows, and units that may be over a limit."""

ABOVE = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"


@dataclass(frozen=True, slots=True)
class UnitLimits:
    """What of the limits can bind, as far as public numbers tell, and the SQL that enforces just that."""

    grouped: GroupedRows
    limits: Limits
    added: tuple[str, ...] = ()

    @property
    def most_groups(self) -> int:
        """How many groups can keep a row."""
        return min(self.limits.groups, self.limits.rows)

    @property
    def most_per_group(self) -> int:
        """How many rows a group can keep."""
        return min(self.limits.rows_per_group, self.limits.rows)

    @property
    def too_many_groups(self) -> bool:
        """Say whether a unit can be in more groups than it may keep."""
        return self.grouped.groups is None or self.grouped.groups > self.most_groups

    @property
    def too_many_rows(self) -> bool:
        """Say whether `rows` can bind after all other limits: not where each kept group has one row."""
        groups = self.most_groups if self.grouped.groups is None else min(self.most_groups, self.grouped.groups)
        return self.most_per_group > 1 and self.limits.rows < groups * self.most_per_group

    @property
    def least(self) -> int:
        """How many rows a unit may have without being over any limit, however they lie."""
        return min(self.most_per_group, self.most_groups) if self.too_many_groups else self.most_per_group

    @property
    def key_number(self) -> str:
        """Return the number of a row's key."""
        return (
            self.grouped.columns[0] if self.grouped.numbered else hash_to_number(self.grouped.key, self.grouped.dialect)
        )

    @property
    def order(self) -> str:
        """Return what groups are ordered by: no two of a unit are tied."""
        return HASH if self.grouped.numbered else order_by_hash(self.grouped.key, self.grouped.dialect)

    @property
    def unit_number(self) -> str:
        """Return the number of a row's unit."""
        grouped = self.grouped
        return UNIT if grouped.whole_units else hash_to_number((grouped.unit,), grouped.dialect)

    def add_hashes(self, source: str, number: str, key: str | None = None) -> str:
        """Return the rows of a FROM clause with the hash of their unit, which has this number, and their key."""
        return add_hashes(source, number, key or self.key_number, self.grouped.dialect)
