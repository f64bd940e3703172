"""A test of a claim in stages: between them what is looked at may change, and no confidence is lost.

Before each stage a pair of inputs, an event and a direction are frozen, by whatever was seen before; the size of every
stage was fixed from the start. If the claim holds of the mechanism, it holds between all neighbours, so the p-value of
each stage (`direct`) is, whatever came before, uniform on [0, 1] or larger. Theorem (Bauer, Köhne 1994; Lehmacher,
Wassmer 1999): then z = sum_k w_k Phi^-1(1 - p_k), with fixed weights whose squares add up to 1, exceeds t with
probability at most 1 - Phi(t). For each Phi^-1(1 - p_k) is at most a standard normal number that is independent of all
before, and their weighted sum is standard normal. The counts themselves must not be added up: events that are chosen
between stages would stop the sum at a moment of their choice.

One stage that looked at the wrong event must not undo the others, so none counts for less than -c deviations. With K
stages that costs K Phi(-c), which is added: max(z_k, -c) is at most that standard normal number unless it is below -c.

A stage whose event no output is in, on either input, is a fair coin, and five of them may all fall well. No more is
refuted by that than so many outputs can show at all, if all of one side were in the event and none of the other's
(`loudest`).

What is refuted is the claim for the mechanism: that it holds between all the pairs that were looked at. For a mu the
tangent must be fixed before the first stage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.direct import TINY, ClaimTest, DirectTest
from discreet.base.grid import Floats
from discreet.base.later import Later

special = Later("scipy.special")

LEAST = -6.0
"""Deviations that a stage counts for at the least: five stages pay 5e-9 for it."""


@dataclass(frozen=True, slots=True)
class StagedTest(ClaimTest):
    """The tests of all stages, in their order; a stage weighs by its pairs, whose number was fixed before."""

    tests: tuple[DirectTest, ...]

    @property
    def pairs(self) -> float:
        """How many pairs all stages counted."""
        return sum(test.pairs for test in self.tests)

    def test_claims(self, epsilons: Floats, deltas: Floats) -> Floats:
        """Return how likely such counts are at the most, for each claim, if it holds between all pairs of inputs."""
        total = np.zeros(len(epsilons))
        for test in self.tests:
            found = np.maximum(test.find_uniform(epsilons, deltas), TINY)
            total += math.sqrt(test.pairs / self.pairs) * np.maximum(-special.ndtri(found), LEAST)
        return np.asarray(np.minimum(1.0, special.ndtr(-total) + len(self.tests) * special.ndtr(LEAST)))
