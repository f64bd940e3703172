"""Whole numbers whose sums never wrap: machine integers where every sum fits, Python's own where one might not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.base.errors import ParameterError
from discreet.base.wide import is_whole, wide_array

LARGEST = 2**63 - 1
"""The largest number that int64 holds."""

EXACT_FLOAT = 2**53
EXACT_SHORT = 2**24
"""Whole numbers up to these are floats of 64 and 32 bits, and so are their sums while they stay below."""


def hold(numbers: ArrayLike, weight: int = 1) -> NDArray[Any]:
    """Return numbers in a type in which no sum of them wraps, each taken at most `weight` times, with either sign.

    Floats become float64. Whole numbers become int64 where weight * (sum of magnitudes) fits: no partial sum, in any
    order, is larger than that. Else they become Python integers, which are slow but never wrap. So answers are exact
    whatever the numbers are, and nothing raises because of them.
    """
    array = np.asarray(numbers)
    if array.dtype.kind == "f":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "bi":
        array = array.astype(np.int64, copy=False)
    elif array.dtype.kind == "O" and all(is_whole(entry) for entry in array.flat):
        return wide_array([int(entry) for entry in array.flat], array.shape)
    elif array.dtype.kind != "u":
        raise ParameterError.of_data("table", numbers, "whole numbers or floats")
    if _sum_fits(array, weight):
        return array.astype(np.int64, copy=False)
    return array.astype(object)


def add_magnitudes(whole: NDArray[Any]) -> int:
    """Return the sum of the magnitudes of machine integers, exactly: in halves of 32 bits where it might not fit."""
    if whole.size == 0 or _find_peak(whole) * whole.size <= LARGEST:
        return int(np.abs(whole).sum())
    magnitudes = np.abs(whole).astype(np.uint64, copy=False)  # -2^63 keeps its bits, which mean 2^63 here
    return (int((magnitudes >> np.uint64(32)).sum()) << 32) + int((magnitudes & np.uint64(2**32 - 1)).sum())


def _sum_fits(whole: NDArray[Any], weight: int) -> bool:
    """Say whether weight * (sum of magnitudes) is a machine integer; the first test spares most tables the second."""
    if whole.size == 0:
        return True
    return _find_peak(whole) * whole.size * weight <= LARGEST or add_magnitudes(whole) * weight <= LARGEST


def _find_peak(whole: NDArray[Any]) -> int:
    return max(int(whole.max()), -int(whole.min()))
