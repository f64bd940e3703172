"""What every engine returns: a number for every key, also for those without rows."""

from __future__ import annotations

from discreet.engines.result import Exact, gathered
from discreet.plan.bounded import Part
from questions import bounded, engine_of


def test_keys_without_rows_are_zero_and_cells_lie_at_their_keys() -> None:
    plan = bounded(engine_of(), "SELECT ward, MEDIAN(age), COUNT(*) FROM visits GROUP BY ward").plan
    assert [measure.part for measure in plan.measures] == [Part.RANKS, Part.ROWS]
    found = gathered(plan, [(2, 7, 9)], {0: [(2, 30, 4), (2, 31, 3)]})
    assert found == Exact(((0, 0, 7), (0, 0, 9)), {0: ({}, {}, {30: 4, 31: 3})})
