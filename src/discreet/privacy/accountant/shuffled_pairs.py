"""Dominating pairs of shuffled reports: see `losses.shuffled` for the theorem.

All have the same form. The reports that matter are `tosses` fair coins, but that one of them is the person's own; P
weighs heads by e^epsilon and tails by 1, Q the other way round. How many coins there are is random.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.base.grid import Floats
from discreet.privacy.accountant.binomials import CountLaw, choose_edges, find_law, join_counts
from discreet.privacy.accountant.pairs import UNIT, DominatingPair

BLOCKS = 256
"""The most numbers of coins that are told apart."""

FEWEST = 16
"""Where people are so many that their number of coins hardly varies."""

FINE = 1e-5
"""What telling fewer numbers apart may add to epsilon, about, as a part of it."""

POINTS = 32
"""Into how many points a standard deviation is divided: that adds 1e-4 of epsilon at most."""

CACHED = 8
"""How many pairs are kept, of some megabytes each."""


@lru_cache(maxsize=CACHED)
def make_shuffled(growth: Fraction, count: int, clones: Fraction) -> DominatingPair:
    """Return the pair of one among `count` reports, each other of which is a clone with probability `clones`.

    Here growth = e^epsilon - 1. A clone is a fair coin, so that with c clones there are c + 1 coins. Fewer coins are
    worse: a further one can be added by who sees the others. So a block of numbers counts as its least. Heads are
    moved to points further out that keep their mean, which keeps P- and Q-mass and only raises the curve. What the
    laws leave out counts with the largest loss there is, epsilon; P has at most twice the mass of coins.
    """
    law = find_law(count - 1, clones)
    losses, masses, outside = [], [], law.outside
    for block in join_counts(law, choose_edges(law, _choose_blocks(law))):
        coins = block.least + 1
        lead, tosses, lost = _spread_coins(coins)
        losses.append(_find_losses(float(growth), coins, lead))
        masses.append(2 * block.mass / (2 + float(growth)) * _weigh(float(growth), coins, lead) / coins * tosses)
        outside += 2 * block.mass * lost
    return _make_pair([*losses, np.array([math.log1p(growth)])], [*masses, np.array([outside])])


@lru_cache(maxsize=CACHED)
def make_ternary(growth: Fraction, count: int) -> DominatingPair:
    """Return a pair below that of shuffled ternary randomized response, where all others have the third value.

    An answer is the truth with probability e / (e + 2). The coins are the answers 0 and 1, and the person's answer may
    be 2 as well: of n answers, c of them coins, P weighs (e heads + tails + (n - c) / e) / n, Q likewise. Throwing
    away coins until a block's least number is left, and merging points, is post-processing.
    """
    odds = 1 + growth
    law = find_law(count, 2 / (odds + 2))
    losses, masses = [], []
    for block in join_counts(law, choose_edges(law, _choose_blocks(law))):
        thrown = Fraction(block.excess)
        rest = float((odds + 1) * thrown / 2 + (count - block.least - thrown) / odds)
        lead, tosses = _merge_coins(block.least)
        losses.append(_find_losses(float(growth), block.least, lead, rest))
        masses.append(block.mass * (_weigh(float(growth), block.least, lead) + rest) / count * tosses)
    return _make_pair(losses, masses)


@lru_cache(maxsize=CACHED)
def make_binary(growth: Fraction, count: int) -> DominatingPair:
    """Return a pair below that of shuffled binary randomized response, where all others have the value 1.

    An answer is a lie with probability 1 / (e + 1). P is where the person has the value 1 too: zeros are binomial. To
    that Q, where it is 0, has the density (e zeros + ones / e) / n, which is 1 + growth (1 + 1 / e) (zeros - m) / n
    with m = n / (e + 1). Merging neighbours is post-processing. This direction costs more than the other.
    """
    odds = 1 + growth
    law = find_law(count, 1 / (odds + 1))
    places, masses = _merge(law)
    off = float(law.first - count / (odds + 1)) + places
    return _make_pair([-np.log1p(float(growth * (1 + 1 / odds) / count) * off)], [masses])


def _choose_blocks(law: CountLaw) -> int:
    """Return how many numbers of coins to tell apart."""
    middle = law.first + len(law.masses) // 2
    return max(FEWEST, min(BLOCKS, math.ceil(2 * law.spread / (FINE * (middle + 1)))))


def _choose_step(law: CountLaw) -> int:
    return max(1, int(law.spread / POINTS))


def _spread_coins(coins: int) -> tuple[Floats, Floats, float]:
    """Return the law of heads minus tails with masses moved out to fewer points, and a bound on what it leaves out."""
    law = find_law(coins, Fraction(1, 2))
    step = _choose_step(law)
    rows, share = _cut(law.masses, step), np.arange(step) / step
    moved: Floats = np.append(rows @ (1 - share), 0.0)
    moved[1:] += rows @ share
    kept = moved[:-1] if step == 1 else moved
    lead: Floats = 2 * law.first - coins + 2.0 * step * np.arange(len(kept), dtype=np.float64)
    return lead, kept, law.outside


def _merge_coins(coins: int) -> tuple[Floats, Floats]:
    """Return the law of heads minus tails with neighbours merged at their mean."""
    law = find_law(coins, Fraction(1, 2))
    places, masses = _merge(law)
    return 2 * law.first - coins + 2 * places, masses


def _merge(law: CountLaw) -> tuple[Floats, Floats]:
    """Return neighbours merged: how far their means lie above the first count, and their masses."""
    step = _choose_step(law)
    rows = _cut(law.masses, step)
    merged = rows.sum(axis=1)
    return step * np.arange(len(rows)) + rows @ np.arange(step, dtype=np.float64) / merged, merged


def _cut(law: Floats, step: int) -> Floats:
    """Return the law in rows of `step`, the last one filled up with nothing."""
    return np.append(law, np.zeros(-len(law) % step)).reshape(-1, step)


def _weigh(growth: float, coins: int, lead: Floats) -> Floats:
    """Return e^epsilon heads + tails, for heads - tails = lead."""
    return coins + growth * (coins + lead) / 2


def _find_losses(growth: float, coins: int, lead: Floats, rest: float = 0.0) -> Floats:
    """Return ln of (e heads + tails + rest) / (heads + e tails + rest)."""
    found: Floats = np.log1p(growth * lead / (_weigh(growth, coins, -lead) + rest))
    return found


def _make_pair(losses: list[Floats], masses: list[Floats]) -> DominatingPair:
    """Return a pair of these atoms."""
    atoms, weights = np.concatenate(losses)[None, :], np.concatenate(masses)[None, :]
    return DominatingPair(None, None, atoms=atoms, masses=weights, doubt=8 * UNIT * float(np.abs(atoms).max()))
