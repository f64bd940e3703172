"""Answers that many changes of the data would not alter, told exactly; and refusals of all others."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from discreet.base import check
from discreet.base.rounding import float_down
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.robust.propose_test_release import find_threshold
from discreet.privacy import ApproximateLoss, Loss, Neighbours

Steady = TypeVar("Steady")
Voted = TypeVar("Voted", bound=Hashable)


@dataclass(frozen=True)
class StableValue:
    """Tells a value of any kind without noise, if a noisy test says that the data are far from another value.

    `distance` is private: it moves by at most 1 between neighbours, and is 0 on both of two neighbours with different
    values. Steady if distance + Z > threshold, with discrete Laplace Z of scale 1 / epsilon; else refused, for the same
    price.

    Theorem (Smith, Thakurta 2013, distance to instability): (epsilon, delta)-differentially private for the least
    threshold T with Pr[Z > T] <= delta. Proof. If neighbours have the same value, what is seen is a function of the
    noisy distance. If not, both have distance 0: they are refused with the same probability, at least 1 - delta.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=0.5)))
        _ = self.test

    @cached_property
    def test(self) -> Laplace:
        """The noise of the distance."""
        return Laplace.calibrate(self.epsilon, 1)

    @cached_property
    def threshold(self) -> int:
        """The greatest noisy distance that is refused."""
        return find_threshold(self.test, self.delta)

    def decide(self, value: Steady, distance: int) -> Steady | None:
        """Return the value, or nothing: a refusal."""
        return value if self.test.release(distance) > self.threshold else None

    def release_mode(
        self, counts: Mapping[Voted, int], rows: int = 1, neighbours: str = Neighbours.ADD_REMOVE
    ) -> Voted | None:
        """Return the key with the most rows, of keys that nobody listed, if it is far ahead; else nothing."""
        return self.decide(*measure_mode(counts, rows, neighbours))

    def loss(self) -> Loss:
        """Return the loss of one release, refused or not."""
        return ApproximateLoss(1 / Fraction(self.test.scale), Fraction(self.delta))


def measure_mode(
    counts: Mapping[Voted, int], rows: int = 1, neighbours: str = Neighbours.ADD_REMOVE
) -> tuple[Voted | None, int]:
    """Return the key with the most rows, and how many units can change before it is another one. Both are private.

    Theorem. Let g be the count of the first key less that of the second (0 where there is none). One unit of up to r
    rows that is added raises both by 0 to r, so that g moves by at most r; under replace each moves by at most r either
    way, and g by at most 2r. The distance, ceil(g / r) - 1 (with 2r under replace) but at least 0, moves by at most 1
    then. Where it is at least 1, g exceeds what a neighbour can close, and all neighbours have the same first key.
    """
    most = check.integer("rows", rows, least=1)
    reach = most if Neighbours.named(neighbours) is Neighbours.ADD_REMOVE else 2 * most
    ranked = sorted(counts.items(), key=lambda entry: -max(0, int(entry[1])))[:2]
    if not ranked:
        return None, 0
    first, second = (max(0, int(count)) for count in (ranked[0][1], ranked[1][1] if len(ranked) > 1 else 0))
    return ranked[0][0], max(0, -(-(first - second) // reach) - 1)
