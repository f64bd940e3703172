"""What every engine returns: a number for every public key, also for those without rows."""

from __future__ import annotations

import numpy as np

from discreet.engines.result import ExactResult, GroupedSums, split_units


def test_results_are_values_that_can_be_compared() -> None:
    one = ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}),))
    assert one == ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}),))
    assert one != ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}, keys=(("a",), ("b",)), units=(1, 1)),))


def test_units_are_split_into_runs_of_some_rows_or_of_one_unit() -> None:
    offsets = np.array([0, 2, 3, 9, 10], dtype=np.int64)
    assert list(split_units(offsets, 3)) == [(0, 2), (2, 3), (3, 4)]
    assert list(split_units(offsets, 100)) == [(0, 4)]
    assert list(split_units(offsets[:1], 3)) == []
