"""Integers that never wrap: Python ints of any size, and int64 arrays that saturate in the open.

An int64 array is held within +-LIMIT before noise and after it. Clamping the value changes no two
neighbours' distance for the worse, and clamping the sum is post-processing. Because a draw of at least
2 * LIMIT sends every value to the same end, a draw that itself saturated gives the same result as the
unbounded draw would: saturation costs no privacy, not even a vanishing delta.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError

LIMIT = 2**61
"""The largest magnitude in an int64 array of values (about 2.3e18); wider values travel as Python ints."""

_INTEGERS = "integers (declare a grid to release real numbers)"

Ints = NDArray[np.int64]
WideInts = NDArray[np.object_]


def integers(name: str, value: object) -> int | Ints | WideInts:
    """Return an integer or an integer array in one of three forms, by its type alone (never by its values).

    An integer becomes a Python int; arrays of machine integers become int64, saturated at +-LIMIT;
    lists, uint64 and object arrays become object arrays of Python ints. Booleans count as 0 and 1, what is missing
    as 0.
    """
    if is_whole(value):
        return int(value)  # type: ignore[call-overload,no-any-return]
    array = array_of(name, value)
    if array.dtype == object or array.dtype == np.uint64:
        if array.ndim and set(map(type, array.flat)) == {int}:
            return wide_array(list(array.flat), array.shape)
        if array.ndim == 0 or not all(is_whole(entry) or is_missing(entry) for entry in array.flat):
            raise ParameterError.of_data(name, value, _INTEGERS)
        return wide_array([0 if is_missing(entry) else int(entry) for entry in array.flat], array.shape)
    if array.dtype.kind not in "iub":
        raise ParameterError.of_data(name, value, _INTEGERS)
    return np.clip(array.astype(np.int64), -LIMIT, LIMIT)


def wide_array(entries: list[int], shape: tuple[int, ...]) -> WideInts:
    """Return an object array of Python ints."""
    wide = np.empty(len(entries), dtype=object)
    wide[:] = entries
    return wide.reshape(shape)


def array_of(name: str, value: object) -> NDArray[Any]:
    """Return an array whose type depends on the type of `value` alone.

    What is no array yet becomes an object array, entry by entry: numpy would choose a type by the values, and round
    large integers beside a float. Masked entries become None.
    """
    if isinstance(value, np.ma.MaskedArray):
        return np.array(value.tolist(), dtype=object)
    try:
        return np.asarray(value) if hasattr(value, "__array__") else np.array(value, dtype=object)
    except ValueError:
        raise ParameterError.of_data(name, value, "one number, or lists of equal length") from None


def is_whole(entry: object) -> bool:
    """Say whether an entry is an integer or a truth value (numpy counts durations among its integers)."""
    return type(entry) is int or (isinstance(entry, Integral | np.bool_) and not isinstance(entry, np.timedelta64))


def is_real(entry: object) -> bool:
    """Say whether an entry is a real number that a Fraction can hold, or NaN or infinite."""
    return is_whole(entry) or isinstance(entry, float | Fraction | Decimal | np.float16 | np.float32)


def is_missing(entry: object) -> bool:
    """Say whether an entry of an object array stands for nothing: None, or pandas' NA and NaT."""
    return entry is None or type(entry).__name__ in ("NAType", "NaTType")


def is_wide(value: int | NDArray[Any]) -> bool:
    """Say whether noise for this value must be drawn without saturation."""
    return isinstance(value, int) or value.dtype == object


def wide_add(value: int | Ints | WideInts, noise: NDArray[Any]) -> int | Ints | WideInts:
    """Add integer noise to integers without wrapping: exactly for wide values, saturating at +-LIMIT for int64."""
    if isinstance(value, int):
        return value + int(noise.item())
    if value.dtype == object:
        total: WideInts = value + noise.astype(object)
        return np.asarray(total, dtype=object)
    bounded: Ints = np.clip(noise, -2 * LIMIT, 2 * LIMIT)
    held: Ints = np.clip(value + bounded, -LIMIT, LIMIT)
    return held
