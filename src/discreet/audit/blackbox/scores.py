"""Scores of outputs: learned from samples, higher where an output is likelier on the first input than on the second.

An event is a score above a threshold. Which scores are learned decides how much is found, never whether what is found
holds: an event is certified on fresh outputs (`lower_bound`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.audit.blackbox.features import MOST_COLUMNS, list_features
from discreet.base.grid import Floats
from discreet.base.later import Later

optimize = Later("scipy.optimize")

Preparation = Callable[[Floats], Floats]

BINS = 200
"""Bins of a number, with about as many outputs in each."""

MOST_KINDS = 4_096
"""Different outputs that are looked at one by one."""

SHRUNK = 0.5
"""What is added to every count, so that a bin that was never seen is no proof."""

MOST_FITTED = 50_000
"""Outputs of each input that a regression is fitted to."""


@dataclass(frozen=True, slots=True)
class LearnedScore:
    """A name for people, and a score for each row of outputs."""

    name: str
    rate: Callable[[Floats], Floats]


def learn_scores(first: Floats, second: Floats) -> Iterator[LearnedScore]:
    """Yield scores that tell outputs of the first input from those of the second."""
    whole = _learn_kinds(first, second)
    if whole is not None:
        yield whole
    singles = [
        _learn_bins(name, place, left, right)
        for place, ((name, left), (_, right)) in enumerate(
            zip(list_features(first), list_features(second), strict=True)
        )
    ]
    yield from singles
    width = first.shape[1]
    if width > 1:
        yield _learn_regression("a regression on all numbers", _scale(first, second), first, second)
        columns = singles[: min(width, MOST_COLUMNS)]
        yield _learn_regression("a regression on the bins of all numbers", _rate_all(columns), first, second)


def _learn_kinds(first: Floats, second: Floats) -> LearnedScore | None:
    """Score each output that occurs by how much oftener it does; None where there are too many."""
    names = hash_rows(np.concatenate([first, second]))
    if len(np.unique(names[:MOST_KINDS])) > MOST_KINDS // 4:
        return None
    kinds, places = np.unique(names, return_inverse=True)
    if len(kinds) > MOST_KINDS:
        return None
    ratios = _compare(places[: len(first)], places[len(first) :], len(kinds))

    def rate(rows: Floats) -> Floats:
        own = hash_rows(rows)
        where = np.minimum(np.searchsorted(kinds, own), len(kinds) - 1)
        return np.where(kinds[where] == own, ratios[where], 0.0)

    return LearnedScore("the whole output", rate)


def hash_rows(rows: Floats) -> NDArray[np.uint64]:
    """Return a number for each row: equal ones for equal rows, and others for others as far as 64 bits allow."""
    bits = (np.ascontiguousarray(rows) + 0.0).view(np.uint64)
    found = np.zeros(len(rows), dtype=np.uint64)
    for column in bits.T:
        found = (found ^ column) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def _learn_bins(name: str, place: int, first: Floats, second: Floats) -> LearnedScore:
    """Score a number by its bin; numbers that are frequent have bins of their own."""
    both = np.concatenate([first, second])
    values = np.unique(both)
    edges = values if len(values) <= BINS else np.unique(np.quantile(both, np.arange(1, BINS) / BINS, method="lower"))
    ratios = _compare(
        np.searchsorted(edges, first, side="right"), np.searchsorted(edges, second, side="right"), len(edges) + 1
    )

    def rate(rows: Floats) -> Floats:
        own = next(values for number, (_, values) in enumerate(list_features(rows)) if number == place)
        return np.asarray(ratios[np.searchsorted(edges, own, side="right")])

    return LearnedScore(name, rate)


def _learn_regression(name: str, prepare: Preparation, first: Floats, second: Floats) -> LearnedScore:
    """Score an output by a logistic regression (Bichsel and others 2021) on numbers that are prepared from it."""
    left, right = first[:MOST_FITTED], second[:MOST_FITTED]
    label = np.repeat([1.0, -1.0], [len(left), len(right)])
    held = prepare(np.concatenate([left, right]))

    def lose(weights: Floats) -> tuple[float, Floats]:
        margins = label * (held @ weights)
        slopes = -label / (1 + np.exp(np.clip(margins, -500, 500)))
        return float(np.logaddexp(0, -margins).mean()), slopes @ held / len(held)

    weights = optimize.minimize(lose, np.zeros(held.shape[1]), jac=True, method="L-BFGS-B").x
    return LearnedScore(name, lambda rows: np.asarray(prepare(rows) @ weights))


def _scale(first: Floats, second: Floats) -> Preparation:
    """Return what puts numbers around 0, and a constant beside them."""
    both = np.concatenate([first[:MOST_FITTED], second[:MOST_FITTED]])
    centre, spread = np.median(both, axis=0), np.maximum(both.std(axis=0), 1e-12)

    def prepare(rows: Floats) -> Floats:
        scaled = np.clip((rows - centre) / spread, -8, 8)
        return np.concatenate([scaled, np.ones((len(rows), 1))], axis=1)

    return prepare


def _rate_all(scores: Sequence[LearnedScore]) -> Preparation:
    """Return what writes down what each score says of an output, and a constant beside it."""

    def prepare(rows: Floats) -> Floats:
        return np.stack([*(each.rate(rows) for each in scores), np.ones(len(rows))], axis=1)

    return prepare


def _compare(first: NDArray[np.int64], second: NDArray[np.int64], kinds: int) -> Floats:
    counts = [np.bincount(each, minlength=kinds) + SHRUNK for each in (first, second)]
    return np.log(counts[0] / len(first)) - np.log(counts[1] / len(second))
