"""Bootstrap sums over units: each unit counts a random number of times, anew in every resample. For the desk alone.

A resample of n units drawn n times (Efron 1979) needs n, and what one unit counts for depends on all others. So each
unit counts w times, w drawn for itself: nearly Poisson with mean 1 (Hanley, MacGibbon 2006), with public probabilities
that are whole multiples of 2^-53 and at most seven.

Theorem. Let a unit's vector be at most C long, and the noise N(0, sigma^2) in each entry. With the unit, one resample
is a mixture of Gaussians that lie w C / sigma deviations away at most, with the probabilities of w; without it, it is
the one at 0. These two dominate (`privacy/losses/gaussian_mixture.py`): shorter vectors are further noise on the same
pair. Weights and noises of resamples are independent, so that their losses compose; no asymptotic formula is used. This
is for add-remove neighbours: a unit that replaces another draws weights of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from discreet import noise as draws
from discreet.base import check
from discreet.base.errors import OperationError
from discreet.base.grid import Floats
from discreet.base.wide import Ints, WideInts
from discreet.curator.door.clipping import Clip, Norm, clip_vectors
from discreet.curator.door.sums import AT_ONCE, to_values
from discreet.curator.door.unit_functions import UnitFunction, apply_function
from discreet.engines.result import ExactRows, split_units
from discreet.mechanisms import Gaussian
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy import Loss
from discreet.privacy.losses.gaussian_mixture import GaussianMixtureLoss

BITS = 53
MOST_WEIGHT = 7
MOST_RESAMPLES = 2_000
MOST_NUMBERS = 1 << 20
"""Entries of all resamples together: what one unit adds to is done in some milliseconds."""


def _list_chances() -> tuple[int, ...]:
    """Return the probability of each weight, in parts of 2^53: the nearest to 1 / (e w!), the rest for the largest."""
    chances = [round(2**BITS / math.factorial(weight) / math.e) for weight in range(MOST_WEIGHT)]
    return (*chances, 2**BITS - sum(chances))


CHANCES = _list_chances()


def draw_weights(units: int) -> Ints:
    """Return how often each unit counts in one resample."""
    found: Ints = np.searchsorted(np.cumsum(CHANCES)[:-1], draws.uniform_int(2**BITS, units), side="right")
    return found


def lose_resamples(clip: Clip, noise: Gaussian, resamples: int) -> Loss:
    """Return the loss of so many resamples, each with noise of its own."""
    each = Fraction(clip.steps) / Fraction(noise.sigma)
    weights = [float(Fraction(chance, 2**BITS)) for chance in CHANCES]
    return GaussianMixtureLoss([weight * each for weight in range(MOST_WEIGHT + 1)], weights) * resamples


def check_resamples(plan: RowsPlan, noise: object, resamples: object, dimension: int) -> int:
    """Return the number of resamples, or refuse what the theorem does not cover, or would take a unit too long."""
    if plan.factor != 1:
        raise OperationError("resamples are for add-remove neighbours: write neighbours = 'add-remove' into the policy")
    if type(noise) is not Gaussian or noise.grid is not None:
        raise OperationError("resamples have Gaussian noise, in whole steps: give Gaussian(sigma) without a grid")
    return check.integer("resamples", resamples, least=1, most=min(MOST_RESAMPLES, MOST_NUMBERS // dimension))


def sum_resamples(
    plan: RowsPlan,
    exact: ExactRows,
    function: UnitFunction,
    clip: Clip,
    resamples: int,
    dimension: int | None = None,
    weigh: Callable[[int], Ints] = draw_weights,
) -> list[list[int]]:
    """Return the exact sums of all resamples, in steps: private. `dimension` is as in `sum_units`.

    The loss is that of `draw_weights`; whoever gives other weights looks at the sums and releases nothing.
    """
    dimension = function.dimension if dimension is None else dimension
    total: WideInts = np.zeros((resamples, dimension), dtype=object)
    for first, last in split_units(exact.offsets, max(1, AT_ONCE // max(dimension, len(plan.columns)))):
        offsets = exact.offsets[first : last + 1]
        rows: Floats = to_values(plan, exact.points[offsets[0] : offsets[-1]])
        vectors = clip_vectors(apply_function(function, dimension, rows, offsets - offsets[0]), clip, Norm.L2)
        for place in range(resamples):
            total[place] = total[place] + (vectors * weigh(last - first)[:, None]).sum(axis=0)
    return [[int(each) for each in line] for line in total]
