"""Brackets."""

from __future__ import annotations

import dataclasses

import pytest

from discreet.privacy import Certified


def test_a_bracket_is_a_value() -> None:
    assert Certified(1.0, 2.0) == Certified(low=1.0, high=2.0)
    assert len({Certified(1.0, 2.0), Certified(1.0, 2.0)}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        Certified(1.0, 2.0).low = 0.0  # type: ignore[misc]
