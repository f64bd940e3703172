"""What the ledger keeps."""

from __future__ import annotations

from discreet.curator.release import Released


def test_released_numbers_of_any_size_come_back_from_the_ledger() -> None:
    released = Released(((2**100, -1), ()), {1: ({(1, 0): -5, (2, 3): 2**70}, {})})
    assert Released.from_bytes(released.to_bytes()) == released
