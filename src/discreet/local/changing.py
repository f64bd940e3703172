"""How many people have a bit that changes seldom, period by period: from reports of intervals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.local.client import ChangingBit, ChangingReport
from discreet.local.client.coins import ONE


@dataclass(frozen=True, eq=False)
class History:
    """The fraction of people whose bit is set at the end of each period, unbiased, with standard errors."""

    fractions: Floats
    errors: Floats


def count_changes(protocol: ChangingBit, reports: Iterable[ChangingReport]) -> Ints:
    """Return for each interval how many reports said 0 and 1; intervals lie level by level, the shortest first.

    Counts of parts add up. A report of an interval that there is none counts as nothing.
    """
    counts = np.zeros((2 * protocol.periods - 1, 2), dtype=np.int64)
    for level, interval, bit in reports:
        if 0 <= level < protocol.levels and 0 <= interval < protocol.periods >> level:
            counts[find_node(protocol, level, interval), int(bool(bit))] += 1
    return counts


def find_node(protocol: ChangingBit, level: int, interval: int) -> int:
    """Return the place of an interval among all: those of a level lie after those of all shorter ones."""
    return 2 * protocol.periods - (2 * protocol.periods >> level) + interval


def estimate_history(protocol: ChangingBit, counts: Ints) -> History:
    """Return the fraction of set bits after each period.

    Of people of one level, the mean report of an interval, as 1 and -1, is the mean net change in it times
    (2 truth - 1) / changes: a person watches each of its changes with the chance 1 / changes, and all else is even.
    Intervals that make up the periods so far are added, at most one of each level; their reports are independent, since
    a person sends those of one level only.
    """
    if counts.shape != (2 * protocol.periods - 1, 2):
        raise ParameterError("counts", counts.shape, f"a line of two for {2 * protocol.periods - 1} intervals")
    scale = protocol.changes / (2 * protocol.truth / ONE - 1)
    totals = counts.sum(axis=1)
    fractions, errors = np.zeros(protocol.periods), np.zeros(protocol.periods)
    for period in range(1, protocol.periods + 1):
        for level in range(protocol.levels):
            if period >> level & 1:
                node = find_node(protocol, level, (period >> level) - 1)
                if not totals[node]:
                    raise ParameterError("counts", level, "reports of every interval: more people, or fewer periods")
                mean = (counts[node, 1] - counts[node, 0]) / totals[node]
                fractions[period - 1] += scale * mean
                errors[period - 1] += scale**2 * (1 - mean**2) / totals[node]
    return History(fractions, np.sqrt(errors))
