"""Bounds found privately."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from clinic import Visit, clinic
from discreet.base.errors import DiscreetError


def test_bounds_are_found_over_powers_of_two_and_charged(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 30, 70.0 + patient % 900, "icu") for patient in range(3000)]
    with clinic(tmp_path, rows) as curator:
        found = curator.bounds("visits.cost", epsilon=1.0)
        assert (found.lower, found.upper) == (Fraction(64), Fraction(1024))
        assert "lower = 64" in str(found)
        assert found.receipt.charge.epsilon == 1
        assert curator.bounds("visits.cost", epsilon=1.0).receipt.paid == "free"
        for name in ("visits.ward", "wards.beds", "visits.nothing", "cost"):
            with pytest.raises(DiscreetError):
                curator.bounds(name, epsilon=1.0)


def test_bounds_of_nothing_are_not_invented(tmp_path: Path) -> None:
    with clinic(tmp_path, []) as curator:
        assert "nothing stands out" in str(curator.bounds("visits.cost", epsilon=0.5))
