"""Compositions of few losses that take few values: every sum is listed, with no grid at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.base.grid import Floats
from discreet.privacy.accountant.pairs import ERROR, LEAST, UNIT, Releases
from discreet.privacy.certified import Certified

ALIKE = 1e-14
"""Sums no further apart than this, relatively, count as one."""

MOST = 20_000
"""The most sums that are listed."""


@dataclass(frozen=True, eq=False)
class LossSums:
    """All sums of the losses in rising order, their P-masses, and the mass at infinity."""

    losses: Floats
    masses: Floats
    infinite: float


def can_enumerate(releases: Releases) -> bool:
    """Say whether all sums of the losses can be listed."""
    total = 1.0
    if sum(count for _, count in releases) > 64:
        return False
    for pair, count in releases:
        atoms = pair.atoms.shape[1]
        if pair.above is not None:
            return False
        total *= math.comb(count + atoms - 1, atoms - 1) if atoms**2 <= MOST else math.inf
    return total <= MOST


def enumerate_sums(releases: Releases) -> LossSums:
    """List all sums of losses."""
    losses, masses, finite = np.zeros(1), np.ones(1), 0.0
    for pair, count in releases:
        finite += count * math.log1p(-min(pair.infinite, 1 - UNIT))
        for _ in range(count):
            sums = (losses[:, None] + pair.atoms[0]).ravel()
            weights = (masses[:, None] * pair.masses[0]).ravel()
            order = np.argsort(sums)
            sums, weights = sums[order], weights[order]
            new = _find_distinct(sums)
            losses, masses = sums[new], np.add.reduceat(weights, np.flatnonzero(new))
    return LossSums(losses, masses, -math.expm1(finite))


def _find_distinct(sums: Floats) -> NDArray[np.bool_]:
    """Say which of the sorted sums differ from the one before by more than round-off.

    A chain of sums, each close to the next, may be long: it is cut where it has moved by as much.
    """
    new = np.append(True, np.diff(sums) > ALIKE * np.abs(sums[1:]))
    starts = sums[new][np.cumsum(new) - 1]
    moved = np.floor((sums - starts) / np.maximum(ALIKE * np.abs(starts), LEAST))
    new[1:] |= np.diff(moved) > 0
    return new


def bracket_enumerated(releases: Releases, epsilon: float) -> Certified:
    """Bracket delta(epsilon) by listing all sums."""
    return bracket_sums(enumerate_sums(releases), epsilon)


def bracket_sums(sums: LossSums, epsilon: float) -> Certified:
    """Bracket delta(epsilon) of listed sums; losses may be off by 1e-11 and masses by as much, relatively."""
    slack = 1e-11 * float(np.abs(sums.losses).max())
    low, high = (
        float(np.sum(sums.masses * -np.expm1(np.minimum(epsilon - sums.losses + shift, 0.0))))
        for shift in (slack, -slack)
    )
    return Certified(
        max(0.0, low * (1 - 1e-11) + sums.infinite * (1 - ERROR) - LEAST),
        min(1.0, high * (1 + 1e-11) + sums.infinite * (1 + ERROR) + LEAST),
    )
