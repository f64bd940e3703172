"""What units keep, by windows: for engines that sort faster than they find a threshold for each unit and join it.

The same groups and rows are kept as in `sums`. One pass over the pairs of unit and key, brought together by unit: a
group's place in the order and the rows kept before it say what it keeps. Texts are hashed only of units over a limit;
all groups of others are kept, in whatever order they come.
"""

from __future__ import annotations

from discreet.engines.dialect import UNIT
from discreet.engines.limiting.grouped_rows import KEEP, ROWS
from discreet.engines.limiting.hashing import NUMBER
from discreet.engines.limiting.unit_limits import ABOVE, UnitLimits

OVER_LIMIT, PLACE, BEFORE, ORDER = "__discreet_over", "__discreet_place", "__discreet_before", "__discreet_order"


def select_kept(limits: UnitLimits, pairs: str) -> str:
    """Return the pairs of unit and key that keep a row, and how many they keep."""
    return cut(limits, _hashed(limits, pairs), UNIT, _order(limits))


def cut(limits: UnitLimits, hashed: str, owner: str, order: str | None = None, uncut: str = "FALSE") -> str:
    """Return pairs of owner and key that keep a row, and how many they keep, of pairs with their hash.

    An owner is a unit or a number that stands for one. Groups are in the order of their hashes unless it is given.
    Where `uncut` holds, all rows are kept: an owner is many units then, of which none is over a limit.
    """
    few = f"least({ROWS}, {limits.most_per_group})"
    wide, long = limits.too_many_groups, limits.too_many_rows
    if not (wide or long):
        return f"SELECT *, CASE WHEN {uncut} THEN {ROWS} ELSE {few} END AS {KEEP} FROM ({hashed}) AS q"
    by = f"PARTITION BY {owner} ORDER BY {ORDER}"
    ranks = [f"row_number() OVER ({by}) AS {PLACE}"] if wide else []
    ranks += [f"coalesce(sum({few}) OVER ({by} {ABOVE}), 0) AS {BEFORE}"] if long else []
    ranked = (
        f"SELECT *, {', '.join(ranks)} FROM (SELECT *, {order or limits.order} AS {ORDER} FROM ({hashed}) AS q) AS q"
    )
    some = f"least({few}, {limits.limits.rows} - {BEFORE})" if long else few
    within = f"{uncut} OR {PLACE} <= {limits.most_groups}" if wide else "TRUE"
    kept = f"SELECT *, CASE WHEN {uncut} THEN {ROWS} ELSE {some} END AS {KEEP} FROM ({ranked}) AS q WHERE {within}"
    return f"SELECT * FROM ({kept}) AS q WHERE {KEEP} > 0"


def _hashed(limits: UnitLimits, pairs: str) -> str:
    """Return the pairs with their hash; where it needs texts, only of units over a limit."""
    if _cheap(limits):
        return limits.add_hashes(f"({pairs}) AS q", UNIT)
    by = f"OVER (PARTITION BY {UNIT})"
    found = [f"max({ROWS}) {by} > {limits.most_per_group}"]
    found += [f"count(*) {by} > {limits.most_groups}"] if limits.too_many_groups else []
    found += (
        [f"sum(least({ROWS}, {limits.most_per_group})) {by} > {limits.limits.rows}"] if limits.too_many_rows else []
    )
    flagged = f"SELECT *, ({' OR '.join(found)}) AS {OVER_LIMIT} FROM ({pairs}) AS q"
    numbered = f"SELECT *, CASE WHEN {OVER_LIMIT} THEN {limits.unit_number} END AS {NUMBER} FROM ({flagged}) AS q"
    return limits.add_hashes(f"({numbered}) AS q", NUMBER, f"CASE WHEN {OVER_LIMIT} THEN {limits.key_number} END")


def _order(limits: UnitLimits) -> str:
    """Return what groups are ordered by: no two of a unit that is over a limit are tied."""
    return limits.order if _cheap(limits) else f"CASE WHEN {OVER_LIMIT} THEN {limits.order} END"


def _cheap(limits: UnitLimits) -> bool:
    """Say whether units and keys are numbers: all of them are hashed then, without finding which need it."""
    return limits.grouped.whole_units and limits.grouped.numbered
