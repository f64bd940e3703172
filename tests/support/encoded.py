"""Rows for tests of exact sums over features, and their features from the definition."""

from __future__ import annotations

import numpy as np

from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature

ENCODING = Encoding(
    (NumberFeature(0, -10, 10), PlaceFeature(1, 4), NumberFeature(2, 0, 1000, centred=False), PlaceFeature(3, 3)),
    LabelColumn(4, -2, 5, -FEATURE_STEPS, FEATURE_STEPS),
)
EXTREMES = [-(2**62), -1, 0, 1, 2, 7, 999, 2**40, 2**62]


def draw_points(rng: np.random.Generator, rows: int) -> Ints:
    """Return points of which some lie far outside all bounds."""
    usual = rng.integers([-12, -1, -5, 0, -1], [13, 5, 1005, 4, 4], size=(rows, 5))
    wild = rng.choice(EXTREMES, size=usual.shape)
    return np.where(rng.random(usual.shape) < 0.1, wild, usual)


def draw_units(rng: np.random.Generator, units: int, most: int) -> Ints:
    """Return where the rows of units begin and end, each with up to so many."""
    return np.concatenate([[0], np.cumsum(rng.integers(1, most + 1, size=units))]).astype(np.int64)


def remove_unit(points: Ints, offsets: Ints, unit: int) -> tuple[Ints, Ints, Ints]:
    """Return the rows of all other units, where these begin and end, and the rows of the unit."""
    first, last = int(offsets[unit]), int(offsets[unit + 1])
    counts = np.delete(np.diff(offsets), unit)
    left = np.delete(points, slice(first, last), axis=0)
    return left, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), points[first:last]


def expand_features(encoding: Encoding, line: list[int]) -> list[int]:
    """Return one row's features one by one, the intercept last, from the definition, in Python's integers."""
    found = []
    for each in encoding.features:
        point = line[each.column]
        if isinstance(each, PlaceFeature):
            place = min(max(point - each.first, 0), each.size - 1)
            found += [FEATURE_STEPS * (place == at) for at in range(each.size)]
            continue
        held = min(max(point, each.lower), each.upper)
        if each.centred:
            doubled = 2 * held - each.lower - each.upper
            size = abs(doubled) * FEATURE_STEPS // (each.upper - each.lower)
            found.append(size if doubled >= 0 else -size)
        else:
            found.append((held - each.lower) * FEATURE_STEPS // (each.upper - each.lower))
    return [*found, FEATURE_STEPS]
