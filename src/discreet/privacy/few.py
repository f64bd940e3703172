"""Compositions of few losses that take few values: every sum is listed, with no grid at all."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from discreet.privacy.certified import Certified
from discreet.privacy.pairs import ERROR, UNIT, Floats, Pair

LEAST = 1e-300
"""Below this floats lose digits, so that much is added to upper bounds on delta and taken from lower ones."""

Parts = list[tuple[Pair, int]]
Law = tuple[Floats, Floats, float]

ALIKE = 1e-14
"""Sums no further apart than this, relatively, count as one."""

MOST = 20_000
"""The most sums that are listed."""


def few(parts: Parts) -> bool:
    """Say whether all sums of the losses can be listed."""
    total = 1.0
    if sum(count for _, count in parts) > 64:
        return False
    for pair, count in parts:
        if pair.above is not None:
            return False
        total *= (
            math.comb(count + pair.atoms.shape[1] - 1, pair.atoms.shape[1] - 1)
            if pair.atoms.shape[1] ** 2 <= MOST
            else math.inf
        )
    return total <= MOST


def listed(parts: Parts) -> Law:
    """Return all sums of losses, their P-masses, and the mass at infinity."""
    losses, masses, finite = np.zeros(1), np.ones(1), 0.0
    for pair, count in parts:
        finite += count * math.log1p(-min(pair.infinite, 1 - UNIT))
        for _ in range(count):
            sums = (losses[:, None] + pair.atoms[0]).ravel()
            weights = (masses[:, None] * pair.masses[0]).ravel()
            order = np.argsort(sums)
            sums, weights = sums[order], weights[order]
            new = _apart(sums)
            losses, masses = sums[new], np.add.reduceat(weights, np.flatnonzero(new))
    return losses, masses, -math.expm1(finite)


def _apart(sums: Floats) -> NDArray[np.bool_]:
    """Say which of the sorted sums differ from the one before by more than round-off.

    A chain of sums, each close to the next, may be long: it is cut where it has moved by as much.
    """
    new = np.append(True, np.diff(sums) > ALIKE * np.abs(sums[1:]))
    starts = sums[new][np.cumsum(new) - 1]
    moved = np.floor((sums - starts) / np.maximum(ALIKE * np.abs(starts), LEAST))
    new[1:] |= np.diff(moved) > 0
    return new


def few_delta(parts: Parts, epsilon: float) -> Certified:
    """Bracket delta(epsilon)."""
    return law_delta(listed(parts), epsilon)


def law_delta(law: Law, epsilon: float) -> Certified:
    """Bracket delta(epsilon) of a listed law; losses may be off by 1e-11 and masses by as much, relatively."""
    losses, masses, infinite = law
    slack = 1e-11 * float(np.abs(losses).max())
    low, high = (
        float(np.sum(masses * -np.expm1(np.minimum(epsilon - losses + shift, 0.0)))) for shift in (slack, -slack)
    )
    return Certified(
        max(0.0, low * (1 - 1e-11) + infinite * (1 - ERROR) - LEAST),
        min(1.0, high * (1 + 1e-11) + infinite * (1 + ERROR) + LEAST),
    )
