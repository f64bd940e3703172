"""Arrays in memory as grid points: each entry a function of itself and of public bounds, and of nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import NumberFeature

POINTS = 1 << 20
"""Grid points between the bounds of a number."""


def read_matrix(given: Any, width: int | None = None, name: str = "the estimator") -> Floats:
    """Return rows of numbers as floats, or refuse what is no table of them; NaN and infinities are data."""
    if hasattr(given, "toarray"):
        raise ParameterError("X", "a sparse matrix", "dense: X.toarray()")
    held = np.asarray(given)
    if np.iscomplexobj(held):
        raise ParameterError("X", "complex numbers", "real numbers. Complex data not supported")
    try:
        found = held.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError.of_data("X", given, "numbers: encode categories with PublicEncoder") from None
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


def read_column_of(given: Any, rows: int) -> Any:
    """Return one value for each row, or refuse anything else."""
    if given is None:
        raise ParameterError("y", None, "given: it requires y to be passed, but the target y is None")
    found = np.asarray(given)
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


def group_units(units: Any, rows: int) -> tuple[Ints, Ints]:
    """Return the order that puts each unit's rows together, and where each unit begins, with the end."""
    given = np.asarray(units)
    if given.shape != (rows,):
        raise ParameterError("units", f"an array of shape {given.shape}", f"one name for each of {rows} rows")
    _, numbers = np.unique(given, return_inverse=True)
    order = np.argsort(numbers, kind="stable").astype(np.int64)
    counts = np.bincount(numbers)
    return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
