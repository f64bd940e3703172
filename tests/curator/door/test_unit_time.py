from __future__ import annotations

import pytest

from discreet.base.errors import OperationError
from discreet.curator.door.unit_time import check_unit_time
from discreet.gradients.sums import MOST_ROWS
from discreet.query.work import MOST_TIME
from support.clinic import make_tables, write_policy
from support.hospital import engine_of, rows_of

PLAN = rows_of(engine_of(write_policy(), make_tables()), "SELECT age FROM visits")


def test_rows_of_one_unit_may_take_as_long_as_nobody_can_tell_and_no_longer() -> None:
    longest = MOST_TIME // PLAN.rows
    check_unit_time(PLAN, longest)
    with pytest.raises(OperationError, match=f"keep at most {PLAN.rows - 1:,} rows"):
        check_unit_time(PLAN, MOST_TIME // (PLAN.rows - 1))
    assert PLAN.rows <= MOST_ROWS
