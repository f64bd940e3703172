"""Counts of keys that nobody listed: those that the data hold, where their noisy count is high enough."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from discreet.base import check
from discreet.base.rounding import float_down
from discreet.mechanisms.key_threshold import KeyThreshold
from discreet.mechanisms.laplace import Laplace
from discreet.privacy import ApproximateLoss, Loss, Neighbours

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class StableHistogram:
    """Noisy counts of the keys in the data, those below a level left out; in the order of the keys' texts.

    One unit is in at most `groups` keys, with at most `rows` rows in each.

    Theorem: that of `KeyThreshold` (Korolova, Kenthapadi, Mishra, Ntoulas 2009; Bun, Nissim, Stemmer 2016). Under
    add-remove a unit moves all counts together by at most groups * rows and brings at most `groups` new keys; under
    replace both are twice that, as another unit's rows leave.
    """

    epsilon: float
    delta: float
    groups: int = 1
    rows: int = 1
    neighbours: str = Neighbours.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", float_down(check.positive("epsilon", self.epsilon)))
        object.__setattr__(self, "delta", float_down(check.real("delta", self.delta, above=0, below=0.5)))
        object.__setattr__(self, "groups", check.integer("groups", self.groups, least=1))
        object.__setattr__(self, "rows", check.integer("rows", self.rows, least=1))
        object.__setattr__(self, "neighbours", Neighbours.named(self.neighbours))
        _ = self.threshold

    @cached_property
    def noise(self) -> Laplace:
        """The noise of each count."""
        return Laplace.calibrate(self.epsilon, self._keys * self.rows)

    @cached_property
    def threshold(self) -> KeyThreshold:
        """Which noisy counts are kept."""
        return KeyThreshold(self.noise, self.delta, self._keys, self.rows)

    @property
    def _keys(self) -> int:
        return self.groups if self.neighbours == Neighbours.ADD_REMOVE else 2 * self.groups

    def release(self, counts: Mapping[Name, int]) -> dict[Name, int]:
        """Return noisy counts by key, from the rows of each; keys without rows are as if they were not there."""
        present = [(name, int(count)) for name, count in counts.items() if count > 0]
        noisy = self.noise.release([count for _, count in present]) if present else []
        kept = self.threshold.release(noisy)
        told = {name: count for (name, _), count, keep in zip(present, noisy, kept, strict=True) if keep}
        return dict(sorted(told.items(), key=lambda entry: (type(entry[0]).__name__, repr(entry[0]))))

    def loss(self) -> Loss:
        """Return the loss of one release."""
        return ApproximateLoss(self._keys * self.rows / Fraction(self.noise.scale), Fraction(self.delta))

    def interval(self, confidence: float, values: int = 1) -> int:
        """Return a half-width around a count, over whether it is shown or not."""
        return int(self.noise.interval(confidence, values))
