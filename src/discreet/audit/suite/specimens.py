"""A specimen: a mechanism with its claim, whether the claim is true, and neighbouring inputs to try it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.audit.blackbox.outputs import BatchMechanism
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
    pairs: tuple[tuple[Any, Any], ...]
    true: float | None = None
    """What it loses in truth between these inputs, where that is known."""


def draw_noise(scale: float, shape: tuple[int, ...]) -> Floats:
    """Return Laplace noise as floats: for what is only compared, never shown."""
    return np.random.default_rng().laplace(0.0, scale, shape)


def list_changes(length: int) -> tuple[tuple[list[int], list[int]], ...]:
    """Return pairs of answers to `length` questions that one person moves by one each: the known patterns.

    They are those of Ding and others (2018): one answer above or below the others, half of them, all, and crossed.
    """
    half = length // 2
    ones, zeros = [1] * length, [0] * length
    return (
        (ones, [2, *ones[1:]]),
        (ones, [0, *ones[1:]]),
        (ones, [2, *zeros[1:]]),
        (ones, [0, *([2] * (length - 1))]),
        (ones, [0] * half + [2] * (length - half)),
        (ones, [2] * length),
        (ones, zeros),
        ([1] * half + [0] * (length - half), [0] * half + [1] * (length - half)),
    )


def list_histograms(length: int) -> tuple[tuple[list[int], list[int]], ...]:
    """Return pairs of histograms of which one person changes one count."""
    ones = [1] * length
    return ((ones, [2, *ones[1:]]), (ones, [0, *ones[1:]]), ([0] * length, [1, *([0] * (length - 1))]))


def repeat_rows(values: Sequence[int], count: int) -> Ints:
    """Return an input as so many equal rows."""
    return np.tile(np.asarray(values, dtype=np.int64), (count, 1))
