"""What units keep, by windows: for engines that sort faster than they find a threshold for each unit and join it.

The same groups and rows are kept as in `bounding`. One pass over the pairs of unit and key, brought together by unit: a
group's place in the order and the rows kept before it say what it keeps. Texts are hashed only of units over a limit;
all groups of others are kept, in whatever order they come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.engines.dialect import UNIT
from discreet.engines.hashing import NUMBER
from discreet.engines.keyed import KEEP, ROWS

if TYPE_CHECKING:
    from discreet.engines.bounding import Bounding

OVER, PLACE, BEFORE, ORDER = "__discreet_over", "__discreet_place", "__discreet_before", "__discreet_order"
ABOVE = "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"


def kept(bounding: Bounding, pairs: str) -> str:
    """Return the pairs of unit and key that keep a row, and how many they keep."""
    few = f"least({ROWS}, {bounding.each})"
    wide, long = bounding.wide != "FALSE", bounding.long != "FALSE"
    hashed = _hashed(bounding, pairs)
    if not (wide or long):
        return f"SELECT *, {few} AS {KEEP} FROM ({hashed}) AS q"
    by = f"PARTITION BY {UNIT} ORDER BY {ORDER}"
    ranks = [f"row_number() OVER ({by}) AS {PLACE}"] if wide else []
    ranks += [f"coalesce(sum({few}) OVER ({by} {ABOVE}), 0) AS {BEFORE}"] if long else []
    ranked = f"SELECT *, {', '.join(ranks)} FROM (SELECT *, {_order(bounding)} AS {ORDER} FROM ({hashed}) AS q) AS q"
    some = f"least({few}, {bounding.limits.rows} - {BEFORE})" if long else few
    within = f"{PLACE} <= {bounding.most}" if wide else "TRUE"
    return f"SELECT * FROM (SELECT *, {some} AS {KEEP} FROM ({ranked}) AS q WHERE {within}) AS q WHERE {KEEP} > 0"


def _hashed(bounding: Bounding, pairs: str) -> str:
    """Return the pairs with their hash; where it needs texts, only of units over a limit."""
    if _cheap(bounding):
        return bounding.hashed(f"({pairs}) AS q", UNIT)
    by = f"OVER (PARTITION BY {UNIT})"
    found = [f"max({ROWS}) {by} > {bounding.each}"]
    found += [f"count(*) {by} > {bounding.most}"] if bounding.wide != "FALSE" else []
    found += [f"sum(least({ROWS}, {bounding.each})) {by} > {bounding.limits.rows}"] if bounding.long != "FALSE" else []
    flagged = f"SELECT *, ({' OR '.join(found)}) AS {OVER} FROM ({pairs}) AS q"
    numbered = f"SELECT *, CASE WHEN {OVER} THEN {bounding.number} END AS {NUMBER} FROM ({flagged}) AS q"
    return bounding.hashed(f"({numbered}) AS q", NUMBER, f"CASE WHEN {OVER} THEN {bounding.key} END")


def _order(bounding: Bounding) -> str:
    """Return what groups are ordered by: no two of a unit that is over a limit are tied."""
    return bounding.order if _cheap(bounding) else f"CASE WHEN {OVER} THEN {bounding.order} END"


def _cheap(bounding: Bounding) -> bool:
    """Say whether units and keys are numbers: all of them are hashed then, without finding which need it."""
    return bounding.grouped.whole_units and bounding.grouped.numbered
