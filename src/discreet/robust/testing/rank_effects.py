"""Effect sizes from noisy counts of people in bins, with intervals for sampling and noise together.

All are means of scores that bins have, or largest gaps between curves. A mean of scores h over n people in bins is
T / n with T = sum of c h; it errs by sum of e (h - mean) / n, where e is what sampling and noise add to each bin. So
its variance is that of people's scores over n, plus the noise's times the sum of (h - mean)^2 over n^2.
"""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import SumNoise, find_quantile, find_reach
from discreet.robust.testing.contingency import (
    DRAWS,
    SEED,
    EffectEnds,
    draw_noise,
    draw_people,
    find_variance,
    split_runs,
)


def bound_superiority(
    first: Floats, second: Floats, noise: SumNoise, miss: float, counts: tuple[int, int] = (1, 1)
) -> EffectEnds:
    """Return the probability that somebody of the first group is above somebody of the second, ties counting half.

    `counts` says how many noisy counts each of the two groups' bins (the last axis) were added up from. The estimate is
    the mean of the first group's scores, which are midranks among the second, and as well one minus the other way
    round: it errs by what both sums err, and by their product, which is small where both groups are sure to be there.
    """
    one, two = _find_shares(first, miss), _find_shares(second, miss)
    below, above = _rank_among(two), 1 - _rank_among(one)
    raw = [each / np.maximum(each.sum(axis=-1, keepdims=True), 1.0) for each in (first, second)]
    estimate = np.clip((raw[0] * _rank_among(raw[1])).sum(axis=-1), 0.0, 1.0)
    middle = (one * below).sum(axis=-1)
    errors = [
        _find_variances(cells, shares, scores, middle, count * find_variance(noise))
        for cells, shares, scores, count in zip((first, second), (one, two), (below, above), counts, strict=True)
    ]
    reach = find_reach(errors[0][0] + errors[1][0], errors[0][1] + errors[1][1], miss)
    return estimate, np.maximum(estimate - reach, 0.0), np.minimum(estimate + reach, 1.0)


def bound_signs(cells: Floats, noise: SumNoise, miss: float) -> EffectEnds:
    """Return the share of people in the bins above the middle one minus that of those below it, and an interval."""
    half = cells.shape[-1] // 2
    scores = np.sign(np.arange(cells.shape[-1]) - half).astype(float)
    shares = _find_shares(cells, miss)
    estimate = np.clip((cells * scores).sum(axis=-1) / np.maximum(cells.sum(axis=-1), 1.0), -1.0, 1.0)
    middle = (shares * scores).sum(axis=-1)
    reach = find_reach(*_find_variances(cells, shares, scores, middle, find_variance(noise)), miss)
    return estimate, np.maximum(estimate - reach, -1.0), np.minimum(estimate + reach, 1.0)


def bound_gap(cells: Floats, against: Floats | None, noise: SumNoise, miss: float, draws: int = DRAWS) -> EffectEnds:
    """Return the largest gap between the curves of two groups, or of one and that of public shares, and an interval.

    There is one for each table: groups down, bins across. A curve is the share of people up to each cut. Two largest
    gaps differ by no more than the largest error of the difference between the curves (the triangle inequality); how
    large that is, is simulated at the estimated shares.
    """
    target = 0.0 if against is None else np.cumsum(against)
    gap = np.abs(_subtract_curves(cells) - target).max(axis=-1)
    rng = np.random.default_rng(SEED)
    held = np.maximum(cells, 0.0) + 0.5
    shares = held / held.sum(axis=-1, keepdims=True)
    counts = np.maximum(np.round(cells.sum(axis=-1)), 1.0).astype(np.int64)
    reach = np.empty(len(cells))
    for rows in split_runs(len(cells), draws * cells[0].size):
        drawn = [draw_people(shares[rows, each], counts[rows, each], draws, rng) for each in range(cells.shape[1])]
        together = np.stack(drawn, axis=-2)
        noisy = together + draw_noise(noise, together.shape, rng)
        errors = np.abs(_subtract_curves(noisy) - _subtract_curves(held[rows])[:, None]).max(axis=-1)
        reach[rows] = np.quantile(errors, 1 - miss, axis=-1)
    return np.minimum(gap, 1.0), np.clip(gap - reach, 0.0, 1.0), np.minimum(gap + reach, 1.0)


def _subtract_curves(groups: Floats) -> Floats:
    """Return the first group's curve, minus the second's where there are two (the last axis but one)."""
    curves = groups.cumsum(axis=-1) / np.maximum(groups.sum(axis=-1, keepdims=True), 1.0)
    found: Floats = curves[..., 0, :] if groups.shape[-2] == 1 else curves[..., 0, :] - curves[..., 1, :]
    return found


def _rank_among(shares: Floats) -> Floats:
    """Return which share is below each bin, and half of that in it."""
    return shares.cumsum(axis=-1) - shares / 2


def _find_shares(cells: Floats, miss: float) -> Floats:
    """Return the shares of bins, none below 0, with z^2 people more, evenly spread, as in Agresti and Coull (1998).

    So no group whose people seem to be all in one bin is taken to have no sampling error.
    """
    held = np.maximum(cells, 0.0) + find_quantile(miss) ** 2 / cells.shape[-1]
    found: Floats = held / held.sum(axis=-1, keepdims=True)
    return found


def _find_variances(
    cells: Floats, shares: Floats, scores: Floats, middle: Floats, variance: float
) -> tuple[Floats, Floats]:
    """Return the variances of a mean of scores by sampling and by noise."""
    people = np.maximum(cells.sum(axis=-1), 1.0)
    squares = (scores - middle[..., None]) ** 2
    return (shares * squares).sum(axis=-1) / people, variance * squares.sum(axis=-1) / people**2
