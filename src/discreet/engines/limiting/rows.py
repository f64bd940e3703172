"""Rows that each unit keeps, where rows themselves are needed: most units are under all limits and are not ranked.

A unit's groups are ordered as in `sums`, and as many rows of each are kept as there: the first ones by a hash of their
content. Rows with equal contents are alike, so that which of them is kept makes no difference; hence what is kept
depends on this unit's rows alone, in whatever order they lie.

**Distinct values.** In one group let V be the set of values (on a grid: of points, clamped before) that rows of all
other units have there, and W those of the n rows that a unit keeps there. The unit turns V into V + W, which adds the
values of W that are not in V: at most n of them, whatever V is. So it moves their number by 0 to n, and their sum,
where no point is beyond `reach`, by at most n * reach; the n of all groups are those of `sums`, and so are both norms.
Whose value it is that others have too does not matter: then nothing moves. Clamping and rounding come before values are
told apart: two that become one point are one value. Where a unit takes another's place, it is left out first and the
other comes in, each by these bounds: twice as far.
"""

from __future__ import annotations

from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.limiting import heavy_units, windows
from discreet.engines.limiting.grouped_rows import KEEP, ROWS, GroupedRows
from discreet.engines.limiting.hashing import NUMBER, add_hashes, mix_numbers, write_values
from discreet.engines.limiting.heavy_units import PLACE
from discreet.engines.limiting.unit_limits import ALL, HEAVY, UnitLimits
from discreet.plan.bounded import Limits

RANKED, FEW, OVER = "__discreet_ranked", "__discreet_few", "__discreet_over"
KEPT_GROUPS, IN_GROUPS, OWNED = "__discreet_kept_groups", "__discreet_in_groups", "__discreet_owned"
CONTENT = "__discreet_content"


def select_kept_rows(grouped: GroupedRows, limits: Limits, by_unit: bool = True) -> str:
    """Return a SELECT of key and contributions of the rows that are kept, and of their unit if it is needed."""
    bound = UnitLimits(grouped, limits)
    return _by_groups(bound, by_unit) if grouped.dialect.heavy_first else _by_windows(bound)


def _list_columns(grouped: GroupedRows, by_unit: bool = True) -> str:
    return ", ".join([*([UNIT] if by_unit else []), *grouped.columns, *grouped.names])


def _is_whole(grouped: GroupedRows) -> bool:
    """Say whether all contributions are whole numbers: then their unit's number is enough to order rows by."""
    return all(type_ is Type.INTEGER for _, type_ in grouped.measures)


def _add_content(grouped: GroupedRows, source: str) -> str:
    """Return the rows of a FROM clause, which have their unit's number, with what they are ordered by."""
    if _is_whole(grouped):
        return add_hashes(source, NUMBER, mix_numbers(grouped.names, grouped.dialect), grouped.dialect, CONTENT)
    content = write_values((grouped.unit, *grouped.key, *grouped.measures), grouped.dialect)
    return f"SELECT *, md5({content}) AS {CONTENT} FROM {source}"


def _order_rows(grouped: GroupedRows) -> str:
    """Return the order of a group's rows: by their hash, and of those with the same by what they hold."""
    return ", ".join([CONTENT, *(each for name in grouped.names for each in (f"{name} IS NULL", name))])


def _by_groups(limits: UnitLimits, by_unit: bool) -> str:
    """Say for groups of heavy units how many rows they keep, as `sums` does, and rank rows where these are too many.

    Rows are joined to the heavy units once; from then on these are numbers, which are faster to group by than texts.
    """
    grouped, once = limits.grouped, limits.grouped.dialect.once
    listed, both = _list_columns(grouped, by_unit), ", ".join([PLACE, *grouped.columns])
    needed = _list_columns(grouped, by_unit or not _is_whole(grouped))
    owned = f"SELECT {needed}, {NUMBER}, {PLACE} FROM {ALL} LEFT JOIN {HEAVY} USING ({UNIT})"
    pairs = (
        f"SELECT {NUMBER}, {both}, count(*) AS {ROWS} FROM {OWNED} WHERE {PLACE} IS NOT NULL GROUP BY {NUMBER}, {both}"
    )
    groups = windows.cut(limits, limits.add_hashes(f"({pairs}) AS q", NUMBER), PLACE)
    rows = f"SELECT * FROM {OWNED} JOIN (SELECT {both}, {ROWS}, {KEEP} FROM {KEPT_GROUPS}) AS g USING ({both})"
    crowded = _add_content(grouped, f"(SELECT * FROM {IN_GROUPS} WHERE {KEEP} < {ROWS}) AS q")
    place = f"row_number() OVER (PARTITION BY {both} ORDER BY {_order_rows(grouped)}) AS in_group"
    return (
        f"WITH {heavy_units.find_heavy_units(limits)}, {OWNED} AS {once} ({owned}), "
        f"{KEPT_GROUPS} AS {once} ({groups}), {IN_GROUPS} AS {once} ({rows}) "
        f"SELECT {listed} FROM {IN_GROUPS} WHERE {KEEP} = {ROWS} "
        f"UNION ALL SELECT {listed} FROM (SELECT *, {place} FROM ({crowded}) AS q) AS q WHERE in_group <= {KEEP} "
        f"UNION ALL SELECT {listed} FROM {OWNED} WHERE {PLACE} IS NULL"
    )


def _by_windows(limits: UnitLimits) -> str:
    """Rank all rows of heavy units: in their groups, and the groups among each other."""
    grouped, most, once = limits.grouped, limits.limits, limits.grouped.dialect.once
    listed = _list_columns(grouped)
    numbered = f"SELECT *, {limits.unit_number} AS {NUMBER} FROM {ALL} JOIN {HEAVY} USING ({UNIT})"
    hashed = limits.add_hashes(f"({_add_content(grouped, f'({numbered}) AS q')}) AS q", NUMBER)
    return (
        f"WITH {ALL} AS {once} ({grouped.rows}), "
        f"{HEAVY} AS {once} (SELECT {UNIT} FROM (SELECT {UNIT}, count(*) AS c FROM {ALL} "
        f"GROUP BY {UNIT}, {grouped.listed()}) AS q GROUP BY {UNIT} "
        f"HAVING count(*) > {limits.most_groups} OR max(c) > {limits.most_per_group} OR sum(c) > {most.rows}), "
        f"{RANKED} AS (SELECT *, {limits.order} AS place, "
        f"row_number() OVER (PARTITION BY {UNIT}, {grouped.listed()} ORDER BY {_order_rows(grouped)}) AS in_group "
        f"FROM ({hashed}) AS q), "
        f"{FEW} AS (SELECT *, dense_rank() OVER (PARTITION BY {UNIT} ORDER BY place) AS in_groups, "
        f"row_number() OVER (PARTITION BY {UNIT} ORDER BY place, in_group) AS in_all "
        f"FROM {RANKED} WHERE in_group <= {most.rows_per_group}) "
        f"SELECT {listed} FROM {FEW} WHERE in_groups <= {most.groups} AND in_all <= {most.rows} "
        f"UNION ALL SELECT {listed} FROM {ALL} LEFT JOIN (SELECT {UNIT}, TRUE AS {OVER} FROM {HEAVY}) AS h "
        f"USING ({UNIT}) WHERE {OVER} IS NULL"
    )
