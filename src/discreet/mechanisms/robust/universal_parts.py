"""What Dong and Yi's universal estimators are made of: a radius, a range, random pairs and a scale, each private.

All whole numbers, in grid points. Between neighbours up to `rows` *steps* lie: one value is added, removed or replaced
by each (under replace as many values as possible are paired). What one step does is bounded here, and steps add up,
since pure losses along a chain of data sets do.

Random pairs (Lemma). Values are paired by a uniformly random matching; of an odd number one is left out, each as
likely. Then the pairs of two data sets one step apart can be drawn together, each with its own law, so that one pair
differs at the most: it is added, removed or replaced. Proof. A replaced value keeps its predecessor's partner. A value
x is added to an odd number: the one left out, which is uniform, becomes its partner, and that is a uniform matching of
all. To an even number: with probability 1 / (n + 1) x is left out; else a uniform y of the others is, and x takes its
place beside its partner: again every matching is as likely. So whatever is epsilon-differentially private for one
changed pair loses no more with random ones: what is told has the mean of its probabilities over matchings, and those of
two data sets are at most e^epsilon apart matching by matching.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet import noise
from discreet.base.cells import Cells
from discreet.base.rounding import ratio_up
from discreet.mechanisms.additive import fitting_scale
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.robust.unbounded import REACH
from discreet.mechanisms.sparse_vector import SparseVector

WholePoints = NDArray[np.int64]

TOP = (2 * REACH).bit_length() - 1
"""The power of two that no distance of two values exceeds: the last radius, which is told without a question."""

FEW = 8
"""How many values, times rows over epsilon, may lie beyond a radius."""

THRESHOLD = Fraction(2, 3)
"""Of a radius's epsilon, for the noise of the threshold."""

EIGHTH = 8
"""A scale is a distance that an eighth of the pairs are within: between two values inside the middle half it would be a
quarter of them, so that noise and chance seldom make it larger than the interquartile range."""


def find_radius(distances: WholePoints, epsilon: float, rows: int) -> int:
    """Return the first power of two that all but a few distances are within, by a sparse vector: pure epsilon.

    Theorem (Dong, Yi 2023, with Lyu, Su, Li 2017, Theorem 3). Question i is minus the number of distances beyond 2^i.
    One step (a distance added, removed or replaced) moves all questions in one direction, by at most 1 each: those
    of a distance are 1 up to a power and 0 from there on. So the questions are monotone along each step, a run loses at
    most 1 / threshold_scale + 1 / question_scale for it, and `rows` times that between neighbours.

    A few are 8 rows / epsilon. Where nothing is beyond, a run goes on past it one time in twenty, and ten powers
    further one time in six thousand: two thirds of epsilon are for the threshold, whose noise is drawn once and lasts.
    What is beyond where a run ends is O(rows / epsilon log log of the largest distance) with high probability.
    """
    made = make_radius_run(epsilon, rows)
    few = math.ceil(FEW * rows / Fraction(epsilon))
    run, ordered = made.start(), np.sort(distances)
    for power in range(TOP):
        beyond = len(ordered) - int(np.searchsorted(ordered, 1 << power, side="right"))
        if run.decide(-beyond, -few):
            return 1 << power
    return 1 << TOP


def make_radius_run(epsilon: float, rows: int) -> SparseVector:
    """Return the sparse vector of `find_radius`."""
    scales = [ratio_up(rows, Fraction(epsilon) * share) for share in (THRESHOLD, 1 - THRESHOLD)]
    threshold, question = (fitting_scale(scale, "epsilon", epsilon) for scale in scales)
    return SparseVector(threshold, question, monotone=True)


def find_range(values: WholePoints, epsilons: tuple[float, float, float], rows: int, moved: int) -> tuple[int, int]:
    """Return a center and a radius around it that hold all but a few values: pure, the sum of the three epsilons.

    Theorem (Dong, Yi 2023). A radius around 0, a median of values held within it, and the radius around that median
    are private one after another; the range is at most four times as wide as the values with high probability, however
    far from 0 they are. A step moves a median by two values where one is replaced: `moved` of them in all.
    """
    first, middle, last = epsilons
    outer = min(find_radius(np.abs(values), first, rows), REACH)
    center = draw_quantile(values, Fraction(1, 2), 0, outer, middle, moved)
    return center, find_radius(np.abs(values - center), last, rows)


def draw_quantile(values: WholePoints, share: Fraction, center: int, radius: int, epsilon: float, moved: int) -> int:
    """Return a private quantile of values held within a radius of a center (`Quantile`: pure, by inverse sensitivity).

    Its error in ranks is O(log(radius) / epsilon).
    """
    held = np.clip(values - (center - radius), 0, 2 * radius)
    cells = Cells(*np.unique(held, return_counts=True))
    return Quantile(share, 2 * radius + 1, epsilon, moved, sides=Fraction(0)).release(cells).value + center - radius


def pair_up(values: WholePoints) -> WholePoints:
    """Return the distances of values in random pairs; of an odd number one is left out."""
    mixed = values[draw_order(len(values))]
    half = len(mixed) // 2
    found: WholePoints = np.abs(mixed[:half] - mixed[half : 2 * half])
    return found


def draw_order(size: int) -> WholePoints:
    """Return the whole numbers below `size` in an order drawn at random, every one as likely.

    By random words that all differ: where two are alike, all are drawn again.
    """
    while True:
        words = noise.uniform_int(2**63, size)
        order = np.argsort(words)
        if np.all(np.diff(words[order]) > 0):
            return order


def find_scale(distances: WholePoints, epsilon: float, rows: int) -> int:
    """Return a distance that is seldom larger than the interquartile range, from those of random pairs: pure epsilon.

    Half the first power of two that a noisy eighth of the pairs are within; 0 where that is the first one.

    Theorem (Lyu, Su, Li 2017, Theorem 2). Question i is eight times the pairs within 2^i minus all pairs. A pair that
    is added or removed moves it by 7 or by 1, one that is replaced by 8 at the most; so do `rows` of them together.
    """
    run, ordered = make_scale_run(epsilon, rows).start(), np.sort(distances)
    for power in range(TOP):
        within = int(np.searchsorted(ordered, 1 << power, side="right"))
        if run.decide(EIGHTH * within - len(ordered), 0):
            return (1 << power) // 2
    return 1 << TOP


def make_scale_run(epsilon: float, rows: int) -> SparseVector:
    """Return the sparse vector of `find_scale`."""
    return SparseVector.calibrate(epsilon, 1, EIGHTH * rows)
