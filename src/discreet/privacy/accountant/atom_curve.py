"""delta(epsilon) of one release whose losses are many atoms, prepared once so that every question is quick."""

from __future__ import annotations

import math

import numpy as np

from discreet.base.grid import Floats
from discreet.privacy.accountant.pairs import LEAST, UNIT, DominatingPair
from discreet.privacy.certified import Certified

DOUBT = 1e-11
"""How far losses may be off, as a part of the largest, and masses, relatively, beside the round-off of adding up."""


class AtomCurve:
    """The curve of a pair that has atoms only.

    delta(e) is the integral over x > e of e^x Pr_Q[L > x]: from atom to atom it grows by e^x times what lies beyond.
    All terms are positive and are added from the far end, so that only one unit of round-off for each is lost.
    """

    def __init__(self, pair: DominatingPair) -> None:
        assert pair.above is None
        assert pair.rows == 1
        used = np.argsort(pair.atoms[0])
        self._losses: Floats = pair.atoms[0, used]
        self._infinite = pair.infinite
        beyond = _add_from_end(pair.masses[0, used] * np.exp(-self._losses))
        rises = np.exp(self._losses[:-1]) * np.expm1(np.diff(self._losses)) * beyond[1:]
        self._deltas = np.append(_add_from_end(rises), 0.0)
        self._beyond = np.exp(self._losses) * beyond
        self._doubt = DOUBT + 8 * UNIT * (len(used) + 8)
        self._slack = DOUBT * float(np.abs(self._losses).max())

    def bracket(self, epsilon: float) -> Certified:
        """Bracket delta(epsilon)."""
        low, high = self._evaluate(epsilon + self._slack), self._evaluate(epsilon - self._slack)
        return Certified(
            max(0.0, low * (1 - self._doubt) + self._infinite * (1 - self._doubt) - LEAST),
            min(1.0, high * (1 + self._doubt) + self._infinite * (1 + self._doubt) + LEAST),
        )

    def _evaluate(self, epsilon: float) -> float:
        place = int(np.searchsorted(self._losses, epsilon))
        if place == len(self._losses):
            return 0.0
        ahead = float(self._losses[place]) - epsilon
        return float(self._deltas[place]) - math.expm1(-ahead) * float(self._beyond[place])


def _add_from_end(terms: Floats) -> Floats:
    """Return the sums over j >= i of terms[j], for every i."""
    found: Floats = np.cumsum(terms[::-1])[::-1]
    return found
