"""A specimen: a mechanism with its claim, whether the claim is true, and neighbouring inputs to try it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.audit.blackbox.outputs import BatchMechanism
from discreet.audit.blackbox.patterns import InputPair, PairMove
from discreet.base.grid import Floats
from discreet.base.wide import Ints

EPSILON = 0.1
"""What every specimen claims."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A mechanism that claims to be 0.1-differentially private."""

    name: str
    right: bool
    draw: BatchMechanism
    pairs: tuple[InputPair, ...]
    true: float | None = None
    """What it loses in truth between these inputs, where that is known."""
    move: PairMove | None = None
    """What makes other neighbours of a pair."""


def draw_noise(scale: float, shape: tuple[int, ...]) -> Floats:
    """Return Laplace noise as floats: for what is only compared, never shown."""
    return np.random.default_rng().laplace(0.0, scale, shape)


def repeat_rows(values: Sequence[int], count: int) -> Ints:
    """Return an input as so many equal rows."""
    return np.tile(np.asarray(values, dtype=np.int64), (count, 1))
