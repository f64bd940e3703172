"""Outputs as rows of numbers: each is written by what it is itself, whatever else was drawn with it.

A test counts outputs that are independent of one another. If one rare text among thousands of numbers changed how all
of them are written, all would be in an event or out of it together, and right claims would be refuted. So a number
stays what it is, and whatever is no number is written as a code of its own: a large whole number made of its `repr`.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from numbers import Real
from typing import Any

import numpy as np

from discreet.base.grid import Floats

FAR = 2.0**198
"""Codes are 2^52 to 2^53 times it, so that few numbers are as large: floats tell all of them apart."""


def read_rows(raw: Any, width: int | None = None) -> Floats | None:
    """Return a row for each output, of so many numbers or as many as most outputs have; None of a single output.

    An array of numbers stays as wide as it is. In a list, an output of another length has a code, and zeros after it.
    """
    outputs = raw if isinstance(raw, list | tuple) else np.asarray(raw)
    if isinstance(outputs, np.ndarray) and not outputs.ndim:
        return None
    whole = _read_array(outputs)
    if whole is not None:
        whole = whole.reshape(len(outputs), -1)
        if isinstance(outputs, np.ndarray) or width in (None, whole.shape[1]):
            return whole
    found = [read_numbers(each) for each in outputs]
    if width is None:
        lengths = Counter(1 if numbers is None else len(numbers) for numbers in found)
        width = lengths.most_common(1)[0][0] if lengths else 1
    rows = np.zeros((len(found), width))
    for row, numbers, each in zip(rows, found, outputs, strict=True):
        if numbers is not None and len(numbers) == width:
            row[:] = numbers
        else:
            row[0] = np.nan if _has_nan(each) else find_code(name_output(each if numbers is None else numbers))
    return rows


def read_numbers(output: Any) -> Floats | None:
    """Return the numbers that an output is made of; None where it is made of anything else, too."""
    found = None if output is None or isinstance(output, str) else _read_array(output)
    if found is not None:
        return found.ravel()
    return np.array([_to_float(output)]) if isinstance(output, Real | Decimal) else None


def name_output(output: Any) -> str:
    """Return a name for an output, which is the same in an array and in a list."""
    output = _unwrap(output)
    if isinstance(output, list | tuple):
        return f"({', '.join(map(name_output, output))})"
    return repr(str(output) if isinstance(output, str) else output)


@lru_cache(maxsize=1 << 16)
def find_code(name: str) -> float:
    """Return a number that stands for a name, whatever names came before; one in 2^52 is the same for two names."""
    number = int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return float(2**52 + (number >> 12)) * FAR


def _read_array(given: Any) -> Floats | None:
    """Return an array of floats where all that is given are numbers; None for whatever else numpy makes of it."""
    try:
        found = np.asarray(given)
    except (ValueError, TypeError):
        return None
    return found.astype(np.float64) if found.size and found.dtype.kind in "biuf" else None


def _to_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def _unwrap(output: Any) -> Any:
    """Return what numpy wraps as Python has it."""
    return np.asarray(output).tolist() if hasattr(output, "__array__") else output


def _has_nan(output: Any) -> bool:
    output = _unwrap(output)
    if isinstance(output, list | tuple):
        return any(map(_has_nan, output))
    return isinstance(output, float | Decimal) and output != output
