"""The absolute form of Kruskal and Wallis' statistic, for comparison: what a noisy sum of ranks would need.

K = sum over groups of |sum of centred midranks|, times 4 (n - 1) / n^2 (Couch, Kazan, Shi, Bray, Groce 2019).

Theorem. The n-th person beside n - 1 others changes the sum by at most n - 1. By one more person each other's rank
grows by 1, 1/2 or 0 and the middle of all ranks by 1/2, so that their centred ranks move by 1/2 at most, (n - 1) / 2
together; the new one is at most (n - 1) / 2 away from the middle. So
- under replace neighbours, with a public n, K moves by 2 (n - 1) * 4 (n - 1) / n^2 < 8;
- under add-remove neighbours the factor moves too. It is at most 4 / n, falls by at most 4 / n^2 from n >= 2 people on,
  and the sum is at most n^2 / 4: K moves by less than 4 + 1 = 5. But then n is private, and so are the sizes of groups:
  what K is compared with needs noisy counts of them, which have to be paid for as well.

No test here uses it: counts by bin need as few people (`bench/robust.py`), and tell groups' sizes and effects too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats

REPLACE_SENSITIVITY = 8
ADD_REMOVE_SENSITIVITY = 5


def find_ranks(values: Floats) -> Floats:
    """Return midranks along the last axis, from 1 up; equal values share theirs.

    >>> find_ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    ordered = np.sort(values, axis=-1)
    found = np.empty(values.shape)
    for place in np.ndindex(values.shape[:-1]):
        sides = (np.searchsorted(ordered[place], values[place], side=side) for side in ("left", "right"))
        found[place] = (sum(sides) + 1) / 2
    return found


def measure_absolute_ranks(ranks: Floats, groups: NDArray[np.intp]) -> Floats:
    """Return K for each row of midranks; `groups` says which group each column is in."""
    people = ranks.shape[-1]
    centred = ranks - (people + 1) / 2
    sums = np.stack([centred[..., groups == each].sum(axis=-1) for each in np.unique(groups)], axis=-1)
    found: Floats = np.abs(sums).sum(axis=-1) * 4 * (people - 1) / people**2
    return found
