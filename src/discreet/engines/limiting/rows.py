"""Rows that each unit keeps, where rows themselves are needed: most units are under all limits and are not ranked.

A unit's groups are ordered as in `sums`, and as many rows of each are kept as there: those with the smallest md5
of their content. Rows with equal contents are alike, so that which of them is kept makes no difference; hence what is
kept depends on this unit's rows alone, in whatever order they lie.

**Distinct values.** In one group let V be the set of values (on a grid: of points, clamped before) that rows of all
other units have there, and W those of the n rows that a unit keeps there. The unit turns V into V + W, which adds the
values of W that are not in V: at most n of them, whatever V is. So it moves their number by 0 to n, and their sum,
where no point is beyond `reach`, by at most n * reach; the n of all groups are those of `sums`, and so are both norms.
Whose value it is that others have too does not matter: then nothing moves. Clamping and rounding come before values are
told apart: two that become one point are one value. Where a unit takes another's place, it is left out first and the
other comes in, each by these bounds: twice as far.
"""

from __future__ import annotations

from discreet.engines.dialect import UNIT
from discreet.engines.limiting.grouped_rows import GroupedRows
from discreet.engines.limiting.hashing import NUMBER, write_values
from discreet.engines.limiting.unit_limits import HEAVY, OVER, UnitLimits
from discreet.plan.bounded import Limits

ALL, RANKED, FEW = "__discreet_all", "__discreet_ranked", "__discreet_few"


def select_kept_rows(grouped: GroupedRows, limits: Limits) -> str:
    """Return a SELECT of unit, key and contributions of the rows that are kept."""
    bound, once = UnitLimits(grouped, limits), grouped.dialect.once
    listed = ", ".join([UNIT, *grouped.columns, *grouped.names])
    content = write_values((grouped.unit, *grouped.key, *grouped.measures), grouped.dialect)
    numbered = (
        f"SELECT *, {bound.unit_number} AS {NUMBER}, md5({content}) AS content FROM {ALL} JOIN {HEAVY} USING ({UNIT})"
    )
    heavy = bound.add_hashes(f"({numbered}) AS q", NUMBER)
    inside = ", ".join(["content", *grouped.names])
    light = f"SELECT {UNIT}, TRUE AS {OVER} FROM {HEAVY}"
    return (
        f"WITH {ALL} AS {once} ({grouped.rows}), "
        f"{HEAVY} AS {once} (SELECT {UNIT} FROM (SELECT {UNIT}, count(*) AS c FROM {ALL} "
        f"GROUP BY {UNIT}, {grouped.listed()}) AS q GROUP BY {UNIT} "
        f"HAVING count(*) > {bound.most_groups} OR max(c) > {bound.most_per_group} OR sum(c) > {limits.rows}), "
        f"{RANKED} AS (SELECT *, {bound.order} AS place, "
        f"row_number() OVER (PARTITION BY {UNIT}, {grouped.listed()} ORDER BY {inside}) AS in_group "
        f"FROM ({heavy}) AS q), "
        f"{FEW} AS (SELECT *, dense_rank() OVER (PARTITION BY {UNIT} ORDER BY place) AS in_groups, "
        f"row_number() OVER (PARTITION BY {UNIT} ORDER BY place, in_group) AS in_all "
        f"FROM {RANKED} WHERE in_group <= {limits.rows_per_group}) "
        f"SELECT {listed} FROM {FEW} WHERE in_groups <= {limits.groups} AND in_all <= {limits.rows} "
        f"UNION ALL SELECT {listed} FROM {ALL} LEFT JOIN ({light}) AS h USING ({UNIT}) WHERE {OVER} IS NULL"
    )
