"""Propose, test, release: noise of a proposed scale where the data are far from needing more, else a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from flint import arb

from discreet.base import check
from discreet.base.rounding import ball, float_down, precision, up
from discreet.base.search import least_int
from discreet.mechanisms.laplace import Laplace
from discreet.privacy import ApproximateLoss, Loss


class Proposable(Protocol):
    """A statistic that knows how far its data are from those on which a unit moves it by more than a proposal."""

    def point(self, values: Any) -> int:
        """Return the value as a whole number."""

    def distance(self, values: Any, proposal: int) -> int:
        """Return a whole number >= 0 that moves by at most 1 between neighbours.

        Where it is at least 1, every neighbour's point is at most `proposal` away.
        """


@dataclass(frozen=True)
class ProposeTestRelease:
    """Releases a statistic with noise for the sensitivity `proposal`, if a noisy test says that this is enough.

    d is the distance of the data to some on which a unit can move the statistic by more than the proposal. Refused
    unless d + Z > threshold, with discrete Laplace Z of scale 1 / epsilon; else the value gets discrete Laplace noise
    of scale proposal / epsilon. A refusal is an output like any other: it costs as much.

    Theorem (Dwork, Lei 2009): this is (2 epsilon, delta)-differentially private for the least threshold T with Pr[Z >
    T] <= delta. Proof. Let D and D' be neighbours. If one of them has d >= 1, their values are at most the proposal
    apart, d moves by at most 1, and both releases together are 2 epsilon-differentially private. If both have d = 0,
    they are refused with the same probability, and shown with probability Pr[Z > T] <= delta at most. (So the step from
    d = 1 to d = 0 costs no delta: the data at d = 1 vouch for both.) The tail is that of the noise that is drawn: Pr[Z
    > T] = q^(T + 1) / (1 + q) with q = e^-epsilon. T is 131, 26 and 13 at epsilon .1, .5 and 1 for delta 1e-6.

    The proposal is public: one that looks at the data is no proposal.
    """

    epsilon: float
    delta: float
    proposal: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=0.5)))
        object.__setattr__(self, "proposal", check.integer("proposal", self.proposal, least=1))
        _ = self.test, self.noise

    @classmethod
    def calibrate(cls, epsilon: float, delta: float, proposal: int) -> ProposeTestRelease:
        """Return the mechanism that is (epsilon, delta)-private: half for the test, half for the noise."""
        total = Fraction(check.positive("epsilon", epsilon))
        return cls(float_down(total / 2), delta, proposal)

    @cached_property
    def test(self) -> Laplace:
        """The noise of the distance, which a unit moves by one."""
        return Laplace.calibrate(self.epsilon, 1)

    @cached_property
    def noise(self) -> Laplace:
        """The noise of the value, which a unit moves by the proposal."""
        return Laplace.calibrate(self.epsilon, self.proposal)

    @cached_property
    def threshold(self) -> int:
        """The greatest noisy distance that is refused."""
        return find_threshold(self.test, self.delta)

    def release(self, statistic: Proposable, values: Any) -> int | None:
        """Return the statistic's point with noise, or nothing: a refusal."""
        return self.decide(statistic.point(values), statistic.distance(values, self.proposal))

    def decide(self, point: int, distance: int) -> int | None:
        """Return the point with noise if its noisy distance is above the threshold; both numbers are private."""
        shown, noisy = self.test.release(distance) > self.threshold, self.noise.release(point)
        return int(noisy) if shown else None

    def loss(self) -> Loss:
        """Return the loss of one release, refused or not."""
        spent = 1 / Fraction(self.test.scale) + self.proposal / Fraction(self.noise.scale)
        return ApproximateLoss(spent, Fraction(self.delta))

    def interval(self, confidence: float) -> int:
        """Return a half-width around a value that is released."""
        return int(self.noise.interval(confidence))

    def find_refusal(self, distance: int) -> float:
        """Return how likely data at this distance are refused: the nearest float."""
        beyond = self.threshold - check.integer("distance", distance, least=0)
        with precision():
            scale = self.test.scale
            return float(1 - enclose_tail(scale, beyond) if beyond >= 0 else enclose_tail(scale, -beyond - 1))


def find_threshold(test: Laplace, delta: float) -> int:
    """Return the least whole T >= 0 with Pr[Z > T] <= delta."""
    with precision():
        guess = float(-ball(delta).log() * ball(test.scale))
    return least_int(lambda far: bound_tail(test.scale, far) <= delta, start=max(0, int(guess) - 1))


def bound_tail(scale: float, far: int) -> float:
    """Return Pr[Z > far] of discrete Laplace noise, for far >= 0, rounded up."""
    with precision():
        return up(enclose_tail(scale, far))


def enclose_tail(scale: float, far: int) -> arb:
    """Return a ball around that tail: q^(far + 1) / (1 + q) with q = e^(-1 / scale)."""
    rate = 1 / ball(scale)
    return (-rate * (far + 1)).exp() / (1 + (-rate).exp())
