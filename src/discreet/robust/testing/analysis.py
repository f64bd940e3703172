"""Are the means of several groups equal? A one-way analysis of variance on noisy sums.

Each group's mean errs by a law of its own (`means.err_of_mean`): a normal of the sampling error, bounded from above,
plus noise. The statistic is the weighted spread of the means around their common one, weighted by these laws'
variances, so that groups may have different spreads (Welch 1951). Its law under the null is simulated from the same
laws: the spread is a quadratic form that grows with every error, so that bounds from above are on the safe side.
"""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats
from discreet.robust.intervals.laws import Booleans, ErrorLaw
from discreet.robust.intervals.means import err_of_mean
from discreet.robust.intervals.sums import ValueSums
from discreet.robust.testing.contingency import DRAWS, SEED


def explain_equal_means(groups: list[ValueSums], miss: float, draws: int = DRAWS) -> tuple[Floats, Booleans]:
    """Return how probable means so far apart are if they are equal, for each run; `miss` is for all variances.

    Beside it stands whether all groups have enough people to say: where they have not, it is 1.
    """
    found = [err_of_mean(each, miss / len(groups)) for each in groups]
    means = np.stack([mean for mean, _, _ in found], axis=-1)
    enough: Booleans = np.all([each for _, _, each in found], axis=0)
    weights = np.stack([1 / np.maximum(law.deviation, 1e-300) ** 2 for _, law, _ in found], axis=-1)
    rng = np.random.default_rng(SEED)
    own = measure_spread(means, weights)
    values = np.ones(len(means))
    for place in np.flatnonzero(enough):
        errors = np.stack([_draw_errors(law, int(place), draws, rng) for _, law, _ in found], axis=-1)
        nulls = measure_spread(errors, weights[place])
        values[place] = (1 + float(np.sum(nulls >= own[place]))) / (1 + draws)
    return values, enough


def measure_spread(means: Floats, weights: Floats) -> Floats:
    """Return the weighted squared distances of means (the last axis) from their weighted mean, added up."""
    middle = (weights * means).sum(axis=-1, keepdims=True) / weights.sum(axis=-1, keepdims=True)
    found: Floats = (weights * (means - middle) ** 2).sum(axis=-1)
    return found


def _draw_errors(law: ErrorLaw, place: int, draws: int, rng: np.random.Generator) -> Floats:
    """Return simulated errors of one mean in one run."""
    found: Floats = rng.normal(0.0, np.sqrt(law.variance[place]), draws)
    for scale in law.scales:
        found = found + rng.laplace(0.0, np.broadcast_to(scale, law.variance.shape)[place], draws)
    return found
