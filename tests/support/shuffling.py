"""Shuffled reports of few people, by listing every histogram: a second computation, apart from the source."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

Histogram = dict[tuple[int, ...], float]


def shuffle(reports: Sequence[Sequence[float]]) -> Histogram:
    """Return the law of how often each answer occurs, given every person's probabilities of the answers."""
    found: Histogram = {(0,) * len(reports[0]): 1.0}
    for report in reports:
        after: Histogram = defaultdict(float)
        for counts, mass in found.items():
            for answer, share in enumerate(report):
                after[*counts[:answer], counts[answer] + 1, *counts[answer + 1 :]] += mass * share
        found = dict(after)
    return found


def find_stick(one: Histogram, two: Histogram, epsilon: float) -> float:
    """Return delta(epsilon) in one direction."""
    return math.fsum(max(0.0, p - math.exp(epsilon) * two.get(at, 0.0)) for at, p in one.items())


def find_delta(before: Histogram, after: Histogram, epsilon: float) -> float:
    """Return delta(epsilon), the worse of both directions."""
    return max(find_stick(before, after, epsilon), find_stick(after, before, epsilon))


def respond(epsilon: float, categories: int) -> list[list[float]]:
    """Return the probabilities of all answers of k-ary randomized response, one row a true value."""
    odds = math.exp(epsilon)
    return [
        [(odds if answer == truth else 1.0) / (odds + categories - 1) for answer in range(categories)]
        for truth in range(categories)
    ]
