"""Many claims at once: what is refuted holds together."""

from __future__ import annotations

from discreet.audit.blackbox.betting import PairCounts
from discreet.audit.blackbox.direct import DirectTest
from discreet.audit.blackbox.lower_bound import LowerBound
from discreet.audit.blackbox.outputs import MechanismFault
from discreet.audit.blackbox.several import refute_several


def make_bound(first: int, second: int) -> LowerBound:
    test = DirectTest(PairCounts(0, first, second, 10_000), 1)
    return LowerBound(0.0, 0.0, 0.0, 0.95, "an event", 10_000, evidence=test)


def test_what_one_test_refutes_many_need_not() -> None:
    close = make_bound(66, 45)
    assert 0.01 < close.find_p_value(0.0) < 0.05
    assert refute_several([(close, 0.0)]) == [True]
    assert refute_several([(close, 0.0)] * 10) == [False] * 10


def test_the_clear_ones_make_room_for_the_next() -> None:
    clear, close, none = make_bound(500, 100), make_bound(66, 45), make_bound(50, 50)
    assert refute_several([(close, 0.0), (clear, 0.0)]) == [True, True]
    assert refute_several([(none, 0.0), (close, 0.0), (clear, 0.0)]) == [False, False, True]


def test_a_fault_refutes_every_claim() -> None:
    fault = LowerBound.of_fault(MechanismFault("it gave NaN", 3), 0.0, 0.95, 10)
    assert refute_several([(fault, 1e9), (make_bound(50, 50), 0.1)]) == [True, False]


def test_nothing_is_refuted_of_nothing() -> None:
    assert refute_several([]) == []
