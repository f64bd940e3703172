"""Amplification by shuffling: reports of the local model whose senders nobody can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from discreet.base import check
from discreet.base.check import Exact
from discreet.base.errors import ParameterError
from discreet.base.rounding import ball, float_down, float_up, rounded_down, rounded_up
from discreet.privacy.accountant.atom_curve import DOUBT, AtomCurve
from discreet.privacy.accountant.pairs import DominatingPair, make_atomic
from discreet.privacy.accountant.shuffled_pairs import make_binary, make_shuffled, make_ternary
from discreet.privacy.amounts import read_down, read_for_sums, read_up, state_amount
from discreet.privacy.certified import Certified
from discreet.privacy.loss import Loss

LARGEST = 100.0
"""The largest epsilon of a randomiser: far below it nobody is anybody's clone any more."""

MOST_PEOPLE = 10**10
"""The most people; more of them are counted as so many."""

BOUNDS = ("2021", "2023")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ShuffledLoss(Loss):
    """`count` people run the same epsilon-DP randomiser, and their reports are shuffled; replace neighbours.

    Neighbours differ in one person's value; whoever sees the shuffled reports may know all other values. `count` is how
    many people at least send an honest report. Against the shuffler itself a report is epsilon-DP and nothing better:
    it is trusted not to look.

    Theorem. With e = e^epsilon let N0 and N1 count two sides of n dice, which fall with probability r each. P and Q
    have densities (e N0 + N1) / (n r (e + 1)) and (N0 + e N1) / (n r (e + 1)) to their law. Then (P, Q) dominates both
    directions for r = 1 / (e + 1) (bound 2023: Feldman, McMillan, Talwar 2023, "Stronger privacy amplification by
    shuffling", by the proof below) and for r = 1 / (2 e) (bound 2021: the same authors, "Hiding among the clones").

    Proof. Let A and B be the densities of the person's report before and after, and w = max(A, B) / e. Every other
    report has a density of at least w: it is drawn from w with probability |w|, else from the rest. Tell, for free, who
    drew from the rest, and what. The hockey stick of what is left, at t = e^epsilon' with epsilon' <= epsilon, is
    E(Z1 + ... + Zn)+ / n for independent Z, which is (A - t B) / w at a point drawn from w, and 0 with probability
    1 - |w| (as in Balle, Bell, Gascon, Nissim 2019, "The privacy blanket of the shuffle model", Lemma 5.3). Write
    (A, B) = x (e, 1) + y (1, e) at every point, x and y >= 0; both integrate to 1 / (e + 1). With a = e - t and
    b = e t - 1, let Z* be a or -b with probability 1 / (e + 1) each, else 0. Then E f(Z) <= E f(Z*) for all convex f:
    with f(0) = 0 this says that w f((x a - y b) / w) integrates to at most x f(a) + y f(-b). For linear f both are
    equal, and others are mixtures of (z - c)+ and (-z - c)+, c >= 0. Where A >= B, w is x + y / e and x >= y:
    (x a - y b - w c)+ <= x (a - c)+, and (y b - x a - w c)+ <= y (b - c)+ since y c <= x c. Where B >= A likewise.
    Sums of independent Z keep this order, and E(Z1* + ... + Zn*)+ / n is the hockey stick of (P, Q) for
    r = 1 / (e + 1). For r = 1 / (2 e): (A + B) / (2 e) <= w, and A = (e U + V) / (e + 1), B = (U + e V) / (e + 1)
    with A + B = U + V (Kairouz, Oh, Viswanath 2015), so that every other report is U or V with probability r each.

    The lower bound is that of randomized response, binary or ternary, whichever costs more; in a composition the binary
    one where e <= 2, else the ternary.
    """

    kind = "shuffled"
    for_replace = True
    epsilon_: Exact
    count: int
    bound: str

    def __init__(self, epsilon: Exact, count: int, bound: str = "2023") -> None:
        stated = state_amount("epsilon", epsilon, least=0)
        if stated > LARGEST:
            raise ParameterError("epsilon", epsilon, f"a number <= {LARGEST:g}: above, shuffling does not help")
        object.__setattr__(self, "epsilon_", stated)
        object.__setattr__(self, "count", check.integer("count", count, least=1))
        object.__setattr__(self, "bound", check.choice("bound", bound, BOUNDS))

    @property
    def pure(self) -> float:
        """The epsilon of the randomiser: all reports may happen to be the same."""
        return read_up(self.epsilon_)

    @property
    def exact_pure(self) -> Fraction:
        """The same, as filters add it."""
        return read_for_sums(self.epsilon_)

    def list_pairs(self) -> list[DominatingPair]:
        """Return the theorem's pair, for epsilon rounded up."""
        if self.pure == 0:
            return [make_atomic([0.0], [1.0])]
        growth = self._growths[1]
        clones = 2 / (growth + 2) if self.bound == "2023" else 1 / (growth + 1)
        return [make_shuffled(growth, min(self.count, MOST_PEOPLE), clones)]

    def list_attained_pairs(self) -> list[DominatingPair] | None:
        """Return that of shuffled randomized response, for epsilon rounded down."""
        if self.pure == 0:
            return self.list_pairs()
        if self.count > MOST_PEOPLE:
            return None
        return [(make_binary if self._growths[0] <= 1 else make_ternary)(self._growths[0], self.count)]

    @cached_property
    def _growths(self) -> tuple[Fraction, Fraction]:
        """e^epsilon - 1, rounded down and up."""
        below, above = read_down(self.epsilon_), read_up(self.epsilon_)
        return Fraction(rounded_down(lambda: ball(below).expm1())), Fraction(rounded_up(lambda: ball(above).expm1()))

    def _renyi(self, order: Exact) -> float:
        """Return the divergence of the theorem's pair: it dominates, so no divergence is larger."""
        (pair,) = self.list_pairs()
        losses, masses = pair.atoms[0], pair.masses[0]
        power = float_up(order) - 1
        if power * self.pure > 600:  # there e^(power L) leaves floats
            return self.pure
        moment = float(np.sum(masses * np.expm1(power * losses))) + max(0.0, float(masses.sum()) - 1)
        doubt = DOUBT * (1 + power * float(np.abs(losses).max())) * float(np.sum(masses * np.exp(power * losses)))
        return math.log1p(moment + 2 * doubt) / power * (1 + 1e-12)

    def _certified_delta(self, epsilon: Exact) -> Certified:
        if epsilon >= self.pure:
            return Certified(0.0, 0.0)
        high = _make_curve(self.list_pairs()[0]).bracket(float_down(epsilon)).high
        attained = (make_binary, make_ternary) if self.count <= MOST_PEOPLE else ()
        curves = [_make_curve(make(self._growths[0], self.count)) for make in attained]
        lows = [curve.bracket(float_up(epsilon)).low for curve in curves]
        return Certified(min(max(lows, default=0.0), high), high)

    def _delta(self, epsilon: Exact) -> arb:
        raise AssertionError("shuffled reports have no formula: their atoms are added up")


@lru_cache(maxsize=16)
def _make_curve(pair: DominatingPair) -> AtomCurve:
    return AtomCurve(pair)
