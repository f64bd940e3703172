"""Tests by ranks on noisy counts of people in bins: do groups have the same distribution, is one symmetric around 0?

People are counted by group and by bin of their value. A person is in one cell, so that each count has the noise of the
whole charge, however far one person can move a sum of ranks. Values within one bin are ties and have the bin's
midrank (Kruskal, Wallis 1952); how many people lie below a bin is taken from noisy counts of all groups.

Sums of ranks are over the deviation that sampling and noise give them, estimated from the same cells; gaps between
curves are counted in people. The law of each statistic under the null is simulated with sampling and noise
(`contingency.explain_tables`), where all of it is estimated again. Where the noisy counts are so few that they may be
noise alone nothing is told: p is 1.
"""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.curator.estimates.totals import bound_total
from discreet.robust.intervals.laws import Booleans, SumNoise
from discreet.robust.intervals.means import DOUBT_MISS, MOST_DOUBT
from discreet.robust.testing.contingency import (
    DRAWS,
    CellMeasure,
    ExpectedCells,
    expect_independence,
    explain_tables,
    find_variance,
)


def explain_equal_ranks(cells: Floats, noise: SumNoise, draws: int = DRAWS) -> tuple[Floats, Booleans]:
    """Return the p-value of Kruskal and Wallis' test for each table (groups down, bins across), and whether it tells.

    With two groups it is the test of Mann and Whitney (1947), of either side.
    """
    return _explain_where(check_groups(cells, noise), cells, noise, expect_independence, measure_ranks, draws)


def explain_equal_curves(cells: Floats, noise: SumNoise, draws: int = DRAWS) -> tuple[Floats, Booleans]:
    """Return the p-value of Kolmogorov and Smirnov's test of two groups, for each table, and whether it tells."""
    return _explain_where(check_groups(cells, noise), cells, noise, expect_independence, measure_gap, draws)


def explain_curve(
    cells: Floats, shares: tuple[float, ...], noise: SumNoise, draws: int = DRAWS
) -> tuple[Floats, Booleans]:
    """Return the p-value of Kolmogorov's test of public shares of the bins, for each row, and whether it tells."""
    wanted = np.asarray(shares)

    def expect(found: Floats) -> Floats:
        return np.broadcast_to(wanted, found.shape)

    def measure(found: Floats, own: SumNoise) -> Floats:
        return measure_curve(found, shares)

    return _explain_where(is_sure(cells, noise), cells, noise, expect, measure, draws)


def explain_symmetry(cells: Floats, noise: SumNoise, draws: int = DRAWS) -> tuple[Floats, Booleans]:
    """Return the p-value of Wilcoxon's signed ranks for each row of bins around 0, and whether it tells.

    The bins are an odd number, each but the middle one with its mirror image. Who is in the middle one has no sign and,
    as in Wilcoxon (1945), no rank.
    """
    enough = is_sure(_leave_middle(cells), noise)
    return _explain_where(enough, cells, noise, expect_symmetry, measure_signs, draws)


def measure_ranks(cells: Floats, noise: SumNoise) -> Floats:
    """Return how far the groups' sums of ranks are from what their sizes explain, in variances, added up.

    A group of n people has a sum of midranks, as shares of all, of n / 2 on average, with a variance of n times that of
    the midranks; each of its cells' noises is multiplied by the bin's distance from the middle rank.
    """
    groups, bins = cells.sum(axis=-1, keepdims=True), cells.sum(axis=-2, keepdims=True)
    total = np.maximum(cells.sum(axis=(-2, -1), keepdims=True), 1.0)
    ranks, shares = find_midranks(bins)
    away = ((cells - groups * bins / total) * ranks).sum(axis=-1)
    spread = (shares * ranks**2).sum(axis=-1)
    noisy = find_variance(noise) * (ranks**2).sum(axis=-1)
    found: Floats = (away**2 / (np.maximum(groups[..., 0], 0.5) * spread + noisy)).sum(axis=-1)
    return found


def find_midranks(counts: Floats) -> tuple[Floats, Floats]:
    """Return how far each bin's midrank is from the middle of all, as a share of all, and the shares of the bins.

    Noisy counts below 0 are taken for 0, so that ranks never fall from bin to bin.
    """
    held = np.maximum(counts, 0.0)
    shares = held / np.maximum(held.sum(axis=-1, keepdims=True), 1.0)
    return shares.cumsum(axis=-1) - shares / 2 - 0.5, shares


def measure_gap(cells: Floats, noise: SumNoise) -> Floats:
    """Return the largest gap between the curves of two groups, the shares of people up to each cut, in people.

    That is n1 n2 / (n1 + n2) times the gap. Sampling makes it the larger the more people there are, so that the upper
    end of their number is the safe side, whatever part of it is noise.
    """
    groups, bins = cells.sum(axis=-1, keepdims=True), cells.sum(axis=-2, keepdims=True)
    total = np.maximum(cells.sum(axis=(-2, -1), keepdims=True), 1.0)
    away = (cells - groups * bins / total)[..., 0, :].cumsum(axis=-1)
    found: Floats = np.abs(away).max(axis=-1)
    return found


def measure_curve(cells: Floats, shares: tuple[float, ...]) -> Floats:
    """Return the largest gap between a group's curve and that of public shares, in people likewise."""
    total = cells.sum(axis=-1, keepdims=True)
    away = (cells - total * np.asarray(shares)).cumsum(axis=-1)
    found: Floats = np.abs(away).max(axis=-1)
    return found


def expect_symmetry(cells: Floats) -> Floats:
    """Return how many people each bin would have if the values were symmetric around 0, above 0."""
    found: Floats = np.maximum((cells + cells[..., ::-1]) / 2, 0.5)
    return found


def measure_signs(cells: Floats, noise: SumNoise) -> Floats:
    """Return how far the sum of signed ranks is from 0, in deviations.

    Ranks are those of distances from 0. Given these, each sign is a fair coin under the null.
    """
    half = cells.shape[-1] // 2
    above, below = cells[..., -half:], cells[..., :half][..., ::-1]
    both = np.maximum(above + below, 0.0)
    ranks = find_midranks(both)[0] + 0.5
    signed = ((above - below) * ranks).sum(axis=-1)
    variance = (both * ranks**2 + 2 * find_variance(noise) * ranks**2).sum(axis=-1)
    found: Floats = np.abs(signed) / np.sqrt(np.maximum(variance, 1e-9))
    return found


def check_groups(cells: Floats, noise: SumNoise) -> Booleans:
    """Return which tables tell anything: all groups are sure to be there, and at least two bins hold somebody."""
    groups = is_sure(cells, noise).all(axis=-1)
    held = cells.sum(axis=-2) > bound_total(noise, cells.shape[-2], 2 * DOUBT_MISS)
    found: Booleans = groups & (held.sum(axis=-1) >= 2)
    return found


def is_sure(cells: Floats, noise: SumNoise) -> Booleans:
    """Return whether the number of people in all cells (the last axis) is certain to within a half."""
    found: Booleans = bound_total(noise, cells.shape[-1], 2 * DOUBT_MISS) < MOST_DOUBT * cells.sum(axis=-1)
    return found


def _leave_middle(cells: Floats) -> Floats:
    half = cells.shape[-1] // 2
    return np.concatenate([cells[..., :half], cells[..., -half:]], axis=-1)


def _explain_where(
    enough: Booleans, cells: Floats, noise: SumNoise, expect: ExpectedCells, measure: CellMeasure, draws: int
) -> tuple[Floats, Booleans]:
    """Return p-values, which are 1 where there is not enough."""
    found = np.ones(len(cells))
    found[enough] = explain_tables(cells[enough], noise, expect, measure, draws)
    return found, enough
