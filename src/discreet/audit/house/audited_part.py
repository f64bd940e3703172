"""A component: something that is shipped, what it claims to lose, and neighbouring inputs to try it on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.audit.blackbox.outputs import BatchMechanism
from discreet.audit.blackbox.patterns import InputPair
from discreet.privacy.loss import Loss

DEAREST = 100
"""Components from this on are tried on one pair in the light audit."""


@dataclass(frozen=True, slots=True)
class AuditedPart:
    """A mechanism that gives many outputs on an input, and its claim: the loss that an accountant is told of it."""

    name: str
    draw: BatchMechanism = field(repr=False)
    pairs: tuple[InputPair, ...]
    loss: Loss
    delta: float = 0.0
    """Where the claim is looked at."""
    dear: int = 1
    """How many times longer an output takes than one of a vector of noise: so many fewer are drawn."""
    together: bool = False
    """Whether one call gives outputs on all inputs: then none are saved by looking for the worst pair first."""

    @property
    def claim(self) -> float:
        """The epsilon that is claimed at this delta."""
        return float(self.loss.epsilon(self.delta).high)


def choose_pairs(pairs: tuple[InputPair, ...], dear: int, most: int | None) -> tuple[InputPair, ...]:
    """Return the pairs that are tried: all of them, or so many, and one of the dearest components."""
    return pairs if most is None else pairs[: most if dear < DEAREST else 1]


def release_rows(release: Callable[[Any], Any]) -> BatchMechanism:
    """Return a mechanism that gives many outputs, from one that adds independent noise to every number of an array."""

    def draw(given: Any, count: int) -> Any:
        return np.asarray(release(np.repeat(np.atleast_2d(np.asarray(given, np.int64)), count, axis=0)))

    return draw
