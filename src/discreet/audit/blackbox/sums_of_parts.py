"""A score that adds up what each number of an output tells: for sequences and tables whose whole outputs are many.

A logistic regression on cells: every number falls into one of a few cells, frequent numbers into one of their own, and
so do sums and the place of the largest. What a cell tells is believed as far as the outputs warrant it: the weights
have a normal law whose width is the one that makes the outputs the likeliest (MacKay 1992). So a score that was learned
from few outputs is near 0 rather than far from the truth, and its own chances may be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.audit.blackbox.features import OutputFeature, find_largest, list_parts
from discreet.base.grid import Floats
from discreet.base.later import Later

sparse = Later("scipy.sparse")

CELLS = 8
"""Cells of the numbers of one place that are not frequent."""

FREQUENT = 0.02
"""Numbers that are at least this part of all at their place have a cell of their own."""

MOST_CELLS = 512
"""Cells in all, about: of many numbers each has fewer."""

STEPS = 12
"""Steps to the weights."""

CURVED = 100
"""Outputs for each cell that say how the cells go together: the direction of a step, never where the steps end."""

PRECISIONS = np.geomspace(0.1, 1e7, 49)
"""How narrow the law of the weights may be."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """What numbers of an output fall into which cells, numbered through."""

    features: tuple[OutputFeature, ...]
    edges: tuple[Floats, ...]

    @property
    def count(self) -> int:
        return sum(len(each) + 1 for each in self.edges)

    def find(self, rows: Floats) -> NDArray[np.int64]:
        """Return the cell of each feature, a row for each output."""
        found = np.empty((len(rows), len(self.features)), dtype=np.int64, order="F")
        start = 0
        for place, (feature, edges) in enumerate(zip(self.features, self.edges, strict=True)):
            found[:, place] = start + np.searchsorted(edges, feature.find(rows), side="right")
            start += len(edges) + 1
        return found


def learn_sum(first: Floats, second: Floats) -> Callable[[Floats], Floats]:
    """Return a score: the logarithm of how much likelier an output is on the first input, cell by cell."""
    cells = _cut(first, second)
    if not cells.features:
        return lambda rows: np.zeros(len(rows))
    weights = _fit(cells.find(first), cells.find(second), cells.count)
    return lambda rows: np.asarray(weights[cells.find(rows)].sum(axis=1))


def _cut(first: Floats, second: Floats) -> _Cells:
    """Return cells for every number and for a few made of all; what is always the same tells nothing."""
    width = first.shape[1]
    made = [find_largest(list_parts(width)[0])[0]]
    made += [_add(part.start, part.stop) for part in list_parts(width)]
    features = [OutputFeature(f"number {place}", _take(place)) for place in range(width)] + made
    most = max(2, min(CELLS, MOST_CELLS // len(features)))
    edges = [_find_edges(np.concatenate([each.find(first), each.find(second)]), most) for each in features]
    kept = [place for place, each in enumerate(edges) if len(each)]
    return _Cells(tuple(features[place] for place in kept), tuple(edges[place] for place in kept))


def _take(place: int) -> Callable[[Floats], Floats]:
    return lambda rows: rows[:, place]


def _add(start: int, stop: int) -> OutputFeature:
    return OutputFeature("a sum", lambda rows: rows[:, start:stop].sum(axis=1))


def _find_edges(values: Floats, most: int) -> Floats:
    """Return where cells begin; none where all numbers are equal."""
    different, counts = np.unique(values, return_counts=True)
    if len(different) <= most:
        return different[1:]
    common = different[counts >= FREQUENT * len(values)]
    rest = values[~np.isin(values, common)]
    edges = [common, np.nextafter(common, np.inf)]
    if len(rest):
        edges.append(np.quantile(rest, np.arange(1, most) / most, method="lower"))
    return np.unique(np.concatenate(edges))


def _fit(first: NDArray[np.int64], second: NDArray[np.int64], count: int) -> Floats:
    """Return a weight for each cell.

    Steps are Newton's with the curvature at 0, which is the largest: each comes nearer (Boehning, Lindsay 1988).
    """
    cells = np.concatenate([first, second])
    label = np.repeat([1.0, 0.0], [len(first), len(second)])
    offset = np.log(len(first) / len(second))
    curve, slope = _find_curve(cells, count), _gather(cells, label - 1 / (1 + np.exp(-offset)), count)
    width, turn = np.linalg.eigh(curve)
    width = np.maximum(width, 0.0)
    precision = choose_precision(width, turn.T @ slope)
    weights = np.zeros(count)
    for _ in range(STEPS):
        rated = weights[cells].sum(axis=1) + offset
        missed = label - 1 / (1 + np.exp(-np.clip(rated, -30, 30)))
        step = turn @ ((turn.T @ (_gather(cells, missed, count) - precision * weights)) / (width + precision))
        weights += step
        if np.abs(step).max() < 1e-4:
            break
    return weights


def choose_precision(width: Floats, slope: Floats) -> float:
    """Return the precision of the weights under which the outputs are the likeliest, by the curvature at 0."""
    total = width + PRECISIONS[:, None]
    likely = (slope**2 / total + np.log(PRECISIONS[:, None] / total)).sum(axis=1)
    return float(PRECISIONS[np.argmax(likely)])


def _gather(cells: NDArray[np.int64], values: Floats, count: int) -> Floats:
    """Return the sum of values in each cell."""
    found = np.zeros(count)
    for column in cells.T:
        found += np.bincount(column, weights=values, minlength=count)
    return found


def _find_curve(cells: NDArray[np.int64], count: int) -> Floats:
    """Return how often two cells go together, a quarter of it: the curvature of the loss where nothing is known."""
    places = np.linspace(0, len(cells) - 1, min(len(cells), CURVED * count)).astype(np.int64)
    part = cells[places]
    starts = np.arange(0, part.size + 1, part.shape[1])
    held = sparse.csr_matrix((np.ones(part.size), part.ravel(), starts), shape=(len(part), count))
    found = np.asarray((held.T @ held).toarray()) * (len(cells) / len(places) / 4)
    alone = _gather(cells, np.full(len(cells), 0.25), count)
    np.fill_diagonal(found, np.maximum(found.diagonal(), alone))
    return found
