"""Toy wings: small operations as a wing would define them, honest and dishonest ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from discreet.base.canonical import Json
from discreet.curator.door.clipping import Clip
from discreet.curator.door.desk import Desk
from discreet.curator.door.schedule import Schedule
from discreet.curator.door.unit_functions import LinearGradient
from discreet.mechanisms import DiscreteGaussian, Exponential, Gaussian, Laplace
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.bounded import BoundedPlan
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.query.draws import Draws
from discreet.query.scores import FarthestFrom


@dataclass(frozen=True)
class TwoLooks:
    """Counts each group, then looks again, more closely, at the group that surprised most: 50 lines, as a wing is."""

    kind: ClassVar[str] = "two looks"
    version: ClassVar[int] = 1

    plan: BoundedPlan
    first: Laplace
    second: Laplace
    pick: Exponential
    charge: Charge
    between: Callable[[], None] = lambda: None
    """What happens between the two looks, in tests."""

    def parameters(self) -> Json:
        return {"first": self.first.scale, "second": self.second.scale, "pick": self.pick.scale}

    def plans(self) -> tuple[BoundedPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        (counts,) = desk.measure(self.plan, Draws((self.first,))).sets[0].sums
        even = sum(counts) // len(counts)
        chosen = desk.choose(self.plan, FarthestFrom(0, (even,) * len(counts)), self.pick)
        self.between()
        (again,) = desk.measure(self.plan, Draws((self.second,))).sets[0].sums
        return json.dumps([counts, chosen, again[chosen]]).encode()

    def finish(self, measured: bytes) -> tuple[list[int], int, int]:
        counts, chosen, again = json.loads(measured)
        return counts, chosen, again


def two_looks(plan: BoundedPlan, epsilon: Fraction, **how: Callable[[], None]) -> TwoLooks:
    """Return the honest wing: a third of epsilon for each draw."""
    third, l1 = epsilon / 3, Fraction(plan.l1(plan.measures[0]))
    noise = Laplace(float(l1 / third))
    pick = Exponential(float(2 * plan.linf(plan.measures[0]) / third))
    return TwoLooks(plan, noise, noise, pick, Charge(epsilon, epsilon**2), **how)


@dataclass(frozen=True)
class ManyLooks:
    """Measures the same counts on a fixed schedule of Gaussian noise, journaled every few draws."""

    kind: ClassVar[str] = "many looks"
    version: ClassVar[int] = 1

    plan: BoundedPlan
    noises: tuple[Gaussian, ...]
    schedule: Schedule
    charge: Charge
    seen: Callable[[int, int], None] = lambda turn, count: None

    def parameters(self) -> Json:
        return [noise.sigma for noise in self.noises]

    def plans(self) -> tuple[BoundedPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        total = 0
        for turn, noise in enumerate(self.noises):
            (counts,) = desk.measure(self.plan, Draws((noise,))).sets[0].sums
            self.seen(turn, counts[0])
            total += counts[0]
        return str(total).encode()

    def finish(self, measured: bytes) -> float:
        return int(measured) / len(self.noises)


@dataclass(frozen=True)
class TwoGradients:
    """Takes two steps of gradient descent for a linear model, each along a noisy sum of the units' gradients."""

    kind: ClassVar[str] = "two gradients"
    version: ClassVar[int] = 1

    plan: RowsPlan
    clip: Clip
    noise: Laplace | Gaussian | DiscreteGaussian
    charge: Charge
    between: Callable[[], None] = lambda: None
    """What happens between the two steps, in tests."""

    def parameters(self) -> Json:
        return {"clip": self.clip.describe(), "noise": describe_mechanism(self.noise)}

    def plans(self) -> tuple[RowsPlan, ...]:
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        weights, seen = (0.0,) * (len(self.plan.columns) - 1), []
        for turn in range(2):
            if turn:
                self.between()
            gradient = desk.sum(self.plan, LinearGradient(weights), self.clip, self.noise)
            seen.append(gradient)
            weights = tuple(weight - 1e-9 * float(entry) for weight, entry in zip(weights, gradient, strict=True))
        return json.dumps(seen).encode()

    def finish(self, measured: bytes) -> list[list[int]]:
        found: list[list[int]] = json.loads(measured)
        return found


def two_gradients(plan: RowsPlan, epsilon: Fraction, **how: Callable[[], None]) -> TwoGradients:
    """Return the honest wing: half of epsilon for each step, under add-remove neighbours."""
    clip = Clip(1 << 16, 2.0**-10)
    noise = Laplace(float(clip.steps / (epsilon / 2)))
    return TwoGradients(plan, clip, noise, Charge(epsilon, epsilon**2), **how)
