"""Arrays in memory as grid points: each entry a function of itself and of public bounds, and of nothing else."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats, nearest_float
from discreet.base.wide import Ints, array_of, is_missing, is_real
from discreet.gradients.encoding import NumberFeature

POINTS = 1 << 20
"""Grid points between the bounds of a number."""


def read_matrix(given: Any, width: int | None = None, name: str = "the estimator") -> Floats:
    """Return rows of numbers as floats, or refuse what is no table of them; NaN and infinities are data."""
    if hasattr(given, "toarray"):
        raise ParameterError("X", "a sparse matrix", "dense: X.toarray()")
    held = array_of("X", given)
    if np.iscomplexobj(held):
        raise ParameterError("X", "complex numbers", "real numbers. Complex data not supported")
    found = to_floats("X", held)
    if found.ndim != 2 or found.shape[1] == 0:
        wanted = "a line for each row, and at least one column. Reshape your data"
        raise ParameterError("X", f"an array of shape {found.shape}", wanted)
    if width is not None and found.shape[1] != width:
        got = f"X has {found.shape[1]} features, but {name} is expecting {width} features as input"
        raise ParameterError("X", f"{found.shape[1]} columns", f"what it was fitted to ({got})")
    return found


def read_bounds(bounds: Any, width: int) -> tuple[Floats, Floats]:
    """Return the public bounds of each column, from a pair of numbers, or of lists with a number for each column."""
    try:
        lower, upper = (np.broadcast_to(np.asarray(each, dtype=np.float64), (width,)) for each in bounds)
    except (TypeError, ValueError):
        raise ParameterError("bounds", bounds, f"a pair (lower, upper) of numbers, or of lists of {width}") from None
    if not (np.isfinite(lower) & np.isfinite(upper) & (lower < upper)).all():
        raise ParameterError("bounds", bounds, "finite, and each lower bound below the upper one")
    return lower, upper


def to_floats(name: str, held: NDArray[Any]) -> Floats:
    """Return numbers as floats, each by itself: among objects, whatever is no number is missing."""
    if held.dtype == object:
        flat = [nearest_float(entry) if is_real(entry) else math.nan for entry in held.flat]
        return np.array(flat, dtype=np.float64).reshape(held.shape)
    if held.dtype.kind not in "biuf":
        raise ParameterError(name, f"an array of {held.dtype}", "numbers: encode categories with PublicEncoder")
    return held.astype(np.float64)


def read_column_of(given: Any, rows: int) -> Any:
    """Return one value for each row, or refuse anything else; no value changes the type of another."""
    if given is None:
        raise ParameterError("y", None, "given: it requires y to be passed, but the target y is None")
    found = array_of("y", given)
    if found.shape == (rows, 1):
        found = found[:, 0]
    if found.shape != (rows,):
        raise ParameterError("y", f"an array of shape {found.shape}", f"one value for each of {rows} rows")
    return found


def put_on_points(values: Floats, lower: Floats, upper: Floats) -> Ints:
    """Return values as points from 0 to POINTS; what is missing lies in the middle, and nothing is beyond."""
    with np.errstate(all="ignore"):
        scaled = (np.clip(values, lower, upper) - lower) / (upper - lower)
        return np.where(np.isnan(scaled), POINTS // 2, np.floor(scaled * POINTS + 0.5)).astype(np.int64)


def make_number_features(lower: Floats) -> tuple[NumberFeature, ...]:
    """Return the features of columns: from 0 to 1 where no value is below 0, so that 0 stays 0; else from -1 to 1."""
    return tuple(NumberFeature(at, 0, POINTS, centred=bool(low < 0)) for at, low in enumerate(lower))


def scale_to_data(weights: Floats, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return slopes per 1 of each column and intercepts, from weights of scaled features with the intercept last."""
    zero = np.where(lower < 0, (lower + upper) / 2, lower)
    one = np.where(lower < 0, (upper - lower) / 2, upper - lower)
    slopes = weights[:-1] / one[:, None]
    return slopes, weights[-1] - zero @ slopes


def place_labels(labels: Any, declared: list[Any]) -> Ints:
    """Return the place of each label among those declared, counted from 1, and 0 for any other."""
    places = {each: place for place, each in enumerate(declared, start=1)}
    return np.array([places.get(each, 0) if isinstance(each, Hashable) else 0 for each in labels.tolist()], np.int64)


def group_units(units: Any, points: Ints, most_rows: int) -> tuple[Ints, Ints]:
    """Return rows put together by unit, at most so many of each, and where each unit begins, with the end.

    Of a unit that has more rows, those whose points come first in order are kept: a function of its own rows. A row
    without a unit is left out. Units are told apart by Python's equality, value by value, so that no name changes
    another; floats are no names, since they are rounded.
    """
    given = array_of("units", units)
    if given.shape != (len(points),):
        raise ParameterError("units", f"an array of shape {given.shape}", f"one name for each of {len(points)} rows")
    if given.dtype.kind == "f":
        raise ParameterError("units", "an array of floats", "whole numbers or texts: floats are rounded")
    numbers: dict[Hashable, int] = {}
    listed = [numbers.setdefault(each, len(numbers)) if _is_name(each) else -1 for each in given.tolist()]
    unit = np.array(listed, dtype=np.int64)
    order = np.lexsort((*points.T[::-1], unit))
    order = order[unit[order] >= 0]
    begins = np.searchsorted(unit[order], np.arange(len(numbers)))
    ranks = np.arange(len(order)) - begins[unit[order]]
    kept = order[ranks < most_rows]
    counts = np.bincount(unit[kept], minlength=len(numbers))
    return points[kept], np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _is_name(entry: Any) -> bool:
    """Say whether an entry names a unit: nothing that is missing does, nor what is not equal to itself."""
    return isinstance(entry, Hashable) and not is_missing(entry) and bool(entry == entry)
