"""What every engine returns: a number for every public key, also for those without rows."""

from __future__ import annotations

from discreet.engines.result import ExactResult, GroupedSums


def test_results_are_values_that_can_be_compared() -> None:
    one = ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}),))
    assert one == ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}),))
    assert one != ExactResult((GroupedSums(((1, 2),), {0: ({3: 4}, {})}, keys=(("a",), ("b",)), units=(1, 1)),))
