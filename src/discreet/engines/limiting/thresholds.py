"""What units keep, by a threshold for each: for engines that find the n-th least value of a group quickly.

The place of the last group that a unit over its limits keeps is found first, then joined to the pairs of unit and key.
"""

from __future__ import annotations

from discreet.engines.dialect import UNIT
from discreet.engines.limiting.grouped_rows import KEEP, ROWS
from discreet.engines.limiting.hashing import HASH, NUMBER
from discreet.engines.limiting.unit_limits import ABOVE, HEAVY, OVER, PAIRS, UnitLimits

LAST = "__discreet_last"
WIDE, LONG = "__discreet_wide", "__discreet_long"
"""Whether a unit has more groups than it may keep, and whether its rows must be counted through."""

FEW = 64
"""Up to so many groups kept, all units are hashed at once where they are numbers: cheaper than finding which to."""


def _hashes_all(limits: UnitLimits) -> bool:
    """Say whether all units are hashed at once: where they are numbers, that costs less than finding which to."""
    return limits.grouped.whole_units and limits.most_groups <= FEW


def find_units_over(limits: UnitLimits) -> str:
    """Return tables of the units over a limit, with the place of the last group that they keep."""
    dialect = limits.grouped.dialect
    assert dialect.nth_least is not None
    wide, long = limits.too_many_groups, limits.too_many_rows
    if _hashes_all(limits):
        last = f"CASE WHEN {wide} THEN {dialect.nth_least(limits.order, limits.most_groups, None)} END"
        return (
            f", {OVER} AS {dialect.once} (SELECT {UNIT}, {last} AS {LAST}, {long} AS {LONG} "
            f"FROM ({limits.add_hashes(PAIRS, UNIT)}) AS q GROUP BY {UNIT} HAVING {wide} OR {long})"
        )
    heavy = (
        f"SELECT {UNIT}, {limits.unit_number} AS {NUMBER}, {wide} AS {WIDE}, {long} AS {LONG} FROM {PAIRS} "
        f"GROUP BY {UNIT} HAVING {wide} OR {long} OR max({ROWS}) > {limits.most_per_group}"
    )
    rows = limits.add_hashes(f"{PAIRS} JOIN {HEAVY} USING ({UNIT})", NUMBER)
    return (
        f", {HEAVY} AS {dialect.once} ({heavy}), {OVER} AS {dialect.once} (SELECT {UNIT}, {NUMBER}, {LONG}, "
        f"{dialect.nth_least(limits.order, limits.most_groups, WIDE)} AS {LAST} FROM ({rows}) AS q "
        f"GROUP BY {UNIT}, {NUMBER}, {LONG})"
    )


def select_kept(limits: UnitLimits) -> str:
    """Return the pairs of unit and key that keep a row, and how many they keep."""
    few = f"least({ROWS}, {limits.most_per_group})"
    if _hashes_all(limits) and limits.too_many_groups == limits.too_many_rows == "FALSE":
        return f"SELECT *, {few} AS {KEEP} FROM ({limits.add_hashes(PAIRS, UNIT)}) AS q"
    listed = limits.grouped.listed(ROWS, HASH, *limits.added)
    number = UNIT if _hashes_all(limits) else NUMBER
    within = f"({LAST} IS NULL OR {limits.order} <= {LAST})"
    joined = limits.add_hashes(f"{PAIRS} LEFT JOIN {OVER} USING ({UNIT})", number)
    short = f"SELECT {listed}, {few} AS {KEEP} FROM ({joined}) AS q WHERE {within} AND {LONG} IS NOT TRUE"
    if limits.too_many_rows == "FALSE":
        return short
    inner = limits.add_hashes(f"{PAIRS} JOIN (SELECT * FROM {OVER} WHERE {LONG}) AS o USING ({UNIT})", number)
    before = f"coalesce(sum({few}) OVER (PARTITION BY {UNIT} ORDER BY {limits.order} {ABOVE}), 0)"
    left = (
        f"SELECT {listed}, least({few}, {limits.limits.rows} - {before}) AS {KEEP} FROM ({inner}) AS q WHERE {within}"
    )
    return f"{short} UNION ALL SELECT * FROM ({left}) AS q WHERE {KEEP} > 0"
