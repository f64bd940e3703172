"""How long one unit's rows may take: so short that nobody can tell from the clock whether the unit is there."""

from __future__ import annotations

from discreet.base.errors import OperationError
from discreet.gradients.sums import MOST_ROWS
from discreet.plan.rows_plan import RowsPlan
from discreet.query.work import MOST_TIME


def check_unit_time(plan: RowsPlan, row_time: int) -> None:
    """Refuse sums for which one row takes so many nanoseconds in all, if a unit's rows could take too long."""
    most = min(MOST_TIME // row_time, MOST_ROWS)
    if plan.rows > most:
        raise OperationError(
            f"a unit of {plan.rows:,} rows could take {plan.rows * row_time / 1e6:,.0f} ms, and {MOST_TIME // 10**6} "
            f"are allowed, so that time would tell whether it is there; keep at most {most:,} rows of each with "
            "max_rows, or have fewer features, classes or groups"
        )
