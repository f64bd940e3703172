"""What units keep where those that may be over a limit are found first: for engines that join faster than they sort.

Let L be the least limit that can bind: on groups, on rows in a group, on rows. A unit with at most L rows is in at most
L groups and has at most L rows in each and in all: no limit cuts anything of it. So its rows are added up as they are,
together with those of all such light units, and only rows of other units, the heavy ones, are added up by unit and key
first and cut. Who is heavy depends on this unit's rows alone; all is read once, so that a file that grows meanwhile
makes no light unit heavy.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.engines.dialect import UNIT
from discreet.engines.limiting import windows
from discreet.engines.limiting.grouped_rows import KEEP, ROWS
from discreet.engines.limiting.hashing import HASH, NUMBER
from discreet.engines.limiting.unit_limits import ALL, HEAVY, UnitLimits

PLACE = "__discreet_heavy_place"
"""The place of a heavy unit among all of them, from 1 on, in no order: faster to group by than a text."""

LIGHT = f"{PLACE} <= 0"
"""What says that rows are those of light units, where all are added up at once."""


def find_heavy_units(limits: UnitLimits) -> str:
    """Return a table of all rows, and one of the units that may be over a limit, with their numbers."""
    once, rows = limits.grouped.dialect.once, limits.grouped.rows
    heavy = f"SELECT {UNIT} FROM {ALL} GROUP BY {UNIT} HAVING count(*) > {limits.least}"
    return (
        f"{ALL} AS {once} ({rows}), "
        f"{HEAVY} AS {once} (SELECT {UNIT}, {limits.unit_number} AS {NUMBER}, "
        f"row_number() OVER () AS {PLACE} FROM ({heavy}) AS q)"
    )


def select_kept(limits: UnitLimits, sums: Sequence[str], by_unit: bool) -> str:
    """Return a SELECT of groups, how many rows of them are kept, and the sums of them, with the tables that it needs.

    Light units are added up as one, unless they are to be told apart, as where they are counted: `by_unit`.
    """
    return f"WITH {find_heavy_units(limits)}{_select_apart(limits, sums) if by_unit else _select_at_once(limits, sums)}"


def _select_at_once(limits: UnitLimits, sums: Sequence[str]) -> str:
    """Add up all rows in one pass: those of light units as if each key were one unit, which keeps them all."""
    nobody = f"-{limits.grouped.columns[0]}" if limits.grouped.numbered else "0"
    place, number = f"coalesce({PLACE}, {nobody})", f"coalesce({NUMBER}, 0)"
    counted, columns = limits.grouped.listed(f"count(*) AS {ROWS}", *sums), limits.grouped.listed()
    groups = (
        f"SELECT {place} AS {PLACE}, {number} AS {NUMBER}, {counted} FROM {ALL} LEFT JOIN {HEAVY} USING ({UNIT}) "
        f"GROUP BY {place}, {number}, {columns}"
    )
    return f" {_cut(limits, groups, LIGHT)}"


def _select_apart(limits: UnitLimits, sums: Sequence[str]) -> str:
    """Add up the rows of each unit by itself."""
    counted, by = limits.grouped.listed(f"count(*) AS {ROWS}", *sums), f"{PLACE}, {NUMBER}"
    columns = limits.grouped.listed()
    alone = f"SELECT {counted} FROM {ALL} ANTI JOIN {HEAVY} USING ({UNIT}) GROUP BY {UNIT}, {columns}"
    heavy = f"SELECT {by}, {counted} FROM {ALL} JOIN {HEAVY} USING ({UNIT}) GROUP BY {by}, {columns}"
    light = (
        f"SELECT {limits.grouped.listed(ROWS, f'0 AS {HASH}', *limits.added, f'{ROWS} AS {KEEP}')} FROM ({alone}) AS q"
    )
    return f" {light} UNION ALL {_cut(limits, heavy)}"


def _cut(limits: UnitLimits, groups: str, uncut: str = "FALSE") -> str:
    """Return what is kept of groups with the place and the number of their unit."""
    cut = windows.cut(limits, limits.add_hashes(f"({groups}) AS q", NUMBER), PLACE, uncut=uncut)
    return f"SELECT {limits.grouped.listed(ROWS, HASH, *limits.added, KEEP)} FROM ({cut}) AS q"
