"""Whole numbers in a type in which their sums do not wrap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.families.whole import add_magnitudes, hold


def test_floats_become_floats_of_64_bits() -> None:
    for kind in (np.float16, np.float32, np.float64):
        assert hold(np.array([0.5, 2.0], dtype=kind)).dtype == np.float64


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int64, np.uint64, bool])
def test_machine_integers_become_int64_where_sums_fit(kind: Any) -> None:
    held = hold(np.array([1, 0, 1], dtype=kind))
    assert held.dtype == np.int64
    assert held.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("numbers", "weight", "kind"),
    [
        ([2**62, -(2**62) + 1], 1, np.int64),
        ([2**62, -(2**62)], 1, object),
        ([2**62 - 1, 0, 0, 0], 2, np.int64),
        ([2**62, 0, 0, 0], 2, object),
        ([-(2**63), 0], 1, object),
        ([2**63 - 1, 0, 0], 1, np.int64),
        ([2**63 - 1, 1], 1, object),
    ],
)
def test_what_may_wrap_becomes_pythons_own(numbers: list[int], weight: int, kind: Any) -> None:
    held = hold(np.array(numbers, dtype=np.int64), weight)
    assert held.dtype == kind
    assert [int(each) for each in held] == numbers


def test_unsigned_numbers_beyond_int64_stay_exact() -> None:
    held = hold(np.array([2**64 - 1, 2**63], dtype=np.uint64))
    assert held.tolist() == [2**64 - 1, 2**63]
    assert hold(np.array([2**70, -1], dtype=object)).tolist() == [2**70, -1]


def test_magnitudes_are_added_exactly() -> None:
    assert add_magnitudes(np.array([-(2**63), 2**63 - 1, -1], dtype=np.int64)) == 2**64
    assert add_magnitudes(np.full(1000, 2**63 - 1)) == 1000 * (2**63 - 1)


@pytest.mark.parametrize("numbers", [["a"], [None], [1 + 2j], [0.5, None]])
def test_what_is_no_number_is_refused(numbers: list[Any]) -> None:
    with pytest.raises(ParameterError, match="whole numbers or floats"):
        hold(np.array(numbers))
