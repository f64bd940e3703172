"""What every engine returns: a number for every public key, also for those without rows."""

from __future__ import annotations

from discreet.engines.result import Exact, Grouped


def test_results_are_values_that_can_be_compared() -> None:
    one = Exact((Grouped(((1, 2),), {0: ({3: 4}, {})}),))
    assert one == Exact((Grouped(((1, 2),), {0: ({3: 4}, {})}),))
    assert one != Exact((Grouped(((1, 2),), {0: ({3: 4}, {})}, keys=(("a",), ("b",)), units=(1, 1)),))
