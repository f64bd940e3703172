"""A correlation of two columns over people: of noisy means of products, those of four tell how far it errs by sampling.

Let x and y be a person's values in deviations from their means, and r the correlation. The person's part in r is
p = x y - r (x^2 + y^2) / 2 (Devlin, Gnanadesikan, Kettenring 1975), 0 on average, and the sampling variance of r is the
mean of p^2 over the number of people, as far as r is a straight line. With m_ij the mean of x^i y^j,

    mean of p^2 = (1 + r^2 / 2) m_22 + r^2 / 4 (m_40 + m_04) - r (m_31 + m_13),

which is (1 - r^2)^2 for normal values. So means of products of up to four values tell it. These are released beside
those of pairs, half as large: with a length of sqrt(6 + 9 / 4) a person's vector needs a sixth more noise than sqrt(6).
Where that noise drowns them, public bounds say what p^2 is on average at the most.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import comb

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.bootstrap_ends import SmoothFunction
from discreet.robust.intervals.moments import ScaledColumn, list_pairs, spread_columns, write_entries

PAIRED = 5
"""Entries of a person's vector that are values and products of two."""

POWERS = tuple((degree - second, second) for degree in (3, 4) for second in range(degree + 1))
"""Of the two columns, in products of three and four values."""

HALF = 0.5
"""By which these products are multiplied."""


def write_products(scales: Sequence[ScaledColumn]) -> list[str]:
    """Return a person's vector in SQL: two scaled columns, products of two, and halves of products of three and four.

    Those are between -1 and 1, and between -1/2 and 1/2.
    """
    one, other = (scale.write(place) for place, scale in enumerate(scales))
    higher = (" * ".join([repr(HALF), *[one] * first, *[other] * second]) for first, second in POWERS)
    return [*write_entries(scales, list_pairs(2)), *higher]


def correlate(means: Floats) -> Floats:
    """Return the correlation of two columns, NaN where a noisy variance is not positive; noise may make it exceed 1."""
    _, spread = spread_columns(means[..., :PAIRED], 2)
    first, second = spread[..., 0, 0], spread[..., 1, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = spread[..., 0, 1] / np.sqrt(first * second)
    return np.where((first > 0) & (second > 0), found, np.nan)[..., None]


def limit_by_bounds(means: Floats) -> Floats:
    """Return the most that the mean square of one person's part can be, of all people within the bounds.

    Let x and y be values in deviations from their means: their squares are 1 on average, and at most what the bounds
    allow. The size of x y - r (x^2 + y^2) / 2 is at most (1 + |r|) (x^2 + y^2) / 2, and its mean square at
    most its largest size times its mean size. With q^2 = 1 - r^2 and e = (y - r x) / q, which has the square 1 on
    average as well, it is also q^2 (r (x^2 - e^2) / 2 + q x e), of a size of at most q^2 (|r| + q) (x^2 + e^2) / 2;
    and the same with x and y exchanged. The least of the three bounds holds.
    """
    single, spread = spread_columns(means[..., :PAIRED], 2)
    size = np.abs(correlate(means)[..., 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        largest = (1 + np.abs(single)) ** 2 / np.diagonal(spread, axis1=-2, axis2=-1)
        found = (1 + size) ** 2 / 2 * largest.sum(axis=-1)
        rest = np.sqrt(np.maximum(1 - size**2, 0.0))
        for one, other in ((0, 1), (1, 0)):
            left = (np.sqrt(largest[..., other]) + size * np.sqrt(largest[..., one])) ** 2 / rest**2
            straight = rest**4 * (size + rest) ** 2 / 2 * (largest[..., one] + left)
            found = np.where(rest > 0, np.minimum(found, straight), found)
    told: Floats = found[..., None]
    return told


def measure_part(means: Floats) -> Floats:
    """Return the mean square of one person's part, from means of products of four; noise may make it negative."""
    own = correlate(means)[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        least, third, both, first, most = find_fours(means)
        found: Floats = (1 + own**2 / 2) * both + own**2 / 4 * (least + most) - own * (third + first)
    return found[..., None]


def find_fours(means: Floats) -> list[Floats]:
    """Return the means of products of four values in deviations from their means: x^4, x^3 y, and so on."""
    single, spread = spread_columns(means[..., :PAIRED], 2)
    raw = dict(zip(((1, 0), (0, 1), (2, 0), (1, 1), (0, 2)), np.moveaxis(means[..., :PAIRED], -1, 0), strict=True))
    raw |= {powers: means[..., PAIRED + place] / HALF for place, powers in enumerate(POWERS)}
    raw[0, 0] = np.ones(means.shape[:-1])
    away = [_list_powers(-single[..., column]) for column in (0, 1)]
    sizes = [_list_powers(1 / np.sqrt(spread[..., column, column])) for column in (0, 1)]
    found = []
    for first, second in POWERS[-5:]:
        places = product(range(first + 1), range(second + 1))
        terms = [
            comb(first, one) * comb(second, other) * away[0][first - one] * away[1][second - other] * raw[one, other]
            for one, other in places
        ]
        found.append(sum(terms[1:], terms[0]) * sizes[0][first] * sizes[1][second])
    return found


def _list_powers(base: Floats) -> list[Floats]:
    """Return the powers up to the fourth."""
    square = base * base
    return [np.ones_like(base), base, square, square * base, square * square]


def limit_part(means: Floats) -> Floats:
    """Return the mean square of one person's part, or what the bounds say that it is at the most, if that is less."""
    found: Floats = np.minimum(np.maximum(measure_part(means), 0.0), limit_by_bounds(means))
    return found


CORRELATION = SmoothFunction(correlate, limit_part)
