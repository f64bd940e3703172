"""Rows that each unit keeps, where rows themselves are needed: most units are under all limits and are not ranked.

A unit's groups are ordered as in `bounding`, and as many rows of each are kept as there: those with the smallest md5
of their content. Rows with equal contents are alike, so that which of them is kept makes no difference; hence what is
kept depends on this unit's rows alone, in whatever order they lie.
"""

from __future__ import annotations

from discreet.engines.bounding import Bounding
from discreet.engines.duck.forms import UNIT
from discreet.engines.hashing import NUMBER, hashed, number_of, told_all
from discreet.engines.keyed import Keyed
from discreet.plan.bounded import Limits


def kept(grouped: Keyed, limits: Limits, whole: bool) -> str:
    """Return a SELECT of unit, key and contributions of the rows that are kept."""
    bounding = Bounding(grouped, limits, whole)
    listed = ", ".join([UNIT, *grouped.columns, *grouped.names])
    content = told_all((UNIT, *grouped.columns, *grouped.names))
    number = UNIT if whole else number_of((UNIT,))
    heavy = hashed(
        f"(SELECT *, {number} AS {NUMBER}, md5({content}) AS content FROM __discreet_rows "
        f"WHERE {UNIT} IN (SELECT {UNIT} FROM __discreet_heavy))",
        NUMBER,
        bounding.key,
    )
    inside = ", ".join(["content", *grouped.names])
    return (
        f"WITH __discreet_rows AS MATERIALIZED ({grouped.rows}), "
        f"__discreet_heavy AS MATERIALIZED (SELECT {UNIT} FROM (SELECT {UNIT}, count(*) AS c FROM __discreet_rows "
        f"GROUP BY {UNIT}, {grouped.listed()}) GROUP BY {UNIT} "
        f"HAVING count(*) > {bounding.most} OR max(c) > {bounding.each} OR sum(c) > {limits.rows}), "
        f"__discreet_ranked AS (SELECT *, {bounding.order} AS place, "
        f"row_number() OVER (PARTITION BY {UNIT}, {grouped.listed()} ORDER BY {inside}) AS in_group FROM ({heavy})), "
        f"__discreet_few AS (SELECT *, dense_rank() OVER (PARTITION BY {UNIT} ORDER BY place) AS in_groups, "
        f"row_number() OVER (PARTITION BY {UNIT} ORDER BY place, in_group) AS in_all "
        f"FROM __discreet_ranked WHERE in_group <= {limits.rows_per_group}) "
        f"SELECT {listed} FROM __discreet_few WHERE in_groups <= {limits.groups} AND in_all <= {limits.rows} "
        f"UNION ALL SELECT {listed} FROM __discreet_rows WHERE {UNIT} NOT IN (SELECT {UNIT} FROM __discreet_heavy)"
    )
