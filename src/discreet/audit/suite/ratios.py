"""How likely outputs of sparse vectors are, from the formulas of their noise: what an audit could know at the best.

A run depends on one threshold. Given it, all questions are answered independently: so the chance of an output is one
integral over the threshold, taken here as a sum on a fine grid with the kinks of all densities on it. An answer that
was told multiplies it with its density and leaves the thresholds below it. Told answers are taken before they are
rounded, which tells no less.

The ratio of two chances is the best score there is (Neyman, Pearson 1933), and the best event against a claim is what
it puts above a threshold: `find_best` says by how many deviations so many fresh pairs exceed the claim there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.audit.blackbox.betting import LARGEST
from discreet.audit.blackbox.events import find_excess
from discreet.audit.blackbox.expecting import EventAim
from discreet.audit.blackbox.patterns import InputPair
from discreet.audit.suite.sparse_vectors import ABOVE, ENDED, SILENT, THRESHOLD, SparseVectorSpecimen
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats

STEP = 0.1
"""Of the grid: whole numbers, where the kinks are, lie on it."""

REACH = 20.0
"""The grid ends so many scales of the threshold's noise away."""


@dataclass(frozen=True, slots=True)
class BestEvent:
    """The best event between two inputs, and what it shows."""

    pair: InputPair
    epsilon: float
    """The largest logarithm of a ratio among the outputs that were drawn."""
    likely: float
    unlikely: float
    excess: float
    """By how many deviations fresh pairs are expected to exceed the claim."""


def find_chances(variant: SparseVectorSpecimen, rows: Floats, answers: Sequence[float]) -> Floats:
    """Return the logarithm of how likely outputs are on an input; of answers that were told, how dense."""
    if variant.renew:
        raise ParameterError("variant", variant, "one that keeps its threshold: chances of others are not known")
    most = round(REACH * variant.threshold_scale / STEP)
    noise = np.arange(-most, most + 1, dtype=np.float64) * STEP
    weight = _find_density(noise, variant.threshold_scale) * STEP
    under = [_find_below(noise + THRESHOLD - answer, variant.answer_scale) for answer in answers]
    said = np.where(rows == ENDED, 2, rows > SILENT if variant.tell else rows == ABOVE)
    names = said.astype(np.int64) @ 3 ** np.arange(said.shape[1])
    _, starts, places = np.unique(names, return_index=True, return_inverse=True)
    order = np.argsort(places, kind="stable")
    found = np.empty(len(rows))
    for kind, here in zip(said[starts], np.split(order, np.cumsum(np.bincount(places))[:-1]), strict=True):
        chance = weight.copy()
        for word, part in zip(kind, under, strict=True):
            if word == 0 or (word == 1 and not variant.tell):
                chance *= part if word == 0 else 1 - part
        found[here] = _sum_up(chance, noise, rows[here][:, kind == 1], np.asarray(answers)[kind == 1], variant)
    return found


def find_best(
    variants: Sequence[SparseVectorSpecimen], pairs: Sequence[InputPair], aim: EventAim, outputs: int
) -> BestEvent:
    """Return the best event against a claim between all pairs, for variants that stand side by side.

    Outputs that are drawn are rated by their true ratio; how likely an event is comes of the ratios, too.
    """
    turned = [pair for first, second in pairs for pair in ((first, second), (second, first))]
    found = [_find_best(variants, pair, aim, outputs) for pair in turned]
    return max(found, key=lambda event: event.excess)


def _find_best(variants: Sequence[SparseVectorSpecimen], pair: InputPair, aim: EventAim, outputs: int) -> BestEvent:
    rated = np.zeros((2, outputs))
    for variant in (replace(each, rounded=False) for each in variants):
        for side, given in enumerate(pair):
            rows = variant.watch(given, outputs)
            chances = [find_chances(variant, rows, answers) for answers in pair]
            rated[side] += np.clip(chances[0] - chances[1], -LARGEST, LARGEST)
    excess, threshold = find_excess(rated[0], rated[1], aim.claim or 0.0, aim)
    share = 1 / (1 + np.exp(-rated.ravel()))
    event = rated.ravel() >= threshold
    likely, unlikely = (2 * float((part * event).mean()) for part in (share, 1 - share))
    return BestEvent(pair, float(rated.max()), likely, unlikely, excess)


def _sum_up(chance: Floats, noise: Floats, told: Floats, answers: Floats, variant: SparseVectorSpecimen) -> Floats:
    """Return the logarithms of sums over all thresholds; where answers are told, over those that they all reach."""
    if not variant.tell or not told.shape[1]:
        total = float(chance.sum())
        return np.full(len(told), math.log(total) if total else -math.inf)
    lowest = told.min(axis=1) - THRESHOLD
    with np.errstate(divide="ignore"):
        reached = np.log(np.interp(lowest, noise, np.cumsum(chance) - chance / 2))
    return np.asarray(reached + np.log(_find_density(told - answers, variant.answer_scale)).sum(axis=1))


def _find_density(values: Floats, scale: float) -> Floats:
    return np.asarray(np.exp(-np.abs(values) / scale) / (2 * scale))


def _find_below(values: Floats, scale: float) -> Floats:
    """Return how likely noise is below numbers."""
    if not scale:
        return np.where(values > 0, 1.0, 0.0)
    tail = np.exp(-np.abs(values) / scale) / 2
    return np.where(values > 0, 1 - tail, tail)
