"""Clusters by a few of Lloyd's steps: each row goes to the nearest public centre, and noisy sums move the centres.

A step releases, for each cluster, how many rows it has and the sum of their features, as one vector with Gaussian
noise. Centres of the next step are post-processing, so they are public. They begin at points of a ball that are far
from one another (as in Su, Cao, Li, Bertino, Jin 2016), which nobody's rows have a part in; the first step moves them
to where the rows are.

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
from discreet.gradients.encoding import FEATURE_STEPS, EncodedRows, Encoding
from discreet.gradients.groups import GroupedSums, NearestGroups, bound_groups
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.source import GradientSource

ROUNDS = 6
"""Few: every step has a part of the allowance, and Lloyd's steps gain most at first."""

TRIES = 200
"""Points among which each first centre is chosen, the one farthest from those before."""

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

    def assign(self, rows: EncodedRows) -> Floats:
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
    check.integer("count", count, least=1, most=1 << 12)
    check.integer("rounds", rounds, least=1, most=1000)
    rng = np.random.default_rng(seed)
    centres = place_centres(encoding.width - 1, count, rng) if start is None else np.clip(start, -1, 1)
    clip = math.ceil(bound_groups(encoding) * math.sqrt(source.most_rows))
    part = allowance.take(Fraction(1, rounds))
    counted = np.zeros(count)
    for _ in range(rounds):
        sums = GroupedSums(encoding, hold_centres(centres), clip)
        entries, sigma = source.moments(sums, part)
        lines = entries.reshape(count, encoding.width)
        counted = lines[:, -1]
        centres = move_centres(centres, lines[:, :-1], counted, sigma, rng)
    return Clusters(encoding, centres, np.maximum(counted, 0))


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


def place_centres(width: int, count: int, rng: np.random.Generator) -> Floats:
    """Return points within [-1/2, 1/2] in every direction, each far from those before: a public beginning."""
    found = [rng.uniform(-0.5, 0.5, width)]
    while len(found) < count:
        tried = rng.uniform(-0.5, 0.5, (TRIES, width))
        near = np.min([((tried - each) ** 2).sum(axis=1) for each in found], axis=0)
        found.append(tried[int(near.argmax())])
    return np.array(found)


def hold_centres(centres: Floats) -> NearestGroups:
    """Return the rule of the nearest centre, in whole steps."""
    held = np.rint(np.clip(centres, -1, 1) * FEATURE_STEPS).astype(np.int64)
    return NearestGroups(tuple(tuple(line) for line in held.tolist()))
