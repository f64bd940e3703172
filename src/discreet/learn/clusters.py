"""Clusters by a few of Lloyd's steps: each row goes to the nearest public centre, and noisy sums move the centres.

A step releases, for each cluster, how many rows it has and the sum of their features, as one vector with Gaussian
noise. Centres of the next step are post-processing, so they are public.

The first step is one with many more centres than are asked for, spread over the public bounds: its noisy numbers and
means are a coarse picture of the rows. The centres of this picture are found without looking at the rows again, by
Lloyd's steps on it from many beginnings, and are where the private steps begin (compare Su, Cao, Li, Bertino, Jin
2016, who begin from a noisy grid).

A cluster whose noisy number of rows is not above its noise tells nothing: its centre begins anew beside the largest
cluster's, along a public direction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.base import check
from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, Encoding, PlaceFeature, find_slices
from discreet.gradients.groups import FeatureSums, NearestGroups, bound_groups, bound_mean_noise
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

MOST_CENTRES = 1 << 10

ROUNDS = 6
"""Few: every step has a part of the allowance, and Lloyd's steps gain most at first."""

COARSE = 8
"""How many times as many centres the first step has."""

BEGINNINGS = 50
"""How often centres of the coarse picture are looked for; the best are taken."""

TRIES = 200
"""Points among which each of the first step's centres is chosen, the one farthest from those before."""

STRAY = 0.1
"""How far from the largest cluster's centre one begins anew that told nothing."""

QUIET = 2.0
"""A number of rows tells something where it is above so many standard deviations of its noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Centres in scaled features, a line each, and the noisy number of rows of each."""

    encoding: Encoding
    centres: Floats
    rows: Floats
    noise: Floats
    """A bound on the standard deviation of the noise in each coordinate of each centre."""

    def assign(self, rows: EncodedRows) -> Ints:
        """Return the nearest centre of each row."""
        return self.groups.find(rows)

    @property
    def groups(self) -> NearestGroups:
        """The rule by which rows are assigned, in whole numbers."""
        return hold_centres(self.centres)


def fit_clusters(
    source: GradientSource,
    encoding: Encoding,
    count: int,
    allowance: GaussianAllowance,
    rounds: int = ROUNDS,
    start: Floats | None = None,
    seed: int = 0,
) -> Clusters:
    """Return so many clusters, for all of an allowance; `start` gives first centres, which must be public."""
    check.integer("count", count, least=1, most=MOST_CENTRES)
    check.integer("rounds", rounds, least=2, most=1000)
    rng = np.random.default_rng(seed)
    clip = math.ceil(bound_groups(encoding) * math.sqrt(source.most_rows))
    part = allowance.take(Fraction(1, rounds))

    def draw(around: Floats) -> tuple[Floats, Floats, float]:
        entries, sigma = source.moments(FeatureSums(encoding, hold_centres(around), clip), part)
        lines = entries.reshape(len(around), encoding.width)
        return lines[:, :-1], lines[:, -1], sigma

    if start is None:
        wide = place_centres(encoding, min(COARSE * count, MOST_CENTRES), rng)
        centres = find_centres(*draw(wide), count, rng)
        rounds -= 1
    else:
        centres = np.clip(np.asarray(start, dtype=np.float64), -1, 1)
    counted, sigma = np.zeros(count), 1.0
    for _ in range(rounds):
        sums, counted, sigma = draw(centres)
        centres = move_centres(centres, sums, counted, sigma, rng)
    return Clusters(encoding, centres, np.maximum(counted, 0), bound_mean_noise(counted, sigma))


def find_centres(sums: Floats, counted: Floats, sigma: float, count: int, rng: np.random.Generator) -> Floats:
    """Return the centres of a coarse picture: noisy sums and numbers of rows around many points."""
    loud = counted > QUIET * sigma
    if loud.sum() <= count:
        loud = counted >= np.sort(counted)[-count]
    means = np.clip(sums[loud] / np.maximum(counted[loud], max(sigma, 1.0))[:, None], -1, 1)
    weights = np.maximum(counted[loud], 1.0)
    best, least = means[:count], math.inf
    for _ in range(BEGINNINGS):
        centres = means[rng.choice(len(means), count, replace=False, p=weights / weights.sum())]
        for _ in range(ROUNDS):
            near = measure_squares(means, centres).argmin(axis=1)
            for at in np.unique(near):
                own = near == at
                centres[at] = weights[own] @ means[own] / weights[own].sum()
        away = float(weights @ measure_squares(means, centres).min(axis=1))
        if away < least:
            best, least = centres, away
    return best


def move_centres(centres: Floats, sums: Floats, counted: Floats, sigma: float, rng: np.random.Generator) -> Floats:
    """Return the noisy means of clusters; one that tells nothing begins anew beside the largest."""
    moved = np.clip(sums / np.maximum(counted, max(sigma, 1.0))[:, None], -1, 1)
    quiet = counted < QUIET * sigma
    if not quiet.all():
        largest = moved[int(np.argmax(counted))]
        stray = rng.normal(size=(int(quiet.sum()), centres.shape[1])) * STRAY
        moved[quiet] = np.clip(largest + stray, -1, 1)
        return moved
    return centres


def place_centres(encoding: Encoding, count: int, rng: np.random.Generator) -> Floats:
    """Return rows that there could be, each far from those before: nobody's own rows have a part in them."""
    found = draw_possible_rows(encoding, 1, rng)
    while len(found) < count:
        tried = draw_possible_rows(encoding, TRIES, rng)
        farthest = int(measure_squares(tried, found).min(axis=1).argmax())
        found = np.vstack([found, tried[farthest]])
    return found


def draw_possible_rows(encoding: Encoding, count: int, rng: np.random.Generator) -> Floats:
    """Return scaled features drawn evenly from all that rows can have: numbers between bounds, one place of each."""
    found = np.zeros((count, encoding.width - 1))
    for part, feature in zip(find_slices(encoding.features), encoding.features, strict=True):
        if isinstance(feature, PlaceFeature):
            found[np.arange(count), part.start + rng.integers(feature.size, size=count)] = 1.0
        else:
            found[:, part.start] = rng.uniform(-1 if feature.centred else 0, 1, count)
    return found


def measure_squares(points: Floats, centres: Floats) -> Floats:
    """Return the square of each point's distance from each centre, a line for each point."""
    lengths = (points**2).sum(axis=1)[:, None] + (centres**2).sum(axis=1)
    return np.asarray(np.maximum(lengths - 2 * points @ centres.T, 0))


def hold_centres(centres: Floats) -> NearestGroups:
    """Return the rule of the nearest centre, in whole steps."""
    held = np.rint(np.clip(centres, -1, 1) * FEATURE_STEPS).astype(np.int64)
    return NearestGroups(tuple(tuple(line) for line in held.tolist()))
