"""Scores of outputs: learned from samples, higher where an output is likelier on the first input than on the second.

An event is a score above a threshold. Which scores are learned decides how much is found, never whether what is found
holds: an event is certified on fresh outputs (`lower_bound`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discreet.audit.blackbox.features import OutputFeature, OutputPart, find_largest, list_features, list_parts
from discreet.audit.blackbox.sums_of_parts import choose_precision, learn_sum
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.later import Later

optimize = Later("scipy.optimize")

KNOWN = "a LearnedScore(name, rate), whose `rate(rows)` gives an array with a number for each row"
"""What somebody gives who knows a score."""

Preparation = Callable[[Floats], Floats]

BINS = 100
"""Bins of a number, with about as many outputs in each."""

FEW_BINS, KNOTS = 30, 8
"""Bins of a number that is looked at together with its place, and how often what it tells may bend."""

MOST_PLACES = 64
"""Numbers of an output whose places are told apart, at the most."""

DOUBT = 2.0
"""How much more the scores of outputs with several numbers must show than the smooth one."""

LEAST_OF_A_KIND = 50
"""Outputs of a kind, on average, for kinds to be looked at one by one."""

MOST_KINDS = 4_096
"""Different outputs that are looked at one by one."""

FEW_KINDS = 1_100
"""Different outputs of which chance favours few."""

VERY_FEW_KINDS = 32
"""Different outputs of which each is believed as far as it was seen."""

SHRUNK = 0.5
"""What is added to every count, so that a bin that was never seen is no proof."""

MOST_FITTED = 10_000
"""Outputs of each input that single numbers of several are learned from; regressions on all, from twice as many."""

STEPS = 8
"""Steps of Newton's to the weights of a regression on cells."""

RIDGE = 1e-5
"""The price of a weight's square beside the mean loss of a regression."""


@dataclass(frozen=True, slots=True)
class LearnedScore:
    """A name for people, and a score for each row of outputs: about the logarithm of how much likelier it is."""

    name: str
    rate: Callable[[Floats], Floats]
    smooth: bool = False
    """Whether it is a smooth fit to few numbers, or few numbers, so that its own chances are better than counts."""
    doubt: float = 1.0
    """How much more than others it must show to be believed: there are many of its kind, or it has many parts."""
    most: int | None = None
    """By how many outputs on each input it is learned and judged, at the most: the rest is for better ones."""


def hold_to_numbers(score: LearnedScore) -> LearnedScore:
    """Return a score of somebody else's that is held to give a number for each row, or refuse what is no score."""
    if not isinstance(score, LearnedScore) or not callable(score.rate):
        raise ParameterError("score", score, KNOWN)

    def rate(rows: Floats) -> Floats:
        rated = score.rate(rows)
        try:
            found = np.asarray(rated, np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (len(rows),) or np.isnan(found).any():
            what = f"one whose `rate` gives {np.asarray(rated).ravel()[:3]!r} for rows of the shape {rows.shape}"
            raise ParameterError("score", what, KNOWN)
        return found

    return replace(score, rate=rate)


def learn_scores(first: Floats, second: Floats) -> Iterator[LearnedScore]:
    """Yield scores that tell outputs of the first input from those of the second."""
    width = first.shape[1]
    for part in list_parts(width):
        yield from _learn_kinds(part, first, second)
    if 1 < width <= MOST_PLACES:
        yield _learn_table(first, second)
        yield LearnedScore("the sum of what all numbers tell", learn_sum(first, second), smooth=True)
    most = None if width == 1 else MOST_FITTED
    left, right = first[:most], second[:most]
    features = list_features(left if not np.array_equal(left, np.rint(left)) else right)
    singles = [_learn_bins(feature, left, right, most) for feature in features]
    yield from singles
    if width > MOST_PLACES:
        yield _learn_regression(first[: 2 * MOST_FITTED], second[: 2 * MOST_FITTED])


def _learn_kinds(part: OutputPart, first: Floats, second: Floats) -> Iterator[LearnedScore]:
    """Score each output that occurs by how much oftener it does; no score where there are too many kinds.

    Where there are very few, a second score believes of each as much as it was seen often enough for: the first one is
    for a kind that is rare, and that one input never gives.
    """
    names = hash_rows(np.concatenate([part.cut(first), part.cut(second)]))
    if len(np.unique(names[:MOST_KINDS])) > MOST_KINDS // 4:
        return
    kinds, places = np.unique(names, return_inverse=True)
    if len(kinds) > min(MOST_KINDS, len(names) // LEAST_OF_A_KIND):
        return
    sides = places[: len(first)], places[len(first) :]

    def look_up(ratios: Floats, rows: Floats) -> Floats:
        own = hash_rows(part.cut(rows))
        where = np.minimum(np.searchsorted(kinds, own), len(kinds) - 1)
        return np.where(kinds[where] == own, ratios[where], 0.0)

    doubt = 1.0 if VERY_FEW_KINDS < len(kinds) <= FEW_KINDS else DOUBT
    yield LearnedScore(f"the whole output{part.name}", partial(look_up, _compare(*sides, len(kinds))), doubt=doubt)
    if len(kinds) <= VERY_FEW_KINDS:
        rate = partial(look_up, _compare_few(*sides, len(kinds)))
        yield LearnedScore(f"which output it is{part.name}", rate, smooth=True)


def hash_rows(rows: Floats) -> NDArray[np.uint64]:
    """Return a number for each row: equal ones for equal rows, and others for others as far as 64 bits allow."""
    bits = (rows + 0.0).view(np.uint64)
    found = np.zeros(len(rows), dtype=np.uint64)
    for column in bits.T:
        found = (found ^ column) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(29)
    return found


def _learn_bins(feature: OutputFeature, first: Floats, second: Floats, most: int | None) -> LearnedScore:
    """Score a number by its bin; numbers that are frequent have bins of their own."""
    left, right = feature.find(first), feature.find(second)
    edges = _cut(np.concatenate([left, right]), BINS)
    ratios = _compare(_place(edges, left), _place(edges, right), len(edges) + 1)
    doubt = 1.0 if most is None else DOUBT
    rate = lambda rows: np.asarray(ratios[_place(edges, feature.find(rows))])  # noqa: E731
    return LearnedScore(feature.name, rate, doubt=doubt, most=most)


def _learn_table(first: Floats, second: Floats) -> LearnedScore:
    """Score where the largest number is and which it is, together: what was told, and when.

    A logistic regression on cells: every place has a part of its own, and what the number tells bends at a few knots
    and grows evenly with the place. Outputs whose numbers are all as small as can be have told nothing.
    """
    width = first.shape[1]
    where, which = find_largest(OutputPart("", 0, width))
    least = min(float(which.find(rows).min()) for rows in (first, second))
    edges = _cut(np.concatenate([which.find(first), which.find(second)]), FEW_BINS)
    bins = len(edges) + 1

    def find_cells(rows: Floats) -> NDArray[np.int64]:
        largest = which.find(rows)
        place = np.where(largest <= least, width, where.find(rows)).astype(np.int64)
        return np.asarray(place * bins + _place(edges, largest))

    cells = np.arange((width + 1) * bins)
    place, level = cells // bins, (cells % bins + 0.5) / bins
    bends = np.maximum(0.0, np.arange(1, KNOTS + 1) / KNOTS - level[:, None]) * (place < width)[:, None]
    held = np.concatenate([np.eye(width + 1)[place], bends, bends * place[:, None] / width], axis=1)
    counts = [np.bincount(find_cells(rows), minlength=len(cells)) / len(rows) * len(first) for rows in (first, second)]
    ratios = held @ _fit_cells(held, *counts)
    return LearnedScore("where and which the largest is", lambda rows: ratios[find_cells(rows)], smooth=True)


def _fit_cells(held: Floats, first: Floats, second: Floats) -> Floats:
    """Return the weights of a logistic regression on cells that were seen so often first, and second.

    They are believed as far as the outputs warrant it, like those of `sums_of_parts`.
    """
    seen, weights = first + second, np.zeros(held.shape[1])
    width, turn = np.linalg.eigh((held * (seen / 4)[:, None]).T @ held)
    precision = choose_precision(np.maximum(width, 0.0), turn.T @ (held.T @ (first - seen / 2)))
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(held @ weights, -30, 30)))
        slope = held.T @ (first - seen * chance) - precision * weights
        bend = (held * (seen * chance * (1 - chance))[:, None]).T @ held + precision * np.eye(len(weights))
        weights = weights + np.linalg.solve(bend, slope)
    return weights


def _learn_regression(first: Floats, second: Floats) -> LearnedScore:
    """Score an output by a logistic regression on all its numbers (Bichsel and others 2021)."""
    label = np.repeat([1.0, -1.0], [len(first), len(second)])
    prepare = _scale(first, second)
    held = prepare(np.concatenate([first, second]))

    def lose(weights: Floats) -> tuple[float, Floats]:
        margins = label * (held @ weights)
        slopes = -label / (1 + np.exp(np.clip(margins, -500, 500)))
        price = float(np.logaddexp(0, -margins).mean() + RIDGE * weights @ weights)
        return price, slopes @ held / len(held) + 2 * RIDGE * weights

    weights = optimize.minimize(lose, np.zeros(held.shape[1]), jac=True, method="L-BFGS-B").x
    rate = lambda rows: np.asarray(prepare(rows) @ weights)  # noqa: E731
    return LearnedScore("a regression on all numbers", rate)


def _scale(first: Floats, second: Floats) -> Preparation:
    """Return what puts numbers around 0, and a constant beside them."""
    both = np.concatenate([first, second])
    centre, spread = np.median(both, axis=0), np.maximum(both.std(axis=0), 1e-12)

    def prepare(rows: Floats) -> Floats:
        scaled = np.clip((rows - centre) / spread, -8, 8)
        return np.concatenate([scaled, np.ones((len(rows), 1))], axis=1)

    return prepare


def _cut(values: Floats, bins: int) -> Floats:
    """Return the edges of bins with about as many numbers in each; of few different numbers, each has its own."""
    different = np.unique(values)
    if len(different) <= bins:
        return different
    return np.unique(np.quantile(values, np.arange(1, bins) / bins, method="lower"))


def _place(edges: Floats, values: Floats) -> NDArray[np.int64]:
    return np.searchsorted(edges, values, side="right")


def _compare(first: NDArray[np.int64], second: NDArray[np.int64], kinds: int) -> Floats:
    counts = [np.bincount(each, minlength=kinds) + SHRUNK for each in (first, second)]
    return np.log(counts[0] / len(first)) - np.log(counts[1] / len(second))


def _compare_few(first: NDArray[np.int64], second: NDArray[np.int64], kinds: int) -> Floats:
    """Return what few kinds tell, of each as much as it was seen often enough for: rare ones look good by chance."""
    counts = [np.bincount(each, minlength=kinds) for each in (first, second)]
    width = (counts[0] + counts[1]) / 4
    precision = choose_precision(width, (counts[0] - counts[1]) / 2)
    return _compare(first, second, kinds) * width / (width + precision)
